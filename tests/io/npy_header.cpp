// Headers of .npy files, written byte by byte.
#include <gtest/gtest.h>

#include <algorithm>

#include <random>

#include "allport/io.h"
#include "io/files.h"

namespace allport::io {
namespace {

using samples::expect_error;
using samples::Folder;

std::string head(std::string const& dict, int version = 1) {
  auto const length = dict.size();
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(length & 255);
  bytes += static_cast<char>(length >> 8 & 255);
  if (version > 1) {
    bytes += static_cast<char>(length >> 16 & 255);
    bytes += static_cast<char>(length >> 24);
  }
  return bytes + dict;
}

std::string const plain = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }          \n";

TEST(NpyHeader, VersionsOneToThree) {
  Folder folder;
  for (int const version : {1, 2, 3}) {
    auto const header = read_npy_header(folder.file("a.npy", head(plain, version) + std::string(96, 'x')));
    EXPECT_EQ(header.rows, 3);
    EXPECT_EQ(header.cols, 4);
    EXPECT_EQ(header.dimensions, 2);
    EXPECT_EQ(header.type, FileType::f8);
    EXPECT_FALSE(header.fortran_order);
    EXPECT_FALSE(header.swapped);
    EXPECT_EQ(header.data_offset, static_cast<std::int64_t>(plain.size()) + (version == 1 ? 10 : 12));
  }
}

TEST(NpyHeader, AnyOrderAndSpacingOfThatDict) {
  Folder folder;
  auto const header = read_npy_header(folder.file(
      "a.npy", head("{ \"shape\":(2L,5L) ,'fortran_order' : True,\n\t'descr':\">c16\"}") + std::string(160, 'x')));
  EXPECT_EQ(header.rows, 2);
  EXPECT_EQ(header.cols, 5);
  EXPECT_TRUE(header.fortran_order);
  EXPECT_TRUE(header.swapped);
  EXPECT_EQ(header.type, FileType::c16);
}

TEST(NpyHeader, EveryElementType) {
  Folder folder;
  struct Case {
    std::string descr;
    FileType type;
    std::int64_t bytes;
    bool swapped;
  };
  for (auto const& c :
       {Case{"<f4", FileType::f4, 4, false}, Case{">f8", FileType::f8, 8, true}, Case{"=c8", FileType::c8, 8, false},
        Case{"<c16", FileType::c16, 16, false}, Case{"|i1", FileType::i1, 1, false}, Case{">i2", FileType::i2, 2, true},
        Case{"<i4", FileType::i4, 4, false}, Case{"<i8", FileType::i8, 8, false}, Case{"|u1", FileType::u1, 1, false},
        Case{"<u2", FileType::u2, 2, false}, Case{"<u4", FileType::u4, 4, false}, Case{">u8", FileType::u8, 8, true},
        Case{"|b1", FileType::b1, 1, false}, Case{"<f2", FileType::f2, 2, false}}) {
    auto const dict = "{'descr': '" + c.descr + "', 'fortran_order': False, 'shape': (1, 2)}";
    auto const header =
        read_npy_header(folder.file("a.npy", head(dict) + std::string(static_cast<std::size_t>(2 * c.bytes), 'x')));
    EXPECT_EQ(header.type, c.type) << c.descr;
    EXPECT_EQ(bytes_of(header.type), c.bytes) << c.descr;
    EXPECT_EQ(header.swapped, c.swapped) << c.descr;
  }
}

TEST(NpyHeader, VectorsAreColumnsAndEmptyMatricesAreMatrices) {
  Folder folder;
  auto const vector = read_npy_header(
      folder.file("v.npy", head("{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }") + std::string(20, 'x')));
  EXPECT_EQ(vector.rows, 5);
  EXPECT_EQ(vector.cols, 1);
  EXPECT_EQ(vector.dimensions, 1);
  auto const empty =
      read_npy_header(folder.file("e.npy", head("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 7), }")));
  EXPECT_EQ(empty.rows, 0);
  EXPECT_EQ(empty.cols, 7);
}

TEST(NpyHeader, SaysWhatIsWrong) {
  Folder folder;
  auto const refuse = [&](std::string const& bytes, std::initializer_list<std::string> parts) {
    auto const path = folder.file("bad.npy", bytes);
    expect_error([&] { (void)read_npy_header(path); }, parts);
    expect_error([&] { (void)read_npy_header(path); }, {path});
  };
  auto const dict = [](std::string const& descr, std::string const& shape) {
    return head("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}");
  };
  refuse("", {"empty", "10 bytes"});
  refuse("PK\x03\x04", {"not a .npy file"});
  refuse(std::string("\x93NUMPY\x09\x00\x10\x00", 10), {"version 9"});
  refuse(dict("'|O'", "(1, 2)"), {"Python objects", "never unpickled"});
  refuse(dict("[('a', '<f8')]", "(1, 2)"), {"structured dtype"});
  refuse(dict("'<f16'", "(1, 2)"), {"dtype '<f16'"});
  refuse(dict("'|f8'", "(1, 2)"), {"dtype '|f8'"});
  refuse(dict("'<U4'", "(1, 2)"), {"dtype '<U4'"});
  refuse(dict("''", "(1, 2)"), {"dtype ''"});
  refuse(dict("'<f8'", "()"), {"0-dimensional"});
  refuse(dict("'<f8'", "(1, 2, 3)"), {"3-dimensional"});
  refuse(dict("'<f8'", "(3)"), {"a tuple of one is written (n,)"});
  refuse(dict("'<f8'", "(-3, 1)"), {"integer >= 0"});
  refuse(dict("'<f8'", "(99999999999999999999, 1)"), {"64 bits"});
  refuse(dict("'<f8'", "(4611686018427387904, 4)"), {"more than a file can hold"});
  refuse(dict("'<f8'", "(2, 1)") + std::string(15, 'x'),
         {"truncated: 83 bytes needed for 2 x 1 elements of 8 bytes, 82 there"});
  refuse(head("{'descr': '<f8', 'fortran_order': False}"), {"'shape'"});
  refuse(head("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}"), {"'descr'"});
  refuse(head("{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 1)}"), {"True or False"});
  refuse(head("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), 'more': 1}"), {"'more'"});
  refuse(head("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)} + exit()"), {"only spaces after the dict"});
  refuse(head("{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (1, 1)}"), {"without escapes"});
  refuse(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), {"header of 4294967295 bytes"});
  expect_error([&] { (void)read_npy_header(folder.path("absent.npy")); }, {"absent.npy", "No such file"});
  expect_error([&] { (void)read_npy_header(folder.path("")); }, {"not a regular file"});
}

