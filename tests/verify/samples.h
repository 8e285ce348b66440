// Good schedules on machines of many shapes.
#pragma once

#include <string>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/machine/machine.h"
#include "schedule/blocks.h"
#include "schedule/hand.h"

namespace allport::samples {

struct Sample {
  Machine machine;
  Schedule schedule;

  [[nodiscard]] std::string text() const {
    auto const& c = schedule.contract();
    return schedule.algorithm() + " " + std::string(name(c.what)) + " on " + machine.name() + " root " +
           std::to_string(c.root) + ", " + std::to_string(c.bytes) + " bytes by " +
           std::to_string(schedule.cut().segment);
  }
};

inline std::vector<Machine> machines() {
  std::vector<Machine> all;
  for (auto const* spec :
       {"torus:1", "torus:2", "torus:5", "mesh:4", "torus:4x4", "torus:2x2x2", "torus:3x5", "mesh:3x4", "torus:4x3m",
        "torus:3x3x3", "torus:2x1x4", "torus:3x2/ppn=2", "torus:2x2x2x2"}) {
    all.push_back(Machine::parse(spec));
  }
  return all;
}

inline std::vector<Sample> registered(Machine const& m, Rank root, std::int64_t bytes, std::int64_t segment,
                                      int window) {
  std::vector<Sample> all;
  for (auto const* a : algorithms()) {
    bool const sums =
        a->what == Collective::reduce || a->what == Collective::allreduce || a->what == Collective::reduce_scatter;
    Contract const c{a->what, m.ranks(), root, a->what == Collective::barrier ? 0 : bytes, sums ? 8 : 1};
    if (bytes % c.element != 0 || a->why_not(m, c)) continue;
    all.push_back({m, a->make(m, c, {segment, window})});
  }
  return all;
}

inline std::vector<Sample> by_hand(Rank ranks, std::int64_t bytes, std::int64_t segment) {
  auto const line = Machine::flat(ranks);
  return {{line, hand::chain_broadcast(ranks, ranks / 2, bytes, segment)},
          {line, hand::star_broadcast(ranks, ranks - 1, bytes, segment)},
          {line, hand::line_reduce(ranks, bytes, segment, 2)},
          {line, hand::scatter_chain(ranks, bytes, segment)},
          {line, hand::gather_chain(ranks, bytes, segment)},
          {line, hand::allgather_ring(ranks, bytes, segment)},
          {line, hand::alltoall_direct(ranks, bytes, segment)},
          {line, hand::reduce_scatter_ring(ranks, bytes, segment)},
          {line, hand::allreduce_line(ranks, bytes, segment)}};
}

}  // namespace allport::samples
