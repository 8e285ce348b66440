// How a factorization by tiles is planned and runs, as Python's callers set it.
#pragma once

#include <fmt/format.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "allport/linalg/distribution.h"
#include "allport/linalg/tiled_plan.h"
#include "matrix.h"
#include "task_graph.h"

namespace allport::python {

struct TiledOptions {
  Index nb = 0;                      ///< of the tiles; 0: chosen
  int workers = 1;                   ///< threads of each rank
  bool record = false;               ///< keep what every task and message did
  nb::object progress = nb::none();  ///< (tasks done, tasks in all) of this rank's part of the factorization
};

/// CholeskyOptions or QrOptions, which look after the interpreter's signals; valid as long as `told`.
template <class Options>
Options options_of(TiledOptions const& told, Signals& signals) {
  Options options{
      .nb = told.nb, .workers = told.workers, .record = told.record, .attend = [&signals] { signals.look(); }};
  if (!told.progress.is_none()) {
    options.progress = [&](std::int64_t done, std::int64_t all) { signals.tell(told.progress, done, all); };
  }
  return options;
}

using GivenFlatGrid = std::optional<std::tuple<int, int>>;

inline TiledPlanOptions plan_options(GivenFlatGrid const& grid, GivenName const& order, Index nb, int workers,
                                     std::int64_t memory, int candidates) {
  auto const [rows, cols] = grid.value_or(std::tuple(0, 0));
  return {.grid = {rows, cols, grid ? 1 : 0},
          .order = order.value_or(""),
          .nb = nb,
          .workers = workers,
          .memory = Bytes(memory),
          .given = {},
          .candidates = candidates};
}

/// The class of a plan. @param command  of `allport plan`
template <class Plan>
nb::class_<Plan> bind_tiled_plan(nb::module_& m, std::string const& name, std::string const& command) {
  auto const to_dict = "Everything, as `allport plan " + command + " --json` prints it.";
  nb::class_<Plan> plan(m, name.c_str(), "How a matrix will be factored, equal on every rank, and its price.");
  plan.def_prop_ro(
          "shape",
          [](Plan const& p) { return nb::make_tuple(p.distribution.rows().extent(), p.distribution.cols().extent()); },
          nb::sig("def shape(self) -> tuple[int, int]"))
      .def_prop_ro(
          "grid", [](Plan const& p) { return nb::make_tuple(p.chosen.grid.rows, p.chosen.grid.cols); },
          nb::sig("def grid(self) -> tuple[int, int]"), "p_r x p_c.")
      .def_prop_ro(
          "nb", [](Plan const& p) { return p.chosen.nb; }, "Rows and columns of a tile.")
      .def_prop_ro(
          "workers", [](Plan const& p) { return p.options.workers; }, "Threads that run tasks on each rank.")
      .def_prop_ro(
          "predicted", [](Plan const& p) { return p.chosen.total.value(); }, "Seconds.")
      .def_prop_ro(
          "memory", [](Plan const& p) { return p.chosen.memory.value(); }, "Peak bytes per rank.")
      .def_prop_ro(
          "machine", [](Plan const& p) { return p.machine; }, "What it was planned for.")
      .def_prop_ro(
          "distribution", [](Plan const& p) { return p.distribution; }, "Where A's blocks are the tiles.")
      .def(
          "to_dict", [](Plan const& p) { return from_json(p.to_json()); }, to_dict.c_str())
      .def("__repr__", [name](Plan const& p) {
        auto const& c = p.chosen;
        return fmt::format("{}({} x {} on {}x{}, tiles of {}, predicted {:.3g} s)", name,
                           p.distribution.rows().extent(), p.distribution.cols().extent(), c.grid.rows, c.grid.cols,
                           c.nb, c.total.value());
      });
  return plan;
}

}  // namespace allport::python
