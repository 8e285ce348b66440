// Cells of a box block after block: the order of Blue Waters' scheduler.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace allport::mapping {

using Cell = std::array<std::int32_t, 3>;

/// All cells of a box, those of a block after each other (Albing 2011; Pena13, slide 7). Blocks begin at multiples of
/// `block`; the last one along an axis is shorter where the axis is no multiple. Within a block cells go along a snake,
/// mirrored from block to block: z fastest, then y, then x, in as many blocks as the rest allows.
/// - Each cell is a neighbour of the one before.
/// - The first cell is a neighbour of the last if any order block after block has that, but for some boxes in which an
///   axis of odd length wraps within one block.
/// - Blocks have no such order where they form a line of three or more, or their number is odd and no axis wraps. Then
///   the ends are two or three hops apart; in a line, as far as its inner blocks are long.
/// wraps: bit a is set where axis a wraps.
/// @pre lengths and block >= 1
[[nodiscard]] std::vector<Cell> block_order(Cell const& lengths, std::uint32_t wraps, Cell const& block);

}  // namespace allport::mapping
