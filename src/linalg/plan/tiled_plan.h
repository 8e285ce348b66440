// What the plans of tiled factorizations (Cholesky, QR) do alike: which grids and tile sizes are tried, what is chosen
// of them, and what is said about it. A Plan has problem, machine, options, candidates, chosen, counts; a Candidate
// rows, cols, order, nb, price, memory, why_not and total().
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "allport/graph/price.h"
#include "allport/linalg/distribution.h"
#include "allport/tasks/transport.h"
#include "linalg/matrix/checks.h"
#include "report_json.h"

namespace allport::tiled_plan {

inline constexpr std::array<Index, 6> tile_sizes{64, 128, 192, 256, 384, 512};
/// Blocks of a matrix that lies somewhere are tried as tiles, too, from this size on.
inline constexpr Index least_own_tile = 16;
/// Of tile sizes whose prices are within this factor of the best the largest is taken.
inline constexpr double as_good = 1.05;
/// Graphs of more tasks are not counted.
inline constexpr double counted_tasks = 4e6;

/// @throws Error(argument) naming nb, workers, memory, order or grid
template <class Options>
void check(Options const& options, Machine const& machine) {
  detail::check_tiling(options);
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  ensure(options.order.empty() || options.order == "ij" || options.order == "ji", "order", options.order, "ij or ji",
         "leave it out to have it chosen");
  bool const any = options.rows == 0 && options.cols == 0;
  bool const fits = options.rows >= 1 && options.cols >= 1 &&
                    static_cast<std::int64_t>(options.rows) * options.cols <= machine.ranks();
  ensure(any || fits, "grid", fmt::format("{}x{}", options.rows, options.cols),
         fmt::format("p_r x p_c of at most {} ranks", machine.ranks()), "leave it out to have it chosen");
}

/// An m x n matrix in a candidate's tiles on its grid.
template <class Candidate>
[[nodiscard]] Distribution tiles_of(Candidate const& c, Index m, Index n) {
  auto const grid =
      c.order == "ij" ? ProcessGrid::column_major(c.rows, c.cols) : ProcessGrid::row_major(c.rows, c.cols);
  return {AxisDistribution::cyclic(m, c.rows, c.nb), AxisDistribution::cyclic(n, c.cols, c.nb), grid};
}

/// Bytes per rank; 0: unknown.
template <class Plan>
[[nodiscard]] Bytes limit_of(Plan const& plan) {
  auto const& told = plan.options.memory;
  return told.value() > 0 ? told : plan.machine.rates().memory / plan.machine.ranks_per_node();
}

/// False, and says why in the candidate, where it needs more memory than there is.
template <class Plan, class Candidate>
[[nodiscard]] bool fits(Plan const& plan, Candidate& candidate) {
  auto const limit = limit_of(plan);
  if (limit.value() <= 0 || candidate.memory <= limit) return true;
  candidate.why_not = fmt::format("needs {} bytes per rank, the limit is {}", candidate.memory.value(), limit.value());
  return false;
}

/// Single precision runs at twice the rate of double; a complex multiplication is four real ones.
[[nodiscard]] inline double rate_factor(Scalar type) {
  bool const single = type == Scalar::s || type == Scalar::c;
  bool const complex = type == Scalar::c || type == Scalar::z;
  return (single ? 2.0 : 1.0) / (complex ? 4.0 : 1.0);
}

[[nodiscard]] inline graph::Price price_of(TaskGraph const& made, Scalar type, Machine const& machine, int workers,
                                           std::optional<Mapping> const& mapping = {}) {
  graph::PriceOptions options;
  options.workers = workers;
  options.factor = rate_factor(type);
  options.segment = tasks::default_segment(machine).value();
  return graph::price(made, machine, *tasks::transport(machine, mapping), options);
}

/// Tile sizes to try, ascending. @param wanted 0: any @param given where the matrix lies, if it lies anywhere
[[nodiscard]] std::vector<Index> sizes_to_try(Index wanted, Distribution const* given);

/// A redistribution: what the busiest link takes where it goes from neighbour to neighbour, else what the parts of some
/// ranks say: the grid's two corners, or more between them.
/// @param mapping  where the ranks are; none: rank r at place r
[[nodiscard]] Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine,
                             std::optional<Mapping> const& mapping = {}, std::size_t looked_at = 2);

/// Whether a graph can be priced on a machine.
[[nodiscard]] inline bool has_rates(Machine const& machine) { return machine.rates().flops.value() > 0; }
/// Tiles where it cannot.
inline constexpr Index default_tile = 256;

/// What a choice of tiles hangs on, beside the machine.
struct TileQuestion {
  Kernel kernel = Kernel::none;  ///< that factors
  Scalar type = Scalar::d;
  char uplo = 0;
  int workers = 1;
  Distribution given;

