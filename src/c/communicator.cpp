// The C interface: communicators, collectives, distributions and products.
#include "handles.h"

#include <memory>

#include "options.h"
#include "plan_handles.h"

namespace allport::c_interface {

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

Trans trans_of(char c, char const* name) {
  switch (c) {
    case 'N':
    case 'n':
      return Trans::none;
    case 'T':
    case 't':
      return Trans::transpose;
    case 'C':
    case 'c':
      return Trans::conjugate;
    default:
      throw Error::argument(name, show(std::string(1, c)), "'N', 'T' or 'C'");
  }
}

Scalar type_named(char c) {
  if (auto const type = scalar_named(c)) return *type;
  throw Error::argument("type", show(std::string(1, c)), "'s', 'd', 'c' or 'z'");
}

Uplo uplo_of(char c) {
  switch (c) {
    case 'L':
    case 'l':
      return Uplo::lower;
    case 'U':
    case 'u':
      return Uplo::upper;
    default:
      throw Error::argument("uplo", show(std::string(1, c)), "'L' or 'U'");
  }
}

}  // namespace allport::c_interface

namespace {

using namespace allport;
using namespace allport::c_interface;

/// For a plan over the ranks of `comm` where they are.
GemmOptions options_on(Communicator const& comm, char const* text) {
  auto options = gemm_options(text);
  options.mapping = comm.mapping();
  return options;
}

/// A factor of a product, as its caller has it.
struct Operand {
  void const* data;
  std::int64_t ld;
  allport_distribution lies;
};

template <class T>
void multiply(allport_comm_s& on, GemmPlan const& plan, void const* alpha, Operand const& a, Operand const& b,
              void const* beta, void* c, std::int64_t ldc, allport_distribution c_distribution) {
  ensure(alpha != nullptr, "alpha", "NULL", "a pointer to a number");
  ensure(beta != nullptr, "beta", "NULL", "a pointer to a number");
  auto const left = matrix(on, static_cast<T const*>(a.data), a.ld, a.lies, "a_distribution");
  auto const right = matrix(on, static_cast<T const*>(b.data), b.ld, b.lies, "b_distribution");
  auto const product = matrix(on, static_cast<T*>(c), ldc, c_distribution, "c_distribution");
  auto const report = gemm(plan, *static_cast<T const*>(alpha), left, right, *static_cast<T const*>(beta), product);
  on.report = report.to_json();
}

template <class T>
int run_gemm(allport_comm comm, char trans_a, char trans_b, std::int64_t m, std::int64_t n, std::int64_t k,
             void const* alpha, void const* a, std::int64_t lda, allport_distribution a_distribution, void const* b,
             std::int64_t ldb, allport_distribution b_distribution, void const* beta, void* c, std::int64_t ldc,
             allport_distribution c_distribution, char const* options) {
  return guarded([&] {
    GemmProblem const problem{m, n, k, scalar_of<T>, trans_of(trans_a, "trans_a"), trans_of(trans_b, "trans_b")};
    auto const& on = the(comm, "comm").comm;
    multiply<T>(*comm, plan_gemm(problem, on.machine(), options_on(on, options)), alpha, {a, lda, a_distribution},
                {b, ldb, b_distribution}, beta, c, ldc, c_distribution);
  });
}

template <class T>
int run_planned(allport_comm comm, allport_plan_handle plan, void const* alpha, void const* a, std::int64_t lda,
                allport_distribution a_distribution, void const* b, std::int64_t ldb,
                allport_distribution b_distribution, void const* beta, void* c, std::int64_t ldc,
                allport_distribution c_distribution) {
  return guarded([&] {
    auto& on = the(comm, "comm");
    multiply<T>(on, planned<GemmPlan>(on, plan, "one of allport_plan_gemm()"), alpha, {a, lda, a_distribution},
                {b, ldb, b_distribution}, beta, c, ldc, c_distribution);
  });
}

}  // namespace

extern "C" {

char const* allport_error(void) { return last_error().c_str(); }
char const* allport_version(void) { return ALLPORT_VERSION; }

int allport_comm_create(MPI_Comm comm, char const* machine, allport_comm* created) {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    *created = machine == nullptr ? new allport_comm_s{Communicator(comm), {}}
                                  : new allport_comm_s{Communicator(comm, machine), {}};
  });
}

int allport_comm_create_fortran(MPI_Fint comm, char const* machine, allport_comm* created) {
  return allport_comm_create(MPI_Comm_f2c(comm), machine, created);
}

int allport_comm_part(allport_comm comm, int ranks, int const* members, allport_comm* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    ensure(members != nullptr, "members", "NULL", "ranks of the communicator");
    ensure(ranks >= 1 && ranks <= on.size(), "ranks", ranks, "1 to " + std::to_string(on.size()));
    return new allport_comm_s{on.sub({members, static_cast<std::size_t>(ranks)}), {}};
  });
}

int allport_comm_free(allport_comm* comm) {
  return guarded([&] {
    ensure(comm != nullptr, "comm", "NULL", "the place of a handle");
    delete *comm;
    *comm = nullptr;
  });
}

int allport_comm_rank(allport_comm comm, int* rank, int* size) {
  return guarded([&] {
    auto const& on = the(comm, "comm").comm;
    ensure(rank != nullptr, "rank", "NULL", "a place for it");
    ensure(size != nullptr, "size", "NULL", "a place for it");
    *rank = on.rank();
    *size = on.size();
  });
}

