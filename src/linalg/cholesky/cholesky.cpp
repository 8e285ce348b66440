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
#include "linalg/matrix/checks.h"
#include "linalg/matrix/operand.h"
#include "linalg/plan/tiled_run.h"

namespace allport {

namespace {

/// CholeskyGraph on the tiles of a matrix, in place; tiles that other tasks need are copied once to contiguous memory.
template <class Element>
class RunningCholesky final : public CholeskyGraph {
 public:
  struct Tile {
    Element* data;
    Index rows, cols;  ///< as stored
    Index ld;
  };
  blas::Triangle const triangle;  ///< that is stored

  RunningCholesky(Distribution const& distribution, Uplo uplo, Index nb, Part<Element> a)
      : CholeskyGraph(distribution, uplo, scalar_of<Element>, nb),
        triangle(lower() ? blas::Triangle::lower : blas::Triangle::upper),
        distribution_(distribution),
        a_(a) {}

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }
  /// The least order, counted from 1, of a leading minor that this rank found not positive definite; 0: none.
  [[nodiscard]] Index info() const { return info_; }

  [[nodiscard]] Tile tile(Task t) const {
    auto const row = lower() ? t.i : t.j;
    auto const col = lower() ? t.j : t.i;
    auto* const data =
        a_.data + distribution_.rows().local(row * at().nb()) + distribution_.cols().local(col * at().nb()) * a_.ld;
    return {data, at().extent(row), at().extent(col), a_.ld};
  }
  static Element const* given(TaskContext const& context, int input) {
    return reinterpret_cast<Element const*>(context.input(input).data());
  }
  /// Notes the result of potrf on diagonal tile k. LAPACK's potrf stops at a NaN on the diagonal; the potrf of some
  /// BLAS libraries does not.
  void note(Index k, Index info, Tile const& tile) const {
    for (Index d = 0; d < tile.rows && (info == 0 || d < info - 1); ++d) {
      if (std::isnan(std::real(tile.data[d * (tile.ld + 1)]))) info = d + 1;
    }
    if (info == 0) return;
    info += k * at().nb();
    std::scoped_lock const hold(mutex_);
    info_ = info_ == 0 ? info : std::min(info_, info);
  }
  /// Copies a tile to the task's output; of a diagonal tile the stored triangle, with zeros in the other one.
  static void send(Tile const& tile, TaskContext& context) {
    detail::pack(tile.rows, tile.cols, static_cast<Element const*>(tile.data), tile.ld, output_of(context));
  }
  void send_triangle(Tile const& tile, TaskContext& context) const {
    auto* const to = output_of(context);
    std::fill_n(to, tile.rows * tile.cols, Element(0));
    for (Index c = 0; c < tile.cols; ++c) {
      auto const first = lower() ? c : 0;
      std::copy_n(tile.data + first + c * tile.ld, lower() ? tile.rows - c : c + 1, to + first + c * tile.rows);
    }
  }

 private:
  static Element* output_of(TaskContext& context) { return reinterpret_cast<Element*>(context.output(0).data()); }

  Distribution const& distribution_;
  Part<Element> a_;
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

ALLPORT_INSTANCES(ALLPORT_CHOLESKY_INSTANCE, );

}  // namespace allport
