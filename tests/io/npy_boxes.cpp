// Boxes of .npy files: elements placed in the file by hand, in every order, type and direction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "allport/io.h"
#include "io/files.h"

namespace allport::io {
namespace {

using samples::expect_error;
using samples::Folder;

// A version 1.0 file of given elements.
std::string npy(std::string const& descr, bool fortran, std::int64_t rows, std::int64_t cols, auto&& element) {
  auto dict = "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': (" +
              std::to_string(rows) + ", " + std::to_string(cols) + "), }\n";
  auto bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dict.size()) + '\0' + dict;
  for (std::int64_t k = 0; k < rows * cols; ++k) {
    bytes += fortran ? element(k % rows, k / rows) : element(k / cols, k % cols);
  }
  return bytes;
}

template <class Raw>
std::string raw(Raw value, bool reversed = false) {
  std::string bytes(sizeof(Raw), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Raw));
  if (reversed) {
    std::ranges::reverse(bytes);
  }
  return bytes;
}

double at(std::int64_t i, std::int64_t j) { return static_cast<double>(i * 1000 + j); }

// Reads a product of ranges and compares every element; memory beside the box must stay as it was.
template <class T>
void expect_boxes(std::string const& path, std::vector<Range> const& rows, std::vector<Range> const& cols,
                  bool transposed, std::int64_t spare, auto&& value) {
  std::vector<std::int64_t> i_of, j_of;
  for (auto const& r : rows) {
    for (auto i = r.begin; i < r.end; ++i) i_of.push_back(i);
  }
  for (auto const& c : cols) {
    for (auto j = c.begin; j < c.end; ++j) j_of.push_back(j);
  }
  auto const contiguous = static_cast<std::int64_t>(transposed ? j_of.size() : i_of.size());
  auto const others = static_cast<std::int64_t>(transposed ? i_of.size() : j_of.size());
  auto const ld = std::max<std::int64_t>(1, contiguous) + spare;
  std::vector<T> expected(static_cast<std::size_t>(ld * others), T(-5));
  for (std::size_t i = 0; i < i_of.size(); ++i) {
    for (std::size_t j = 0; j < j_of.size(); ++j) {
      auto const l = static_cast<std::size_t>(ld);
      expected[transposed ? j + i * l : i + j * l] = value(i_of[i], j_of[j]);
    }
  }
  std::vector<T> out(expected.size(), T(-5));
  read_npy_boxes<T>(path, read_npy_header(path), rows, cols, out.data(), ld, transposed);
  EXPECT_TRUE(out == expected) << "box of " << i_of.size() << " x " << j_of.size() << " transposed " << transposed;
}

std::vector<std::vector<Range>> const choices(std::int64_t n) {
  return {{{0, n}}, {{n / 3, n / 2}}, {{n - 1, n}}, {{2, 2}}, {}, {{0, 3}, {3, 5}, {n / 2, n / 2 + 1}, {n - 4, n - 1}}};
}

TEST(NpyBoxes, EveryOrderAndDirection) {
  Folder folder;
  for (bool const fortran : {false, true}) {
    for (bool const big : {false, true}) {
      std::int64_t const m = 61, n = 47;
      auto const path = folder.file(
          "a.npy", npy(big ? ">f8" : "<f8", fortran, m, n, [&](auto i, auto j) { return raw(at(i, j), big); }));
      for (auto const& rows : choices(m)) {
        for (auto const& cols : choices(n)) {
          for (bool const transposed : {false, true}) {
            expect_boxes<double>(path, rows, cols, transposed, 0, at);
            expect_boxes<float>(path, rows, cols, transposed, 2, at);
            expect_boxes<std::complex<double>>(path, rows, cols, transposed, 1, at);
          }
        }
      }
    }
  }
}

