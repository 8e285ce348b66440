// The boxes of the generalised minimum-spanning-tree algorithms, and the path from the whole machine to one rank.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "index.h"
#include "mst.h"

namespace allport {

/// Axes of a box: those of dimensions(machine).
inline constexpr int max_box_axes = max_axes + 1;

/// Positions lo, lo + 1, ..., around the wrap, along one axis.
struct Span {
  std::int32_t lo = 0;
  std::int32_t length = 1;
};

/// A product of spans, and one rank in it.
struct MstBox {
  std::array<Span, max_box_axes> span{};
  std::array<std::int32_t, max_box_axes> root{};  ///< positions
};

/// Extents of a box and its root's place in it, axis by axis: boxes that agree in these cost the same.
using MstOutline = std::array<std::pair<std::int32_t, std::int32_t>, max_box_axes>;

/// A part that its parent's root sends to, or receives from, in one step.
struct MstPart {
  MstBox box;
  int axis = 0;
  int sign = 1;            ///< side of the parent's root on which the part lies
  std::int32_t steps = 1;  ///< from the parent's root to the part's, to that side
};

/// The shape that boxes are cut from.
class MstShape {
 public:
  MstShape(Machine const& machine, MstForm form);

  [[nodiscard]] int axes() const { return axes_; }
  [[nodiscard]] std::int32_t length(int a) const { return length_[static_cast<std::size_t>(a)]; }
  [[nodiscard]] MstForm form() const { return form_; }

  /// All ranks.
  [[nodiscard]] MstBox whole(Rank root) const;
  [[nodiscard]] std::int64_t size(MstBox const& box) const;
  [[nodiscard]] MstOutline outline(MstBox const& box) const;
  [[nodiscard]] bool contains(MstBox const& box, Rank rank) const;
  [[nodiscard]] Rank root_of(MstBox const& box) const { return rank_at(box.root); }
  /// Corners in the sense of RankBox; ranks in the order of Piece.
  [[nodiscard]] RankBox corners(MstBox const& box) const;
  [[nodiscard]] std::int32_t position(Rank rank, int a) const {
    return rank / stride_[static_cast<std::size_t>(a)] % length(a);
  }
  [[nodiscard]] Rank rank_at(std::array<std::int32_t, max_box_axes> const& at) const;

  /// One step: cuts parts off `box`, which shrinks to what its root keeps. Empty when only the root was left.
  [[nodiscard]] std::vector<MstPart> cut(MstBox& box) const;
  /// Port from the box's root to the part's: over a link where that is one hop, else routed.
  [[nodiscard]] Port port_to(MstPart const& part) const;
  /// From the parent's root to the part's, the shorter route.
  [[nodiscard]] std::int32_t hops(MstPart const& part) const {
    auto const n = length(part.axis);
    return wraps_[static_cast<std::size_t>(part.axis)] ? std::min(part.steps, n - part.steps) : part.steps;
  }

  friend bool operator==(MstShape const&, MstShape const&) = default;

 private:
  void cut_axis(MstBox& box, int a, int parts, std::vector<MstPart>& into) const;
  void take(MstBox& box, int a, int sign, std::int32_t width, std::vector<MstPart>& into) const;

  MstForm form_;
  int axes_ = 0;
  std::array<std::int32_t, max_box_axes> length_{};
  std::array<std::int32_t, max_box_axes> stride_{};
  std::array<bool, max_box_axes> wraps_{};
};

/// A rank's role: the box that it represents, and the parts that it serves, step by step.
struct MstPlace {
  MstBox box;        ///< its root is the rank
  Rank parent = -1;  ///< none: the root of all
  Port to_parent = any_port;
  std::vector<MstPart> parts;  ///< earliest step first
};
[[nodiscard]] MstPlace mst_place(MstShape const& shape, Rank root, Rank rank);

}  // namespace allport
