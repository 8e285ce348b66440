// Chooses grid, replication and algorithm of a multiply by predicted time under a memory limit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "allport/comm/messages.h"
#include "allport/model/gemm_bound.h"
#include "gemm_grids.h"
#include "gemm_price.h"
#include "gemm_relabel.h"
#include "gemm_tasks.h"
#include "plan_checks.h"

namespace allport {

using namespace gemm_detail;

namespace {

/// Panels are tried at these widths: wide enough for BLAS, narrow enough to hide all but the first.
constexpr Index panel_widths[] = {256, 128, 512};

/// Graphs count their panels in 32 bits.
constexpr Index most_panels = 1 << 30;

/// Beyond this many ranks a candidate is judged by the grid's corners; the chosen one is always counted in full.
constexpr int judged_in_full = 16;
/// Beyond this many ranks even the chosen one is counted at the corners only (GemmPlan::traffic stays empty).
constexpr int counted_in_full = 4096;
/// There candidates' collectives are priced from so many roots of a line, each for those around it, and the place's
/// own; the best of them again from all roots: as many as `allport plan` shows.
constexpr int priced_roots = 8;
constexpr std::size_t priced_again = 12;

double bound(GemmProblem const& problem, int ranks, std::int64_t memory_words) {
  return model::gemm_bound({problem.m, problem.n, problem.k}, ranks, static_cast<double>(memory_words)).words();
}

/// What one place does: the sums over its stages.
struct PlaceCost {
  Traffic traffic;
  Seconds compute{};
  Seconds communicate{};
  Seconds total{};
  Bytes memory{};
};

class Judge {
 public:
  Judge(GemmProblem const& problem, Machine const& machine, GemmOptions const& options)
      : problem_(problem),
        machine_(machine),
        pricer_(machine, options, options.mapping),
        embedded_(machine, options.mapping),
        element_(bytes_of(problem.type)),
        some_roots_(machine.ranks() > counted_in_full) {}

  [[nodiscard]] EmbeddedOrders& embedded() { return embedded_; }
  [[nodiscard]] bool leaves_roots_out() const { return some_roots_; }
  void price_all_roots() { some_roots_ = false; }

  [[nodiscard]] PlaceCost cost(Method const& how, Frame const& frame, Place p, Index width) {
    PlaceCost cost;
    std::int64_t scratch = 0;
    Seconds computing{};  // of the stage before, under which this stage's communication hides
    Lines lines(pricer_, frame, p);
    Known last_narrow;
    Known last_wide;
    for (auto const& stretch : how.stages(problem_, frame, p, width)) {
      auto const narrow = price(stretch.narrow, lines, last_narrow);
      auto const wide = stretch.wides > 0 ? price(stretch.wide, lines, last_wide) : StageCost{};
      auto const follow = [&](StageCost const& stage, Seconds before, Index times) {
        if (times > 0) cost.total += stage.after(before) * static_cast<double>(times);
      };
      follow(narrow, computing, 1);
      follow(narrow, narrow.compute, stretch.narrow_to_narrow());
      follow(wide, narrow.compute, stretch.narrow_to_wide());
      follow(narrow, wide.compute, stretch.wide_to_narrow());
      follow(wide, wide.compute, stretch.wide_to_wide());
      add(cost, narrow, stretch.narrows);
      if (stretch.wides > 0) add(cost, wide, stretch.wides);
      scratch = std::max({scratch, narrow.scratch, wide.scratch});
      computing = (stretch.wides > 0 ? wide : narrow).compute;
    }
    cost.total += computing;
    cost.memory = Bytes(how.workspace(problem_, frame, p, width) * element_ + scratch);
    return cost;
  }

 private:
  struct StageCost {
    Traffic traffic;
    Seconds compute{};
    Seconds communicate{};
    std::int64_t scratch = 0;
    bool hides = true;

    /// Until its own work begins, when a stage that computes for so long comes before.
    [[nodiscard]] Seconds after(Seconds computing) const {
      return hides ? std::max(communicate, computing) : communicate + computing;
    }
  };

  /// The lines of a place, each looked up once.
  class Lines {
   public:
    Lines(Pricer& pricer, Frame const& frame, Place p) : pricer_(pricer), frame_(frame), place_(p) {}
    [[nodiscard]] Group const& group(GridAxis line) {
      auto& known = groups_[static_cast<std::size_t>(line)];
      if (known == nullptr) known = &pricer_.group(frame_.members(place_, line));
      return *known;
    }
    [[nodiscard]] int index(GridAxis line) const { return frame_.index(place_, line); }
    [[nodiscard]] int length(GridAxis line) const { return frame_.length(line); }
    [[nodiscard]] Rank rank() const { return frame_.rank(place_); }

