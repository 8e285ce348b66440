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

/// Header of a .npy file. A 1-D array counts as one column (rows x 1).
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

/// @throws Error(io) naming the path: the file is missing, unreadable, truncated (with bytes needed and present) or no
/// .npy file, has an object or structured dtype (never unpickled), or more than 2 dimensions
[[nodiscard]] NpyHeader read_npy_header(std::string const& path);

/// Reads rows x cols of the file into out: column-major with leading dimension ld, element (i, j) of the box at
/// out[i + j * ld], or transposed: out[j + i * ld]. Integers, bools and halves are converted to T, doubles round to
/// single; complex into real is an error. Reads only the bytes of the box, and gaps of up to two pages between them. T:
/// float, double, complex of both.
/// @pre ranges within the matrix, ld >= max(1, rows), or cols when transposed
/// @throws Error(io) naming the path; Error naming the range, ld or type
template <class T>
void read_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T* out, std::int64_t ld,
                  bool transposed = false);

/// As read_npy_box for many ranges of rows and of columns (ascending, disjoint), packed in out: the part of a rank in a
/// block-cyclic distribution.
template <class T>
void read_npy_boxes(std::string const& path, NpyHeader const& header, std::span<Range const> rows,
                    std::span<Range const> cols, T* out, std::int64_t ld, bool transposed = false);

/// Creates a .npy file (version 1.0 header) of its full size with undefined contents, so that several processes can
/// write boxes of it. Callers create a file of another name and rename it.
/// @throws Error(io) naming the path
NpyHeader create_npy(std::string const& path, std::int64_t rows, std::int64_t cols, FileType type, bool fortran_order);

/// Writes a box, and no byte outside it. `in` is laid out as `out` of read_npy_box. The file's type must be f4, f8, c8
/// or c16 in this machine's byte order; complex into real is an error.
template <class T>
void write_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T const* in,
                   std::int64_t ld, bool transposed = false);
template <class T>
void write_npy_boxes(std::string const& path, NpyHeader const& header, std::span<Range const> rows,
                     std::span<Range const> cols, T const* in, std::int64_t ld, bool transposed = false);

/// One entry of a Matrix Market file, 0-based.
template <class T>
struct Entry {
  std::int64_t row = 0;
  std::int64_t col = 0;
  T value{};
};

/// Banner and size line of a Matrix Market file (coordinate or array; real, integer, unsigned-integer, complex,
/// pattern; general, symmetric, skew-symmetric, hermitian).
struct MtxHeader {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t entries = 0;  ///< number of data lines that must follow
  bool array = false;
  bool complex = false;
  bool pattern = false;
  enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian } symmetry = Symmetry::general;
  std::int64_t data_offset = 0;
  std::int64_t file_bytes = 0;
  bool integer = false;
  bool natural = false;  ///< unsigned integers, which may need all 64 bits
};
/// @throws Error(io) naming the path and the line that is wrong
[[nodiscard]] MtxHeader read_mtx_header(std::string const& path);

/// Reads the lines that begin within part `part` of `parts` equal byte ranges of the data. Symmetric entries are
/// mirrored (by the part that has the entry; a diagonal entry is not). An entry that the file has more than once is
/// returned more than once; the caller adds them up. In array files the line number gives the element, so
/// `lines_before` must be the number of data lines in all earlier parts (count_mtx_lines). `lines`, if given, receives
/// the number of data lines of this part; the sum over all parts must be header.entries. T: float, double, complex of
/// both; complex into real is an error.
/// @throws Error(io) naming the path, the byte at which a malformed line begins, and the line
template <class T>
std::vector<Entry<T>> read_mtx_part(std::string const& path, MtxHeader const& header, int part, int parts,
                                    std::int64_t lines_before = 0, std::int64_t* lines = nullptr);
/// Data lines that begin in a part: neither blank nor comments.
[[nodiscard]] std::int64_t count_mtx_lines(std::string const& path, MtxHeader const& header, int part, int parts);

}  // namespace allport::io