TEST(NpyBoxes, LargerThanATileAndAChunk) {
  Folder folder;
  // 22 MB: lines of 40000 elements are several tiles wide, single ones are read in several chunks.
  std::int64_t const m = 71, n = 40000;
  for (bool const fortran : {false, true}) {
    auto const path = folder.file(
        "large.npy", npy("<f8", fortran, m, n, [&](auto i, auto j) { return raw(static_cast<double>(i * n + j)); }));
    auto const value = [&](std::int64_t i, std::int64_t j) { return static_cast<double>(i * n + j); };
    std::vector<Range> cyclic_cols, cyclic_rows;
    for (std::int64_t j = 32; j < n; j += 96) cyclic_cols.push_back({j, std::min(j + 32, n)});
    for (std::int64_t i = 0; i < m; i += 3) cyclic_rows.push_back({i, i + 1});
    for (bool const transposed : {false, true}) {
      expect_boxes<double>(path, {{0, m}}, {{0, n}}, transposed, 0, value);
      expect_boxes<double>(path, {{40, m}}, {{0, n}}, transposed, 3, value);
      expect_boxes<double>(path, {{0, m}}, {{1, n - 1}}, transposed, 0, value);
      expect_boxes<double>(path, {{0, m}}, cyclic_cols, transposed, 0, value);
      expect_boxes<double>(path, cyclic_rows, {{0, n}}, transposed, 0, value);
      expect_boxes<double>(path, cyclic_rows, cyclic_cols, transposed, 0, value);
      expect_boxes<std::complex<double>>(path, cyclic_rows, {{0, n}}, transposed, 0, value);
      expect_boxes<std::complex<float>>(path, {{0, m}}, {{0, n}}, transposed, 0, [&](auto i, auto j) {
        return std::complex<float>(static_cast<float>(value(i, j)));
      });
    }
  }
}

template <class Raw>
void expect_integers(std::string const& descr, Raw low, Raw high, bool reversed) {
  Folder folder;
  auto const path =
      folder.file("i.npy", npy(descr, false, 1, 2, [&](auto, auto j) { return raw(j == 0 ? low : high, reversed); }));
  auto const value = [&](std::int64_t, std::int64_t j) { return static_cast<double>(j == 0 ? low : high); };
  expect_boxes<double>(path, {{0, 1}}, {{0, 2}}, false, 0, value);
  expect_boxes<std::complex<double>>(path, {{0, 1}}, {{0, 2}}, true, 0, value);
  expect_boxes<float>(path, {{0, 1}}, {{0, 2}}, false, 0,
                      [&](auto, auto j) { return static_cast<float>(j == 0 ? low : high); });
}

TEST(NpyBoxes, IntegersConvert) {
  expect_integers<std::int8_t>("|i1", -128, 127, false);
  expect_integers<std::uint8_t>("|u1", 0, 255, false);
  expect_integers<std::int16_t>("<i2", -32768, 32767, false);
  expect_integers<std::uint16_t>(">u2", 1, 65535, true);
  expect_integers<std::int32_t>(">i4", INT32_MIN, INT32_MAX, true);
  expect_integers<std::uint32_t>("<u4", 0, UINT32_MAX, false);
  expect_integers<std::int64_t>("<i8", INT64_MIN, INT64_MAX, false);
  expect_integers<std::uint64_t>(">u8", 3, UINT64_MAX, true);
}

