// Distributions of matrices: a process grid, and the distribution of either axis over its rows or columns.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport {

using Index = std::int64_t;

/// A run of consecutive global indices that one part owns, and its first index in that part's local storage.
struct Run {
  Index global = 0;
  Index local = 0;
  Index length = 0;

  friend bool operator==(Run const&, Run const&) = default;
};

/// Indices 0..extent-1 over `parts` rows or columns of a process grid. Three forms:
///   cyclic(extent, parts, nb, source, first_block): ScaLAPACK's block-cyclic; block t (of nb indices, the first of
///          `first_block`, the last may be short) belongs to part (source + t) % parts
///   cuts({0, ..., extent}): part p owns cuts[p]..cuts[p+1]-1; parts may be empty
///   listed(extent, parts, starts, owners): part owners[q] owns run q, starts[q]..starts[q+1]-1, stored behind its
///          previous runs; for several axes of a tensor that are cut separately and numbered as one
class AxisDistribution {
 public:
  AxisDistribution() = default;
  [[nodiscard]] static AxisDistribution cyclic(Index extent, int parts, Index nb, int source = 0,
                                               Index first_block = 0);
  [[nodiscard]] static AxisDistribution cuts(std::vector<Index> cuts);
  /// Adjacent runs of one owner are merged; becomes cuts() if that is equivalent.
  /// @pre starts begin with 0 and ascend below the extent, one for each owner; none for extent 0
  [[nodiscard]] static AxisDistribution listed(Index extent, int parts, std::vector<Index> const& starts,
                                               std::vector<int> const& owners);
  /// cuts at p * extent / parts: blocks that differ by at most one.
  [[nodiscard]] static AxisDistribution balanced(Index extent, int parts);

  [[nodiscard]] Index extent() const { return extent_; }
  [[nodiscard]] int parts() const { return parts_; }
  /// Block size; 0 for cuts and lists.
  [[nodiscard]] Index nb() const { return nb_; }
  [[nodiscard]] int source() const { return source_; }
  [[nodiscard]] bool is_cyclic() const { return nb_ > 0; }
  [[nodiscard]] bool is_listed() const { return !runs_.empty(); }
  [[nodiscard]] int owner(Index i) const;
  /// The local index of i on its owner.
  [[nodiscard]] Index local(Index i) const;
  /// From index i to the end of its block: global = i, local = local(i), length >= 1.
  [[nodiscard]] Run run_at(Index i) const;
  /// Number of indices that a part owns.
  [[nodiscard]] Index count(int part) const;
  /// Number of indices below i, 0 <= i <= extent, that a part owns: the local index of its first index >= i.
  [[nodiscard]] Index before(int part, Index i) const;
  /// The distribution of the first `extent` indices, with the same owners and local indices.
  [[nodiscard]] AxisDistribution head(Index extent) const;
  /// The end of the block of index i < extent: one past its last index; the extent if there is one part.
  [[nodiscard]] Index block_end(Index i) const;
  /// A part's runs, ascending, adjacent ones merged.
  [[nodiscard]] std::vector<Run> runs(int part) const;

  friend bool operator==(AxisDistribution const&, AxisDistribution const&) = default;

 private:
  void check_index(Index i) const;
  void check_part(int part) const;
  [[nodiscard]] Index count_below(int part, Index end) const;
  [[nodiscard]] std::size_t run_of(Index i) const;

  Index extent_ = 0;
  int parts_ = 1;
  Index nb_ = 0;  // 0: cuts_ or runs_
  Index first_block_ = 0;
  int source_ = 0;
  std::vector<Index> cuts_{0, 0};
  std::vector<Run> runs_;      // listed: of all parts, ascending
  std::vector<int> owners_;    // of each run
  std::vector<Index> counts_;  // of each part
};

