// Operators of reductions on arithmetic and complex elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "allport/schedule/interpreter.h"

namespace allport {

enum class Elementwise : std::uint8_t { sum, product, largest, least };

namespace schedule {

template <class T, class Op>
Combine each_element(Op op) {
  return [op](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    // Buffers need not be aligned, so elements are copied out and in.
    constexpr auto size = static_cast<std::int64_t>(sizeof(T));
    for (std::int64_t at = 0; at + size <= bytes; at += size) {
      T a, b;
      std::memcpy(&a, left + at, sizeof(T));
      std::memcpy(&b, right + at, sizeof(T));
      T const c = op(a, b);
      std::memcpy(out + at, &c, sizeof(T));
    }
  };
}

}  // namespace schedule

/// Empty where elements have no order, and the operator wants one. Integers wrap round, as those of MPI do; NaN stays,
/// as in numpy.maximum and numpy.minimum.
template <class T>
[[nodiscard]] Combine combine_elements(Elementwise op) {
  using schedule::each_element;
  using Wide = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  if (op == Elementwise::sum) {
    return each_element<T>([](T a, T b) { return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b)); });
  }
  if (op == Elementwise::product) {
    return each_element<T>([](T a, T b) { return static_cast<T>(static_cast<Wide>(a) * static_cast<Wide>(b)); });
  }
  if constexpr (std::is_arithmetic_v<T>) {
    if (op == Elementwise::largest) return each_element<T>([](T a, T b) { return a != a || a > b ? a : b; });
    return each_element<T>([](T a, T b) { return a != a || a < b ? a : b; });
  }
  return {};
}

}  // namespace allport
