// What the generalised minimum-spanning-tree algorithms cost, step by step along the longest route.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mst_tree.h"

namespace allport {

[[nodiscard]] constexpr double real(std::int64_t n) { return static_cast<double>(n); }

/// The largest sum of steps from the root to any rank. `step`: cost of one, by the branches that a rank serves in it.
template <class Step>
[[nodiscard]] double longest_path(MstTree const& tree, Step&& step) {
  std::vector<double> of_form;
  for (auto const node : tree.forms) of_form.push_back(step(tree.nodes[at(node)].branches));
  std::vector<double> longest(tree.nodes.size(), 0.0);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    auto const& node = tree.nodes[n];
    if (node.branches.empty()) continue;
    longest[n] = longest[at(node.rest)];
    for (auto const& branch : node.branches) longest[n] = std::max(longest[n], longest[at(branch.node)]);
    longest[n] += of_form[at(node.form)];
  }
  return longest.back();
}

/// Steps one after the other, each (alpha + n beta)(1 + (m - 1) tau) for m messages (Chan06), alpha with the hops that
/// a message is routed over, within the caps on ports and injection; a reduction's operator is added. Nothing is taken
/// off for segments that overlap from step to step. A scatter or gather is price_mst_blocks(), and no less than the
/// steps of empty messages.
[[nodiscard]] Seconds price_mst(Machine const& machine, MstForm form, Contract const& contract, Cut cut);

/// A scatter or gather, message by message: a rank's go at once over different links, and take turns at one link, at
/// its processor, its memory, its ports and caps; what is to be sent is packed, and what has come is put in place,
/// where blocks do not lie side by side. Blocks of different lengths count with their mean.
[[nodiscard]] Seconds price_mst_blocks(Machine const& machine, MstShape const& shape, MstTree const& tree,
                                       Contract const& contract, Cut cut);

/// Dead links, or more messages of one rank than a place in a tree holds.
[[nodiscard]] std::optional<std::string> mst_why_not(Machine const& machine, MstForm form, Contract const& contract);

}  // namespace allport
