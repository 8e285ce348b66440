// never_slower_scalapack ROUTINE TYPE N NB ROWS COLS: times calls of one ScaLAPACK routine, the first and later ones,
// as a program that knows nothing of Allport does them. `bench/never_slower` runs it with and without the library
// preloaded. Prints JSON: seconds of the slowest process, and two numbers that are the result's.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
void Cblacs_get(int, int, int*);
void Cblacs_gridinit(int*, char const*, int, int);
void Cblacs_gridinfo(int, int*, int*, int*, int*);
void descinit_(int*, int const*, int const*, int const*, int const*, int const*, int const*, int const*, int const*,
               int*);
int numroc_(int const*, int const*, int const*, int const*, int const*);
}

namespace {

using Text = char const*;
using Int = int const*;

// The routines of one type, by their Fortran names; lengths of letters at the end are left out, as C programs do.
template <class T>
struct Routines;
#define NEVER_SLOWER_ROUTINES(T, p, q)                                                                             \
  extern "C" {                                                                                                     \
  void p##gemm_(Text, Text, Int, Int, Int, T const*, T*, Int, Int, Int, T*, Int, Int, Int, T const*, T*, Int, Int, \
                Int);                                                                                              \
  void p##getrf_(Int, Int, T*, Int, Int, Int, int*, int*);                                                         \
  void p##getrs_(Text, Int, Int, T*, Int, Int, Int, int*, T*, Int, Int, Int, int*);                                \
  void p##gesv_(Int, Int, T*, Int, Int, Int, int*, T*, Int, Int, Int, int*);                                       \
  void p##potrf_(Text, Int, T*, Int, Int, Int, int*);                                                              \
  void p##potrs_(Text, Int, Int, T*, Int, Int, Int, T*, Int, Int, Int, int*);                                      \
  void p##posv_(Text, Int, Int, T*, Int, Int, Int, T*, Int, Int, Int, int*);                                       \
  void p##geqrf_(Int, Int, T*, Int, Int, Int, T*, T*, Int, int*);                                                  \
  void p##q##gqr_(Int, Int, Int, T*, Int, Int, Int, T*, T*, Int, int*);                                            \
  void p##q##mqr_(Text, Text, Int, Int, Int, T*, Int, Int, Int, T*, T*, Int, Int, Int, T*, Int, int*);             \
  void p##gels_(Text, Int, Int, Int, T*, Int, Int, Int, T*, Int, Int, Int, T*, Int, int*);                         \
  }                                                                                                                \
  template <>                                                                                                      \
  struct Routines<T> {                                                                                             \
    static constexpr auto gemm = p##gemm_;                                                                         \
    static constexpr auto getrf = p##getrf_;                                                                       \
    static constexpr auto getrs = p##getrs_;                                                                       \
    static constexpr auto gesv = p##gesv_;                                                                         \
    static constexpr auto potrf = p##potrf_;                                                                       \
    static constexpr auto potrs = p##potrs_;                                                                       \
    static constexpr auto posv = p##posv_;                                                                         \
    static constexpr auto geqrf = p##geqrf_;                                                                       \
    static constexpr auto orgqr = p##q##gqr_;                                                                      \
    static constexpr auto ormqr = p##q##mqr_;                                                                      \
    static constexpr auto gels = p##gels_;                                                                         \
  };
NEVER_SLOWER_ROUTINES(float, ps, or)
NEVER_SLOWER_ROUTINES(double, pd, or)
NEVER_SLOWER_ROUTINES(std::complex<float>, pc, un)
NEVER_SLOWER_ROUTINES(std::complex<double>, pz, un)

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

struct Grid {
  int context = 0, rows = 1, cols = 1, row = 0, col = 0, block = 64;
};

/// -1 ... 1, by a place in a matrix.
double number(std::int64_t i, std::int64_t j, std::uint64_t seed) {
  auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(j) + seed;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

template <class T>
T entry(std::int64_t i, std::int64_t j, std::uint64_t seed) {
  if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(number(i, j, seed)),
             static_cast<typename T::value_type>(number(i, j, seed + 1)));
  } else {
    return static_cast<T>(number(i, j, seed));
  }
}

/// A matrix in the blocks of a grid, and what it was at first.
template <class T>
struct Matrix {
  int m, n, local_m, local_n;
  Grid grid;
  std::vector<T> values, fresh;
  int desc[9]{};

