// Chooses algorithm, grid, replication and blocks of a factorization by predicted time under a memory limit.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "allport/linalg/redistribute.h"
#include "allport/model/lu_bound.h"
#include "linalg/plan/most_products.h"
#include "linalg/plan/plan_search.h"
#include "lu_estimate.h"
#include "lu_grids.h"
#include "lu_tasks.h"

namespace allport {

using namespace lu_detail;

namespace {

constexpr Index panel_widths[] = {64, 32, 128, 256};
/// As above on the caller's distribution.
constexpr Index given_widths[] = {128, 64, 32};
/// Least columns of a layer's slice of a panel: an update by fewer runs at a fraction of gemm's speed.
constexpr Index narrowest_slice = 8;

/// Time to price a graph, per rank of a row or column, step of the chain, and unit; measured. Graphs are priced if the
/// factorization takes longer than pricing all of them.
constexpr double pricing_seconds = 6e-7;

/// Panels in progress on a rank: those of one of its blocks and the first of the next one, within these limits.
constexpr Index fewest_ahead = 2;
constexpr Index most_ahead = 8;

constexpr GemmAlgorithmName names[] = {
    {"1d", "2d on one row of ranks, each with whole columns: panels are factored without a message"},
    {"2d", "right-looking on a p_r x p_c grid, several panels ahead (Solomonik11, slides 14 and 18)"},
    {"2.5d", "c layers, each updates by a slice of every panel (Solomonik11, slides 15 to 19)"},
};

void check(LuProblem const& problem, Machine const& machine, LuOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "a number of rows >= 0");
  ensure(problem.n >= 0, "n", problem.n, "a number of columns >= 0");
  ensure(detail::is_countable(problem.m, problem.n, problem.type), "m, n", fmt::format("{}, {}", problem.m, problem.n),
         "a matrix of at most 2^59 bytes", "take smaller extents");
  if (!(options.given && options.order == rows_of_given)) ensure_order(options.order, machine);
  ensure(options.panel >= 0, "panel", options.panel, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.nb >= 0, "nb", options.nb, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.nb == 0 || (options.panel > 0 && options.nb % options.panel == 0), "nb", options.nb,
         fmt::format("a multiple of panel = {}", options.panel), "give both, or leave nb to the plan");
  ensure(options.outer_panel >= 0, "outer_panel", options.outer_panel, "a width >= 0", "pass 0 to have it chosen");
  ensure(options.panel == 0 || options.outer_panel % options.panel == 0, "outer_panel", options.outer_panel,
         fmt::format("a multiple of panel = {}", options.panel));
  auto const& name = options.algorithm;
  bool const known = name.empty() || std::ranges::any_of(names, [&](auto const& n) { return n.name == name; });
  ensure(known, "algorithm", name, "1d, 2d or 2.5d");
  if (options.given) detail::check_given("given", *options.given, problem.m, problem.n);
  detail::check_common(options, machine, true);
}

class LuSearch : public EstimatedSearch<LuSearch, LuPlan, LuEstimate> {
 public:
  using EstimatedSearch::EstimatedSearch;

  void consider(std::string_view algorithm, GemmGrid const& grid) {
    bool const one_row = grid.rows == 1 && grid.layers == 1;
    if (one_row && algorithm == "2d" && plan_.options.algorithm.empty()) return;  // equals "1d"
    // On a torus a row of fewer ranks gets a lower price than one of all ranks, but the simulator finds no difference.
    bool const leaves_some_out = grid.ranks() < plan_.machine.ranks() && plan_.options.grid.ranks() == 0;
    if (one_row && leaves_some_out && tasks::default_tree(plan_.machine) == MulticastTree::axes) return;
    LuCandidate candidate;
    candidate.algorithm = algorithm;
    candidate.grid = grid;
    auto reason = why_not(algorithm, grid);
    auto const& order = plan_.options.order;
    if (!reason && order != rows_of_given) reason = why_not_order(order, grid);
    if (!reason && order == rows_of_given && !is_row_of_given(grid)) {
      reason = "is no row of all ranks of the given grid";
    }
    if (reason) return reject(std::move(candidate), *reason);
    try_orders(candidate, order.empty() ? lu_orders(grid) : std::vector{order});
  }

  /// The caller's own distribution, which needs no redistribution.
  void consider_given() {
    auto const& given = *plan_.options.given;
    LuCandidate candidate;
    candidate.grid = {given.rows().parts(), given.cols().parts(), 1};
    auto const& asked = plan_.options.algorithm;
    candidate.algorithm = candidate.grid.rows == 1 && asked != "2d" ? "1d" : "2d";
    if (!asked.empty() && asked != candidate.algorithm) return;
    candidate.in_place = true;
    for (auto const width : given_widths) {
      candidate.panel = candidate.outer_panel = plan_.options.panel > 0 ? plan_.options.panel : width;
      estimate_given(candidate);
      describe_and_add(candidate);
      if (plan_.options.panel > 0) break;
    }
  }

