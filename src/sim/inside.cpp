#include "inside.h"

#include "network.h"

namespace allport::sim {

bool level_binds(Machine const& machine, Level const& level) {
  auto const limit = level.injection.value();
  auto const asked = links_of_a_node(machine) + level.bandwidth.value();
  return limit > 0.0 && (!machine.exceptions().empty() || asked > limit * (1.0 + 1e-12));
}

Inside::Inside(Streams const& streams) : streams_(streams), levels_(streams.machine().levels()) {
  for (int l = 0; l < levels_.size(); ++l) {
    auto const& level = levels_[l];
    auto const parts = at(streams.machine().ranks() / levels_.ranks_of_part(l));
    servers_.emplace_back(level.bandwidth.value() > 0.0 ? parts : 0);
    if (level_binds(streams.machine(), level)) {
      caps_.push_back({l, level.injection.value(), std::vector<Server>(parts)});
    }
  }
}

Inside::Path Inside::path(Rank from, Rank to) {
  auto const l = levels_.parting(streams_.place(from), streams_.place(to));
  if (l == levels_.size()) return {};
  auto const& level = levels_[l];
  auto* const server = servers_[at(l)].empty() ? nullptr : &servers_[at(l)][part(from, l)];
  return {server, level.bandwidth.value(), level.latency.value(), l};
}

}  // namespace allport::sim
