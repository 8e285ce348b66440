// The bytes that an operation's piece promises against those that it finds.
#pragma once

#include <optional>
#include <vector>

#include "contents.h"
#include "table.h"

namespace allport::verify {

/// The first bytes of a segment that are not as promised.
struct Breach {
  std::int64_t begin = 0;  ///< bytes of the stream
  std::int64_t end = 0;
  std::int64_t promised = 0;  ///< address of the first
  bool absent = false;        ///< nothing was ever written there
  Run found;                  ///< else: what is there instead, from its first byte
};

/// @param content runs of the operation's next segment, which lies at `position` of its slot
[[nodiscard]] std::optional<Breach> breach(Table const& table, OpId op, std::vector<Run> const& content,
                                           std::int64_t position);

}  // namespace allport::verify