   private:
    Pricer& pricer_;
    Frame const& frame_;
    Place place_;
    std::array<Group const*, 3> groups_{};
  };
  /// What was priced last: stages that cost the same follow each other.
  struct Known {
    std::optional<Stage> stage;
    StageCost cost;
  };

  [[nodiscard]] StageCost price(Stage stage, Lines& lines, Known& last) {
    for (auto& step : stage.steps) {
      if (step.kind != Step::Kind::exchange) step.root = priced_root(step, lines);
    }
    if (last.stage != stage) last = {stage, price(stage, lines)};
    return last.cost;
  }

  [[nodiscard]] int priced_root(Step const& step, Lines const& lines) const {
    auto const length = lines.length(step.line);
    auto const own = lines.index(step.line);
    if (!some_roots_ || length <= priced_roots || step.root == own) return step.root;
    auto const part = static_cast<int>(std::int64_t{step.root} * priced_roots / length);
    auto const middle = (2 * part + 1) * length / (2 * priced_roots);
    return middle != own ? middle : own > 0 ? own - 1 : 1;
  }

  [[nodiscard]] StageCost price(Stage const& stage, Lines& lines) {
    StageCost cost;
    Seconds busy[4] = {};
    for (auto const& step : stage.steps) {
      if (step.kind == Step::Kind::exchange) {
        exchange(step, lines.rank(), cost.traffic, busy[3]);
        continue;
      }
      auto const& group = lines.group(step.line);
      auto const index = lines.index(step.line);
      cost.traffic += pricer_.traffic(group, index, step, element_);
      busy[static_cast<int>(step.line)] += pricer_.seconds(group, step, element_);
      cost.scratch += pricer_.scratch(group, index, step, element_);
    }
    cost.communicate = together(busy);
    cost.compute = Seconds(stage.flops * shallowness(stage.depth) / flops_per_rank());
    // The sums over layers need the last product; everything else hides under the multiplication before it.
    cost.hides = stage.steps.empty() || stage.steps.front().kind != Step::Kind::reduce;
    return cost;
  }

  static void add(PlaceCost& sum, StageCost const& stage, Index times) {
    sum.compute += stage.compute * static_cast<double>(times);
    sum.communicate += stage.communicate * static_cast<double>(times);
    auto const& t = stage.traffic;
    sum.traffic +=
        {t.messages_sent * times, t.messages_received * times, t.bytes_sent * times, t.bytes_received * times};
  }

  void exchange(Step const& step, Rank me, Traffic& traffic, Seconds& lane) {
    if (step.to == me) {
      return;
    }
    auto const sent = step.elements * element_;
    auto const received = step.received * element_;
    traffic += {messages_for(Bytes(sent)), messages_for(Bytes(received)), sent, received};
    lane += std::max(pricer_.message(me, step.to, sent), pricer_.message(step.from, me, received));
  }

  /// Lines along different axes use different links; a node with one port must take turns.
  [[nodiscard]] Seconds together(Seconds const (&lanes)[4]) const {
    if (machine_.rates().ports == 1) {
      return lanes[0] + lanes[1] + lanes[2] + lanes[3];
    }
    return std::max({lanes[0], lanes[1], lanes[2], lanes[3]});
  }

  /// A multiplication of depth k reads and writes all of C for 2k operations an element, which slows it by about 8/k:
  /// 7 % at 128, 2 % at 512 (OpenBLAS, n = 4000 on two cores).
  [[nodiscard]] static double shallowness(Index depth) {
    return depth > 0 ? 1.0 + 8.0 / static_cast<double>(depth) : 1.0;
  }

  [[nodiscard]] double flops_per_rank() const {
    // A complex multiply-add is four real ones; single precision runs at twice the rate of double.
    double const work = problem_.type == Scalar::c || problem_.type == Scalar::z ? 4 : 1;
    double const speed = problem_.type == Scalar::s || problem_.type == Scalar::c ? 2 : 1;
    return machine_.rates().flops.value() / machine_.ranks_per_node() * speed / work;
  }

