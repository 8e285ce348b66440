// The levels within a node: hosts on a router, sockets, cores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "allport/base/units.h"

namespace allport {

inline constexpr int max_levels = 4;

/// A level divides every part of the level above. Two ranks of a node communicate through the outermost level at which
/// they differ.
struct Level {
  std::string name;            ///< "host", "socket", "core"
  std::int32_t count = 1;      ///< parts of each part of the level above
  BytesPerSecond bandwidth{};  ///< of all that one part sends to its siblings; 0: they copy through the node's memory
  Seconds latency{};           ///< of a message between siblings
  BytesPerSecond injection{};  ///< cap on all that one part sends, to its siblings and beyond; 0: none
  /// What all of one part read and write of memory together; 0: no limit of this level. For simulated task graphs.
  BytesPerSecond memory_bandwidth{};
  Bytes cache{};  ///< that one part shares; 0: none. For simulated task graphs

  friend bool operator==(Level const&, Level const&) = default;
};

/// The levels within a node, outermost first; none where a node is one rank. Ranks of a node count the innermost level
/// fastest: with two hosts of four cores, rank 5 is core 1 of host 1.
class Levels {
 public:
  /// One level of `cores` ranks that share the node's memory, as `ranks_per_node` and `/ppn=` describe.
  /// @throws Error(machine) unless cores >= 1
  Levels(int cores = 1);  // NOLINT(google-explicit-constructor): a number is the common case
  /// @throws Error(machine) naming the level and the field: at most max_levels, names of letters, each once, counts
  ///         from 1, finite rates >= 0, fewer than 2^31 ranks
  explicit Levels(std::vector<Level> all);

  [[nodiscard]] int size() const { return static_cast<int>(all_.size()); }
  [[nodiscard]] Level const& operator[](int l) const { return all_[static_cast<std::size_t>(l)]; }
  [[nodiscard]] std::vector<Level> const& all() const { return all_; }
  /// Ranks of a node.
  [[nodiscard]] std::int32_t ranks() const { return ranks_; }
  /// Ranks of one part of level l.
  [[nodiscard]] std::int32_t ranks_of_part(int l) const { return inner_[static_cast<std::size_t>(l)]; }
  /// Whether the levels give only the number of ranks.
  [[nodiscard]] bool plain() const;
  /// Outermost level at which two ranks of a node differ; size() if they are equal. Both are taken modulo ranks().
  [[nodiscard]] int parting(std::int32_t a, std::int32_t b) const;

  /// The levels if `ranks` ranks of a node are in use: the same for ranks(), none for 1, and one more level of cores
  /// below for a multiple; plain levels become that many cores.
  /// @throws Error(machine) if the levels cannot be divided into this many ranks
  [[nodiscard]] Levels with_ranks(int ranks) const;

  friend bool operator==(Levels const& a, Levels const& b) { return a.all_ == b.all_; }

 private:
  std::vector<Level> all_;
  std::vector<std::int32_t> inner_;  ///< ranks of one part, by level
  std::int32_t ranks_ = 1;
};

}  // namespace allport
