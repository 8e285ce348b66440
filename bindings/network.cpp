// Networks as graphs in Python, what their cuts allow, and trees that are packed on them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>
#include <vector>

#include "allport/collectives/network_routes.h"
#include "allport/collectives/network_trees.h"
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

nb::dict dict_of(TreePackingReport const& report) {
  nb::dict d;
  d["bound"] = dict_of(report.bound);
  d["reached"] = nb::make_tuple(report.reached.numerator, report.reached.denominator);
  d["ratio"] = report.ratio;
  d["height"] = report.height;
  d["diameter"] = report.diameter;
  d["symmetries"] = report.symmetries;
  d["seconds"] = report.seconds.value();
  d["bytes"] = report.bytes.value();
  return d;
}

/// (parent, links of the route from there) of each compute node; the root's parent is -1.
std::vector<std::pair<Vertex, std::vector<std::int32_t>>> routes_of(TreePacking const& packing, Vertex root, int tree) {
  RoutedTree made;
  packing.tree(root, tree, made);
  std::vector<std::pair<Vertex, std::vector<std::int32_t>>> routes;
  for (Vertex v = 0; v < packing.topology().compute_nodes(); ++v) {
    auto const route = made.route(v);
    auto const parent =
        route.empty() ? Vertex{-1} : packing.topology().links()[static_cast<std::size_t>(route.front())].from;
    routes.emplace_back(parent, std::vector<std::int32_t>(route.begin(), route.end()));
  }
  return routes;
}

/// (what is wrong, numerator and denominator of what is reached, height, trees or routes that were looked at).
std::tuple<std::string, std::int64_t, std::int64_t, int, std::int64_t> tuple_of(TreePackingProof const& proof) {
  return {proof.problem, proof.reached.numerator, proof.reached.denominator, proof.height, proof.trees};
}

void bind_route_packing(nb::module_& m) {
  nb::class_<RoutePacking>(m, "RoutePacking", "Routes of all shares to a root, or from it. Immutable.")
      .def_ro("parts", &RoutePacking::parts, "Equal parts of a share.")
      .def_prop_ro(
          "report", [](RoutePacking const& p) { return dict_of(p.report); }, "What is reached, and what it took.")
      .def(
          "routes",
          [](RoutePacking const& p, Vertex node) {
            ensure(node >= 0 && node < p.topology.compute_nodes(), "node", node, "a compute node");
            std::vector<std::pair<std::int64_t, std::vector<std::int32_t>>> routes;
            for (auto const& route : p.routes)
              if (route.node == node) routes.emplace_back(route.parts, route.links);
            return routes;
          },
          "node"_a, "(parts, links) of each route of a node's share.")
      .def(
          "check", [](RoutePacking const& p) { return tuple_of(check_routes(p)); },
          "Looks at every route: (what is wrong, numerator and denominator of what is reached, longest route, "
          "routes).");
  m.def(
      "network_routes",
      [](Topology const& t, std::string const& collective, Vertex root) {
        return pack_routes(t, parse_collective(collective), root);
      },
      "topology"_a, "collective"_a, "root"_a, nb::call_guard<nb::gil_scoped_release>());
}

void bind_tree_packing(nb::module_& m) {
  nb::class_<TreePacking>(m, "TreePacking", "Spanning trees of a network's compute nodes. Immutable.")
      .def_prop_ro("trees", &TreePacking::trees, "Trees of one root.")
      .def_prop_ro(
          "roots", [](TreePacking const& p) { return p.roots(); }, "Compute nodes that have trees, ascending.")
      .def_prop_ro(
          "report", [](TreePacking const& p) { return dict_of(p.report()); }, "What is reached, and what it took.")
      .def("tree", &routes_of, "root"_a, "tree"_a,
           "(parent, links of the route from there) of each compute node; the root's parent is -1.")
      .def(
          "schedule",
          [](TreePacking const& p, std::int64_t bytes, std::int64_t element, std::int64_t segment, int window) {
            Contract const contract{p.collective(), p.topology().compute_nodes(), p.roots().front(), bytes, element};
            return schedule_over(p, contract, {segment, window});
          },
          "bytes"_a, "element"_a, "segment"_a, "window"_a, "Messages from node to node along the trees.")
      .def(
          "check", [](TreePacking const& p) { return tuple_of(check_trees(p)); },
          "Looks at every tree: (what is wrong, numerator and denominator of what is reached, height, trees looked "
          "at).");
  m.def(
      "network_pack",
      [](Topology const& t, std::string const& collective, Vertex root, int height) {
        return pack_trees(t, parse_collective(collective), root, height);
      },
      "topology"_a, "collective"_a, "root"_a, "height"_a, nb::call_guard<nb::gil_scoped_release>());
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
          "and then the switches.")
      .def_static("of", &Topology::of, "machine"_a, "The grid of a machine without its dead links.")
      .def_static(
          "parse", [](std::string const& spec) { return Topology::parse(spec); }, "spec"_a,
          "fattree:16x4/4, fattree:k=16, dragonfly:a=8,p=4,h=4, rails:32x8, full:4, ring:4, hypercube:16, "
          "random:64,6,1, allocation:0-9,12@torus:4x4, FILE.toml (a list of links), or a machine's spec.")
      .def_static(
          "from_toml",
          [](std::string const& text, std::string const& origin) { return Topology::from_toml(text, origin); },
          "text"_a, "origin"_a = "network",
          "From the text of a list of links or of a machine file. origin: what errors name.")
      .def("to_toml", &Topology::to_toml, "The list of links as TOML, which from_toml reads back.")
      .def(
          "allocation",
          [](Topology const& t, std::vector<Vertex> const& nodes, std::string const& name) {
            return t.allocation(nodes, name);
          },
          "nodes"_a, "name"_a = "",
          "The network of a job that has these compute nodes, which become 0, 1, ...; the others only relay.")
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
  bind_tree_packing(m);
  bind_route_packing(m);
}

}  // namespace allport::python
