// Elements of a .npy file to and from the four types of Allport.
#pragma once

#include <cstddef>

#include "allport/io.h"

namespace allport::io {

template <class T>
inline constexpr FileType file_type_of = FileType::f8;
template <>
inline constexpr FileType file_type_of<float> = FileType::f4;
template <>
inline constexpr FileType file_type_of<std::complex<float>> = FileType::c8;
template <>
inline constexpr FileType file_type_of<std::complex<double>> = FileType::c16;

/// raw: n elements of `type`, in the other byte order if `swapped`.
template <class T>
void from_file(FileType type, bool swapped, std::byte const* raw, std::int64_t n, T* values);

/// type: f4, f8, c8 or c16.
template <class T>
void to_file(FileType type, T const* values, std::int64_t n, std::byte* raw);

}  // namespace allport::io
