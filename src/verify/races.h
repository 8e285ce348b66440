// Checks that a rank's program orders all conflicting accesses.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "findings.h"
#include "space.h"

namespace allport::verify {

/// For each operation, how many of its segments must be complete before a given segment of a given operation may start.
/// Segments of an operation start and complete in order; a segment of a combine or copy completes before the next one
/// starts.
class Before {
 public:
  void load(Program const& program);
  /// Indexed by operation; valid until the next call.
  [[nodiscard]] std::vector<std::int64_t> const& of(std::int32_t op, std::int64_t segment);

 private:
  void follow(std::int32_t op, std::int64_t segment);
  void raise(std::int32_t op, std::int64_t complete);

  Program const* program_ = nullptr;
  std::vector<std::int64_t> complete_;
  std::vector<std::int32_t> raised_;
};

/// Checks one program after another and caches which shapes of programs are race-free: the ranks of a regular schedule
/// share a few shapes.
class Races {
 public:
  Races(Space const& space, Findings& findings) : space_(space), findings_(findings) {}

  /// @pre the program has passed Operations::check() without a broken operation
  void check(Rank rank, Program const& program);

 private:
  struct Access {
    std::int32_t op;
    Slot slot;
    bool writes;
    std::int64_t low;  // hull
    std::int64_t high;
  };
  struct Clash {
    std::int64_t first = -1;   // segment of the first access
    std::int64_t second = -1;  // segment of the second access
  };

  void collect(Program const& program);
  [[nodiscard]] bool ordered(Rank rank);
  [[nodiscard]] bool clash_within(Rank rank, Op const& op, std::int32_t index);
  [[nodiscard]] Clash clash(Access const& x, Access const& y);
  [[nodiscard]] Clash clash_with_segment(Access const& x, Access const& y, std::int64_t j);
  [[nodiscard]] bool unordered(Access const& x, std::int64_t i, Access const& y, std::int64_t j);
  void report(Rank rank, Access const& x, Access const& y, Clash const& clash);

  Space const& space_;
  Findings& findings_;
  Program const* program_ = nullptr;
  Before before_;
  std::vector<Access> accesses_;
  std::vector<std::size_t> next_writer_;
  std::vector<std::int64_t> shape_;
  std::unordered_multimap<std::uint64_t, std::vector<std::int64_t>> proven_;
  std::size_t remembered_ = 0;  // words
};

}  // namespace allport::verify
