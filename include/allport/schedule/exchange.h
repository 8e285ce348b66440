// Exchange formats: GOAL text (LogGOPSim), written and read, and MSCCL XML, written. The rules are in
// docs/reference/exchange.md.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "allport/schedule/schedule.h"

namespace allport {

/// What a rank's processor spends on a byte; GOAL has no operators or copies, only `calc` with a time.
struct GoalCosts {
  double operator_seconds_per_byte = 0.0;  ///< model::operator_seconds_per_byte(machine), or 0
  double copy_seconds_per_byte = 0.0;      ///< model::copy_seconds_per_byte(machine, 1), or 0
};

/// Writes any schedule as GOAL text (Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009; the
/// grammar of LogGOPSim's txt2bin). A segment becomes one operation: `send`, `recv`, or `calc` in nanoseconds for a
/// combine or copy. `requires` and `irequires` say what Op::after, the order of a stream and the window say. Comments
/// that begin with "//@ " keep the rest, so that import_goal gives an equal schedule back.
/// @throws Error(argument) on a negative cost, Error(memory) beyond `most_segments`, Error(schedule) when an operation
///         cannot be (no bytes, a dependence on an absent one, ...)
void export_goal(Schedule const& schedule, std::ostream& out, GoalCosts const& costs = {},
                 std::int64_t most_segments = 20'000'000);

/// Reads GOAL text. With export_goal's comments: the schedule that was written, operation for operation; comments and
/// statements that contradict each other are refused. Without: a schedule with no contract (Collective::none) that can
/// be interpreted, simulated and run but not proven, in which each operation is a stream of one segment, and `calc` a
/// copy that takes as long at `copy_seconds_per_byte`. `file` is how errors name the text.
/// @throws Error(io) "file:line: expected ..., got ..."
[[nodiscard]] Schedule import_goal(std::istream& in, std::string_view file, double copy_seconds_per_byte = 0.0);

/// What the reader of an MSCCL file can take. Defaults: msccl-executor-nccl (msccl_struct.h).
struct MscclLimits {
  int channels = 32;
  int peers = 32;      ///< connections of one GPU, channel and direction
  int blocks = 128;    ///< threadblocks of one GPU; dependences name them with eight bits
  int steps = 64;      ///< of one threadblock; older MSCCL: 256
  int count = 71;      ///< chunks in one step; longer segments become several steps
  int chunks = 32768;  ///< in one buffer; offsets have sixteen bits
};

/// Writes a schedule as MSCCL XML: a threadblock for each operation (a connection for each stream), a step for each
/// segment, cross-threadblock dependences by depid and deps. Chunks are the greatest common divisor of all offsets and
/// lengths, so the file serves every message with a whole number of chunks.
/// @throws Error(unsupported) naming what MSCCL cannot express: barriers, blocks of different lengths, empty messages,
///         or more than `limits` allows
void export_msccl(Schedule const& schedule, std::ostream& out, MscclLimits const& limits = {});

}  // namespace allport
