// Module multicast in Python, and the choice among its algorithms.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "allport/multicast/check.h"
#include "allport/multicast/schedule.h"
#include "allport/select/multicast.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

/// None: all ranks.
using Destinations = std::optional<std::vector<Rank>>;

DestinationSet set_of(TopologyIds const& ids, Destinations const& destinations) {
  return destinations ? DestinationSet::of(ids, *destinations) : DestinationSet::all(ids);
}

Multicast multicast(TopologyIds const& ids, Rank source, Destinations const& to, std::string const& tree, int split) {
  ensure(source >= 0 && source < ids.ranks(), "source", source, "a rank in 0.." + std::to_string(ids.ranks() - 1));
  auto made = multicast_by(parse_multicast_tree(tree), ids, source, set_of(ids, to));
  made.split = {split};
  return made;
}

Contract contract(Rank ranks, Rank source, std::int64_t bytes, Destinations const& to) {
  if (to) return multicast_contract(ranks, source, bytes, *to);
  Contract all{Collective::broadcast, ranks, source, bytes, 1};
  all.check();
  return all;
}

nb::list hops_of(TopologyIds const& ids, std::vector<Hop> const& hops) {
  nb::list list;
  for (auto const& hop : hops) list.append(nb::make_tuple(hop.next, hop.set.ranks(ids)));
  return list;
}

void bind_rule(nb::module_& m) {
  m.def(
      "multicast_table",
      [](TopologyIds const& ids, Rank rank) {
        RoutingTable const table(ids, rank);
        nb::list rows;
        for (int i = 0; i < table.rows(); ++i) {
          nb::list row;
          for (auto const& e : table.row(i)) row.append(nb::make_tuple(e.digit, e.next, e.covers.size()));
          rows.append(row);
        }
        return rows;
      },
      "ids"_a, "rank"_a,
      nb::sig("def multicast_table(ids: TopologyIds, rank: int) -> list[list[tuple[int, int, int]]]"),
      "(digit, next, ranks behind it) of each row.");
  m.def(
      "multicast_forward",
      [](TopologyIds const& ids, Rank rank, Destinations const& to, int split) {
        auto const does = forward(RoutingTable(ids, rank), set_of(ids, to), {split});
        return nb::make_tuple(does.deliver, hops_of(ids, does.hops));
      },
      "ids"_a, "rank"_a, "destinations"_a.none(), "split"_a,
      nb::sig("def multicast_forward(ids: TopologyIds, rank: int, destinations: list[int] | None, split: int) -> "
              "tuple[bool, list[tuple[int, list[int]]]]"));
  m.def(
      "multicast_share",
      [](TopologyIds const& ids, Rank source, Destinations const& to, std::string const& tree, int split, Rank rank) {
        auto const mine = share(ids, multicast(ids, source, to, tree, split), rank);
        auto const from = mine.from < 0 ? std::optional<Rank>() : mine.from;
        return nb::make_tuple(from, mine.deliver, hops_of(ids, mine.hops));
      },
      "ids"_a, "source"_a, "destinations"_a.none(), "tree"_a, "split"_a, "rank"_a,
      nb::sig("def multicast_share(ids: TopologyIds, source: int, destinations: list[int] | None, tree: str, "
              "split: int, rank: int) -> tuple[int | None, bool, list[tuple[int, list[int]]]]"));
  m.def(
      "multicast_messages",
      [](TopologyIds const& ids, Rank source, Destinations const& to, std::string const& tree, int split) {
        return messages(ids, multicast(ids, source, to, tree, split));
      },
      "ids"_a, "source"_a, "destinations"_a.none(), "tree"_a, "split"_a);
  m.def(
      "multicast_check",
      [](TopologyIds const& ids, Rank source, Destinations const& to, std::string const& tree, int split,
         Machine const* machine) {
        auto const r = check(ids, multicast(ids, source, to, tree, split), machine);
        nb::dict d;
        d["ok"] = r.ok();
        d["faults"] = r.faults;
        d["destinations"] = r.destinations;
        d["messages"] = r.messages;
        d["steps"] = r.steps;
        d["relays"] = r.relays;
        d["fan_out"] = r.fan_out;
        if (machine != nullptr) {
          d["links"] = r.links;
          d["links_bound"] = r.bound;
          d["busiest_link"] = r.busiest;
        }
        return d;
      },
      "ids"_a, "source"_a, "destinations"_a.none(), "tree"_a, "split"_a, "machine"_a.none(),
      nb::sig("def multicast_check(ids: TopologyIds, source: int, destinations: list[int] | None, tree: str, split: "
              "int, machine: Machine | None) -> dict[str, object]"));
}

}  // namespace

void bind_multicast(nb::module_& m) {
  bind_rule(m);
  m.def(
      "multicast_schedule",
      [](TopologyIds const& ids, Rank source, Destinations const& to, std::string const& tree, int split,
         std::int64_t bytes, std::int64_t segment, std::int64_t window) {
        return multicast_schedule(ids, parse_multicast_tree(tree), {split}, contract(ids.ranks(), source, bytes, to),
                                  {segment, checked_window(window)});
      },
      "ids"_a, "source"_a, "destinations"_a.none(), "tree"_a, "split"_a, "bytes"_a, "segment"_a, "window"_a);
  m.def(
      "choose_multicast",
      [](Machine const& machine, Rank source, Destinations const& to, std::int64_t bytes, SelectOptions options,
         bool unannounced) {
        if (unannounced) options.among = unannounced_multicasts();
        return choose_multicast(machine, contract(machine.ranks(), source, bytes, to), options);
      },
      "machine"_a, "source"_a, "destinations"_a.none(), "bytes"_a, "options"_a, "unannounced"_a);
}

}  // namespace allport::python
