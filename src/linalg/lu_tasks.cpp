// The graph of LU with bodies, which work in place: on the matrix, and on the sums of other layers.
#include "lu_tasks.h"

#include <algorithm>
#include <mutex>

#include "blas_threads.h"
#include "lu_gang_line.h"
#include "tiled_run.h"

namespace allport::lu_detail {

namespace {

template <class T>
class RunningLu final : public LuTaskGraph {
 public:
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
    ledger_.work.note(workspace_by_tasks(plan, *this, me));
  }

  void run(Task t, TaskContext& context) const override {
    switch (t.kind) {
      case factor:
        return run_factor(t, context);
      case upper:
        return run_upper(t, context);
      case update:
        return run_update(t, context);
      case note:
        static_cast<void>(moves(t.k, pivots_in(context.input(0))));
        return;
      case part:
        return pack(rows_from(t.i, panel(t.k).begin), panel(t.j).width(), unit_below(t), a_.ld,
                    reinterpret_cast<T*>(context.output(0).data()));
      case gather:
        return unpack(context.input(0), rows_from(t.i, panel(t.k).begin), panel(t.j).width(), unit_below(t));
      case solve:
        return run_solve(t, context);
      case back:
        return run_back(t, context);
      case back_upper:
        return run_back_upper(t, context);
      default:
        return receive(moves_on_left(t), context);
    }
  }

  void exchange(Task t, TaskContext& context, FunctionRef<void(int)> expect) const override {
    auto const jobs = t.kind == left ? moves_on_left(t) : moves_of_unit(t, context);
    RowExchange<T> const rows(a_.rows, a_.i, jobs);
    send_rows(line(context), rows);
    for (auto const& [peer, elements] : rows.incoming()) {
      if (elements > 0) expect(peer);
    }
  }

  [[nodiscard]] Found found() const { return {pivots_, fell_back_}; }
  [[nodiscard]] Ledger& ledger() const { return ledger_; }

 private:
  /// Rows of a panel in memory, from the panel's row `rows.first` on.
  struct Piece {
    T const* l = nullptr;
    Index ld = 1;
    Columns rows{};
  };

  [[nodiscard]] GangLine line(TaskContext& context) const {
    return {p_r(), a_.i, p_r() > 1 ? &context.gang() : nullptr, ledger_};
  }
  static Index const* pivots_in(std::span<std::byte const> data) { return reinterpret_cast<Index const*>(data.data()); }

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
  std::vector<Move> const& moves(Task t, TaskContext& context) const {
    return moves(t.k, reads_in_place() ? nullptr : pivots_in(context.input(0)));
  }

  /// Rows of a unit from panel t.k's first row on.
  [[nodiscard]] T* unit_below(Task t) const { return a_.at(a_.row(panel(t.k).begin), columns(t.j).first); }
  void unpack(std::span<std::byte const> from, Index rows, Index cols, T* to) const {
    for (Index c = 0; rows > 0 && c < cols; ++c) {
      std::memcpy(to + c * a_.ld, from.data() + c * rows * static_cast<Index>(sizeof(T)),
                  static_cast<std::size_t>(rows) * sizeof(T));
    }
  }

  /// Input x of L.
  [[nodiscard]] Piece piece_of(Task t, TaskContext& context, int x) const {
    auto const& p = panel(t.k);
    if (reads_in_place()) return {a_.at(a_.row(p.begin), a_.col(p.begin)), a_.ld, {0, rows_from(t.i, p.begin)}};
    auto const rows = piece(t.i, t.k, x % pieces());
    auto const* const data = context.input(x).data() + head_of_piece(t.k, x);
    return {reinterpret_cast<T const*>(data), std::max<Index>(rows.width(), 1), rows};
  }