  Matrix(Grid const& on, int rows, int cols) : m(rows), n(cols), grid(on) {
    int const zero = 0;
    local_m = numroc_(&m, &grid.block, &grid.row, &zero, &grid.rows);
    local_n = numroc_(&n, &grid.block, &grid.col, &zero, &grid.cols);
    int const ld = std::max(1, local_m);
    int info = 0;
    descinit_(desc, &m, &n, &grid.block, &grid.block, &zero, &zero, &grid.context, &ld, &info);
    values.resize(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(1, local_n)));
  }
  /// act(value, row, column), of the whole matrix
  template <class Act>
  void each(Act const& act) {
    for (int j = 0; j < local_n; ++j) {
      for (int i = 0; i < local_m; ++i) {
        act(values[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * static_cast<std::size_t>(local_m)],
            whole(i, grid.row, grid.rows), whole(j, grid.col, grid.cols));
      }
    }
  }
  void fill(std::uint64_t seed) {
    each([&](T& x, std::int64_t i, std::int64_t j) { x = entry<T>(i, j, seed); });
    fresh = values;
  }
  /// Hermitian, positive definite.
  void fill_definite(std::uint64_t seed) {
    each([&](T& x, std::int64_t i, std::int64_t j) {
      x = entry<T>(std::max(i, j), std::min(i, j), seed);
      if constexpr (is_complex<T>) x = i == j ? T(x.real()) : i < j ? std::conj(x) : x;
      if (i == j) x += T(static_cast<float>(2 * n));
    });
    fresh = values;
  }
  void restore() { std::ranges::copy(fresh, values.begin()); }

 private:
  [[nodiscard]] std::int64_t whole(int local, int mine, int all) const {
    return (std::int64_t{local / grid.block} * all + mine) * grid.block + local % grid.block;
  }
};

