// Cannon's algorithm on q x q x c as a graph: blocks of A are shifted along rows and blocks of B along columns.
//
// Layer 0 holds A and B and sends them to the other layers; layer l does the steps t = floor(q l / c) ... of 2D
// Cannon, at which P_ijl multiplies A(i, kappa) and B(kappa, j) with kappa = (i + j + t) mod q (Solomonik11, slide 9).
#pragma once

#include <string>

#include "gemm_product_graph.h"
#include "linalg/matrix/operand.h"

namespace allport::gemm_detail {

/// Steps that run at a time: one multiplies by a block while the next block arrives.
inline constexpr std::int64_t blocks_ahead = 2;

/// 2 if blocks can be sent in both directions of a ring, else 1.
[[nodiscard]] int halves_along(int ranks, Machine const& machine);

namespace cannon_tasks {
struct Own;
struct Skew;
struct At;
struct Multiply;
}  // namespace cannon_tasks

/// On a machine with rings blocks are halved along k, and the halves are shifted in opposite directions, with kappa =
/// (i + j - t) mod q for the second ones, so that all links of a ring have equal load. Forwarded blocks are not copied.
class CannonGraph : public GraphOfKinds<CannonGraph, ProductGraph> {
 public:
  enum Kind : std::uint16_t { own_a, own_b, skew_a, skew_b, at_a, at_b, multiply, sum };
  using Kinds =
      ListOfKinds<cannon_tasks::Multiply, KindOf<cannon_tasks::At, at_a>, KindOf<cannon_tasks::At, at_b>,
                  SumOfLayers<CannonGraph>, KindOf<cannon_tasks::Skew, skew_a>, KindOf<cannon_tasks::Skew, skew_b>,
                  KindOf<cannon_tasks::Own, own_a>, KindOf<cannon_tasks::Own, own_b>>;
  enum Input { block, of_a = 0, of_b = 1 };
  static constexpr char const* numbered = "product";  ///< by Task::k

  CannonGraph(GemmProblem const& problem, Machine const& machine, GemmCandidate const& candidate,
              std::optional<Mapping> const& mapping);

