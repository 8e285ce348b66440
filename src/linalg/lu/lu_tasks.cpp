// The graph of LU with bodies, which work in place: on the matrix, and on the sums of other layers.
#include "lu_tasks.h"

#include <algorithm>
#include <mutex>

#include "linalg/matrix/blas_threads.h"
#include "linalg/plan/tiled_run.h"
#include "lu_gang_line.h"

namespace allport::lu_detail {

namespace {

/// LuTaskGraph on a rank's part of the matrix, and what its tasks do with it.
template <class T>
class RunningLu final : public LuTaskGraph {
 public:
  using Element = T;
  /// Rows of L in memory, counted from the panel's first one.
  struct PieceOfL {
    T const* data = nullptr;
    Index ld = 1;
    Columns rows{};
  };
  mutable Ledger ledger{};
  mutable int fell_back = 0;

  RunningLu(LuPlan const& plan, GridCoords me, Part<T> a)
      : LuTaskGraph(plan, plan.chosen, plan.distribution),
        a_{plan.distribution.rows(), plan.distribution.cols(), me.i, me.j, a.data, a.ld},
        sums_(me.l > 0 ? static_cast<std::size_t>(a_.local_rows() * a_.local_cols()) : 0),
        pivots_(static_cast<std::size_t>(pivoted())),
        moves_(static_cast<std::size_t>(panels())),
        chains_(static_cast<std::size_t>(p_r() == 1 ? panels() : 0)),
        known_(static_cast<std::size_t>(panels())) {
    if (me.l > 0) {
      a_.data = sums_.data();
      a_.ld = std::max<Index>(a_.local_rows(), 1);
    }
    std::iota(pivots_.begin(), pivots_.end(), Index{0});
    ledger.work.note(workspace_by_tasks(plan, *this, me));
  }

  void run(Task t, TaskContext& context) const override {
    of_kind(t, [&](auto const& task) { task.run(*this, context); });
  }
  void exchange(Task t, TaskContext& context, FunctionRef<void(int)> expect) const override {
    of_kind(t, [&](auto const& task) {
      if constexpr (requires { task.row_moves(*this, context); }) {
        auto const jobs = task.row_moves(*this, context);
        RowExchange<T> const rows(a_.rows, a_.i, jobs);
        send_rows(line(context), rows);
        for (auto const& [peer, elements] : rows.incoming()) {
          if (elements > 0) expect(peer);
        }
      }
    });
  }
  [[nodiscard]] Found found() const { return {pivots_, fell_back}; }

  [[nodiscard]] View<T> const& part() const { return a_; }
  [[nodiscard]] Index ld() const { return a_.ld; }
  /// Row and column of panel k's block; row of panel k's block in a local column.
  [[nodiscard]] T* panel_at(std::int32_t k, Index row = 0, Index col = 0) const {
    return unit_at(k, a_.col(panel(k).begin) + col, row);
  }
  [[nodiscard]] T* unit_at(std::int32_t k, Index local_col, Index row = 0) const {
    return a_.at(a_.row(panel(k).begin) + row, local_col);
  }
  void pack(T const* from, Index rows, Index cols, std::byte* to) const {
    detail::pack(rows, cols, from, a_.ld, reinterpret_cast<T*>(to));
  }
  void unpack(std::span<std::byte const> from, Index rows, Index cols, T* to) const {
    for (Index c = 0; rows > 0 && c < cols; ++c) {
      std::memcpy(to + c * a_.ld, from.data() + c * rows * static_cast<Index>(sizeof(T)),
                  static_cast<std::size_t>(rows) * sizeof(T));
    }
  }
  [[nodiscard]] PieceOfL piece_of_l(Task t, TaskContext const& context, int input) const {
    if (reads_in_place()) return {panel_at(t.k), a_.ld, {0, rows_from(t.i, panel(t.k).begin)}};
    auto const x = input % pieces();
    auto const rows = piece(t.i, t.k, x);
    auto const* const data = context.input(input).data() + head_of_piece(t.k, x);
    return {reinterpret_cast<T const*>(data), std::max<Index>(rows.width(), 1), rows};
  }

