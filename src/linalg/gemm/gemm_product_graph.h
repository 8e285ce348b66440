// What the graphs of products share: grid coordinates, the blocks of C, and sums over layers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "allport/base/function_ref.h"
#include "allport/graph/kinds.h"
#include "allport/machine/machine.h"
#include "gemm_frame.h"

namespace allport::gemm_detail {

/// A task is at coordinates (i, j, layer) of the grid; k counts the products there.
///
/// Each layer sums a part of the columns of a rank's block of C. With three or more layers on a machine with rings, one
/// half of the part is summed through the layers below and the other half through those above: a bucket reduce-scatter
/// in both directions.
class ProductGraph : public TaskGraph {
 public:
  ProductGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
               std::optional<Mapping> const& mapping);

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }

  /// Steps that run at a time; 0: all.
  [[nodiscard]] virtual std::int64_t ahead() const = 0;
  /// Traffic that coordinates p receive for their own tasks, without what they relay.
  [[nodiscard]] virtual Traffic received(GridCoords p) const = 0;
  /// Upper bound on the elements of outputs that are stored at coordinates p.
  [[nodiscard]] virtual Index most_stored(GridCoords p) const = 0;
  /// The inner extent that a product's task multiplies at a time.
  [[nodiscard]] virtual Index depth(Task product) const = 0;

  [[nodiscard]] GemmGrid const& grid() const { return grid_; }
  [[nodiscard]] GridLayout const& layout() const { return layout_; }
  [[nodiscard]] bool layered() const { return grid_.layers > 1; }
  [[nodiscard]] PartsOfGrid const& parts_of_grid() const { return parts_of_grid_; }
  [[nodiscard]] Index rows(int i) const { return parts_of_grid_.rows(i); }
  [[nodiscard]] Index cols(int j) const { return parts_of_grid_.cols(j); }
  /// Columns of a rank's block of C that a layer sums: all, or those of a piece.
  [[nodiscard]] Index summed_cols(int j, int layer) const { return share(cols(j), grid_.layers, layer); }
  [[nodiscard]] Index summed_cols(int j, int layer, int piece) const {
    return share(summed_cols(j, layer), sum_pieces_, piece);
  }
  [[nodiscard]] int sum_pieces() const { return sum_pieces_; }

  /// Edges from the last product at some coordinates, or of a tile, to sum number k of all layers: output x is piece x
  /// % sum_pieces() of layer x / sum_pieces().
  void send_sums(Task last, std::uint16_t sum, std::int32_t k, VisitEdge visit) const;
  [[nodiscard]] Shape part_of_sum(Task last, int output) const {
    return {rows(last.i), summed_cols(last.j, output / sum_pieces_, output % sum_pieces_), 0};
  }
  [[nodiscard]] Shape summed(Task sum, int piece) const {
    return {rows(sum.i), summed_cols(sum.j, sum.layer, piece), 0};
  }
  /// Visits the layers in the order in which a piece of a layer's sum is combined.
  void each_summand(int layer, int piece, FunctionRef<void(int layer)> visit) const;
  [[nodiscard]] SumTree tree_of_sums() const { return bidirectional() ? SumTree::chain : SumTree::halves; }

 protected:
  /// Summing the layers, a rank receives the parts of recursive halving, or all partial sums that pass in both
  /// directions, and stores its block in parts and others' partial sums of each.
  [[nodiscard]] int halvings() const { return std::bit_width(static_cast<unsigned>(grid_.layers) - 1); }
  [[nodiscard]] int sum_messages() const { return bidirectional() ? sum_pieces_ * (grid_.layers - 1) : halvings(); }
  /// An upper bound on the mean: it counts partial sums that a rank combines for others and passes on, as many elements
  /// as it sends.
  [[nodiscard]] Index sums_received(GridCoords p) const {
    auto const own = summed_cols(p.j, p.l);
    return rows(p.i) * (bidirectional() ? (grid_.layers - 1) * own : std::max(halvings() * own, cols(p.j) - own));
  }
  [[nodiscard]] Index sums_stored(GridCoords p) const {
    return layered() ? (bidirectional() ? 2 : 1 + halvings()) * rows(p.i) * cols(p.j) : 0;
  }

  GemmProblem problem_;
  Rank ranks_;
  std::int64_t element_;
  GridLayout layout_;
  GemmGrid grid_;

 private:
  [[nodiscard]] bool bidirectional() const { return sum_pieces_ > 1; }

  PartsOfGrid parts_of_grid_;
  int sum_pieces_ = 1;
};

/// A task of a product.
template <class Graph>
struct ProductTask : TaskOf<Graph> {
  using TaskOf<Graph>::g;
  using TaskOf<Graph>::t;

  [[nodiscard]] std::string named(char const* kind) const {
    return fmt::format("{}(row {}, column {}, layer {}, {} {})", kind, t.i, t.j, t.layer, Graph::numbered, t.k);
  }
  [[nodiscard]] Rank owner() const { return g.layout().rank({t.i, t.j, t.layer}); }
  [[nodiscard]] SumTree sum_tree(int /*input*/) const { return g.tree_of_sums(); }
  /// Of the rank's block of C.
  [[nodiscard]] Index rows() const { return g.rows(t.i); }
  [[nodiscard]] Index cols() const { return g.cols(t.j); }
  [[nodiscard]] Work multiplying(Index m, Index n, Index k) const {
    return this->kernel(Kernel::gemm, 2 * m * n * k, m * k + k * n + m * n);
  }
};

/// Combines the layers' blocks, each layer a part of the columns. Bodies have the rank's block of C.
template <class Graph>
struct SumOfLayers : ProductTask<Graph> {
  static constexpr std::uint16_t kind = Graph::sum;
  using ProductTask<Graph>::g;
  using ProductTask<Graph>::t;
  using VisitTask = TaskGraph::VisitTask;

  [[nodiscard]] std::string name() const { return this->named("sum"); }
  [[nodiscard]] int parents() const { return g.grid().layers * g.sum_pieces(); }
  void contributors(int input, VisitTask visit) const {
    g.each_summand(t.layer, input, [&](int l) { visit(g.last(t.i, t.j, l)); });
  }
  [[nodiscard]] std::optional<Shape> input(int piece) const { return g.summed(t, piece); }
  [[nodiscard]] Work work() const {
    return {Kernel::add, 0, static_cast<double>(g.element() * this->rows() * this->cols()) / g.grid().layers};
  }
  [[nodiscard]] std::int64_t priority() const { return g.all_products(); }
  void writes(VisitTask visit) const { visit({kind, 0, 0, 0, 0}); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    a.block.add_layers(g.sum_pieces(), context);
  }
};

/// The graph of the candidate's algorithm.
[[nodiscard]] std::unique_ptr<ProductGraph> product_graph(GemmProblem const& problem, Machine const& machine,
                                                          GemmCandidate const& candidate,
                                                          std::optional<Mapping> const& mapping);

}  // namespace allport::gemm_detail
