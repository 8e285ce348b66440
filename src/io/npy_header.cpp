#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "allport/io.h"
#include "file.h"
#include "npy_dict.h"

namespace allport::io {
namespace {

struct TypeName {
  std::string_view name;
  FileType type;
};

constexpr std::array<TypeName, 14> type_names{{{"f4", FileType::f4},
                                               {"f8", FileType::f8},
                                               {"c8", FileType::c8},
                                               {"c16", FileType::c16},
                                               {"i1", FileType::i1},
                                               {"i2", FileType::i2},
                                               {"i4", FileType::i4},
                                               {"i8", FileType::i8},
                                               {"u1", FileType::u1},
                                               {"u2", FileType::u2},
                                               {"u4", FileType::u4},
                                               {"u8", FileType::u8},
                                               {"b1", FileType::b1},
                                               {"f2", FileType::f2}}};

constexpr std::string_view magic("\x93NUMPY", 6);
constexpr std::int64_t longest_header = 1 << 20;  // bytes; numpy writes 118 for a matrix

// "<f8": type f8, and whether its byte order is the other one.
std::pair<FileType, bool> parse_descr(std::string const& path, std::string_view descr) {
  auto const order = descr.empty() ? '\0' : descr.front();
  auto const ordered = std::string_view("<>|=").find(order) != std::string_view::npos && order != '\0';
  auto const name = descr.substr(ordered ? 1 : 0);
  if (name.starts_with('O')) {
    fail(path,
         fmt::format("dtype '{}' holds Python objects, which are never unpickled; save numbers instead", shown(descr)));
  }
  for (auto const& known : type_names) {
    if (known.name == name) {
      constexpr auto other = std::endian::native == std::endian::little ? '>' : '<';
      auto const several = bytes_of(known.type) > 1;
      if (several && order == '|') {
        break;
      }
      return {known.type, several && order == other};
    }
  }
  fail(path, fmt::format("dtype '{}': expected one of f2 f4 f8 c8 c16 i1 i2 i4 i8 u1 u2 u4 u8 b1, as in '<f8'",
                         shown(descr)));
}

std::uint64_t little_endian(std::span<std::byte const> bytes) {
  std::uint64_t value = 0;
  for (std::size_t k = bytes.size(); k-- > 0;) {
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[k]);
  }
  return value;
}

// End of rows x cols elements after the header, in bytes; nothing on overflow.
std::optional<std::int64_t> end_of_data(NpyHeader const& h) {
  std::int64_t elements = 0;
  std::int64_t end = 0;
  if (__builtin_mul_overflow(h.rows, h.cols, &elements) || __builtin_mul_overflow(elements, bytes_of(h.type), &end) ||
      __builtin_add_overflow(end, h.data_offset, &end)) {
    return std::nullopt;
  }
  return end;
}

void set_shape(std::string const& path, NpyHeader& header, std::vector<std::int64_t> const& shape) {
  if (shape.empty()) {
    fail(path, "0-dimensional array: expected a matrix or a vector; reshape it to (1, 1)");
  }
  if (shape.size() > 2) {
    fail(path, fmt::format("{}-dimensional array: expected a matrix or a vector; reshape it", shape.size()));
  }
  header.dimensions = static_cast<int>(shape.size());
  header.rows = shape[0];
  header.cols = shape.size() == 2 ? shape[1] : 1;
}

}  // namespace

std::int64_t bytes_of(FileType type) {
  switch (type) {
    case FileType::i1:
    case FileType::u1:
    case FileType::b1:
      return 1;
    case FileType::i2:
    case FileType::u2:
    case FileType::f2:
      return 2;
    case FileType::f4:
    case FileType::i4:
    case FileType::u4:
      return 4;
    case FileType::c16:
      return 16;
    default:
      return 8;
  }
}

NpyHeader read_npy_header(std::string const& path) {
  auto const file = File::open(path);
  std::array<std::byte, 12> head{};
  auto const got = file.read_some(head, 0);
  auto const known = std::min(got, magic.size());
  if (std::memcmp(head.data(), magic.data(), known) != 0 || got == 0) {
    fail(path, got == 0 ? "empty: 10 bytes of .npy header needed, 0 there"
                        : "not a .npy file: it does not begin with \\x93NUMPY");
  }
  auto const major = got > 6 ? std::to_integer<int>(head[6]) : 1;
  if (major < 1 || major > 3) {
    fail(path, fmt::format(".npy version {}: expected 1, 2 or 3", major));
  }
  auto const prefix = major == 1 ? std::size_t(10) : std::size_t(12);
  file.read(std::span(head).first(prefix), 0);
  auto const length = static_cast<std::int64_t>(little_endian(std::span(head).subspan(8, prefix - 8)));
  if (length > longest_header) {
    fail(path, fmt::format("header of {} bytes: expected at most {}", length, longest_header));
  }
  std::string text(static_cast<std::size_t>(length), ' ');
  file.read(std::as_writable_bytes(std::span(text)), static_cast<std::int64_t>(prefix));
  auto const dict = parse_npy_dict(path, text);
  NpyHeader header;
  std::tie(header.type, header.swapped) = parse_descr(path, dict.descr);
  set_shape(path, header, dict.shape);
  header.fortran_order = dict.fortran_order;
  header.data_offset = static_cast<std::int64_t>(prefix) + length;
  auto const end = end_of_data(header);
  if (!end) {
    fail(path, fmt::format("{} x {} elements: more than a file can hold", header.rows, header.cols));
  }
  if (auto const size = file.size(); size < *end) {
    fail(path, fmt::format("truncated: {} bytes needed for {} x {} elements of {} bytes, {} there", *end, header.rows,
                           header.cols, bytes_of(header.type), size));
  }
  return header;
}

NpyHeader create_npy(std::string const& path, std::int64_t rows, std::int64_t cols, FileType type, bool fortran_order) {
  ensure(rows >= 0, "rows", rows, "a number of rows >= 0");
  ensure(cols >= 0, "cols", cols, "a number of columns >= 0");
  auto const name = type_names[static_cast<std::size_t>(type)].name;
  auto const order = bytes_of(type) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
  auto text = fmt::format("{{'descr': '{}{}', 'fortran_order': {}, 'shape': ({}, {}), }}", order, name,
                          fortran_order ? "True" : "False", rows, cols);
  // As in numpy, data begin at a multiple of 64 bytes, and the header ends with a newline.
  constexpr std::size_t prefix = 10;
  text.append((64 - (prefix + text.size() + 1) % 64) % 64, ' ');
  text.push_back('\n');
  auto head = std::string(magic) + std::string("\x01\x00", 2);
  head.push_back(static_cast<char>(text.size() % 256));
  head.push_back(static_cast<char>(text.size() / 256));
  head += text;
  NpyHeader header{.rows = rows,
                   .cols = cols,
                   .type = type,
                   .fortran_order = fortran_order,
                   .data_offset = static_cast<std::int64_t>(head.size())};
  auto const end = end_of_data(header);
  ensure(end.has_value(), "rows x cols", fmt::format("{} x {}", rows, cols), "as many elements as a file can hold");
  auto file = File::create(path, *end);
  file.write(std::as_bytes(std::span(head)), 0);
  file.close();
  return header;
}

}  // namespace allport::io
