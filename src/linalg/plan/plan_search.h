// The search for a plan that all operations share: checks of the options, memory limits, prices, ties and ranking.
//
// An operation gives its candidates (algorithm, grid, order, widths), their memory, and a price: that of the graph, or
// an estimate by which the few candidates are found whose graphs are priced. A Plan has problem, machine, options,
// candidates and chosen; a Candidate algorithm, grid, order, total, memory and why_not.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "allport/base/error.h"
#include "allport/linalg/gemm.h"
#include "allport/machine/machine.h"
#include "linalg/gemm/gemm_frame.h"
#include "linalg/matrix/checks.h"
#include "plan_price.h"

namespace allport::detail {

/// @pre the memory limit is not negative; `grid` is {0, 0, 0}, to be chosen, or has factors >= 1 and at most the ranks
/// of the machine
/// @param layers  whether the operation has grids of several layers
template <class Options>
void check_common(Options const& options, Machine const& machine, bool layers) {
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  auto const& g = options.grid;
  if (g.rows == 0 && g.cols == 0 && (g.layers == 0 || !layers)) return;
  auto const text = layers ? fmt::format("{}x{}x{}", g.rows, g.cols, g.layers) : fmt::format("{}x{}", g.rows, g.cols);
  ensure(g.rows >= 1 && g.cols >= 1 && (layers ? g.layers >= 1 : g.layers <= 1), "grid", text,
         layers ? "three factors >= 1" : "two factors >= 1",
         layers ? "write p_r x p_c x c, for example 4x4x1" : "write p_r x p_c, for example 4x4");
  auto const product = static_cast<std::int64_t>(g.rows) * g.cols * (layers ? g.layers : 1);
  ensure(product <= machine.ranks(), "grid", text, fmt::format("at most {} ranks, not {}", machine.ranks(), product),
         "take a smaller grid or more ranks");
}

/// @pre an m x n matrix has at most 2^59 bytes: sums of bytes over several matrices are counted in 64 bits
inline bool is_countable(Index m, Index n, Scalar type) {
  Index elements = 0;
  return !__builtin_mul_overflow(m, n, &elements) && elements <= (std::int64_t(1) << 59) / bytes_of(type);
}

/// @pre a given distribution is that of an m x n matrix
inline void check_given(std::string_view what, Distribution const& given, Index m, Index n) {
  ensure(given.rows().extent() == m && given.cols().extent() == n, what,
         fmt::format("{} x {}", given.rows().extent(), given.cols().extent()),
         fmt::format("a distribution of {} x {}", m, n));
}

/// Of candidates sorted by price, the one that better(one, best so far) prefers among those whose price is within this
/// factor of the first. Prices are no more accurate than that.
template <class Range, class Of, class Better>
[[nodiscard]] auto preferred(Range& sorted, double factor, Of const& of, Better const& better) {
  auto best = sorted.begin();
  auto const limit = of(*best).total * factor;
  for (auto one = best; one != sorted.end() && of(*one).why_not.empty() && of(*one).total <= limit; ++one) {
    if (better(*one, *best)) best = one;
  }
  return best;
}

/// Candidates with their prices. Search derives from this and has
///   same(Candidate, Candidate)  whether the table lists only the better of two
///   settle()                    fills what is known of the chosen candidate alone
///   text(Candidate)             its algorithm and grid, in messages
///   choices                     of the caller, which may leave them to the plan
template <class Search, class Plan>
class PlanSearch {
 public:
  using Candidate = std::remove_cvref_t<decltype(std::declval<Plan>().chosen)>;

  explicit PlanSearch(Plan& plan) : plan_(plan) {}

  /// Fills the plan's table, which gets the length that the options ask for, and its choice.
  /// @throws Error if no candidate can be used
  void choose() {
    auto& search = static_cast<Search&>(*this);
    search.rank();
    fill_table();
    search.settle();
    plan_.candidates.front() = plan_.chosen;
    auto const length = static_cast<std::size_t>(std::max(plan_.options.candidates, 0));
    if (length > 0 && plan_.candidates.size() > length) plan_.candidates.resize(length);
  }

 protected:
  struct Tried {
    Candidate candidate;
    bool by_graph = false;
  };

  /// Usable candidates first, by price; of equal prices first those of graphs. Unusable ones of no price by memory.
  static std::tuple<bool, double, bool, Bytes> key_of(Tried const& one) {
    bool const unusable = !one.candidate.why_not.empty();
    return {unusable, one.candidate.total.value(), !one.by_graph, unusable ? one.candidate.memory : Bytes(0)};
  }

  /// @pre its memory is known
  void add(Candidate candidate) {
    static_cast<void>(fits_memory(plan_, candidate));
    tried_.push_back({std::move(candidate)});
  }

  /// Best first.
  void rank() { std::ranges::stable_sort(tried_, {}, key_of); }

  Plan& plan_;
  std::vector<Tried> tried_;

 private:
  /// Fills the plan's table with the candidates in their order.
  void fill_table() {
    auto& all = plan_.candidates;
    for (auto& one : tried_) {
      auto const same = [&](Candidate const& c) { return Search::same(c, one.candidate); };
      if (std::ranges::none_of(all, same)) all.push_back(std::move(one.candidate));
    }
    if (all.empty() || !all.front().why_not.empty()) refuse();
    plan_.chosen = all.front();
  }

