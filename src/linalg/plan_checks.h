// The search for a plan that products and LU factorizations share: checks, candidates, prices, ranking.
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
#include "gemm_frame.h"
#include "tiled_plan.h"

namespace allport::detail {

/// @pre `g` is {0, 0, 0}, to be chosen, or has three factors >= 1 and at most the ranks of the machine
inline void ensure_grid(GemmGrid const& g, Machine const& machine) {
  if (g.rows == 0 && g.cols == 0 && g.layers == 0) return;
  auto const text = fmt::format("{}x{}x{}", g.rows, g.cols, g.layers);
  ensure(g.rows >= 1 && g.cols >= 1 && g.layers >= 1, "grid", text, "three factors >= 1",
         "write p_r x p_c x c, for example 4x4x1");
  auto const product = static_cast<std::int64_t>(g.rows) * g.cols * g.layers;
  ensure(product <= machine.ranks(), "grid", text, fmt::format("at most {} ranks, not {}", machine.ranks(), product),
         "take a smaller grid or more ranks");
}

/// Reports that no candidate can be used: the memory that the smallest one lacks, or why none runs on the grid.
template <class Candidate>
[[noreturn]] void refuse(std::vector<Candidate> const& candidates, std::string const& algorithm, Bytes limit) {
  Candidate const* least = nullptr;
  for (auto const& c : candidates) {
    if (c.memory.value() > 0 && (least == nullptr || c.memory < least->memory)) least = &c;
  }
  if (least == nullptr) {
    throw Error::argument("algorithm", "'" + algorithm + "'",
                          candidates.empty() ? "one that fits the grid" : candidates.front().why_not,
                          "leave out grid or algorithm to have them chosen");
  }
  auto const& g = least->grid;
  throw Error::argument(
      "memory", fmt::format("{} bytes per rank", limit.value()),
      fmt::format("at least {} bytes per rank (algorithm {} on {}x{}x{}; {} are missing)", least->memory.value(),
                  least->algorithm, g.rows, g.cols, g.layers, (least->memory - limit).value()),
      "raise the limit, use more ranks, or leave grid and algorithm to the plan", ErrorKind::memory);
}

/// The search for the plan of an operation on grids of p_r x p_c x c ranks: candidates are estimated, the best of them
/// priced by their graphs, and all ranked. Search derives from this and has
///   estimated(Candidate, orders) -> std::vector<Candidate>  in the best order, one for each block size
///   add_all(std::vector<Candidate>)                         describes and adds candidates that estimated() returned
///   is_worth_pricing(Candidate)                             whether pricing takes little time beside the operation
///   price(Candidate&)                                       fills the times by the candidate's graph
///   scaled(Tried) -> double                                 total by which the next candidate to price is found
///   same(Candidate, Candidate)                              whether the table lists only the better of two
/// Estimate(plan).price(candidate) fills the times in closed form.
template <class Search, class Plan, class Estimate>
class PlanSearch {
 public:
  using Candidate = std::remove_cvref_t<decltype(std::declval<Plan>().chosen)>;

  explicit PlanSearch(Plan& plan) : plan_(plan), embedded_(plan.machine, plan.options.mapping) {
    if (tiled_plan::has_rates(plan.machine)) estimate_.emplace(plan);
  }

 protected:
  struct Tried {
    Candidate candidate;
    bool by_graph = false;
  };
  /// Estimates of grids that leave ranks out are raised by this factor, about the error of an estimate, when the next
  /// candidate to price is chosen.
  static constexpr double some_ranks = 1.05;
  /// At most so many candidates are priced by their graphs.
  static constexpr int priced_by_graph = 8;

  /// Usable candidates first, by price; of equal prices first those of graphs.
  static std::tuple<bool, double, bool> key_of(Tried const& one) {
    return {!one.candidate.why_not.empty(), one.candidate.total.value(), !one.by_graph};
  }
  [[nodiscard]] bool has_all_ranks(Candidate const& candidate) const {
    return candidate.grid.ranks() == plan_.machine.ranks();
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

  /// @pre its memory is known
  void add(Candidate candidate) {
    static_cast<void>(fits_memory(plan_, candidate));
    tried_.push_back({std::move(candidate)});
  }

  /// Prices the candidates with the best estimates by their graphs until the best one has been priced.
  void price_best() {
    auto const best = [this] { return std::ranges::min_element(tried_, {}, key_of); };
    if (!estimate_ || tried_.empty() || !search().is_worth_pricing(best()->candidate)) return;
    auto const next = [this](Tried const& one) { return std::pair(std::get<0>(key_of(one)), search().scaled(one)); };
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

  /// Best first.
  void rank() { std::ranges::stable_sort(tried_, {}, key_of); }

  /// Fills the plan's table with the candidates in their order. @throws Error if none can be used
  void fill_table() {
    auto& all = plan_.candidates;
    for (auto& one : tried_) {
      auto const same = [&](Candidate const& c) { return search().same(c, one.candidate); };
      if (std::ranges::none_of(all, same)) all.push_back(std::move(one.candidate));
    }
    if (all.empty() || !all.front().why_not.empty()) refuse(all, plan_.options.algorithm, memory_limit(plan_));
    plan_.chosen = all.front();
  }

  Plan& plan_;
  std::optional<Estimate> estimate_;
  std::vector<Tried> tried_;

 private:
  [[nodiscard]] Search& search() { return static_cast<Search&>(*this); }

  EmbeddedOrders embedded_;
};

}  // namespace allport::detail
