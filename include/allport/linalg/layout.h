// How a matrix lies on the ranks: a grid of owners, and per axis a rule that deals indices to grid rows or columns.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport {

using Index = std::int64_t;

/// A run of consecutive global indices that one part owns, and where it starts in that part's local storage.
struct Run {
  Index global = 0;
  Index local = 0;
  Index length = 0;

  friend bool operator==(Run const&, Run const&) = default;
};

/// Deals 0..extent-1 to `parts` parts. Two forms:
///   cyclic(extent, parts, block, first, first_block): ScaLAPACK's; block t (of `block`, the first of `first_block`,
///          the last may be short) belongs to part (first + t) % parts
///   cuts({0, ..., extent}): part p owns cuts[p]..cuts[p+1]-1; parts may be empty
class Deal {
 public:
  Deal() = default;
  [[nodiscard]] static Deal cyclic(Index extent, int parts, Index block, int first = 0, Index first_block = 0);
  [[nodiscard]] static Deal cuts(std::vector<Index> cuts);
  /// cuts at p * extent / parts: blocks that differ by at most one.
  [[nodiscard]] static Deal balanced(Index extent, int parts);

  [[nodiscard]] Index extent() const { return extent_; }
  [[nodiscard]] int parts() const { return parts_; }
  [[nodiscard]] bool is_cyclic() const { return block_ > 0; }
  [[nodiscard]] int owner(Index i) const;
  /// Where the owner of index i keeps it.
  [[nodiscard]] Index local(Index i) const;
  /// From index i to the end of its block: global = i, local = local(i), length >= 1.
  [[nodiscard]] Run run_at(Index i) const;
  /// Number of indices that a part owns.
  [[nodiscard]] Index count(int part) const;
  /// Number of indices below i, 0 <= i <= extent, that a part owns: where its indices from i on begin in its storage.
  [[nodiscard]] Index before(int part, Index i) const;
  /// The deal of the first `extent` indices alone: owners and local places as here.
  [[nodiscard]] Deal head(Index extent) const;
  /// The first index after i, i < extent, at which a block ends; the extent where all is one part's.
  [[nodiscard]] Index block_end(Index i) const;
  /// A part's runs, ascending, neighbours merged.
  [[nodiscard]] std::vector<Run> runs(int part) const;

  friend bool operator==(Deal const&, Deal const&) = default;

 private:
  void check_index(Index i) const;

  Index extent_ = 0;
  int parts_ = 1;
  Index block_ = 0;  // 0: by cuts_
  Index first_block_ = 0;
  int first_ = 0;
  std::vector<Index> cuts_{0, 0};
};

/// rows x cols on a grid of owners: element (i, j) lives on rank_at(rows.owner(i), cols.owner(j)), once.
/// Local storage is column-major: local(i) + local(j) * ld.
class Layout {
 public:
  Layout() = default;
  /// grid[r + c * rows.parts()] is the owning rank; ranks may be missing (they own nothing), none may appear twice.
  Layout(Deal rows, Deal cols, std::vector<Rank> grid);

  [[nodiscard]] Deal const& rows() const { return rows_; }
  [[nodiscard]] Deal const& cols() const { return cols_; }
  [[nodiscard]] std::vector<Rank> const& grid() const { return grid_; }
  [[nodiscard]] Rank rank_at(int r, int c) const { return grid_[static_cast<std::size_t>(r + c * rows_.parts())]; }
  /// Grid row and column of a rank, {-1, -1} when it owns nothing.
  struct Position {
    int row = -1;
    int col = -1;
  };
  [[nodiscard]] Position position(Rank rank) const;
  [[nodiscard]] Index local_rows(Rank rank) const;
  [[nodiscard]] Index local_cols(Rank rank) const;

  friend bool operator==(Layout const&, Layout const&) = default;

 private:
  Deal rows_;
  Deal cols_;
  std::vector<Rank> grid_{0};
  std::vector<int> by_rank_{0};  // places of the grid in ascending order of their ranks: position() searches it
};

/// One rank's part of a distributed matrix; a view that owns nothing. data: [local_rows x local_cols], column-major.
template <class T>
struct Part {
  T* data = nullptr;
  Index ld = 1;  ///< >= max(1, local_rows)
};

enum class Scalar : std::uint8_t { s, d, c, z };
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
