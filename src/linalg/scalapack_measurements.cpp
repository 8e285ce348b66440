#include "allport/linalg/scalapack_measurements.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "allport/linalg/matrix.h"
#include "checks.h"

namespace allport {

namespace {

constexpr Index block = 64;

struct Routine {
  std::string_view name;
  double flops;  ///< over n^3
};
constexpr std::array<Routine, 4> routines{{{"gemm", 2.0}, {"getrf", 2.0 / 3}, {"potrf", 1.0 / 3}, {"geqrf", 4.0 / 3}}};

double flops_of(Routine const& routine, Index n) {
  auto const order = static_cast<double>(n);
  return routine.flops * order * order * order;
}

/// ScaLAPACK and its BLACS, loaded by name, with one process grid over a communicator's ranks. Functions follow
/// Fortran's convention, all arguments by address, but for those that begin with C.
class Library {
 public:
  /// Null if there is none. Called by all ranks.
  static std::shared_ptr<Library const> open(Communicator const& comm) {
    auto const* const named = std::getenv("ALLPORT_SCALAPACK_LIBRARY");
    std::shared_ptr<Library> made(new Library(comm, names(named)));
    auto const mine = static_cast<std::int64_t>(made->missing_.empty());
    auto const all = comm.all_gather(std::span(&mine, 1));
    bool const everywhere = std::ranges::count(all, 0) == 0;
    if (named != nullptr) {
      auto const trouble =
          Error::argument("ALLPORT_SCALAPACK_LIBRARY", named, "a ScaLAPACK that loads", made->missing_);
      comm.ensure_all_well(made->missing_.empty() ? "" : trouble.what(), ErrorKind::unsupported);
    }
    if (!everywhere) return nullptr;
    made->begin();
    return made;
  }

  Library(Library const&) = delete;
  Library& operator=(Library const&) = delete;
  ~Library() {
    if (context_ >= 0) function<void(int)>("Cblacs_gridexit")(context_);
    if (system_ >= 0) function<void(int)>("Cfree_blacs_system_handle")(system_);
  }

  [[nodiscard]] Communicator const& comm() const { return comm_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return comm_.size() / rows_; }

  /// Calls a routine of ScaLAPACK.
  template <class... Arguments>
  void call(std::string const& name, Arguments... arguments) const {
    function<void(Arguments...)>(name.c_str())(arguments...);
  }
  [[nodiscard]] std::array<int, 9> descriptor(Matrix<double> const& a) const {
    return {1,
            context_,
            static_cast<int>(a.rows()),
            static_cast<int>(a.cols()),
            static_cast<int>(block),
            static_cast<int>(block),
            0,
            0,
            static_cast<int>(a.ld())};
  }

 private:
  Library(Communicator const& comm, std::vector<std::string> const& names) : comm_(comm) {
    for (int r = 1; r * r <= comm.size(); ++r) {
      if (comm.size() % r == 0) rows_ = r;
    }
    for (auto const& name : names) {
      if (handle_ == nullptr) handle_ = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    }
    if (handle_ == nullptr) {
      auto const* const why = dlerror();
      missing_ = why == nullptr ? "it does not load" : why;
    }
    for (auto const* const name : {"Csys2blacs_handle", "Cfree_blacs_system_handle", "Cblacs_gridinit",
                                   "Cblacs_gridexit", "pdgemm_", "pdgetrf_", "pdpotrf_", "pdgeqrf_"}) {
      if (missing_.empty() && dlsym(handle_, name) == nullptr) missing_ = fmt::format("it has no {}", name);
    }
  }

  /// Libraries built for the MPI library in use: others would load another MPI library.
  static std::vector<std::string> names(char const* named) {
    if (named != nullptr) return {named};
    auto const mpi = mpi_library_name();
    std::string const family = mpi.starts_with("Open MPI") ? "openmpi" : mpi.starts_with("MPICH") ? "mpich" : "";
    if (family.empty()) return {};
    std::vector<std::string> all;
    for (auto const* const version : {"", ".2.3", ".2.2", ".2.1", ".2.0"}) {
      all.push_back(fmt::format("libscalapack-{}.so{}", family, version));
    }
    return all;
  }

  template <class F>
  F* function(char const* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }

  void begin() {
    system_ =
        comm_.mpi().pass_to([this](auto comm) { return function<int(decltype(comm))>("Csys2blacs_handle")(comm); });
    int context = system_;
    function<void(int*, char const*, int, int)>("Cblacs_gridinit")(&context, "C", rows(), cols());
    context_ = context;
  }