  void entries(Rank rank, VisitTask visit) const override;
  std::optional<std::int64_t> count(Rank rank) const override;
  std::int64_t steps() const override { return steps_ + (layered() ? 1 : 0); }
  std::int64_t step(Task t) const override { return t.kind == sum ? steps_ : t.k / halves_; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override;

  std::int64_t ahead() const override { return blocks_ahead; }
  Traffic received(GridCoords p) const override;
  Index most_stored(GridCoords p) const override;
  Index depth(Task product) const override { return slice(product).depth; }

  /// Whether a task holds a block of A; else it holds one of B, or none.
  static bool is_a(Task t) { return t.kind == own_a || t.kind == skew_a || t.kind == at_a; }
  static bool is_own(Task t) { return t.kind == own_a || t.kind == own_b; }
  /// The k of a task's block or product, relative to the first k of a rank's block.
  struct Slice {
    Index first = 0;
    Index depth = 0;
  };
  [[nodiscard]] Slice slice(Task t) const;
  /// The shape of a task's block.
  [[nodiscard]] Shape shape(Task t) const {
    auto const k = slice(t).depth;
    return is_a(t) ? Shape{rows(t.i), k, 0} : Shape{k, cols(t.j), 0};
  }
  [[nodiscard]] bool is_last(Task t) const { return t.k + 1 == products(t.layer); }
  [[nodiscard]] Task last(int i, int j, int l) const {
    return {multiply, static_cast<std::uint16_t>(l), i, j, products(l) - 1};
  }
  /// Whether another rank needs the block after this product.
  [[nodiscard]] bool forwards_block(Task t) const { return t.k + halves_ < products(t.layer); }
  /// The task of a block after this product, and where A(i, j) or B(i, j) is first used: kappa = j or i.
  [[nodiscard]] Task shifted(Task t) const { return moved(t, direction(t), t.k + halves_); }
  [[nodiscard]] Task skewed(Task t) const { return moved(t, (is_a(t) ? t.i : t.j) + skew(t), t.k); }
  /// A rank that forwards a block multiplies by it after the block was sent, as others do after it arrived.
  [[nodiscard]] bool in_step() const { return in_step_; }
  [[nodiscard]] std::int64_t all_products() const { return halves_ * steps_; }

 private:
  [[nodiscard]] int first(int layer) const { return static_cast<int>(cut(q_, grid_.layers, layer)); }
  [[nodiscard]] int products(int layer) const { return halves_ * static_cast<int>(share(q_, grid_.layers, layer)); }
  /// Shifts of a half before its layer's first product, and its direction.
  [[nodiscard]] int skew(Task t) const { return direction(t) * first(t.layer); }
  [[nodiscard]] int direction(Task t) const { return t.k % halves_ == 0 ? 1 : -1; }
  [[nodiscard]] int wrap(int x) const { return (x % q_ + q_) % q_; }
  /// The task of a block after `back` shifts: A along its row, B along its column.
  [[nodiscard]] Task moved(Task t, int back, std::int32_t k) const;

  int q_;
  int halves_;
  bool in_step_;
  std::int64_t steps_ = 0;
};

/// Bodies get a rank's parts of A and B and its block of C: RunningCannon.
namespace cannon_tasks {

using Graph = CannonGraph;

/// Has a block of A or B. Tasks that other ranks wait for come before products.
struct OnBlock : ProductTask<Graph> {
  [[nodiscard]] bool is_a() const { return g.is_a(t); }
  [[nodiscard]] int parents() const { return 1; }
  [[nodiscard]] Shape output(int /*index*/) const { return g.shape(t); }
  [[nodiscard]] std::optional<Shape> input(int /*index*/) const { return g.shape(t); }
  [[nodiscard]] int forwards(int /*index*/) const { return 0; }
  [[nodiscard]] std::int64_t priority() const { return 2 * g.all_products() - t.k; }
  template <class Parts>
  void run(Parts const& /*a*/, TaskContext& /*context*/) const {}
};

/// Holds a block for one product and forwards it.
struct At : OnBlock {
  [[nodiscard]] std::string name() const { return named(is_a() ? "A" : "B"); }
  void children(VisitEdge visit) const {
    Task const product{Graph::multiply, t.layer, t.i, t.j, t.k};
    visit({product, is_a() ? Graph::of_a : Graph::of_b});
    if (!g.forwards_block(t)) return;
    visit({g.shifted(t), Graph::block});
    if (g.in_step()) visit({product, Graph::block, 0, EdgeKind::sent});
  }
};

/// Sends a layer's block to the rank that multiplies by it first. Halves that go half-way round a ring take both
/// directions: half k is output k.
struct Skew : OnBlock {
  [[nodiscard]] std::string name() const { return named(is_a() ? "skew A" : "skew B"); }
  void children(VisitEdge visit) const { visit({g.skewed(t), Graph::block, t.k}); }
  [[nodiscard]] Task whole(int /*index*/) const { return {t.kind, t.layer, t.i, t.j, 0}; }
};

/// Sends layer 0's block to the layers.
struct Own : Skew {
  [[nodiscard]] std::string name() const { return named(is_a() ? "own A" : "own B"); }
  [[nodiscard]] int parents() const { return 0; }
  void children(VisitEdge visit) const {
    if (!g.layered()) return Skew::children(visit);
    for (int l = 0; l < g.grid().layers; ++l) {
      auto const skew = static_cast<std::uint16_t>(is_a() ? Graph::skew_a : Graph::skew_b);
      visit({{skew, static_cast<std::uint16_t>(l), t.i, t.j, t.k}, Graph::block, t.k});
    }
  }
  [[nodiscard]] int forwards(int /*index*/) const { return -1; }
  [[nodiscard]] Work work() const { return kernel(Kernel::copy, 0, 2 * g.shape(t).rows * g.shape(t).cols); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const& from = a.operand(t);
    auto const [first, k] = g.slice(t);
    if (a.in_place(t, t.k) || k * from.across == 0) return;
    from.copy(first, k, elements_out<typename Parts::Element>(context, t.k));
  }
};

/// Adds the product of two blocks to the rank's block of C.
struct Multiply : ProductTask<Graph> {
  static constexpr std::uint16_t kind = Graph::multiply;
  [[nodiscard]] std::string name() const { return named("multiply"); }
  [[nodiscard]] Index depth() const { return g.slice(t).depth; }
  [[nodiscard]] int parents() const { return 2 + (t.k > 0 ? 1 : 0) + (g.in_step() && g.forwards_block(t) ? 2 : 0); }
  void children(VisitEdge visit) const {
    if (g.is_last(t)) return g.send_sums(t, Graph::sum, 0, visit);
    then(visit, {t.kind, t.layer, t.i, t.j, t.k + 1});
  }
  [[nodiscard]] Shape output(int index) const { return g.part_of_sum(t, index); }
  [[nodiscard]] std::optional<Shape> input(int index) const {
    auto const from = static_cast<std::uint16_t>(index == Graph::of_a ? Graph::at_a : Graph::at_b);
    return g.shape({from, t.layer, t.i, t.j, t.k});
  }
  [[nodiscard]] Work work() const { return multiplying(rows(), cols(), depth()); }
  [[nodiscard]] std::int64_t priority() const { return g.all_products() - t.k; }
  void writes(VisitTask visit) const { visit({kind, 0, 0, 0, 0}); }
  template <class Parts>
  void run(Parts const& a, TaskContext& context) const {
    auto const k = depth();
    if (k == 0) {
      a.block.add_nothing(t.k == 0);
    } else {
      a.block.add(k, a.arrived(Graph::of_a, k, context), a.arrived(Graph::of_b, k, context), t.k == 0, context);
    }
    if (g.is_last(t)) a.block.send_layers(g.sum_pieces(), context);
  }
};

}  // namespace cannon_tasks

}  // namespace allport::gemm_detail
