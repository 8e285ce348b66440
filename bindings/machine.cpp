// Module machine in Python.
#include "allport/machine/machine.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <sstream>
#include <tuple>

#include "allport/machine/topology_id.h"
#include "bindings.h"
#include "machine/measured_links.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Coordinates = std::vector<std::int32_t>;

Node checked_node(Machine const& machine, std::int64_t node) {
  ensure(node >= 0 && node < machine.nodes(), "node", node, fmt::format("0..{}", machine.nodes() - 1));
  return static_cast<Node>(node);
}

Port checked_port(Machine const& machine, int out) {
  ensure(out >= 0 && out < 2 * machine.axes(), "port", out, fmt::format("0..{}", 2 * machine.axes() - 1),
         "2 * axis, + 1 for the positive direction");
  return static_cast<Port>(out);
}

LinkId checked_link(Machine const& machine, std::int64_t link) {
  ensure(link >= 0 && link < machine.link_ids(), "link", link, fmt::format("0..{}", machine.link_ids() - 1));
  return link;
}

Coord checked_coord(Machine const& machine, Coordinates const& at, char const* what) {
  ensure(static_cast<int>(at.size()) == machine.axes(), what, static_cast<int>(at.size()),
         fmt::format("{} coordinates, one per axis", machine.axes()));
  Coord c{};
  for (int a = 0; a < machine.axes(); ++a) {
    auto const x = at[static_cast<std::size_t>(a)];
    ensure(x >= 0 && x < machine.axis(a).length, what, x,
           fmt::format("0..{} on axis {}", machine.axis(a).length - 1, axis_letter(a)));
    c[static_cast<std::size_t>(a)] = x;
  }
  return c;
}

Coordinates coordinates(Machine const& machine, Node n) {
  auto const c = machine.coord(n);
  return {c.begin(), c.begin() + machine.axes()};
}

Machine from_file(Text const& named) {
  auto const& path = named.bytes;
  auto in = std::ifstream(path);
  ensure(in.good(), "machine file", path, "a readable TOML file", "allport machine file SPEC prints one",
         ErrorKind::io);
  auto text = std::ostringstream();
  text << in.rdbuf();
  return Machine::from_toml(text.str(), path);
}

std::vector<LinkId> dead_links(Machine const& machine) {
  auto dead = std::vector<LinkId>();
  for (auto const& e : machine.exceptions()) {
    if (e.dead) {
      dead.push_back(machine.link(e.node, e.out));
    }
  }
  return dead;
}

std::string extents(Machine const& machine) {
  auto text = std::string();
  for (int a = 0; a < machine.axes(); ++a) {
    text += fmt::format("{}{}{}", a > 0 ? "x" : "", machine.axis(a).length, machine.axis(a).wraps ? "" : "m");
  }
  return text;
}

using Fits = std::vector<std::tuple<std::string, double, double, double, double>>;

Machine with_links(Machine const& machine, std::vector<double> const& by_port, std::vector<double> const& by_level,
                   Fits const& fits, std::string const& date, std::string const& library) {
  auto const rates = [](std::vector<double> const& from) {
    auto all = std::vector<BytesPerSecond>();
    for (auto const value : from) {
      all.emplace_back(value);
    }
    return all;
  };
  auto said = Calibration{date, library, machine.ranks(), {}, {}};
  for (auto const& [what, value, error, low, high] : fits) {
    said.fits.push_back({what, value, error, low, high});
  }
  return with_measured_links(machine, {rates(by_port), rates(by_level), std::move(said)});
}

