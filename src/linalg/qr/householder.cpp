// LAPACK's V and tau from the Q of a tile QR.
#include "allport/linalg/householder.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "allport/linalg/redistribute.h"
#include "householder_graph.h"
#include "linalg/matrix/blas_threads.h"
#include "linalg/matrix/checks.h"
#include "linalg/solve/solve_grid.h"
#include "qr_reflectors.h"

namespace allport {

namespace {

/// HouseholderGraph on a rank's tiles. Tau and the signs are those of its diagonal tiles, zeros elsewhere.
template <class T>
class RunningHouseholder final : public HouseholderGraph {
 public:
  mutable std::vector<T> tau;
  mutable std::vector<double> sign;

  RunningHouseholder(Distribution const& d, detail::LocalTiles<T>& tiles)
      : HouseholderGraph(d, scalar_of<T>),
        tau(static_cast<std::size_t>(d.cols().extent())),
        sign(tau.size(), 0.0),
        rows_in_all_(d.rows().extent()),
        nb_(d.rows().nb()),
        tiles_(tiles) {}

  std::span<std::byte> memory(Tile t) const override { return detail::bytes_at(tile(t), rows_of(t.i) * cols_of(t.j)); }
  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }

  [[nodiscard]] T* tile(Task t) const { return tiles_.at(t.i, t.j); }
  static T const* given(TaskContext const& context, int input) { return detail::elements_in<T>(context, input); }
  /// The columns of diagonal tile k of Q - S = V U. The sign makes the pivot at least 1 in magnitude, as in LAPACK's
  /// larfg.
  void eliminate(T* a, Index m, Index n, Index k) const {
    constexpr bool is_real = std::is_same_v<T, float> || std::is_same_v<T, double>;
    auto const first = k * nb_;
    for (Index c = 0; c < n; ++c) {
      auto const at = static_cast<std::size_t>(first + c);
      auto const q = a[c + c * m];
      bool const positive = std::real(q) > 0;
      if (is_real && first + c + 1 == rows_in_all_) {  // nothing below: LAPACK leaves H = I
        sign[at] = positive ? 1 : -1;
        return;
      }
      sign[at] = positive ? -1 : 1;
      auto const s = T(static_cast<float>(sign[at]));
      auto const pivot = a[c + c * m] = q - s;
      tau[at] = -s * pivot;
      for (Index r = c + 1; r < m; ++r) a[r + c * m] /= pivot;
      for (Index j = c + 1; j < n; ++j) {
        auto const x = a[c + j * m];
        for (Index r = c + 1; r < m; ++r) a[r + j * m] -= a[r + c * m] * x;
      }
    }
  }

 private:
  Index rows_in_all_;
  Index nb_;
  detail::LocalTiles<T>& tiles_;
};

/// Sums tau and the signs over all ranks.
template <class T>
void sum_up(Communicator const& comm, std::vector<T>& tau, std::vector<double>& sign) {
  std::vector<double> words;
  for (std::size_t j = 0; j < tau.size(); ++j) {
    words.insert(words.end(),
                 {static_cast<double>(std::real(tau[j])), static_cast<double>(std::imag(tau[j])), sign[j]});
  }
  detail::sum_over_all(comm, std::span(words));
  for (std::size_t j = 0; j < tau.size(); ++j) {
    using Real = decltype(std::abs(T()));
    if constexpr (std::is_same_v<T, Real>) {
      tau[j] = static_cast<T>(words[3 * j]);
    } else {
      tau[j] = T(static_cast<Real>(words[3 * j]), static_cast<Real>(words[3 * j + 1]));
    }
    sign[j] = words[3 * j + 2];
  }
}

/// Writes V below A's diagonal, and applies the signs to the rows of R.
template <class T>
void write_v(Matrix<T> const& a, Matrix<T> const& v, std::vector<double> const& sign) {
  auto const& d = a.distribution();
  v.for_each([&](Index i, Index j, T const& x) {
    if (i > j) a.data()[d.rows().local(i) + d.cols().local(j) * a.ld()] = x;
  });
  a.for_each([&](Index i, Index j, T& x) {
    if (i <= j && sign[static_cast<std::size_t>(i)] < 0) x = -x;
  });
}

}  // namespace

template <class T>
QrReport geqrf(Matrix<T> const& a, std::vector<T>& tau, QrOptions const& options) {
  auto const& comm = a.comm();
  QrReport report;
  std::optional<QrFactors<T>> factors(qr(a, options, &report));
  auto const d = factors->distribution();
  auto const k = std::min(a.rows(), a.cols());
  Distribution const tiles_of_q(d.rows(), d.cols().head(k), d.grid());
  std::optional<Matrix<T>> q;
  std::optional<detail::LocalTiles<T>> tiles;
  detail::on_all(comm, [&] {
    q = Matrix<T>::allocate(comm, tiles_of_q);
    tiles = detail::tiles_for<T>(tiles_of_q, comm.rank());
  });
  form_q(*factors, *q, options);
  factors.reset();
  detail::load_tiles(*tiles, tiles_of_q, comm.rank(), q->part());
  RunningHouseholder<T> const graph(tiles_of_q, *tiles);
  {
    blas::OneThread const alone(options.workers > 1);
    static_cast<void>(
        tasks::run(graph, comm,
                   {.call = "geqrf", .workers = options.workers, .multicast = options.tree, .attend = options.attend}));
  }
  detail::store_tiles(*tiles, tiles_of_q, comm.rank(), q->part());
  tau = std::move(graph.tau);
  sum_up(comm, tau, graph.sign);
  auto const& wanted = a.distribution();
  Distribution const as_a(wanted.rows(), wanted.cols().head(k), wanted.grid());
  auto const v = report.moved ? detail::allocate_on_all<T>(comm, as_a) : *q;
  if (report.moved) redistribute(*q, v);
  write_v(a, report.moved ? v : Matrix<T>(comm, as_a, q->data(), q->ld()), graph.sign);
  return report;
}

#define ALLPORT_GEQRF(T) template QrReport geqrf(Matrix<T> const&, std::vector<T>&, QrOptions const&);
ALLPORT_FOR_SCALARS(ALLPORT_GEQRF)

}  // namespace allport
