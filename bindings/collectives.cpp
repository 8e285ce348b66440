// Module collectives in Python: the registry.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include "allport/collectives/packing.h"
#include "allport/collectives/registry.h"
#include "bindings.h"
#include "collectives/mst.h"

namespace allport::python {

Contract contract_of(std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes,
                     std::int64_t element) {
  ensure(root >= 0 && root < machine.ranks(), "root", root,
         "a rank in 0.." + std::to_string(machine.ranks() - 1) + " of " + machine.name());
  auto contract = Contract{parse_collective(what), machine.ranks(), static_cast<Rank>(root), bytes, element};
  contract.check();
  return contract;
}

std::int32_t checked_window(std::int64_t window) {
  ensure(window >= 1 && window <= 1 << 20, "window", window, "1..1048576 segments in flight");
  return static_cast<std::int32_t>(window);
}

void bind_collectives(nb::module_& m) {
  m.def(
      "algorithms",
      [] {
        auto list = nb::list();
        for (auto const* a : algorithms()) {
          auto entry = nb::dict();
          entry["collective"] = name(a->what);
          entry["name"] = a->name;
          entry["summary"] = a->summary;
          list.append(entry);
        }
        return list;
      },
      nb::sig("def algorithms() -> list[dict[str, str]]"));
  m.def(
      "mst_rounds",
      [](Machine const& machine, std::int64_t root, bool both_sides) {
        ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine");
        return mst_rounds(machine, static_cast<Rank>(root), both_sides ? MstForm::both_sides : MstForm::one_side);
      },
      nb::arg("machine"), nb::arg("root"), nb::arg("both_sides"),
      "Steps of the generalised minimum spanning tree until the last rank has the data: parts N + 1, or 2N + 1.");
  m.def(
      "packing",
      [](Machine const& machine, std::int64_t root, bool to_root) {
        ensure(root >= 0 && root < machine.ranks(), "root", root,
               "a rank in 0.." + std::to_string(machine.ranks() - 1) + " of " + machine.name());
        auto const node = machine.node_of(static_cast<Rank>(root));
        auto const packed = packing(machine, node, to_root ? TreeDirection::to_root : TreeDirection::from_root);
        auto const& report = packed->report;
        auto entry = nb::dict();
        entry["trees"] = report.trees;
        entry["possible"] = report.possible;
        entry["exact"] = report.exact;
        entry["intact"] = report.intact;
        entry["lost"] = report.lost();
        entry["depth"] = packed->extent.depth;
        entry["how"] = report.how;
        entry["text"] = to_text(report);
        return entry;
      },
      nb::arg("machine"), nb::arg("root"), nb::arg("to_root"),
      nb::sig("def packing(machine: Machine, root: int, to_root: bool) -> dict[str, object]"));
}

}  // namespace allport::python
