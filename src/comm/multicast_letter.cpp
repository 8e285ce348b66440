#include "multicast_letter.h"

#include <cstring>

namespace allport::engine {

static_assert(std::is_trivially_copyable_v<LetterHead> && std::is_trivially_copyable_v<Positions>);

std::vector<std::byte> pack_letter(LetterHead head, std::optional<DestinationSet> const& set, std::byte const* data) {
  static std::vector<Positions> const none;
  auto const& intervals = set ? set->intervals() : none;
  if (set) head.intervals = static_cast<std::int32_t>(intervals.size());
  auto const listed = intervals.size() * sizeof(Positions);
  auto const behind = head.carries_data() ? static_cast<std::size_t>(head.bytes) : 0;
  std::vector<std::byte> packet(sizeof(head) + listed + behind);
  std::memcpy(packet.data(), &head, sizeof(head));
  if (listed > 0) std::memcpy(packet.data() + sizeof(head), intervals.data(), listed);
  if (behind > 0) std::memcpy(packet.data() + sizeof(head) + listed, data, behind);
  return packet;
}

Letter read_letter(std::span<std::byte const> packet) {
  Letter letter;
  std::memcpy(&letter.head, packet.data(), sizeof(LetterHead));
  auto rest = packet.subspan(sizeof(LetterHead));
  if (letter.head.intervals >= 0) {
    std::vector<Positions> intervals(static_cast<std::size_t>(letter.head.intervals));
    auto const listed = intervals.size() * sizeof(Positions);
    if (listed > 0) std::memcpy(intervals.data(), rest.data(), listed);
    rest = rest.subspan(listed);
    letter.set.emplace(std::move(intervals));
  }
  letter.data = rest;
  return letter;
}

}  // namespace allport::engine
