// Module model in Python: what multiplication and LU cost on a machine of Solomonik11.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "allport/model/gemm_bound.h"
#include "allport/model/gemm_cost.h"
#include "allport/model/lu_cost.h"
#include "allport/model/scaling.h"
#include "bindings.h"

namespace allport::python {

namespace {

using namespace nb::literals;
using Three = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

model::GemmShape shape_of(Three const& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }
model::GemmGrid grid_of(Three const& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }
Three three(model::GemmGrid g) { return {g.rows, g.columns, g.layers}; }

model::LineMulticast how_of(std::string const& how) {
  ensure(how == "rectangular" || how == "binomial", "how", how, "'rectangular' or 'binomial'");
  return how == "rectangular" ? model::LineMulticast::rectangular : model::LineMulticast::binomial;
}

model::LuPivoting pivoting_of(std::string const& pivoting) {
  ensure(pivoting == "none" || pivoting == "tournament", "pivoting", pivoting, "'none' or 'tournament'");
  return pivoting == "none" ? model::LuPivoting::none : model::LuPivoting::tournament;
}

nb::dict seconds(std::initializer_list<std::pair<char const*, Seconds>> parts) {
  nb::dict d;
  for (auto const& [name, value] : parts) {
    d[name] = value.value();
  }
  return d;
}

nb::dict numbers(std::initializer_list<std::pair<char const*, double>> parts) {
  nb::dict d;
  for (auto const& [name, value] : parts) {
    d[name] = value;
  }
  return d;
}

void bind_multiply(nb::module_& m) {
  m.def(
      "gemm_cost",
      [](Three const& shape, Three const& grid) {
        auto const c = model::gemm_cost(shape_of(shape), grid_of(grid));
        return numbers({{"flops", c.flops}, {"words", c.words}, {"messages", c.messages}, {"memory", c.memory}});
      },
      "shape"_a, "grid"_a, nb::sig("def gemm_cost(shape: tuple[int, int, int], grid: tuple[int, int, int]) -> dict"),
      "Flops, words, messages and words of memory per process of C [m, n] += A [m, k] B [k, n]; shape = (m, n, k),\n"
      "grid = (rows, columns, layers).");
  m.def(
      "gemm_time",
      [](Machine const& machine, Three const& shape, Three const& grid, std::string const& how, double tau,
         double bn_binomial) {
        auto const t =
            model::gemm_time(machine, shape_of(shape), grid_of(grid), how_of(how), tau, BytesPerSecond(bn_binomial));
        auto d = seconds({{"compute", t.compute},
                          {"panels", t.panels},
                          {"replicate", t.replicate},
                          {"reduce", t.reduce},
                          {"communication", t.communication()},
                          {"total", t.total()}});
        d["efficiency"] = t.efficiency();
        return d;
      },
      "machine"_a, "shape"_a, "grid"_a, "how"_a, "tau"_a = 1.0, "bn_binomial"_a = 0.0,
      nb::sig("def gemm_time(machine: Machine, shape: tuple[int, int, int], grid: tuple[int, int, int], how: str, "
              "tau: float = 1.0, bn_binomial: float = 0.0) -> dict"),
      "Seconds of one multiplication, by part, and its efficiency (Solomonik11, slides 12, 13 and 26).\n"
      "how: 'rectangular' or 'binomial'; bn_binomial: B_n of binomial trees, bytes/s, 0: that of a line.");
  m.def(
      "gemm_bound",
      [](Three const& shape, std::int64_t ranks, double memory_words) {
        auto const b = model::gemm_bound(shape_of(shape), ranks, memory_words);
        auto d = numbers({{"memory_dependent", b.memory_dependent},
                          {"memory_independent", b.memory_independent},
                          {"words", b.words()},
                          {"messages", b.messages}});
        d["regime"] = b.regime;
        return d;
      },
      "shape"_a, "ranks"_a, "memory_words"_a = 0.0,
      nb::sig("def gemm_bound(shape: tuple[int, int, int], ranks: int, memory_words: float = 0.0) -> dict"),
      "Words that some rank must send or receive; memory_words 0: unlimited memory.");
}

void bind_lu(nb::module_& m) {
  m.def(
      "lu_cost",
      [](std::int64_t n, Three const& grid, std::pair<std::int64_t, std::int64_t> blocks, std::string const& pivoting) {
        auto const c = model::lu_cost(n, grid_of(grid), {blocks.first, blocks.second}, pivoting_of(pivoting));
        return numbers({{"flops", c.flops},
                        {"idle", c.idle},
                        {"words", c.words},
                        {"corner", c.corner},
                        {"panels", c.panels},
                        {"update", c.update},
                        {"exchange", c.exchange},
                        {"reduce", c.reduce},
                        {"pivot", c.pivot},
                        {"messages", c.messages},
                        {"memory", c.memory}});
      },
      "n"_a, "grid"_a, "blocks"_a, "pivoting"_a = "none",
      nb::sig(
          "def lu_cost(n: int, grid: tuple[int, int, int], blocks: tuple[int, int], pivoting: str = 'none') -> dict"),
      "Flops, words by part, messages and words of memory per process of an LU factorization; blocks = (b, B_g),\n"
      "pivoting: 'none' or 'tournament'.");
  m.def(
      "lu_time",
      [](Machine const& machine, std::int64_t n, Three const& grid, std::pair<std::int64_t, std::int64_t> blocks,
         std::string const& pivoting, std::string const& how, double bn_binomial) {
        auto const t = model::lu_time(machine, n, grid_of(grid), {blocks.first, blocks.second}, pivoting_of(pivoting),
                                      how_of(how), BytesPerSecond(bn_binomial));
        auto d = seconds({{"compute", t.compute},
                          {"idle", t.idle},
                          {"corner", t.corner},
                          {"panels", t.panels},
                          {"update", t.update},
                          {"exchange", t.exchange},
                          {"reduce", t.reduce},
                          {"pivot", t.pivot},
                          {"communication", t.communication()},
                          {"total", t.total()}});
        d["efficiency"] = t.efficiency();
        return d;
      },
      "machine"_a, "n"_a, "grid"_a, "blocks"_a, "pivoting"_a, "how"_a, "bn_binomial"_a = 0.0,
      nb::sig("def lu_time(machine: Machine, n: int, grid: tuple[int, int, int], blocks: tuple[int, int], pivoting: "
              "str, how: str, bn_binomial: float = 0.0) -> dict"),
      "Seconds of one LU factorization, by part, and its efficiency (Solomonik11, slides 18, 19, 27, 35 and 36).");
  m.def(
      "lu_blocks",
      [](Machine const& machine, std::int64_t n, Three const& grid, std::string const& pivoting, std::string const& how,
         double bn_binomial) {
        auto const b = model::lu_blocks(machine, n, grid_of(grid), pivoting_of(pivoting), how_of(how),
                                        BytesPerSecond(bn_binomial));
        return std::pair(b.panel, b.outer_panel);
      },
      "machine"_a, "n"_a, "grid"_a, "pivoting"_a, "how"_a, "bn_binomial"_a = 0.0,
      nb::sig("def lu_blocks(machine: Machine, n: int, grid: tuple[int, int, int], pivoting: str, how: str, "
              "bn_binomial: float = 0.0) -> tuple[int, int]"),
      "The block sizes (b, B_g) of the least lu_time.");
  m.def(
      "lu_path",
      [](std::int64_t n, double d) {
        auto const p = model::lu_path(n, d);
        return numbers({{"flops", p.flops}, {"words", p.words}, {"messages", p.messages}});
      },
      "n"_a, "d"_a, nb::sig("def lu_path(n: int, d: float) -> dict"),
      "What d diagonal blocks one after the other put on the critical path (Solomonik11, slide 34).");
  m.def(
      "lu_least_blocks",
      [](std::int64_t ranks, std::int64_t layers) {
        auto const d = model::lu_least_blocks(ranks, layers);
        return numbers({{"by_flops", d.by_flops}, {"by_words", d.by_words}});
      },
      "ranks"_a, "layers"_a = 1, nb::sig("def lu_least_blocks(ranks: int, layers: int = 1) -> dict"),
      "Least number of blocks: sqrt(P) by flops, sqrt(cP) by words (Solomonik11, slide 34).");
}

void bind_scaling(nb::module_& m) {
  m.def(
      "flat_grid", [](std::int64_t ranks) { return three(model::flat_grid(ranks)); }, "ranks"_a,
      "The grid of a 2D algorithm: (rows, columns, 1), as square as can be.");
  m.def(
      "layered_grids",
      [](std::int64_t ranks) {
        std::vector<Three> grids;
        for (auto const g : model::layered_grids(ranks)) grids.push_back(three(g));
        return grids;
      },
      "ranks"_a, "flat_grid, then every q x q x c with c dividing q, fewest layers first.");
  m.def(
      "gemm_grid",
      [](Machine const& machine, Three const& shape, std::int64_t ranks, std::string const& how, double bn_binomial) {
        return three(model::gemm_grid(machine, shape_of(shape), ranks, how_of(how), BytesPerSecond(bn_binomial)));
      },
      "machine"_a, "shape"_a, "ranks"_a, "how"_a, "bn_binomial"_a = 0.0,
      "The grid of layered_grids with the least gemm_time that fits the machine's memory.");
  m.def(
      "lu_grid",
      [](Machine const& machine, std::int64_t n, std::int64_t ranks, std::string const& pivoting,
         std::string const& how, double bn_binomial) {
        return three(
            model::lu_grid(machine, n, ranks, pivoting_of(pivoting), how_of(how), BytesPerSecond(bn_binomial)));
      },
      "machine"_a, "n"_a, "ranks"_a, "pivoting"_a, "how"_a, "bn_binomial"_a = 0.0,
      "The grid of layered_grids with the least lu_time, blocks tuned, that fits the machine's memory.");
}

}  // namespace

void bind_model_matrices(nb::module_& m) {
  bind_multiply(m);
  bind_lu(m);
  bind_scaling(m);
}

}  // namespace allport::python