  void run_factor(Task t, TaskContext& context) const {
    auto const found = factor_panel(line(context), a_, panel(t.k), pivoting(), fell_back_);
    static_cast<void>(moves(t.k, found.data()));
    auto const& p = panel(t.k);
    auto const write_pivots = [&](std::span<std::byte> to) {
      std::memset(to.data(), 0, static_cast<std::size_t>(head_bytes(p.width())));
      std::memcpy(to.data(), found.data(), found.size() * sizeof(Index));
    };
    T const* const top = a_.at(a_.row(p.begin), a_.col(p.begin));
    for (int index = 0; travels(t.k) && index < all_pieces(); ++index) {
      auto const x = index % pieces();
      auto const rows = piece(t.i, t.k, x);
      auto const cols = slice(t.k, index / pieces());
      auto const head = head_of_piece(t.k, x);
      if (rows.width() * cols.width() == 0 && head == 0) continue;
      auto const to = context.output(first_piece() + index);
      if (head > 0) write_pivots(to);
      pack(rows.width(), cols.width(), top + rows.first + cols.first * a_.ld, a_.ld,
           reinterpret_cast<T*>(to.data() + head));
    }
    if (sends_corner(t.k) && t.i == diagonal_row(t.k)) {
      pack(p.width(), p.width(), top, a_.ld, reinterpret_cast<T*>(context.output(corner()).data()));
    }
    if (pivots_travel(t.k)) write_pivots(context.output(pivots_only()));
  }

  void run_back(Task t, TaskContext& context) const {
    auto const& p = panel(t.k);
    for (int index = 0; index < all_pieces(); ++index) {
      auto const rows = piece(t.i, t.k, index % pieces());
      auto const cols = slice(t.k, index / pieces());
      unpack(context.input(index), rows.width(), cols.width(),
             a_.at(a_.row(p.begin) + rows.first, a_.col(p.begin) + cols.first));
    }
  }

  void run_back_upper(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    for (int index = 0; index < u_outputs(t.j); ++index) {
      auto const rows = rows_of_u(t, index);
      auto const cols = piece_of_u(t.j, t.k, index % u_pieces());
      unpack(context.input(index), rows.width(), cols.width(),
             a_.at(a_.row(panel(t.k).begin) + rows.first, unit.first + cols.first));
    }
  }

  /// U = L^-1 A in the diagonal rows of a unit.
  void solve_for(Task t, Index width, T const* l, Index ld_of_l, T* rows, Index ld) const {
    Stopwatch const watch(ledger_.compute);
    blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, panel(t.k).width(), width, l,
               ld_of_l, rows, ld);
  }
  void solve_for(Task t, Columns const& unit, Piece const& top) const {
    solve_for(t, unit.width(), top.l, top.ld, a_.at(a_.row(panel(t.k).begin), unit.first), a_.ld);
  }
  /// L of the diagonal block: its strict lower triangle.
  [[nodiscard]] Piece top_of(Task t, TaskContext& context) const {
    if (updates_alone() || reads_in_place()) return piece_of(t, context, 0);
    auto const width = panel(t.k).width();
    return {reinterpret_cast<T const*>(context.input(l_of_corner()).data()), width, {0, width}};
  }

