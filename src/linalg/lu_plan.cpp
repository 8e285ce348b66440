// Chooses grid, replication, blocks and algorithm of a factorization by predicted time under a memory limit.
#include <fmt/format.h>

#include <algorithm>

#include "allport/linalg/redistribute.h"
#include "allport/model/lu_bound.h"
#include "lu_price.h"
#include "lu_tasks.h"
#include "plan_checks.h"

namespace allport {

using namespace lu_detail;

namespace {

constexpr Index block_widths[] = {64, 32, 128, 256};
/// Likewise on the caller's own distribution.
constexpr Index given_widths[] = {128, 64, 32};
/// Beyond this many ranks, or visits of a rank at a step, only some ranks are counted (LuPlan::traffic stays empty).
constexpr int counted_ranks = 4096;
constexpr std::int64_t counted_visits = 400'000;

/// Panels that a rank of 1D has on their way: those of one of its blocks and the next one's first, within limits.
constexpr Index fewest_ahead = 2;
constexpr Index most_ahead = 8;

constexpr GemmAlgorithmName names[] = {
    {"1d", "right-looking on one row of ranks, each with whole columns; several panels under way at a time"},
    {"2d", "right-looking on a p_r x p_c grid, next panel ahead (deck 1 slides 14 and 18)"},
    {"2d_tasks", "2D as a task graph, several panels ahead, and 1D as its one row; so far only where it is named"},
    {"2.5d_tasks", "2.5D as a task graph: each layer updates by a slice of a panel; so far only where it is named"},
    {"2.5d", "c layers: big panels distributed over all of them, updates shared between them (deck 1 slides 15 to 19)"},
};

void check(LuProblem const& problem, Machine const& machine, LuOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "a number of rows >= 0");
  ensure(problem.n >= 0, "n", problem.n, "a number of columns >= 0");
  Index elements = 0;  // bytes are counted in 64 bits, some of them several matrices' together
  ensure(!__builtin_mul_overflow(problem.m, problem.n, &elements) &&
             elements <= (std::int64_t(1) << 59) / bytes_of(problem.type),
         "m, n", fmt::format("{}, {}", problem.m, problem.n), "a matrix of at most 2^59 bytes", "take smaller extents");
  gemm_detail::ensure_order(options.order, machine);
  ensure(options.block >= 0, "block", options.block, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.nb >= 0, "nb", options.nb, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.nb == 0 || (options.block > 0 && options.nb % options.block == 0), "nb", options.nb,
         fmt::format("a multiple of block = {}", options.block), "give both, or leave nb to the plan");
  ensure(options.big >= 0, "big", options.big, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.block == 0 || options.big % options.block == 0, "big", options.big,
         fmt::format("a multiple of block = {}", options.block));
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  auto const& name = options.algorithm;
  bool const known = name.empty() || std::ranges::any_of(names, [&](auto const& n) { return n.name == name; });
  ensure(known, "algorithm", name, "1d, 2d, 2d_tasks, 2.5d_tasks or 2.5d");
  ensure(!is_by_tasks(name) || (options.broadcast.empty() && options.reduce.empty()), "broadcast, reduce",
         options.broadcast.empty() ? options.reduce : options.broadcast,
         fmt::format("left out: '{}' sends by the axes of the machine", name));
  if (options.given) {
    ensure(options.given->rows().extent() == problem.m && options.given->cols().extent() == problem.n, "given",
           fmt::format("{} x {}", options.given->rows().extent(), options.given->cols().extent()),
           fmt::format("a distribution of {} x {}", problem.m, problem.n));
  }
  ensure_grid(options.grid, machine);
}

std::vector<GemmGrid> grids(LuOptions const& options, Rank ranks) {
  if (options.grid.ranks() != 0) {
    return {options.grid};
  }
  constexpr int longest = 16;  // a side over the other: thinner grids lose by far
  std::vector<GemmGrid> result;
  for (int p = ranks; p >= std::max(1, ranks - ranks / 4); --p) {
    for (int c = 1; c * c * c <= p; ++c) {
      if (p % c != 0) continue;
      for (int r = 1; r <= p / c; ++r) {
        auto const q = p / c / r;
        if (p / c % r == 0 && (p <= longest || std::max(r, q) <= longest * std::min(r, q))) result.push_back({r, q, c});
      }
    }
    if (p <= ranks - 4 && ranks > 64) break;
  }
  return result;
}

std::optional<std::string> why_not(std::string_view algorithm, GemmGrid const& grid) {
  if (algorithm == "1d" && (grid.rows > 1 || grid.layers > 1)) return "is for one row of ranks: it needs p_r = c = 1";
  if (algorithm.starts_with("2d") && grid.layers > 1) return "is for one layer: it needs c = 1";
  if (algorithm.starts_with("2.5d") && grid.layers == 1) {
    return fmt::format("needs c > 1; with c = 1 it is '2d{}'", is_by_tasks(algorithm) ? "_tasks" : "");
  }
  return std::nullopt;
}

/// Orders that lay rows, columns or layers on consecutive ranks.
std::vector<std::string> lu_orders(GemmGrid const& grid) {
  if (grid.layers > 1) return {"ijl", "jil", "lij"};
  if (grid.rows == 1 || grid.cols == 1) return {"ijl"};
  return {"ijl", "jil"};
}

class Planner {
 public:
  explicit Planner(LuPlan& plan)
      : plan_(plan), pricer_(plan.machine, told_, plan.options.mapping), embedded_(plan.machine, plan.options.mapping) {
    told_.broadcast = plan.options.broadcast;
    told_.reduce = plan.options.reduce;
  }