  /// The ranks of the grid column.
  [[nodiscard]] GangLine line(TaskContext& context) const {
    return {p_r(), a_.i, p_r() > 1 ? &context.gang() : nullptr, ledger};
  }
  /// The row exchanges of panel k, cached when this rank receives its pivots.
  std::vector<Move> const& moves(std::int32_t k, Index const* pivots) const {
    auto const x = static_cast<std::size_t>(k);
    std::scoped_lock const hold(mutex_);
    if (known_[x] == 0 && this->pivots()) {
      auto const begin = panel(k).begin;
      std::span<Index> const own(pivots_.data() + begin, static_cast<std::size_t>(panel(k).width()));
      std::copy_n(pivots, own.size(), own.begin());
      moves_[x] = moves_of(own, begin);
      if (p_r() == 1) chains_[x] = chains_of(moves_[x]);  // all rows are local
      known_[x] = 1;
    }
    return moves_[x];
  }
  std::vector<Move> const& moves(std::int32_t k, TaskContext const& context) const {
    return moves(k, reads_in_place() ? nullptr : detail::elements_in<Index>(context, 0));
  }
  /// The row exchanges by the pivots of rows first ... end - 1.
  [[nodiscard]] std::vector<Move> moves_between(Index first, Index end) const {
    std::span<Index const> const pivots(pivots_);
    return moves_of(pivots.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(end - first)), first);
  }
  [[nodiscard]] RowMoves<T> moves_in(Columns const& columns, std::vector<Move> moves) const {
    return {a_.at(0, columns.first), columns.width(), a_.ld, std::move(moves)};
  }
  void receive(std::vector<RowMoves<T>> const& jobs, TaskContext& context) const {
    receive_rows(line(context), RowExchange<T>(a_.rows, a_.i, jobs));
  }
  /// Row exchanges on one row of ranks, without messages.
  void move_rows_here(std::int32_t k, Columns const& columns, TaskContext const& context) const {
    static_cast<void>(moves(k, context));
    move_in_chains(chains_[static_cast<std::size_t>(k)], a_.at(0, columns.first), columns.width(), a_.ld);
  }

 private:
  View<T> a_;
  std::vector<T> sums_;  // the matrix of layers beyond the first
  mutable std::mutex mutex_;
  mutable std::vector<Index> pivots_;
  mutable std::vector<std::vector<Move>> moves_;
  mutable std::vector<RowChains> chains_;  // on one row of ranks
  mutable std::vector<char> known_;        // panels
};

}  // namespace

template <class T>
RanByTasks<T> run_by_tasks(Communicator const& comm, LuPlan const& plan, Part<T> a, Progress const& progress) {
  auto const me = layout_of(plan.chosen, plan.options).coords(comm.rank());
  tasks::RunOptions options;
  options.call = "lu";
  options.multicast = plan.options.tree;
  options.progress = detail::of_tasks(progress);
  options.combine = sum_of<T>();
  RanByTasks<T> ran;
  if (!me) {  // outside the grid: relays by the same graph
    LuTaskGraph const graph(plan, plan.chosen, plan.distribution);
    options.ahead = graph.ahead();
    ran.run = tasks::run(graph, comm, options);
    return ran;
  }
  RunningLu<T> const graph(plan, *me, a);
  options.ahead = graph.ahead();
  ran.run = tasks::run(graph, comm, options);
  ran.found = graph.found();
  ran.ledger = std::move(graph.ledger);
  return ran;
}

#define ALLPORT_RUN_LU(T) \
  template RanByTasks<T> run_by_tasks(Communicator const&, LuPlan const&, Part<T>, Progress const&);
ALLPORT_FOR_SCALARS(ALLPORT_RUN_LU)
#undef ALLPORT_RUN_LU

}  // namespace allport::lu_detail
