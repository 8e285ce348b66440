// Plans of factorizations in tiles (Cholesky, QR): the grids and tile sizes that are tried, their run and their JSON.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "allport/linalg/distribution.h"
#include "allport/linalg/tiled_plan.h"
#include "linalg/matrix/operand.h"
#include "plan_price.h"
#include "plan_search.h"
#include "report_json.h"

namespace allport::tiled_plan {

/// Tile sizes to try, ascending. @param wanted  0: any @param given  the matrix's distribution, or null
[[nodiscard]] std::vector<Index> sizes_to_try(Index wanted, Distribution const* given);

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
/// longer than the choice. 256 if the machine has no rates. Thread-safe.
[[nodiscard]] Index cached_tile(TileKey const& key, Machine const& machine, FunctionRef<Index()> choose);

/// The plan of a factorization. Operation has
///   Plan, rows(Problem), cols(Problem), tasks(tile rows, tile columns)
///   given_tiles(Distribution, nb)       the caller's distribution in such tiles
///   describe(Plan, Candidate&, tiles)   fills its memory, and bounds if there are any
///   graph(Problem, tiles, nb)
template <class Operation>
class TiledSearch : public detail::PlanSearch<TiledSearch<Operation>, typename Operation::Plan> {
  using Plan = typename Operation::Plan;
  using Base = detail::PlanSearch<TiledSearch<Operation>, Plan>;
  using Problem = decltype(Plan::problem);
  friend Base;

 public:
  explicit TiledSearch(Plan& plan) : Base(plan), m_(Operation::rows(plan.problem)), n_(Operation::cols(plan.problem)) {}

  /// Adds the best tiles of a grid: none larger than the first that holds the whole matrix. Of nearly equal prices the
  /// largest tile that needs no more redistribution is the best.
  Index consider(GemmGrid const& grid, std::string const& order) {
    constexpr double as_good = 1.05;
    auto const& given = plan_.options.given;
    auto const first = std::ssize(tried_);
    for (auto const nb : sizes_to_try(plan_.options.nb, given ? &*given : nullptr)) {
      TiledCandidate candidate;
      candidate.grid = grid;
      candidate.order = order;
      candidate.nb = nb;
      auto const tiles = tiles_of(candidate);
      Operation::describe(plan_, candidate, tiles);
      this->add(std::move(candidate));
      if (tried_.back().candidate.why_not.empty()) price(tried_.back(), tiles);
      if (nb >= std::max(m_, n_)) break;
    }
    auto of_grid = std::ranges::subrange(tried_.begin() + first, tried_.end());
    std::ranges::stable_sort(of_grid, {}, Base::key_of);
    auto const best = detail::preferred(
        of_grid, as_good, [](auto const& one) -> auto const& { return one.candidate; },
        [](auto const& one, auto const& best) {
          return one.candidate.nb > best.candidate.nb && one.candidate.moving <= best.candidate.moving;
        });
    std::swap(*best, of_grid.front());
    tried_.erase(tried_.begin() + first + 1, tried_.end());
    return tried_.back().candidate.nb;
  }

  /// All grids of the ranks that the options allow, in both orders if they differ; or that of the caller's matrix.
  void consider_all() {
    auto const& options = plan_.options;
    if (options.given) {
      consider({options.given->grid().rows(), options.given->grid().cols(), 1}, "given");
      return;
    }
    auto const& wanted = options.grid;
    bool const any = wanted.rows == 0;
    auto const ranks = any ? static_cast<int>(plan_.machine.ranks()) : wanted.rows * wanted.cols;
    detail::each_layer_grid(ranks, 1, [&](int rows, int cols) {
      if (!any && rows != wanted.rows) return;
      for (auto const* const order : {"ij", "ji"}) {
        bool const is_line = rows == 1 || cols == 1;
        if (options.order.empty() ? is_line && order[0] == 'j' : options.order != order) continue;
        consider({rows, cols, 1}, order);
      }
    });
  }

 private:
  using Base::plan_;
  using Base::tried_;
  static constexpr auto choices = "the grid";

  [[nodiscard]] static std::string algorithm_of(TiledPlanOptions const& /*options*/) { return "tiles"; }
  [[nodiscard]] static std::string text(TiledCandidate const& c) {
    return fmt::format("{}x{}, tiles of {}", c.grid.rows, c.grid.cols, c.nb);
  }
  [[nodiscard]] static bool same(TiledCandidate const& a, TiledCandidate const& b) {
    return a.grid == b.grid && a.order == b.order;
  }

  [[nodiscard]] Distribution tiles_of(TiledCandidate const& c) const {
    if (plan_.options.given) return Operation::given_tiles(*plan_.options.given, c.nb);
    auto const grid = c.order == "ij" ? ProcessGrid::column_major(c.grid.rows, c.grid.cols)
                                      : ProcessGrid::row_major(c.grid.rows, c.grid.cols);
    return {AxisDistribution::cyclic(m_, c.grid.rows, c.nb), AxisDistribution::cyclic(n_, c.grid.cols, c.nb), grid};
  }

  void price(typename Base::Tried& one, Distribution const& tiles) const {
    auto& c = one.candidate;
    if (m_ == 0 || n_ == 0) return;
    auto const type = plan_.problem.type;
    c.price =
        detail::price_of(*Operation::graph(plan_.problem, tiles, c.nb), type, plan_.machine, plan_.options.workers);
    if (auto const& given = plan_.options.given) {
      c.moving =
          detail::moving(*given, tiles, type, plan_.machine) + detail::moving(tiles, *given, type, plan_.machine);
    }
    c.total = c.price.total + c.moving;
    one.by_graph = true;
  }

