#include "mtx_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace allport::io {
namespace {

constexpr std::int64_t block_bytes = std::int64_t(1) << 20;  // also the maximum length of a line

}  // namespace

Lines::Lines(File const& file, std::int64_t begin, std::int64_t end)
    : file_(file),
      end_(end),
      block_(std::make_unique_for_overwrite<char[]>(block_bytes)),
      block_offset_(begin > 0 ? begin - 1 : 0) {
  if (begin >= end) {
    end_ = 0;
  } else if (begin > 0) {
    // The byte before shows whether a line begins here; else the rest of the line is skipped.
    end_ = begin;
    (void)next();
    end_ = end;
  }
}

std::optional<Lines::Line> Lines::next() {
  if (offset() >= end_) {
    return std::nullopt;
  }
  auto const* newline =
      static_cast<char const*>(std::memchr(block_.get() + at_, '\n', static_cast<std::size_t>(held_ - at_)));
  if (newline == nullptr) {
    refill();
    newline = static_cast<char const*>(std::memchr(block_.get(), '\n', static_cast<std::size_t>(held_)));
    if (held_ == 0) {
      return std::nullopt;
    }
  }
  auto const length = newline != nullptr ? newline - (block_.get() + at_) : held_ - at_;
  Line line{offset(), {block_.get() + at_, static_cast<std::size_t>(length)}};
  at_ += length + (newline != nullptr ? 1 : 0);
  if (line.text.ends_with('\r')) {
    line.text.remove_suffix(1);
  }
  return line;
}

// Moves the incomplete line to the front of the block and fills the rest.
void Lines::refill() {
  auto const kept = held_ - at_;
  std::memmove(block_.get(), block_.get() + at_, static_cast<std::size_t>(kept));
  block_offset_ += at_;
  at_ = 0;
  auto const room = std::span(block_.get() + kept, static_cast<std::size_t>(block_bytes - kept));
  auto const got = file_.read_some(std::as_writable_bytes(room), block_offset_ + kept);
  held_ = kept + static_cast<std::int64_t>(got);
  if (held_ == block_bytes && std::memchr(block_.get(), '\n', static_cast<std::size_t>(held_)) == nullptr) {
    fail(file_.path(), fmt::format("the line at byte {} is longer than {} bytes", block_offset_, block_bytes));
  }
}

double Words::real() {
  skip();
  skip_plus();
  double value = 0;
  auto result = std::from_chars(at_, end_, value);
  if (result.ptr != end_ && (*result.ptr == 'D' || *result.ptr == 'd')) {
    auto const* const end = std::find_if(at_, end_, [](char c) { return is_blank(c) || c == comment; });
    auto number = std::string(at_, end);
    number[static_cast<std::size_t>(result.ptr - at_)] = 'e';
    Words words(number);
    value = words.real();
    good_ = words.finished() && good_;
    at_ = end;
    return value;
  }
  if (result.ec == std::errc::result_out_of_range) {
    value = std::strtod(std::string(at_, result.ptr).c_str(), nullptr);
    if (!std::isinf(value)) {
      result.ec = std::errc();
    }
  }
  take(result);
  return value;
}

}  // namespace allport::io
