// Room collectives in Python: the registry.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "allport/collectives/registry.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

Contract contract_of(std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes,
                     std::int64_t element) {
  ensure(root >= 0 && root < machine.ranks(), "root", root,
         "a rank in 0.." + std::to_string(machine.ranks() - 1) + " of " + machine.name());
  auto contract = Contract{parse_collective(what), machine.ranks(), static_cast<Rank>(root), bytes, element};
  contract.check();
  return contract;
}

Cut cut_of(std::int64_t segment, std::int64_t window) {
  ensure(segment >= 1, "segment", segment, "at least 1 byte");
  ensure(window >= 1 && window <= 1 << 20, "window", window, "1..1048576 segments in flight");
  return {segment, static_cast<std::int32_t>(window)};
}

nb::list algorithm_list() {
  auto list = nb::list();
  for (auto const* a : algorithms()) {
    auto entry = nb::dict();
    entry["collective"] = name(a->what);
    entry["name"] = a->name;
    entry["summary"] = a->summary;
    list.append(entry);
  }
  return list;
}

/// Every registered algorithm of the collective with its price in seconds, or why it cannot serve; best first.
nb::list price_list(std::string const& what, Machine const& machine, std::int64_t root, std::int64_t bytes,
                    std::int64_t element, std::int64_t segment, std::int64_t window) {
  auto const contract = contract_of(what, machine, root, bytes, element);
  auto const cut = cut_of(segment, window);
  auto list = nb::list();
  for (auto const* a : algorithms()) {
    if (a->what != contract.what) {
      continue;
    }
    auto entry = nb::dict();
    entry["name"] = a->name;
    auto const refused = a->why_not(machine, contract);
    entry["trees"] = refused ? nb::object(nb::none()) : nb::object(nb::int_(a->parts(machine)));
    entry["seconds"] = refused ? nb::object(nb::none()) : nb::object(nb::float_(a->price(machine, contract, cut).value()));
    entry["why_not"] = refused ? nb::object(nb::str(refused->c_str())) : nb::object(nb::none());
    list.append(entry);
  }
  return list;
}

}  // namespace

void bind_collectives(nb::module_& m) {
  m.def("algorithms", algorithm_list, nb::sig("def algorithms() -> list[dict[str, str]]"));
  m.def("prices", price_list, "collective"_a, "machine"_a, "root"_a, "bytes"_a, "element"_a, "segment"_a, "window"_a,
        nb::sig("def prices(collective: str, machine: Machine, root: int, bytes: int, element: int, segment: int, "
                "window: int) -> list[dict[str, object]]"));
  m.def(
      "make_schedule",
      [](std::string const& what, Machine const& machine, std::string const& algorithm, std::int64_t root,
         std::int64_t bytes, std::int64_t element, std::int64_t segment, std::int64_t window) {
        return make_schedule(machine, contract_of(what, machine, root, bytes, element), algorithm,
                             cut_of(segment, window));
      },
      "collective"_a, "machine"_a, "algorithm"_a, "root"_a, "bytes"_a, "element"_a, "segment"_a, "window"_a);
}

}  // namespace allport::python