 private:
  friend EstimatedSearch;
  friend PlanSearch;

  /// Graph prices can be 0.85 of estimates, so every candidate within that margin is priced.
  static constexpr double optimism = 0.85;

  void settle() {
    plan_.distribution = distribution_of(plan_.chosen);
    count_by_tasks(plan_);
    set_bounds(plan_.chosen, plan_.distribution);
  }

  [[nodiscard]] Distribution distribution_of(LuCandidate const& c) const {
    if (c.in_place) return *plan_.options.given;
    auto const rows = c.grid.layers > 1 ? c.outer_panel : c.panel;
    return {AxisDistribution::cyclic(plan_.problem.m, c.grid.rows, rows),
            AxisDistribution::cyclic(plan_.problem.n, c.grid.cols, c.nb), layout_of(c, plan_.options).layer(0)};
  }

  /// A candidate in the best of some orders, with all block sizes.
  std::vector<LuCandidate> estimated(LuCandidate candidate, std::vector<std::string> const& orders) {
    std::vector<LuCandidate> tried;
    auto const all = widths(candidate);
    auto const attempt = [&](std::pair<Index, Index> const& width) {
      candidate.panel = width.first;
      candidate.outer_panel = outer_panel_for(candidate.grid, candidate.panel);
      candidate.nb = candidate.grid.layers > 1 ? std::max(width.second, candidate.outer_panel) : width.second;
      candidate.ahead = ahead_for(candidate.panel, candidate.nb);
      candidate.total = Seconds(0);
      if (estimate_) estimate_->price(candidate);
      auto const there_and_back = moving(candidate);
      tried.push_back(candidate);
      tried.back().total += there_and_back;
      if (!takes_any_order(candidate)) return;
      auto other = candidate;
      other.order = rows_of_given;
      other.total += moving(other);
      if (other.total < tried.back().total) tried.back() = other;
    };
    for (auto const& order : orders) {
      candidate.order = order;
      attempt(all.front());
    }
    if (tried.empty()) return tried;
    auto const best = std::ranges::min_element(tried, {}, &LuCandidate::total);
    tried = {LuCandidate(*best)};
    candidate = tried.front();
    if (candidate.order == rows_of_given) candidate.order = orders.front();
    for (std::size_t w = 1; w < all.size(); ++w) attempt(all[w]);
    return tried;
  }

  /// Whether a grid may be one row of the ranks of the caller's grid, so that blocks stay in their process columns.
  [[nodiscard]] bool is_row_of_given(GemmGrid const& grid) const {
    auto const& given = plan_.options.given;
    return given && grid.rows == 1 && grid.layers == 1 && given->grid().size() == static_cast<std::size_t>(grid.cols);
  }
  [[nodiscard]] bool takes_any_order(LuCandidate const& candidate) const {
    return plan_.options.order.empty() && is_row_of_given(candidate.grid);
  }

  /// Estimates by the mean width of the panels, which end where the caller's blocks do.
  void estimate_given(LuCandidate& candidate) {
    auto const& given = *plan_.options.given;
    auto const widest = candidate.panel;
    auto const steps = std::min(plan_.problem.m, plan_.problem.n);
    auto const panels = static_cast<Index>(panels_of(given.rows(), given.cols(), steps, widest).size());
    auto const blocks =
        static_cast<Index>(panels_of(given.cols(), given.cols(), steps, std::max<Index>(steps, 1)).size());
    auto const count = std::max<Index>(1, steps);
    candidate.panel = candidate.outer_panel = std::max<Index>(1, count / std::max<Index>(panels, 1));
    candidate.nb = std::max(candidate.panel, count / std::max<Index>(blocks, 1));
    candidate.ahead = ahead_for(candidate.panel, candidate.nb);
    if (estimate_) estimate_->price(candidate);
    candidate.panel = candidate.outer_panel = widest;
  }

  void price(LuCandidate& candidate) {
    price_by_tasks(plan_, candidate, distribution_of(candidate));
    candidate.total += moving(candidate);
  }
  [[nodiscard]] static bool same(LuCandidate const& a, LuCandidate const& b) {
    return a.algorithm == b.algorithm && a.grid == b.grid && a.in_place == b.in_place;
  }

