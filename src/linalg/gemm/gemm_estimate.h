// Estimated seconds of a product without its graph, by which the plan sorts thousands of candidates.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "allport/graph/rates.h"
#include "gemm_frame.h"
#include "linalg/plan/line_spread.h"
#include "machine/link_bytes.h"

namespace allport::gemm_detail {

/// The quantities of graph::price in closed form: work of a mean rank at the machine's kernel rates, seconds of the
/// mean link of the busiest axis, and the chain from the first panel to the last sum. The costs of deliveries along a
/// grid's rows, columns and layers are computed once per grid and order.
class GemmEstimate {
 public:
  /// @param plan must outlive it
  /// @pre the machine has rates
  explicit GemmEstimate(GemmPlan const& plan);

  /// Fills compute, communicate and total.
  void price(GemmCandidate& candidate);
  /// Seconds of a candidate whose time is that of the links: owners send in turn, and each leaves some links of a line
  /// idle, so that the load is uneven; then come the last product and the sums.
  [[nodiscard]] Seconds in_turn(GemmCandidate const& candidate);

 private:
  /// A delivery from the middle of a line.
  struct Spread : LineSpread {
    double messages = 0;  // of a piece
    double busiest = 0;   // seconds per byte of the busiest link
    /// Of all pieces together.
    [[nodiscard]] double seconds(double bytes) const { return piece_seconds(bytes / pieces); }
  };
  /// Costs of A and B along rows and columns: panels to all ranks, or blocks from rank to rank. And along layers:
  /// copies of blocks, and sums.
  struct Lines {
    std::array<Spread, 2> travel;
    std::array<Spread, 2> skew;  // of Cannon: half round the line, the longest initial shift, all of a line at once
    Spread copy;
    Spread sum;
  };
  /// Sums of a candidate.
  struct Sums {
    explicit Sums(Machine const& machine) : loads(machine) {}
    graph::AxisLoads loads;
    double work = 0;
    double chain = 0;
    double elsewhere = 0;  // part of the chain for which the busiest rank only waits
    double in_turn = 0;    // as in_turn()
    double messages = 0;
  };

  [[nodiscard]] Lines const& lines_of(Method::Form form, GemmCandidate const& candidate);
  [[nodiscard]] Spread spread(std::vector<Rank> const& places, int pieces);
  [[nodiscard]] Spread sum_of(std::vector<Rank> layers, int root);
  [[nodiscard]] double busiest_link(std::vector<std::vector<Rank>> const& deliveries, int pieces);
  [[nodiscard]] Sums summed(GemmCandidate const& candidate);
  void add(Sums& sums, Spread const& spread, double bytes, double deliveries) const;
  [[nodiscard]] double product(double rows, double cols, double depth) const;
  void tiles(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const;
  void panels(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const;
  void copies(Sums& sums, GemmGrid const& grid, Lines const& lines) const;
  void blocks(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const;
  void layers(Sums& sums, GemmGrid const& grid, Lines const& lines) const;

  GemmPlan const& plan_;
  double size_;  // of an element
  double m_, n_, k_;
  std::unique_ptr<graph::Transport> transport_;  // from place to place
  graph::DeliveryCosts costs_;
  graph::Rates rates_;
  std::map<std::tuple<int, int, int, int, std::string>, Lines> known_;
  LinkBytes loads_;  // empty between calls
};

}  // namespace allport::gemm_detail
