// What goes before a multicast's data: one packet that tells who it is from, how long it is, and where it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "allport/comm/multicasts.h"

namespace allport::engine {

/// The fixed part. Then come the destinations' intervals, then the data where they are short.
struct MessageHeader {
  MessageName name{};
  std::int64_t number = 0;   ///< of the letters on this way
  std::int64_t bytes = 0;    ///< of data
  std::int64_t segment = 0;  ///< the data's pieces
  Rank source = 0;
  std::int32_t intervals = routed;
  MulticastTree tree = MulticastTree::prefix;
  Split split{};
  std::int32_t order = 0;  ///< of axes
  std::int32_t hops = 0;   ///< that it has taken before this one
  std::int32_t use = 0;    ///< of the communicators: what is left of another is not for who has them now

  static constexpr std::int32_t routed = -1;  ///< every rank works the destinations out from the name
  static constexpr std::int32_t alone = -2;   ///< it is for the rank that gets it, and for no other
  static constexpr std::int64_t short_bytes = 4096;
  [[nodiscard]] bool carries_data() const { return bytes <= short_bytes; }
};

/// A head with what comes behind it. @param set none: head.intervals is routed or alone
[[nodiscard]] std::vector<std::byte> pack_message(MessageHeader header, std::optional<DestinationSet> const& set,
                                                  std::byte const* data);

struct UnpackedMessage {
  MessageHeader header{};
  std::optional<DestinationSet> set{};
  std::span<std::byte const> data{};  ///< within the packet; empty where they come behind it
};
[[nodiscard]] UnpackedMessage unpack_message(std::span<std::byte const> packet);

}  // namespace allport::engine
