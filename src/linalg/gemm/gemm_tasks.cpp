// The graph of SUMMA with bodies: panels that are contiguous in memory are sent from there without a copy.
#include <algorithm>
#include <complex>

#include "gemm_3d_graph.h"
#include "gemm_block.h"
#include "gemm_graph.h"
#include "gemm_tasks.h"
#include "linalg/plan/tiled_run.h"

namespace allport::gemm_detail {

namespace {

template <class T>
class RunningSumma final : public SummaGraph {
 public:
  RunningSumma(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : SummaGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        me_(me),
        a_(stored_a(plan.problem.trans_a, parts_of_grid(), me, parts.a)),
        b_(stored_b(plan.problem.trans_b, parts_of_grid(), me, parts.b)),
        block_(plan, parts_of_grid(), me, parts, work) {
    if (!copies() || me.l == 0) return;
    copy_of_a_ = copy(a_, parts_of_grid().copied_of_a(me.j), work);
    copy_of_b_ = copy(b_, parts_of_grid().copied_of_b(me.i), work);
  }

  void run(Task t, TaskContext& context) const override {
    switch (t.kind) {
      case of_a:
      case of_b:
        return send(t, context);
      case multiply:
        return add_product(t, context);
      case own_a:
      case own_b:
        return send_half(t, context);
      case copy_a:
      case copy_b:
        return store_half(t, context);
      default:
        return block_.add_layers(sum_pieces(), context);
    }
  }

  /// Panels of this rank that are sent in one piece, and halves of its blocks, that are contiguous.
  bool in_place(Task t, int) const override {
    if (!sends(t)) return false;
    auto const& from = operand(t);
    auto const width = range(t).width();
    bool const in_one_piece = is_copied(t) || pieces(line_of(t), panel(t)) == 1;
    return in_one_piece && from.part.data != nullptr && (from.part.ld == from.rows(width) || from.cols(width) == 1);
  }
  void writes(Task t, VisitTask visit) const override {
    if (sends(t)) return visit(t);
    SummaGraph::writes(t, visit);
  }
  std::span<std::byte> memory(Tile tile) const override {
    auto const& from = operand(tile);
    auto const now = range(tile);
    auto* const data = const_cast<T*>(from.at(now.begin).data);  // a send only reads
    return std::as_writable_bytes(std::span(data, static_cast<std::size_t>(now.width() * from.across)));
  }

 private:
  [[nodiscard]] Stored<T> const& operand(Task t) const { return line_of(t) == GridAxis::row ? a_ : b_; }
  [[nodiscard]] static bool sends(Task t) { return t.kind <= of_b || t.kind == own_a || t.kind == own_b; }
  [[nodiscard]] Panel range(Task t) const { return is_copied(t) ? half_of_block(t) : panel(t); }

  /// Memory for the copy of a block, from which panels are sent.
  static T* copy(Stored<T>& of, Index k, Workspace& work) {
    auto* const data = work.take<T>(of.across * k);
    of.part = {data, std::max<Index>(of.rows(k), 1)};
    return data;
  }
  void send_half(Task t, TaskContext& context) const {
    auto const& from = operand(t);
    auto const half = half_of_block(t);
    if (in_place(t, t.k) || half.width() * from.across == 0) return;
    auto const [data, ld] = from.at(half.begin);
    pack(from.rows(half.width()), from.cols(half.width()), data, ld, reinterpret_cast<T*>(context.output(t.k).data()));
  }
  void store_half(Task t, TaskContext& context) const {
    auto const& into = operand(t);
    auto const half = half_of_block(t);
    if (half.width() * into.across == 0) return;
    auto* const copied = t.kind == copy_a ? copy_of_a_ : copy_of_b_;
    auto* const to = copied + (into.at(half.begin).data - into.part.data);
    auto const* const from = reinterpret_cast<T const*>(context.input(own).data());
    auto const rows = into.rows(half.width());
    for (Index j = 0; j < into.cols(half.width()); ++j) std::copy_n(from + j * rows, rows, to + j * into.part.ld);
  }

  void send(Task t, TaskContext& context) const {
    if (in_place(t, 0)) return;
    auto const& from = operand(t);
    auto const now = panel(t);
    auto const all = pieces(line_of(t), now);
    for (int x = 0; x < all && from.across > 0; ++x) {
      auto const part = piece(now, all, x);
      auto const [data, ld] = from.at(now.begin + part.first);
      pack(from.rows(part.width()), from.cols(part.width()), data, ld, reinterpret_cast<T*>(context.output(x).data()));
    }
  }

  /// The k of a panel from `first` on that are contiguous: in this rank's matrix, or in a piece that has arrived.
  struct Arrived {
    Block<T> block;
    Index last = 0;
  };
  [[nodiscard]] Arrived arrived(GridAxis line, Panel const& now, Index first, TaskContext& context) const {
    auto const& from = line == GridAxis::row ? a_ : b_;
    bool const mine = line == GridAxis::row ? now.a_owner == me_.j : now.b_owner == me_.i;
    if (mine) return {from.at(now.begin + first), now.width()};
    auto const all = pieces(line, now);
    int x = 0;
    while (piece(now, all, x).last <= first) ++x;
    auto const part = piece(now, all, x);
    auto const* const data = reinterpret_cast<T const*>(context.input(input_of(line, x)).data());
    auto const skipped = (first - part.first) * (from.k_is_slow ? from.across : 1);
    return {{data + skipped, std::max<Index>(from.rows(part.width()), 1)}, part.last};
  }

  void add_product(Task t, TaskContext& context) const {
    auto const now = panel(t);
    if (now.width() == 0) block_.add_nothing(t.k == 0);
    for (Index first = 0; first < now.width() && !block_.is_empty();) {
      auto const left = arrived(GridAxis::row, now, first, context);
      auto const right = arrived(GridAxis::col, now, first, context);
      auto const last = std::min(left.last, right.last);
      block_.add(last - first, left.block, right.block, t.k == 0 && first == 0, context);
      first = last;
    }
    if (is_last(t)) block_.send_layers(sum_pieces(), context);
  }

  GridCoords me_;
  Stored<T> a_, b_;
  T* copy_of_a_ = nullptr;  ///< the memory of a_, b_ on a layer that receives copies
  T* copy_of_b_ = nullptr;
  BlockOfC<T> block_;
};

template <class T>
std::unique_ptr<ProductGraph> running(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work) {
  if (method(plan.chosen.algorithm).form == Method::Form::cannon) return running_cannon<T>(plan, me, parts, work);
  if (is_3d(method(plan.chosen.algorithm))) return running_3d<T>(plan, me, parts, work);
  return std::make_unique<RunningSumma<T>>(plan, me, parts, work);
}

}  // namespace

template <class T>
RanByTasks run_by_tasks(Communicator const& comm, GemmPlan const& plan, GemmParts<T> const& parts,
                        Progress const& progress) {
  Workspace work;
  auto const me = GridLayout(plan.chosen.grid, plan.chosen.order, plan.options.mapping).coords(comm.rank());
  // Ranks outside the grid relay by the same graph.
  auto const graph = me ? running<T>(plan, *me, parts, work)
                        : product_graph(plan.problem, plan.machine, plan.chosen, plan.options.mapping);
  tasks::RunOptions options;
  options.call = "gemm";
  options.multicast = plan.options.tree;
  options.ahead = graph->ahead();
  options.combine = sum_of<T>();
  options.progress = detail::of_tasks(progress);
  RanByTasks ran{tasks::run(*graph, comm, options), 0};
  ran.workspace = work.bytes();
  return ran;
}

#define ALLPORT_RUN_BY_TASKS(T) \
  template RanByTasks run_by_tasks(Communicator const&, GemmPlan const&, GemmParts<T> const&, Progress const&)
ALLPORT_RUN_BY_TASKS(float);
ALLPORT_RUN_BY_TASKS(double);
ALLPORT_RUN_BY_TASKS(std::complex<float>);
ALLPORT_RUN_BY_TASKS(std::complex<double>);
#undef ALLPORT_RUN_BY_TASKS

}  // namespace allport::gemm_detail
