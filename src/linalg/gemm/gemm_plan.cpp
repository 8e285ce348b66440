// Chooses grid, replication and algorithm of a multiply by predicted time under a memory limit.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "allport/graph/price.h"
#include "allport/model/gemm_bound.h"
#include "gemm_estimate.h"
#include "gemm_grids.h"
#include "gemm_relabel.h"
#include "gemm_tasks.h"
#include "linalg/plan/most_products.h"
#include "linalg/plan/plan_checks.h"
#include "linalg/plan/tiled_plan.h"

namespace allport {

using namespace gemm_detail;

namespace {

/// Panels are tried at these widths: wide enough for BLAS, narrow enough to hide all but the first.
constexpr Index panel_widths[] = {256, 128, 384, 64};

/// Graphs count their panels in 32 bits.
constexpr Index most_panels = 1 << 30;

/// Of candidates those that are estimated to be the best are priced by their graphs, so many at most.
constexpr int priced_by_graph = 8;
/// Grids that leave ranks out have their turn as if they were so much slower: closer no estimate is.
constexpr double some_ranks = 1.05;
/// What that takes for each rank of a row or column in a step of the chain; measured. It is done where a product takes
/// many times longer than all of it.
constexpr double pricing_seconds = 1e-6;
constexpr double worth_pricing = 50;

/// Prices this close count as equal, for no model is better than that; then the fewest words win, then the least
/// memory.
constexpr double equal_prices = 1.02;

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
  ensure(!options.mapping || options.mapping->ranks() == machine.ranks(), "mapping",
         options.mapping ? options.mapping->ranks() : 0,
         fmt::format("places of the machine's {} ranks", machine.ranks()));
  if (!options.algorithm.empty()) (void)method(options.algorithm);
  if (!options.given) return;
  auto const ensure_given = [](char const* what, Distribution const& lies, Trans trans, Index rows, Index cols) {
    if (trans != Trans::none) std::swap(rows, cols);
    ensure(lies.rows().extent() == rows && lies.cols().extent() == cols, what,
           fmt::format("{} x {}", lies.rows().extent(), lies.cols().extent()),
           fmt::format("a distribution of {} x {}", rows, cols));
  };
  ensure_given("given A", options.given->a, problem.trans_a, problem.m, problem.k);
  ensure_given("given B", options.given->b, problem.trans_b, problem.k, problem.n);
  ensure_given("given C", options.given->c, Trans::none, problem.m, problem.n);
}

class Planner {
 public:
  explicit Planner(GemmPlan& plan) : plan_(plan), embedded_(plan.machine, plan.options.mapping) {
    if (tiled_plan::has_rates(plan.machine)) estimate_.emplace(plan);
  }

  void consider(Method const& how, GemmGrid const& grid) {
    GemmCandidate candidate;
    candidate.algorithm = how.name;
    candidate.grid = grid;
    auto const& asked = plan_.options.order;
    auto reason = how.why_not(grid);
    if (!reason) reason = why_not_order(asked, grid);
    if (reason) {
      candidate.why_not = *reason;
      if (!plan_.options.algorithm.empty()) tried_.push_back({std::move(candidate)});
      return;
    }
    auto const plain = asked.empty() ? gemm_orders(grid) : std::vector{asked};
    auto best = estimated(candidate, plain);
    auto boxes = estimated(candidate, asked.empty() ? embedded_.of(grid, plain) : std::vector<std::string>{});
    auto const least = [](auto const& all) { return std::ranges::min_element(all, {}, &GemmCandidate::total)->total; };
    if (!boxes.empty() && least(boxes) <= least(best) * for_boxes) best = std::move(boxes);
    place(best.front());
    for (auto& one : best) keep(std::move(one));
  }

  void choose() {
    price_best();
    std::ranges::stable_sort(tried_, {}, rank_of);
    prefer_modest();
    auto& all = plan_.candidates;
    for (auto& one : tried_) {  // the best of each algorithm on each grid
      auto const same = [&](GemmCandidate const& c) {
        return c.algorithm == one.candidate.algorithm && c.grid == one.candidate.grid;
      };
      if (std::ranges::none_of(all, same)) all.push_back(std::move(one.candidate));
    }
    if (all.empty() || !all.front().why_not.empty()) {
      refuse(all, plan_.options.algorithm, memory_limit(plan_.machine, plan_.options.memory));
    }
    plan_.chosen = all.front();
    place(plan_.chosen);
    count_chosen(plan_);
    bounds(plan_.chosen);
    all.front() = plan_.chosen;
  }

