// Compares the bytes that an operation's piece promises with the bytes that it reads.
#pragma once

#include <optional>
#include <vector>

#include "contents.h"
#include "table.h"

namespace allport::verify {

/// The first bytes of a segment that differ from the promise.
struct Breach {
  std::int64_t begin = 0;  ///< bytes of the stream
  std::int64_t end = 0;
  std::int64_t promised = 0;  ///< address of the first
  bool absent = false;        ///< the bytes were never written
  Run found;                  ///< otherwise the actual content
};

/// @param content runs of the operation's next segment, at `position` of its slot
[[nodiscard]] std::optional<Breach> breach(Table const& table, OpId op, std::vector<Run> const& content,
                                           std::int64_t position);

}  // namespace allport::verify
