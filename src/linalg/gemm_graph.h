// SUMMA and 3D as a graph: panels of A and B travel along rows and columns, products add up, layers' sums are combined.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm_panels.h"
#include "gemm_product_graph.h"
#include "line_trees.h"

namespace allport::gemm_detail {

/// Steps of a product's graph that run at a time where it is run by tasks; 0 (3D): all.
inline constexpr std::int64_t panels_ahead = 4;

/// `of_a` and `of_b` give a panel to a row or a column of the grid, `multiply` adds its product to the rank's block,
/// `sum` combines the layers' blocks, each layer a part of the columns. Where nobody else needs a panel it is no task.
///
/// Run by tasks, a panel is as many outputs as there may be trees without a common link in the line that it goes along:
/// the two ways round a ring.
class SummaGraph : public ProductGraph {
 public:
  SummaGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
             std::optional<Mapping> const& mapping);

  std::string name(Task t) const override;

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;

  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;

  Shape output(Task t, int index) const override;
  int parts(Task t, int) const override { return t.kind == multiply ? 1 : pieces(line_of(t), panel(t)); }
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return steps_ + (layered() ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  std::int64_t ahead() const override { return all_at_once_ ? 0 : panels_ahead; }
  Traffic received(Place p) const override;
  Index most_kept(Place p) const override;

 protected:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum };
  enum Input { own };

  /// The k of a panel, from its first, that its piece x of `pieces` has.
  struct Piece {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index width() const { return last - first; }
  };
  [[nodiscard]] static Piece piece(Panel const& panel, int pieces, int x) {
    return {cut(panel.width(), pieces, x), cut(panel.width(), pieces, x + 1)};
  }
  /// The piece that has a k of a panel, counted from its first.
  [[nodiscard]] int piece_at(GridAxis line, Panel const& panel, Index k) const {
    auto const all = pieces(line, panel);
    int x = 0;
    while (piece(panel, all, x).last <= k) ++x;
    return x;
  }
  /// Outputs that a panel's task has.
  [[nodiscard]] int pieces(GridAxis line, Panel const& panel) const {
    return line_pieces(pieces(line), panel.width());
  }
  /// The product's input that a piece comes in by.
  [[nodiscard]] static int input_of(GridAxis line, int x) {
    return 1 + (line == GridAxis::row ? 0 : most_line_trees) + x;
  }

  static GridAxis line_of(Task t) { return t.kind == of_a ? GridAxis::row : GridAxis::col; }
  [[nodiscard]] bool travels(GridAxis line) const { return frame_.length(line) > 1; }
  [[nodiscard]] Panel panel(Task t) const;
  [[nodiscard]] std::int64_t panels(int layer) const { return layers_[static_cast<std::size_t>(layer)].panels; }
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == panels(t.layer); }

 private:
  /// A layer's slabs, and how many panels come before each.
  struct Layer {
    std::vector<Slab> slabs;
    std::vector<Index> before;
    std::int64_t panels = 0;
    std::int64_t slots = 0;
  };

  static Task at(Kind kind, std::int32_t i, std::int32_t j, Task t) { return {kind, t.layer, i, j, t.k}; }
  [[nodiscard]] Layer const& layer(Task t) const { return layers_[t.layer]; }
  [[nodiscard]] Task last(Task t) const {
    return {multiply, t.layer, t.i, t.j, static_cast<std::int32_t>(panels(t.layer)) - 1};
  }
  void follow(Task t, VisitEdge visit) const;
  /// The widest panel of a layer.
  [[nodiscard]] Index widest(int layer) const;
  [[nodiscard]] int pieces(GridAxis line) const { return line == GridAxis::row ? row_pieces_ : col_pieces_; }

  bool all_at_once_;
  bool in_step_ = false;  ///< who sends a panel multiplies by it when it has left, as others do when it has come
  int row_pieces_ = 1;
  int col_pieces_ = 1;
  std::vector<Layer> layers_;  // the same on every rank of a layer
  std::int64_t steps_ = 0;
};

}  // namespace allport::gemm_detail
