// Solves with few right-hand sides: products of the factors with known unknowns are summed on the ranks of the factors,
// which are never sent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "solve_graph.h"

namespace allport::lu_detail {

/// Every rank has a share of B - op(T) X for a chunk of right-hand sides. `share` sends that of a block to the rank
/// that solves for it, whose `solve` sends X along its column; `next` updates the share of the block that is solved for
/// next, `rest` those of the others. X stays on the rank that computes it until `keep` sends it to the task `home` of
/// the row, which assembles it. Layers 2 c and 2 c + 1 are the sweeps of chunk c.
class SumsGraph : public SolveGraph {
 public:
  SumsGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides, Index first,
            Index count);

  std::string name(Task t) const override;

  void entries(Rank rank, VisitTask visit) const override;

  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;

  Shape output(Task t, int index) const override;
  std::optional<Shape> input(Task t, int index) const override;
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return 2 * std::int64_t{panels()} + 1; }
  std::int64_t step(Task t) const override {
    return t.kind == keep || t.kind == home ? steps() - 1 : sweep(t) * std::int64_t{panels()} + t.k;
  }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;
  std::optional<Task> leads(std::int64_t step) const override;

 protected:
  enum Kind : std::uint16_t { share, solve, next, rest, keep, home };

  [[nodiscard]] Chunk const& chunk(Task t) const { return chunks_[static_cast<std::size_t>(t.layer / 2)]; }
  [[nodiscard]] std::vector<Chunk> const& chunks() const { return chunks_; }
  /// Rows that a task updates, or sends.
  [[nodiscard]] Rows updated(Task t) const {
    if (t.kind == next) return block(sweep(t), t.k + 1, t.i);
    return t.kind == rest ? after(sweep(t), t.k + 1, t.i) : block(sweep(t), t.k, t.i);
  }
  /// visit(rows of a block of row i that is solved for in column j), in the order of the matrix
  template <class Visit>
  void each_found(int i, int j, Visit const& visit) const {
    for (std::int32_t k = 0; k < panels(); ++k) {
      auto const p = triangle(0).forward ? k : mirrored(k);
      if (row_of(0, p) == i && col_of(0, p) == j) visit(block(0, p, i));
    }
  }

  static constexpr std::int32_t none = -1;
  /// The step of the second sweep that computes the last block of X on (i, j); `none` if there is none.
  [[nodiscard]] std::int32_t last_found(int i, int j) const {
    return last_found_[static_cast<std::size_t>(i * cols().parts() + j)];
  }

 private:
  [[nodiscard]] static Task task(Kind kind, int layer, int i, int j, std::int32_t k) {
    return {kind, static_cast<std::uint16_t>(layer), i, j, k};
  }
  [[nodiscard]] Task share_at(int layer, std::int32_t k, int j) const {
    return task(share, layer, row_of(layer % 2, k), j, k);
  }
  [[nodiscard]] Task solve_at(int layer, std::int32_t k) const {
    return task(solve, layer, row_of(layer % 2, k), col_of(layer % 2, k), k);
  }
  [[nodiscard]] Task next_at(int layer, std::int32_t k) const {
    return task(next, layer, row_of(layer % 2, k + 1), col_of(layer % 2, k), k);
  }
  [[nodiscard]] Task rest_at(int layer, std::int32_t k, int i) const {
    return task(rest, layer, i, col_of(layer % 2, k), k);
  }
  [[nodiscard]] bool has_rest(int s, std::int32_t k, int i) const { return rows_of_rest(s, k, i) > 0; }
  /// The last panel before k in grid column j; the next one in k's grid column.
  [[nodiscard]] std::int32_t before(int s, std::int32_t k, int j) const {
    return before_[static_cast<std::size_t>(s)][static_cast<std::size_t>(k * cols().parts() + j)];
  }
  [[nodiscard]] std::int32_t following(int s, std::int32_t k) const {
    return following_[static_cast<std::size_t>(s)][static_cast<std::size_t>(k)];
  }
  /// Whether grid column j has a share of block k of these right-hand sides.
  [[nodiscard]] bool has_share(int layer, std::int32_t k, int j) const {
    auto const s = layer % 2;
    return j == col_of(s, k) || before(s, k, j) != none ||
           (s == 0 && j == chunks_[static_cast<std::size_t>(layer / 2)].home);
  }
  void follow(Task t, VisitEdge visit) const;

  std::vector<Chunk> chunks_;
  std::array<std::vector<std::int32_t>, 2> before_;
  std::array<std::vector<std::int32_t>, 2> following_;
  std::vector<std::int32_t> last_found_;
};

}  // namespace allport::lu_detail
