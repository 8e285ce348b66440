// Who does a call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call.h"
#include "state.h"

namespace allport::dropin {

/// What a collective of ours takes, as timed, else as predicted.
[[nodiscard]] Seconds our_seconds(Record const& record, Contract const& contract);

/// What decisions about a call depend on, computed once a call.
struct CallShape {
  Record* record = nullptr;  ///< of its communicator; null: we did not see it made
  std::int64_t bytes = -1;   ///< of the longest block, as far as all ranks know it; negative: wrong arguments
  Site* site = nullptr;      ///< null: not decided yet
};
/// True where the MPI library does the call, and nobody wants it counted. Without the lock; a fraction of what the
/// shortest call takes.
/// @param shape  set to the call's
[[nodiscard]] bool passes_through(Call const& call, CallShape& shape);

/// Decides who does calls like this one, if nobody has. Under the Lock. @pre shape.record->ours
Site& decided_site(Call const& call, CallShape& shape);

/// Why the MPI library does this call, or nothing when we do. Under the Lock. Decided from what is the same on all
/// ranks of the communicator, but for wrong arguments, which are the MPI library's to complain about.
[[nodiscard]] std::optional<std::string> why_not(Call const& call, CallShape& shape);

/// Why arguments are left to the MPI library: they are wrong, or too long. Under the Lock.
[[nodiscard]] std::optional<std::string> why_not_possible(Call const& call, Record const& record);

/// True where this blocking call of a site that is tuned is timed.
[[nodiscard]] bool is_timed(Call const& call);

/// `lengths`, which all ranks received, of the blocks of a blocking call of which only some ranks knew them. Under the
/// Lock.
void learn_lengths(Call const& call, CallShape const& shape, std::vector<std::int64_t> const& lengths);

}  // namespace allport::dropin