  [[nodiscard]] bool is_worth_pricing(LuCandidate const& candidate) const {
    auto const& g = candidate.grid;
    auto const count = std::min(plan_.problem.m, plan_.problem.n);
    auto const steps = std::min<Index>(count / widest_panel(plan_, candidate) + 1, graph::PriceOptions().chained);
    auto const each = pricing_seconds * static_cast<double>(steps) * (g.rows + g.cols) * g.layers * candidate.ahead;
    return count > 0 && candidate.total.value() > priced_by_graph * each;
  }

  /// Widths of panels and of a rank's blocks to try: those of the caller, else blocks of one panel, of two, four, ...
  /// up to one block per rank.
  [[nodiscard]] std::vector<std::pair<Index, Index>> widths(LuCandidate const& candidate) const {
    auto const& fixed = plan_.options;
    auto const& grid = candidate.grid;
    std::vector<std::pair<Index, Index>> all;
    for (auto const panel : panels(grid)) {
      if (fixed.nb > 0) {
        all.emplace_back(panel, fixed.nb);
      } else {
        all.emplace_back(panel, panel);
        auto const number = (plan_.problem.n + panel - 1) / panel;
        auto const most = grid.rows == 1 ? (number + grid.cols - 1) / grid.cols * panel : panel;
        for (auto nb = 2 * panel; nb < most; nb *= 2) all.emplace_back(panel, nb);
        if (most > panel) all.emplace_back(panel, most);
      }
    }
    return all;
  }

  /// b: the panel's width, or a layer's share of it.
  [[nodiscard]] std::vector<Index> panels(GemmGrid const& grid) const {
    auto const& fixed = plan_.options;
    if (fixed.panel > 0) return {fixed.panel};
    if (grid.layers > 1 && fixed.outer_panel > 0) return {(fixed.outer_panel + grid.layers - 1) / grid.layers};
    std::vector<Index> all;
    for (auto const width : panel_widths) {
      auto const panel = grid.layers == 1 ? width : std::max(width / grid.layers, narrowest_slice);
      if (std::ranges::find(all, panel) == all.end()) all.push_back(panel);
    }
    return all;
  }

  [[nodiscard]] static int ahead_for(Index panel, Index nb) {
    return static_cast<int>(std::clamp(nb / panel + 1, fewest_ahead, most_ahead));
  }

  /// B_g: a slice of b columns for every layer, unless the caller fixes it.
  [[nodiscard]] Index outer_panel_for(GemmGrid const& grid, Index panel) const {
    if (grid.layers == 1) return panel;
    return plan_.options.outer_panel > 0 ? plan_.options.outer_panel : panel * grid.layers;
  }

  [[nodiscard]] Seconds moving(LuCandidate const& c) {
    if (!plan_.options.given) return Seconds(0);
    auto const want = distribution_of(c);
    if (want == *plan_.options.given) return Seconds(0);
    // There and back. Ranks on a grid's diagonal may keep more elements than others: more than its corners are
    // examined.
    constexpr std::size_t examined = 16;
    auto const& options = plan_.options;
    return detail::moving(*options.given, want, plan_.problem.type, plan_.machine, options.mapping, examined) * 2.0;
  }

  void add_all(std::vector<LuCandidate> candidates) {
    for (auto& one : candidates) describe_and_add(std::move(one));
  }
  void describe_and_add(LuCandidate candidate) {
    auto const distribution = distribution_of(candidate);
    describe_by_tasks(plan_, candidate, distribution);
    set_bounds(candidate, distribution);
    add(std::move(candidate));
  }

  void set_bounds(LuCandidate& candidate, Distribution const& distribution) const {
    auto const& p = plan_.problem;
    auto const words = static_cast<double>(candidate.memory.value() / bytes_of(p.type));
    candidate.most_products = most_products(p, candidate, distribution, widest_panel(plan_, candidate));
    auto const bound = model::lu_bound(p.m, p.n, candidate.grid.ranks(), words, candidate.most_products);
    candidate.bound_memory = bound.memory_dependent;
    candidate.bound_extents = bound.memory_independent;
    candidate.bound_words = bound.words();
  }
};

}  // namespace

LuPlan plan_lu(LuProblem const& problem, Machine const& machine, LuOptions const& options) {
  check(problem, machine, options);
  LuPlan plan;
  plan.problem = problem;
  plan.machine = machine;
  plan.options = options;
  auto const& asked = plan.options.algorithm;
  LuSearch search(plan);
  if (options.given && asked != "2.5d" && options.grid.ranks() == 0) search.consider_given();
  for (auto const& grid : grids(options, machine.ranks())) {
    for (auto const& name : names) {
      if (asked.empty() || asked == name.name) search.consider(name.name, grid);
    }
  }
  search.choose();
  return plan;
}

std::vector<GemmAlgorithmName> lu_algorithms() { return {std::begin(names), std::end(names)}; }

}  // namespace allport
