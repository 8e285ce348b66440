// Costs of the generalised minimum-spanning-tree algorithms, step by step along the longest path.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "mst_tree.h"

namespace allport {

[[nodiscard]] constexpr double real(std::int64_t n) { return static_cast<double>(n); }

/// The largest sum of step costs from the root to any rank. step(branches): cost of a step in which a rank serves these
/// branches.
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
/// a message is routed over, within the caps on ports and injection; plus a reduction's operator. The overlap of
/// segments between steps is ignored. For a scatter or gather it is price_mst_blocks(), but at least the steps of empty
/// messages.
[[nodiscard]] Seconds price_mst(Machine const& machine, MstForm form, Contract const& contract, Cut cut);

/// A scatter or gather, message by message. A rank's messages use different links at the same time, and share each
/// link, its processor, memory, ports and caps one after the other. Blocks that are not contiguous are packed before
/// and unpacked after. Blocks of different lengths count with their mean.
[[nodiscard]] Seconds price_mst_blocks(Machine const& machine, MstShape const& shape, MstTree const& tree,
                                       Contract const& contract, Cut cut);

/// Reasons: dead links, or more messages of one rank than MstPlace can hold.
[[nodiscard]] std::optional<std::string> mst_why_not(Machine const& machine, MstForm form, Contract const& contract);

}  // namespace allport
