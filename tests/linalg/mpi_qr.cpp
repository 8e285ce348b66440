// QR over odd grids, tiles, shapes and distributions: R beside LAPACK's, Q's columns, products with it.
#include "allport/linalg/qr.h"

#include <complex>
#include <limits>
#include <random>
#include <vector>

#include "comm/world.h"
#include "linalg/any_workers.h"
#include "linalg/geqrf_of_lapack.h"
#include "linalg/whole.h"

namespace allport::testing {
namespace {

using namespace samples;

/// R's rows up to their signs are LAPACK's, where the matrix has full rank and is not too ill-conditioned.
template <class T>
void expect_lapacks(Whole<T> a, Whole<T> const& r) {
  static_cast<void>(geqrf_of_lapack(a));
  auto const wanted = upper(a);
  auto const bound = 3000 * eps<T>() * (1 + frobenius(a));
  for (Index j = 0; j < r.cols; ++j) {
    for (Index i = 0; i <= std::min(j, r.rows - 1); ++i) {
      EXPECT_NEAR(double(std::abs(r(i, j))), double(std::abs(wanted(i, j))), bound) << i << ", " << j;
    }
  }
}

/// Backward error and orthogonality in units of eps, Q explicit, square where that is asked.
template <class T>
void factors_well(Communicator const& comm, Distribution const& d, Whole<T> const& a, QrOptions const& options,
                  bool regular = true) {
  SCOPED_TRACE(fmt::format("{} x {} on {} x {} nb {}", a.rows, a.cols, d.grid().rows(), d.grid().cols(), options.nb));
  Held<T> held(comm, d, 3);
  set(held, a);
  auto const factors = qr(held.matrix, options);
  EXPECT_EQ(held.overwritten(), 0);
  auto const r = upper(gathered(held.matrix));
  auto const k = std::min(a.rows, a.cols);
  auto const q_cols = AxisDistribution::balanced(k, d.grid().cols());
  Held<T> q(comm, {AxisDistribution::balanced(a.rows, d.grid().rows()), q_cols, d.grid()}, 2);
  form_q(factors, q.matrix, options);
  EXPECT_EQ(q.overwritten(), 0);
  auto const columns = gathered(q.matrix);
  if (comm.rank() != 0 || k == 0) return;
  auto const unit = eps<T>() * std::sqrt(double(std::max(a.rows, a.cols)));
  EXPECT_LE(frobenius(minus(times(false, columns, r), a)), 8 * unit * frobenius(a));
  auto gram = times(true, columns, columns);
  for (Index i = 0; i < k; ++i) gram(i, i) -= T(1);
  EXPECT_LE(frobenius(gram), 12 * unit * std::sqrt(double(k)));
  if (regular) expect_lapacks(a, r);
}

TEST(Qr, TakesTilesByPriceWhereNobodyNamesThem) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = grids(comm.size()).back();
  for (auto const& [m, n] : {std::pair<Index, Index>(300, 40), {900, 700}, {0, 4}}) {
    Distribution const d(AxisDistribution::cyclic(m, grid.rows(), 4), AxisDistribution::cyclic(n, grid.cols(), 4),
                         grid);
    Held<double> held(comm, d, 0);
    held.matrix.for_each([](Index i, Index j, double& x) { x = double((i * 7 + j * 13) % 11); });
    QrReport report;
    qr(held.matrix, {}, &report);
    EXPECT_GE(report.nb, 64);
    EXPECT_LE(report.nb, 512);
    auto const all = comm.all_gather(std::span(&report.nb, 1));
    EXPECT_EQ(std::ranges::count(all, report.nb), std::ssize(all));
    if (m == 900 && comm.size() > 1) EXPECT_LT(report.nb, 512);  // one tile would leave ranks without work
  }
}

TEST(Qr, IsOrthogonalAndLapacksOnEveryGridTypeAndShape) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& [m, n] : {std::pair<Index, Index>(0, 0),
                               {0, 4},
                               {4, 0},
                               {1, 1},
                               {1, 9},
                               {9, 1},
                               {37, 37},
                               {61, 13},
                               {17, 50},
                               {40, 32}}) {
      for (Index const nb : {1, 4, 7, 50}) {
        if ((nb == 1 && m * n > 40) || (comm.size() > 7 && nb != 4)) continue;
        auto const d = cyclic(grid, m, n, nb);
        QrOptions const options{.nb = nb, .workers = 1 + int(m % 2)};
        auto const seed = unsigned(m * 100 + n);
        factors_well(comm, d, random_whole<double>(m, n, seed), options);
        if (nb != 4) continue;
        factors_well(comm, d, random_whole<float>(m, n, seed), options);
        factors_well(comm, d, random_whole<std::complex<float>>(m, n, seed), options);
        factors_well(comm, d, random_whole<std::complex<double>>(m, n, seed), options);
      }
    }
  }
}

