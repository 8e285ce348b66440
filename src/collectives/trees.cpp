#include "allport/collectives/trees.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace allport {
namespace {

/// Adds v's binomial children v + 2^k, largest first, as `rank_of(child)`; returns v's parent, or -1 for v = 0.
template <class RankOf>
std::int32_t add_binomial(std::int32_t v, std::int32_t size, TreePlace& into, RankOf&& rank_of) {
  // Bits below v's lowest set bit are v's own to spend; the root may spend them all.
  auto const top = v == 0 ? static_cast<int>(std::bit_width(static_cast<std::uint32_t>(size - 1)))
                          : std::countr_zero(static_cast<std::uint32_t>(v));
  for (auto k = top - 1; k >= 0; --k) {
    if (auto const child = v + (std::int64_t{1} << k); child < size) {
      into.add(rank_of(static_cast<std::int32_t>(child)), any_port);
    }
  }
  return v == 0 ? -1 : v & (v - 1);
}

}  // namespace

TreeSet binomial_trees(Machine const& machine, Rank root) {
  auto const size = machine.ranks();
  return {1, [size, root](int, Rank rank, TreePlace& into) {
            into.clear();
            auto const absolute = [&](std::int32_t v) { return static_cast<Rank>((std::int64_t{v} + root) % size); };
            auto const v = rank >= root ? rank - root : rank - root + size;
            auto const parent = add_binomial(v, size, into, absolute);
            if (parent >= 0) into.parent = {absolute(parent), any_port};
          }};
}

TreeSet spread_within_nodes(Machine const& machine, Rank root, TreeSet over_nodes) {
  auto const per_node = machine.ranks_per_node();
  if (per_node == 1) return over_nodes;
  auto const leader = root % per_node;
  auto const find = [per_node, leader, over = std::move(over_nodes.place)](int tree, Rank rank, TreePlace& into) {
    auto const node = rank / per_node;
    auto const v = (rank % per_node - leader + per_node) % per_node;
    auto const absolute = [&](std::int32_t w) { return node * per_node + (w + leader) % per_node; };
    if (v != 0) {
      into.clear();
      into.parent = {absolute(add_binomial(v, per_node, into, absolute)), any_port};
      return;
    }
    TreePlace among_nodes;
    over(tree, node, among_nodes);
    auto const leader_of = [&](Rank n) { return n * per_node + leader; };
    into.clear();
    if (auto const& up = among_nodes.parent; up.rank >= 0) into.parent = {leader_of(up.rank), up.out};
    for (std::size_t i = 0; i < among_nodes.children(); ++i) {
      into.add(leader_of(among_nodes.child(i).rank), among_nodes.child(i).out);
    }
    add_binomial(0, per_node, into, absolute);
  };
  return {over_nodes.count, find};
}

int slices(std::int64_t bytes, std::int64_t unit, int trees) {
  auto const least = std::max(min_slice, unit);
  return static_cast<int>(std::clamp<std::int64_t>(bytes / least, 1, trees));
}

Interval slice(std::int64_t bytes, std::int64_t unit, int count, int i) {
  auto const units = bytes / unit;
  auto const each = units / count;
  auto const longer = units % count;  // the first `longer` slices have one unit more
  auto const begin = [&](std::int64_t k) { return (k * each + std::min(k, longer)) * unit; };
  return {begin(i), begin(i + 1)};
}

std::int64_t unit_of(Contract const& contract) { return combines(contract.what) ? contract.element : 1; }

}  // namespace allport
