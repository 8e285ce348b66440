// What the graphs of products have in common: places, the blocks of C, and sums over layers.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "allport/graph/task_graph.h"
#include "allport/machine/machine.h"
#include "gemm_frame.h"

namespace allport::gemm_detail {

/// A task is at a place of the grid: (i, j, layer); k counts the products there.
class ProductGraph : public TaskGraph {
 public:
  ProductGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
               std::optional<Mapping> const& mapping)
      : problem_(problem),
        ranks_(machine.ranks()),
        element_(bytes_of(problem.type)),
        frame_(candidate.grid, candidate.order, mapping),
        grid_(candidate.grid) {}

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  Rank owner(Task t) const override { return frame_.rank({t.i, t.j, t.layer}); }

  /// So many steps run at a time; 0: all.
  [[nodiscard]] virtual std::int64_t ahead() const = 0;
  /// What a place gets for itself, without what it relays.
  [[nodiscard]] virtual Traffic received(Place p) const = 0;
  /// Elements of outputs that a place keeps; a run never keeps more.
  [[nodiscard]] virtual Index most_kept(Place p) const = 0;
  /// The inner extent of what a product's task multiplies at a time.
  [[nodiscard]] virtual Index depth(Task product) const = 0;

 protected:
  [[nodiscard]] bool layered() const { return grid_.layers > 1; }
  [[nodiscard]] Index rows(int i) const { return share(problem_.m, grid_.rows, i); }
  [[nodiscard]] Index cols(int j) const { return share(problem_.n, grid_.cols, j); }
  /// Of a rank's block of C, the columns that a layer sums.
  [[nodiscard]] Index summed_cols(int j, int layer) const { return share(cols(j), grid_.layers, layer); }

  [[nodiscard]] Work product(Task t, Index depth) const {
    auto const m = static_cast<double>(rows(t.i));
    auto const n = static_cast<double>(cols(t.j));
    auto const k = static_cast<double>(depth);
    return {Kernel::gemm, 2 * m * n * k, static_cast<double>(element_) * (m * k + k * n + m * n)};
  }
  [[nodiscard]] Work sum_of_layers(Task t) const {
    auto const elements = static_cast<double>(rows(t.i)) * static_cast<double>(cols(t.j));
    return {Kernel::add, 0, static_cast<double>(element_) * elements / grid_.layers};
  }
  /// Of the layers' sums a place gets what halving after halving brings, and keeps its block in parts and others'
  /// partial sums of each.
  [[nodiscard]] int halvings() const { return std::bit_width(static_cast<unsigned>(grid_.layers) - 1); }
  [[nodiscard]] Index sums_received(Place p) const { return halvings() * rows(p.i) * summed_cols(p.j, p.l); }
  [[nodiscard]] Index sums_kept(Place p) const { return layered() ? (1 + halvings()) * rows(p.i) * cols(p.j) : 0; }

  GemmProblem problem_;
  Rank ranks_;
  std::int64_t element_;
  Frame frame_;
  GemmGrid grid_;
};

/// By the candidate's algorithm.
[[nodiscard]] std::unique_ptr<ProductGraph> product_graph(GemmProblem const& problem, Machine const& machine,
                                                          GemmCandidate const& candidate,
                                                          std::optional<Mapping> const& mapping);

}  // namespace allport::gemm_detail
