// Solves with LU factors as graphs: the two triangles as both forms use them, in place.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "allport/graph/kinds.h"
#include "allport/linalg/solve.h"
#include "linalg/lu/lu_panel.h"
#include "linalg/matrix/blas.h"

namespace allport::lu_detail {

/// Maximum unknowns that are solved for at once.
inline constexpr Index widest_block = 128;
/// Maximum right-hand sides whose sums are sent at once: a chunk.
inline constexpr Index widest_sides = 256;
/// Chunks that are solved for at the same time.
inline constexpr Index chunks_at_once = 4;

/// One of the two triangles of op(A), in the order of the solve.
struct Sweep {
  bool forward = true;  ///< op(T) is lower: the first unknown first
  blas::Triangle triangle = blas::Triangle::lower;
  blas::Diagonal diagonal = blas::Diagonal::unit;
};
[[nodiscard]] constexpr std::array<Sweep, 2> sweeps_of(Trans trans) {
  Sweep const l{trans == Trans::none, blas::Triangle::lower, blas::Diagonal::unit};
  Sweep const u{trans != Trans::none, blas::Triangle::upper, blas::Diagonal::stored};
  return trans == Trans::none ? std::array{l, u} : std::array{u, l};
}

/// A task is at coordinates (i, j) of op(A)'s grid: ranks of row i have the same unknowns, ranks of column j the same
/// columns of op(A). A transposed solve is a plain one on the transposed grid. k is a panel, counted in the order of
/// its sweep; layer encodes the sweep: sweep().
class SolveGraph : public TaskGraph {
 public:
  SolveGraph(SolveProblem const& problem, Distribution const& factors, AxisDistribution const& sides)
      : trans_(problem.trans),
        element_(bytes_of(problem.type)),
        grid_(factors.grid()),
        rows_(trans_ == Trans::none ? factors.rows() : factors.cols()),
        cols_(trans_ == Trans::none ? factors.cols() : factors.rows()),
        sides_(sides),
        panels_(panels_of(rows_, cols_, rows_.extent(), widest_block)),
        last_(static_cast<std::int32_t>(panels_.size()) - 1) {
    for (auto const rank : grid_) ranks_ = std::max(ranks_, rank + 1);
    for (auto const& panel : panels_) {
      owners_.push_back({rows_.owner(panel.begin), cols_.owner(panel.begin)});
    }
    for (int i = 0; i < rows_.parts(); ++i) {
      for (auto const& panel : panels_) begins_.push_back(rows_.before(i, panel.begin));
      begins_.push_back(rows_.count(i));
    }
  }

  /// Local rows of op(A) on the ranks of a row.
  struct Rows {
    Index begin = 0;
    Index end = 0;
    [[nodiscard]] Index count() const { return std::max<Index>(end - begin, 0); }
  };
  /// Grid coordinates; i < 0 for a rank outside the grid.
  struct Coords {
    int i = -1;
    int j = -1;
  };

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return element_; }
  std::optional<std::int64_t> count(Rank rank) const override {
    std::int64_t sum = 0;
    for (std::int64_t s = 0; s < steps(); ++s) tasks(rank, s, [&](Task) { ++sum; });
    return sum;
  }

  [[nodiscard]] Coords coords(Rank rank) const {
    auto const at = grid_.position(rank);
    return trans_ == Trans::none ? Coords{at.row, at.col} : Coords{at.col, at.row};
  }
  [[nodiscard]] Rank rank_at(int i, int j) const {
    return trans_ == Trans::none ? grid_.rank_at(i, j) : grid_.rank_at(j, i);
  }
  [[nodiscard]] AxisDistribution const& rows() const { return rows_; }
  [[nodiscard]] AxisDistribution const& cols() const { return cols_; }
  [[nodiscard]] AxisDistribution const& sides() const { return sides_; }
  [[nodiscard]] Sweep triangle(int sweep) const { return sweeps_of(trans_)[static_cast<std::size_t>(sweep)]; }
  [[nodiscard]] static int sweep(Task t) { return t.layer % 2; }
  [[nodiscard]] std::int32_t panels() const { return last_ + 1; }
  [[nodiscard]] std::int32_t last() const { return last_; }
  /// A panel's number in the order of the other sweep.
  [[nodiscard]] std::int32_t mirrored(std::int32_t k) const { return last_ - k; }
  [[nodiscard]] Panel panel(int sweep, std::int32_t k) const { return panels_[in_order(sweep, k)]; }
  /// Grid row and column of its diagonal block.
  [[nodiscard]] int row_of(int sweep, std::int32_t k) const { return owners_[in_order(sweep, k)].i; }
  [[nodiscard]] int col_of(int sweep, std::int32_t k) const { return owners_[in_order(sweep, k)].j; }
  [[nodiscard]] Index width(int sweep, std::int32_t k) const { return panel(sweep, k).width(); }
  /// Local rows on grid row i: those of the panel's unknowns, those that are solved for after it, and both.
  [[nodiscard]] Rows block(int sweep, std::int32_t k, int i) const {
    auto const begin = static_cast<std::size_t>(i) * (panels_.size() + 1) + in_order(sweep, k);
    return {begins_[begin], begins_[begin + 1]};
  }
  [[nodiscard]] Rows after(int sweep, std::int32_t k, int i) const {
    auto const own = block(sweep, k, i);
    return triangle(sweep).forward ? Rows{own.end, local_rows(i)} : Rows{0, own.begin};
  }
  [[nodiscard]] Rows from(int sweep, std::int32_t k, int i) const {
    auto const own = block(sweep, k, i);
    return triangle(sweep).forward ? Rows{own.begin, local_rows(i)} : Rows{0, own.end};
  }
  [[nodiscard]] Index local_rows(int i) const {
    return begins_[static_cast<std::size_t>(i + 1) * (panels_.size() + 1) - 1];
  }
  /// Whether an update by panel k has a second part on grid row i: the first part updates the next block, so that it
  /// can be solved for.
  [[nodiscard]] bool has_rest(int sweep, std::int32_t k, int i) const {
    return k + 1 < last_ && after(sweep, k + 1, i).count() > 0;
  }