  void consider(std::string_view algorithm, GemmGrid const& grid) {
    // What 2D does on one row of ranks, 1D does better; for comparisons it can be asked for.
    if (algorithm == "2d" && grid.rows == 1 && plan_.options.algorithm.empty()) return;
    LuCandidate candidate;
    candidate.algorithm = algorithm;
    candidate.grid = grid;
    auto reason = why_not(algorithm, grid);
    if (!reason) reason = gemm_detail::why_not_order(plan_.options.order, grid);
    if (reason) {
      candidate.why_not = *reason;
      if (!plan_.options.algorithm.empty()) plan_.candidates.push_back(candidate);
      return;
    }
    auto const all = widths(algorithm, grid);
    auto const best_of = [&](std::vector<std::string> const& orders) {
      std::optional<LuCandidate> best;
      auto const attempt = [&](std::string const& order, Index block, Index nb) {
        candidate.order = order;
        candidate.block = block;
        candidate.big = grid.layers == 1 ? block : big_for(algorithm, grid, block);
        candidate.nb = algorithm == "2.5d_tasks" ? std::max(nb, candidate.big) : nb;
        candidate.ahead = ahead_for(algorithm, block, nb);
        price_of(candidate);
        candidate.total += moving(candidate);
        if (!best || candidate.total < best->total) best = candidate;
      };
      for (auto const& o : orders) attempt(o, all.front().first, all.front().second);
      for (std::size_t w = 1; w < all.size() && best; ++w) {
        auto const order = best->order;
        attempt(order, all[w].first, all[w].second);
      }
      return best;
    };
    auto const& asked = plan_.options.order;
    auto const plain = asked.empty() ? lu_orders(grid) : std::vector{asked};
    auto best = best_of(plain);
    auto const boxes = best_of(asked.empty() ? embedded_.of(grid, plain) : std::vector<std::string>{});
    if (boxes && boxes->total <= best->total * gemm_detail::for_boxes) best = boxes;
    keep(*best);
  }

  /// The caller's own distribution, which costs no redistribution.
  void consider_given() {
    auto const& given = *plan_.options.given;
    LuCandidate candidate;
    candidate.grid = {given.rows().parts(), given.cols().parts(), 1};
    auto const& asked = plan_.options.algorithm;
    candidate.algorithm = is_by_tasks(asked) ? asked : candidate.grid.rows == 1 && asked != "2d" ? "1d" : "2d";
    if (!asked.empty() && asked != candidate.algorithm) return;
    candidate.in_place = true;
    std::optional<LuCandidate> best;
    for (auto const width : given_widths) {
      auto const widest = plan_.options.block > 0 ? plan_.options.block : width;
      price_given(candidate, widest);
      if (!best || candidate.total < best->total) best = candidate;
      if (plan_.options.block > 0 || candidate.algorithm != "1d") break;
    }
    keep(*best);
  }

  void choose() {
    auto& all = plan_.candidates;
    std::stable_sort(all.begin(), all.end(), [](auto const& x, auto const& y) {
      return std::pair(!x.why_not.empty(), x.total.value()) < std::pair(!y.why_not.empty(), y.total.value());
    });
    if (all.empty() || !all.front().why_not.empty()) {
      refuse(all, plan_.options.algorithm, memory_limit(plan_.machine, plan_.options.memory));
    }
    plan_.chosen = all.front();
    plan_.distribution = distribution_of(plan_.chosen);
    count_chosen();
    all.front() = plan_.chosen;
  }

