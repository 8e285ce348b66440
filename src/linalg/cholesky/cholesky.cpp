// Runs tile Cholesky: the graph with bodies, on the tiles in place.
#include "allport/linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "allport/linalg/redistribute.h"
#include "cholesky_graph.h"
#include "cholesky_tiles.h"
#include "linalg/matrix/blas.h"
#include "linalg/matrix/checks.h"
#include "linalg/matrix/column_blocks.h"
#include "linalg/plan/tiled_run.h"

namespace allport {

namespace {

/// CholeskyGraph with bodies. Tiles are factored in place; those that other tasks need are copied once to contiguous
/// memory. Tile (i, j), i >= j, of an upper triangle is stored at (j, i).
template <class Element>
class RunningCholesky final : public CholeskyGraph {
 public:
  RunningCholesky(Distribution const& distribution, Uplo uplo, Index nb, Part<Element> a)
      : CholeskyGraph(distribution, uplo, scalar_of<Element>, nb),
        distribution_(distribution),
        a_(a),
        lower_(uplo == Uplo::lower),
        triangle_(lower_ ? blas::Triangle::lower : blas::Triangle::upper) {}

  void run(Task t, TaskContext& context) const override {
    auto const given = [&](int input) { return reinterpret_cast<Element const*>(context.input(input).data()); };
    auto* const own = at(t.i, t.j);
    auto const m = extent(t.i);
    auto const n = extent(t.j);
    auto const k = extent(t.k);
    auto const flops = work(t).flops;
    if (t.kind == P) {
      factor(n, own, t.k * nb());
      if (t.k + 1 < tiles()) send(t, context);
    } else if (t.kind == T) {
      auto const part = [&](Index first, Index last) {
        solve(last - first, n, given(from_column), own + first * (lower_ ? 1 : a_.ld));
      };
      if (lower_) {
        detail::in_fixed_blocks(context, m, part);
      } else {
        detail::in_column_blocks(context, m, flops, part);
      }
      send(t, context);
    } else if (t.i == t.j) {
      blas::herk_subtract(triangle_, lower_ ? Trans::none : Trans::conjugate, m, k, given(from_row), lower_ ? m : k,
                          own, a_.ld);
    } else {
      detail::in_column_blocks(context, lower_ ? n : m, flops, [&](Index first, Index last) {
        auto* const block = own + first * a_.ld;
        if (lower_) {
          blas::gemm(Trans::none, Trans::conjugate, m, last - first, k, Element(-1), given(from_row), m,
                     given(from_column) + first, n, Element(1), block, a_.ld);
        } else {
          blas::gemm(Trans::conjugate, Trans::none, n, last - first, k, Element(-1), given(from_column), k,
                     given(from_row) + first * k, k, Element(1), block, a_.ld);
        }
      });
    }
  }

  /// The least order, counted from 1, of a leading minor that this rank found not positive definite; 0: none.
  [[nodiscard]] Index info() const { return info_; }

 private:
  [[nodiscard]] Element* at(Index i, Index j) const {
    auto const row = (lower_ ? i : j) * nb();
    auto const col = (lower_ ? j : i) * nb();
    return a_.data + distribution_.rows().local(row) + distribution_.cols().local(col) * a_.ld;
  }

  void solve(Index m, Index n, Element const* factor, Element* own) const {
    using enum blas::Side;
    auto const stored = blas::Diagonal::stored;
    if (lower_) {
      blas::trsm(right, triangle_, Trans::conjugate, stored, m, n, factor, n, own, a_.ld);
    } else {
      blas::trsm(left, triangle_, Trans::conjugate, stored, n, m, factor, n, own, a_.ld);
    }
  }

  /// LAPACK's potrf stops at a NaN on the diagonal; the potrf of some BLAS libraries does not.
  void factor(Index n, Element* own, Index before) const {
    Index info = blas::potrf(triangle_, n, own, a_.ld);
    for (Index d = 0; d < n && (info == 0 || d < info - 1); ++d) {
      if (std::isnan(std::real(own[d * (a_.ld + 1)]))) info = d + 1;
    }
    if (info == 0) return;
    std::scoped_lock const hold(mutex_);
    info_ = info_ == 0 ? before + info : std::min(info_, before + info);
  }

  /// Copies a tile to the task's output; of a diagonal tile the stored triangle.
  void send(Task t, TaskContext& context) const {
    auto* const to = reinterpret_cast<Element*>(context.output(0).data());
    auto const* const from = at(t.i, t.j);
    auto const rows = extent(lower_ ? t.i : t.j);
    auto const cols = extent(lower_ ? t.j : t.i);
    for (Index c = 0; c < cols; ++c) {
      auto const first = t.kind == P && lower_ ? c : 0;
      auto const last = t.kind == P && !lower_ ? c + 1 : rows;
      std::fill(to + c * rows, to + c * rows + first, Element(0));
      std::copy(from + c * a_.ld + first, from + c * a_.ld + last, to + c * rows + first);
      std::fill(to + c * rows + last, to + (c + 1) * rows, Element(0));
    }
  }

  Distribution const& distribution_;
  Part<Element> a_;
  bool lower_;
  blas::Triangle triangle_;
  mutable std::mutex mutex_;
  mutable Index info_ = 0;
};

}  // namespace

template <class T>
CholeskyReport cholesky(Matrix<T> const& a, Uplo uplo, CholeskyOptions const& options) {
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("a", a, a.rows(), a.rows(), comm);
    detail::check_tiling(options);
  });
  CholeskyReport report;
  CholeskyProblem const problem{a.rows(), scalar_of<T>, uplo};
  report.nb = options.nb > 0 ? options.nb : cholesky_tile(problem, a.distribution(), comm.machine(), options.workers);
  auto const tiles = holding_tiles(a.distribution(), report.nb);
  report.moved = !same_places(a.distribution(), tiles);
  auto const work = report.moved ? detail::allocate_on_all<T>(comm, tiles) : a;
  if (report.moved) redistribute(a, work);
  RunningCholesky<T> graph(tiles, uplo, report.nb, work.part());
  report.run = detail::factor_by_tasks("cholesky", graph, comm, options);
  if (report.moved) redistribute(work, a);
  auto const mine = graph.info();
  for (auto const info : comm.all_gather(std::span(&mine, 1))) {
    if (info > 0 && (report.info == 0 || info < report.info)) report.info = info;
  }
  return report;
}

ALLPORT_CHOLESKY_INSTANCE(, float);
ALLPORT_CHOLESKY_INSTANCE(, double);
ALLPORT_CHOLESKY_INSTANCE(, std::complex<float>);
ALLPORT_CHOLESKY_INSTANCE(, std::complex<double>);

}  // namespace allport
