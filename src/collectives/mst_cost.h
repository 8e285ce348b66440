// What the generalised minimum-spanning-tree algorithms cost, step by step along the longest way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "mst_boxes.h"

namespace allport {

/// Cost of one step, given the parts that one rank serves in it.
using MstStep = std::function<double(std::vector<MstPart> const&)>;
/// The largest sum of steps from the root to any rank.
[[nodiscard]] double longest_way(MstShape const& shape, Rank root, MstStep const& step);

/// Steps one after the other, each (alpha + n beta)(1 + (m - 1) tau) for m messages (deck 2), alpha with the hops that
/// a message is routed over, within the caps on ports and injection; a reduction's operator and the copies of a scatter
/// or gather are added. Nothing is taken off for segments that overlap from step to step.
[[nodiscard]] Seconds price_mst(Machine const& machine, MstForm form, Contract const& contract, Cut cut);

/// Dead links, or more messages of one rank than a place in a tree holds.
[[nodiscard]] std::optional<std::string> mst_why_not(Machine const& machine, MstForm form, Contract const& contract);

}  // namespace allport
