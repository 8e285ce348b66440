// A rank's block of C in the bodies of a product's graph.
#pragma once

#include <algorithm>
#include <array>
#include <memory>

#include "gemm_product_graph.h"
#include "gemm_tasks.h"
#include "linalg/matrix/blas.h"
#include "linalg/matrix/operand.h"
#include "linalg/matrix/workspace.h"

namespace allport::gemm_detail {

/// A local, column-major block as stored, before op.
template <class T>
struct Block {
  T const* data = nullptr;
  Index ld = 1;
};

/// A rank's part of A or B.
template <class T>
struct Stored {
  Part<T const> part;
  Index across = 0;       ///< the extent other than k: rows of op(A), columns of op(B)
  bool k_is_slow = true;  ///< k runs along the stored columns
  Index k_begin = 0;      ///< global k of the part's first index

  [[nodiscard]] Index rows(Index width) const { return k_is_slow ? across : width; }
  [[nodiscard]] Index cols(Index width) const { return k_is_slow ? width : across; }
  /// From global k on.
  [[nodiscard]] Block<T> at(Index k) const {
    if (part.data == nullptr) {
      return {};  // an empty part
    }
    return {part.data + (k_is_slow ? (k - k_begin) * part.ld : k - k_begin), part.ld};
  }
};

/// A rank's parts of A and B as panel_distributions() distributes them.
template <class T>
[[nodiscard]] Stored<T> stored_a(Trans trans, PartsOfGrid const& parts, GridCoords p, Part<T const> part) {
  return {part, parts.rows(p.i), trans == Trans::none, parts.stored_of_a(p.l, p.j)};
}
template <class T>
[[nodiscard]] Stored<T> stored_b(Trans trans, PartsOfGrid const& parts, GridCoords p, Part<T const> part) {
  return {part, parts.cols(p.j), trans != Trans::none, parts.stored_of_b(p.l, p.i)};
}

/// c = beta * c without reading c when beta is zero.
template <class T>
void scale(Index rows, Index cols, T beta, T* c, Index ld) {
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      c[i + j * ld] = beta == T(0) ? T(0) : beta * c[i + j * ld];
    }
  }
}

/// c = alpha op(a) op(b) + factor * c for a local block of m x n and a range of k, in pieces between which
/// communication progresses.
template <class T, class ProgressComm>
void multiply_in_pieces(GemmProblem const& problem, std::array<Index, 3> const& extents, T alpha, Block<T> left,
                        Block<T> right, T factor, T* into, Index ld, ProgressComm const& progress) {
  auto const [m, n, k] = extents;
  if (m == 0 || n == 0) return;
  // BLAS itself blocks k by 256 to 384, so that cuts there cost nothing. It packs the whole other operand for every
  // piece of a side, which costs about 25/width of the piece's time (5 % measured for 1333 rows): the longer side is
  // cut only if a piece would take longer than a tenth of a second.
  constexpr Index piece_depth = 384;
  constexpr Index piece_width = 1024;
  constexpr double piece_flops = 5e9;
  auto const slices = static_cast<int>(std::max<Index>((k + piece_depth - 1) / piece_depth, 1));
  auto const flops = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / slices;
  auto const by_rows = m > n;
  auto const most = static_cast<int>(std::max<Index>((by_rows ? m : n) / piece_width, 1));
  auto const pieces = std::clamp(static_cast<int>(std::min(flops / piece_flops, 1e6)), 1, most);
  auto const ta = problem.trans_a;
  auto const tb = problem.trans_b;
  for (int s = 0; s < slices; ++s) {
    auto const from = cut(k, slices, s);
    auto const* const a = left.data + (ta == Trans::none ? from * left.ld : from);
    auto const* const b = right.data + (tb == Trans::none ? from : from * right.ld);
    for (int p = 0; p < pieces; ++p) {
      auto const i = by_rows ? cut(m, pieces, p) : 0;
      auto const j = by_rows ? 0 : cut(n, pieces, p);
      blas::gemm(ta, tb, by_rows ? share(m, pieces, p) : m, by_rows ? n : share(n, pieces, p), share(k, slices, s),
                 alpha, a + (ta == Trans::none ? i : i * left.ld), left.ld, b + (tb == Trans::none ? j * right.ld : j),
                 right.ld, s == 0 ? factor : T(1), into + i + j * ld, ld);
      progress();
    }
  }
}