TEST(NpyBoxes, BoolsAndHalvesConvert) {
  Folder folder;
  auto const flags =
      folder.file("b.npy", npy("|b1", false, 1, 2, [](auto, auto j) { return std::string(1, j ? 1 : 0); }));
  expect_boxes<double>(flags, {{0, 1}}, {{0, 2}}, false, 0, [](auto, auto j) { return j ? 1.0 : 0.0; });
  // Bits and values of IEEE 754 binary16: 1, -2, 65504, the smallest denormal, the smallest normal, 1/3, -0.
  std::vector<std::uint16_t> const bits{0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x3555, 0x8000};
  std::vector<double> const values{1, -2, 65504, 5.9604644775390625e-8, 6.103515625e-5, 0.333251953125, -0.0};
  auto const n = static_cast<std::int64_t>(bits.size());
  for (bool const big : {false, true}) {
    auto const path = folder.file("h.npy", npy(big ? ">f2" : "<f2", false, 1, n, [&](auto, auto j) {
                                    return raw(bits[static_cast<std::size_t>(j)], big);
                                  }));
    expect_boxes<double>(path, {{0, 1}}, {{0, n}}, false, 0,
                         [&](auto, auto j) { return values[static_cast<std::size_t>(j)]; });
  }
  auto const odd = folder.file("o.npy", npy("<f2", false, 1, 3, [](auto, auto j) {
                                 return raw(std::uint16_t(j == 0 ? 0x7c00 : j == 1 ? 0xfc00 : 0x7e00));
                               }));
  double out[3];
  read_npy_box<double>(odd, read_npy_header(odd), {0, 1}, {0, 3}, out, 1);
  EXPECT_EQ(out[0], INFINITY);
  EXPECT_EQ(out[1], -INFINITY);
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST(NpyBoxes, ComplexNumbersSwapEachPart) {
  Folder folder;
  for (bool const big : {false, true}) {
    auto const path = folder.file("c.npy", npy(big ? ">c8" : "<c8", true, 3, 2, [&](auto i, auto j) {
                                    return raw(static_cast<float>(i), big) + raw(static_cast<float>(-j), big);
                                  }));
    auto const value = [](auto i, auto j) {
      return std::complex<double>(static_cast<double>(i), static_cast<double>(-j));
    };
    expect_boxes<std::complex<double>>(path, {{0, 3}}, {{0, 2}}, false, 0, value);
    expect_boxes<std::complex<float>>(path, {{0, 3}}, {{0, 2}}, true, 1,
                                      [&](auto i, auto j) { return std::complex<float>(value(i, j)); });
    double out[6];
    expect_error(
        [&] {
          read_npy_box<double>(path, read_npy_header(path), {0, 3}, {0, 2}, out, 3);
        },
        {path, "complex"}, ErrorKind::argument);
  }
}

TEST(NpyBoxes, RefusesWrongRangesAndFilesThatShrank) {
  Folder folder;
  auto const path = folder.file("a.npy", npy("<f8", false, 4, 3, [](auto i, auto j) { return raw(at(i, j)); }));
  auto const header = read_npy_header(path);
  double out[12];
  auto const argument = ErrorKind::argument;
  expect_error([&] { read_npy_box<double>(path, header, {0, 5}, {0, 3}, out, 5); }, {"rows = '0..5'"}, argument);
  expect_error([&] { read_npy_box<double>(path, header, {0, 4}, {-1, 3}, out, 4); }, {"columns = '-1..3'"}, argument);
  expect_error([&] { read_npy_box<double>(path, header, {2, 1}, {0, 3}, out, 4); }, {"rows"}, argument);
  expect_error([&] { read_npy_box<double>(path, header, {0, 4}, {0, 3}, out, 3); }, {"ld = 3", "at least 4"}, argument);
  expect_error([&] { read_npy_box<double>(path, header, {0, 4}, {0, 3}, out, 2, true); }, {"ld = 2"}, argument);
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(header.data_offset) + 95);
  expect_error(
      [&] {
        read_npy_box<double>(path, header, {0, 4}, {0, 3}, out, 4);
      },
      {"truncated", std::to_string(header.data_offset + 96) + " bytes needed"});
}

