// The graphs of products on a rank's parts of the matrices.
#include <algorithm>
#include <complex>

#include "gemm_3d_graph.h"
#include "gemm_block.h"
#include "gemm_cannon_graph.h"
#include "gemm_graph.h"
#include "gemm_tasks.h"
#include "linalg/plan/tiled_run.h"

namespace allport::gemm_detail {

namespace {

/// Panels that are contiguous in memory are sent from there without a copy.
template <class T>
class RunningSumma final : public SummaGraph {
 public:
  using Element = T;
  BlockOfC<T> const block;

  RunningSumma(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : SummaGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        block(plan, parts_of_grid(), me, parts, work),
        a_(stored_a(plan.problem.trans_a, parts_of_grid(), me, parts.a)),
        b_(stored_b(plan.problem.trans_b, parts_of_grid(), me, parts.b)) {
    if (!copies() || me.l == 0) return;
    copy_of_a_ = copy(a_, parts_of_grid().copied_of_a(me.j), work);
    copy_of_b_ = copy(b_, parts_of_grid().copied_of_b(me.i), work);
  }

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
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

  [[nodiscard]] Stored<T> const& operand(Task t) const { return line_of(t) == GridAxis::row ? a_ : b_; }
  /// The memory of the operand on a layer that receives a copy.
  [[nodiscard]] T* copied(Task t) const { return t.kind == copy_a ? copy_of_a_ : copy_of_b_; }
  /// The k of a product's panel from `first` on that are contiguous: in this rank's matrix, or in a piece that has
  /// arrived.
  struct Arrived {
    Block<T> block;
    Index last = 0;
  };
  [[nodiscard]] Arrived arrived(Task t, GridAxis line, Index first, TaskContext& context) const {
    auto const& from = line == GridAxis::row ? a_ : b_;
    auto const now = panel(t);
    if (owns(line, now, t)) return {from.at(now.begin + first), now.width()};
    auto const all = pieces(line, now);
    int x = 0;
    while (piece(now, all, x).last <= first) ++x;
    auto const part = piece(now, all, x);
    auto const skipped = (first - part.first) * (from.k_is_slow ? from.across : 1);
    auto const* const data = elements_in<T>(context, input_of(line, x)) + skipped;
    return {{data, std::max<Index>(from.rows(part.width()), 1)}, part.last};
  }

 private:
  [[nodiscard]] static bool sends(Task t) { return t.kind <= of_b || t.kind == own_a || t.kind == own_b; }
  [[nodiscard]] Panel range(Task t) const { return is_copied(t) ? half_of_block(t) : panel(t); }
  /// Memory for the copy of a block, from which panels are sent.
  static T* copy(Stored<T>& of, Index k, Workspace& work) {
    auto* const data = work.take<T>(of.across * k);
    of.part = {data, std::max<Index>(of.rows(k), 1)};
    return data;
  }

  Stored<T> a_, b_;
  T* copy_of_a_ = nullptr;
  T* copy_of_b_ = nullptr;
};

/// Blocks that are contiguous in memory are sent from there without a copy.
template <class T>
class RunningCannon final : public CannonGraph {
 public:
  using Element = T;
  BlockOfC<T> const block;

  RunningCannon(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : CannonGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        block(plan, parts_of_grid(), me, parts, work),
        a_{parts.a, rows(me.i), plan.problem.trans_a == Trans::none, 0},
        b_{parts.b, cols(me.j), plan.problem.trans_b != Trans::none, 0} {}

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
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

  [[nodiscard]] Stored<T> const& operand(Task t) const { return is_a(t) ? a_ : b_; }
  /// A block of k that is an input of a product.
  [[nodiscard]] Block<T> arrived(Input input, Index k, TaskContext const& context) const {
    return {elements_in<T>(context, input), std::max<Index>((input == of_a ? a_ : b_).rows(k), 1)};
  }

 private:
  Stored<T> a_, b_;
};

template <class T>
class Running3d final : public Gemm3dGraph {
 public:
  using Element = T;

  Running3d(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : Gemm3dGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        begin_(cut(plan.problem.k, plan.chosen.grid.layers, me.l)),
        a_(stored_a(plan.problem.trans_a, parts_of_grid(), me, parts.a)),
        b_(stored_b(plan.problem.trans_b, parts_of_grid(), me, parts.b)),
        c_(parts.c),
        alpha_(parts.alpha),
        beta_(parts.beta),
        products_(layered() ? work.take<T>(rows(me.i) * cols(me.j)) : nullptr) {}

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }

  /// Copies some k of a tile row of A, or of a tile column of B: its columns by the layers that sum them.
  void copy(Task t, Range const& k, T* to) const {
    if (t.kind == of_a) {
      auto const across = tile_rows(t.i, t.k);
      auto const [data, ld] = from(a_, begin_ + k.first, first_row(t.i, t.k));
      return pack(a_.k_is_slow ? across : k.width(), a_.k_is_slow ? k.width() : across, data, ld, to);
    }
    auto const across = tile_cols(t.j, t.k);
    each_segment(t.j, t.k, [&](Index col, Index width, Index at) {
      auto const [data, ld] = from(b_, begin_ + k.first, col);
      if (!b_.k_is_slow) return pack(k.width(), width, data, ld, to + at * k.width());
      for (Index x = 0; x < k.width(); ++x) std::copy_n(data + x * ld, width, to + x * across + at);
    });
  }

  /// Where a tile is computed: in C, or with layers in memory of this layer, tile by tile.
  [[nodiscard]] Part<T> products(Task t) const {
    if (!layered()) return c_;
    auto const now = tile(t);
    Index before = 0;
    for (int a = 0; a <= now.a; ++a) {
      for (int b = 0; b < (a < now.a ? side() : now.b); ++b) before += tile_rows(t.i, a) * tile_cols(t.j, b);
    }
    return {products_ + before, tile_rows(t.i, now.a)};
  }
  void multiply_tile(Task t, Part<T> into, TaskContext& context) const {
    auto const [a, b] = tile(t);
    auto const m = tile_rows(t.i, a);
    auto const n = tile_cols(t.j, b);
    auto const first_factor = layered() ? T(0) : beta_;
    if (of_layer(t.layer) == 0) scale(m, n, first_factor, into.data, into.ld);
    for (Index k = 0; k < of_layer(t.layer);) {
      auto const left = source(GridAxis::row, t.layer, k);
      auto const right = source(GridAxis::col, t.layer, k);
      auto const last = std::min(left.k.last, right.k.last);
      auto const factor = k == 0 ? first_factor : T(1);
      auto const of_left = left.owner == t.j ? from(a_, begin_ + k, first_row(t.i, a))
                                             : arrived(a_, input_of(GridAxis::row, left.owner, left.piece), m, left.k,
                                                       k - left.k.first, context);
      auto const add = [&](Index width, Block<T> const& of_right, Index at) {
        multiply_in_pieces(problem_, {m, width, last - k}, alpha_, of_left, of_right, factor, into.data + at * into.ld,
                           into.ld, [&] { context.progress(); });
      };
      if (right.owner == t.i) {
        each_segment(t.j, b, [&](Index col, Index width, Index at) { add(width, from(b_, begin_ + k, col), at); });
      } else {
        add(n, arrived(b_, input_of(GridAxis::col, right.owner, right.piece), n, right.k, k - right.k.first, context),
            0);
      }
      k = last;
    }
  }
  void add_layers(Task t, TaskContext& context) const {
    auto const [a, b] = tile(t);
    auto c = c_;
    if (c.data != nullptr) c.data += first_row(t.i, a) + first_col(t.j, t.layer, b) * c.ld;
    add_columns(
        tile_rows(t.i, a), sum_pieces(), [&](int x) { return input(t, x)->cols; }, beta_, c, context);
  }

 private:
  /// This rank's part of op(A) from a row and a k on, or of op(B) from a k and a column on.
  [[nodiscard]] static Block<T> from(Stored<T> const& operand, Index global_k, Index across) {
    auto block = operand.at(global_k);
    if (block.data != nullptr) block.data += operand.k_is_slow ? across : across * block.ld;
    return block;
  }
  /// A received piece, from its `skipped`-th k on.
  [[nodiscard]] static Block<T> arrived(Stored<T> const& operand, int input, Index across, Range const& k,
                                        Index skipped, TaskContext const& context) {
    auto const ld = std::max<Index>(operand.k_is_slow ? across : k.width(), 1);
    return {elements_in<T>(context, input) + skipped * (operand.k_is_slow ? across : 1), ld};
  }
  /// visit(first column in the block, columns, first column in the tile) for the columns that each layer sums.
  template <class Visit>
  void each_segment(int j, int b, Visit&& visit) const {
    Index at = 0;
    for (int l = 0; l < grid_.layers; ++l) {
      auto const width = tile_cols(j, l, b);
      if (width > 0) visit(cut(cols(j), grid_.layers, l) + first_col(j, l, b), width, at);
      at += width;
    }
  }

  Index begin_;  // first k of the layer
  Stored<T> a_, b_;
  Part<T> c_;
  T alpha_;
  T beta_;
  T* products_;
};

template <class T>
std::unique_ptr<ProductGraph> running(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work) {
  auto const& how = method(plan.chosen.algorithm);
  if (how.form == Method::Form::cannon) return std::make_unique<RunningCannon<T>>(plan, me, parts, work);
  if (is_3d(how)) return std::make_unique<Running3d<T>>(plan, me, parts, work);
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
  template RanByTasks run_by_tasks(Communicator const&, GemmPlan const&, GemmParts<T> const&, Progress const&);
ALLPORT_FOR_SCALARS(ALLPORT_RUN_BY_TASKS)

}  // namespace allport::gemm_detail