/// A grid of processes, each with one rank.
class ProcessGrid {
 public:
  ProcessGrid() = default;  ///< rank 0 alone
  /// ranks[r + c * rows] has row r, column c. Not all ranks of the communicator need to be in the grid.
  /// @throws Error unless there are rows * cols different ranks >= 0
  ProcessGrid(int rows, int cols, std::vector<Rank> ranks);
  /// Ranks first, first + 1, ... column by column, as order 'C' of BLACS.
  [[nodiscard]] static ProcessGrid column_major(int rows, int cols, Rank first = 0);
  /// Row by row, as order 'R' of BLACS.
  [[nodiscard]] static ProcessGrid row_major(int rows, int cols, Rank first = 0);

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int cols() const { return cols_; }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] std::vector<Rank> const& ranks() const { return ranks_; }
  [[nodiscard]] auto begin() const { return ranks_.begin(); }
  [[nodiscard]] auto end() const { return ranks_.end(); }
  [[nodiscard]] Rank rank_at(int r, int c) const { return ranks_[static_cast<std::size_t>(r + c * rows_)]; }
  /// Row and column of a rank, {-1, -1} if it is not in the grid.
  struct Position {
    int row = -1;
    int col = -1;
  };
  [[nodiscard]] Position position(Rank rank) const;

  friend bool operator==(ProcessGrid const& a, ProcessGrid const& b) {
    return a.rows_ == b.rows_ && a.ranks_ == b.ranks_;
  }

 private:
  /// Fills by_rank_ if the ranks are 0 .. size() - 1 in some order.
  bool numbers_all();

  int rows_ = 1;
  int cols_ = 1;
  std::vector<Rank> ranks_{0};
  std::vector<int> by_rank_{0};  // indices into ranks_ in ascending order of the ranks, for position()
};

/// The distribution of a matrix: rows over the rows of a process grid, columns over its columns. Element (i, j) is on
/// rank_at(rows.owner(i), cols.owner(j)) only. Local storage is column-major: local(i) + local(j) * ld.
class Distribution {
 public:
  using Position = ProcessGrid::Position;

  Distribution() = default;
  /// @throws Error unless the grid has as many rows and columns as the axes have parts
  Distribution(AxisDistribution rows, AxisDistribution cols, ProcessGrid grid);
  /// @param grid  rank of grid row r, column c at r + c * rows.parts()
  Distribution(AxisDistribution rows, AxisDistribution cols, std::vector<Rank> grid);

  [[nodiscard]] AxisDistribution const& rows() const { return rows_; }
  [[nodiscard]] AxisDistribution const& cols() const { return cols_; }
  [[nodiscard]] ProcessGrid const& grid() const { return grid_; }
  [[nodiscard]] Rank rank_at(int r, int c) const { return grid_.rank_at(r, c); }
  [[nodiscard]] Position position(Rank rank) const { return grid_.position(rank); }
  [[nodiscard]] Index local_rows(Rank rank) const;
  [[nodiscard]] Index local_cols(Rank rank) const;

  friend bool operator==(Distribution const&, Distribution const&) = default;

 private:
  AxisDistribution rows_;
  AxisDistribution cols_;
  ProcessGrid grid_;
};

/// The distribution of a rows x cols matrix on `owner` alone: redistribute() to it gathers, from it scatters.
[[nodiscard]] inline Distribution whole_on(Rank owner, Index rows, Index cols) {
  return {AxisDistribution::cuts({0, rows}), AxisDistribution::cuts({0, cols}), {owner}};
}

enum class Scalar : std::uint8_t { s, d, c, z };
/// The type of a BLAS prefix; nothing for other characters.
[[nodiscard]] constexpr std::optional<Scalar> scalar_named(char prefix) {
  auto const place = std::string_view("sdcz").find(prefix);
  return place == std::string_view::npos ? std::nullopt : std::optional(static_cast<Scalar>(place));
}
template <class T>
inline constexpr Scalar scalar_of = Scalar::d;
template <>
inline constexpr Scalar scalar_of<float> = Scalar::s;
template <>
inline constexpr Scalar scalar_of<std::complex<float>> = Scalar::c;
template <>
inline constexpr Scalar scalar_of<std::complex<double>> = Scalar::z;
[[nodiscard]] constexpr std::int64_t bytes_of(Scalar s) { return s == Scalar::s ? 4 : s == Scalar::z ? 16 : 8; }

}  // namespace allport
