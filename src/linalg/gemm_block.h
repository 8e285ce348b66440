// What bodies of a product's graph do with a rank's block of C.
#pragma once

#include <algorithm>
#include <memory>

#include "gemm_product_graph.h"
#include "gemm_run.h"
#include "gemm_tasks.h"

namespace allport::gemm_detail {

/// Where a rank's products add up: in the caller's C; with layers in memory of this layer's own, until their sums are
/// combined.
template <class T>
class BlockOfC {
 public:
  BlockOfC(GemmPlan const& plan, Place me, GemmParts<T> const& parts, Workspace& work)
      : problem_(plan.problem),
        alpha_(parts.alpha),
        beta_(parts.beta),
        c_(parts.c),
        layers_(plan.chosen.grid.layers),
        layer_(me.l),
        rows_(share(problem_.m, plan.chosen.grid.rows, me.i)),
        cols_(share(problem_.n, plan.chosen.grid.cols, me.j)),
        into_(layers_ > 1 ? work.take<T>(rows_ * cols_) : c_.data),
        ld_(layers_ > 1 ? std::max<Index>(rows_, 1) : c_.ld) {}

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index cols() const { return cols_; }
  [[nodiscard]] bool is_empty() const { return rows_ == 0 || cols_ == 0; }

  /// alpha op(left) op(right) of that inner extent; the first one finds the caller's C, or nothing.
  void add(Index depth, Block<T> left, Block<T> right, bool first, TaskContext& context) const {
    multiply_in_pieces(problem_, {rows_, cols_, depth}, alpha_, left, right, factor(first), into_, ld_,
                       [&] { context.progress(); });
  }
  /// A product of no inner extent.
  void add_nothing(bool first) const {
    if (first) scale(rows_, cols_, factor(true), into_, ld_);
  }

  /// The last product's outputs: each layer's part of the columns, in so many pieces. Without layers there are none.
  void give_layers(int pieces, TaskContext& context) const {
    for (int x = 0; layers_ > 1 && x < layers_ * pieces; ++x) {
      auto const layer = x / pieces;
      auto const all = share(cols_, layers_, layer);
      auto const elements = rows_ * share(all, pieces, x % pieces);
      if (elements == 0) continue;
      auto const* const from = into_ + rows_ * (cut(cols_, layers_, layer) + cut(all, pieces, x % pieces));
      std::copy_n(from, elements, reinterpret_cast<T*>(context.output(x).data()));
    }
  }
  /// The layers' sum of this layer's part goes to the caller's C.
  void add_layers(int pieces, TaskContext& context) const {
    auto const all = share(cols_, layers_, layer_);
    for (int x = 0; x < pieces; ++x) {
      auto const mine = share(all, pieces, x);
      if (rows_ * mine == 0) continue;
      auto c = c_;
      c.data += cut(all, pieces, x) * c.ld;
      add_sum(rows_, mine, reinterpret_cast<T const*>(context.input(x).data()), beta_, c);
    }
  }

 private:
  [[nodiscard]] T factor(bool first) const { return !first ? T(1) : layers_ > 1 ? T(0) : beta_; }

  GemmProblem const& problem_;
  T alpha_;
  T beta_;
  Part<T> c_;
  int layers_;
  int layer_;
  Index rows_;
  Index cols_;
  T* into_;
  Index ld_;
};

/// 3D's graph with bodies.
template <class T>
[[nodiscard]] std::unique_ptr<ProductGraph> running_3d(GemmPlan const& plan, Place me, GemmParts<T> const& parts,
                                                       Workspace& work);
/// Cannon's graph with bodies.
template <class T>
[[nodiscard]] std::unique_ptr<ProductGraph> running_cannon(GemmPlan const& plan, Place me, GemmParts<T> const& parts,
                                                           Workspace& work);

}  // namespace allport::gemm_detail
