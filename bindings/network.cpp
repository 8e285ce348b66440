// Networks as graphs in Python, and what their cuts allow.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "allport/machine/machine.h"
#include "allport/machine/topology.h"
#include "allport/model/network_bound.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Links = std::vector<std::tuple<Vertex, Vertex, double, double>>;

Links links_of(Topology const& topology) {
  Links links;
  for (auto const& l : topology.links()) links.emplace_back(l.from, l.to, l.bandwidth.value(), l.latency.value());
  return links;
}

nb::dict dict_of(model::NetworkBound const& bound) {
  nb::dict d;
  d["optimum"] = nb::make_tuple(bound.optimum.numerator, bound.optimum.denominator);
  d["inside"] = bound.inside;
  d["members"] = bound.members;
  d["out"] = bound.out;
  d["unit"] = bound.unit.value();
  d["exact_capacities"] = bound.exact_capacities;
  d["reachable"] = bound.reachable;
  return d;
}

}  // namespace

void bind_network(nb::module_& m) {
  nb::class_<Topology>(m, "Topology", "A network of compute nodes and switches as a graph. Immutable.")
      .def(
          "__init__",
          [](Topology* self, std::string const& name, Vertex compute, Vertex switches, Links const& links,
             std::vector<std::string> const& names) {
            std::vector<TopologyLink> all;
            all.reserve(links.size());
            for (auto const& [from, to, bandwidth, latency] : links)
              all.push_back({from, to, BytesPerSecond(bandwidth), Seconds(latency)});
            new (self) Topology(name, compute, switches, std::move(all), names);
          },
          "name"_a, "compute_nodes"_a, "switches"_a, "links"_a, "names"_a = std::vector<std::string>{},
          "links: (from, to, bytes/s, seconds of latency) a directed link; vertices are the compute nodes 0, 1, ... "
          "and "
          "then the switches.")
      .def_static("of", &Topology::of, "machine"_a, "The grid of a machine without its dead links.")
      .def_static(
          "parse", [](std::string const& spec) { return Topology::parse(spec); }, "spec"_a,
          "fattree:16x4/4, fattree:k=16, dragonfly:a=8,p=4,h=4, rails:32x8, full:4, ring:4, hypercube:16, "
          "random:64,6,1, or a machine's spec.")
      .def("reversed", &Topology::reversed, "The same vertices, each link turned round.")
      .def_prop_ro(
          "name", [](Topology const& t) { return t.name(); }, "What messages call it.")
      .def_prop_ro("compute_nodes", &Topology::compute_nodes, "The vertices 0 to compute_nodes - 1.")
      .def_prop_ro("vertices", &Topology::vertices, "Compute nodes and switches.")
      .def_prop_ro("links", links_of, "(from, to, bytes/s, seconds of latency) of each directed link.")
      .def(
          "vertex_name", [](Topology const& t, Vertex v) { return t.name(v); }, "vertex"_a,
          "What messages call a vertex: 'node 3', 'switch 0', or as it was named.");
  m.def(
      "network_bound_allgather", [](Topology const& t) { return dict_of(model::allgather_bound(t)); }, "topology"_a);
  m.def(
      "network_bound_broadcast",
      [](Topology const& t, Vertex root) { return dict_of(model::broadcast_bound(t, root)); }, "topology"_a, "root"_a);
  m.def(
      "network_bound_gather", [](Topology const& t, Vertex root) { return dict_of(model::gather_bound(t, root)); },
      "topology"_a, "root"_a);
}

}  // namespace allport::python
