// The run side of the multiply algorithms: what one rank holds while a plan runs.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "allport/comm/communicator.h"
#include "blas.h"
#include "gemm_price.h"

namespace allport::gemm_detail {

/// Work space whose sum is known, so that the memory contract can be measured.
class Workspace {
 public:
  template <class T>
  T* take(Index elements) {
    if (elements == 0) {
      return nullptr;
    }
    auto const bytes = static_cast<std::size_t>(elements) * sizeof(T);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
    bytes_ += static_cast<std::int64_t>(bytes);
    return reinterpret_cast<T*>(blocks_.back().get());
  }
  /// Memory that somebody else holds for this work: the scratch of schedules in flight.
  void note(std::int64_t bytes) { bytes_ += bytes; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::int64_t bytes_ = 0;
};

/// Adds the time until it goes out of scope to a sum of seconds.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum), begin_(std::chrono::steady_clock::now()) {}
  Stopwatch(Stopwatch const&) = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;
  ~Stopwatch() { sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  double& sum_;
  std::chrono::steady_clock::time_point begin_;
};

/// A local, column-major block, op not yet applied.
template <class T>
struct Block {
  T const* data = nullptr;
  Index ld = 1;
};

/// One operand where it lies.
template <class T>
struct Stored {
  Part<T const> part;
  Index across = 0;       ///< extent beside k: rows of op(A), columns of op(B)
  bool k_is_slow = true;  ///< k runs along the stored columns
  Index k_begin = 0;      ///< global k of the part's first index

  [[nodiscard]] Index rows(Index width) const { return k_is_slow ? across : width; }
  [[nodiscard]] Index cols(Index width) const { return k_is_slow ? width : across; }
  /// From k on.
  [[nodiscard]] Block<T> at(Index k) const {
    if (part.data == nullptr) {
      return {};  // an empty part
    }
    return {part.data + (k_is_slow ? (k - k_begin) * part.ld : k - k_begin), part.ld};
  }
};

/// A rank's parts of A and B, as panel_distributions() deals them.
template <class T>
[[nodiscard]] Stored<T> stored_a(GemmProblem const& problem, GemmGrid const& grid, Place p, Part<T const> part) {
  auto const begin = cut(problem.k, grid.layers, p.l) + cut(share(problem.k, grid.layers, p.l), grid.cols, p.j);
  return {part, share(problem.m, grid.rows, p.i), problem.trans_a == Trans::none, begin};
}
template <class T>
[[nodiscard]] Stored<T> stored_b(GemmProblem const& problem, GemmGrid const& grid, Place p, Part<T const> part) {
  auto const begin = cut(problem.k, grid.layers, p.l) + cut(share(problem.k, grid.layers, p.l), grid.rows, p.i);
  return {part, share(problem.n, grid.cols, p.j), problem.trans_b != Trans::none, begin};
}

/// Row, column and layer of a rank, by GridAxis; only those longer than 1.
using Lines = std::array<std::optional<Communicator>, 3>;

template <class T>
struct GemmRun {
  Communicator const& comm;
  GemmPlan const& plan;
  Frame const& frame;
  Place me;
  Pricer& schedules;
  std::array<Group, 3> groups;  // by GridAxis
  Lines const& lines;
  Part<T const> a, b;
  Part<T> c;
  T alpha, beta;
  Workspace work;
  double compute = 0;
  double wait = 0;
  Progress const* progress = nullptr;

  /// Starts a broadcast or reduce step along a line; `combine` for a reduce.
  Transfer start(Step const& step, Buffers buffers, Combine combine = {}) {
    auto const l = static_cast<std::size_t>(step.line);
    auto const& schedule = schedules.schedule(groups[l], step, static_cast<std::int64_t>(sizeof(T)));
    return lines[l]->start(schedule, buffers, std::move(combine));
  }
  [[nodiscard]] Index my_rows() const { return share(plan.problem.m, frame.grid().rows, me.i); }
  [[nodiscard]] Index my_cols() const { return share(plan.problem.n, frame.grid().cols, me.j); }

  void wait_for(Transfer& transfer) {
    Stopwatch const watch(wait);
    transfer.wait();
  }
  void tell(int done, int all) const {
    if (*progress) {
      (*progress)(done, all);
    }
  }
  /// c = alpha op(a) op(b) + factor * c for one slab of k, in pieces between which communication moves along.
  void multiply(Index k, Block<T> left, Block<T> right, T factor, T* into, Index ld);
};

/// Copies rows x cols out of a strided block into a packed one.
template <class T>
void pack(Index rows, Index cols, T const* from, Index ld, T* to) {
  if (rows == 0) {
    return;  // there may be no memory at all
  }
  for (Index j = 0; j < cols; ++j) {
    std::memcpy(to + j * rows, from + j * ld, static_cast<std::size_t>(rows) * sizeof(T));
  }
}

/// c = beta * c without reading c when beta is zero.
template <class T>
void scale(Index rows, Index cols, T beta, T* c, Index ld) {
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      c[i + j * ld] = beta == T(0) ? T(0) : beta * c[i + j * ld];
    }
  }
}