int allport_reduce_sum(allport_comm comm, char type, void const* input, void* output, int64_t count, int root,
                       char const* algorithm) {
  return allport_reduce(comm, ALLPORT_SUM, type, input, output, count, root, algorithm);
}

int allport_distribution_cyclic(int64_t rows, int64_t cols, int64_t row_block, int64_t col_block, int grid_rows,
                                int grid_cols, int first_row, int first_col, char order,
                                allport_distribution* created) {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    ensure(order == 'C' || order == 'R', "order", std::string(1, order), "'C' or 'R'");
    ensure(grid_rows >= 1, "grid_rows", grid_rows, "at least 1");
    ensure(grid_cols >= 1, "grid_cols", grid_cols, "at least 1");
    std::vector<Rank> grid;
    for (int c = 0; c < grid_cols; ++c) {
      for (int r = 0; r < grid_rows; ++r) grid.push_back(order == 'C' ? r + c * grid_rows : r * grid_cols + c);
    }
    *created = new allport_distribution_s{Distribution(AxisDistribution::cyclic(rows, grid_rows, row_block, first_row),
                                                       AxisDistribution::cyclic(cols, grid_cols, col_block, first_col),
                                                       std::move(grid))};
  });
}

int allport_distribution_local(allport_distribution distribution, int rank, int64_t* local_rows, int64_t* local_cols) {
  return guarded([&] {
    auto const& l = the(distribution, "distribution").distribution;
    ensure(local_rows != nullptr && local_cols != nullptr, "local_rows, local_cols", "NULL", "places for the extents");
    *local_rows = l.local_rows(rank);
    *local_cols = l.local_cols(rank);
  });
}

int allport_distribution_free(allport_distribution* distribution) {
  return guarded([&] {
    ensure(distribution != nullptr, "distribution", "NULL", "the place of a handle");
    delete *distribution;
    *distribution = nullptr;
  });
}

int allport_gemm_distribution(allport_comm comm, char type, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                              char const* options, char which, allport_distribution* created) {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    ensure(which == 'A' || which == 'B' || which == 'C', "which", std::string(1, which), "'A', 'B' or 'C'");
    GemmProblem const problem{m, n, k, type_named(type), trans_of(trans_a, "trans_a"), trans_of(trans_b, "trans_b")};
    auto const& on = the(comm, "comm").comm;
    auto const plan = plan_gemm(problem, on.machine(), options_on(on, options));
    *created = new allport_distribution_s{which == 'A' ? plan.a : which == 'B' ? plan.b : plan.c};
  });
}

int allport_sgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, float const* alpha,
                  float const* a, int64_t lda, allport_distribution a_distribution, float const* b, int64_t ldb,
                  allport_distribution b_distribution, float const* beta, float* c, int64_t ldc,
                  allport_distribution c_distribution, char const* options) {
  return run_gemm<float>(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta,
                         c, ldc, c_distribution, options);
}
int allport_dgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, double const* alpha,
                  double const* a, int64_t lda, allport_distribution a_distribution, double const* b, int64_t ldb,
                  allport_distribution b_distribution, double const* beta, double* c, int64_t ldc,
                  allport_distribution c_distribution, char const* options) {
  return run_gemm<double>(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb, b_distribution, beta,
                          c, ldc, c_distribution, options);
}
int allport_cgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, void const* alpha,
                  void const* a, int64_t lda, allport_distribution a_distribution, void const* b, int64_t ldb,
                  allport_distribution b_distribution, void const* beta, void* c, int64_t ldc,
                  allport_distribution c_distribution, char const* options) {
  return run_gemm<std::complex<float>>(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb,
                                       b_distribution, beta, c, ldc, c_distribution, options);
}
int allport_zgemm(allport_comm comm, char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, void const* alpha,
                  void const* a, int64_t lda, allport_distribution a_distribution, void const* b, int64_t ldb,
                  allport_distribution b_distribution, void const* beta, void* c, int64_t ldc,
                  allport_distribution c_distribution, char const* options) {
  return run_gemm<std::complex<double>>(comm, trans_a, trans_b, m, n, k, alpha, a, lda, a_distribution, b, ldb,
                                        b_distribution, beta, c, ldc, c_distribution, options);
}

#define ALLPORT_GEMM_PLANNED(letter, number, T)                                                                  \
  int allport_##letter##gemm_planned(allport_comm comm, allport_plan_handle plan, number const* alpha,           \
                                     number const* a, int64_t lda, allport_distribution a_lies, number const* b, \
                                     int64_t ldb, allport_distribution b_lies, number const* beta, number* c,    \
                                     int64_t ldc, allport_distribution c_lies) {                                 \
    return run_planned<T>(comm, plan, alpha, a, lda, a_lies, b, ldb, b_lies, beta, c, ldc, c_lies);              \
  }
ALLPORT_GEMM_PLANNED(s, float, float)
ALLPORT_GEMM_PLANNED(d, double, double)
ALLPORT_GEMM_PLANNED(c, void, std::complex<float>)
ALLPORT_GEMM_PLANNED(z, void, std::complex<double>)

char const* allport_gemm_report(allport_comm comm) { return comm == nullptr ? "" : comm->report.c_str(); }

}  // extern "C"
