// The binomial tree over 0 .. size - 1 with root 0: in round k, v sends to v + 2^k.
#pragma once

#include <bit>
#include <cstdint>

#include "allport/base/units.h"

namespace allport {

/// @pre v > 0
[[nodiscard]] inline Rank binomial_parent(Rank v) { return v & (v - 1); }

/// The children of v, the one with the largest subtree first. Below child w are w .. w + (w & -w) - 1, as far as there
/// are so many, and they are again such a tree, w its root.
template <class Visit>
void each_binomial_child(Rank v, Rank size, Visit&& visit) {
  // Bits below v's lowest set bit are v's own to spend; the root may spend them all.
  auto const top = v == 0 ? static_cast<int>(std::bit_width(static_cast<std::uint32_t>(size - 1)))
                          : std::countr_zero(static_cast<std::uint32_t>(v));
  for (auto k = top - 1; k >= 0; --k) {
    if (auto const child = v + (std::int64_t{1} << k); child < size) visit(static_cast<Rank>(child));
  }
}

}  // namespace allport