/// c = sum + beta * c without reading c when beta is zero.
template <class T>
void add_sum(Index rows, Index cols, T const* sum, T beta, Part<T> const& part) {
  for (Index j = 0; j < cols; ++j) {
    auto* const c = part.data + j * part.ld;
    auto const* const s = sum + j * rows;
    for (Index i = 0; i < rows; ++i) {
      c[i] = beta == T(0) ? s[i] : s[i] + beta * c[i];
    }
  }
}

/// Copies consecutive columns to a task's outputs: width(x) of them to output x.
template <class T, class Width>
void send_columns(T const* from, Index rows, int outputs, Width const& width, TaskContext& context) {
  for (int x = 0; x < outputs; ++x) {
    auto const elements = rows * width(x);
    if (elements > 0) std::copy_n(from, elements, reinterpret_cast<T*>(context.output(x).data()));
    from += elements;
  }
}

/// Columns of C from `c` on = the sums that are a task's inputs + beta * C; width(x) columns are input x.
template <class T, class Width>
void add_columns(Index rows, int inputs, Width const& width, T beta, Part<T> c, TaskContext& context) {
  for (int x = 0; x < inputs; ++x) {
    auto const cols = width(x);
    if (rows * cols == 0) continue;
    add_sum(rows, cols, reinterpret_cast<T const*>(context.input(x).data()), beta, c);
    c.data += cols * c.ld;
  }
}

/// A rank's block of C: the caller's C, or with layers memory of this layer until the layers are summed.
template <class T>
class BlockOfC {
 public:
  BlockOfC(GemmPlan const& plan, PartsOfGrid const& of_grid, GridCoords me, GemmParts<T> const& parts, Workspace& work)
      : problem_(plan.problem),
        alpha_(parts.alpha),
        beta_(parts.beta),
        c_(parts.c),
        layers_(plan.chosen.grid.layers),
        layer_(me.l),
        rows_(of_grid.rows(me.i)),
        cols_(of_grid.cols(me.j)),
        into_(layers_ > 1 ? work.take<T>(rows_ * cols_) : c_.data),
        ld_(layers_ > 1 ? std::max<Index>(rows_, 1) : c_.ld) {}

  [[nodiscard]] bool is_empty() const { return rows_ == 0 || cols_ == 0; }

  /// Adds alpha op(left) op(right) of inner extent `depth`. @param first  the block is beta C, or zero with layers
  void add(Index depth, Block<T> left, Block<T> right, bool first, TaskContext& context) const {
    multiply_in_pieces(problem_, {rows_, cols_, depth}, alpha_, left, right, factor(first), into_, ld_,
                       [&] { context.progress(); });
  }
  /// Adds a product of inner extent 0.
  void add_nothing(bool first) const {
    if (first) scale(rows_, cols_, factor(true), into_, ld_);
  }

  /// Fills the last product's outputs: each layer's part of the columns, in pieces. None with a single layer.
  void send_layers(int pieces, TaskContext& context) const {
    if (layers_ == 1) return;
    auto const width = [&](int x) { return share(share(cols_, layers_, x / pieces), pieces, x % pieces); };
    send_columns(into_, rows_, layers_ * pieces, width, context);
  }
  /// Adds the layers' sum of this layer's columns to the caller's C.
  void add_layers(int pieces, TaskContext& context) const {
    auto const all = share(cols_, layers_, layer_);
    add_columns(
        rows_, pieces, [&](int x) { return share(all, pieces, x); }, beta_, c_, context);
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

/// The graph of 3D with bodies.
template <class T>
[[nodiscard]] std::unique_ptr<ProductGraph> running_3d(GemmPlan const& plan, GridCoords me, GemmParts<T> const& parts,
                                                       Workspace& work);
/// The graph of Cannon's algorithm with bodies.
template <class T>
[[nodiscard]] std::unique_ptr<ProductGraph> running_cannon(GemmPlan const& plan, GridCoords me,
                                                           GemmParts<T> const& parts, Workspace& work);

}  // namespace allport::gemm_detail
