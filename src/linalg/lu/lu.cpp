// Runs a factorization: checks, redistributes A, factors, redistributes the factors, reports.
#include "allport/linalg/lu.h"

#include <bit>
#include <cmath>

#include "base/fnv.h"
#include "linalg/matrix/elements.h"
#include "linalg/plan/plan_price.h"
#include "linalg/solve/solve_grid.h"
#include "lu_tasks.h"

namespace allport {

using namespace lu_detail;

namespace {

void agree(Communicator const& comm, LuPlan const& plan) {
  auto const& p = plan.problem;
  auto const& c = plan.chosen;
  auto const how = fmt::format("lu {} {}x{}x{} {} {} {} {} {} {} {} {}", c.algorithm, c.grid.rows, c.grid.cols,
                               c.grid.layers, c.order, c.in_place, c.panel, c.nb, c.ahead, c.outer_panel,
                               static_cast<char>(p.pivoting), name(tree_of(plan)));
  detail::ensure_agreement(comm, "lu",
                           {{"element type (0 s, 1 d, 2 c, 3 z)", static_cast<int>(p.type)},
                            {"m", p.m},
                            {"n", p.n},
                            {"pivoting, algorithm and grid", agreement_hash(how)}});
}

/// The first j, counted from 1, with U(j, j) exactly zero on this rank; the extent + 1 if there is none.
template <class T>
Index first_zero(Matrix<T> const& a) {
  auto const& distribution = a.distribution();
  auto const count = std::min(distribution.rows().extent(), distribution.cols().extent());
  auto const place = distribution.position(a.comm().rank());
  if (place.row < 0) {
    return count + 1;
  }
  for (auto const& c : distribution.cols().runs(place.col)) {
    for (Index j = c.global; j < std::min(c.global + c.length, count); ++j) {
      if (distribution.rows().owner(j) != place.row) continue;
      if (a.data()[distribution.rows().local(j) + (c.local + j - c.global) * a.ld()] == T(0)) return j + 1;
    }
  }
  return count + 1;
}

struct LuMeasured {
  Traffic lu, exchanged, moved;
  double total = 0, compute = 0, panel = 0, wait = 0, redistribute = 0;
  double before = 0, after = 0;  // largest elements
  std::int64_t memory = 0;
  Index zero = 0;
  int fell_back = 0;
};

LuReport report_of(Communicator const& comm, LuPlan const& plan, LuMeasured const& mine) {
  constexpr double ns = 1e9;
  std::vector<std::int64_t> words;
  for (auto const& t : {mine.lu, mine.exchanged, mine.moved}) append(words, t);
  for (auto const t : {mine.total, mine.compute, mine.panel, mine.wait, mine.redistribute}) {
    words.push_back(std::llround(t * ns));
  }
  words.insert(words.end(), {mine.memory, mine.fell_back, -mine.zero, std::bit_cast<std::int64_t>(mine.before),
                             std::bit_cast<std::int64_t>(mine.after)});
  auto const all = comm.all_gather(words);
  LuReport report;
  report.chosen = plan.chosen;
  report.pivoting = plan.problem.pivoting;
  report.predicted = plan.traffic;
  report.predicted_memory = plan.chosen.memory;
  report.bound_words = plan.chosen.bound_words;
  std::vector<std::int64_t> most(8, std::numeric_limits<std::int64_t>::min());
  double before = 0;
  double after = 0;
  for (std::size_t r = 0; r < all.size(); r += words.size()) {
    report.measured.push_back(from_words(&all[r]));
    report.exchanged.push_back(from_words(&all[r + 4]));
    report.moved.push_back(from_words(&all[r + 8]));
    for (std::size_t x = 0; x < most.size(); ++x) most[x] = std::max(most[x], all[r + 12 + x]);
    raise(before, std::bit_cast<double>(all[r + 20]));
    raise(after, std::bit_cast<double>(all[r + 21]));
  }
  auto const seconds = [&](std::size_t x) { return Seconds(static_cast<double>(most[x]) / ns); };
  report.total = seconds(0);
  report.compute = seconds(1);
  report.panel = seconds(2);
  report.communicate = seconds(3);
  report.redistribute = seconds(4);
  report.measured_memory = Bytes(most[5]);
  report.fell_back = static_cast<int>(most[6]);
  auto const count = std::min(plan.problem.m, plan.problem.n);
  report.info = -most[7] > count ? 0 : -most[7];
  report.growth = before > 0 || std::isnan(before) ? after / before : (after > 0 ? after : 1.0);
  return report;
}

/// Broadcasts the pivots to ranks outside the grid.
void broadcast_pivots(Communicator const& comm, GridLayout const& layout, Index count, std::vector<Index>& pivots) {
  pivots.resize(static_cast<std::size_t>(count));
  if (layout.grid().ranks() < comm.size() && count > 0) {
    auto transfer = comm.start_broadcast(std::as_writable_bytes(std::span<Index>(pivots)), layout.rank({}));
    transfer.wait();
  }
}

/// The collective part of a call, after the arguments were checked.
template <class T>
LuMeasured factor_collectively(LuPlan const& plan, Matrix<T> const& a, std::vector<Index>& pivots,
                               Progress const& progress) {
  using detail::Native;
  auto const& p = plan.problem;
  auto const& comm = a.comm();
  auto const layout = layout_of(plan.chosen, plan.options);
  LuMeasured mine;
  pivots.clear();
  {
    Stopwatch const total(mine.total);
    auto const before = comm.counted();
    Native<T> const native(a, plan.distribution);
    auto const there = native.matrix();
    {
      Stopwatch const watch(mine.redistribute);
      native.copy_in();
    }
    mine.moved = difference(comm.counted(), before);
    mine.before = largest_element(there, [](Index, Index) { return true; });
    auto ran = run_by_tasks(comm, plan, there.part(), progress);
    pivots = std::move(ran.found.pivots);
    mine.fell_back = ran.found.fell_back;
    mine.exchanged = ran.ledger.exchanged;
    mine.lu = ran.run.count.traffic;
    mine.compute = ran.ledger.compute;
    mine.panel = ran.ledger.panel;
    mine.wait = std::max(ran.run.seconds - ran.run.busy_seconds, 0.0);
    mine.memory = ran.ledger.work.bytes() + ran.run.peak_bytes;
    auto const after = comm.counted();
    broadcast_pivots(comm, layout, std::min(p.m, p.n), pivots);
    mine.after = largest_element(there, [](Index i, Index j) { return i <= j; });
    mine.zero = first_zero(there);
    {
      Stopwatch const watch(mine.redistribute);
      native.copy_out();
    }
    mine.moved += difference(comm.counted(), after);
    mine.memory += there.local_rows() * there.local_cols() * static_cast<std::int64_t>(sizeof(T));
  }
  return mine;
}

}  // namespace

template <class T>
LuReport lu(LuPlan const& plan, Matrix<T> const& a, std::vector<Index>& pivots, Progress const& progress) {
  using detail::Native;
  auto const& p = plan.problem;
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    detail::check_operand("A", a, p.m, p.n, comm);
    detail::check_plan<T>(plan, comm);
    detail::check_memory(plan, plan.options.memory, Native<T>::bytes(a, plan.distribution));
  });
  agree(comm, plan);

  auto const mine = detail::or_give_up(comm, "lu", [&] { return factor_collectively(plan, a, pivots, progress); });
  return report_of(comm, plan, mine);
}

ALLPORT_INSTANCES(ALLPORT_LU_INSTANCE, );

}  // namespace allport
