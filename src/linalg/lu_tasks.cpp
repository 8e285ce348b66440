// The graph of 2D LU with bodies: in place, on the matrix where it lies.
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
  RunningLu(LuPlan const& plan, Place me, Part<T> a)
      : LuTaskGraph(plan, plan.chosen, plan.distribution),
        a_{plan.distribution.rows(), plan.distribution.cols(), me.i, me.j, a.data, a.ld},
        pivots_(static_cast<std::size_t>(pivoted())),
        moves_(static_cast<std::size_t>(panels())),
        chains_(static_cast<std::size_t>(p_r() == 1 ? panels() : 0)),
        known_(static_cast<std::size_t>(panels())) {
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
      default:
        return permute_left(line(context), a_, all_panels(), std::span<Index const>(pivots_));
    }
  }

  [[nodiscard]] Found found() const { return {pivots_, fell_back_}; }
  [[nodiscard]] Ledger& ledger() const { return ledger_; }

 private:
  /// Rows of a panel where a task finds them, from the panel's row `rows.first` on.
  struct Piece {
    T const* l = nullptr;
    Index ld = 1;
    Columns rows{};
  };

  [[nodiscard]] GangLine line(TaskContext& context) const {
    return {p_r(), a_.i, p_r() > 1 ? &context.gang() : nullptr, ledger_};
  }
  static Index const* pivots_in(std::span<std::byte const> data) { return reinterpret_cast<Index const*>(data.data()); }

  /// The exchanges of panel k, kept from the first time that this rank hears of them.
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
  std::vector<Move> const& moves(std::int32_t k, TaskContext& context) const {
    return moves(k, p_c() > 1 ? pivots_in(context.input(0)) : nullptr);
  }

  [[nodiscard]] Piece piece_of(Task t, TaskContext& context, int x) const {
    auto const& p = panel(t.k);
    if (p_c() == 1) return {a_.at(a_.row(p.begin), a_.col(p.begin)), a_.ld, {0, rows_from(t.i, p.begin)}};
    auto const rows = piece(t.i, t.k, x);
    auto const* const data = context.input(x).data() + (x == 0 ? head_bytes(p.width()) : 0);
    return {reinterpret_cast<T const*>(data), std::max<Index>(rows.width(), 1), rows};
  }

  void run_factor(Task t, TaskContext& context) const {
    auto const found = factor_panel(line(context), a_, panel(t.k), pivoting(), fell_back_);
    static_cast<void>(moves(t.k, found.data()));
    if (p_c() == 1) return;
    auto const& p = panel(t.k);
    auto const write_pivots = [&](std::span<std::byte> to) {
      std::memset(to.data(), 0, static_cast<std::size_t>(head_bytes(p.width())));
      std::memcpy(to.data(), found.data(), found.size() * sizeof(Index));
    };
    for (int x = 0; has_users(t.k) && x < pieces(); ++x) {
      auto const rows = piece(t.i, t.k, x);
      auto const head = x == 0 ? head_bytes(p.width()) : 0;
      if (rows.width() == 0 && head == 0) continue;
      auto const to = context.output(x);
      if (x == 0) write_pivots(to);
      gemm_detail::pack(rows.width(), p.width(),
                        static_cast<T const*>(a_.at(a_.row(p.begin) + rows.first, a_.col(p.begin))), a_.ld,
                        reinterpret_cast<T*>(to.data() + head));
    }
    if (has_notes(t.k)) write_pivots(context.output(pivots_only()));
  }

  /// U = L^-1 A in a unit's rows of the diagonal.
  void solve(Task t, Columns const& unit, Piece const& top) const {
    Stopwatch const watch(ledger_.compute);
    auto const& p = panel(t.k);
    blas::trsm(blas::Side::left, blas::Triangle::lower, Trans::none, blas::Diagonal::unit, p.width(), unit.width(),
               top.l, top.ld, a_.at(a_.row(p.begin), unit.first), a_.ld);
  }

  void run_upper(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    auto const& p = panel(t.k);
    if (pivots()) {
      move_rows<T>(line(context), a_.rows, {{a_.at(0, unit.first), unit.width(), a_.ld, moves(t.k, context)}});
    }
    if (t.i != diagonal_row(t.k)) return;
    solve(t, unit, piece_of(t, context, 0));
    gemm_detail::pack(p.width(), unit.width(), static_cast<T const*>(a_.at(a_.row(p.begin), unit.first)), a_.ld,
                      reinterpret_cast<T*>(context.output(0).data()));
  }

  void run_update(Task t, TaskContext& context) const {
    auto const unit = columns(t.j, t.k);
    auto const& p = panel(t.k);
    auto const width = p.width();
    auto const top = a_.row(p.begin);
    T const* u = a_.at(top, unit.first);
    auto ld = a_.ld;
    if (p_r() == 1) {
      if (pivots()) {
        static_cast<void>(moves(t.k, context));
        move_in_chains(chains_[static_cast<std::size_t>(t.k)], a_.at(0, unit.first), unit.width(), a_.ld);
      }
      solve(t, unit, piece_of(t, context, 0));
    } else {
      u = reinterpret_cast<T const*>(context.input(u_block()).data());
      ld = width;
    }
    Stopwatch const watch(ledger_.compute);
    auto const above = a_.row(p.end) - top;  // rows of U itself
    for (int x = 0; x < (p_c() > 1 ? pieces() : 1); ++x) {
      auto const part = piece_of(t, context, x);
      auto const first = std::max(part.rows.first, above);
      blas::gemm(Trans::none, Trans::none, std::max<Index>(part.rows.end - first, 0), unit.width(), width, T(-1),
                 part.l + (first - part.rows.first), part.ld, u, ld, T(1), a_.at(top + first, unit.first), a_.ld);
      context.progress();
    }
  }

  View<T> a_;
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
  auto const me = Seats(plan.chosen, plan.options).place(comm.rank());
  tasks::RunOptions options;
  options.progress = detail::of_tasks(progress);
  RanByTasks<T> ran;
  if (!me) {  // has no part, and asks the same graph where to relay
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
