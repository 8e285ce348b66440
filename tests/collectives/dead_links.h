// Machines with dead links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "allport/machine/machine.h"

namespace allport::test {

inline Machine with_dead(std::string const& spec, std::vector<LinkId> const& links) {
  auto const machine = Machine::parse(spec);
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
  std::vector<LinkException> dead;
  for (auto const l : links)
    dead.push_back({.node = machine.link_source(l), .out = machine.link_port(l), .dead = true});
  return Machine(spec + " with dead links", axes, machine.rates(), machine.ranks_per_node(), dead);
}

/// `count` directed links of the machine, drawn by `seed`.
inline Machine random_dead(std::string const& spec, int count, std::uint64_t seed) {
  auto const machine = Machine::parse(spec);
  std::vector<LinkId> present;
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    if (machine.neighbour(machine.link_source(l), machine.link_port(l))) present.push_back(l);
  }
  std::mt19937_64 random(seed);
  std::shuffle(present.begin(), present.end(), random);
  present.resize(std::min(present.size(), static_cast<std::size_t>(count)));
  return with_dead(spec, present);
}

}  // namespace allport::test
