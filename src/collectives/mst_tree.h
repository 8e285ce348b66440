// The boxes of one generalised minimum spanning tree, each outline once, for computing its cost.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mst_boxes.h"

namespace allport {

/// A part and its subtree.
struct MstBranch {
  MstPart part;
  std::int64_t ranks = 1;  ///< of the part's box
  int node = 0;            ///< the part's box
};

/// The quantities that determine the cost of a step.
struct MstStepForm {
  int messages = 0;
  std::array<std::int32_t, max_box_axes> hops{};  ///< of the farthest part by axis, the shorter route; 0: none
  friend auto operator<=>(MstStepForm const&, MstStepForm const&) = default;
};

/// One of the boxes that have an outline.
struct MstNode {
  MstBox box;
  std::vector<MstBranch> branches;  ///< of its next step; empty when only the root is left
  int form = 0;                     ///< of that step
  int rest = 0;                     ///< what its root keeps
  bool is_part = false;             ///< not only what a root keeps
};

/// Nodes come behind those that they are cut into; the last is the whole machine.
struct MstTree {
  std::vector<MstNode> nodes;
  std::vector<int> forms;  ///< by form, a node whose next step has it

  /// Nodes whose steps the root of `node` serves, earliest first.
  template <class Visit>
  void each_step(int node, Visit&& visit) const {
    for (auto const* n = &nodes[at(node)]; !n->branches.empty(); n = &nodes[at(n->rest)]) visit(*n);
  }
  [[nodiscard]] int whole() const { return static_cast<int>(nodes.size()) - 1; }
  /// Messages of the whole machine's root.
  [[nodiscard]] std::size_t messages() const;
};

/// Equal for roots whose boxes have the same outline; the last few are cached.
[[nodiscard]] std::shared_ptr<MstTree const> mst_tree(MstShape const& shape, Rank root);

}  // namespace allport
