// Products with the Q of a tile QR, and its columns.
#include <algorithm>

#include "allport/linalg/redistribute.h"
#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/matrix/blas_threads.h"
#include "linalg/matrix/checks.h"
#include "qr_reflectors.h"

namespace allport {

namespace {

using detail::LocalTiles;

/// QrGraph with given reflectors, on a rank's tiles.
template <class T>
class RunningProduct final : public QrGraph {
 public:
  using Element = T;

  RunningProduct(QrReflectors<T>& q, Distribution const& c, QrScope scope, LocalTiles<T>& tiles)
      : QrGraph(q.distribution, c, scope, q.ib, scalar_of<T>), q_(q), tiles_(tiles) {}

  std::span<std::byte> memory(Tile t) const override {
    if (t.kind == read) return detail::bytes_at(q_.tile(t.i, t.j).v, q_.elements_of(t.i, t.j));
    if (t.kind == read_tree) return detail::bytes_at(q_.tree(t.i, t.j).v, q_.elements_of_tree(t.i, t.j));
    return detail::bytes_at(tiles_.at(t.i, t.j), rows_of(t.i) * cols_of(t.j));
  }
  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) {
      if constexpr (requires { task.apply(*this, context); }) task.apply(*this, context);
    });
  }

  [[nodiscard]] T* at(std::int32_t i, std::int32_t j) const { return tiles_.at(i, j); }

 private:
  QrReflectors<T>& q_;
  LocalTiles<T>& tiles_;
};

/// Panels whose reflectors are applied at the same time: some of each process column, but not all, so that a rank with
/// few columns of C does not store the reflectors of the whole matrix.
std::int32_t panels_at_once(Distribution const& factors) { return 4 * factors.cols().parts(); }

/// @param c  distribution of the tiles
template <class T>
tasks::RunReport multiply(QrReflectors<T>& q, Distribution const& c, QrScope scope, LocalTiles<T>& tiles,
                          QrOptions const& options) {
  blas::OneThread const alone(options.workers > 1);
  tasks::RunReport sum;
  auto const all = q.panels();
  auto const step = panels_at_once(q.distribution);
  for (std::int32_t done = 0; done < all; done += step) {
    auto const now = std::min(step, all - done);
    scope.first_panel = scope.adjoint ? done : all - done - now;
    scope.end_panel = scope.first_panel + now;
    RunningProduct<T> const graph(q, c, scope, tiles);
    sum.add(tasks::run(
        graph, q.comm,
        {.call = "apply_q", .workers = options.workers, .multicast = options.tree, .attend = options.attend}));
  }
  return sum;
}

/// The distribution of C for a product: rows and grid of the factors; C's own columns if their blocks are whole and
/// short, else one share per process column.
Distribution distribution_of_c(Distribution const& factors, Distribution const& c) {
  auto const& cols = c.cols();
  auto const nb = factors.rows().nb();
  if (c.grid() == factors.grid() && cols.is_cyclic() && cols.nb() <= 2 * nb) {
    auto const plain = AxisDistribution::cyclic(cols.extent(), cols.parts(), cols.nb(), cols.source());
    if (plain == cols) return {factors.rows(), plain, factors.grid()};
  }
  auto const parts = factors.cols().parts();
  auto const share = std::clamp<Index>((cols.extent() + parts - 1) / parts, 1, nb);
  return {factors.rows(), AxisDistribution::cyclic(cols.extent(), parts, share), factors.grid()};
}

template <class T>
void check_product(QrFactors<T> const& factors, std::string_view name, Matrix<T> const& c, QrOptions const& options) {
  detail::check_operand(name, c, factors.rows(), c.cols(), factors.comm());
  ensure(options.workers >= 1, "workers", options.workers, "at least 1");
}

template <class T>
QrReflectors<T>& memory_of(QrFactors<T> const& factors) {
  // Graphs have one function for spans that are read and written; a product does not write the reflectors.
  return const_cast<QrReflectors<T>&>(factors.reflectors());
}

}  // namespace

template <class T>
QrReport apply_q(QrFactors<T> const& factors, Trans trans, Matrix<std::type_identity_t<T>> const& c,
                 QrOptions const& options) {
  auto const& comm = factors.comm();
  bool const complex = scalar_of<T> == Scalar::c || scalar_of<T> == Scalar::z;
  auto const want = distribution_of_c(factors.distribution(), c.distribution());
  std::optional<LocalTiles<T>> tiles;
  std::optional<Matrix<T>> work;
  QrReport report;
  report.nb = factors.distribution().rows().nb();
  report.moved = !(c.distribution().grid() == want.grid()) || !same_places(c.distribution(), want);
  detail::on_all(comm, [&] {
    check_product(factors, "c", c, options);
    ensure(!complex || trans != Trans::transpose, "trans", "transposed", "none, or the conjugate transposed", "",
           ErrorKind::unsupported);
    tiles.emplace(detail::tiles_for<T>(want, comm.rank()));
    work = report.moved ? Matrix<T>::allocate(comm, want) : c;
  });
  if (c.cols() == 0) return report;
  if (report.moved) redistribute(c, *work);
  auto const part = work->part();
  detail::load_tiles(*tiles, want, comm.rank(), part);
  QrScope const scope{.factors = false, .adjoint = trans != Trans::none};
  report.run = multiply(memory_of(factors), want, scope, *tiles, options);
  detail::store_tiles(*tiles, want, comm.rank(), part);
  if (report.moved) redistribute(*work, c);
  return report;
}

template <class T>
QrReport form_q(QrFactors<T> const& factors, Matrix<std::type_identity_t<T>> const& q, QrOptions const& options) {
  auto const& comm = factors.comm();
  auto const& d = factors.distribution();
  auto const nb = d.rows().nb();
  QrReport report;
  report.nb = nb;
  std::optional<LocalTiles<T>> tiles;
  std::optional<Matrix<T>> work;
  Distribution want;
  detail::on_all(comm, [&] {
    check_product(factors, "q", q, options);
    ensure(q.cols() <= factors.rows(), "q", fmt::format("{} x {}", q.rows(), q.cols()),
           fmt::format("at most the {} columns of Q", factors.rows()));
    want = {d.rows(), AxisDistribution::cyclic(q.cols(), d.cols().parts(), nb, d.cols().source()), d.grid()};
    report.moved = !(q.distribution().grid() == want.grid()) || !same_places(q.distribution(), want);
    tiles.emplace(detail::tiles_for<T>(want, comm.rank()));
    work = report.moved ? Matrix<T>::allocate(comm, want) : q;
  });
  if (q.cols() == 0) return report;
  auto const part = work->part();
  detail::each_tile(want, comm.rank(), part, [&](auto i, auto j, Index m, Index n, T const*) {
    if (i != j) return;  // memory is zero
    for (Index c = 0; c < std::min(m, n); ++c) tiles->at(i, j)[c * (m + 1)] = T(1);
  });
  QrScope const scope{.factors = false, .adjoint = false, .upper = true};
  report.run = multiply(memory_of(factors), want, scope, *tiles, options);
  detail::store_tiles(*tiles, want, comm.rank(), part);
  if (report.moved) redistribute(*work, q);
  return report;
}

#define ALLPORT_QR_PRODUCT(T)                                                                   \
  template QrReport apply_q<T>(QrFactors<T> const&, Trans, Matrix<T> const&, QrOptions const&); \
  template QrReport form_q<T>(QrFactors<T> const&, Matrix<T> const&, QrOptions const&);
ALLPORT_FOR_SCALARS(ALLPORT_QR_PRODUCT)

}  // namespace allport
