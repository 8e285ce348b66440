// Estimated seconds of LU without its graph, by which the plan sorts thousands of candidates.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "allport/graph/rates.h"
#include "allport/linalg/lu.h"
#include "gemm_frame.h"
#include "line_spread.h"

namespace allport::lu_detail {

using namespace detail;

/// The quantities of graph::price in closed form for some steps: work of a mean rank at the machine's kernel rates,
/// seconds of the mean link of the busiest axis, and the chain from panel to panel. The costs of multicasts along a
/// grid's rows, columns and layers, and of the collectives of a column, are computed once per grid and order.
class LuEstimate {
 public:
  /// @param plan must outlive it
  /// @pre the machine says its flops
  explicit LuEstimate(LuPlan const& plan);

  /// Fills compute, communicate and total.
  void price(LuCandidate& candidate);

 private:
  /// Costs of deliveries from the middle of the grid.
  struct Lines {
    LineSpread row;
    LineSpread col;
    LineSpread layer;                                   // from one layer to another
    graph::IdleCost neighbour{};                        // of a message to a neighbour in the grid column
    std::map<Collective, graph::IdleCost> collectives;  // of a grid column
    graph::AxisLoads exchange;                          // of a byte from one rank of a grid column to others
  };
  struct Step {
    double work = 0;
    double chain = 0;
    double messages = 0;  // of a mean rank
  };

  [[nodiscard]] Lines const& lines_of(LuCandidate const& candidate);
  [[nodiscard]] double collective_seconds(Lines const& lines, Index width) const;
  [[nodiscard]] Step step(LuCandidate const& candidate, Lines const& lines, double at, double b, double collectives,
                          graph::AxisLoads& loads, double times) const;

  LuPlan const& plan_;
  std::int64_t element_;
  std::unique_ptr<graph::Transport> transport_;
  graph::DeliveryCosts costs_;
  graph::Rates rates_;
  double panel_slowness_;
  double trsm_slowness_;
  std::map<std::pair<std::array<int, 4>, std::string>, std::optional<Lines>> known_;
};

}  // namespace allport::lu_detail