template <class T>
void expect_written(FileType type, std::string const& descr, std::function<std::string(T)> const& bytes_of_element) {
  Folder folder;
  std::int64_t const m = 37, n = 70;
  auto const value = [](std::int64_t i, std::int64_t j) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(at(i, j));
    } else {
      return T(static_cast<typename T::value_type>(at(i, j)), static_cast<typename T::value_type>(j - i));
    }
  };
  // Four processes' worth of boxes: cyclic rows and columns, each written on its own.
  std::vector<Range> const rows[2]{{{0, 5}, {10, 11}, {20, m}}, {{5, 10}, {11, 20}}};
  std::vector<Range> const cols[2]{{{0, 33}, {34, 35}}, {{33, 34}, {35, n}}};
  for (bool const fortran : {false, true}) {
    for (bool const transposed : {false, true}) {
      auto const path = folder.path("w.npy");
      auto const header = create_npy(path, m, n, type, fortran);
      for (auto const& r : rows) {
        for (auto const& c : cols) {
          std::int64_t const ld = 80;
          std::vector<T> in(80 * 80, T(-1));
          std::int64_t p = 0;
          for (auto const& rr : r) {
            for (auto i = rr.begin; i < rr.end; ++i, ++p) {
              std::int64_t q = 0;
              for (auto const& cc : c) {
                for (auto j = cc.begin; j < cc.end; ++j, ++q) {
                  in[static_cast<std::size_t>(transposed ? q + p * ld : p + q * ld)] = value(i, j);
                }
              }
            }
          }
          write_npy_boxes<T>(path, header, r, c, in.data(), ld, transposed);
        }
      }
      auto const expected = npy(descr, fortran, m, n, [&](auto i, auto j) { return bytes_of_element(value(i, j)); });
      auto const written = samples::contents(path);
      auto const data = static_cast<std::size_t>(m * n * bytes_of(type));
      ASSERT_EQ(written.size(), static_cast<std::size_t>(header.data_offset) + data);
      EXPECT_TRUE(written.substr(written.size() - data) == expected.substr(expected.size() - data))
          << descr << " fortran " << fortran << " transposed " << transposed;
    }
  }
}

TEST(NpyBoxes, WritingCoversTheFileAndNothingTwice) {
  expect_written<double>(FileType::f8, "<f8", [](double x) { return raw(x); });
  expect_written<double>(FileType::f4, "<f4", [](double x) { return raw(static_cast<float>(x)); });
  expect_written<float>(FileType::f4, "<f4", [](float x) { return raw(x); });
  expect_written<float>(FileType::c16, "<c16", [](float x) { return raw(static_cast<double>(x)) + raw(0.0); });
  expect_written<std::complex<float>>(FileType::c8, "<c8", [](auto x) { return raw(x.real()) + raw(x.imag()); });
  expect_written<std::complex<double>>(FileType::c16, "<c16", [](auto x) { return raw(x.real()) + raw(x.imag()); });
}

TEST(NpyBoxes, WritingLeavesOtherBytesAlone) {
  Folder folder;
  auto const path = folder.path("w.npy");
  auto const header = create_npy(path, 300, 300, FileType::f8, false);
  std::vector<double> const ones(300 * 300, 1.0);
  std::vector<double> const twos(300 * 300, 2.0);
  write_npy_box<double>(path, header, {0, 300}, {0, 300}, ones.data(), 300);
  write_npy_box<double>(path, header, {17, 211}, {3, 297}, twos.data(), 300);
  expect_boxes<double>(path, {{0, 300}}, {{0, 300}}, false, 0,
                       [](auto i, auto j) { return i >= 17 && i < 211 && j >= 3 && j < 297 ? 2.0 : 1.0; });
}

TEST(NpyBoxes, RefusesToWriteWhatWouldLoseNumbers) {
  Folder folder;
  std::complex<double> const z[1]{};
  double const x[1]{};
  auto const real = folder.path("r.npy");
  auto header = create_npy(real, 1, 1, FileType::f8, false);
  expect_error([&] { write_npy_box(real, header, {0, 1}, {0, 1}, z, 1); }, {real, "real"}, ErrorKind::argument);
  header.swapped = true;
  expect_error(
      [&] {
        write_npy_box(real, header, {0, 1}, {0, 1}, x, 1);
      },
      {real, "byte order"}, ErrorKind::unsupported);
  auto const integers = folder.path("i.npy");
  auto const other = create_npy(integers, 1, 1, FileType::i4, false);
  expect_error(
      [&] {
        write_npy_box(integers, other, {0, 1}, {0, 1}, x, 1);
      },
      {integers, "integers"}, ErrorKind::unsupported);
}

}  // namespace
}  // namespace allport::io
