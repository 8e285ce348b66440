// Symbolic contents of a buffer: a few runs of bytes with consecutive addresses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "allport/base/units.h"

namespace allport::verify {

/// The contributions combined into a byte. In data movers all bytes have the same empty value: the address identifies
/// them.
struct Value {
  std::uint64_t print[2] = {0, 0};  ///< sum of the contributors' fingerprints, modulo 2^64 each
  std::int64_t count = 1;           ///< contributions
  Rank first = -1;                  ///< in rank order: contributors are first, first + 1, ..., first + count - 1
  bool ordered = true;
  std::uint32_t node = 0;  ///< in a trace: index of the combine node

  friend bool operator==(Value const&, Value const&) = default;
};

[[nodiscard]] Value contribution(Rank rank);
[[nodiscard]] Value combine(Value const& left, Value const& right);

/// Bytes [begin, end) of a buffer hold addresses address, address + 1, ...
struct Run {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t address = 0;
  Value value;

  [[nodiscard]] std::int64_t shift() const { return address - begin; }
  [[nodiscard]] Run clip(std::int64_t from, std::int64_t to) const {
    auto const b = begin < from ? from : begin;
    return {b, end > to ? to : end, address + b - begin, value};
  }
};

/// Runs are sorted, disjoint, and merged if a run continues its neighbour. Bytes in no run are undefined.
class Contents {
 public:
  [[nodiscard]] std::span<Run const> runs() const { return runs_; }
  /// Appends the runs within [begin, end), clipped.
  void read(std::int64_t begin, std::int64_t end, std::vector<Run>& into) const;
  /// Replaces [begin, end) by `content`, sorted runs within it.
  void write(std::int64_t begin, std::int64_t end, std::span<Run const> content);

 private:
  [[nodiscard]] std::size_t first_after(std::int64_t position) const;  // first run with end > position
  void merge(std::size_t from, std::size_t to);

  std::vector<Run> runs_;
};

}  // namespace allport::verify
