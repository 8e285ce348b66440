// Matrix Market files, written by hand, read in every number of parts.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "allport/io.h"
#include "io/files.h"

namespace allport::io {
namespace {

using samples::expect_error;
using samples::Folder;
using Complex = std::complex<double>;

template <class T>
using Sums = std::map<std::pair<std::int64_t, std::int64_t>, T>;

// Reads in `parts` parts and sums duplicates; every data line must be in exactly one part.
template <class T>
Sums<T> read_sums(std::string const& path, int parts) {
  auto const header = read_mtx_header(path);
  Sums<T> sums;
  std::int64_t before = 0;
  for (int p = 0; p < parts; ++p) {
    std::int64_t lines = -1;
    for (auto const& e : read_mtx_part<T>(path, header, p, parts, before, &lines)) {
      sums[{e.row, e.col}] += e.value;
    }
    EXPECT_EQ(count_mtx_lines(path, header, p, parts), lines);
    before += lines;
  }
  EXPECT_EQ(before, header.entries);
  return sums;
}

template <class T>
void expect_sums(std::string const& text, Sums<T> const& expected) {
  Folder folder;
  for (auto const* end : {"\n", "\r\n"}) {
    std::string ended;
    for (auto const c : text) {
      ended += c == '\n' ? end : std::string(1, c);
    }
    auto const path = folder.file("a.mtx", ended);
    for (int const parts : {1, 2, 3, 7, 50, 1000}) {
      EXPECT_EQ(read_sums<T>(path, parts), expected) << parts << " parts of\n" << text;
    }
    auto const unended = folder.file("b.mtx", ended.substr(0, ended.find_last_not_of("\r\n") + 1));
    EXPECT_EQ(read_sums<T>(unended, 3), expected);
  }
}

TEST(Mtx, CoordinateWithCommentsBlankLinesAndDuplicates) {
  expect_sums<double>(
      "%%MatrixMarket matrix coordinate real general\n% made by hand\n\n%\n 3 4\t5 \n1 1 1.5\n% a comment\n  3 4 "
      "-2e3\n\n"
      "2 2 +.25\n2\t2\t1\n3 1 inf\n",
      {{{0, 0}, 1.5}, {{2, 3}, -2000.0}, {{1, 1}, 1.25}, {{2, 0}, INFINITY}});
}

TEST(Mtx, BannerInAnyCase) {
  expect_sums<double>("%%matrixmarket MATRIX Coordinate Integer GENERAL\n2 2 1\n1 2 -7\n", {{{0, 1}, -7.0}});
}

// What others write, and SciPy reads.
TEST(Mtx, BannersNumbersAndNotesOfOthers) {
  expect_sums<double>("%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 1\n4 2\n",
                      {{{1, 0}, 1.0}, {{0, 1}, 1.0}, {{2, 0}, 1.0}, {{0, 2}, 1.0}, {{3, 1}, 1.0}, {{1, 3}, 1.0}});
  expect_sums<double>(
      "%%MatrixMarket matrix coordinate real general % of whom\n3 3 3 % size\n1 2 1.0 % note\n3 3 2.0\n1 1 5%x\n",
      {{{0, 1}, 1.0}, {{2, 2}, 2.0}, {{0, 0}, 5.0}});
  expect_sums<double>(
      "%%MatrixMarket  MATRIX    Coordinate    Real General\n\n   3  3         3\n\n1 1  1.0\n2 2       10.5\n3 3      "
      "       1.5e-2\n\n",
      {{{0, 0}, 1.0}, {{1, 1}, 10.5}, {{2, 2}, 0.015}});
  expect_sums<double>(
      "%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 2\n1 1 18446744073709551615\n2 2 5\n",
      {{{0, 0}, 18446744073709551615.0}, {{1, 1}, 5.0}});
  expect_sums<double>("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 2 1.5D+01\n3 3 -2.0d0\n1 1 2d-1% note\n",
                      {{{0, 1}, 15.0}, {{2, 2}, -2.0}, {{0, 0}, 0.2}});
}

TEST(Mtx, PatternsAreOnes) {
  expect_sums<float>("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
                     {{{1, 0}, 1.0F}, {{0, 1}, 1.0F}, {{2, 2}, 1.0F}});
}

TEST(Mtx, SkewAndHermitianMirrorsDiffer) {
  expect_sums<double>("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 1 -1\n",
                      {{{1, 0}, 4.0}, {{0, 1}, -4.0}, {{2, 0}, -1.0}, {{0, 2}, 1.0}});
  expect_sums<Complex>("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n",
                       {{{0, 0}, {3, 0}}, {{1, 0}, {1, 2}}, {{0, 1}, {1, -2}}});
  expect_sums<Complex>("%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 3 1\n2 1 1 2\n",
                       {{{0, 0}, {3, 1}}, {{1, 0}, {1, 2}}, {{0, 1}, {1, 2}}});
  expect_sums<Complex>("%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n",
                       {{{1, 0}, {1, 2}}, {{0, 1}, {-1, -2}}});
  expect_sums<std::complex<float>>("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 1\n", {{{1, 0}, {1, 0}}});
}

TEST(Mtx, ArraysAreColumnByColumn) {
  expect_sums<double>("%%MatrixMarket matrix array real general\n% c\n2 3\n1\n2\n3\n% c\n4\n\n5\n6\n",
                      {{{0, 0}, 1.0}, {{1, 0}, 2.0}, {{0, 1}, 3.0}, {{1, 1}, 4.0}, {{0, 2}, 5.0}, {{1, 2}, 6.0}});
  expect_sums<double>("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", {{{0, 0}, 1.0},
                                                                                              {{1, 0}, 2.0},
                                                                                              {{0, 1}, 2.0},
                                                                                              {{2, 0}, 3.0},
                                                                                              {{0, 2}, 3.0},
                                                                                              {{1, 1}, 4.0},
                                                                                              {{2, 1}, 5.0},
                                                                                              {{1, 2}, 5.0},
                                                                                              {{2, 2}, 6.0}});
  expect_sums<double>("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
                      {{{1, 0}, 1.0}, {{0, 1}, -1.0}, {{2, 0}, 2.0}, {{0, 2}, -2.0}, {{2, 1}, 3.0}, {{1, 2}, -3.0}});
  expect_sums<Complex>("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 -3\n4 0\n",
                       {{{0, 0}, {1, 0}}, {{1, 0}, {2, -3}}, {{0, 1}, {2, 3}}, {{1, 1}, {4, 0}}});
}

TEST(Mtx, NothingToRead) {
  expect_sums<double>("%%MatrixMarket matrix coordinate real general\n5 4 0\n", {});
  expect_sums<double>("%%MatrixMarket matrix array real general\n0 7\n", {});
  expect_sums<double>("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", {});
}

TEST(Mtx, NumbersAreReadToTheLastBit) {
  Folder folder;
  std::mt19937_64 random(5);
  std::string text;
  Sums<double> expected;
  std::int64_t const n = 3000;
  for (std::int64_t k = 0; k < n; ++k) {
    auto const x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600) - 300);
    char line[80];
    std::snprintf(line, sizeof line, "%lld %lld %.17g\n", static_cast<long long>(k + 1), static_cast<long long>(k + 1),
                  x);
    text += line;
    expected[{k, k}] = x;
  }
  auto const path = folder.file("n.mtx", "%%MatrixMarket matrix coordinate real general\n3000 3000 3000\n" + text);
  for (int const parts : {1, 4, 13}) {
    EXPECT_EQ(read_sums<double>(path, parts), expected);
  }
}