TEST(Qr, InnerBlocksOfLargerTiles) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    factors_well(comm, cyclic(grid, 230, 97, 45), random_whole<double>(230, 97, 5), {.nb = 45});
    factors_well(comm, cyclic(grid, 97, 130, 45), random_whole<std::complex<double>>(97, 130, 6), {.nb = 45});
  }
}

TEST(Qr, TakesAnyDistribution) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Index const m = 41;
  Index const n = 29;
  auto const a = random_whole<double>(m, n, 3);
  for (auto const& grid : grids(comm.size())) {
    auto const p = grid.rows();
    auto const q = grid.cols();
    for (auto const& [rows, cols] :
         {std::pair(AxisDistribution::balanced(m, p), AxisDistribution::balanced(n, q)),
          std::pair(AxisDistribution::cyclic(m, p, 3), AxisDistribution::cyclic(n, q, 5)),
          std::pair(AxisDistribution::cyclic(m, p, 6, 0, 2), AxisDistribution::cyclic(n, q, 6, 0, 2))}) {
      factors_well(comm, {rows, cols, grid}, a, {.nb = 6});
      factors_well(comm, {rows, cols, grid}, a, {});
    }
  }
}

TEST(Qr, HasTheSameBitsOnAnyWorkers) {
  same_bits_on_any_workers(900, 700, []<class T>(Held<T>& held, int workers) {
    set(held, random_whole<T>(900, 700, 9));
    static_cast<void>(qr(held.matrix, {.nb = 250, .workers = workers}));
  });
}

TEST(Qr, FactorsWhatHasNotFullRank) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    auto const d = cyclic(grid, 30, 20, 4);
    factors_well(comm, d, Whole<double>(30, 20), {.nb = 4}, false);
    auto const low = times(false, random_whole<double>(30, 3, 1), random_whole<double>(3, 20, 2));
    factors_well(comm, d, low, {.nb = 4}, false);
    auto graded = random_whole<double>(30, 20, 7);
    for (Index j = 0; j < 20; ++j) {
      for (Index i = 0; i < 30; ++i) graded(i, j) *= std::pow(10.0, double(j) - 10);
    }
    factors_well(comm, d, graded, {.nb = 4}, false);
  }
}

/// Q^H (Q C) is C again, and Q C has the columns that form_q() gives, for C of any distribution.
template <class T>
void multiplies(Communicator const& comm, ProcessGrid const& grid, Index m, Index n, Index columns, Index nb) {
  SCOPED_TRACE(fmt::format("{} x {}, C {} on {} x {}", m, n, columns, grid.rows(), grid.cols()));
  Held<T> a(comm, cyclic(grid, m, n, 5), 0);
  set(a, random_whole<T>(m, n, 11));
  auto const factors = qr(a.matrix, {.nb = 5});
  auto const c = random_whole<T>(m, columns, 12);
  Distribution const d(nb == 0 ? AxisDistribution::balanced(m, grid.rows())
                               : AxisDistribution::cyclic(m, grid.rows(), 5, grid.rows() - 1),
                       AxisDistribution::cyclic(columns, grid.cols(), nb == 0 ? 3 : nb), grid);
  Held<T> held(comm, d, 1);
  set(held, c);
  Held<T> square(comm, cyclic(grid, m, m, 5), 0);
  form_q(factors, square.matrix);
  auto const q = gathered(square.matrix);
  apply_q(factors, Trans::none, held.matrix);
  auto const there = gathered(held.matrix);
  apply_q(factors, Trans::conjugate, held.matrix);
  EXPECT_EQ(held.overwritten(), 0);
  auto const back = gathered(held.matrix);
  if (comm.rank() != 0) return;
  auto const bound = 20 * eps<T>() * std::sqrt(double(m)) * (1 + frobenius(c));
  EXPECT_LE(frobenius(minus(times(false, q, c), there)), bound);
  EXPECT_LE(frobenius(minus(back, c)), bound);
}

