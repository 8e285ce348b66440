// How the messages of a Channel go: the cheapest tree and segments for a set of ranks and a size.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "allport/comm/channel.h"
#include "allport/comm/communicator.h"
#include "allport/machine/machine.h"
#include "allport/machine/topology_id.h"
#include "allport/select/multicast.h"

namespace allport {

class ChannelForms {
 public:
  /// Collective over `comm`. @throws Error on every rank if options are wrong on any, or trees differ
  ChannelForms(Communicator const& comm, ChannelOptions options);

  /// The machine that prices and IDs are of: the communicator's; or, if its rates are assumed and each computer runs
  /// equally many consecutive positions, a line of computers whose ranks copy through their memory. The same on all
  /// ranks.
  [[nodiscard]] Machine const& machine() const { return machine_; }
  [[nodiscard]] TopologyIds ids() const;
  /// The cheapest form of a message of this rank to these positions. Prices of sizes up to the next power of two are
  /// the same.
  /// @pre places are sorted
  [[nodiscard]] MulticastForm form(std::vector<Rank> const& places, std::int64_t bytes);

 private:
  /// What is wrong with the options; empty: nothing.
  [[nodiscard]] std::string trouble() const;

  ChannelOptions options_;
  Rank source_;
  Machine machine_;
  AlgorithmList among_{};
  std::map<std::pair<std::vector<Rank>, std::int64_t>, MulticastForm> forms_{};  ///< by positions and bytes
};

}  // namespace allport
