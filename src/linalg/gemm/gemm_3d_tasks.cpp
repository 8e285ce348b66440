// The graph of 3D with bodies.
#include <algorithm>
#include <complex>

#include "gemm_3d_graph.h"
#include "gemm_block.h"

namespace allport::gemm_detail {

namespace {

template <class T>
class Running3d final : public Gemm3dGraph {
 public:
  Running3d(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : Gemm3dGraph(plan.problem, plan.machine, plan.chosen, plan.options.mapping),
        me_(me),
        begin_(cut(plan.problem.k, plan.chosen.grid.layers, me.l)),
        a_(stored_a(plan.problem.trans_a, parts_of_grid(), me, parts.a)),
        b_(stored_b(plan.problem.trans_b, parts_of_grid(), me, parts.b)),
        c_(parts.c),
        alpha_(parts.alpha),
        beta_(parts.beta),
        products_(layered() ? work.take<T>(rows(me.i) * cols(me.j)) : nullptr) {}

  void run(Task t, TaskContext& context) const override {
    switch (t.kind) {
      case of_a:
        return send_a(t, context);
      case of_b:
        return send_b(t, context);
      case multiply:
        return multiply_tile(t, context);
      default:
        return add_layers(t, context);
    }
  }

 private:
  /// This rank's part of op(A) from a row and a k on, or of op(B) from a k and a column on.
  [[nodiscard]] static Block<T> from(Stored<T> const& operand, Index global_k, Index across) {
    auto block = operand.at(global_k);
    if (block.data != nullptr) block.data += operand.k_is_slow ? across : across * block.ld;
    return block;
  }
  /// A received piece, from its `skipped`-th k on.
  [[nodiscard]] static Block<T> arrived(Stored<T> const& operand, std::span<std::byte const> data, Index across,
                                        Range const& k, Index skipped) {
    auto const ld = std::max<Index>(operand.k_is_slow ? across : k.width(), 1);
    return {reinterpret_cast<T const*>(data.data()) + skipped * (operand.k_is_slow ? across : 1), ld};
  }

  /// visit(range of k, memory) for each output of an operand's task.
  template <class Visit>
  void each_output(Task t, TaskContext& context, Visit&& visit) const {
    auto const own = owned(line_of(t), me_.l, t.kind == of_a ? me_.j : me_.i);
    auto const all = pieces(line_of(t), own.width());
    for (int x = 0; x < all; ++x) {
      visit(piece(own, all, x), reinterpret_cast<T*>(context.output(x).data()));
    }
  }
  void send_a(Task t, TaskContext& context) const {
    auto const across = tile_rows(me_.i, t.k);
    if (across == 0) return;
    each_output(t, context, [&](Range const& k, T* out) {
      auto const [data, ld] = from(a_, begin_ + k.first, first_row(me_.i, t.k));
      if (a_.k_is_slow) return pack(across, k.width(), data, ld, out);
      pack(k.width(), across, data, ld, out);
    });
  }
  /// The tile's columns, by the layers that sum them.
  void send_b(Task t, TaskContext& context) const {
    auto const across = tile_cols(me_.j, t.k);
    if (across == 0) return;
    each_output(t, context, [&](Range const& k, T* out) {
      each_segment(t.k, [&](Index col, Index width, Index at) {
        auto const [data, ld] = from(b_, begin_ + k.first, col);
        if (!b_.k_is_slow) return pack(k.width(), width, data, ld, out + at * k.width());
        for (Index x = 0; x < k.width(); ++x) std::copy_n(data + x * ld, width, out + x * across + at);
      });
    });
  }
  /// visit(first column in the block, columns, first column in the tile) for the columns that each layer sums.
  template <class Visit>
  void each_segment(int b, Visit&& visit) const {
    Index at = 0;
    for (int l = 0; l < grid_.layers; ++l) {
      auto const width = tile_cols(me_.j, l, b);
      if (width > 0) visit(cut(cols(me_.j), grid_.layers, l) + first_col(me_.j, l, b), width, at);
      at += width;
    }
  }

  [[nodiscard]] T* products(Tile const& tile) const {
    Index before = 0;
    for (int a = 0; a < side(); ++a) {
      for (int b = 0; b < side(); ++b) {
        if (a == tile.a && b == tile.b) return products_ + before;
        before += tile_rows(me_.i, a) * tile_cols(me_.j, b);
      }
    }
    return products_ + before;
  }

  void multiply_tile(Task t, TaskContext& context) const {
    auto const [a, b] = tile(t);
    auto const m = tile_rows(me_.i, a);
    auto const n = tile_cols(me_.j, b);
    if (m == 0 || n == 0) return;
    auto* const into = layered() ? products(tile(t)) : c_.data;
    auto const ld = layered() ? m : c_.ld;
    auto const first_factor = layered() ? T(0) : beta_;
    if (of_layer(me_.l) == 0) scale(m, n, first_factor, into, ld);
    for (Index k = 0; k < of_layer(me_.l);) {
      auto const left = source(GridAxis::row, me_.l, k);
      auto const right = source(GridAxis::col, me_.l, k);
      auto const last = std::min(left.k.last, right.k.last);
      auto const factor = k == 0 ? first_factor : T(1);
      auto const of_left = left.owner == me_.j
                               ? from(a_, begin_ + k, first_row(me_.i, a))
                               : arrived(a_, context.input(input_of(GridAxis::row, left.owner, left.piece)), m, left.k,
                                         k - left.k.first);
      auto const add = [&](Index width, Block<T> const& of_right, Index at) {
        multiply_in_pieces(problem_, {m, width, last - k}, alpha_, of_left, of_right, factor, into + at * ld, ld,
                           [&] { context.progress(); });
      };
      if (right.owner == me_.i) {
        each_segment(b, [&](Index col, Index width, Index at) { add(width, from(b_, begin_ + k, col), at); });
      } else {
        auto const input = context.input(input_of(GridAxis::col, right.owner, right.piece));
        add(n, arrived(b_, input, n, right.k, k - right.k.first), 0);
      }
      k = last;
    }
    if (!layered()) return;
    auto const width = [&](int x) { return output(t, x).cols; };
    send_columns(into, m, grid_.layers * sum_pieces(), width, context);
  }

  void add_layers(Task t, TaskContext& context) const {
    auto const [a, b] = tile(t);
    auto c = c_;
    if (c.data != nullptr) c.data += first_row(me_.i, a) + first_col(me_.j, me_.l, b) * c.ld;
    add_columns(
        tile_rows(me_.i, a), sum_pieces(), [&](int x) { return input(t, x)->cols; }, beta_, c, context);
  }

  GridCoords me_;
  Index begin_;  // first k of the layer
  Stored<T> a_, b_;
  Part<T> c_;
  T alpha_;
  T beta_;
  T* products_;  // tile by tile
};

}  // namespace

template <class T>
std::unique_ptr<ProductGraph> running_3d(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts,
                                         Workspace& work) {
  return std::make_unique<Running3d<T>>(plan, me, parts, work);
}

#define ALLPORT_RUNNING_3D(T) \
  template std::unique_ptr<ProductGraph> running_3d(GemmPlan const&, GridCoords, GemmParts<T> const&, Workspace&);
ALLPORT_FOR_SCALARS(ALLPORT_RUNNING_3D)

}  // namespace allport::gemm_detail
