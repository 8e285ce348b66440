#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "allport/io.h"
#include "file.h"
#include "mtx_lines.h"

namespace allport::io {
namespace {

using Symmetry = MtxHeader::Symmetry;

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

[[noreturn]] void wrong_line(std::string const& path, Lines::Line const& line, std::string_view expected) {
  fail(path, fmt::format("line at byte {}: \"{}\": expected {}", line.offset, shown(line.text), expected));
}

void read_banner(std::string const& path, Lines::Line const& line, MtxHeader& header) {
  Words words(line.text);
  if (line.text.starts_with("\x1f\x8b") || line.text.starts_with("BZh") || line.text.starts_with("\xfd\x37zXZ")) {
    fail(path, "is compressed, and each rank reads its own part of a file; unpack it first (gunzip, bunzip2 or unxz)");
  }
  if (auto const first = lower(words.word()); first != "%%matrixmarket" && first != "%matrixmarket") {
    fail(path, "not a Matrix Market file: it does not begin with %%MatrixMarket");
  }
  auto const object = lower(words.word());
  auto const format = lower(words.word());
  auto const field = lower(words.word());
  auto const symmetry = lower(words.word());
  if (object != "matrix" || !words.finished()) {
    wrong_line(path, line, "'%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  }
  if (format != "coordinate" && format != "array") {
    wrong_line(path, line, "the format coordinate or array");
  }
  header.natural = field == "unsigned-integer";
  if (field != "real" && field != "double" && field != "integer" && field != "complex" && field != "pattern" &&
      !header.natural) {
    wrong_line(path, line, "the field real, integer, unsigned-integer, complex or pattern");
  }
  header.array = format == "array";
  header.complex = field == "complex";
  header.pattern = field == "pattern";
  header.integer = field == "integer";
  if (symmetry == "symmetric") {
    header.symmetry = Symmetry::symmetric;
  } else if (symmetry == "skew-symmetric") {
    header.symmetry = Symmetry::skew;
  } else if (symmetry == "hermitian") {
    header.symmetry = Symmetry::hermitian;
  } else if (symmetry != "general") {
    wrong_line(path, line, "the symmetry general, symmetric, skew-symmetric or hermitian");
  }
  if (header.pattern && (header.array || header.symmetry == Symmetry::skew)) {
    wrong_line(path, line, "a pattern to be coordinate and general or symmetric");
  }
  if (header.symmetry == Symmetry::hermitian && !header.complex) {
    wrong_line(path, line, "a hermitian matrix to be complex");
  }
}

// Number of elements in an array file: all, or the lower triangle with or without the diagonal.
std::int64_t array_entries(std::string const& path, Lines::Line const& line, MtxHeader const& h) {
  std::int64_t entries = 0;
  if (__builtin_mul_overflow(h.rows, h.symmetry == Symmetry::general ? h.cols : h.cols + 1, &entries)) {
    wrong_line(path, line, "as many elements as a file can hold");
  }
  switch (h.symmetry) {
    case Symmetry::general:
      return entries;
    case Symmetry::skew:
      return entries / 2 - h.rows;
    default:
      return entries / 2;
  }
}

}  // namespace

MtxHeader read_mtx_header(std::string const& path) {
  auto const file = File::open(path);
  MtxHeader header;
  header.file_bytes = file.size();
  Lines lines(file, 0, header.file_bytes);
  auto line = lines.next();
  if (!line) {
    fail(path, "empty: expected a line that begins with %%MatrixMarket");
  }
  read_banner(path, *line, header);
  do {
    line = lines.next();
  } while (line && !is_data(line->text));
  if (!line) {
    fail(path, fmt::format("truncated: the size line is needed, the file ends after {} bytes", header.file_bytes));
  }
  Words words(line->text);
  header.rows = words.integer();
  header.cols = words.integer();
  header.entries = header.array ? 0 : words.integer();
  constexpr auto most = std::int64_t(1) << 60;
  if (!words.finished() || header.rows > most || header.cols > most || header.rows < 0 || header.cols < 0 ||
      header.entries < 0) {
    wrong_line(path, *line, header.array ? "the size line: rows columns" : "the size line: rows columns entries");
  }
  if (header.symmetry != Symmetry::general && header.rows != header.cols) {
    wrong_line(path, *line, "as many rows as columns in a symmetric matrix");
  }
  if (header.entries > 0 && (header.rows == 0 || header.cols == 0)) {
    wrong_line(path, *line, "no entries in a matrix without elements");
  }
  if (header.array) {
    header.entries = array_entries(path, *line, header);
  }
  header.data_offset = lines.offset();
  return header;
}

}  // namespace allport::io
