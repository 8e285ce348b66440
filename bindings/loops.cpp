// Module loops in Python: grids in blocks, and what the memory of loops says.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "allport/loops/loop_advice.h"
#include "bindings.h"
#include "loops/blocks_graph.h"

namespace allport::python {
namespace {

using namespace nb::literals;

nb::list advice(std::string const& path) {
  nb::list all;
  for (auto const& one : loops::loop_advice(load_memory(path))) {
    nb::dict d;
    d["site"] = one.site;
    d["found"] = one.found;
    d["change"] = one.change;
    d["compared"] = one.compared;
    all.append(d);
  }
  return all;
}

}  // namespace

void bind_loops(nb::module_& m) {
  m.def("loop_advice", advice, "path"_a, nb::sig("def loop_advice(path: str) -> list[dict]"));
  using Lengths = std::vector<std::int64_t>;
  m.def(
      "block_owners",
      [](Lengths const& grid, Lengths const& block, std::vector<bool> const& periodic, Rank ranks) {
        return loops::BlockGrid({grid, block, periodic}).boxes(ranks);
      },
      "grid"_a, "block"_a, "periodic"_a, "ranks"_a);
  m.def(
      "blocks_graph",
      [](Lengths const& grid, Lengths const& block, std::vector<bool> const& periodic, std::vector<int> const& owners,
         Rank ranks, int iterations, double flops, double noise, std::uint64_t seed,
         bool sends) -> std::unique_ptr<TaskGraph> {
        return std::make_unique<loops::BlocksGraph>(loops::BlockGrid({grid, block, periodic}), owners, ranks,
                                                    loops::BlocksWork{iterations, flops, noise, seed, sends});
      },
      "grid"_a, "block"_a, "periodic"_a, "owners"_a, "ranks"_a, "iterations"_a, "flops"_a, "noise"_a, "seed"_a,
      "sends"_a,
      nb::sig("def blocks_graph(grid: Sequence[int], block: Sequence[int], periodic: Sequence[bool], "
              "owners: Sequence[int], ranks: int, iterations: int, flops: float, noise: float, seed: int, "
              "sends: bool) -> TaskGraph"));
}

}  // namespace allport::python
