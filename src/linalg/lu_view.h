// A rank's part of a factorization: its block of the matrix, row exchanges in it, and its counters.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "operand.h"
#include "workspace.h"

namespace allport::lu_detail {

using namespace detail;

/// Counters of one rank.
struct Ledger {
  Traffic exchanged;  ///< rows that pivoting exchanged, which the plan cannot predict
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

  /// The first local row (column) of global index >= g.
  [[nodiscard]] Index row(Index g) const { return rows.before(i, g); }
  [[nodiscard]] Index col(Index g) const { return cols.before(j, g); }
  [[nodiscard]] Index local_rows() const { return rows.count(i); }
  [[nodiscard]] Index local_cols() const { return cols.count(j); }
  [[nodiscard]] T* at(Index local_row, Index local_col) const {
    return data == nullptr ? nullptr : data + local_row + local_col * ld;
  }
};

/// Row `to` gets the content of row `from`.
struct Move {
  Index to = 0;
  Index from = 0;
};

/// The moves that result from exchanging row begin + s with row pivots[s] for s = 0, 1, ... Sorted by `to`.
[[nodiscard]] std::vector<Move> moves_of(std::span<Index const> pivots, Index begin);
/// The exchanges that bring rows ids[0], ids[1], ... to rows begin, begin + 1, ...
[[nodiscard]] std::vector<Index> exchanges_for(std::span<Index const> ids, Index begin);

/// Moves of local rows in an order in which no row is overwritten before it has moved: rows[c] gets the content of
/// rows[c + 1], and so on to the end of its chain; the last row of a cycle gets that of its first one.
struct RowChains {
  struct Chain {
    std::size_t begin = 0;  ///< in rows
    std::size_t end = 0;
    bool cycle = false;
  };
  std::vector<Index> rows;
  std::vector<Chain> chains;
};
/// @param moves  of local rows, each at most once as `to`
[[nodiscard]] RowChains chains_of(std::vector<Move> const& moves);
/// Prefetches the rows of the column two behind column j: each row is in a cache line of its own, and few stores can be
/// pending at a time.
template <class T>
void prefetch_rows(std::vector<Index> const& rows, T* columns, Index j, Index width, Index ld) {
  constexpr Index ahead = 2;
  if (j + ahead >= width) return;
  for (auto const row : rows) __builtin_prefetch(columns + (j + ahead) * ld + row, 1);
}
template <class T>
void move_in_chains(RowChains const& chains, T* columns, Index width, Index ld) {
  if (chains.chains.empty()) return;  // there may be no rows
  for (Index j = 0; j < width; ++j) {
    prefetch_rows(chains.rows, columns, j, width, ld);
    T* const column = columns + j * ld;
    for (auto const& [begin, end, cycle] : chains.chains) {
      auto const first = column[chains.rows[begin]];
      for (auto x = begin; x + 1 < end; ++x) column[chains.rows[x]] = column[chains.rows[x + 1]];
      if (cycle) column[chains.rows[end - 1]] = first;
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
/// One rank's part of row exchanges in which all ranks of a line take part: one message for each pair of ranks that
/// exchange rows. `rows` distributes the rows over the line; the jobs must outlive this.
template <class T>
class RowExchange {
 public:
  RowExchange(AxisDistribution const& rows, int me, std::span<RowMoves<T> const> jobs);

  /// Elements to send, and to receive, by rank of the line.
  [[nodiscard]] std::map<int, Index> const& outgoing() const { return outgoing_; }
  [[nodiscard]] std::map<int, Index> const& incoming() const { return incoming_; }
  [[nodiscard]] std::vector<T> packed(int to) const;
  /// Moves the rows that stay on this rank. @pre all outgoing rows are packed
  void move_here() const;
  /// @pre move_here() has been called
  void unpack(int from, T const* elements) const;

 private:
  /// The moves of a job in local row numbers.
  struct Sorted {
    std::vector<Move> here;                     ///< within this rank
    std::map<int, std::vector<Index>> leaving;  ///< by receiver: rows to send, ordered by `to`
    std::map<int, std::vector<Index>> coming;   ///< by sender: rows to receive, in the same order
  };

  std::span<RowMoves<T> const> jobs_;
  std::vector<Sorted> sorted_;
  std::map<int, Index> outgoing_;
  std::map<int, Index> incoming_;
};

}  // namespace allport::lu_detail