  [[nodiscard]] Distribution distribution_of(LuCandidate const& c) const {
    if (c.in_place) return *plan_.options.given;
    Seats const seats(c, plan_.options);
    auto const rows = c.algorithm == "2.5d_tasks" ? c.big : c.block;
    return {AxisDistribution::cyclic(plan_.problem.m, c.grid.rows, rows),
            AxisDistribution::cyclic(plan_.problem.n, c.grid.cols, c.nb), seats.layer()};
  }

 private:
  void price_of(LuCandidate& candidate) {
    if (is_by_tasks(candidate.algorithm)) return price_by_tasks(plan_, candidate, distribution_of(candidate));
    price(plan_.problem, plan_.machine, plan_.options, pricer_, candidate);
  }

  /// Panels end where the caller's blocks do: priced by their mean width.
  void price_given(LuCandidate& candidate, Index widest) {
    auto const& given = *plan_.options.given;
    auto const count = std::max<Index>(1, std::min(plan_.problem.m, plan_.problem.n));
    auto const panels = static_cast<Index>(panels_of(given.rows(), given.cols(), count, widest).size());
    auto const blocks = static_cast<Index>(panels_of(given.cols(), given.cols(), count, count).size());
    candidate.block = std::max<Index>(1, count / panels);
    candidate.nb = std::max(candidate.block, count / blocks);
    candidate.ahead = ahead_for(candidate.algorithm, candidate.block, candidate.nb);
    if (is_by_tasks(candidate.algorithm)) candidate.block = widest;
    price_of(candidate);
    candidate.block = candidate.big = widest;
  }

  /// Widths of panels and of a rank's blocks that are worth a look: what the caller fixes, else blocks from one panel
  /// on, doubling, up to one block for every rank.
  [[nodiscard]] std::vector<std::pair<Index, Index>> widths(std::string_view algorithm, GemmGrid const& grid) const {
    auto const& fixed = plan_.options;
    std::vector<std::pair<Index, Index>> all;
    for (auto const width : block_widths) {
      auto const block = fixed.block > 0 ? fixed.block : width;
      bool const by_tasks = is_by_tasks(algorithm);
      bool const wide = algorithm == "1d" || (by_tasks && grid.rows == 1);
      if ((wide || by_tasks) && fixed.nb > 0) {
        all.emplace_back(block, fixed.nb);
      } else {
        all.emplace_back(block, block);
        auto const panels = (plan_.problem.n + block - 1) / block;
        auto const most = wide ? (panels + grid.cols - 1) / grid.cols * block : block;
        for (auto nb = 2 * block; nb < most; nb *= 2) all.emplace_back(block, nb);
        if (most > block) all.emplace_back(block, most);
      }
      if (fixed.block > 0) break;
    }
    return all;
  }

  [[nodiscard]] static int ahead_for(std::string_view algorithm, Index block, Index nb) {
    bool const some = algorithm == "1d" || is_by_tasks(algorithm);
    return some ? static_cast<int>(std::clamp(nb / block + 1, fewest_ahead, most_ahead)) : 1;
  }

  [[nodiscard]] Index big_for(std::string_view algorithm, GemmGrid const& grid, Index block) const {
    if (plan_.options.big > 0) return std::max(plan_.options.big / block, Index{1}) * block;
    if (is_by_tasks(algorithm)) return block * grid.layers;
    return block * std::max(grid.rows, grid.cols);
  }

  [[nodiscard]] Seconds moving(LuCandidate const& c) {
    if (!plan_.options.given) return Seconds(0);
    auto const want = distribution_of(c);
    if (want == *plan_.options.given) return Seconds(0);
    // There and back: every rank's part over the links of one direction.
    auto const element = bytes_of(plan_.problem.type);
    auto const bytes = plan_.problem.m * plan_.problem.n / std::max(1, c.grid.ranks() / c.grid.layers) * element;
    return pricer_.message(0, std::max(0, plan_.machine.ranks() - 1), bytes) * 2.0;
  }

