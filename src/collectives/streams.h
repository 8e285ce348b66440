// Building blocks of tree schedules: one stream of segments down or up one tree, for one rank.
#pragma once

#include <cstdint>

#include "allport/collectives/trees.h"
#include "allport/schedule/schedule.h"

namespace allport {

/// The stream of one tree; its data are `piece`.
struct Stream {
  Piece piece;
  std::int32_t channel = 0;
  std::int64_t length = 0;   ///< bytes, > 0
  std::int64_t segment = 0;  ///< bytes, > 0; whole elements where data are combined
  std::int32_t window = 1;   ///< segments that a ring in scratch holds

  [[nodiscard]] Op op(OpKind kind) const;
  /// Segments that a ring needs.
  [[nodiscard]] std::int32_t ring() const;
  /// A new ring at the end of the program's scratch.
  [[nodiscard]] Slot new_ring(Program& program) const;
};

/// @pre length >= 0; of a stream without bytes no operation may be made
[[nodiscard]] Stream stream(Contract const& contract, Cut cut, Piece const& piece, std::int32_t channel,
                            std::int64_t length);

/// No dependence.
inline constexpr std::int32_t at_once = -1;
/// Dependences of the data at a stream's origin; `lag` as in Dependence.
struct Ready {
  std::int32_t op = at_once;
  std::int32_t lag = Dependence::whole;

  void add_to(Op& op_that_waits) const {
    if (op != at_once) op_that_waits.after.add(op, lag);
  }
};

/// Down: the root sends from `source` once `ready`, every other rank receives at `home` and forwards from there.
/// Returns the operation that completes `home`, at_once on the root.
std::int32_t stream_down(Stream const& stream, TreePlace const& place, Slot source, Ready ready, Slot home,
                         Program& into);

/// Up: every rank combines its `input`, once `ready`, with its children's data, last child first, and sends the result
/// on; the root leaves it at `output`. The order is fixed by the tree alone. Returns the root's last operation,
/// at_once elsewhere. Scratch: (children + 1) rings.
std::int32_t stream_up(Stream const& stream, TreePlace const& place, Slot input, Ready ready, Slot output,
                       Program& into);

}  // namespace allport
