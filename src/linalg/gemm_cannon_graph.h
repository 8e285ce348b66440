// Cannon's algorithm on q x q x c as a graph: blocks of A are shifted along rows and blocks of B along columns.
//
// Layer 0 holds A and B and sends them to the other layers; layer l does the steps t = floor(q l / c) ... of 2D
// Cannon, at which P_ijl multiplies A(i, kappa) and B(kappa, j) with kappa = (i + j + t) mod q (Solomonik11, slide 9).
#pragma once

#include "gemm_product_graph.h"

namespace allport::gemm_detail {

/// Steps that run at a time: one multiplies by a block while the next block arrives.
inline constexpr std::int64_t blocks_ahead = 2;

/// 2 if blocks can be sent in both directions of a ring, else 1.
[[nodiscard]] int halves_along(int ranks, Machine const& machine);

/// On a machine with rings blocks are halved along k, and the halves are shifted in opposite directions, with kappa =
/// (i + j - t) mod q for the second ones, so that all links of a ring have equal load.
///
/// `own_a` and `own_b` send layer 0's blocks; on each layer `skew_a` and `skew_b` send them to the ranks that multiply
/// by them first; `at_a` and `at_b` hold a block for one product and forward it; `multiply` adds that product to the
/// rank's block of C; `sum` combines the layers' blocks, each layer a part of the columns. Forwarded blocks are not
/// copied.
class CannonGraph : public ProductGraph {
 public:
  CannonGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
              std::optional<Mapping> const& mapping);

  std::string name(Task t) const override;

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;

  int num_parents(Task t) const override;
  void children(Task t, VisitEdge visit) const override;
  void contributors(Task t, int input, VisitTask visit) const override;

  Shape output(Task t, int index) const override;
  Task whole(Task t, int) const override { return is_own(t) || is_skew(t) ? Task{t.kind, t.layer, t.i, t.j, 0} : t; }
  std::optional<Shape> input(Task t, int index) const override;
  int forwards(Task t, int) const override { return t.kind >= skew_a && t.kind <= at_b ? 0 : -1; }
  Work work(Task t) const override;
  double priority(Task t) const override;
  void writes(Task t, VisitTask visit) const override;

  std::int64_t steps() const override { return steps_ + (layered() ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : t.k / halves_; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  std::int64_t ahead() const override { return blocks_ahead; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override { return slice(product).depth; }

 protected:
  enum Kind : std::uint16_t { own_a, own_b, skew_a, skew_b, at_a, at_b, multiply, sum };
  enum Input { block, of_a = 0, of_b = 1 };

  /// Whether a task holds a block of A; else it holds one of B, or none.
  static bool is_a(Task t) { return t.kind == own_a || t.kind == skew_a || t.kind == at_a; }
  static bool is_own(Task t) { return t.kind == own_a || t.kind == own_b; }
  static bool is_skew(Task t) { return t.kind == skew_a || t.kind == skew_b; }
  /// The k of a task's block or product, relative to the first k of a rank's block.
  struct Slice {
    Index first = 0;
    Index depth = 0;
  };
  [[nodiscard]] Slice slice(Task t) const;
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == products(t.layer); }
  /// The output that sends a half to the layers and to its first rank: halves that go half-way round a ring take both
  /// directions.
  [[nodiscard]] static int half(Task t) { return static_cast<int>(t.k); }
  /// Whether another rank needs the block after this product.
  [[nodiscard]] bool forwards_block(Task t) const { return t.k + halves_ < products(t.layer); }

 private:
  [[nodiscard]] int first(int layer) const { return static_cast<int>(cut(q_, grid_.layers, layer)); }
  [[nodiscard]] int products(int layer) const { return halves_ * static_cast<int>(share(q_, grid_.layers, layer)); }
  /// Shifts of a half before its layer's first product, and its direction.
  [[nodiscard]] int skew(Task t) const { return direction(t) * first(t.layer); }
  [[nodiscard]] int direction(Task t) const { return t.k % halves_ == 0 ? 1 : -1; }
  [[nodiscard]] int wrap(int x) const { return (x % q_ + q_) % q_; }
  /// The task of a block after `back` shifts: A along its row, B along its column.
  [[nodiscard]] Task moved(Task t, int back, std::int32_t k) const;
  /// A(i, j) is first used where kappa = j, B(i, j) where kappa = i.
  [[nodiscard]] Task skewed(Task t) const { return moved(t, (is_a(t) ? t.i : t.j) + skew(t), t.k); }
  [[nodiscard]] Shape shape(Task t) const;

  int q_;
  int halves_;
  /// A rank that forwards a block multiplies by it after the block was sent, as others do after it arrived.
  bool in_step_;
  std::int64_t steps_ = 0;
};

}  // namespace allport::gemm_detail