TEST(Mtx, FilesOfManyBlocks) {
  Folder folder;
  // 3 MB of lines: the reader's blocks begin and end within lines.
  std::string text = "%%MatrixMarket matrix array integer general\n700 600\n";
  for (int k = 0; k < 700 * 600; ++k) {
    text += std::to_string(k * 7) + (k % 5 == 0 ? " \r\n" : "\n");
  }
  auto const path = folder.file("b.mtx", text);
  for (int const parts : {1, 3, 16}) {
    auto const sums = read_sums<double>(path, parts);
    ASSERT_EQ(sums.size(), 700U * 600U);
    int k = 0;
    std::int64_t wrong = 0;
    for (std::int64_t j = 0; j < 600; ++j) {
      for (std::int64_t i = 0; i < 700; ++i, ++k) {
        wrong += sums.at({i, j}) != 7.0 * k;
      }
    }
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Mtx, VerySmallNumbersUnderflowAndTooLargeOnesAreErrors) {
  expect_sums<double>("%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 1e-400\n1 2 4e-320\n",
                      {{{0, 0}, 0.0}, {{0, 1}, 4e-320}});
  Folder folder;
  auto const path = folder.file("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1e400\n");
  expect_error([&] { (void)read_mtx_part<double>(path, read_mtx_header(path), 0, 1); }, {"1 1 1e400"});
  auto const single = folder.file("s.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 1 1e300\n");
  expect_error([&] { (void)read_mtx_part<float>(single, read_mtx_header(single), 0, 1); }, {"single precision"});
}

TEST(Mtx, HeadersThatAreNone) {
  Folder folder;
  auto const refuse = [&](std::string const& text, std::initializer_list<std::string> parts) {
    auto const path = folder.file("bad.mtx", text);
    expect_error([&] { (void)read_mtx_header(path); }, parts);
    expect_error([&] { (void)read_mtx_header(path); }, {path});
  };
  refuse("", {"empty"});
  refuse("1 2 3\n", {"%%MatrixMarket"});
  refuse("\x1f\x8b\x08 and so on", {"compressed", "gunzip"});
  refuse("%%MatrixMarket vector coordinate real general\n1 1 1\n", {"matrix FORMAT"});
  refuse("%%MatrixMarket matrix coordinate real\n1 1 1\n", {"SYMMETRY"});
  refuse("%%MatrixMarket matrix table real general\n1 1 1\n", {"coordinate or array"});
  refuse("%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n", {"field"});
  refuse("%%MatrixMarket matrix coordinate real diagonal\n1 1 1\n", {"symmetry"});
  refuse("%%MatrixMarket matrix array pattern general\n1 1\n", {"pattern"});
  refuse("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n", {"hermitian"});
  refuse("%%MatrixMarket matrix coordinate real general\n% only comments\n", {"truncated", "size line"});
  refuse("%%MatrixMarket matrix coordinate real general\n2 2\n1 1 1\n", {"\"2 2\"", "rows columns entries"});
  refuse("%%MatrixMarket matrix array real general\n2 2 4\n", {"rows columns"});
  refuse("%%MatrixMarket matrix coordinate real general\n-2 2 1\n", {"-2 2 1"});
  refuse("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", {"as many rows as columns"});
  refuse("%%MatrixMarket matrix array real general\n1000000000000 1000000000000\n", {"as many elements"});
}

TEST(Mtx, EveryMalformedLineIsNamed) {
  Folder folder;
  auto const refuse = [&](std::string const& banner, std::string const& size, std::string const& line,
                          std::string const& expected) {
    auto const head = "%%MatrixMarket matrix " + banner + "\n" + size + "\n";
    auto const path = folder.file("bad.mtx", head + line + "\n");
    auto const header = read_mtx_header(path);
    expect_error([&] { (void)read_mtx_part<double>(path, header, 0, 1); },
                 {path, "line at byte " + std::to_string(head.size()), "\"" + line.substr(0, 60), expected});
  };
  auto const general = std::string("coordinate real general");
  for (auto const* line :
       {"1", "1 2", "1 2 3 4", "x 2 3", "1 2 x", "1.5 2 3", "1 2 3x", "1 2 1d5d", "1 2 d5", "1 2 1D400", "1 2 --3",
        "1 2 + 3", "1 2 +-3", "1, 2, 3", "99999999999999999999 1 1", "\x01\x02"}) {
    auto const shown = std::string(line) == "\x01\x02" ? std::string("..") : std::string(line);
    auto const head = "%%MatrixMarket matrix " + general + "\n3 3 1\n";
    auto const path = folder.file("bad.mtx", head + line + "\n");
    expect_error([&] { (void)read_mtx_part<double>(path, read_mtx_header(path), 0, 1); },
                 {path, "\"" + shown + "\"", "expected 'row column value'"});
  }
  refuse(general, "3 3 1", "4 1 1", "a row in 1..3 and a column in 1..3");
  refuse(general, "3 3 1", "1 0 1", "a row in 1..3 and a column in 1..3");
  refuse("coordinate integer general", "3 3 1", "1 1 1.5", "'row column integer'");
  refuse("coordinate pattern general", "3 3 1", "1 1 1", "'row column'");
  refuse("coordinate unsigned-integer general", "3 3 1", "1 1 -1", "'row column integer >= 0'");
  refuse("coordinate unsigned-integer general", "3 3 1", "1 1 18446744073709551616", "'row column integer >= 0'");
  refuse("array real general", "1 1", "1 1", "'value'");
  refuse("coordinate real symmetric", "3 3 1", "1 2 1", "on or below the diagonal");
  refuse("coordinate real skew-symmetric", "3 3 1", "2 2 1", "zero diagonal");
  refuse("array real general", "0 0", "1", "no more than the 0 entries");
  refuse(general, "1 1 0", std::string(100, '7'), "no more than the 0 entries");
  auto const hermitian = folder.file("h.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 1\n");
  expect_error([&] { (void)read_mtx_part<Complex>(hermitian, read_mtx_header(hermitian), 0, 1); }, {"real diagonal"});
  expect_error([&] { (void)read_mtx_part<double>(hermitian, read_mtx_header(hermitian), 0, 1); },
               {hermitian, "complex"}, ErrorKind::argument);
}

TEST(Mtx, TooFewLinesShowInTheirNumber) {
  Folder folder;
  auto const path = folder.file("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n2 2 2\n");
  auto const header = read_mtx_header(path);
  std::int64_t lines = 0;
  EXPECT_EQ(read_mtx_part<double>(path, header, 0, 1, 0, &lines).size(), 2U);
  EXPECT_EQ(lines, 2);
  EXPECT_EQ(header.entries, 5);
}

TEST(Mtx, RefusesPartsThatAreNoneAndFilesThatChanged) {
  Folder folder;
  auto const text = std::string("%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n");
  auto const path = folder.file("a.mtx", text);
  auto const header = read_mtx_header(path);
  auto const argument = ErrorKind::argument;
  expect_error([&] { (void)read_mtx_part<double>(path, header, 2, 2); }, {"part = 2"}, argument);
  expect_error([&] { (void)count_mtx_lines(path, header, 0, 0); }, {"parts = 0"}, argument);
  folder.file("a.mtx", text + "2 2 2\n");
  expect_error([&] { (void)read_mtx_part<double>(path, header, 0, 1); }, {"changed while it was read"});
}

TEST(Mtx, ALineLongerThanAnyMatrixHasIsAnError) {
  Folder folder;
  auto const path =
      folder.file("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n" + std::string(3 << 20, '1'));
  expect_error([&] { (void)read_mtx_part<double>(path, read_mtx_header(path), 0, 1); }, {"longer than"});
}

// Entries of a matrix without elements once ended the process: the place of line 0 was sought among 0 rows.
TEST(Mtx, EntriesInAMatrixWithoutElements) {
  Folder const folder;
  for (auto const* size : {"0 0 3", "0 5 1", "5 0 1"}) {
    auto const path =
        folder.file("a.mtx", std::string("%%MatrixMarket matrix coordinate real general\n") + size + "\n1 1 2.0\n");
    expect_error([&] { (void)read_mtx_header(path); }, {"a.mtx", size, "no entries"});
  }
  for (auto const* text :
       {"coordinate real general\n0 5 0\n", "array real general\n0 5\n", "array real symmetric\n0 0\n"}) {
    auto const path = folder.file("b.mtx", std::string("%%MatrixMarket matrix ") + text);
    EXPECT_TRUE(read_mtx_part<double>(path, read_mtx_header(path), 0, 1).empty());
  }
}

// More entries than any memory holds, which only the size line says.
TEST(Mtx, FewerEntriesThanTheSizeLineSays) {
  Folder const folder;
  auto const path =
      folder.file("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n9 9 9223372036854775807\n2 1 3\n");
  EXPECT_EQ(read_mtx_part<double>(path, read_mtx_header(path), 0, 1).size(), 2);
}

}  // namespace
}  // namespace allport::io
