// Runs solves with Cholesky factors: the graph with bodies. The factors are read in place; tiles of B, and sums for
// tiles of other ranks, are contiguous.
#include <algorithm>
#include <complex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "allport/linalg/cholesky.h"
#include "allport/linalg/redistribute.h"
#include "cholesky_solve_graph.h"
#include "cholesky_tiles.h"
#include "linalg/matrix/blas_threads.h"
#include "linalg/matrix/checks.h"

namespace allport {

namespace {

template <class Element>
class RunningCholeskySolve final : public CholeskySolveGraph {
 public:
  /// @param places  distribution of `factors` @param tiles  the same elements, with tiles as blocks
  RunningCholeskySolve(Distribution const& tiles, Distribution const& places, Part<Element const> factors,
                       Distribution const& b, Uplo uplo, Rank me, Index first, Index count)
      : CholeskySolveGraph(tiles, b, uplo, scalar_of<Element>, first, count),
        places_(places),
        factors_(factors),
        b_(b),
        lower_(uplo == Uplo::lower),
        me_(me) {
    for (Index r = first; r < first + count; ++r) before_.push_back(before_.back() + width(r));
    auto const nt = factor().tiles();
    for (auto& begins : begins_) begins.assign(static_cast<std::size_t>(nt), -1);
    Index elements = 0;
    each_of(me, 0, static_cast<std::int32_t>(nt), [&](std::int32_t i, std::int32_t) {
      claim(begins_[of_b], i, elements);  // once for all tiles of the row, also those of other grid columns
    });
    for (Index i = 0; i < nt; ++i) {
      for (Index k = 0; k < i; ++k) {
        if (factor().owner(i, k) != me) continue;
        claim(begins_[forward], i, elements);
        claim(begins_[backward], k, elements);
      }
    }
    memory_.resize(static_cast<std::size_t>(elements));
  }

  std::span<std::byte> memory(Tile t) const override {
    auto* const from = t.kind == sides ? at(of_b, t.i, t.j) : at(t.layer, t.i, t.j);
    return std::as_writable_bytes(std::span(from, static_cast<std::size_t>(factor().extent(t.i) * width(t.j))));
  }

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }

  static Element* output(TaskContext& context) { return reinterpret_cast<Element*>(context.output(0).data()); }
  static Element const* given(TaskContext const& context, int input) {
    return reinterpret_cast<Element const*>(context.input(input).data());
  }
  [[nodiscard]] bool lower() const { return lower_; }
  [[nodiscard]] Index ld() const { return factors_.ld; }
  [[nodiscard]] Element* tile_of_b(Task t) const { return at(of_b, t.i, t.j); }
  [[nodiscard]] Element* tile_of_sum(Task t) const { return at(t.layer, t.i, t.j); }
  /// Where tile (i, j) is stored.
  [[nodiscard]] Element const* stored(Index i, Index j) const {
    auto const nb = factor().nb();
    return factors_.data + places_.rows().local(i * nb) + places_.cols().local(j * nb) * factors_.ld;
  }

  /// The other triangle is not referenced.
  void copy_diagonal(Index k, Element* to) const {
    auto const n = factor().extent(k);
    auto const* const from = stored(k, k);
    for (Index c = 0; c < n; ++c) {
      auto const first = lower_ ? c : 0;
      auto const last = lower_ ? n : c + 1;
      std::fill_n(to + c * n, n, Element(0));
      std::copy(from + first + c * factors_.ld, from + last + c * factors_.ld, to + first + c * n);
    }
  }

  void read(Part<Element> b) {
    each_column([&](Element* tile, Index local, Index length) { std::copy_n(b.data + local, length, tile); }, b.ld);
  }
  void write(Part<Element> b) const {
    each_column([&](Element const* tile, Index local, Index length) { std::copy_n(tile, length, b.data + local); },
                b.ld);
  }

 private:
  static constexpr std::size_t of_b = 2;

  /// Allocates a row of tiles, as wide as the right-hand sides of this sweep.
  void claim(std::vector<Index>& begins, Index i, Index& elements) const {
    auto& begin = begins[static_cast<std::size_t>(i)];
    if (begin >= 0) return;
    begin = elements;
    elements += factor().extent(i) * before_.back();
  }
  [[nodiscard]] Element* at(std::size_t which, Index i, Index r) const {
    auto const before = before_[static_cast<std::size_t>(r - first_block())];
    return memory_.data() + begins_[which][static_cast<std::size_t>(i)] + factor().extent(i) * before;
  }
  /// visit(column of a tile of B, offset in local storage, length)
  template <class Visit>
  void each_column(Visit const& visit, Index ld) const {
    auto const nt = static_cast<std::int32_t>(factor().tiles());
    each_of(me_, 0, nt, [&](std::int32_t i, std::int32_t r) {
      auto const rows = factor().extent(i);
      auto const corner = b_.rows().local(i * factor().nb()) + b_.cols().local(r * b_.cols().nb()) * ld;
      for (Index c = 0; c < width(r); ++c) visit(at(of_b, i, r) + c * rows, corner + c * ld, rows);
    });
  }

