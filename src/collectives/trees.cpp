#include "allport/collectives/trees.h"

#include <algorithm>

#include "base/binomial.h"

namespace allport {

TreeSet binomial_trees(Machine const& machine, Rank root) {
  auto const size = machine.ranks();
  return {1, [size, root](int, Rank rank, TreePlace& into) {
            into.clear();
            auto const absolute = [&](std::int32_t v) { return static_cast<Rank>((std::int64_t{v} + root) % size); };
            auto const v = rank >= root ? rank - root : rank - root + size;
            each_binomial_child(v, size, [&](Rank w) { into.add(absolute(w), any_port); });
            if (v > 0) into.parent = {absolute(binomial_parent(v)), any_port};
          }};
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