  GemmProblem const& problem_;
  Machine const& machine_;
  Pricer pricer_;
  EmbeddedOrders embedded_;
  std::int64_t element_;
  bool some_roots_;
};

PlaceCost cost_of(GraphCost const& by_tasks, Place p) {
  auto const& price = by_tasks.price();
  return {by_tasks.traffic(p), price.work, price.links, price.total, by_tasks.memory(p)};
}

/// Elements of A, B and C that a place owns in the algorithm's own distributions.
Index owned(GemmPlan const& distributions, Rank rank) {
  Index sum = 0;
  for (auto const* distribution : {&distributions.a, &distributions.b, &distributions.c}) {
    sum += distribution->local_rows(rank) * distribution->local_cols(rank);
  }
  return sum;
}

void judge(Judge& with, Method const& how, GemmPlan& plan, GemmCandidate& candidate, bool in_full) {
  Frame const frame(candidate.grid, candidate.order, plan.options.mapping);
  how.distributions(plan.problem, frame, plan);
  auto const element = bytes_of(plan.problem.type);
  candidate.words = candidate.messages = 0;
  candidate.memory = Bytes(0);
  candidate.compute = candidate.communicate = candidate.total = Seconds(0);
  std::optional<GraphCost> by_tasks;
  if (how.by_tasks) by_tasks.emplace(plan, candidate, in_full);
  in_full = in_full && (!by_tasks || by_tasks->is_counted());
  bool const every = in_full || candidate.grid.ranks() <= judged_in_full;
  if (in_full) {
    plan.traffic.assign(static_cast<std::size_t>(plan.machine.ranks()), Traffic{});
  }
  for (auto const& p : every ? all_places(candidate.grid) : corner_places(candidate.grid)) {
    auto const cost = by_tasks ? cost_of(*by_tasks, p) : with.cost(how, frame, p, candidate.panel);
    auto const& t = cost.traffic;
    candidate.words = std::max({candidate.words, t.bytes_sent / element, t.bytes_received / element});
    candidate.messages = std::max({candidate.messages, t.messages_sent, t.messages_received});
    candidate.compute = std::max(candidate.compute, cost.compute);
    candidate.communicate = std::max(candidate.communicate, cost.communicate);
    candidate.total = std::max(candidate.total, cost.total);
    candidate.memory = std::max(candidate.memory, cost.memory + Bytes(owned(plan, frame.rank(p)) * element));
    if (in_full) {
      plan.traffic[static_cast<std::size_t>(frame.rank(p))] = t;
    }
  }
  if (in_full && by_tasks) plan.traffic = by_tasks->traffic();
  candidate.total += moving(plan, frame);
  candidate.bound_words = bound(plan.problem, candidate.grid.ranks(), candidate.memory.value() / element);
}

void check(GemmProblem const& problem, Machine const& machine, GemmOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "a number of rows >= 0");
  ensure(problem.n >= 0, "n", problem.n, "a number of columns >= 0");
  ensure(problem.k >= 0, "k", problem.k, "an inner extent >= 0");
  // Bytes and words are counted in 64 bits, some of them several matrices' together.
  constexpr auto most = std::int64_t(1) << 59;
  for (auto const& [rows, cols] : {std::pair(problem.m, problem.k), {problem.k, problem.n}, {problem.m, problem.n}}) {
    Index elements = 0;
    ensure(!__builtin_mul_overflow(rows, cols, &elements) && elements <= most / bytes_of(problem.type), "m, n, k",
           fmt::format("{}, {}, {}", problem.m, problem.n, problem.k), "matrices of at most 2^59 bytes",
           "take smaller extents");
  }
  ensure_order(options.order, machine);
  ensure(options.panel >= 0, "panel", options.panel, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  ensure_grid(options.grid, machine);
  if (options.algorithm.empty()) return;
  bool const by_tasks = method(options.algorithm).by_tasks;
  ensure(!by_tasks || (options.broadcast.empty() && options.reduce.empty()), "broadcast, reduce",
         fmt::format("'{}', '{}'", options.broadcast, options.reduce), "none for " + options.algorithm,
         "tasks send by multicasts; leave both out");
}

void judge_within_limit(Judge& with, Method const& how, GemmPlan& plan, GemmCandidate& candidate) {
  judge(with, how, plan, candidate, false);
  candidate.why_not.clear();
  auto const limit = memory_limit(plan.machine, plan.options.memory);
  if (limit.value() > 0 && candidate.memory > limit) {
    candidate.why_not =
        fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
  }
}

void consider(Judge& with, Method const& how, GemmGrid const& grid, GemmPlan& plan) {
  GemmCandidate candidate;
  candidate.algorithm = how.name;
  candidate.grid = grid;
  auto reason = how.why_not(plan.problem, grid);
  if (!reason) reason = why_not_order(plan.options.order, grid);
  if (reason) {
    candidate.why_not = *reason;
    if (!plan.options.algorithm.empty()) plan.candidates.push_back(candidate);
    return;
  }
  std::vector<Index> widths{std::max<Index>(plan.problem.k, 1)};  // whole blocks, as the owners hold them
  if (how.cuts_panels) {
    widths.assign(std::begin(panel_widths), std::end(panel_widths));
    if (plan.options.panel > 0) widths = {plan.options.panel};
  }
  auto const attempt = [&](GemmCandidate& best, std::string const& order, Index width) {
    candidate.order = order;
    candidate.panel = width;
    if (how.by_tasks && plan.problem.k / width > most_panels) {
      candidate.why_not = fmt::format("has more than {} panels of {}", most_panels, width);
      if (best.algorithm.empty()) best = candidate;
      return;
    }
    judge_within_limit(with, how, plan, candidate);
    auto const rank = [](GemmCandidate const& c) { return std::pair(!c.why_not.empty(), c.total.value()); };
    if (best.algorithm.empty() || rank(candidate) < rank(best)) best = candidate;
  };
  auto const best_of = [&](std::vector<std::string> const& orders) {
    GemmCandidate best;
    for (auto const& order : orders) attempt(best, order, widths.front());
    for (std::size_t w = 1; w < widths.size() && !orders.empty(); ++w) attempt(best, best.order, widths[w]);
    return best;
  };
  auto const& asked = plan.options.order;
  auto const plain = asked.empty() ? gemm_orders(grid) : std::vector{asked};
  auto best = best_of(plain);
  auto const boxes = best_of(asked.empty() ? with.embedded().of(grid, plain) : std::vector<std::string>{});
  if (!boxes.algorithm.empty() && boxes.why_not.empty() &&
      (!best.why_not.empty() || boxes.total <= best.total * for_boxes)) {
    best = boxes;
  }
  plan.candidates.push_back(best);
}

/// Stable, so that equal prices keep the order of registration and of grids: all ranks used first.
void sort_by_price(std::vector<GemmCandidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(), [](auto const& x, auto const& y) {
    return std::pair(!x.why_not.empty(), x.total.value()) < std::pair(!y.why_not.empty(), y.total.value());
  });
}

void price_best_again(Judge& with, GemmPlan& plan) {
  with.price_all_roots();
  for (std::size_t c = 0; c < std::min(priced_again, plan.candidates.size()); ++c) {
    auto& candidate = plan.candidates[c];
    auto const& how = method(candidate.algorithm);
    if (candidate.why_not.empty() && !how.by_tasks) judge_within_limit(with, how, plan, candidate);
  }
  sort_by_price(plan.candidates);
}

/// Prices this close count as equal, for no model is better than that; then the fewest words win.
void prefer_fewer_words(std::vector<GemmCandidate>& best_first) {
  constexpr double equal = 1.02;
  auto const limit = best_first.front().total * equal;
  auto chosen = best_first.begin();
  for (auto c = chosen; c != best_first.end() && c->why_not.empty() && c->total <= limit; ++c) {
    if (c->words < chosen->words) chosen = c;
  }
  std::rotate(best_first.begin(), chosen, chosen + 1);
}

}  // namespace