TEST(Qr, MultipliesFromTheLeft) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    for (auto const& [m, n] : {std::pair<Index, Index>(33, 20), {20, 33}, {1, 1}, {0, 3}, {3, 0}, {48, 3}}) {
      for (auto const& [columns, nb] : {std::pair<Index, Index>(1, 1), {7, 2}, {30, 5}, {0, 4}, {9, 0}}) {
        multiplies<double>(comm, grid, m, n, columns, nb);
      }
    }
    multiplies<float>(comm, grid, 33, 20, 7, 2);
    multiplies<std::complex<float>>(comm, grid, 33, 20, 7, 2);
    multiplies<std::complex<double>>(comm, grid, 33, 20, 7, 2);
  }
}

TEST(Qr, SendsWhatItsGraphCounts) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  for (auto const& grid : grids(comm.size())) {
    auto const d = cyclic(grid, 70, 45, 8);
    Held<double> held(comm, d, 0);
    set(held, random_whole<double>(70, 45, 1));
    QrReport report;
    auto const factors = qr(held.matrix, {.nb = 8, .tree = MulticastTree::flat}, &report);
    auto const of = [&](TaskGraph const& graph) {
      auto const counts = graph::count(graph, *graph::flat());
      return std::size_t(comm.rank()) < counts.size() ? counts[std::size_t(comm.rank())] : graph::Count{};
    };
    auto const mine = of(*qr_graph(d));
    EXPECT_EQ(report.run.count.tasks, mine.tasks);
    EXPECT_EQ(report.run.count.traffic, mine.traffic);
    EXPECT_NEAR(report.run.count.flops, mine.flops, 1e-9 * mine.flops);
    Distribution const c(d.rows(), AxisDistribution::cyclic(11, grid.cols(), 3), grid);
    Held<double> other(comm, c, 0);
    auto const done = apply_q(factors, Trans::conjugate, other.matrix, {.tree = MulticastTree::flat});
    // A few panels at a time, so that the sum is one graph's.
    EXPECT_EQ(done.run.count.traffic, of(*apply_q_graph(d, c, true)).traffic);
  }
}

TEST(Qr, NaNFlowsIntoTheFactors) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(comm.size(), 1);
  Held<double> held(comm, cyclic(grid, 20, 8, 4), 0);
  auto a = random_whole<double>(20, 8, 2);
  a(13, 5) = std::numeric_limits<double>::quiet_NaN();
  set(held, a);
  static_cast<void>(qr(held.matrix, {.nb = 4}));
  auto const r = gathered(held.matrix);
  if (comm.rank() != 0) return;
  EXPECT_FALSE(std::isnan(r(4, 4)));
  EXPECT_TRUE(std::isnan(r(5, 5)));
}

TEST(Qr, NamesWhatIsWrong) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  auto const grid = ProcessGrid::column_major(1, comm.size());
  auto const d = cyclic(grid, 6, 7, 2);
  std::vector<double> a(100);
  auto const of = [&](Part<double> part, QrOptions const& options) {
    return error_of([&] { static_cast<void>(qr(Matrix<double>(comm, d, part.data, part.ld), options)); });
  };
  EXPECT_NE(of({a.data(), 5}, {}), "");
  EXPECT_NE(of({nullptr, 6}, {}), "");
  EXPECT_NE(of({a.data(), 6}, {.nb = -1}).find("nb = -1"), std::string::npos);
  EXPECT_NE(of({a.data(), 6}, {.workers = 0}).find("workers = 0"), std::string::npos);
  auto const factors = qr(Matrix<double>(comm, d, a.data(), 6), {.nb = 2});
  auto const wrong = Matrix<double>::zeros(comm, cyclic(grid, 5, 3, 2));
  EXPECT_NE(error_of([&] { apply_q(factors, Trans::none, wrong); }).find("c = '5 x 3'"), std::string::npos);
  auto const wide = Matrix<double>::zeros(comm, cyclic(grid, 6, 7, 2));
  EXPECT_NE(error_of([&] { form_q(factors, wide); }).find("q = '6 x 7'"), std::string::npos);
  auto const z = Matrix<std::complex<double>>::zeros(comm, d);
  auto const of_z = qr(z);
  EXPECT_NE(error_of([&] { apply_q(of_z, Trans::transpose, z); }).find("trans"), std::string::npos);
}

}  // namespace
}  // namespace allport::testing