  /// Row exchanges of a unit on one row of ranks, without messages.
  void move_rows_here(Task t, Columns const& unit, TaskContext& context) const {
    static_cast<void>(moves(t, context));
    move_in_chains(chains_[static_cast<std::size_t>(t.k)], a_.at(0, unit.first), unit.width(), a_.ld);
  }
  /// Row exchanges of a unit by the pivots of panel t.k, among the ranks of the grid column.
  [[nodiscard]] std::vector<RowMoves<T>> moves_of_unit(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    return {{a_.at(0, unit.first), unit.width(), a_.ld, moves(t, context)}};
  }
  /// Row exchanges in the columns to the left of a batch of panels: those of all panels before the batch together.
  [[nodiscard]] std::vector<RowMoves<T>> moves_on_left(Task t) const {
    auto const first = panel(batch_begin(t.k)).begin;
    auto const end = panel(t.k).end;
    std::span<Index const> const pivots(pivots_);
    auto const moves_from = [&](Index row) {
      auto const later = pivots.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(end - row));
      return moves_of(later, row);
    };
    std::vector<RowMoves<T>> jobs;
    Index before = 0;
    for (auto const k : own(t.j)) {
      auto const& p = panel(k);
      if (p.end <= first) before = columns(k).end;
      if (p.end <= first || p.end >= end) continue;
      jobs.push_back({a_.at(0, columns(k).first), p.width(), a_.ld, moves_from(p.end)});
    }
    if (before > 0) jobs.push_back({a_.at(0, 0), before, a_.ld, moves_from(first)});
    return jobs;
  }
  void receive(std::vector<RowMoves<T>> const& jobs, TaskContext& context) const {
    receive_rows(line(context), RowExchange<T>(a_.rows, a_.i, jobs));
  }

  void run_upper(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    auto const& p = panel(t.k);
    if (pivots() && p_r() == 1) {
      move_rows_here(t, unit, context);
    } else if (pivots()) {
      receive(moves_of_unit(t, context), context);
    }
    if (t.i != diagonal_row(t.k)) return;
    T const* const u = a_.at(a_.row(p.begin), unit.first);
    if (is_whole(t.j)) {
      solve_for(t, unit, top_of(t, context));
      return send_u(t, u, context);
    }
    pack(p.width(), unit.width(), u, a_.ld, reinterpret_cast<T*>(context.output(0).data()));
  }

  /// Sends rows of U, or each layer's slice of them, in pieces.
  void send_u(Task t, T const* u, TaskContext& context) const {
    for (int index = 0; index < u_outputs(t.j); ++index) {
      auto const rows = rows_of_u(t, index);
      auto const cols = piece_of_u(t.j, t.k, index % u_pieces());
      if (rows.width() * cols.width() == 0) continue;
      pack(rows.width(), cols.width(), u + rows.first + cols.first * a_.ld, a_.ld,
           reinterpret_cast<T*>(context.output(index).data()));
    }
  }

  /// The sum replaces this layer's part of it, which no task reads any more.
  void run_solve(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    auto const& p = panel(t.k);
    T* const u = a_.at(a_.row(p.begin), unit.first);
    unpack(context.input(sum_of_layers()), p.width(), unit.width(), u);
    solve_for(t, unit.width(), reinterpret_cast<T const*>(context.input(0).data()), p.width(), u, a_.ld);
    send_u(t, u, context);
  }

  void run_update(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    auto const& p = panel(t.k);
    auto const all = depth(t);
    if (all.width() == 0) return;
    auto const top = a_.row(p.begin);
    if (updates_alone()) {
      if (pivots()) move_rows_here(t, unit, context);
      solve_for(t, unit, top_of(t, context));
    }
    Stopwatch const watch(ledger_.compute);
    auto const above = a_.row(p.end) - top;  // rows of U itself
    for (int x = 0; x < l_blocks(t.j); ++x) {
      auto const by = depth(t, x);
      if (by.width() == 0) continue;
      auto const below = piece_of(t, context, x);
      auto const first = std::max(below.rows.first, above);
      auto const multiply = [&](Columns const& cols, T const* u, Index ld) {
        blas::gemm(Trans::none, Trans::none, std::max<Index>(below.rows.end - first, 0), cols.width(), by.width(),
                   T(-1), below.l + (first - below.rows.first), below.ld, u, ld, T(1),
                   a_.at(top + first, unit.first + cols.first), a_.ld);
      };
      if (updates_alone()) multiply({0, unit.width()}, a_.at(top, unit.first), a_.ld);
      for (int y = 0; !updates_alone() && y < u_pieces(); ++y) {
        auto const* const u = reinterpret_cast<T const*>(context.input(l_blocks(t.j) + y).data());
        multiply(piece_of_u(t.j, t.k, y), u + (by.first - all.first), all.width());
      }
      context.progress();
    }
  }

  View<T> a_;
  std::vector<T> sums_;  // the matrix of layers beyond the first
  mutable std::mutex mutex_;
  mutable std::vector<Index> pivots_;
  mutable std::vector<std::vector<Move>> moves_;
  mutable std::vector<RowChains> chains_;  // on one row of ranks
  mutable std::vector<char> known_;        // panels
  mutable int fell_back_ = 0;
  mutable Ledger ledger_;
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
  ran.ledger = std::move(graph.ledger());
  return ran;
}

#define ALLPORT_RUN_LU(T) \
  template RanByTasks<T> run_by_tasks(Communicator const&, LuPlan const&, Part<T>, Progress const&);
ALLPORT_FOR_SCALARS(ALLPORT_RUN_LU)
#undef ALLPORT_RUN_LU

}  // namespace allport::lu_detail