GemmPlan plan_gemm(GemmProblem const& problem, Machine const& machine, GemmOptions const& options) {
  check(problem, machine, options);
  GemmPlan plan;
  plan.problem = problem;
  plan.machine = machine;
  plan.options = options;
  Judge with(plan.problem, plan.machine, plan.options);
  for (auto const& grid : grids(options, machine.ranks())) {
    for (auto const* how : methods()) {
      if (options.algorithm.empty() ? !how->by_tasks : options.algorithm == how->name) consider(with, *how, grid, plan);
    }
  }
  sort_by_price(plan.candidates);
  if (with.leaves_roots_out()) price_best_again(with, plan);
  if (plan.candidates.empty() || !plan.candidates.front().why_not.empty()) {
    refuse(plan.candidates, plan.options.algorithm, memory_limit(plan.machine, plan.options.memory));
  }
  prefer_fewer_words(plan.candidates);
  plan.chosen = plan.candidates.front();
  judge(with, method(plan.chosen.algorithm), plan, plan.chosen, machine.ranks() <= counted_in_full);
  if (options.candidates > 0 && plan.candidates.size() > static_cast<std::size_t>(options.candidates)) {
    plan.candidates.resize(static_cast<std::size_t>(options.candidates));
  }
  return plan;
}

}  // namespace allport