 private:
  [[nodiscard]] std::size_t in_order(int sweep, std::int32_t k) const {
    return static_cast<std::size_t>(triangle(sweep).forward ? k : last_ - k);
  }

  Trans trans_;
  std::int64_t element_;
  ProcessGrid grid_;
  AxisDistribution rows_;
  AxisDistribution cols_;
  AxisDistribution sides_;
  std::vector<Panel> panels_;
  std::int32_t last_;
  std::vector<Coords> owners_;
  std::vector<Index> begins_;  ///< of panels in the local rows of grid row i, and the number of rows
  Rank ranks_ = 0;
};

/// A task of a solve, in the step of panel k of its sweep.
template <class Graph>
struct SolveTask : TaskOf<Graph> {
  using TaskOf<Graph>::g;
  using TaskOf<Graph>::t;
  using Rows = SolveGraph::Rows;

  [[nodiscard]] int sweep() const { return g.sweep(t); }
  [[nodiscard]] Index width() const { return g.width(sweep(), t.k); }
  /// This rank's rows of the panel's unknowns, of those that are solved for next, and of all after these.
  [[nodiscard]] Rows block() const { return g.block(sweep(), t.k, t.i); }
  [[nodiscard]] Rows next_block() const { return g.block(sweep(), t.k + 1, t.i); }
  [[nodiscard]] Rows other_rows() const { return g.after(sweep(), t.k + 1, t.i); }
  [[nodiscard]] Rank owner() const { return g.rank_at(t.i, t.j); }

  [[nodiscard]] Work copying(Index elements) const { return this->kernel(Kernel::copy, 0, 2 * elements); }
  [[nodiscard]] Work solving(Index n) const {
    auto const w = width();
    return this->kernel(Kernel::trsm, w * w * n, w * w + w * n);
  }
  [[nodiscard]] Work updating(Rows rows, Index n) const {
    auto const m = rows.count(), k = width();
    return this->kernel(Kernel::gemm, 2 * m * n * k, m * k + k * n + 2 * m * n);
  }
  /// Its right-hand sides' block of panel k.
  void write_block(std::int32_t k, typename TaskOf<Graph>::VisitTask visit) const {
    auto const chunk = static_cast<std::uint16_t>(t.layer / 2);
    if (g.row_of(sweep(), k) == t.i) visit({0, chunk, t.i, t.j, sweep() == 0 ? k : g.mirrored(k)});
  }
};

/// This rank's part of op(A)'s factors.
template <class T>
struct Factors {
  Trans trans = Trans::none;
  Part<T const> part;

  /// Offset in memory of rows of op(T) that are `distance` apart, with leading dimension ld.
  [[nodiscard]] Index step(Index distance, Index ld) const { return trans == Trans::none ? distance : distance * ld; }
  /// Element (local row, local column) of op(T).
  [[nodiscard]] T const* at(Index row, Index col) const {
    return trans == Trans::none ? part.data + row + col * part.ld : part.data + col + row * part.ld;
  }
};

/// The graphs of the two forms, for right-hand sides whose columns are distributed over the grid's columns. Of sums:
/// the graph of some chunks.
[[nodiscard]] std::unique_ptr<SolveGraph> panels_graph(SolveProblem const& problem, Distribution const& factors,
                                                       AxisDistribution const& sides, Machine const& machine);
[[nodiscard]] std::unique_ptr<SolveGraph> sums_graph(SolveProblem const& problem, Distribution const& factors,
                                                     AxisDistribution const& sides, Index first, Index count);
/// The same with bodies, on this rank. b: [local rows x own sides], B becomes X.
template <class T>
[[nodiscard]] std::unique_ptr<SolveGraph> running_panels(SolveProblem const& problem, Distribution const& factors,
                                                         AxisDistribution const& sides, Machine const& machine,
                                                         Part<T const> part, Part<T> b);
template <class T>
[[nodiscard]] std::unique_ptr<SolveGraph> running_sums(SolveProblem const& problem, Distribution const& factors,
                                                       AxisDistribution const& sides, Index first, Index count, Rank me,
                                                       Part<T const> part, Part<T> b);

/// Right-hand sides of one rank of each row whose sums are sent together.
struct Chunk {
  int home = 0;     ///< the grid column that owns them
  Index first = 0;  ///< local column
  Index count = 0;
};
[[nodiscard]] std::vector<Chunk> chunks_of(AxisDistribution const& sides);
/// visit(first chunk, number of chunks) for each graph.
template <class Visit>
void each_group_of_chunks(AxisDistribution const& sides, Visit const& visit) {
  auto const chunks = static_cast<Index>(chunks_of(sides).size());
  for (Index first = 0; first < chunks; first += chunks_at_once) visit(first, std::min(chunks_at_once, chunks - first));
}

}  // namespace allport::lu_detail
