// Topology IDs (Song09): a rank's place as digits, such that ranks with a longer common prefix are nearer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "allport/machine/machine.h"

namespace allport {

/// Digits of base B = 2^w, the most significant first, packed into a word.
using TopologyId = std::uint64_t;

/// Positions begin .. end - 1 in the order of IDs. The ranks that share a prefix form such an interval.
struct Positions {
  Rank begin = 0;
  Rank end = 0;

  [[nodiscard]] Rank size() const { return end - begin; }
  [[nodiscard]] bool contains(Rank position) const { return begin <= position && position < end; }
  friend bool operator==(Positions, Positions) = default;
};

/// An ID for each rank. For a machine it consists of the coordinates on its levels, the slowest first, each cut into
/// digits of w bits: the grid's axes by falling time of a message (lowest bandwidth, then highest latency, then the
/// later axis first), then the levels within a node, outermost first. If lengths are not powers of B, some IDs name no
/// rank: the program's IDs are a subset (Song09, "topology ID").
class TopologyIds {
 public:
  static constexpr int most_bits = 8;

  /// @param bits w, of one digit
  /// @throws Error unless 1 <= bits <= most_bits, or if the digits of all levels take more than 64 bits
  explicit TopologyIds(Machine const& machine, int bits = 2);
  /// Given digits: the ID of rank r is r. If there are fewer ranks than IDs, the last IDs are unused.
  /// @pre digits >= 1, 1 <= bits <= most_bits, digits * bits < 64, 1 <= ranks <= 2^(digits * bits)
  [[nodiscard]] static TopologyIds given(int digits, int bits, Rank ranks);
  /// ids[r] is the ID of rank r. O(ranks) memory; the other constructors need O(1).
  /// @throws Error naming the rank whose ID is longer than `digits` or equal to another rank's
  [[nodiscard]] static TopologyIds listed(std::vector<TopologyId> ids, int digits, int bits);
  /// `3x1bit`: given(3, 1, 8); `4x3bit:2048`: given(4, 3, 2048); anything else is the path of a file for from_text().
  [[nodiscard]] static TopologyIds parse(std::string_view spec);
  /// One line per rank: its digits, the most significant first, e.g. "2.0.13.1"; # starts a comment. w is the bits of
  /// the largest digit. `origin` names the text in errors.
  [[nodiscard]] static TopologyIds from_text(std::string_view text, std::string_view origin = "topology IDs");

  /// w of Song09's examples, for a number of ranks: the square root of log2(ranks), rounded down, so that there
  /// are about as many digits as bits in a digit (256: 2, 2,048: 3, 2^20: 4, 2^30: 5).
  /// @pre ranks >= 1
  [[nodiscard]] static int default_bits(Rank ranks);

  /// The machine of the IDs; null for given IDs.
  [[nodiscard]] Machine const* machine() const { return machine_.get(); }

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int base() const { return 1 << bits_; }  ///< B
  [[nodiscard]] int digits() const { return digits_; }   ///< m
  [[nodiscard]] Rank ranks() const { return ranks_; }

  /// @pre 0 <= rank < ranks()
  [[nodiscard]] TopologyId of(Rank rank) const;
  /// The rank with this ID, if there is one.
  [[nodiscard]] std::optional<Rank> rank(TopologyId id) const;
  /// Digit i, 0 being the most significant. @pre 0 <= i < digits()
  [[nodiscard]] int digit(TopologyId id, int i) const {
    ensure(i >= 0 && i < digits_, "digit", i, "0 <= i < digits()");
    return static_cast<int>(id >> (bits_ * (digits_ - 1 - i))) & (base() - 1);
  }
  /// Equal leading digits, LCP of Song09; digits() for equal IDs.
  [[nodiscard]] int common_prefix(TopologyId a, TopologyId b) const;
  /// "2.0.13.1".
  [[nodiscard]] std::string text(TopologyId id) const;

  /// Number of ranks with smaller IDs; for the ID of a rank, its position.
  [[nodiscard]] Rank below(TopologyId id) const;
  /// @pre 0 <= rank < ranks()
  [[nodiscard]] Rank position(Rank rank) const { return below(of(rank)); }
  /// The rank at a position. @pre 0 <= position < ranks()
  [[nodiscard]] Rank rank_at(Rank position) const;
  /// The ranks that share the first `digits` digits of `id`. @pre 0 <= digits <= this->digits()
  [[nodiscard]] Positions with_prefix(TopologyId id, int digits) const;

 private:
  /// A coordinate: rank / stride % length.
  struct Part {
    Rank stride = 1;
    std::int32_t length = 1;
    int digits = 0;
  };
  /// IDs of a list, by rank and in their own order.
  struct List {
    std::vector<TopologyId> of_rank;
    std::vector<Rank> by_id;
  };

  TopologyIds() = default;

  int bits_ = 1;
  int digits_ = 0;
  Rank ranks_ = 1;
  std::vector<Part> parts_;  // the slowest first; empty for a list
  std::shared_ptr<List const> list_;
  std::shared_ptr<Machine const> machine_;
};

}  // namespace allport
