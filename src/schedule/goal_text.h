// GOAL text as its statements.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/units.h"

namespace allport::goal {

enum class Act : std::uint8_t { send, receive, calc };

struct Statement {
  Act act = Act::calc;
  std::int64_t size = 0;  ///< bytes; calc: nanoseconds
  Rank peer = -1;
  std::uint32_t tag = 0;
  std::int64_t line = 0;
  std::vector<std::int32_t> after_end;    ///< statements of the rank that must be done before
  std::vector<std::int32_t> after_start;  ///< that must have begun before
};

struct Text {
  Rank ranks = 0;
  std::map<Rank, std::vector<Statement>> programs;  ///< ranks without a block have no statements
};

/// @throws Error(io) "file:line: expected ..., got ..."
[[nodiscard]] Text parse(std::string_view text, std::string_view file);

/// An error at a line of the file.
[[noreturn]] void fail_at(std::string_view file, std::int64_t line, std::string_view what);

}  // namespace allport::goal
