// A rank's part of a factorization: its block of the matrix, the rows that change places in it, what it has counted.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "linalg/matrix/operand.h"
#include "linalg/matrix/workspace.h"

namespace allport::lu_detail {

using gemm_detail::Stopwatch;
using gemm_detail::Workspace;

/// One rank's sums.
struct Ledger {
  Traffic exchanged;  ///< rows that pivoting moved, which the plan cannot know
  Workspace work;
  double compute = 0;
  double panel = 0;
};

/// This rank's part of a matrix on a grid.
template <class T>
struct View {
  AxisDistribution rows;
  AxisDistribution cols;
  int i = 0;
  int j = 0;
  T* data = nullptr;
  Index ld = 1;

  /// Where the local rows (columns) of global index >= g begin.
  [[nodiscard]] Index row(Index g) const { return rows.before(i, g); }
  [[nodiscard]] Index col(Index g) const { return cols.before(j, g); }
  [[nodiscard]] Index local_rows() const { return rows.count(i); }
  [[nodiscard]] Index local_cols() const { return cols.count(j); }
  [[nodiscard]] T* at(Index local_row, Index local_col) const {
    return data == nullptr ? nullptr : data + local_row + local_col * ld;
  }
};

/// Row x takes what row y holds.
struct Move {
  Index to = 0;
  Index from = 0;
};

/// The moves that exchanging row begin + s with row pivots[s], one after the other, comes to. Sorted by `to`.
[[nodiscard]] std::vector<Move> moves_of(std::span<Index const> pivots, Index begin);
/// The exchanges that bring rows ids[0], ids[1], ... to begin, begin + 1, ...
[[nodiscard]] std::vector<Index> exchanges_for(std::span<Index const> ids, Index begin);

/// Moves of local rows in an order in which none is overwritten before it has moved: rows[c] takes what rows[c + 1]
/// has, and so on to the end of its chain; the last one of a circle takes what its first one had.
struct RowChains {
  struct Chain {
    std::size_t begin = 0;  ///< in rows
    std::size_t end = 0;
    bool circle = false;
  };
  std::vector<Index> rows;
  std::vector<Chain> chains;
};
/// @param moves  local rows, each a `to` once at most
[[nodiscard]] RowChains chains_of(std::vector<Move> const& moves);
/// Asks memory for the rows of a column behind column j, so that nobody waits for them there: each lies in a cache line
/// of its own, and few stores can wait for one at a time.
template <class T>
void ask_for_rows(std::vector<Index> const& rows, T* columns, Index j, Index width, Index ld) {
  constexpr Index ahead = 2;
  if (j + ahead >= width) return;
  for (auto const row : rows) __builtin_prefetch(columns + (j + ahead) * ld + row, 1);
}
template <class T>
void move_in_chains(RowChains const& chains, T* columns, Index width, Index ld) {
  if (chains.chains.empty()) return;  // there may be no rows
  for (Index j = 0; j < width; ++j) {
    ask_for_rows(chains.rows, columns, j, width, ld);
    T* const column = columns + j * ld;
    for (auto const& [begin, end, circle] : chains.chains) {
      auto const first = column[chains.rows[begin]];
      for (auto x = begin; x + 1 < end; ++x) column[chains.rows[x]] = column[chains.rows[x + 1]];
      if (circle) column[chains.rows[end - 1]] = first;
    }
  }
}

/// Moves of the rows of some local columns.
template <class T>
struct RowMoves {
  T* columns = nullptr;  ///< first local column's row 0
  Index width = 0;
  Index ld = 1;
  std::vector<Move> moves;
};
/// What one rank of a line has to do for jobs that all of its ranks have alike: one message for each pair of ranks that
/// exchange anything. `rows` distributes the rows to the line; the jobs stay where they are.
template <class T>
class RowExchange {
 public:
  RowExchange(AxisDistribution const& rows, int me, std::span<RowMoves<T> const> jobs);

  /// Elements that go to others, and come from them.
  [[nodiscard]] std::map<int, Index> const& outgoing() const { return outgoing_; }
  [[nodiscard]] std::map<int, Index> const& incoming() const { return incoming_; }
  [[nodiscard]] std::vector<T> packed(int to) const;
  /// Rows that stay here change places. @pre what goes to others is packed
  void move_here() const;
  /// @pre move_here() has been called
  void unpack(int from, T const* elements) const;

 private:
  /// The moves of a job by what happens to them; local row numbers.
  struct Sorted {
    std::vector<Move> here;                     ///< local to, local from
    std::map<int, std::vector<Index>> leaving;  ///< by receiver: rows to send, in the order of `to`
    std::map<int, std::vector<Index>> coming;   ///< by sender: rows that arrive, likewise
  };

  std::span<RowMoves<T> const> jobs_;
  std::vector<Sorted> sorted_;
  std::map<int, Index> outgoing_;
  std::map<int, Index> incoming_;
};

}  // namespace allport::lu_detail
