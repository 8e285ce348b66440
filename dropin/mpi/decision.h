// Whether a call is ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "call.h"
#include "state.h"

namespace allport::dropin {

[[nodiscard]] bool has_root(Function what);
/// Only the root, or only each pair of ranks, knows how long the blocks are, whatever the communicator.
[[nodiscard]] bool lengths_are_secret(Function what);
/// What a collective of ours takes, as timed, else as predicted.
[[nodiscard]] Seconds our_seconds(Record const& record, Contract const& contract);

/// True where it was decided before that the MPI library does calls like this one: of this function, on this
/// communicator, of this size class. Without the lock; a fraction of what the shortest call takes.
[[nodiscard]] bool is_handed_back(Call const& call, Record& record);

/// Why the MPI library does this call, or nothing when we do. Under the Lock. Decided from what is the same on all
/// ranks of the communicator, but for wrong arguments, which are the MPI library's to complain about.
[[nodiscard]] std::optional<std::string> why_not(Call const& call, Record& record);

/// Whom arguments that are wrong, or too long, are left to. Under the Lock.
[[nodiscard]] std::optional<std::string> why_not_possible(Call const& call, Record const& record);

/// True where blocking calls like this one are timed; decides it where nobody has. Without the lock.
[[nodiscard]] bool is_timed(Call const& call, Record& record);

/// The trial of calls like this one, which is timed, and as why_not(), where the trial has its say. Under the Lock.
[[nodiscard]] Trial& trial_of(Call const& call, Record& record);
[[nodiscard]] std::optional<std::string> why_not(Call const& call, Record& record, Trial const& trial);

/// What a timed call has taken on this rank. Collective now and then. Under the Lock.
void learn(Call const& call, Record& record, double seconds);

/// A blocking call of ours was done the long way as its verdict says: see Record::rested().
void rested(Call const& call, Record& record);

/// True where a blocking call of ours, whose lengths only some ranks know, goes straight from rank to rank; counts it.
/// Equal on all ranks. Under the Lock.
[[nodiscard]] bool goes_straight(Call const& call, Record& record);

/// What a blocking call whose lengths only some ranks knew turned out to carry: `lengths` of its blocks, which all
/// ranks were told. Under the Lock.
void learn(Call const& call, Record& record, std::vector<std::int64_t> const& lengths);

}  // namespace allport::dropin
