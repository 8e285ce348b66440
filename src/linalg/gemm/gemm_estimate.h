// Seconds of a product before its graph is made: what a planner sorts thousands of candidates by.
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
/// mean link of the busiest axis, and the chain from the first panel to the last sum. How a delivery goes along a
/// grid's rows, columns or layers is looked at once for a grid in an order.
class GemmEstimate {
 public:
  /// @param plan must outlive it
  /// @pre the machine says its flops
  explicit GemmEstimate(GemmPlan const& plan);

  /// Fills compute, communicate and total.
  void price(GemmCandidate& candidate);
  /// Seconds that a candidate takes where links decide: owners send by turns, and each leaves some of a line's links
  /// idle, so that traffic is not even; after that come the last product and the sums.
  [[nodiscard]] Seconds in_turn(GemmCandidate const& candidate);

 private:
  /// A delivery from the middle of a line.
  struct Spread : LineSpread {
    double messages = 0;  // of a piece
    double busiest = 0;   // seconds of the link that has most of a byte
    /// Of all pieces together.
    [[nodiscard]] double seconds(double bytes) const { return piece_seconds(bytes / pieces); }
  };
  /// How A and B go along rows and columns: panels to all, or blocks from hand to hand. And along layers: copies of
  /// blocks, and sums.
  struct Lines {
    std::array<Spread, 2> travel;
    std::array<Spread, 2> skew;  // of Cannon: half round, the farthest that blocks go at first, all of a line at once
    Spread copy;
    Spread sum;
  };
  /// What is summed up for a candidate.
  struct Sums {
    explicit Sums(Machine const& machine) : loads(machine) {}
    graph::AxisLoads loads;
    double work = 0;
    double chain = 0;
    double elsewhere = 0;  // of the chain, what its busiest rank only waits for
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
  void blocks(Sums& sums, GemmCandidate const& candidate, Lines const& lines) const;
  void layers(Sums& sums, GemmGrid const& grid, Lines const& lines) const;

  GemmPlan const& plan_;
  double size_;  // of an element
  double m_, n_, k_;
  std::unique_ptr<graph::Transport> carrier_;  // from place to place
  graph::DeliveryCosts passages_;
  graph::Rates rates_;
  std::map<std::tuple<int, int, int, int, std::string>, Lines> known_;
  LinkBytes loads_;  // none between calls
};

}  // namespace allport::gemm_detail