 private:
  struct Tried {
    GemmCandidate candidate;
    bool by_graph = false;
  };
  /// Usable ones first, by price; of equal ones those whose graphs were priced.
  static std::tuple<bool, double, bool> rank_of(Tried const& one) {
    return {!one.candidate.why_not.empty(), one.candidate.total.value(), !one.by_graph};
  }

  /// A candidate in the best of some orders, in all widths.
  std::vector<GemmCandidate> estimated(GemmCandidate candidate, std::vector<std::string> const& orders) {
    std::vector<GemmCandidate> tried;
    auto const all = widths(candidate);
    auto const attempt = [&](Index width) {
      candidate.panel = width;
      candidate.compute = candidate.communicate = candidate.total = Seconds(0);
      if (estimate_) estimate_->price(candidate);
      candidate.total += unevenness(candidate) + moved(candidate);
      tried.push_back(candidate);
    };
    for (auto const& order : orders) {
      candidate.order = order;
      candidate.cuts = given_cuts(candidate);
      if (!candidate.cuts.even()) attempt(all.front());
      candidate.cuts = {};
      attempt(all.front());
    }
    if (tried.empty()) return tried;
    tried = {GemmCandidate(*std::ranges::min_element(tried, {}, &GemmCandidate::total))};
    candidate.order = tried.front().order;
    candidate.cuts = tried.front().cuts;
    for (std::size_t w = 1; w < all.size(); ++w) attempt(all[w]);
    return tried;
  }

  [[nodiscard]] std::vector<Index> widths(GemmCandidate const& candidate) const {
    auto const whole = std::max<Index>(plan_.problem.k, 1);
    if (!method(candidate.algorithm).cuts_panels) return {whole};  // whole blocks, as the owners hold them
    if (plan_.options.panel > 0) return {plan_.options.panel};
    auto const& g = candidate.grid;
    auto const owners = static_cast<Index>(g.layers) * std::max(g.rows, g.cols);
    auto const longest = (whole + owners - 1) / owners;  // that one rank owns of k: panels are no wider
    std::vector<Index> all;
    for (auto const width : panel_widths) {
      if (all.empty() || std::min(width, all.front()) < longest) all.push_back(width);
    }
    return all;
  }

  void place(GemmCandidate const& candidate) {
    Frame const frame(candidate.grid, candidate.order, plan_.options.mapping);
    method(candidate.algorithm).distributions(plan_.problem, frame, candidate.cuts, plan_);
  }

  /// Those of the given matrices on this grid in this order, where SUMMA can take them as they are.
  [[nodiscard]] GemmCuts given_cuts(GemmCandidate const& candidate) const {
    auto const& how = method(candidate.algorithm);
    if (!plan_.options.given || candidate.grid.layers > 1 || !how.cuts_panels) return {};
    Frame const frame(candidate.grid, candidate.order, plan_.options.mapping);
    auto const view = relabelled(plan_.problem, frame, *plan_.options.given);
    if (!view) return {};
    bool even = true;
    auto const cuts = [&](AxisDistribution const& axis) {
      even = even && axis == AxisDistribution::balanced(axis.extent(), axis.parts());
      std::vector<Index> all{0};
      for (int p = 0; p < axis.parts(); ++p) all.push_back(all.back() + axis.count(p));
      return all;
    };
    GemmCuts given{cuts(view->c.rows()), cuts(view->c.cols()), cuts(view->a.cols()), cuts(view->b.rows())};
    return even ? GemmCuts{} : given;
  }
  /// What the largest part of C takes longer than an even one: to be computed, and its rows or columns to travel.
  [[nodiscard]] Seconds unevenness(GemmCandidate const& candidate) const {
    if (candidate.cuts.even()) return Seconds(0);
    auto const times = [](std::vector<Index> const& cuts) {
      auto const parts = static_cast<Index>(cuts.size()) - 1;
      auto const even = std::max<Index>((cuts.back() + parts - 1) / parts, 1);
      Index most = even;
      for (std::size_t p = 1; p < cuts.size(); ++p) most = std::max(most, cuts[p] - cuts[p - 1]);
      return static_cast<double>(most) / static_cast<double>(even);
    };
    auto const rows = times(candidate.cuts.m);
    auto const cols = times(candidate.cuts.n);
    return candidate.compute * (rows * cols - 1) + candidate.communicate * (std::max(rows, cols) - 1);
  }

  /// Bringing matrices there and back.
  [[nodiscard]] Seconds moved(GemmCandidate const& candidate) {
    if (!plan_.options.given) return Seconds(0);
    place(candidate);
    return moving(plan_, Frame(candidate.grid, candidate.order, plan_.options.mapping));
  }

