// What the plans of all operations share, and those of tiled factorizations (Cholesky, QR): grids and tile sizes that
// are tried, the choice between them, and its JSON. A Plan has problem, machine, options, candidates, chosen, counts; a
// Candidate rows, cols, order, nb, price, memory, why_not and total().
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "allport/graph/count.h"
#include "allport/graph/price.h"
#include "allport/linalg/distribution.h"
#include "allport/tasks/transport.h"
#include "checks.h"
#include "report_json.h"

namespace allport::tiled_plan {

inline constexpr std::array<Index, 6> tile_sizes{64, 128, 192, 256, 384, 512};
/// The least size from which the blocks of the caller's matrix are tried as tiles, too.
inline constexpr Index least_own_tile = 16;
/// The largest of the tile sizes whose prices are within this factor of the best is taken.
inline constexpr double as_good = 1.05;
/// Graphs of more tasks are not counted.
inline constexpr double counted_tasks = 4e6;

/// Checks the options for factoring an m x n matrix.
/// @throws Error(argument) naming nb, workers, memory, order, grid or given
template <class Options>
void check(Options const& options, Machine const& machine, Index m, Index n) {
  detail::check_tiling(options);
  ensure(options.memory.value() >= 0, "memory", options.memory, "bytes per rank >= 0");
  ensure(options.order.empty() || options.order == "ij" || options.order == "ji", "order", options.order, "ij or ji",
         "leave it out to have it chosen");
  bool const any = options.rows == 0 && options.cols == 0;
  bool const fits = options.rows >= 1 && options.cols >= 1 &&
                    static_cast<std::int64_t>(options.rows) * options.cols <= machine.ranks();
  auto const grid = fmt::format("{}x{}", options.rows, options.cols);
  ensure(any || fits, "grid", grid, fmt::format("p_r x p_c of at most {} ranks", machine.ranks()),
         "leave it out to have it chosen");
  if (!options.given) return;
  auto const rows = options.given->rows().extent();
  auto const cols = options.given->cols().extent();
  ensure(rows == m && cols == n, "given", fmt::format("{} x {}", rows, cols),
         fmt::format("the distribution of a {} x {} matrix", m, n));
  ensure(any, "grid", grid, "none beside `given`, which has one");
}

/// An m x n matrix in a candidate's tiles on its grid.
template <class Candidate>
[[nodiscard]] Distribution tiles_of(Candidate const& c, Index m, Index n) {
  auto const grid =
      c.order == "ij" ? ProcessGrid::column_major(c.rows, c.cols) : ProcessGrid::row_major(c.rows, c.cols);
  return {AxisDistribution::cyclic(m, c.rows, c.nb), AxisDistribution::cyclic(n, c.cols, c.nb), grid};
}

/// Kernel rates relative to double: single precision is twice as fast, a complex multiplication is four real ones.
[[nodiscard]] inline double rate_factor(Scalar type) {
  bool const single = type == Scalar::s || type == Scalar::c;
  bool const complex = type == Scalar::c || type == Scalar::z;
  return (single ? 2.0 : 1.0) / (complex ? 4.0 : 1.0);
}

/// The price of a graph that is sent by tasks::default_tree().
[[nodiscard]] inline graph::Price price_of(TaskGraph const& made, Scalar type, Machine const& machine, int workers,
                                           std::optional<Mapping> const& mapping = {}) {
  graph::PriceOptions options;
  options.workers = workers;
  options.factor = rate_factor(type);
  options.segment = tasks::default_segment(machine).value();
  return graph::price(made, machine, *tasks::transport(machine, mapping), options);
}

/// Steps of the chain that are priced: fewer on large grids, where a step has more messages.
[[nodiscard]] inline int chained_steps(GemmGrid const& grid) {
  return std::clamp(4096 / std::max(grid.rows, grid.cols), 32, 256);
}
/// How the graph of a plan on a p_r x p_c x c grid is priced.
template <class Plan>
[[nodiscard]] graph::PriceOptions price_options(Plan const& plan, GemmGrid const& grid) {
  graph::PriceOptions options;
  options.factor = rate_factor(plan.problem.type);
  options.segment = tasks::default_segment(plan.machine).value();
  options.chained = chained_steps(grid);
  return options;
}

/// Raises words and messages of a candidate to those of a rank.
template <class Candidate>
void take_most(Candidate& candidate, Traffic const& traffic, std::int64_t element) {
  candidate.words = std::max({candidate.words, traffic.bytes_sent / element, traffic.bytes_received / element});
  candidate.messages = std::max({candidate.messages, traffic.messages_sent, traffic.messages_received});
}
/// Sets the traffic of a plan to that of its graph, and words and messages of the chosen candidate to those of the
/// busiest rank.
template <class Plan>
void count_traffic(Plan& plan, TaskGraph const& made, graph::Transport const& transport) {
  auto const counts = graph::count(made, transport);
  plan.traffic.assign(static_cast<std::size_t>(plan.machine.ranks()), Traffic{});
  plan.chosen.words = plan.chosen.messages = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    plan.traffic[r] = counts[r].traffic;
    take_most(plan.chosen, plan.traffic[r], bytes_of(plan.problem.type));
  }
}

/// Tile sizes to try, ascending. @param wanted  0: any @param given  the matrix's distribution, or null
[[nodiscard]] std::vector<Index> sizes_to_try(Index wanted, Distribution const* given);

