// The reference executor: runs a schedule in one process on real bytes. Every other executor must agree with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "allport/schedule/schedule.h"

namespace allport {

/// out[0..bytes) = op(left, right), element by element; out may be left or right.
using Combine = std::function<void(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes)>;

struct RankBuffers {
  std::vector<std::byte> input;
  std::vector<std::byte> output;
};

/// Runs all ranks to the end, in place on `ranks`. Sends are synchronous: a segment moves when its receive is posted,
/// at most `window` receives ahead of the last completed one. Among the operations that may go next one is drawn with
/// `seed`, so different seeds try different interleavings; the result must not depend on it.
/// @pre ranks.size() == schedule.ranks(); buffers at least contract().input_bytes / output_bytes long
/// @throws Error(schedule) naming rank, operation and segment when nothing can move any more, when streams do not
///         match, or when an operation reads or writes outside its buffer
void interpret(Schedule const& schedule, std::span<RankBuffers> ranks, Combine const& combine = {},
               std::uint64_t seed = 0);

}  // namespace allport
