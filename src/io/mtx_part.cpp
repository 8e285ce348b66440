#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allport/io.h"
#include "file.h"
#include "mtx_lines.h"

namespace allport::io {
namespace {

using Symmetry = MtxHeader::Symmetry;

Lines lines_of(File const& file, MtxHeader const& header, int part, int parts) {
  ensure(parts >= 1, "parts", parts, "at least one part");
  ensure(part >= 0 && part < parts, "part", part, fmt::format("a part in 0..{}", parts - 1));
  if (auto const size = file.size(); size != header.file_bytes) {
    fail(file.path(), fmt::format("changed while it was read: {} bytes, {} before", size, header.file_bytes));
  }
  auto const bytes = header.file_bytes - header.data_offset;
  auto const cut = [&](std::int64_t p) {
    return header.data_offset + bytes / parts * p + bytes % parts * p / parts;  // = bytes * p / parts, no overflow
  };
  return {file, cut(part), cut(part + 1)};
}

// Position of line `line` of an array file in the matrix: column by column, lower triangle only if symmetric.
class ArrayPlace {
 public:
  ArrayPlace(MtxHeader const& header, std::int64_t line) : rows_(header.rows) {
    auto const stored = header.symmetry != Symmetry::general;
    first_of_column_ = header.symmetry == Symmetry::skew ? 1 : 0;
    step_ = stored ? 1 : 0;
    if (!header.array || line >= header.entries) {
      return;  // coordinate files name positions; parts without lines, or with too many, are not asked for
    }
    if (!stored) {
      col = line / rows_;
      row = line % rows_;
      return;
    }
    // Column j begins after the lines of j columns of rows - first, rows - first - 1, ... elements.
    auto const first = [&](std::int64_t j) { return j * (rows_ - first_of_column_) - j * (j - 1) / 2; };
    std::int64_t low = 0;
    for (std::int64_t high = rows_; high - low > 1;) {
      auto const middle = low + (high - low) / 2;
      (first(middle) <= line ? low : high) = middle;
    }
    col = low;
    row = low + first_of_column_ + line - first(low);
  }

  void advance() {
    if (++row == rows_) {
      ++col;
      row = step_ * (col + first_of_column_);
    }
  }

  std::int64_t row = 0;
  std::int64_t col = 0;

 private:
  std::int64_t rows_;
  std::int64_t first_of_column_;  // 1: the diagonal is not in the file
  std::int64_t step_;             // 1: each column begins one row further down
};

template <class T>
class PartParser {
 public:
  PartParser(std::string const& path, MtxHeader const& header, std::int64_t lines_before)
      : path_(path), h_(header), lines_(lines_before), place_(header, lines_before) {}

  void parse(Lines::Line const& line, std::vector<Entry<T>>& entries) {
    if (lines_ >= h_.entries) {
      wrong(line, fmt::format("no more than the {} entries that the header says", h_.entries));
    }
    ++lines_;
    Words words(line.text);
    Entry<T> entry;
    if (h_.array) {
      entry.row = place_.row;
      entry.col = place_.col;
      place_.advance();
    } else {
      entry.row = words.integer() - 1;
      entry.col = words.integer() - 1;
    }
    entry.value = value(line, words);
    if (!words.finished()) {
      wrong(line, wanted());
    }
    if (entry.row < 0 || entry.row >= h_.rows || entry.col < 0 || entry.col >= h_.cols) {
      wrong(line, fmt::format("a row in 1..{} and a column in 1..{}", h_.rows, h_.cols));
    }
    check_triangle(line, entry);
    entries.push_back(entry);
    if (h_.symmetry != Symmetry::general && entry.row != entry.col) {
      entries.push_back({entry.col, entry.row, mirrored(entry.value)});
    }
  }

 private:
  [[noreturn]] void wrong(Lines::Line const& line, std::string_view expected) const {
    fail(path_, fmt::format("line at byte {}: \"{}\": expected {}", line.offset, shown(line.text), expected));
  }

  std::string wanted() const {
    std::string_view const numbers = h_.pattern   ? ""
                                     : h_.complex ? " real imaginary"
                                     : h_.natural ? " integer >= 0"
                                     : h_.integer ? " integer"
                                                  : " value";
    return fmt::format("'{}{}'", h_.array ? "" : "row column", h_.array ? numbers.substr(1) : numbers);
  }

