// Reduction operators by numpy's names of operator and element type.
#include <complex>
#include <cstdint>
#include <cstring>

#include "bindings.h"

namespace allport::python {
namespace {

template <class T, class Op>
Combine elementwise(Op op) {
  return [op](std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
    // Buffers may be unaligned slices, so elements are copied out and in.
    for (std::int64_t at = 0; at + static_cast<std::int64_t>(sizeof(T)) <= bytes; at += sizeof(T)) {
      T a, b;
      std::memcpy(&a, left + at, sizeof(T));
      std::memcpy(&b, right + at, sizeof(T));
      T const c = op(a, b);
      std::memcpy(out + at, &c, sizeof(T));
    }
  };
}

template <class T>
inline constexpr bool is_ordered = std::is_arithmetic_v<T>;

template <class T>
Combine for_type(std::string const& op, std::string const& dtype) {
  if (op == "sum") {
    return elementwise<T>([](T a, T b) { return static_cast<T>(a + b); });
  }
  if (op == "prod") {
    return elementwise<T>([](T a, T b) { return static_cast<T>(a * b); });
  }
  if constexpr (is_ordered<T>) {
    // NaN propagates, as in numpy.maximum and numpy.minimum.
    if (op == "max") {
      return elementwise<T>([](T a, T b) { return a != a || a > b ? a : b; });
    }
    if (op == "min") {
      return elementwise<T>([](T a, T b) { return a != a || a < b ? a : b; });
    }
  }
  throw Error::argument("op", show(op), is_ordered<T> ? "sum, prod, max or min" : "sum or prod for complex " + dtype);
}

}  // namespace

Combine combine_of(std::string const& op, std::string const& dtype) {
  auto const code =
      dtype.size() > 1 && (dtype[0] == '<' || dtype[0] == '=' || dtype[0] == '|') ? dtype.substr(1) : dtype;
  if (code == "f4") return for_type<float>(op, dtype);
  if (code == "f8") return for_type<double>(op, dtype);
  if (code == "c8") return for_type<std::complex<float>>(op, dtype);
  if (code == "c16") return for_type<std::complex<double>>(op, dtype);
  if (code == "i1") return for_type<std::int8_t>(op, dtype);
  if (code == "i2") return for_type<std::int16_t>(op, dtype);
  if (code == "i4") return for_type<std::int32_t>(op, dtype);
  if (code == "i8") return for_type<std::int64_t>(op, dtype);
  if (code == "u1") return for_type<std::uint8_t>(op, dtype);
  if (code == "u2") return for_type<std::uint16_t>(op, dtype);
  if (code == "u4") return for_type<std::uint32_t>(op, dtype);
  if (code == "u8") return for_type<std::uint64_t>(op, dtype);
  throw Error::argument("dtype", show(dtype), "a native integer, float or complex type of numpy",
                        "convert with astype()");
}

}  // namespace allport::python