/// Time of a redistribution: that of the busiest link if data go from neighbour to neighbour, else estimated from the
/// parts of some ranks: the two at the grid's corners, or more between them.
/// @param mapping  where the ranks are; none: rank r at place r
/// @param examined  ranks whose parts are counted
[[nodiscard]] Seconds moving(Distribution const& from, Distribution const& to, Scalar type, Machine const& machine,
                             std::optional<Mapping> const& mapping = {}, std::size_t examined = 2);

/// Time to redistribute the caller's matrix (options.given), if any, to the tiles and back.
template <class Plan>
[[nodiscard]] Seconds moving_given(Plan const& plan, Distribution const& tiles) {
  auto const& given = plan.options.given;
  if (!given) return Seconds(0);
  return moving(*given, tiles, plan.problem.type, plan.machine) +
         moving(tiles, *given, plan.problem.type, plan.machine);
}

/// Whether a graph can be priced on a machine.
[[nodiscard]] inline bool has_rates(Machine const& machine) { return machine.rates().flops.value() > 0; }
/// Tiles if it cannot.
inline constexpr Index default_tile = 256;

/// What the choice of tiles depends on beside the machine.
struct TileKey {
  Kernel kernel = Kernel::none;  ///< of the factorization
  Scalar type = Scalar::d;
  char uplo = 0;
  int workers = 1;
  Distribution given;

  friend bool operator==(TileKey const&, TileKey const&) = default;
};
/// The result of choose(), cached by key: programs factor many matrices of one shape, and small factorizations take no
/// longer than the choice. Thread-safe.
[[nodiscard]] Index cached_tile(TileKey const& key, Machine const& machine, FunctionRef<Index()> choose);

/// The best of some tile sizes, ascending: none larger than the first that holds the whole matrix. A larger tile
/// replaces the best one if its price is nearly as good and it needs no more redistribution.
/// @param priced  (Index nb) -> Candidate
template <class Priced>
[[nodiscard]] auto best_tiles(std::vector<Index> const& sizes, Index extent, Priced const& priced) {
  std::vector<decltype(priced(Index{1}))> tried;
  for (auto const nb : sizes) {
    if (!tried.empty() && tried.back().nb >= extent) break;  // one tile already
    tried.push_back(priced(nb));
  }
  auto best =
      std::ranges::min(tried, {}, [](auto const& c) { return std::pair(!c.why_not.empty(), c.total().value()); });
  auto const enough = best.total().value() * as_good;
  for (auto const& c : tried) {
    bool const as_good_as_best = c.total().value() <= enough && c.moving <= best.moving;
    if (c.why_not.empty() && c.nb > best.nb && as_good_as_best) best = c;
  }
  return best;
}

/// visit(rows, cols, order) for all grids of so many ranks that the options allow, in both orders if they differ.
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

/// Fills the plan's candidates, the best first and unusable ones last, and the chosen one.
/// @param on_grid  (rows, cols, order) -> Candidate in the best tiles of that grid
/// @throws Error(memory) if none is usable
template <class Plan, class OnGrid>
void search(Plan& plan, OnGrid const& on_grid) {
  auto const& options = plan.options;
  if (options.given) {
    auto const& grid = options.given->grid();
    plan.candidates.push_back(on_grid(grid.rows(), grid.cols(), "given"));
  } else {
    auto const ranks = options.rows > 0 ? options.rows * options.cols : static_cast<int>(plan.machine.ranks());
    each_grid(options, ranks, [&](int rows, int cols, std::string const& order) {
      plan.candidates.push_back(on_grid(rows, cols, order));
    });
  }
  std::ranges::stable_sort(plan.candidates, {}, [](auto const& c) {
    return std::pair(!c.why_not.empty(), c.why_not.empty() ? c.total().value() : static_cast<double>(c.memory.value()));
  });
  plan.chosen = plan.candidates.front();
  if (plan.chosen.why_not.empty()) return;
  throw Error::argument("memory", fmt::format("{} bytes per rank", detail::memory_limit(plan).value()),
                        fmt::format("at least {} bytes per rank ({}x{}, tiles of {})", plan.chosen.memory.value(),
                                    plan.chosen.rows, plan.chosen.cols, plan.chosen.nb),
                        "raise the limit, use more ranks, or leave the grid to the plan", ErrorKind::memory);
}

/// Counts the chosen candidate's graph unless it has too many tasks. @param make  () -> TaskGraph
template <class Plan, class Make>
void count_chosen(Plan& plan, double tasks, Make const& make) {
  if (tasks > counted_tasks) return;
  auto const made = make();
  plan.counts = graph::count(*made, *graph::flat());
  plan.pool = graph::pool(*made);
  plan.counts.resize(static_cast<std::size_t>(plan.machine.ranks()));
  plan.pool.resize(static_cast<std::size_t>(plan.machine.ranks()));
}

/// Shortens the table to the length that the options ask for.
template <class Plan>
void shorten(Plan& plan) {
  auto const length = static_cast<std::size_t>(std::max(plan.options.candidates, 0));
  if (length > 0 && plan.candidates.size() > length) plan.candidates.resize(length);
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

/// Totals of the chosen candidate's graph; null if it was not counted.
[[nodiscard]] nlohmann::json counted(std::vector<graph::Count> const& counts, std::vector<std::int64_t> const& pool,
                                     Scalar type);

/// A plan. @param write  (Candidate const&) -> json
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
