// Cannon's algorithm on q x q x c as a graph: blocks of A go round the rows and blocks of B round the columns.
//
// Layer 0 has A and B at first, and gives them to the others; layer l does the steps t = floor(q l / c) ... of 2D
// Cannon, at which P_ijl multiplies A(i, kappa) and B(kappa, j) with kappa = (i + j + t) mod q (Solomonik11, slide 9).
#pragma once

#include "gemm_product_graph.h"

namespace allport::gemm_detail {

/// Steps of Cannon that run at a time: the block that is multiplied by and the next one.
inline constexpr std::int64_t blocks_ahead = 2;

/// 2 where blocks may go both ways round a ring, else 1.
[[nodiscard]] int halves_along(int ranks, Machine const& machine);

/// On a machine with rings blocks are halved along k, and the halves go round opposite ways: kappa = (i + j - t) mod q
/// for the second ones. So all links of a ring have the same.
///
/// `own_a` and `own_b` send layer 0's blocks, on each layer `skew_a` and `skew_b` give them to who begins with them;
/// `at_a` and `at_b` have a block at a place for one product and hand it on, `multiply` adds that product to the rank's
/// block of C, `sum` combines the layers' blocks, each layer a part of the columns. Nobody copies what it hands on.
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
  Traffic received(Place p) const override;
  Index most_kept(Place p) const override;
  Index depth(Task product) const override { return slice(product).depth; }

 protected:
  enum Kind : std::uint16_t { own_a, own_b, skew_a, skew_b, at_a, at_b, multiply, sum };
  enum Input { block, of_a = 0, of_b = 1 };

  /// Whether a task has a block of A; else of B, or none.
  static bool is_a(Task t) { return t.kind == own_a || t.kind == skew_a || t.kind == at_a; }
  static bool is_own(Task t) { return t.kind == own_a || t.kind == own_b; }
  static bool is_skew(Task t) { return t.kind == skew_a || t.kind == skew_b; }
  /// Of a block that a task has, or of a product: its k, from the first of a rank's block on.
  struct Slice {
    Index first = 0;
    Index depth = 0;
  };
  [[nodiscard]] Slice slice(Task t) const;
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == products(t.layer); }
  /// The number of the output by which a half goes to the layers, and to where it is needed first: what goes half-way
  /// round a ring takes both ways there.
  [[nodiscard]] static int half(Task t) { return static_cast<int>(t.k); }
  /// Whether a block is needed elsewhere after this product.
  [[nodiscard]] bool hands_on(Task t) const { return t.k + halves_ < products(t.layer); }

 private:
  [[nodiscard]] int first(int layer) const { return static_cast<int>(cut(q_, grid_.layers, layer)); }
  [[nodiscard]] int products(int layer) const { return halves_ * static_cast<int>(share(q_, grid_.layers, layer)); }
  /// Steps that the half goes round before its layer's first product, and in all, one way or the other.
  [[nodiscard]] int skew(Task t) const { return sense(t) * first(t.layer); }
  [[nodiscard]] int sense(Task t) const { return t.k % halves_ == 0 ? 1 : -1; }
  [[nodiscard]] int wrap(int x) const { return (x % q_ + q_) % q_; }
  /// Where a block goes round: A along its row, B along its column, so many places back.
  [[nodiscard]] Task moved(Task t, int back, std::int32_t k) const;
  /// A(i, j) is needed first where kappa = j, B(i, j) where kappa = i.
  [[nodiscard]] Task skewed(Task t) const { return moved(t, (is_a(t) ? t.i : t.j) + skew(t), t.k); }
  [[nodiscard]] Shape shape(Task t) const;

  int q_;
  int halves_;
  bool in_step_;  ///< who hands on a block multiplies by it when it has left, as others do when it has come
  std::int64_t steps_ = 0;
};

}  // namespace allport::gemm_detail