/// c = alpha op(a) op(b) + factor * c for a local block of m x n and a slab of k, in pieces between which communication
/// moves along.
template <class T, class MoveAlong>
void multiply_in_pieces(GemmProblem const& problem, std::array<Index, 3> const& extents, T alpha, Block<T> left,
                        Block<T> right, T factor, T* into, Index ld, MoveAlong const& move_along) {
  auto const [m, n, k] = extents;
  if (m == 0 || n == 0) return;
  // BLAS itself goes through k in blocks of 256 to 384, so that cuts there cost nothing. It packs the whole other
  // operand for every piece of a side, which costs about 25/width of the piece's time (5 % of a piece of 1333 rows was
  // measured): a side, the longer, is cut only where a piece would take longer than a tenth of a second.
  constexpr Index piece_depth = 384;
  constexpr Index piece_width = 1024;
  constexpr double piece_flops = 5e9;
  auto const slices = static_cast<int>(std::max<Index>((k + piece_depth - 1) / piece_depth, 1));
  auto const flops = 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / slices;
  auto const by_rows = m > n;
  auto const most = static_cast<int>(std::max<Index>((by_rows ? m : n) / piece_width, 1));
  auto const pieces = std::clamp(static_cast<int>(std::min(flops / piece_flops, 1e6)), 1, most);
  auto const ta = problem.trans_a;
  auto const tb = problem.trans_b;
  for (int s = 0; s < slices; ++s) {
    auto const from = cut(k, slices, s);
    auto const* const a = left.data + (ta == Trans::none ? from * left.ld : from);
    auto const* const b = right.data + (tb == Trans::none ? from : from * right.ld);
    for (int p = 0; p < pieces; ++p) {
      auto const i = by_rows ? cut(m, pieces, p) : 0;
      auto const j = by_rows ? 0 : cut(n, pieces, p);
      blas::gemm(ta, tb, by_rows ? share(m, pieces, p) : m, by_rows ? n : share(n, pieces, p), share(k, slices, s),
                 alpha, a + (ta == Trans::none ? i : i * left.ld), left.ld, b + (tb == Trans::none ? j * right.ld : j),
                 right.ld, s == 0 ? factor : T(1), into + i + j * ld, ld);
      move_along();
    }
  }
}

template <class T>
void GemmRun<T>::multiply(Index k, Block<T> left, Block<T> right, T factor, T* into, Index ld) {
  Stopwatch const watch(compute);
  multiply_in_pieces(plan.problem, {my_rows(), my_cols(), k}, alpha, left, right, factor, into, ld,
                     [&] { comm.progress(); });
}

/// c = sum + beta * c without reading c when beta is zero.
template <class T>
void add_sum(Index rows, Index cols, T const* sum, T beta, Part<T> const& part) {
  for (Index j = 0; j < cols; ++j) {
    auto* const c = part.data + j * part.ld;
    auto const* const s = sum + j * rows;
    for (Index i = 0; i < rows; ++i) {
      c[i] = beta == T(0) ? s[i] : s[i] + beta * c[i];
    }
  }
}

template <class T>
void reduce_layers(GemmRun<T>& run, T const* sum) {
  auto const layers = run.frame.grid().layers;
  if (layers == 1) {
    return;
  }
  auto const rows = run.my_rows();
  auto const cols = run.my_cols();
  auto const mine = share(cols, layers, run.me.l);
  T* const land = run.work.template take<T>(rows * mine);
  std::vector<Transfer> transfers;
  for (int l = 0; l < layers; ++l) {
    auto const elements = static_cast<std::size_t>(rows * share(cols, layers, l));
    auto const part = std::as_bytes(std::span<T const>(sum + rows * cut(cols, layers, l), elements));
    auto const out = l == run.me.l ? std::as_writable_bytes(std::span<T>(land, elements)) : std::span<std::byte>();
    Step const step{
        .kind = Step::Kind::reduce, .line = GridAxis::layer, .root = l, .elements = static_cast<Index>(elements)};
    run.work.note(run.schedules.scratch(run.groups[static_cast<std::size_t>(GridAxis::layer)], run.me.l, step,
                                        static_cast<std::int64_t>(sizeof(T))));
    transfers.push_back(run.start(step, {part, out}, sum_of<T>()));
  }
  for (auto& transfer : transfers) {
    run.wait_for(transfer);
  }
  add_sum(rows, mine, land, run.beta, run.c);
}

template <class T>
void run_summa(GemmRun<T>& run);
template <class T>
void run_cannon(GemmRun<T>& run);

}  // namespace allport::gemm_detail
