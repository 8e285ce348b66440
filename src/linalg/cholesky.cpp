// Tile Cholesky that runs: the graph with bodies, over tiles that lie in one piece each.
#include "allport/linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "allport/linalg/redistribute.h"
#include "blas.h"
#include "blas_threads.h"
#include "checks.h"
#include "cholesky_graph.h"
#include "cholesky_tiles.h"

namespace allport {

namespace {

/// CholeskyGraph with bodies. Tile (i, j), i >= j, of an upper triangle is kept as it is stored there, at (j, i).
template <class Element>
class RunningCholesky final : public CholeskyGraph {
 public:
  RunningCholesky(Distribution const& distribution, Uplo uplo, Rank me)
      : CholeskyGraph(distribution, uplo, scalar_of<Element>),
        distribution_(distribution),
        lower_(uplo == Uplo::lower),
        triangle_(lower_ ? blas::Triangle::lower : blas::Triangle::upper),
        begins_(static_cast<std::size_t>(tiles() * tiles()), -1) {
    Index elements = 0;
    for (std::int32_t j = 0; j < tiles(); ++j) {
      for (auto i = j; i < tiles(); ++i) {
        if (owner({P, 0, i, j, 0}) != me) continue;
        begins_[index(i, j)] = elements;
        elements += extent(i) * extent(j);
      }
    }
    tiles_memory_.resize(static_cast<std::size_t>(elements));
  }

  std::span<std::byte> memory(Tile t) const override {
    return std::as_writable_bytes(std::span(at(t.i, t.j), static_cast<std::size_t>(extent(t.i) * extent(t.j))));
  }

  void run(Task t, TaskContext& context) const override {
    auto const given = [&](int input) { return reinterpret_cast<Element const*>(context.input(input).data()); };
    auto* const own = at(t.i, t.j);
    auto const m = extent(t.i);
    auto const n = extent(t.j);
    auto const k = extent(t.k);
    if (t.kind == P) {
      factor(n, own, t.k * nb());
    } else if (t.kind == T) {
      solve(m, n, given(from_column), own);
    } else if (t.i == t.j) {
      blas::herk_subtract(triangle_, lower_ ? Trans::none : Trans::conjugate, m, k, given(from_row), lower_ ? m : k,
                          own, m);
    } else if (lower_) {
      blas::gemm(Trans::none, Trans::conjugate, m, n, k, Element(-1), given(from_row), m, given(from_column), n,
                 Element(1), own, m);
    } else {
      blas::gemm(Trans::conjugate, Trans::none, n, m, k, Element(-1), given(from_column), k, given(from_row), k,
                 Element(1), own, n);
    }
  }

  void read(Part<Element> a) {
    each_column(
        [&](Element* tile, Index local, Index length) { std::copy(a.data + local, a.data + local + length, tile); },
        a.ld);
  }
  void write(Part<Element> a) const {
    each_column([&](Element const* tile, Index local, Index length) { std::copy(tile, tile + length, a.data + local); },
                a.ld);
  }

  /// The least order, counted from 1, of a leading minor that this rank has found not to be positive; 0: none.
  [[nodiscard]] Index info() const { return info_; }

 private:
  [[nodiscard]] Index nb() const { return distribution_.rows().nb(); }
  [[nodiscard]] std::size_t index(Index i, Index j) const { return static_cast<std::size_t>(i * tiles() + j); }
  [[nodiscard]] Element* at(Index i, Index j) const { return tiles_memory_.data() + begins_[index(i, j)]; }

  void solve(Index m, Index n, Element const* factor, Element* own) const {
    using enum blas::Side;
    auto const stored = blas::Diagonal::stored;
    if (lower_) {
      blas::trsm(right, triangle_, Trans::conjugate, stored, m, n, factor, n, own, m);
    } else {
      blas::trsm(left, triangle_, Trans::conjugate, stored, n, m, factor, n, own, n);
    }
  }

  /// LAPACK stops at a NaN on the diagonal; some BLAS libraries' own potrf goes on.
  void factor(Index n, Element* own, Index before) const {
    Index info = blas::potrf(triangle_, n, own, n);
    for (Index d = 0; d < n && (info == 0 || d < info - 1); ++d) {
      if (std::isnan(std::real(own[d * (n + 1)]))) info = d + 1;
    }
    if (info == 0) return;
    std::scoped_lock const hold(mutex_);
    info_ = info_ == 0 ? before + info : std::min(info_, before + info);
  }

  /// visit(part of a tile's column that belongs to the triangle, where it is in local storage, its length)
  template <class Visit>
  void each_column(Visit const& visit, Index ld) const {
    for (Index j = 0; j < tiles(); ++j) {
      for (Index i = j; i < tiles(); ++i) {
        if (begins_[index(i, j)] < 0) continue;
        auto const row = lower_ ? i : j;
        auto const col = lower_ ? j : i;
        auto const rows = extent(row);
        auto const corner = distribution_.rows().local(row * nb()) + distribution_.cols().local(col * nb()) * ld;
        for (Index c = 0; c < extent(col); ++c) {
          auto const first = i == j && lower_ ? c : 0;
          auto const last = i == j && !lower_ ? c + 1 : rows;
          visit(at(i, j) + c * rows + first, corner + first + c * ld, last - first);
        }
      }
    }
  }

  Distribution distribution_;
  bool lower_;
  blas::Triangle triangle_;
  std::vector<Index> begins_;  ///< of tiles in tiles_memory_; -1: another rank's
  mutable std::vector<Element> tiles_memory_;
  mutable std::mutex mutex_;
  mutable Index info_ = 0;
};

}  // namespace

template <class T>
CholeskyReport cholesky(Matrix<T> const& a, Uplo uplo, CholeskyOptions const& options) {
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("a", a, a.rows(), a.rows(), comm);
    ensure(options.nb >= 0, "nb", options.nb, "a tile size, or 0 for one that is chosen");
    ensure(options.workers >= 1, "workers", options.workers, "at least 1");
  });
  CholeskyReport report;
  report.nb = tile_size(a.distribution(), options.nb);
  auto const tiles = tiled(a.distribution(), report.nb);
  report.moved = !same_places(a.distribution(), tiles);
  auto const work = report.moved ? Matrix<T>::allocate(comm, tiles) : a;
  if (report.moved) redistribute(a, work);
  RunningCholesky<T> graph(tiles, uplo, comm.rank());
  graph.read(work.part());
  {
    blas::OneThread const alone(options.workers > 1);
    tasks::RunOptions const run{
        .workers = options.workers, .way = options.way, .record = options.record, .attend = options.attend};
    report.run = tasks::run(graph, comm, run);
  }
  graph.write(work.part());
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