  /// Reports the memory that the smallest candidate lacks, or why none runs on the grid.
  [[noreturn]] void refuse() const {
    Candidate const* least = nullptr;
    for (auto const& c : plan_.candidates) {
      if (c.memory.value() > 0 && (least == nullptr || c.memory < least->memory)) least = &c;
    }
    if (least == nullptr) {
      throw Error::argument("algorithm", "'" + Search::algorithm_of(plan_.options) + "'",
                            plan_.candidates.empty() ? "one that fits the grid" : plan_.candidates.front().why_not,
                            "leave out grid or algorithm to have them chosen");
    }
    auto const limit = memory_limit(plan_);
    throw Error::argument("memory", fmt::format("{} bytes per rank", limit.value()),
                          fmt::format("at least {} bytes per rank ({}; {} are missing)", least->memory.value(),
                                      Search::text(*least), (least->memory - limit).value()),
                          fmt::format("raise the limit, use more ranks, or leave {} to the plan", Search::choices),
                          ErrorKind::memory);
  }
};

/// A search among thousands of candidates, on grids of p_r x p_c x c ranks: they are estimated, and the graphs of the
/// best of them are priced. Search also has
///   estimated(Candidate, orders) -> std::vector<Candidate>  in the best order, one for each block size
///   add_all(std::vector<Candidate>)                         describes and adds candidates that estimated() returned
///   is_worth_pricing(Candidate)                             whether pricing takes little time beside the operation
///   price(Candidate&)                                       fills the times by the candidate's graph
///   optimism                                                the least price of a graph over its estimate
/// Estimate(plan).price(candidate) fills the times in closed form.
template <class Search, class Plan, class Estimate>
class EstimatedSearch : public PlanSearch<Search, Plan> {
  using Base = PlanSearch<Search, Plan>;

 public:
  using Candidate = typename Base::Candidate;

  explicit EstimatedSearch(Plan& plan) : Base(plan), embedded_(plan.machine, plan.options.mapping) {
    if (has_rates(plan.machine)) estimate_.emplace(plan);
  }

 protected:
  using Base::plan_;
  using Base::tried_;
  using typename Base::Tried;
  friend Base;

  /// Estimates of grids that leave ranks out are raised by this factor, about the error of an estimate, when the next
  /// candidate to price is chosen.
  static constexpr double some_ranks = 1.05;
  /// At most so many candidates are priced by their graphs.
  static constexpr int priced_by_graph = 8;
  static constexpr auto choices = "grid and algorithm";

  [[nodiscard]] static std::string const& algorithm_of(auto const& options) { return options.algorithm; }
  [[nodiscard]] static std::string text(Candidate const& c) {
    return fmt::format("algorithm {} on {}x{}x{}", c.algorithm, c.grid.rows, c.grid.cols, c.grid.layers);
  }

  /// A candidate that cannot run on its grid: it is in the table only if the caller names its algorithm.
  void reject(Candidate candidate, std::string reason) {
    candidate.why_not = std::move(reason);
    if (!plan_.options.algorithm.empty()) tried_.push_back({std::move(candidate)});
  }

  /// A candidate in the best order: that of the caller, or a plain one, or an embedding of the grid.
  void try_orders(Candidate const& candidate, std::vector<std::string> const& plain) {
    auto best = search().estimated(candidate, plain);
    if (plan_.options.order.empty()) {
      auto boxes = search().estimated(candidate, embedded_.of(candidate.grid, plain));
      auto const least = [](auto const& all) { return std::ranges::min_element(all, {}, &Candidate::total)->total; };
      if (!boxes.empty() && least(boxes) <= least(best) * for_boxes) best = std::move(boxes);
    }
    search().add_all(std::move(best));
  }

  void rank() {
    price_best();
    Base::rank();
    search().break_ties();
  }
  /// Puts the candidate to be chosen first.
  void break_ties() {}

  std::optional<Estimate> estimate_;

 private:
  [[nodiscard]] Search& search() { return static_cast<Search&>(*this); }

  /// Prices the candidates with the best estimates by their graphs until the best one has been priced.
  void price_best() {
    auto const best = [this] { return std::ranges::min_element(tried_, {}, Base::key_of); };
    if (!estimate_ || tried_.empty() || !search().is_worth_pricing(best()->candidate)) return;
    auto const next = [this](Tried const& one) {
      bool const some = one.candidate.grid.ranks() != plan_.machine.ranks();
      auto const doubt = one.by_graph ? 1.0 : Search::optimism * (some ? some_ranks : 1.0);
      return std::pair(!one.candidate.why_not.empty(), one.candidate.total.value() * doubt);
    };
    for (int left = priced_by_graph; left > 0; --left) {
      auto& one = *std::ranges::min_element(tried_, {}, next);
      if (one.by_graph || !one.candidate.why_not.empty()) break;
      search().price(one.candidate);
      one.by_graph = true;
    }
    // Clamp candidates that were not priced to the best graph price.
    auto const priced_first = [](Tried const& one) { return std::pair(!one.by_graph, one.candidate.total.value()); };
    auto const least = std::ranges::min_element(tried_, {}, priced_first)->candidate.total;
    for (auto& one : tried_) {
      auto& total = one.candidate.total;
      if (!one.by_graph && one.candidate.memory.value() > 0) total = std::max(total, least);
    }
  }

  EmbeddedOrders embedded_;
};

}  // namespace allport::detail