void bind_parts(nb::module_& m) {
  nb::class_<Axis>(m, "Axis", "One axis of a machine: so many nodes in a row, closed to a ring or open.")
      .def_ro("length", &Axis::length, "Nodes along it.")
      .def_ro("wraps", &Axis::wraps, "Whether the axis is a ring; a ring of two nodes has two links between them.")
      .def_prop_ro(
          "bandwidth", [](Axis const& a) { return a.bandwidth.value(); }, "Bytes/s of one link in one direction.")
      .def_prop_ro(
          "latency", [](Axis const& a) { return a.latency.value(); }, "Seconds for one hop.")
      .def("__repr__", [](Axis const& a) {
        return fmt::format("Axis(length={}, wraps={}, bandwidth={:g}, latency={:g})", a.length,
                           a.wraps ? "True" : "False", a.bandwidth.value(), a.latency.value());
      });
  nb::class_<Level>(m, "Level", "What each place of the level above divides into: hosts on a router, sockets, cores.")
      .def_ro("name", &Level::name, "host, socket, core.")
      .def_ro("count", &Level::count, "Parts of each place of the level above.")
      .def_prop_ro(
          "bandwidth", [](Level const& l) { return l.bandwidth.value(); },
          "Bytes/s that one part sends to its siblings; 0: they copy through the node's memory.")
      .def_prop_ro(
          "latency", [](Level const& l) { return l.latency.value(); }, "Seconds of a message between siblings.")
      .def_prop_ro(
          "memory_bandwidth", [](Level const& l) { return l.memory_bandwidth.value(); },
          "Bytes/s of memory that all of one part read and write together; 0: no limit.")
      .def_prop_ro(
          "cache", [](Level const& l) { return l.cache.value(); }, "Bytes of cache that one part shares; 0: none.")
      .def_prop_ro(
          "injection", [](Level const& l) { return l.injection.value(); },
          "Bytes/s over all that one part sends, to its siblings and beyond; 0: no cap.")
      .def("__repr__", [](Level const& l) {
        return fmt::format("Level(name='{}', count={}, bandwidth={:g}, latency={:g}, injection={:g})", l.name, l.count,
                           l.bandwidth.value(), l.latency.value(), l.injection.value());
      });
  nb::class_<TopologyIds>(m, "TopologyIds",
                          "Ranks' places as digits, what is slowest to cross first: a longer common prefix is nearer "
                          "(Song09).")
      .def(nb::init<Machine const&, int>(), "machine"_a, "bits"_a = 2,
           "The IDs of a machine's ranks, in digits of so many bits (1 to 8). Raises AllportError.")
      .def_static("given", &TopologyIds::given, "digits"_a, "bits"_a, "ranks"_a,
                  "The ID of rank r is r, in so many digits; fewer ranks than IDs leave the last unused.")
      .def_static("listed", &TopologyIds::listed, "ids"_a, "digits"_a, "bits"_a, "ids[r] is the ID of rank r.")
      .def_static(
          "parse", [](Text const& spec) { return TopologyIds::parse(spec.bytes); }, "spec"_a,
          "'3x1bit', '4x3bit:2048', or a file with a line of digits for each rank, as 2.0.13.1.")
      .def_static("default_bits", &TopologyIds::default_bits, "ranks"_a,
                  "Bits of a digit as in Song09's examples: the square root of log2(ranks), rounded down.")
      .def_prop_ro("bits", &TopologyIds::bits, "Bits of a digit.")
      .def_prop_ro("base", &TopologyIds::base, "2 ** bits.")
      .def_prop_ro("digits", &TopologyIds::digits, "Digits of an ID.")
      .def_prop_ro("ranks", &TopologyIds::ranks, "Ranks that have an ID.")
      .def("of", &TopologyIds::of, "rank"_a,
           "The ID of a rank, its digits packed into an integer. Raises AllportError.")
      .def("rank", &TopologyIds::rank, "id"_a, "The rank with this ID, or None where it names no place.")
      .def("position", &TopologyIds::position, "rank"_a, "How many ranks have smaller IDs.")
      .def("rank_at", &TopologyIds::rank_at, "position"_a, "The rank that so many others come before.")
      .def("common_prefix", &TopologyIds::common_prefix, "a"_a, "b"_a, "Equal leading digits of two IDs.")
      .def("text", &TopologyIds::text, "id"_a, "'2.0.13.1'.");
  nb::class_<NodeRates>(m, "NodeRates", "What a node can do beside its links; rates are per node.")
      .def_prop_ro(
          "overhead", [](NodeRates const& r) { return r.overhead.value(); }, "Seconds of processor per message end.")
      .def_ro("tau", &NodeRates::tau, "0: simultaneous sends cost as one; 1: they are serial.")
      .def_ro("tau_short", &NodeRates::tau_short, "tau of the starts of messages; negative: not measured.")
      .def_ro("ports", &NodeRates::ports, "Links that a node may drive at once; 0: all.")
      .def_prop_ro(
          "injection", [](NodeRates const& r) { return r.injection.value(); },
          "Bytes/s over all outgoing links together; 0: no cap.")
      .def_prop_ro(
          "flops", [](NodeRates const& r) { return r.flops.value(); }, "Peak flop/s, double precision.")
      .def_prop_ro(
          "adds", [](NodeRates const& r) { return r.adds.value(); },
          "Reduction operator applications on doubles per s.")
      .def_prop_ro(
          "memory_bandwidth", [](NodeRates const& r) { return r.memory_bandwidth.value(); }, "Bytes/s.")
      .def_prop_ro(
          "memory", [](NodeRates const& r) { return r.memory.value(); }, "Bytes; 0: unknown, no limit.");
}

