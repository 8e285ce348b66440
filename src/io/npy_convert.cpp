#include "npy_convert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace allport::io {
namespace {

template <class T>
inline constexpr bool is_complex = false;
template <class R>
inline constexpr bool is_complex<std::complex<R>> = true;

struct Bool {
  std::uint8_t value;
};
struct Half {
  std::uint16_t bits;
};

// IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction.
float value_of(Half half) {
  auto const exponent = half.bits >> 10 & 31;
  auto const fraction = static_cast<float>(half.bits & 1023);
  auto const magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                         : exponent == 31 ? (fraction == 0.0F ? HUGE_VALF : NAN)
                                          : std::ldexp(fraction + 1024.0F, exponent - 25);
  return (half.bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

// A real or complex number; the bytes of each part are swapped separately.
template <class Raw, bool swapped>
Raw load(std::byte const* at) {
  std::array<std::byte, sizeof(Raw)> bytes;
  std::memcpy(bytes.data(), at, sizeof(Raw));
  if constexpr (swapped) {
    constexpr auto part = is_complex<Raw> ? sizeof(Raw) / 2 : sizeof(Raw);
    for (std::size_t k = 0; k < sizeof(Raw); k += part) {
      std::reverse(bytes.begin() + k, bytes.begin() + k + part);
    }
  }
  return std::bit_cast<Raw>(bytes);
}

template <class T, class Raw>
T convert(Raw raw) {
  if constexpr (std::is_same_v<Raw, Bool>) {
    return T(raw.value != 0 ? 1 : 0);
  } else if constexpr (std::is_same_v<Raw, Half>) {
    return convert<T>(value_of(raw));
  } else if constexpr (is_complex<T> && is_complex<Raw>) {
    using Real = typename T::value_type;
    return T(static_cast<Real>(raw.real()), static_cast<Real>(raw.imag()));
  } else if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(raw));
  } else {
    return static_cast<T>(raw);
  }
}

template <class T, class Raw, bool swapped>
void convert_all(std::byte const* raw, std::int64_t n, T* values) {
  for (std::int64_t k = 0; k < n; ++k) {
    values[k] = convert<T>(load<Raw, swapped>(raw + k * static_cast<std::int64_t>(sizeof(Raw))));
  }
}

template <class T, class Raw>
void convert_from(bool swapped, std::byte const* raw, std::int64_t n, T* values) {
  if constexpr (is_complex<Raw> && !is_complex<T>) {
    throw Error::argument("type", "complex", "a complex element to read complex numbers into");
  } else if (swapped) {
    convert_all<T, Raw, true>(raw, n, values);
  } else if constexpr (std::is_same_v<T, Raw>) {
    std::memcpy(values, raw, static_cast<std::size_t>(n) * sizeof(T));
  } else {
    convert_all<T, Raw, false>(raw, n, values);
  }
}

template <class Raw, class T>
void convert_to(T const* values, std::int64_t n, std::byte* raw) {
  if constexpr (is_complex<T> && !is_complex<Raw>) {
    throw Error::argument("type", "complex", "real numbers for a file of real numbers");
  } else {
    for (std::int64_t k = 0; k < n; ++k) {
      auto const value = convert<Raw>(values[k]);
      std::memcpy(raw + k * static_cast<std::int64_t>(sizeof(Raw)), &value, sizeof(Raw));
    }
  }
}

}  // namespace

template <class T>
void from_file(FileType type, bool swapped, std::byte const* raw, std::int64_t n, T* values) {
  switch (type) {
    case FileType::f4:
      return convert_from<T, float>(swapped, raw, n, values);
    case FileType::f8:
      return convert_from<T, double>(swapped, raw, n, values);
    case FileType::c8:
      return convert_from<T, std::complex<float>>(swapped, raw, n, values);
    case FileType::c16:
      return convert_from<T, std::complex<double>>(swapped, raw, n, values);
    case FileType::i1:
      return convert_from<T, std::int8_t>(swapped, raw, n, values);
    case FileType::i2:
      return convert_from<T, std::int16_t>(swapped, raw, n, values);
    case FileType::i4:
      return convert_from<T, std::int32_t>(swapped, raw, n, values);
    case FileType::i8:
      return convert_from<T, std::int64_t>(swapped, raw, n, values);
    case FileType::u1:
      return convert_from<T, std::uint8_t>(swapped, raw, n, values);
    case FileType::u2:
      return convert_from<T, std::uint16_t>(swapped, raw, n, values);
    case FileType::u4:
      return convert_from<T, std::uint32_t>(swapped, raw, n, values);
    case FileType::u8:
      return convert_from<T, std::uint64_t>(swapped, raw, n, values);
    case FileType::b1:
      return convert_from<T, Bool>(swapped, raw, n, values);
    case FileType::f2:
      return convert_from<T, Half>(swapped, raw, n, values);
  }
}

template <class T>
void to_file(FileType type, T const* values, std::int64_t n, std::byte* raw) {
  switch (type) {
    case FileType::f4:
      return convert_to<float>(values, n, raw);
    case FileType::f8:
      return convert_to<double>(values, n, raw);
    case FileType::c8:
      return convert_to<std::complex<float>>(values, n, raw);
    case FileType::c16:
      return convert_to<std::complex<double>>(values, n, raw);
    default:
      throw Error::argument("type", show(static_cast<int>(type)), "f4, f8, c8 or c16");
  }
}

template void from_file(FileType, bool, std::byte const*, std::int64_t, float*);
template void from_file(FileType, bool, std::byte const*, std::int64_t, double*);
template void from_file(FileType, bool, std::byte const*, std::int64_t, std::complex<float>*);
template void from_file(FileType, bool, std::byte const*, std::int64_t, std::complex<double>*);
template void to_file(FileType, float const*, std::int64_t, std::byte*);
template void to_file(FileType, double const*, std::int64_t, std::byte*);
template void to_file(FileType, std::complex<float> const*, std::int64_t, std::byte*);
template void to_file(FileType, std::complex<double> const*, std::int64_t, std::byte*);

}  // namespace allport::io
