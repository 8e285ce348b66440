// The graph of Cannon's algorithm with bodies: blocks that are contiguous in memory are sent from there without a copy.
#include <complex>

#include "gemm_block.h"
#include "gemm_cannon_graph.h"

namespace allport::gemm_detail {

namespace {

template <class T>
class RunningCannon final : public CannonGraph {
 public:
  RunningCannon(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : CannonGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        a_{parts.a, rows(me.i), plan.problem.trans_a == Trans::none, 0},
        b_{parts.b, cols(me.j), plan.problem.trans_b != Trans::none, 0},
        block_(plan, parts_of_grid(), me, parts, work) {}

  void run(Task t, TaskContext& context) const override {
    if (is_own(t)) return send(t, context);
    if (t.kind == multiply) return add_product(t, context);
    if (t.kind == sum) return block_.add_layers(sum_pieces(), context);
  }

  bool in_place(Task t, int) const override {
    if (!is_own(t)) return false;
    auto const& from = operand(t);
    auto const k = slice(t).depth;
    return from.part.data != nullptr && (from.part.ld == from.rows(k) || from.cols(k) <= 1);
  }
  void writes(Task t, VisitTask visit) const override {
    if (is_own(t)) return visit(t);
    CannonGraph::writes(t, visit);
  }
  std::span<std::byte> memory(Tile tile) const override {
    auto const& from = operand(tile);
    auto const [first, k] = slice(tile);
    auto* const data = const_cast<T*>(from.at(first).data);  // a send only reads
    return std::as_writable_bytes(std::span(data, static_cast<std::size_t>(k * from.across)));
  }

 private:
  [[nodiscard]] Stored<T> const& operand(Task t) const { return is_a(t) ? a_ : b_; }

  void send(Task t, TaskContext& context) const {
    auto const& from = operand(t);
    auto const [first, k] = slice(t);
    if (in_place(t, half(t)) || k * from.across == 0) return;
    auto const [data, ld] = from.at(first);
    pack(from.rows(k), from.cols(k), data, ld, reinterpret_cast<T*>(context.output(half(t)).data()));
  }

  [[nodiscard]] Block<T> arrived(Stored<T> const& operand, Index k, std::span<std::byte const> data) const {
    return {reinterpret_cast<T const*>(data.data()), std::max<Index>(operand.rows(k), 1)};
  }

  void add_product(Task t, TaskContext& context) const {
    auto const k = slice(t).depth;
    if (k == 0) {
      block_.add_nothing(t.k == 0);
    } else {
      block_.add(k, arrived(a_, k, context.input(of_a)), arrived(b_, k, context.input(of_b)), t.k == 0, context);
    }
    if (is_last(t)) block_.send_layers(sum_pieces(), context);
  }

  Stored<T> a_, b_;
  BlockOfC<T> block_;
};

}  // namespace

template <class T>
std::unique_ptr<ProductGraph> running_cannon(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts,
                                             Workspace& work) {
  return std::make_unique<RunningCannon<T>>(plan, me, parts, work);
}

#define ALLPORT_RUNNING_CANNON(T) \
  template std::unique_ptr<ProductGraph> running_cannon(GemmPlan const&, GridCoords, GemmParts<T> const&, Workspace&);
ALLPORT_FOR_SCALARS(ALLPORT_RUNNING_CANNON)

}  // namespace allport::gemm_detail