  friend bool operator==(TileQuestion const&, TileQuestion const&) = default;
};
/// choose(), or what it gave when it was asked the same before: programs factor many matrices of one shape, and small
/// ones take no longer than the choice. Any thread may call.
[[nodiscard]] Index remembered_tile(TileQuestion const& question, Machine const& machine, FunctionRef<Index()> choose);

/// The best of some tile sizes, ascending: none larger than one that is the whole matrix.
/// @param priced (Index nb) -> Candidate
/// @param instead (Candidate const& larger, Candidate const& best): whether a larger tile may stand for the best
template <class Priced, class Instead>
[[nodiscard]] auto best_tiles(std::vector<Index> const& sizes, Index extent, Priced const& priced,
                              Instead const& instead) {
  std::vector<decltype(priced(Index{1}))> tried;
  for (auto const nb : sizes) {
    if (!tried.empty() && tried.back().nb >= extent) break;  // one tile, as before
    tried.push_back(priced(nb));
  }
  auto best =
      std::ranges::min(tried, {}, [](auto const& c) { return std::pair(!c.why_not.empty(), c.total().value()); });
  auto const enough = best.total().value() * as_good;
  for (auto const& c : tried) {
    if (c.why_not.empty() && instead(c, best) && c.nb > best.nb && c.total().value() <= enough) best = c;
  }
  return best;
}

/// The grids of so many ranks, in both orders where they differ, as far as the options allow: visit(rows, cols, order).
template <class Options, class Visit>
void each_grid(Options const& options, int ranks, Visit const& visit) {
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || (options.rows > 0 && rows != options.rows)) continue;
    for (auto const* const order : {"ij", "ji"}) {
      bool const is_line = rows == 1 || rows == ranks;
      if (options.order.empty() ? is_line && order[0] == 'j' : options.order != order) continue;
      visit(rows, ranks / rows, order);
    }
  }
}

/// Best first, unusable ones last. @throws Error(memory) where none is usable
template <class Plan>
void choose(Plan& plan) {
  std::ranges::stable_sort(plan.candidates, {}, [](auto const& c) {
    return std::pair(!c.why_not.empty(), c.why_not.empty() ? c.total().value() : static_cast<double>(c.memory.value()));
  });
  plan.chosen = plan.candidates.front();
  if (plan.chosen.why_not.empty()) return;
  throw Error::argument("memory", fmt::format("{} bytes per rank", limit_of(plan).value()),
                        fmt::format("at least {} bytes per rank ({}x{}, tiles of {})", plan.chosen.memory.value(),
                                    plan.chosen.rows, plan.chosen.cols, plan.chosen.nb),
                        "raise the limit, use more ranks, or leave the grid to the plan", ErrorKind::memory);
}

/// Counts the chosen candidate's graph, unless it has too many tasks. @param make () -> TaskGraph
template <class Plan, class Make>
void count_chosen(Plan& plan, double tasks, Make const& make) {
  if (tasks > counted_tasks) return;
  auto const made = make();
  plan.counts = graph::count(*made, *graph::flat());
  plan.pool = graph::pool(*made);
  plan.counts.resize(static_cast<std::size_t>(plan.machine.ranks()));
  plan.pool.resize(static_cast<std::size_t>(plan.machine.ranks()));
}

/// Drops what the caller does not want to keep of the table.
template <class Plan>
void shorten(Plan& plan) {
  auto const kept = static_cast<std::size_t>(std::max(plan.options.candidates, 0));
  if (kept > 0 && plan.candidates.size() > kept) plan.candidates.resize(kept);
}

template <class Candidate>
[[nodiscard]] nlohmann::json candidate_json(Candidate const& c) {
  nlohmann::json j{{"grid", {c.rows, c.cols}}, {"order", c.order}, {"nb", c.nb}, {"memory_bytes", c.memory.value()}};
  if (!c.why_not.empty()) {
    j["why_not"] = c.why_not;
    return j;
  }
  j["seconds"] = {{"work", c.price.work.value()},
                  {"links", c.price.links.value()},
                  {"chain", c.price.chain.value()},
                  {"total", c.total().value()}};
  return j;
}

/// Of the chosen candidate's graph; null where it was not counted.
[[nodiscard]] nlohmann::json counted(std::vector<graph::Count> const& counts, std::vector<std::int64_t> const& pool,
                                     Scalar type);

/// A plan; `problem` and candidates (`write`) as its operation writes them.
template <class Plan, class Write>
[[nodiscard]] std::string to_json(Plan const& plan, nlohmann::json problem, Write const& write) {
  nlohmann::json j{
      {"problem", std::move(problem)},        {"machine", plan.machine.name()},
      {"ranks", plan.machine.ranks()},        {"workers", plan.options.workers},
      {"chosen", write(plan.chosen)},         {"counted", counted(plan.counts, plan.pool, plan.problem.type)},
      {"candidates", nlohmann::json::array()}};
  for (auto const& one : plan.candidates) j["candidates"].push_back(write(one));
  return j.dump();
}

}  // namespace allport::tiled_plan