  /// @pre plan_.a, b, c are where the candidate wants its matrices
  void keep(GemmCandidate candidate) {
    if (plan_.problem.k / candidate.panel > most_panels) {
      candidate.why_not = fmt::format("has more than {} panels of {}", most_panels, candidate.panel);
      tried_.push_back({std::move(candidate)});
      return;
    }
    describe(plan_, candidate);
    bounds(candidate);
    auto const limit = memory_limit(plan_.machine, plan_.options.memory);
    if (limit.value() > 0 && candidate.memory > limit) {
      candidate.why_not =
          fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
    }
    tried_.push_back({std::move(candidate)});
  }

  void bounds(GemmCandidate& candidate) const {
    auto const& p = plan_.problem;
    auto const words = static_cast<double>(candidate.memory.value() / bytes_of(p.type));
    candidate.most_products = most_products(p, candidate);
    candidate.bound_words =
        model::gemm_bound({p.m, p.n, p.k}, candidate.grid.ranks(), words, candidate.most_products).words();
  }

  /// Whoever is estimated to be the best is priced by its graph, until the best has been; grids of all ranks first.
  void price_best() {
    if (!estimate_ || tried_.empty() || !is_worth_pricing(std::ranges::min_element(tried_, {}, rank_of)->candidate)) {
      return;
    }
    auto const turn_of = [&](Tried const& one) {
      bool const all = one.candidate.grid.ranks() == plan_.machine.ranks();
      return std::pair(std::get<0>(rank_of(one)), std::get<1>(rank_of(one)) * (all ? 1.0 : some_ranks));
    };
    for (int left = priced_by_graph; left > 0; --left) {
      auto const best = std::ranges::min_element(tried_, {}, turn_of);
      auto& candidate = best->candidate;
      if (best->by_graph || !candidate.why_not.empty()) break;
      price_by_graph(plan_, candidate);
      candidate.total = std::max(candidate.total, estimate_->in_turn(candidate)) + moved(candidate);
      best->by_graph = true;
    }
    // What nobody has looked at is no better than what has been.
    auto const least = std::ranges::min_element(tried_, {}, [](Tried const& one) {
                         return std::pair(!one.by_graph, one.candidate.total.value());
                       })->candidate.total;
    for (auto& one : tried_) {
      if (!one.by_graph) one.candidate.total = std::max(one.candidate.total, least);
    }
  }

  /// Among the best, priced alike.
  void prefer_modest() {
    if (tried_.empty()) return;
    auto const needs = [](Tried const& t) { return std::pair(t.candidate.words, t.candidate.memory); };
    auto chosen = tried_.begin();
    auto const limit = chosen->candidate.total * equal_prices;
    for (auto t = chosen; t != tried_.end() && t->candidate.why_not.empty() && t->candidate.total <= limit; ++t) {
      if (t->by_graph == tried_.front().by_graph && needs(*t) < needs(*chosen)) chosen = t;
    }
    std::rotate(tried_.begin(), chosen, chosen + 1);
  }

  [[nodiscard]] bool is_worth_pricing(GemmCandidate const& candidate) const {
    auto const& g = candidate.grid;
    auto const& p = plan_.problem;
    if (!candidate.why_not.empty() || p.m == 0 || p.n == 0 || p.k == 0) return false;
    auto const steps =
        std::min<Index>(p.k / g.layers / candidate.panel + g.rows + g.cols, graph::PriceOptions().chained);
    auto const each = pricing_seconds * static_cast<double>(steps + 16) * (g.rows + g.cols);
    return candidate.total.value() > worth_pricing * each;
  }

  GemmPlan& plan_;
  EmbeddedOrders embedded_;
  std::optional<GemmEstimate> estimate_;
  std::vector<Tried> tried_;
};

}  // namespace

GemmPlan plan_gemm(GemmProblem const& problem, Machine const& machine, GemmOptions const& options) {
  check(problem, machine, options);
  GemmPlan plan;
  plan.problem = problem;
  plan.machine = machine;
  plan.options = options;
  Planner planner(plan);
  for (auto const& grid : grids(options, machine.ranks())) {
    for (auto const* how : methods()) {
      if (options.algorithm.empty() || options.algorithm == how->name) planner.consider(*how, grid);
    }
  }
  planner.choose();
  if (options.candidates > 0 && plan.candidates.size() > static_cast<std::size_t>(options.candidates)) {
    plan.candidates.resize(static_cast<std::size_t>(options.candidates));
  }
  return plan;
}

}  // namespace allport