  void keep(LuCandidate candidate) {
    auto const limit = memory_limit(plan_.machine, plan_.options.memory);
    if (!is_by_tasks(candidate.algorithm)) candidate.memory = most_memory(candidate);
    bounds(candidate);
    if (limit.value() > 0 && candidate.memory > limit) {
      candidate.why_not =
          fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
    }
    plan_.candidates.push_back(std::move(candidate));
  }

  [[nodiscard]] Bytes most_memory(LuCandidate const& candidate) const {
    auto const& p = plan_.problem;
    auto const& g = candidate.grid;
    auto const b = candidate.block;
    auto const rows = (p.m + g.rows - 1) / g.rows;
    auto const cols = (p.n + g.cols - 1) / g.cols;
    auto const panels = candidate.algorithm == "1d" ? candidate.ahead + 1 : 3;
    auto const words = rows * cols + panels * b * rows + b * cols + 6 * b * b +
                       (g.layers > 1 ? 2 * (rows + cols) * candidate.big / std::min(g.rows, g.cols) : 0);
    return Bytes(words * bytes_of(p.type));
  }

  void bounds(LuCandidate& candidate) const {
    auto const words = static_cast<double>(candidate.memory.value() / bytes_of(plan_.problem.type));
    auto const bound = model::lu_bound(plan_.problem.m, plan_.problem.n, candidate.grid.ranks(), words);
    candidate.bound_memory = bound.memory_dependent;
    candidate.bound_extents = bound.memory_independent;
    candidate.bound_words = bound.words();
  }

  void count_chosen() {
    auto& chosen = plan_.chosen;
    if (is_by_tasks(chosen.algorithm)) {
      count_by_tasks(plan_);
      return bounds(chosen);
    }
    auto const& g = chosen.grid;
    auto const count_of_steps = std::min(plan_.problem.m, plan_.problem.n) / std::max<Index>(1, chosen.block) + 1;
    bool const all = plan_.machine.ranks() <= counted_ranks && count_of_steps * g.ranks() <= counted_visits;
    Seats const seats(chosen, plan_.options);
    if (all) plan_.traffic.assign(static_cast<std::size_t>(plan_.machine.ranks()), Traffic{});
    if (!all && count_of_steps > counted_visits / 8) return;
    // Of all that was priced, only what the chosen candidate does is kept.
    auto& pricer = plan_.schedules->pricer;
    chosen.words = chosen.messages = 0;
    chosen.memory = Bytes(0);
    auto const element = bytes_of(plan_.problem.type);
    for (int l = 0; l < g.layers; l += all ? 1 : std::max(1, g.layers - 1)) {
      for (int j = 0; j < g.cols; j += all ? 1 : std::max(1, g.cols - 1)) {
        for (int i = 0; i < g.rows; i += all ? 1 : std::max(1, g.rows - 1)) {
          auto const [t, memory] = count(plan_, pricer, {i, j, l});
          chosen.words = std::max({chosen.words, t.bytes_sent / element, t.bytes_received / element});
          chosen.messages = std::max({chosen.messages, t.messages_sent, t.messages_received});
          chosen.memory = std::max(chosen.memory, memory);
          if (all) plan_.traffic[static_cast<std::size_t>(seats.rank({i, j, l}))] = t;
        }
      }
    }
    bounds(chosen);
  }

  LuPlan& plan_;
  GemmOptions told_;
  Pricer pricer_;
  gemm_detail::EmbeddedOrders embedded_;
};

}  // namespace

LuPlan plan_lu(LuProblem const& problem, Machine const& machine, LuOptions const& options) {
  check(problem, machine, options);
  LuPlan plan;
  plan.problem = problem;
  plan.machine = machine;
  plan.options = options;
  plan.schedules = std::make_shared<PlannedSchedules>(machine, options.broadcast, options.reduce, options.mapping);
  Planner planner(plan);
  if (options.given && !options.algorithm.starts_with("2.5d") && options.grid.ranks() == 0) planner.consider_given();
  for (auto const& grid : grids(options, machine.ranks())) {
    for (auto const& name : names) {
      if (options.algorithm.empty() ? !is_by_tasks(name.name) : options.algorithm == name.name)
        planner.consider(name.name, grid);
    }
  }
  planner.choose();
  if (options.candidates > 0 && plan.candidates.size() > static_cast<std::size_t>(options.candidates)) {
    plan.candidates.resize(static_cast<std::size_t>(options.candidates));
  }
  return plan;
}

std::vector<GemmAlgorithmName> lu_algorithms() { return {std::begin(names), std::end(names)}; }

}  // namespace allport
