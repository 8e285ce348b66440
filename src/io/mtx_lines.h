// Lines of a text file between two bytes, and the words of a line.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "file.h"

namespace allport::io {

/// The lines that begin within [begin, end) of a file, each whole, read in blocks.
class Lines {
 public:
  /// If `begin` is within a line, the first line is the next one.
  Lines(File const& file, std::int64_t begin, std::int64_t end);

  struct Line {
    std::int64_t offset = 0;  ///< where it begins, bytes
    std::string_view text;    ///< without its end ("\n" or "\r\n"); valid until next()
  };
  [[nodiscard]] std::optional<Line> next();
  /// Where the next line begins.
  [[nodiscard]] std::int64_t offset() const { return block_offset_ + at_; }

 private:
  void refill();

  File const& file_;
  std::int64_t end_;
  std::unique_ptr<char[]> block_;
  std::int64_t block_offset_;  // offset of block_[0] in the file
  std::int64_t at_ = 0;        // offset of the next line in the block
  std::int64_t held_ = 0;      // bytes in the block
};

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Starts a comment, also after the numbers of a line.
constexpr char comment = '%';

/// Takes words and numbers from the front of a line; `good` becomes false at the first one that cannot be read.
class Words {
 public:
  explicit Words(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] std::string_view word() {
    skip();
    auto const* begin = at_;
    while (at_ < end_ && !is_blank(*at_)) {
      ++at_;
    }
    good_ = good_ && at_ > begin;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }

  [[nodiscard]] std::int64_t integer() {
    skip();
    skip_plus();
    std::int64_t value = 0;
    take(std::from_chars(at_, end_, value));
    return value;
  }

  [[nodiscard]] std::uint64_t natural() {
    skip();
    skip_plus();
    std::uint64_t value = 0;
    take(std::from_chars(at_, end_, value));
    return value;
  }

  /// As from_chars, also with Fortran's exponent D. Underflow gives 0 or a denormal number as in C; overflow makes
  /// `good` false.
  [[nodiscard]] double real();

  [[nodiscard]] bool good() const { return good_; }
  /// True if all was good and only a comment may follow.
  [[nodiscard]] bool finished() {
    skip();
    return good_ && (at_ == end_ || *at_ == comment);
  }

 private:
  void skip() {
    while (at_ < end_ && is_blank(*at_)) {
      ++at_;
    }
  }
  void skip_plus() {
    if (at_ + 1 < end_ && *at_ == '+' && at_[1] != '-') {
      ++at_;
    }
  }
  void take(std::from_chars_result result) {
    good_ =
        good_ && result.ec == std::errc() && (result.ptr == end_ || is_blank(*result.ptr) || *result.ptr == comment);
    at_ = result.ptr;
  }

  char const* at_;
  char const* end_;
  bool good_ = true;
};

/// Neither blank nor a comment.
[[nodiscard]] inline bool is_data(std::string_view line) {
  for (auto const c : line) {
    if (!is_blank(c)) {
      return c != comment;
    }
  }
  return false;
}

}  // namespace allport::io