  Distribution const& places_;
  Part<Element const> factors_;
  Distribution const& b_;
  bool lower_;
  Rank me_;
  std::vector<Index> before_{0};              ///< columns of this sweep before each block, and in all
  std::array<std::vector<Index>, 3> begins_;  ///< of rows of tiles in memory_: sums forward, backward, B; -1: none
  mutable std::vector<Element> memory_;
};

/// Ranks wait actively for tiles of B of up to so many bytes, and sleep while they wait for larger ones.
constexpr Index most_sent_awake = 64 * 1024;

/// Solves with factors that are distributed in tiles, B in any distribution.
template <class T>
void solve_tiled(Distribution const& tiles, Matrix<T const> const& factors, Uplo uplo, Matrix<T> const& b,
                 CholeskyOptions const& options, CholeskySolveReport& report) {
  auto const& comm = b.comm();
  auto const b_tiles = tiles_of_b(b.distribution(), tiles);
  report.width = b_tiles.cols().nb();
  report.b_moved = !same_places(b.distribution(), b_tiles);
  auto const work = report.b_moved ? detail::allocate_on_all<T>(comm, b_tiles) : b;
  if (report.b_moved) redistribute(b, work);
  auto const blocks = (b.cols() + report.width - 1) / report.width;
  auto const at_once = blocks_at_once(tiles, b_tiles);
  auto const tile = report.nb * std::min(report.width, b.cols()) * static_cast<Index>(sizeof(T));
  bool const sends_little = tile <= most_sent_awake;
  for (Index first = 0; first < blocks; first += at_once) {
    RunningCholeskySolve<T> graph(tiles, factors.distribution(), factors.part(), b_tiles, uplo, comm.rank(), first,
                                  std::min(at_once, blocks - first));
    graph.read(work.part());
    blas::OneThread const alone(options.workers > 1);
    report.run.add(tasks::run(graph, comm,
                              {.call = "cholesky_solve",
                               .workers = options.workers,
                               .multicast = options.tree,
                               .awake = sends_little,
                               .combine = sum_of<T>(),
                               .record = options.record,
                               .attend = options.attend}));
    graph.write(work.part());
    ++report.sweeps;
  }
  if (report.b_moved) redistribute(work, b);
}

template <class T>
void check_solve(Matrix<T const> const& factors, Uplo uplo, Matrix<T> const& b, CholeskyOptions const& options) {
  auto const& comm = b.comm();
  detail::on_all(comm, [&] {
    ensure(uplo == Uplo::lower || uplo == Uplo::upper, "uplo", static_cast<char>(uplo), "L or U");
    ensure(factors.cols() == factors.rows(), "factors", fmt::format("{} x {}", factors.rows(), factors.cols()),
           "those of a square matrix");
    detail::check_operand("factors", factors, factors.rows(), factors.rows(), comm);
    detail::check_operand("B", b, factors.rows(), b.cols(), comm);
    detail::check_tiling(options);
  });
}

}  // namespace

template <class T>
CholeskySolveReport cholesky_solve(Matrix<std::type_identity_t<T> const> const& factors, Uplo uplo, Matrix<T> const& b,
                                   CholeskyOptions const& options) {
  check_solve<T>(factors, uplo, b, options);
  auto const& comm = b.comm();
  CholeskySolveReport report;
  report.nb = solve_tile_size(factors.distribution(), options.nb);
  if (b.rows() == 0 || b.cols() == 0) return report;
  auto const tiles = tiled(factors.distribution(), report.nb);
  report.factors_moved = !same_places(factors.distribution(), tiles);
  if (!report.factors_moved) {
    solve_tiled<T>(tiles, factors, uplo, b, options, report);
    return report;
  }
  auto const moved = detail::allocate_on_all<T>(comm, tiles);
  redistribute(factors, moved);
  solve_tiled<T>(tiles, moved, uplo, b, options, report);
  return report;
}

template <class T>
PositiveDefiniteReport solve_positive_definite(Matrix<T> const& a, Uplo uplo, Matrix<T> const& b,
                                               CholeskyOptions const& options) {
  check_solve<T>(a, uplo, b, options);
  auto const& comm = b.comm();
  PositiveDefiniteReport report;
  CholeskyProblem const problem{a.rows(), scalar_of<T>, uplo};
  auto const nb =
      options.nb > 0 ? options.nb : cholesky_tile(problem, a.distribution(), comm.machine(), options.workers);
  auto const tiles = holding_tiles(a.distribution(), nb);
  auto factored = options;
  factored.nb = nb;
  auto solved = options;
  solved.nb = tiles.rows().nb() == tiles.cols().nb() ? tiles.rows().nb() : nb;
  bool const moved = !same_places(a.distribution(), tiles);
  // Factored and solved in one distribution: A is redistributed there and back once.
  auto const work = moved ? detail::allocate_on_all<T>(comm, tiles) : a;
  if (moved) redistribute(a, work);
  report.factorization = cholesky(work, uplo, factored);
  report.factorization.moved = moved;
  if (report.factorization.info == 0) report.solve = cholesky_solve<T>(work, uplo, b, solved);
  if (moved) redistribute(work, a);
  return report;
}

ALLPORT_INSTANCES(ALLPORT_CHOLESKY_SOLVE_INSTANCE, );

}  // namespace allport
