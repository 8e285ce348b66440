// Chooses algorithm, grid and replication of a product by predicted time under a memory limit.
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
#include "linalg/plan/plan_search.h"

namespace allport {

using namespace gemm_detail;

namespace {

/// Panel widths that are tried: wide enough for BLAS, narrow enough to hide all but the first panel.
constexpr Index panel_widths[] = {256, 128, 384, 64};

/// Panels are numbered in 32 bits.
constexpr Index most_panels = 1 << 30;

/// Time to price a graph, per rank of a row or column and step of the chain; measured. Graphs are priced if the product
/// takes `worth_pricing` times as long.
constexpr double pricing_seconds = 1e-6;
constexpr double worth_pricing = 50;

/// Prices within this factor, the error of the model, count as equal: the fewest words win, then the least memory.
constexpr double equal_prices = 1.02;

void check(GemmProblem const& problem, Machine const& machine, GemmOptions const& options) {
  ensure(problem.m >= 0, "m", problem.m, "a number of rows >= 0");
  ensure(problem.n >= 0, "n", problem.n, "a number of columns >= 0");
  ensure(problem.k >= 0, "k", problem.k, "an inner extent >= 0");
  for (auto const& [rows, cols] : {std::pair(problem.m, problem.k), {problem.k, problem.n}, {problem.m, problem.n}}) {
    ensure(is_countable(rows, cols, problem.type), "m, n, k",
           fmt::format("{}, {}, {}", problem.m, problem.n, problem.k), "matrices of at most 2^59 bytes",
           "take smaller extents");
  }
  ensure_order(options.order, machine);
  ensure(options.panel >= 0, "panel", options.panel, "a width >= 0", "pass 0 to have it chosen");
  check_common(options, machine, true);
  ensure(!options.mapping || options.mapping->ranks() == machine.ranks(), "mapping",
         options.mapping ? options.mapping->ranks() : 0,
         fmt::format("places of the machine's {} ranks", machine.ranks()));
  if (!options.algorithm.empty()) (void)method(options.algorithm);
  if (!options.given) return;
  auto const ensure_given = [](char const* what, Distribution const& given, Trans trans, Index rows, Index cols) {
    if (trans != Trans::none) std::swap(rows, cols);
    check_given(what, given, rows, cols);
  };
  ensure_given("given A", options.given->a, problem.trans_a, problem.m, problem.k);
  ensure_given("given B", options.given->b, problem.trans_b, problem.k, problem.n);
  ensure_given("given C", options.given->c, Trans::none, problem.m, problem.n);
}

class GemmSearch : public EstimatedSearch<GemmSearch, GemmPlan, GemmEstimate> {
 public:
  using EstimatedSearch::EstimatedSearch;

  void consider(Method const& how, GemmGrid const& grid) {
    GemmCandidate candidate;
    candidate.algorithm = how.name;
    candidate.grid = grid;
    auto const& order = plan_.options.order;
    auto reason = how.why_not(grid);
    if (!reason) reason = why_not_order(order, grid);
    if (reason) return reject(std::move(candidate), *reason);
    try_orders(candidate, order.empty() ? gemm_orders(grid) : std::vector{order});
  }

 private:
  friend EstimatedSearch;
  friend PlanSearch;

  static constexpr double optimism = 1;

  /// A candidate in the best of some orders, with all panel widths.
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
    if (!method(candidate.algorithm).cuts_panels) return {whole};  // the owners' whole blocks
    if (plan_.options.panel > 0) return {plan_.options.panel};
    auto const& g = candidate.grid;
    auto const owners = static_cast<Index>(g.layers) * std::max(g.rows, g.cols);
    auto const longest = (whole + owners - 1) / owners;  // indices of k that a rank owns: panels are no wider
    std::vector<Index> all;
    for (auto const width : panel_widths) {
      if (all.empty() || std::min(width, all.front()) < longest) all.push_back(width);
    }
    return all;
  }

  /// Sets the distributions of A, B and C to those that a candidate wants.
  void distribute(GemmCandidate const& candidate) {
    GridLayout const layout(candidate.grid, candidate.order, plan_.options.mapping);
    method(candidate.algorithm).distributions(plan_.problem, layout, candidate.cuts, plan_);
  }

  /// The parts of the given matrices on this grid in this order, if SUMMA can multiply the matrices in place.
  [[nodiscard]] GemmCuts given_cuts(GemmCandidate const& candidate) const {
    auto const& how = method(candidate.algorithm);
    if (!plan_.options.given || candidate.grid.layers > 1 || !how.cuts_panels) return {};
    GridLayout const layout(candidate.grid, candidate.order, plan_.options.mapping);
    auto const view = relabelled(plan_.problem, layout, *plan_.options.given);
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
  /// Additional time of the largest part of C over a balanced one: to compute it, and to send its rows or columns.
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

  /// Redistributing the matrices there and back.
  [[nodiscard]] Seconds moved(GemmCandidate const& candidate) {
    if (!plan_.options.given) return Seconds(0);
    distribute(candidate);
    return moving(plan_, GridLayout(candidate.grid, candidate.order, plan_.options.mapping));
  }

  /// Describes and adds candidates of one order.
  void add_all(std::vector<GemmCandidate> candidates) {
    distribute(candidates.front());
    for (auto& one : candidates) {
      if (plan_.problem.k / one.panel > most_panels) {
        one.why_not = fmt::format("has more than {} panels of {}", most_panels, one.panel);
        tried_.push_back({std::move(one)});
        continue;
      }
      describe(plan_, one);
      set_bounds(one);
      add(std::move(one));
    }
  }

  void set_bounds(GemmCandidate& candidate) const {
    auto const& p = plan_.problem;
    auto const words = static_cast<double>(candidate.memory.value() / bytes_of(p.type));
    candidate.most_products = most_products(p, candidate);
    candidate.bound_words =
        model::gemm_bound({p.m, p.n, p.k}, candidate.grid.ranks(), words, candidate.most_products).words();
  }

  void price(GemmCandidate& candidate) {
    price_by_graph(plan_, candidate);
    candidate.total = std::max(candidate.total, estimate_->in_turn(candidate)) + moved(candidate);
  }
  [[nodiscard]] static bool same(GemmCandidate const& a, GemmCandidate const& b) {
    return a.algorithm == b.algorithm && a.grid == b.grid;
  }

  void settle() {
    distribute(plan_.chosen);
    count_chosen(plan_);
    set_bounds(plan_.chosen);
  }

  /// Of candidates whose price equals the best, that with the fewest words.
  void break_ties() {
    if (tried_.empty()) return;
    auto const needs = [](Tried const& t) { return std::pair(t.candidate.words, t.candidate.memory); };
    bool const by_graph = tried_.front().by_graph;
    auto const chosen = preferred(
        tried_, equal_prices, [](Tried const& one) -> auto const& { return one.candidate; },
        [&](Tried const& one, Tried const& best) { return one.by_graph == by_graph && needs(one) < needs(best); });
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
};

}  // namespace

GemmPlan plan_gemm(GemmProblem const& problem, Machine const& machine, GemmOptions const& options) {
  check(problem, machine, options);
  GemmPlan plan;
  plan.problem = problem;
  plan.machine = machine;
  plan.options = options;
  GemmSearch search(plan);
  for (auto const& grid : grids(options, machine.ranks())) {
    for (auto const* how : methods()) {
      if (options.algorithm.empty() || options.algorithm == how->name) search.consider(*how, grid);
    }
  }
  search.choose();
  return plan;
}

}  // namespace allport
