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

Node node_given(Machine const& machine, int node, char const* name) {
  ensure(node >= 0 && node < machine.nodes(), name, node, "a node in 0.." + std::to_string(machine.nodes() - 1));
  return node;
}

struct Named {
  char const* name;
  char const* summary;
};

/// Copies of names that are not stored as C strings. They exist until the program ends.
std::vector<Named> stored(std::vector<GemmAlgorithmName> const& names) {
  static auto& texts = *new std::deque<std::string>;
  std::vector<Named> all;
  for (auto const& one : names) {
    auto const& name = texts.emplace_back(one.name);
    all.push_back({name.c_str(), texts.emplace_back(one.summary).c_str()});
  }
  return all;
}

std::vector<Named> presets() {
  static auto const names = preset_names();
  std::vector<Named> all;
  for (auto const& name : names) all.push_back({name.c_str(), "a machine that is built in"});
  return all;
}

std::vector<Named> registered(char const* of) {
  auto const what = text_given(of, "of", "a collective such as \"bcast\", or \"gemm\", \"lu\" or \"machine\"");
  // One after the other: stored() is for one thread.
  static auto const both = std::pair(stored(gemm_algorithms()), stored(lu_algorithms()));
  if (what == "gemm") return both.first;
  if (what == "lu") return both.second;
  if (what == "machine") return presets();
  auto const collective = parse_collective(what);
  std::vector<Named> all;
  for (auto const* one : algorithms()) {
    if (one->what == collective) all.push_back({one->name.c_str(), one->summary.c_str()});
  }
  return all;
}

}  // namespace

extern "C" {

int allport_machine_create(char const* spec, allport_machine* created) {
  return made(created, [&] {
    auto const text = text_given(spec, "spec", "a spec such as \"torus:4x4\", a machine file or its text");
    bool const whole_file = text.find('\n') != std::string::npos;
    return new allport_machine_s{whole_file ? Machine::from_toml(text) : Machine::parse(text), std::nullopt};
  });
}

int allport_machine_placed(allport_machine machine, int const* places, allport_machine* created) {
  return made(created, [&] {
    auto const& on = whole(machine).machine;
    ensure(places != nullptr, "places", "NULL", "as many numbers as there are ranks");
    return new_machine(on, Mapping::from_list({places, places + on.ranks()}));
  });
}

int allport_machine_part(allport_machine machine, int ranks, int const* members, allport_machine* created) {
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

int allport_machine_free(allport_machine* machine) { return freed(machine, handle_of_machine); }

int allport_machine_query(allport_machine machine, allport_machine_info* info) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    allport_machine_info has{.nodes = on.nodes(),
                             .ranks_per_node = on.ranks_per_node(),
                             .ranks = on.ranks(),
                             .axes = on.axes(),
                             .lengths = {},
                             .wraps = {},
                             .links = on.links()};
    for (int a = 0; a < on.axes(); ++a) {
      has.lengths[a] = on.axis(a).length;
      has.wraps[a] = on.axis(a).wraps ? 1 : 0;
    }
    place(info, "info") = has;
  });
}

int allport_machine_link(allport_machine machine, int node, int port, int* neighbour, double* bandwidth,
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

int allport_machine_hops(allport_machine machine, int from_node, int to_node, int* hops) {
  return guarded([&] {
    auto const& on = the(machine, handle_of_machine).machine;
    auto const from = node_given(on, from_node, "from_node");
    place(hops, "hops") = on.hops(from, node_given(on, to_node, "to_node"));
  });
}

char const* allport_machine_text(allport_machine machine, char const* what) {
  return text_or_null([&] {
    auto& on = the(machine, handle_of_machine);
    auto const wanted = text_given(what, "what", "\"name\", \"json\" or \"toml\"");
    if (wanted == "name") return on.machine.name().c_str();
    if (wanted == "json") return on.json.get([&] { return on.machine.to_json(); });
    if (wanted == "toml") return on.toml.get([&] { return on.machine.to_toml(); });
    throw Error::argument("what", show(wanted), "\"name\", \"json\" or \"toml\"");
  });
}

char const* allport_algorithm_text(char const* of, int index, char const* what) {
  return text_or_null([&]() -> char const* {
    auto const all = registered(of);
    auto const wanted = text_given(what, "what", "\"name\" or \"summary\"");
    ensure(wanted == "name" || wanted == "summary", "what", wanted, "\"name\" or \"summary\"");
    ensure(index >= 0, "index", index, "0 or more");
    if (static_cast<std::size_t>(index) >= all.size()) return nullptr;
    auto const& one = all[static_cast<std::size_t>(index)];
    return wanted == "name" ? one.name : one.summary;
  });
}

}  // extern "C"