void bind_links(nb::class_<Machine>& c) {
  c.def(
       "coord",
       [](Machine const& s, std::int64_t n) { return nb::tuple(nb::cast(coordinates(s, checked_node(s, n)))); },
       "node"_a, "Coordinates of a node, one per axis.")
      .def(
          "node", [](Machine const& s, Coordinates const& at) { return s.node(checked_coord(s, at, "coordinates")); },
          "coordinates"_a, "The node at the coordinates.")
      .def(
          "neighbour",
          [](Machine const& s, std::int64_t n, int p) { return s.neighbour(checked_node(s, n), checked_port(s, p)); },
          "node"_a, "port"_a,
          "The node behind a port (2 * axis, + 1 for the positive direction), or None at an open end.")
      .def(
          "link",
          [](Machine const& s, std::int64_t n, int p) { return s.link(checked_node(s, n), checked_port(s, p)); },
          "node"_a, "port"_a, "Number of the directed link that leaves `node` by `port`.")
      .def(
          "link_name", [](Machine const& s, std::int64_t l) { return s.link_name(checked_link(s, l)); }, "link"_a,
          "A link in words: '(0,1)+x -> (1,1)'.")
      .def_prop_ro("dead_links", dead_links, "Numbers of the directed links that do not work.")
      .def(
          "hops",
          [](Machine const& s, std::int64_t a, std::int64_t b) {
            return s.hops(checked_node(s, a), checked_node(s, b));
          },
          "source"_a, "target"_a, "Hops of the shortest way between two nodes.")
      .def(
          "route",
          [](Machine const& s, std::int64_t a, std::int64_t b) {
            auto links = std::vector<LinkId>();
            s.route(checked_node(s, a), checked_node(s, b), [&](LinkId l) { links.push_back(l); });
            return links;
          },
          "source"_a, "target"_a, "Directed links of the dimension-ordered route, x first.")
      .def(
          "box",
          [](Machine const& s, Coordinates const& lo, Coordinates const& hi) {
            return s.box(checked_coord(s, lo, "lo"), checked_coord(s, hi, "hi"));
          },
          "lo"_a, "hi"_a,
          "The box of nodes from corner lo to corner hi (inclusive) as a machine; hi < lo crosses the wrap-around.");
}

}  // namespace

void bind_machine(nb::module_& m) {
  bind_parts(m);
  auto c = nb::class_<Machine>(
      m, "Machine",
      "A torus, a mesh or a mix, with the rates of its links and nodes. Immutable.\n\n"
      "Nodes and ranks are numbered x-fastest; rank = node * ranks_per_node + rank within the node.");
  c.def_static(
       "parse", [](Text const& spec) { return Machine::parse(spec.bytes); }, "spec"_a,
       "Reads a spec: 'torus:4x4x4', 'mesh:8x8', 'torus:8x8x3m' (m: open axis), 'bgp:8x8x8', each with\n"
       "'/ppn=2' for ranks per node; or the path of a machine file (*.toml). Raises AllportError.")
      .def_static("from_file", from_file, "path"_a, "Reads a machine file (TOML). Raises AllportError.")
      .def_static(
          "from_toml", [](Text const& text) { return Machine::from_toml(text.bytes); }, "text"_a,
          "Reads the text of a machine file. Raises AllportError.")
      .def_static("flat", &Machine::flat, "ranks"_a, "A line of ranks of which nothing is known.")
      .def("with_measured_links", with_links, "by_port"_a, "by_level"_a, "fits"_a, "date"_a, "library"_a,
           "The machine with bytes/s by port (2 * axis, + 1 for the positive direction) and by level as measured, 0 "
           "where\n"
           "they were not, and with fits (what, value, error, low, high) beside its own.")
      .def("to_toml", &Machine::to_toml, "The machine file's text; from_toml() reads it back to an equal machine.")
      .def(
          "to_dict", [](Machine const& s) { return from_json(s.to_json()); },
          "What `allport machine show --json` prints.")
      .def_prop_ro("name", &Machine::name, "The spec, or the name that its file gives.")
      .def_prop_ro("extents", extents, "Axis lengths in spec form: '8x8x3m'.")
      .def_prop_ro(
          "axes",
          [](Machine const& s) {
            auto axes = std::vector<Axis>();
            for (int a = 0; a < s.axes(); ++a) {
              axes.push_back(s.axis(a));
            }
            return nb::tuple(nb::cast(axes));
          },
          nb::sig("def axes(self) -> tuple[Axis, ...]"), "The axes, x first.")
      .def_prop_ro(
          "rates", [](Machine const& s) { return s.rates(); }, "What a node can do beside its links.")
      .def_prop_ro("ranks_per_node", &Machine::ranks_per_node, "Processes on a node.")
      .def_prop_ro(
          "levels", [](Machine const& s) { return nb::tuple(nb::cast(s.levels().all())); },
          nb::sig("def levels(self) -> tuple[Level, ...]"), "What a node divides into, outermost first.")
      .def_prop_ro("nodes", &Machine::nodes, "Number of nodes.")
      .def_prop_ro("ranks", &Machine::ranks, "Number of ranks: nodes * ranks_per_node.")
      .def_prop_ro("links", &Machine::links, "Number of physical directed links, dead ones included.")
      .def(
          "__eq__", [](Machine const& s, Machine const& o) { return s == o; }, nb::is_operator(),
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](Machine const& s) { return std::hash<std::string>()(s.name() + extents(s)); })
      .def("__repr__", [](Machine const& s) {
        return fmt::format("Machine('{}': {}, {} nodes, {} ranks, {} links)", s.name(), extents(s), s.nodes(),
                           s.ranks(), s.links());
      });
  bind_links(c);
  m.def("preset_names", &preset_names, "Names of the built-in machines, each readable as a spec.");
  m.def(
      "axis_letter", [](int a) { return std::string(1, axis_letter(a)); }, "axis"_a, "x y z u v w s t.");
}

}  // namespace allport::python
