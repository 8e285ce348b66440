// Solves with many right-hand sides, distributed over the grid as the unknowns are: panels of the factors are sent
// along rows of ranks, blocks of X along columns, and every rank updates its own B -= op(T) X.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gemm_frame.h"
#include "line_trees.h"
#include "solve_graph.h"

namespace allport::lu_detail {

/// `panel` sends a rank's rows of a panel along its row; `solve` computes a block of X at (i, j) and sends it along
/// column j; `next` updates the block that is solved for next, `rest` the others. Nothing is sent along a row or column
/// of one rank; its data are used in place.
///
/// A panel is sent in several outputs, each with some of its columns, and a block of X in several outputs of right-hand
/// sides: as many as the lines have link-disjoint trees.
class PanelsGraph : public SolveGraph {
 public:
  PanelsGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides,
              Machine const& machine)
      : SolveGraph(problem, factors, sides),
        row_pieces_(cols().parts() > 1 ? detail::pieces_of(cols().parts(), machine, tasks::default_tree(machine)) : 0),
        col_pieces_(rows().parts() > 1 ? detail::pieces_of(rows().parts(), machine, tasks::default_tree(machine)) : 0) {
  }

  std::string name(Task t) const override;

  void entries(Rank rank, VisitTask visit) const override;

  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;

  Shape output(Task t, int index) const override;
  std::optional<Shape> input(Task t, int index) const override;
  int parts(Task t, int) const override { return outputs(t); }
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return 2 * std::int64_t{panels()}; }
  std::int64_t step(Task t) const override { return sweep(t) * std::int64_t{panels()} + t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

 protected:
  enum Kind : std::uint16_t { of_panel, solve, next, rest };

  /// Part x of `pieces` of a length.
  struct Piece {
    Index first = 0;
    Index last = 0;
    [[nodiscard]] Index length() const { return last - first; }
  };
  [[nodiscard]] static Piece piece(Index length, int pieces, int x) {
    return {detail::cut(length, pieces, x), detail::cut(length, pieces, x + 1)};
  }
  [[nodiscard]] bool sends_panels() const { return row_pieces_ > 0; }
  [[nodiscard]] bool sends_blocks() const { return col_pieces_ > 0; }
  [[nodiscard]] int panel_pieces(int sweep, std::int32_t k) const {
    return sends_panels() ? detail::line_pieces(row_pieces_, width(sweep, k)) : 0;
  }
  [[nodiscard]] int block_pieces(int j) const {
    return sends_blocks() ? detail::line_pieces(col_pieces_, sides().count(j)) : 0;
  }
  /// The input that is part x of a block of X; part x of a panel is input x.
  [[nodiscard]] int input_of_block(int x) const { return row_pieces_ + x; }
  [[nodiscard]] int outputs(Task t) const {
    if (t.kind == of_panel) return panel_pieces(sweep(t), t.k);
    return t.kind == solve ? block_pieces(t.j) : 0;
  }
  /// Rows that a task updates, or sends.
  [[nodiscard]] Rows updated(Task t) const {
    if (t.kind == of_panel) return from(sweep(t), t.k, t.i);
    if (t.kind == solve) return block(sweep(t), t.k, t.i);
    return t.kind == next ? block(sweep(t), t.k + 1, t.i) : after(sweep(t), t.k + 1, t.i);
  }

 private:
  [[nodiscard]] static Task task(Kind kind, int sweep, int i, int j, std::int32_t k) {
    return {kind, static_cast<std::uint16_t>(sweep), i, j, k};
  }
  [[nodiscard]] Task solve_at(int s, std::int32_t k, int j) const { return task(solve, s, row_of(s, k), j, k); }
  [[nodiscard]] Task next_at(int s, std::int32_t k, int j) const { return task(next, s, row_of(s, k + 1), j, k); }
  [[nodiscard]] bool has_rest(int s, std::int32_t k, int i) const { return rows_of_rest(s, k, i) > 0; }
  [[nodiscard]] bool has_sides(int j) const { return sides().count(j) > 0; }
  [[nodiscard]] std::optional<std::int32_t> last_solved(int i) const;
  void send_block(Task t, Task child, VisitEdge visit) const;

  int row_pieces_;
  int col_pieces_;
};

}  // namespace allport::lu_detail
