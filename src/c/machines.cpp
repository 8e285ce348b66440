// The C interface: machines, and the names of algorithms.
#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "allport/collectives/registry.h"
#include "plan_handles.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

constexpr auto handle_of_machine = "machine";

allport_machine_s* new_machine(Machine machine, Mapping const& mapping) {
  ensure(mapping.ranks() == machine.ranks(), "places", mapping.ranks(), "one for each rank of the machine");
  return new allport_machine_s{std::move(machine), mapping.is_identity() ? std::nullopt : std::optional(mapping)};
}

Node node_given(Machine const& machine, int node, char const* name) {
  ensure(node >= 0 && node < machine.nodes(), name, node, "a node in 0.." + std::to_string(machine.nodes() - 1));
  return node;
}

struct Named {
  char const* name;
  char const* summary;
};

/// C strings of texts that are no C strings by themselves. They live as long as the program.
std::vector<Named> kept(std::vector<GemmAlgorithmName> const& names) {
  static auto& texts = *new std::deque<std::string>;
  std::vector<Named> all;
  for (auto const& one : names) {
    auto const& name = texts.emplace_back(one.name);
    all.push_back({name.c_str(), texts.emplace_back(one.summary).c_str()});
  }
  return all;
}

std::vector<Named> algorithms_of(char const* of) {
  auto const what = text_given(of, "of", "a collective such as \"bcast\", or \"gemm\" or \"lu\"");
  // Made one after the other: kept() is for one thread.
  static auto const both = std::pair(kept(gemm_algorithms()), kept(lu_algorithms()));
  if (what == "gemm") return both.first;
  if (what == "lu") return both.second;
  auto const collective = parse_collective(what);
  std::vector<Named> all;
  for (auto const* one : algorithms()) {
    if (one->what == collective) all.push_back({one->name.c_str(), one->summary.c_str()});
  }
  return all;
}

}  // namespace

extern "C" {

int allport_machine_create(char const* spec, allport_machine_handle* created) {
  return made(created, [&] {
    return new allport_machine_s{
        Machine::parse(text_given(spec, "spec", "a spec such as \"torus:4x4\", or a machine file")), std::nullopt};
  });
}

int allport_machine_from_toml(char const* text, allport_machine_handle* created) {
  return made(created, [&] {
    return new allport_machine_s{Machine::from_toml(text_given(text, "text", "a machine file's text")), std::nullopt};
  });
}

int allport_comm_machine(allport_comm comm, allport_machine_handle* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    return new_machine(on.machine(), on.mapping());
  });
}

int allport_machine_placed(allport_machine_handle machine, int const* places, allport_machine_handle* created) {
  return made(created, [&] {
    auto const& on = whole(machine).machine;
    ensure(places != nullptr, "places", "NULL", "as many numbers as there are ranks");
    return new_machine(on, Mapping::from_list({places, places + on.ranks()}));
  });
}

int allport_machine_part(allport_machine_handle machine, int ranks, int const* members,
                         allport_machine_handle* created) {
  return made(created, [&] {
    auto const& on = whole(machine);
    ensure(members != nullptr, "members", "NULL", "ranks of the machine");
    ensure(ranks >= 1 && ranks <= on.machine.ranks(), "ranks", ranks,
           "1 to " + std::to_string(on.machine.ranks()) + ", the ranks of " + on.machine.name());
    std::vector<Rank> places(members, members + ranks);
    for (auto& r : places) {
      ensure(r >= 0 && r < on.machine.ranks(), "members", r, "ranks of the machine");
      if (on.mapping) r = on.mapping->place(r);
    }
    auto part = std::make_shared<MachinePart const>(on.machine, std::move(places));
    return new allport_machine_s{on.machine, on.mapping, std::move(part)};
  });
}

int allport_machine_free(allport_machine_handle* machine) { return freed(machine, handle_of_machine); }

char const* allport_machine_name(allport_machine_handle machine) {
  return text_or_null([&] { return the(machine, handle_of_machine).machine.name().c_str(); });
}

int allport_machine_size(allport_machine_handle machine, int* nodes, int* ranks_per_node, int* ranks, int64_t* links) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    place(nodes, "nodes") = on.nodes();
    place(ranks_per_node, "ranks_per_node") = on.ranks_per_node();
    place(ranks, "ranks") = on.ranks();
    place(links, "links") = on.links();
  });
}

int allport_machine_extents(allport_machine_handle machine, int* axes, int* lengths, int* wraps) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    ensure(lengths != nullptr && wraps != nullptr, "lengths, wraps", "NULL", "places for 8 numbers each");
    place(axes, "axes") = on.axes();
    for (int a = 0; a < on.axes(); ++a) {
      lengths[a] = on.axis(a).length;
      wraps[a] = on.axis(a).wraps ? 1 : 0;
    }
  });
}

int allport_machine_link(allport_machine_handle machine, int node, int port, int* neighbour, double* bandwidth,
                         double* latency, int* works) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    auto const from = node_given(on, node, "node");
    ensure(port >= 0 && port < 2 * on.axes(), "port", port, "one in 0.." + std::to_string(2 * on.axes() - 1));
    auto const behind = on.neighbour(from, static_cast<Port>(port));
    auto const link = on.link(from, static_cast<Port>(port));
    place(neighbour, "neighbour") = behind.value_or(-1);
    place(bandwidth, "bandwidth") = behind ? on.bandwidth(link).value() : 0.0;
    place(latency, "latency") = behind ? on.latency(link).value() : 0.0;
    place(works, "works") = behind && !on.dead(link) ? 1 : 0;
  });
}

int allport_machine_hops(allport_machine_handle machine, int from_node, int to_node, int* hops) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    auto const from = node_given(on, from_node, "from_node");
    place(hops, "hops") = on.hops(from, node_given(on, to_node, "to_node"));
  });
}

char const* allport_machine_json(allport_machine_handle machine) {
  return text_or_null([&] {
    auto& on = the(machine, handle_of_machine);
    return on.json.get([&] { return on.machine.to_json(); });
  });
}

char const* allport_machine_toml(allport_machine_handle machine) {
  return text_or_null([&] {
    auto& on = the(machine, handle_of_machine);
    return on.toml.get([&] { return on.machine.to_toml(); });
  });
}

char const* allport_machine_preset(int index) {
  return text_or_null([&]() -> char const* {
    static auto const names = preset_names();
    ensure(index >= 0, "index", index, "0 or more");
    return static_cast<std::size_t>(index) < names.size() ? names[static_cast<std::size_t>(index)].c_str() : nullptr;
  });
}

char const* allport_algorithm_name(char const* of, int index) {
  return text_or_null([&]() -> char const* {
    auto const all = algorithms_of(of);
    ensure(index >= 0, "index", index, "0 or more");
    return static_cast<std::size_t>(index) < all.size() ? all[static_cast<std::size_t>(index)].name : nullptr;
  });
}

char const* allport_algorithm_summary(char const* of, char const* name) {
  return text_or_null([&] {
    auto const wanted = text_given(name, "name", "that of an algorithm");
    std::string known;
    for (auto const& one : algorithms_of(of)) {
      if (wanted == one.name) return one.summary;
      known += (known.empty() ? "" : ", ") + std::string(one.name);
    }
    throw Error::argument("name", show(wanted), "one of " + known);
  });
}

}  // extern "C"
