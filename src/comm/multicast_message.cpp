#include "multicast_message.h"

#include <cstring>

namespace allport::engine {

static_assert(std::is_trivially_copyable_v<MessageHeader> && std::is_trivially_copyable_v<Positions>);

std::vector<std::byte> pack_message(MessageHeader header, std::optional<DestinationSet> const& set,
                                    std::byte const* data) {
  static std::vector<Positions> const none;
  auto const& intervals = set ? set->intervals() : none;
  if (set) header.intervals = static_cast<std::int32_t>(intervals.size());
  auto const listed = intervals.size() * sizeof(Positions);
  auto const payload = header.carries_data() ? static_cast<std::size_t>(header.bytes) : 0;
  std::vector<std::byte> packet(sizeof(header) + listed + payload);
  std::memcpy(packet.data(), &header, sizeof(header));
  if (listed > 0) std::memcpy(packet.data() + sizeof(header), intervals.data(), listed);
  if (payload > 0) std::memcpy(packet.data() + sizeof(header) + listed, data, payload);
  return packet;
}

UnpackedMessage unpack_message(std::span<std::byte const> packet) {
  UnpackedMessage unpacked;
  std::memcpy(&unpacked.header, packet.data(), sizeof(MessageHeader));
  auto rest = packet.subspan(sizeof(MessageHeader));
  if (unpacked.header.intervals >= 0) {
    std::vector<Positions> intervals(static_cast<std::size_t>(unpacked.header.intervals));
    auto const listed = intervals.size() * sizeof(Positions);
    if (listed > 0) std::memcpy(intervals.data(), rest.data(), listed);
    rest = rest.subspan(listed);
    unpacked.set.emplace(std::move(intervals));
  }
  unpacked.data = rest;
  return unpacked;
}

}  // namespace allport::engine
