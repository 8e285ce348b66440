// numpy arrays as the rooms want them: bytes, and column-major blocks of one of the four scalar types.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <complex>
#include <string>

#include "allport/linalg/distribution.h"
#include "bindings.h"

namespace allport::python {

using ReadBytes = nb::ndarray<std::uint8_t const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WriteBytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ReadBlock = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using WriteBlock = nb::ndarray<nb::ndim<2>, nb::device::cpu>;

inline std::span<std::byte const> bytes_of(ReadBytes const& a) {
  return {reinterpret_cast<std::byte const*>(a.data()), a.size()};
}
inline std::span<std::byte> bytes_of(WriteBytes const& a) { return {reinterpret_cast<std::byte*>(a.data()), a.size()}; }

/// Calls visit(T{}) with the C++ type behind 's', 'd', 'c' or 'z'.
template <class Visit>
decltype(auto) with_scalar(char type, Visit&& visit) {
  switch (type) {
    case 's':
      return visit(float());
    case 'd':
      return visit(double());
    case 'c':
      return visit(std::complex<float>());
    case 'z':
      return visit(std::complex<double>());
    default:
      break;
  }
  throw Error::argument("dtype", show(std::string(1, type)), "float32, float64, complex64 or complex128");
}

/// A block's first element and leading dimension.
template <class T, class Array>
auto part_of(Array const& array, char const* name) {
  using Element = std::conditional_t<std::is_same_v<Array, ReadBlock>, T const, T>;
  ensure(array.dtype() == nb::dtype<T>(), name, std::string("another dtype"), "the problem's dtype",
         "convert with astype()");
  auto const rows = static_cast<Index>(array.shape(0)), cols = static_cast<Index>(array.shape(1));
  auto const column_major = rows <= 1 || array.stride(0) == 1 || cols == 0;
  ensure(column_major && (cols <= 1 || rows == 0 || array.stride(1) >= rows), name, std::string("a row-major array"),
         "a column-major array", "numpy.asfortranarray makes one");
  auto const ld = cols > 1 && rows > 0 ? array.stride(1) : rows;
  return Part<Element>{static_cast<Element*>(array.data()), std::max<Index>(ld, 1)};
}

/// Throws unless a local block has the shape that its distribution says.
template <class Array>
void ensure_shape(Array const& array, Distribution const& distribution, Rank rank, char const* name) {
  auto const rows = distribution.local_rows(rank), cols = distribution.local_cols(rank);
  auto const has_rows = static_cast<Index>(array.shape(0)), has_cols = static_cast<Index>(array.shape(1));
  ensure((has_rows == rows && has_cols == cols) || (rows * cols == 0 && has_rows * has_cols == 0), name,
         fmt::format("{} x {} elements", has_rows, has_cols), fmt::format("{} x {} on rank {}", rows, cols, rank));
}

}  // namespace allport::python
