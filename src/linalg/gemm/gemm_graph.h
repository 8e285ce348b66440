// SUMMA as a graph: panels of A and B are sent along rows and columns, products are accumulated, layers are summed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemm_panels.h"
#include "gemm_product_graph.h"
#include "linalg/plan/line_trees.h"

namespace allport::gemm_detail {

/// Steps that run at a time.
inline constexpr std::int64_t panels_ahead = 4;

/// `of_a` and `of_b` send a panel to a row or a column of the grid, `multiply` adds its product to the rank's block of
/// C, `sum` combines the layers' blocks, each layer a part of the columns. A panel that no other rank needs has no
/// task.
///
/// A panel has as many outputs as the line has link-disjoint trees (line_trees()), each with a part of its k.
///
/// If the algorithm copies A and B (gemm_copies.cpp), `own_a` and `own_b` send the blocks of layer 0 to the other
/// layers, in halves along k that take both directions of a ring; `copy_a` and `copy_b` store them there.
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
  std::optional<Shape> input(Task t, int index) const override;
  int parts(Task t, int) const override { return t.kind == of_a || t.kind == of_b ? pieces(line_of(t), panel(t)) : 1; }
  Task whole(Task t, int) const override { return is_copied(t) ? Task{t.kind, t.layer, t.i, t.j, 0} : t; }
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return steps_ + (layered() ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : is_copied(t) ? 0 : t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

  std::int64_t ahead() const override { return panels_ahead; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override;

 protected:
  enum Kind : std::uint16_t { of_a, of_b, multiply, sum, own_a, own_b, copy_a, copy_b };
  enum Input { own };

  /// The k of piece x of `pieces`, relative to the first of the panel.
  struct Piece {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index width() const { return last - first; }
  };
  [[nodiscard]] static Piece piece(Panel const& panel, int pieces, int x) {
    return {cut(panel.width(), pieces, x), cut(panel.width(), pieces, x + 1)};
  }
  /// Outputs of a panel's task.
  [[nodiscard]] int pieces(GridAxis line, Panel const& panel) const { return line_pieces(pieces(line), panel.width()); }
  /// The input of a product that is piece x.
  [[nodiscard]] int input_of(GridAxis line, int x) const { return 1 + (line == GridAxis::row ? 0 : row_pieces_) + x; }

  static GridAxis line_of(Task t) {
    return t.kind == of_a || t.kind == own_a || t.kind == copy_a ? GridAxis::row : GridAxis::col;
  }
  [[nodiscard]] bool copies() const { return parts_of_grid().copies(); }
  /// Whether a task sends a half of a block to the layers, or stores one of another layer.
  static bool is_copied(Task t) { return t.kind >= own_a; }
  /// The k of such a half.
  [[nodiscard]] Panel half_of_block(Task t) const;
  [[nodiscard]] bool travels(GridAxis line) const { return layout_.length(line) > 1; }
  [[nodiscard]] Panel panel(Task t) const;
  [[nodiscard]] std::int64_t panels(int l) const { return layer(l).panels; }
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == panels(t.layer); }

 private:
  /// The slabs of a layer's share of k, and the number of panels before each.
  struct Layer {
    std::vector<Slab> slabs;
    std::vector<Index> before;
    std::int64_t panels = 0;
    std::int64_t slots = 0;
  };

  static Task at(Kind kind, std::int32_t i, std::int32_t j, Task t) { return {kind, t.layer, i, j, t.k}; }
  [[nodiscard]] Layer const& layer(int l) const { return layers_[index(l)]; }
  [[nodiscard]] std::size_t index(int l) const { return copies() ? static_cast<std::size_t>(l) : is_longer(l) ? 1 : 0; }
  [[nodiscard]] bool is_longer(int l) const { return parts_of_grid().k(l) > problem_.k / grid_.layers; }
  [[nodiscard]] Task last(Task t) const {
    return {multiply, t.layer, t.i, t.j, static_cast<std::int32_t>(panels(t.layer)) - 1};
  }
  void follow(Task t, VisitEdge visit) const;
  [[nodiscard]] int halves() const { return sum_pieces(); }
  [[nodiscard]] static Kind kind_of_copy(GridAxis line, int layer) {
    return line == GridAxis::row ? (layer == 0 ? own_a : copy_a) : (layer == 0 ? own_b : copy_b);
  }
  [[nodiscard]] Shape shape_of_half(Task t) const;
  /// The copied halves that a panel is taken from, or that a product reads in place.
  [[nodiscard]] int awaited_copies(Task t) const;
  void send_copies(Task t, VisitEdge visit) const;
  /// The tasks of a layer that read a copy.
  void release(Task t, VisitEdge visit) const;
  [[nodiscard]] Traffic received_with_copies(GridCoords p) const;
  [[nodiscard]] Index elements_of_copies(GridCoords p) const;
  /// The widest panel of a layer.
  [[nodiscard]] Index widest(int layer) const;
  [[nodiscard]] int pieces(GridAxis line) const { return line == GridAxis::row ? row_pieces_ : col_pieces_; }

  bool in_step_;  ///< the sender of a panel multiplies by it after it was sent, as others after it arrived
  int row_pieces_;
  int col_pieces_;
  std::vector<Layer> layers_;  // with the shorter share of k, and with the one that is longer by 1; with copies: all
  std::int64_t steps_ = 0;
  int longest_ = 0;  ///< a layer with that many panels
};

}  // namespace allport::gemm_detail
