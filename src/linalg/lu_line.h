// What the ranks of a factorization say to each other, counted before and done in a run by the same code: a Line
// without a communicator sends nothing and counts all.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

#include "allport/comm/communicator.h"
#include "allport/comm/messages.h"
#include "line_price.h"
#include "operand.h"
#include "workspace.h"

namespace allport::lu_detail {

using gemm_detail::Group;
using gemm_detail::Pricer;
using gemm_detail::Step;
using gemm_detail::Stopwatch;
using gemm_detail::Workspace;

/// One rank's sums.
struct Ledger {
  Traffic planned;    ///< collectives and messages that the plan foresees
  Traffic exchanged;  ///< rows that pivoting moved, which the plan cannot know
  Workspace work;
  std::int64_t scratch = 0;  ///< the most that one collective's schedule needs
  double compute = 0;
  double panel = 0;
  double wait = 0;
};

/// Some ranks in a row, one of which is this one.
class Line {
 public:
  Line() = default;
  /// @param comm  may be missing where the line has one rank
  Line(int length, int index, Group const* group, Pricer* pricer, Ledger* ledger, Communicator const* comm, bool dry)
      : length_(length), index_(index), group_(group), pricer_(pricer), ledger_(ledger), comm_(comm), dry_(dry) {}

  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] bool dry() const { return dry_; }
  [[nodiscard]] Ledger& ledger() const { return *ledger_; }

  /// Root's elements to all.
  template <class T>
  [[nodiscard]] Transfer broadcast(int root, T* data, Index elements) const {
    Step const step{.kind = Step::Kind::broadcast, .root = root, .elements = elements};
    return start(step, static_cast<std::int64_t>(sizeof(T)), {{}, bytes(data, elements)}, {});
  }
  /// Elements of all ranks, combined at the root; `unit` elements are never cut apart.
  template <class T>
  [[nodiscard]] Transfer reduce(int root, T const* in, T* out, Index elements, Combine combine, Index unit = 1) const {
    Step const step{.kind = Step::Kind::reduce, .root = root, .elements = elements / std::max<Index>(unit, 1)};
    return start(step, static_cast<std::int64_t>(sizeof(T)) * unit,
                 {bytes(in, elements), index_ == root ? bytes(out, elements) : std::span<std::byte>()},
                 std::move(combine));
  }
  template <class T>
  [[nodiscard]] Transfer allreduce(T const* in, T* out, Index elements, Combine combine, Index unit = 1) const {
    Step const step{.kind = Step::Kind::allreduce, .elements = elements / std::max<Index>(unit, 1)};
    return start(step, static_cast<std::int64_t>(sizeof(T)) * unit, {bytes(in, elements), bytes(out, elements)},
                 std::move(combine));
  }
  /// Messages to and from another place of the line, counted as planned or as exchanged rows.
  template <class T>
  [[nodiscard]] Transfer send(int to, T const* data, Index elements, int tag, bool planned = true) const {
    count(elements * static_cast<Index>(sizeof(T)), 0, planned);
    return dry() ? Transfer() : comm_->start_send(bytes(data, elements), to, tag);
  }
  template <class T>
  [[nodiscard]] Transfer receive(int from, T* data, Index elements, int tag, bool planned = true) const {
    count(0, elements * static_cast<Index>(sizeof(T)), planned);
    return dry() ? Transfer() : comm_->start_receive(bytes(data, elements), from, tag);
  }
  void wait(Transfer& transfer) const {
    Stopwatch const watch(ledger_->wait);
    transfer.wait();
  }
  void wait(Transfer&& transfer) const { wait(transfer); }
  /// Until this rank has its data; it may still be passing them on.
  void wait_for_data(Transfer& transfer) const {
    Stopwatch const watch(ledger_->wait);
    transfer.wait_for_data();
  }
  /// Calls what the plan could not know: it counts with the exchanged rows.
  template <class Body>
  auto unforeseen(Body const& body) const {
    auto const planned = ledger_->planned;
    auto result = body();
    ledger_->exchanged += gemm_detail::difference(ledger_->planned, planned);
    ledger_->planned = planned;
    return result;
  }
  void progress() const {
    if (comm_ != nullptr) comm_->progress();
  }

 private:
  template <class T>
  static std::span<std::byte> bytes(T* data, Index elements) {
    return std::as_writable_bytes(std::span<T>(data, static_cast<std::size_t>(elements)));
  }
  template <class T>
  static std::span<std::byte const> bytes(T const* data, Index elements) {
    return std::as_bytes(std::span<T const>(data, static_cast<std::size_t>(elements)));
  }
  void count(std::int64_t sent, std::int64_t received, bool planned) const {
    (planned ? ledger_->planned : ledger_->exchanged) +=
        {messages_for(Bytes(sent)), messages_for(Bytes(received)), sent, received};
  }
  [[nodiscard]] Transfer start(Step const& step, std::int64_t element, Buffers buffers, Combine combine) const {
    if (length_ == 1 || step.elements == 0) {
      if (!dry() && step.kind != Step::Kind::broadcast && step.elements > 0) {
        std::memcpy(buffers.output.data(), buffers.input.data(), buffers.input.size());
      }
      return {};
    }
    ledger_->planned += pricer_->traffic(*group_, index_, step, element);
    ledger_->scratch = std::max(ledger_->scratch, pricer_->scratch(*group_, index_, step, element));
    if (dry()) {
      return {};
    }
    return comm_->start(pricer_->schedule(*group_, step, element), buffers, std::move(combine));
  }

  int length_ = 1;
  int index_ = 0;
  Group const* group_ = nullptr;
  Pricer* pricer_ = nullptr;
  Ledger* ledger_ = nullptr;
  Communicator const* comm_ = nullptr;
  bool dry_ = true;
};

/// A rank's place in a 2D grid: its row communicates over the columns, its column over the rows.
struct Grid {
  Line row;  ///< length p_c, index j
  Line col;  ///< length p_r, index i

  [[nodiscard]] int i() const { return col.index(); }
  [[nodiscard]] int j() const { return row.index(); }
  [[nodiscard]] bool dry() const { return row.dry(); }
  [[nodiscard]] Ledger& ledger() const { return row.ledger(); }
};

/// This rank's part of a matrix on a Grid; without data in a dry run.
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
template <class T>
void move_in_chains(RowChains const& chains, T* columns, Index width, Index ld) {
  if (chains.chains.empty()) return;  // there may be no rows
  for (Index j = 0; j < width; ++j) {
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
/// Carries out all jobs; one message for each pair of ranks of `line` that exchange anything. `rows` distributes the
/// rows to the line. Called by all ranks of the line with equal widths and moves.
template <class T, class Talk>
void move_rows(Talk const& line, AxisDistribution const& rows, std::vector<RowMoves<T>> const& jobs);

}  // namespace allport::lu_detail
