// The first packet of a multicast message: header, destinations, and short data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "multicasts.h"

namespace allport::engine {

/// Segments of a message that are in flight between two ranks.
inline constexpr std::int32_t segments_in_flight = 8;

/// The fixed part; followed by the intervals of destinations, then by the data if they are short.
struct MessageHeader {
  MessageName name{};
  std::int64_t number = 0;   ///< sequence number between the two ranks
  std::int64_t bytes = 0;    ///< of data
  std::int64_t segment = 0;  ///< segment length of the data
  Rank source = 0;
  std::int32_t intervals = routed;
  MulticastTree tree = MulticastTree::prefix;
  Split split{};
  std::int32_t order = 0;  ///< of axes
  std::int32_t hops = 0;   ///< number of hops before this one
  std::int32_t use = 0;    ///< use of the communicators: messages of earlier uses are dropped

  static constexpr std::int32_t routed = -1;  ///< every rank computes the destinations from the name
  static constexpr std::int32_t alone = -2;   ///< for the receiving rank only
  static constexpr std::int64_t short_bytes = 4096;
  [[nodiscard]] bool carries_data() const { return bytes <= short_bytes; }
};

/// The packet of a message. @param set none: header.intervals is routed or alone
[[nodiscard]] std::vector<std::byte> pack_message(MessageHeader header, std::optional<DestinationSet> const& set,
                                                  std::byte const* data);

struct UnpackedMessage {
  MessageHeader header{};
  std::optional<DestinationSet> set{};
  std::span<std::byte const> data{};  ///< within the packet; empty if they follow in segments
};
[[nodiscard]] UnpackedMessage unpack_message(std::span<std::byte const> packet);

}  // namespace allport::engine
