// Matrix files: their shape, and reading or writing a sub-box of them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "allport/base/error.h"
#include "allport/base/units.h"

namespace allport::io {

/// Element type in the file.
enum class FileType : std::uint8_t { f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, u8, b1, f2 };
[[nodiscard]] std::int64_t bytes_of(FileType type);

/// What the head of a .npy file says. 1-D arrays count as one column (rows x 1).
struct NpyHeader {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int dimensions = 2;
  FileType type = FileType::f8;
  bool fortran_order = false;
  bool swapped = false;          ///< the file's byte order is not this machine's
  std::int64_t data_offset = 0;  ///< bytes
};

/// Half-open interval of rows or columns.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// @throws Error(io) naming the path: missing, unreadable, truncated (bytes needed and had), not a .npy file, object or
///         structured dtype (never unpickled), more than 2 dimensions
[[nodiscard]] NpyHeader read_npy_header(std::string const& path);

/// Reads rows x cols of the file into out: column-major with leading dimension ld, element (i, j) of the box at
/// out[i + j * ld], or transposed: out[j + i * ld]. Integers, bools and halves convert to T; complex into real is an error.
/// Reads only the bytes that it needs. T: float, double, complex of both.
template <class T>
void read_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T* out, std::int64_t ld,
                  bool transposed = false);

/// Makes `path` a .npy file of its full size (version 1.0 header) with undefined contents; then boxes of it can be
/// written by several processes. Callers write aside and rename.
NpyHeader create_npy(std::string const& path, std::int64_t rows, std::int64_t cols, FileType type,
                     bool fortran_order);
template <class T>
void write_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T const* in,
                   std::int64_t ld, bool transposed = false);

/// One entry of a Matrix Market file, 0-based.
template <class T>
struct Entry {
  std::int64_t row = 0;
  std::int64_t col = 0;
  T value{};
};

/// Banner and size line of a Matrix Market file (coordinate or array; real, integer, complex, pattern; general,
/// symmetric, skew-symmetric, hermitian).
struct MtxHeader {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< lines of data that must follow
  bool array = false;
  bool complex = false;
  bool pattern = false;
  enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian } symmetry = Symmetry::general;
  std::int64_t data_offset = 0;
  std::int64_t file_bytes = 0;
};
[[nodiscard]] MtxHeader read_mtx_header(std::string const& path);

/// Reads the lines that begin within part `part` of `parts` equal byte ranges of the data. Symmetric entries are
/// mirrored (the mirror image comes from the same part). In array files the position of a line is its count, so the
/// first call needs `lines_before` = number of data lines in all earlier parts (count_mtx_lines).
template <class T>
std::vector<Entry<T>> read_mtx_part(std::string const& path, MtxHeader const& header, int part, int parts,
                                    std::int64_t lines_before = 0);
[[nodiscard]] std::int64_t count_mtx_lines(std::string const& path, MtxHeader const& header, int part, int parts);

}  // namespace allport::io
