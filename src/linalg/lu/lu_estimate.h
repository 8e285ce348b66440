// Seconds of LU by tasks before its graph is made: what a planner sorts thousands of candidates by.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/rates.h"
#include "allport/linalg/lu.h"
#include "linalg/gemm/gemm_frame.h"
#include "linalg/plan/line_spread.h"

namespace allport::lu_detail {

/// The quantities of graph::price, of some steps in closed form: work of a mean rank at the machine's kernel rates,
/// seconds of the mean link of the busiest axis, and the chain from panel to panel. How a multicast goes along a
/// grid's rows, columns or layers, and what a gang of a column takes to talk, is looked at once for a grid in an order.
class LuEstimate {
 public:
  /// @param plan must outlive it
  /// @pre the machine says its flops
  explicit LuEstimate(LuPlan const& plan);

  /// Fills compute, communicate and total.
  void price(LuCandidate& candidate);

 private:
  /// Multicasts from the middle of a line.
  struct Lines {
    gemm_detail::LineSpread row;
    gemm_detail::LineSpread col;
    gemm_detail::LineSpread layer;  // from one layer to another
    graph::IdleCost neighbour{};    // of a column's gang: from one member to another, and its collectives
    std::map<Collective, graph::IdleCost> talk;
    graph::AxisLoads exchange;  // of a byte from one member to others
  };
  struct Step {
    double work = 0;
    double chain = 0;
    double messages = 0;  // of a mean rank
  };

  [[nodiscard]] Lines const& lines_of(LuCandidate const& candidate);
  [[nodiscard]] double talk_seconds(Lines const& lines, Index width) const;
  [[nodiscard]] Step step(LuCandidate const& candidate, Lines const& lines, double at, double b, double talk,
                          graph::AxisLoads& loads, double times) const;

  LuPlan const& plan_;
  std::int64_t element_;
  std::unique_ptr<graph::Transport> carrier_;
  graph::DeliveryCosts passages_;
  graph::Rates rates_;
  double panel_slowness_;
  double trsm_slowness_;
  std::map<std::pair<std::array<int, 4>, std::string>, std::optional<Lines>> known_;
};

}  // namespace allport::lu_detail
