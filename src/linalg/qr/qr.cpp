// Runs tile QR: the graph with bodies.
#include "allport/linalg/qr.h"

#include <algorithm>

#include "allport/linalg/redistribute.h"
#include "linalg/cholesky/cholesky_tiles.h"
#include "linalg/matrix/checks.h"
#include "linalg/plan/tiled_run.h"
#include "qr_reflectors.h"
#include "qr_tiles.h"

namespace allport {

namespace {

using detail::LocalTiles;

/// QrGraph on a rank's tiles. Those on and below the diagonal are overwritten by their reflectors; the triangle R of a
/// panel is stored beside them and passed from head to head.
template <class T>
class RunningQr final : public QrGraph {
 public:
  using Element = T;

  explicit RunningQr(QrReflectors<T>& made)
      : QrGraph(made.distribution, made.distribution, {.end_panel = made.panels()}, made.ib, scalar_of<T>),
        made_(made),
        above_(whole_tiles(made.distribution.rows()), whole_tiles(made.distribution.cols()), made.distribution,
               made.comm.rank(),
               [&](std::int32_t i, std::int32_t j) { return is_below(i, j) ? Index(0) : rows_of(i) * cols_of(j); }) {}

  std::span<std::byte> memory(Tile t) const override {
    if (is_below(t.i, t.j)) return detail::bytes_at(made_.tile(t.i, t.j).v, made_.elements_of(t.i, t.j));
    return detail::bytes_at(above_.at(t.i, t.j), rows_of(t.i) * cols_of(t.j));
  }

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) {
      if constexpr (requires { task.factor(*this, context); }) task.factor(*this, context);
      if constexpr (requires { task.apply(*this, context); }) task.apply(*this, context);
    });
  }

  [[nodiscard]] T* at(std::int32_t i, std::int32_t j) const {
    return is_below(i, j) ? made_.tile(i, j).v : above_.at(i, j);
  }
  [[nodiscard]] blas::Block<T> reflectors(std::int32_t i, std::int32_t k) const { return made_.tile(i, k); }
  [[nodiscard]] T* triangle(std::int32_t i, std::int32_t k) const { return made_.tree(i, k).v; }

  void read(Part<T> a) {
    detail::each_tile(made_.distribution, made_.comm.rank(), a, [&](auto i, auto j, Index m, Index n, T const* from) {
      for (Index c = 0; c < n; ++c) std::copy_n(from + c * a.ld, m, at(i, j) + c * m);
    });
  }
  void write(Part<T> a) const {
    detail::each_tile(made_.distribution, made_.comm.rank(), a, [&](auto i, auto j, Index m, Index n, T* to) {
      for (Index c = 0; c < n; ++c) {
        std::copy_n(at(i, j) + c * m, m, to + c * a.ld);
        if (i == j) std::copy_n(triangle(i, j) + c * triangle_rows(i, j), std::min(c + 1, m), to + c * a.ld);
      }
    });
  }

 private:
  static Index whole_tiles(AxisDistribution const& axis) { return (axis.extent() + axis.nb() - 1) / axis.nb(); }
  [[nodiscard]] bool is_below(std::int32_t i, std::int32_t j) const { return j <= i && j < scope().end_panel; }

  QrReflectors<T>& made_;
  mutable LocalTiles<T> above_;
};

}  // namespace

template <class T>
QrFactors<T>::QrFactors(std::shared_ptr<QrReflectors<T> const> reflectors) : reflectors_(std::move(reflectors)) {}
template <class T>
Index QrFactors<T>::rows() const {
  return distribution().rows().extent();
}
template <class T>
Index QrFactors<T>::cols() const {
  return distribution().cols().extent();
}
template <class T>
Communicator const& QrFactors<T>::comm() const {
  return reflectors_->comm;
}
template <class T>
Distribution const& QrFactors<T>::distribution() const {
  return reflectors_->distribution;
}
template <class T>
Bytes QrFactors<T>::memory() const {
  return reflectors_->bytes();
}

template <class T>
QrFactors<T> qr(Matrix<T> const& a, QrOptions const& options, QrReport* report) {
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("a", a, a.rows(), a.cols(), comm);
    detail::check_tiling(options);
  });
  QrReport done;
  QrProblem const problem{a.rows(), a.cols(), scalar_of<T>};
  done.nb = options.nb > 0 ? options.nb : qr_tile(problem, a.distribution(), comm.machine(), options.workers);
  auto const tiles = tiled(a.distribution(), done.nb);
  done.moved = !same_places(a.distribution(), tiles);
  std::shared_ptr<QrReflectors<T>> made;
  std::optional<Matrix<T>> work;
  std::unique_ptr<RunningQr<T>> graph;
  detail::on_all(comm, [&] {
    made = std::make_shared<QrReflectors<T>>(comm, tiles, std::min(qr_inner_block, done.nb));
    graph = std::make_unique<RunningQr<T>>(*made);
    work = done.moved ? Matrix<T>::allocate(comm, tiles) : a;
  });
  if (done.moved) redistribute(a, *work);
  graph->read(work->part());
  done.run = detail::factor_by_tasks("qr", *graph, comm, options);
  graph->write(work->part());
  if (done.moved) redistribute(*work, a);
  if (report != nullptr) *report = std::move(done);
  return QrFactors<T>(std::move(made));
}

template <class T>
void copy_r(Matrix<std::type_identity_t<T> const> const& factored, Matrix<T> const& r) {
  auto const k = std::min(factored.rows(), factored.cols());
  detail::on_all(r.comm(), [&] {
    detail::check_operand("factored", factored, factored.rows(), factored.cols(), r.comm());
    detail::check_operand("r", r, k, factored.cols(), r.comm());
  });
  auto const& d = factored.distribution();
  redistribute(Matrix<T const>(factored.comm(), Distribution(d.rows().head(k), d.cols(), d.grid()), factored.data(),
                               factored.ld()),
               r);
  r.for_each([](Index i, Index j, T& x) {
    if (i > j) x = T(0);
  });
}

#define ALLPORT_QR(T)                                                \
  template void copy_r<T>(Matrix<T const> const&, Matrix<T> const&); \
  template class QrFactors<T>;                                       \
  template QrFactors<T> qr(Matrix<T> const&, QrOptions const&, QrReport*);
ALLPORT_FOR_SCALARS(ALLPORT_QR)

}  // namespace allport
