// numpy arrays as bytes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bindings.h"

namespace allport::python {

using ReadBytes = nb::ndarray<std::uint8_t const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WriteBytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<std::byte const> bytes_of(ReadBytes const& a) {
  return {reinterpret_cast<std::byte const*>(a.data()), a.size()};
}
inline std::span<std::byte> bytes_of(WriteBytes const& a) { return {reinterpret_cast<std::byte*>(a.data()), a.size()}; }

}  // namespace allport::python