/// What is called, and whose elements are its result.
template <class T>
class Case {
 public:
  Case(std::string routine, int order, Grid const& grid)
      : name_(std::move(routine)),
        n_(order),
        sides_(name_ == "getrs" || name_ == "potrs" ? std::max(1, order / 4) : 10),
        wide_(name_ == "gels" ? std::max(1, order / 2) : order),
        a_(grid, order, wide_),
        b_(grid, order,
           is("gemm") || name_ == "ormqr" ? order
           : has_sides()                  ? sides_
                                          : 0),
        c_(grid, is("gemm") ? order : 0, is("gemm") ? order : 0),
        pivots_(static_cast<std::size_t>(order + grid.block)),
        tau_(static_cast<std::size_t>(order + grid.block)) {
    if (is("po")) {
      a_.fill_definite(1);
    } else {
      a_.fill(1);
    }
    b_.fill(3);
    c_.fill(5);
    if (name_ == "getrs") call("getrf");
    if (name_ == "potrs") call("potrfL");
    if (name_ == "ormqr" || name_ == "orgqr") {
      work_for("geqrf");
      call("geqrf");
    }
    if (is("getrs") || is("potrs") || is("ormqr") || is("orgqr")) a_.fresh = a_.values;
    work_for(name_);
  }
  void restore() {
    a_.restore();
    b_.restore();
    c_.restore();
  }
  void call() { call(name_); }
  /// The result's norm, and its product with fixed numbers; of LU the mean of log |U(i, i)|, because rows that tie for
  /// a pivot are exchanged in one order or another.
  std::vector<double> result() {
    std::vector<double> sums{0, 0};
    if (name_ == "getrf") {
      a_.each([&](T const& x, std::int64_t i, std::int64_t j) {
        if (i == j) sums[0] += std::log(std::abs(std::complex<double>(x))) / n_;
      });
      MPI_Allreduce(MPI_IN_PLACE, sums.data(), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      return sums;
    }
    auto const add = [&](Matrix<T>& of, int rows) {
      of.each([&](T const& x, std::int64_t i, std::int64_t j) {
        // One triangle of a Cholesky factor is nobody's.
        if (name_ == "potrfL" && i < j) return;
        if (name_ == "potrfU" && i > j) return;
        if (i >= rows) return;
        auto const size = std::abs(std::complex<double>(x));
        sums[0] += size * size;
        sums[1] += std::complex<double>(x).real() * number(i, j, 7);
      });
    };
    if (is("gemm")) {
      add(c_, n_);
    } else if (b_.n > 0) {
      add(b_, wide_);
    } else {
      add(a_, n_);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sums[0] = std::sqrt(sums[0]);
    return sums;
  }

 private:
  [[nodiscard]] bool is(char const* start) const { return name_.starts_with(start); }
  [[nodiscard]] bool has_sides() const {
    return name_ == "getrs" || name_ == "gesv" || name_ == "potrs" || name_ == "posv" || name_ == "gels";
  }
  void work_for(std::string const& routine) {
    work_.resize(1);
    length_ = -1;
    if (routine == "geqrf" || routine == "orgqr" || routine == "ormqr" || routine == "gels") {
      call(routine);
      length_ = static_cast<int>(std::abs(std::complex<double>(work_[0])));
      work_.resize(static_cast<std::size_t>(std::max(1, length_)));
    }
  }
  void call(std::string const& routine) {
    using R = Routines<T>;
    int const one = 1;
    int info = 0;
    T const alpha(1), beta(0);
    auto* const a = a_.values.data();
    auto* const b = b_.values.data();
    if (routine.starts_with("gemm")) {
      std::string const first(1, routine[4]), second(1, routine[5]);
      R::gemm(first.c_str(), second.c_str(), &n_, &n_, &n_, &alpha, a, &one, &one, a_.desc, b, &one, &one, b_.desc,
              &beta, c_.values.data(), &one, &one, c_.desc);
    } else if (routine == "getrf") {
      R::getrf(&n_, &n_, a, &one, &one, a_.desc, pivots_.data(), &info);
    } else if (routine == "getrs") {
      R::getrs("N", &n_, &sides_, a, &one, &one, a_.desc, pivots_.data(), b, &one, &one, b_.desc, &info);
    } else if (routine == "gesv") {
      R::gesv(&n_, &sides_, a, &one, &one, a_.desc, pivots_.data(), b, &one, &one, b_.desc, &info);
    } else if (routine == "potrfL" || routine == "potrfU") {
      R::potrf(routine == "potrfL" ? "L" : "U", &n_, a, &one, &one, a_.desc, &info);
    } else if (routine == "potrs") {
      R::potrs("L", &n_, &sides_, a, &one, &one, a_.desc, b, &one, &one, b_.desc, &info);
    } else if (routine == "posv") {
      R::posv("L", &n_, &sides_, a, &one, &one, a_.desc, b, &one, &one, b_.desc, &info);
    } else if (routine == "geqrf") {
      R::geqrf(&n_, &n_, a, &one, &one, a_.desc, tau_.data(), work_.data(), &length_, &info);
    } else if (routine == "orgqr") {
      R::orgqr(&n_, &n_, &n_, a, &one, &one, a_.desc, tau_.data(), work_.data(), &length_, &info);
    } else if (routine == "ormqr") {
      R::ormqr("L", "N", &n_, &n_, &n_, a, &one, &one, a_.desc, tau_.data(), b, &one, &one, b_.desc, work_.data(),
               &length_, &info);
    } else if (routine == "gels") {
      R::gels("N", &n_, &wide_, &sides_, a, &one, &one, a_.desc, b, &one, &one, b_.desc, work_.data(), &length_, &info);
    } else {
      std::fprintf(stderr, "never_slower_scalapack: ROUTINE = %s: expected gemmNN, gemmTN, getrf, ...\n",
                   routine.c_str());
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (info != 0) {
      std::fprintf(stderr, "never_slower_scalapack: %s: INFO = %d\n", routine.c_str(), info);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }

  std::string name_;
  int n_, sides_, wide_;
  Matrix<T> a_, b_, c_;
  std::vector<int> pivots_;
  std::vector<T> tau_, work_;
  int length_ = -1;
};

/// The first call, then later ones: two, or one of a second and more, and as many as fit into a quarter of a second, up
template <class T>
void measure(std::string const& routine, int n, Grid const& grid) {
  Case<T> work(routine, n, grid);
  std::vector<double> seconds;
  std::size_t calls = 1;
  while (seconds.size() < calls) {
    work.restore();
    MPI_Barrier(MPI_COMM_WORLD);
    double taken = -MPI_Wtime();
    work.call();
    taken += MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, &taken, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    seconds.push_back(taken);
    if (seconds.size() == 1)
      calls = 1 + static_cast<std::size_t>(std::clamp(0.25 / taken, taken < 1 ? 2.0 : 1.0, 100.0));
  }
  auto const result = work.result();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  std::printf("{\"result\": [%.17g, %.17g], \"seconds\": [", result[0], result[1]);
  for (std::size_t x = 0; x < seconds.size(); ++x) std::printf("%s%.9f", x == 0 ? "" : ", ", seconds[x]);
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 7) {
    std::fprintf(stderr, "usage: never_slower_scalapack ROUTINE TYPE N NB ROWS COLS\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  Grid grid;
  Cblacs_get(-1, 0, &grid.context);
  Cblacs_gridinit(&grid.context, "Row", std::atoi(argv[5]), std::atoi(argv[6]));
  Cblacs_gridinfo(grid.context, &grid.rows, &grid.cols, &grid.row, &grid.col);
  grid.block = std::atoi(argv[4]);
  std::string const routine = argv[1];
  int const n = std::atoi(argv[3]);
  switch (argv[2][0]) {
    case 's':
      measure<float>(routine, n, grid);
      break;
    case 'd':
      measure<double>(routine, n, grid);
      break;
    case 'c':
      measure<std::complex<float>>(routine, n, grid);
      break;
    case 'z':
      measure<std::complex<double>>(routine, n, grid);
      break;
    default:
      std::fprintf(stderr, "TYPE: expected s, d, c or z\n");
      MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
