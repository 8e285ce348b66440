// Short blocks whose lengths only some ranks know, straight from rank to rank.
#pragma once

#include <cstdint>
#include <optional>

#include "call.h"

namespace allport::dropin {

struct Record;

/// Runs a Scatterv, Gatherv or Alltoallv whose blocks were short when they were looked at last: each rank sends what it
/// has and takes what is its, without telling the lengths first. Right whatever the lengths are now. Bytes of this
/// rank's larger buffer; nothing where it must go the long way, which then goes straight, too: @see Operation. Under
/// the Lock.
[[nodiscard]] std::optional<std::int64_t> run_straight(Call const& call, Record& record);

}  // namespace allport::dropin