TEST(NpyHeader, EveryTruncationIsAnErrorWithTheBytesNeededAndThere) {
  Folder folder;
  auto const whole = head(plain) + std::string(96, 'x');
  EXPECT_EQ(read_npy_header(folder.file("whole.npy", whole + "trailing bytes are no error")).rows, 3);
  for (std::size_t n = 1; n < whole.size(); ++n) {
    expect_error([&] { (void)read_npy_header(folder.file("cut.npy", whole.substr(0, n))); },
                 {"truncated", "needed", std::to_string(n) + " there"});
  }
}

TEST(NpyHeader, ChangedBytesGiveAHeaderThatFitsTheFileOrAnError) {
  Folder folder;
  std::mt19937 random(3);
  auto const whole = head(plain) + std::string(96, 'x');
  int errors = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    auto bytes = whole;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      bytes[random() % (10 + plain.size())] = static_cast<char>(random() % 256);
    }
    auto const path = folder.file("changed.npy", bytes);
    try {
      auto const header = read_npy_header(path);
      ASSERT_LE(header.data_offset + header.rows * header.cols * bytes_of(header.type),
                static_cast<std::int64_t>(bytes.size()));
    } catch (Error const&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, 1500);
}

TEST(NpyHeader, ErrorsAreTextWhateverTheFileHolds) {
  Folder const folder;
  for (std::string const dict : {"{'\xff\xc0\x01': 1}", "{'descr': '<\xff', 'fortran_order': True, 'shape': (1, 1)}",
                                 "{'descr': 'O\xfe', 'fortran_order': True, 'shape': (1, 1)}", "\xf0\x9f"}) {
    auto bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(dict.size()) + std::string(1, '\0') + dict;
    try {
      (void)read_npy_header(folder.file("a.npy", bytes));
      ADD_FAILURE() << "expected an error";
    } catch (Error const& e) {
      EXPECT_TRUE(std::ranges::all_of(std::string_view(e.what()), [](unsigned char c) { return c >= 32 && c < 127; }));
    }
  }
}

TEST(NpyHeader, WrittenAsNumpyWritesIt) {
  Folder folder;
  auto const path = folder.path("new.npy");
  auto const made = create_npy(path, 3, 4, FileType::c8, true);
  auto const bytes = samples::contents(path);
  // As numpy 1.26's np.save writes it: 128 bytes, padded with spaces, ended by a new line.
  auto expected =
      std::string("\x93NUMPY\x01\x00\x76\x00", 10) + "{'descr': '<c8', 'fortran_order': True, 'shape': (3, 4), }";
  expected += std::string(127 - expected.size(), ' ') + '\n';
  EXPECT_EQ(bytes.substr(0, 128), expected);
  EXPECT_EQ(bytes.size(), 128U + 12 * 8);
  auto const read = read_npy_header(path);
  EXPECT_EQ(read.rows, 3);
  EXPECT_EQ(read.cols, 4);
  EXPECT_EQ(read.data_offset, made.data_offset);
  EXPECT_TRUE(read.fortran_order);
  EXPECT_EQ(read.type, FileType::c8);
  expect_error([&] { (void)create_npy(folder.path("no/such/folder.npy"), 1, 1, FileType::f8, false); },
               {"cannot be created"});
}

}  // namespace
}  // namespace allport::io
