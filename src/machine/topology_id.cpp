#include "allport/machine/topology_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace allport {

TopologyIds::TopologyIds(Machine const& machine, int bits) : bits_(bits), ranks_(machine.ranks()) {
  ensure(bits >= 1 && bits <= most_bits, "bits", bits, fmt::format("1 to {} bits of a digit", most_bits));
  std::vector<int> axes(static_cast<std::size_t>(machine.axes()));
  std::iota(axes.begin(), axes.end(), 0);
  std::ranges::sort(axes, {}, [&](int a) {
    auto const& axis = machine.axis(a);
    return std::tuple(axis.bandwidth.value(), -axis.latency.value(), -a);
  });
  auto const add = [&](Rank stride, std::int32_t length) {
    auto const needed = std::bit_width(static_cast<std::uint32_t>(length - 1));
    auto const digits = (static_cast<int>(needed) + bits_ - 1) / bits_;
    if (digits > 0) parts_.push_back({stride, length, digits});
    digits_ += digits;
  };
  for (auto const a : axes) add(machine.stride(a) * machine.ranks_per_node(), machine.axis(a).length);
  for (int l = 0; l < machine.levels().size(); ++l) {
    add(machine.levels().ranks_of_part(l), machine.levels()[l].count);
  }
  ensure(digits_ * bits_ <= 64, "bits", bits, fmt::format("digits that fit into 64 bits, not {} of them", digits_),
         "choose shorter digits");
}

TopologyId TopologyIds::of(Rank rank) const {
  ensure(rank >= 0 && rank < ranks_, "rank", rank, fmt::format("0 <= rank < {}", ranks_));
  TopologyId id = 0;
  for (auto const& part : parts_) {
    id = id << (part.digits * bits_) | static_cast<TopologyId>(rank / part.stride % part.length);
  }
  return id;
}

std::optional<Rank> TopologyIds::rank(TopologyId id) const {
  Rank rank = 0;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    auto const width = part->digits * bits_;  // below 64: a coordinate has 31 bits
    auto const x = id & ((TopologyId{1} << width) - 1);
    if (x >= static_cast<TopologyId>(part->length)) return std::nullopt;
    rank += static_cast<Rank>(x) * part->stride;
    id = width < 64 ? id >> width : 0;
  }
  return id == 0 ? std::optional(rank) : std::nullopt;
}

int TopologyIds::common_prefix(TopologyId a, TopologyId b) const {
  if (a == b) return digits_;
  auto const highest = static_cast<int>(std::bit_width(a ^ b)) - 1;  // the bit at which they part
  return digits_ - 1 - highest / bits_;
}

std::string TopologyIds::text(TopologyId id) const {
  std::string out;
  for (int i = 0; i < digits_; ++i) out += fmt::format("{}{}", i == 0 ? "" : ".", digit(id, i));
  return out;
}

}  // namespace allport