  /// Counts the chosen graph unless it has too many tasks.
  void settle() {
    auto& chosen = plan_.chosen;
    plan_.distribution = tiles_of(chosen);
    auto const tiles = [&](Index extent) { return static_cast<double>((extent + chosen.nb - 1) / chosen.nb); };
    if (Operation::tasks(tiles(m_), tiles(n_)) > detail::counted_tasks) return;
    auto const made = Operation::graph(plan_.problem, plan_.distribution, chosen.nb);
    plan_.counts = graph::count(*made, *graph::flat());
    plan_.pool = graph::pool(*made);
    plan_.counts.resize(static_cast<std::size_t>(plan_.machine.ranks()));
    plan_.pool.resize(static_cast<std::size_t>(plan_.machine.ranks()));
    chosen.words = chosen.messages = 0;
    for (auto const& count : plan_.counts) detail::take_most(chosen, count.traffic, bytes_of(plan_.problem.type));
  }

  Index m_, n_;
};

/// @throws Error(argument) naming nb, workers, memory, order, grid or given; Error(memory) if nothing fits
template <class Operation>
[[nodiscard]] typename Operation::Plan planned(decltype(Operation::Plan::problem) const& problem,
                                               Machine const& machine, TiledPlanOptions const& options) {
  detail::check_tiling(options);
  detail::check_common(options, machine, false);
  ensure(options.order.empty() || options.order == "ij" || options.order == "ji", "order", options.order, "ij or ji",
         "leave it out to have it chosen");
  if (options.given) {
    detail::check_given("given", *options.given, Operation::rows(problem), Operation::cols(problem));
    ensure(options.grid.rows == 0, "grid", fmt::format("{}x{}", options.grid.rows, options.grid.cols),
           "none beside `given`, which has one");
  }
  typename Operation::Plan plan{problem, machine, options, {}, {}, {}, {}, {}};
  TiledSearch<Operation> search(plan);
  search.consider_all();
  search.choose();
  return plan;
}

/// The tile size of the plan for a matrix that is distributed so.
template <class Operation>
[[nodiscard]] Index tile(Kernel kernel, char uplo, decltype(Operation::Plan::problem) const& problem,
                         Distribution const& given, Machine const& machine, int workers) {
  return cached_tile({kernel, problem.type, uplo, workers, given}, machine, [&] {
    typename Operation::Plan plan{problem, machine, {}, {}, {}, {}, {}, {}};
    plan.options.given = given;
    plan.options.workers = workers;
    return TiledSearch<Operation>(plan).consider({given.grid().rows(), given.grid().cols(), 1}, "given");
  });
}

/// Calls run(A in the plan's tiles, options as planned); redistributes A there and back if it is distributed otherwise.
/// Called by all ranks.
/// @throws Error on every rank if the plan is for something else, the ranks have different plans, or memory is short
template <class T, class Plan, class Options, class Run>
auto run_in_tiles(Plan const& plan, Matrix<T> const& a, Options options, Run const& run) {
  using Native = detail::Native<T>;
  auto const& comm = a.comm();
  detail::on_all(comm, [&] {
    ensure(scalar_of<T> == plan.problem.type, "element type", "another", "the plan's");
    ensure(plan.machine == comm.machine(), "plan", fmt::format("for machine {}", plan.machine.name()),
           fmt::format("one for this communicator's, {}", comm.machine().name()));
    detail::check_operand("A", a, plan.distribution.rows().extent(), plan.distribution.cols().extent(), comm);
    detail::check_memory(plan, detail::memory_limit(plan), Native::bytes(a, plan.distribution));
  });
  auto const& c = plan.chosen;
  comm.ensure_agreement(
      "grid, tiles and workers of the plan",
      detail::hash_of(fmt::format("{} {} {} {} {}", c.grid.rows, c.grid.cols, c.order, c.nb, plan.options.workers)));
  options.nb = c.nb;
  options.workers = plan.options.workers;
  Native const native(a, plan.distribution);
  native.copy_in();
  auto report = run(native.matrix(), options);
  native.copy_out();
  report.moved = report.moved || !(a.distribution() == plan.distribution);
  return report;
}

/// Totals of the chosen candidate's graph; null if it was not counted.
[[nodiscard]] nlohmann::json counted(std::vector<graph::Count> const& counts, std::vector<std::int64_t> const& pool,
                                     Scalar type);

/// A plan. @param own  (TiledCandidate const&) -> json: fields of the operation alone
template <class Plan, class Own>
[[nodiscard]] std::string to_json(Plan const& plan, nlohmann::json problem, Own const& own) {
  auto j = report::plan(plan, std::move(problem), [&](TiledCandidate const& c) {
    nlohmann::json one{
        {"grid", {c.grid.rows, c.grid.cols}}, {"order", c.order}, {"nb", c.nb}, {"memory_bytes", c.memory.value()}};
    if (!c.why_not.empty()) {
      one["why_not"] = c.why_not;
      return one;
    }
    one["seconds"] = {{"work", c.price.work.value()},
                      {"links", c.price.links.value()},
                      {"chain", c.price.chain.value()},
                      {"moving", c.moving.value()},
                      {"total", c.total.value()}};
    one.update(own(c));
    return one;
  });
  j["workers"] = plan.options.workers;
  j["counted"] = counted(plan.counts, plan.pool, plan.problem.type);
  return j.dump();
}

}  // namespace allport::tiled_plan