  Communicator comm_;
  void* handle_ = nullptr;  ///< never closed: it may have loaded the MPI library
  std::string missing_;
  int rows_ = 1;
  int system_ = -1;
  int context_ = -1;
};

/// Pseudo-random number in -1 ... 1, without a pattern that would make a matrix singular.
double number(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / static_cast<double>(std::uint64_t{1} << 52) - 1;
}

/// A routine and its matrices. Matrices that it overwrites are restored before each call.
class RoutineRun {
 public:
  RoutineRun(std::shared_ptr<Library const> library, Routine const& routine, Index n)
      : library_(std::move(library)),
        routine_(routine),
        n_(static_cast<int>(n)),
        fresh_(square(n)),
        a_(square(n)),
        c_(square(routine.name == "gemm" ? n : 0)),
        descriptor_(library_->descriptor(a_)),
        pivots_(static_cast<std::size_t>(a_.local_rows() + block)),
        tau_(static_cast<std::size_t>(a_.local_cols() + 1)),
        work_(static_cast<std::size_t>(block * (a_.local_rows() + a_.local_cols() + 2 * block))) {
    bool const positive = routine.name == "potrf";
    fresh_.for_each([&](Index i, Index j, double& x) {
      auto const first = positive ? std::max(i, j) : i;
      auto const second = positive ? std::min(i, j) : j;
      x = number(static_cast<std::uint64_t>(first * n + second + 1)) +
          (positive && i == j ? static_cast<double>(n) : 0);
    });
  }

  void restore() { std::copy_n(fresh_.data(), fresh_.local_rows() * fresh_.local_cols(), a_.data()); }
  void run() {
    restore();
    static constexpr int one = 1;
    static constexpr double factor = 1;
    static constexpr double none = 0;
    int info = 0;
    auto* const a = a_.data();
    int const* const d = descriptor_.data();
    auto const name = fmt::format("pd{}_", routine_.name);
    auto const length = static_cast<int>(work_.size());
    if (routine_.name == "gemm") {
      library_->call(name, "N", "N", &n_, &n_, &n_, &factor, a, &one, &one, d, fresh_.data(), &one, &one, d, &none,
                     c_.data(), &one, &one, d);
    } else if (routine_.name == "getrf") {
      library_->call(name, &n_, &n_, a, &one, &one, d, pivots_.data(), &info);
    } else if (routine_.name == "potrf") {
      library_->call(name, "L", &n_, a, &one, &one, d, &info, std::size_t{1});
    } else {
      library_->call(name, &n_, &n_, a, &one, &one, d, tau_.data(), work_.data(), &length, &info);
    }
    ensure(info == 0, name, fmt::format("INFO = {}", info), "0", "", ErrorKind::unsupported);
  }

 private:
  [[nodiscard]] Matrix<double> square(Index n) const {
    return detail::allocate_on_all<double>(
        library_->comm(),
        {AxisDistribution::cyclic(n, library_->rows(), block), AxisDistribution::cyclic(n, library_->cols(), block),
         ProcessGrid::column_major(library_->rows(), library_->cols())});
  }

  std::shared_ptr<Library const> library_;
  Routine routine_;
  int n_;
  Matrix<double> fresh_;
  Matrix<double> a_;
  Matrix<double> c_;
  std::array<int, 9> descriptor_;
  std::vector<int> pivots_;
  std::vector<double> tau_;
  std::vector<double> work_;
};

}  // namespace

std::vector<std::string_view> scalapack_routines() {
  std::vector<std::string_view> names;
  for (auto const& routine : routines) names.push_back(routine.name);
  return names;
}

std::vector<Measurement> scalapack_measurements(Communicator const& comm, bool quick) {
  auto const library = Library::open(comm);
  std::vector<Measurement> all;
  if (library == nullptr) return all;
  for (auto const& routine : routines) {
    for (Index const n : {512, 2048}) {
      if (quick && n > 512) continue;
      auto what = fmt::format("scalapack {} {}x{} {} {}", routine.name, library->rows(), library->cols(), block, n);
      all.push_back({std::move(what), flops_of(routine, n), [=]() -> Measurement::Calls {
                       auto const place = std::make_shared<RoutineRun>(library, routine, n);
                       place->run();  // opens connections, touches pages
                       return {[=] { place->run(); }, [=] { place->restore(); }};
                     }});
    }
  }
  return all;
}

std::vector<ScalapackTime> scalapack_times(Machine const& machine, std::string_view routine) {
  std::vector<ScalapackTime> times;
  auto const known = std::ranges::find(routines, routine, &Routine::name);
  if (known == routines.end()) return times;
  auto const begins = fmt::format("scalapack {} ", routine);
  for (auto const& fit : machine.calibration().fits) {
    if (!fit.what.starts_with(begins) || !(fit.value > 0)) continue;
    ScalapackTime time;
    long long nb = 0;
    long long n = 0;
    int end = 0;
    auto const* const rest = fit.what.c_str() + begins.size();
    if (std::sscanf(rest, "%dx%d %lld %lld%n", &time.rows, &time.cols, &nb, &n, &end) != 4) continue;
    if (rest[end] != '\0' || time.rows < 1 || time.cols < 1 || nb < 1 || n < 1) continue;
    time.block = nb;
    time.n = n;
    time.seconds = Seconds(flops_of(*known, n) / fit.value);
    times.push_back(time);
  }
  std::ranges::sort(times, {}, &ScalapackTime::n);
  return times;
}

}  // namespace allport