  // A finite number must stay finite in T.
  template <class Real>
  Real narrowed(Lines::Line const& line, double x) const {
    auto const y = static_cast<Real>(x);
    if (std::isinf(y) && !std::isinf(x)) {
      wrong(line, "a value that fits single precision");
    }
    return y;
  }

  T value(Lines::Line const& line, Words& words) const {
    if (h_.pattern) {
      return T(1);
    }
    if (h_.natural) {
      return T(static_cast<decltype(std::real(T{}))>(words.natural()));
    }
    if (h_.integer) {
      return T(static_cast<decltype(std::real(T{}))>(words.integer()));
    }
    if constexpr (std::is_floating_point_v<T>) {
      return narrowed<T>(line, words.real());
    } else {
      using Real = typename T::value_type;
      auto const re = narrowed<Real>(line, words.real());
      return T(re, h_.complex ? narrowed<Real>(line, words.real()) : Real(0));
    }
  }

  void check_triangle(Lines::Line const& line, Entry<T> const& entry) const {
    if (h_.symmetry == Symmetry::general) {
      return;
    }
    if (entry.row < entry.col) {
      wrong(line, "entries on or below the diagonal only in a symmetric matrix; write its lower triangle");
    }
    if (h_.symmetry == Symmetry::skew && entry.row == entry.col && entry.value != T(0)) {
      wrong(line, "a zero diagonal in a skew-symmetric matrix");
    }
    if (h_.symmetry == Symmetry::hermitian && entry.row == entry.col && std::imag(entry.value) != 0) {
      wrong(line, "a real diagonal in a hermitian matrix");
    }
  }

  T mirrored(T x) const {
    if constexpr (!std::is_floating_point_v<T>) {
      if (h_.symmetry == Symmetry::hermitian) {
        return std::conj(x);
      }
    }
    return h_.symmetry == Symmetry::skew ? -x : x;
  }

  std::string const& path_;
  MtxHeader const& h_;
  std::int64_t lines_;
  ArrayPlace place_;
};

}  // namespace

std::int64_t count_mtx_lines(std::string const& path, MtxHeader const& header, int part, int parts) {
  auto const file = File::open(path);
  auto lines = lines_of(file, header, part, parts);
  std::int64_t count = 0;
  while (auto const line = lines.next()) {
    count += is_data(line->text) ? 1 : 0;
  }
  return count;
}

template <class T>
std::vector<Entry<T>> read_mtx_part(std::string const& path, MtxHeader const& header, int part, int parts,
                                    std::int64_t lines_before, std::int64_t* lines_read) {
  if (header.complex && std::is_floating_point_v<T>) {
    throw Error(ErrorKind::argument,
                fmt::format("'{}' holds complex numbers: expected a complex matrix to read them into", path));
  }
  ensure(lines_before >= 0, "lines_before", lines_before, "a number of lines >= 0");
  auto const file = File::open(path);
  auto lines = lines_of(file, header, part, parts);
  std::vector<Entry<T>> entries;
  auto const mirrors = header.symmetry == Symmetry::general ? 1 : 2;
  entries.reserve(static_cast<std::size_t>(
      std::min(header.entries / parts, (header.file_bytes - header.data_offset) / parts / 2 + 16) * mirrors));
  PartParser<T> parser(path, header, lines_before);
  std::int64_t count = 0;
  while (auto const line = lines.next()) {
    if (is_data(line->text)) {
      parser.parse(*line, entries);
      ++count;
    }
  }
  if (lines_read != nullptr) {
    *lines_read = count;
  }
  return entries;
}

#define ALLPORT_READ_MTX(T)                                                                                  \
  template std::vector<Entry<T>> read_mtx_part(std::string const&, MtxHeader const&, int, int, std::int64_t, \
                                               std::int64_t*)
ALLPORT_READ_MTX(float);
ALLPORT_READ_MTX(double);
ALLPORT_READ_MTX(std::complex<float>);
ALLPORT_READ_MTX(std::complex<double>);
#undef ALLPORT_READ_MTX

}  // namespace allport::io
