#include "allport/machine/topology_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace allport {
namespace {

void check_bits(int bits) {
  ensure(bits >= 1 && bits <= TopologyIds::most_bits, "bits", bits,
         fmt::format("1 to {} bits of a digit", TopologyIds::most_bits));
}

/// The last `width` bits, 0 <= width <= 64.
TopologyId low_bits(int width) { return width == 0 ? 0 : ~TopologyId{0} >> (64 - width); }

}  // namespace

TopologyIds::TopologyIds(Machine const& machine, int bits)
    : bits_(bits), ranks_(machine.ranks()), machine_(std::make_shared<Machine const>(machine)) {
  check_bits(bits);
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

TopologyIds TopologyIds::given(int digits, int bits, Rank ranks) {
  check_bits(bits);
  ensure(digits >= 1 && digits < 64 && digits * bits < 64, "digits", digits,
         fmt::format("1 to {} digits of {} bits", 63 / bits, bits));
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  auto const space = TopologyId{1} << (digits * bits);
  ensure(static_cast<TopologyId>(ranks) <= space, "ranks", ranks,
         fmt::format("at most the {} IDs of {} digits of {} bits", space, digits, bits));
  TopologyIds ids;
  ids.bits_ = bits;
  ids.digits_ = digits;
  ids.ranks_ = ranks;
  ids.parts_.push_back({1, ranks, digits});
  return ids;
}

TopologyIds TopologyIds::listed(std::vector<TopologyId> all, int digits, int bits) {
  check_bits(bits);
  ensure(digits >= 1 && digits <= 64 && digits * bits <= 64, "digits", digits,
         fmt::format("1 to {} digits of {} bits", 64 / bits, bits));
  ensure(!all.empty(), "ids", all.size(), "an ID for at least one rank");
  List list;
  list.of_rank = std::move(all);
  list.by_id.resize(list.of_rank.size());
  std::iota(list.by_id.begin(), list.by_id.end(), 0);
  auto const id_of = [&](Rank r) { return list.of_rank[static_cast<std::size_t>(r)]; };
  std::ranges::sort(list.by_id, {}, id_of);
  for (std::size_t i = 0; i < list.by_id.size(); ++i) {
    auto const rank = list.by_id[i];
    ensure(id_of(rank) <= low_bits(digits * bits), fmt::format("ids[{}]", rank), id_of(rank),
           fmt::format("an ID of {} digits of {} bits", digits, bits));
    if (i == 0) continue;
    ensure(id_of(rank) != id_of(list.by_id[i - 1]), fmt::format("ids[{}]", rank), id_of(rank),
           fmt::format("another ID than that of rank {}", list.by_id[i - 1]));
  }
  TopologyIds ids;
  ids.bits_ = bits;
  ids.digits_ = digits;
  ids.ranks_ = static_cast<Rank>(list.of_rank.size());
  ids.list_ = std::make_shared<List const>(std::move(list));
  return ids;
}

int TopologyIds::default_bits(Rank ranks) {
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  auto const log2 = std::bit_width(static_cast<std::uint32_t>(ranks - 1));
  return std::max(1, static_cast<int>(std::sqrt(static_cast<double>(log2))));
}

TopologyId TopologyIds::of(Rank rank) const {
  ensure(rank >= 0 && rank < ranks_, "rank", rank, fmt::format("0 <= rank < {}", ranks_));
  if (list_) return list_->of_rank[static_cast<std::size_t>(rank)];
  TopologyId id = 0;
  for (auto const& part : parts_) {
    id = id << (part.digits * bits_) | static_cast<TopologyId>(rank / part.stride % part.length);
  }
  return id;
}

std::optional<Rank> TopologyIds::rank(TopologyId id) const {
  if ((id & ~low_bits(digits_ * bits_)) != 0) return std::nullopt;
  auto const position = below(id);
  if (position >= ranks_) return std::nullopt;
  auto const found = rank_at(position);
  return of(found) == id ? std::optional(found) : std::nullopt;
}

int TopologyIds::common_prefix(TopologyId a, TopologyId b) const {
  if (a == b) return digits_;
  auto const highest = static_cast<int>(std::bit_width(a ^ b)) - 1;  // the highest bit that differs
  return digits_ - 1 - highest / bits_;
}

std::string TopologyIds::text(TopologyId id) const {
  std::string out;
  for (int i = 0; i < digits_; ++i) out += fmt::format("{}{}", i == 0 ? "" : ".", digit(id, i));
  return out;
}

Rank TopologyIds::below(TopologyId id) const {
  if (list_) {
    auto const& of = list_->of_rank;
    auto const found =
        std::ranges::lower_bound(list_->by_id, id, {}, [&](Rank r) { return of[static_cast<std::size_t>(r)]; });
    return static_cast<Rank>(found - list_->by_id.begin());
  }
  Rank count = 0;
  Rank inner = ranks_;
  auto shift = digits_ * bits_;
  for (auto const& part : parts_) {
    auto const width = part.digits * bits_;  // below 64: a coordinate has 31 bits, and given() checks it
    shift -= width;
    inner /= part.length;
    auto const x = id >> shift & low_bits(width);
    if (x >= static_cast<TopologyId>(part.length)) return count + part.length * inner;
    count += static_cast<Rank>(x) * inner;
  }
  return count;
}

Rank TopologyIds::rank_at(Rank position) const {
  ensure(position >= 0 && position < ranks_, "position", position, fmt::format("0 <= position < {}", ranks_));
  if (list_) return list_->by_id[static_cast<std::size_t>(position)];
  Rank rank = 0;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    rank += position % part->length * part->stride;
    position /= part->length;
  }
  return rank;
}

Positions TopologyIds::with_prefix(TopologyId id, int digits) const {
  ensure(digits >= 0 && digits <= digits_, "digits", digits, fmt::format("0 to {}", digits_));
  auto const rest = low_bits((digits_ - digits) * bits_);
  auto const last = id | rest;
  return {below(id & ~rest), below(last) + (rank(last) ? 1 : 0)};
}

}  // namespace allport
