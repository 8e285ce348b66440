// Topology IDs (deck 5): a rank's place as digits, such that ranks with a longer common prefix are nearer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "allport/machine/machine.h"

namespace allport {

/// Digits of base B = 2^w, the most significant first, packed into a word.
using TopologyId = std::uint64_t;

/// The IDs of a machine's ranks: one after the other its levels' coordinates, what is slowest to cross first, each cut
/// in digits of w bits: the grid's axes by falling time of a message (lowest bandwidth, then highest latency, then the
/// later axis first), then the levels within a node, outermost first. Where lengths are no powers of B, some IDs name
/// no rank: the program's IDs are a subset (deck 5, "topology ID").
class TopologyIds {
 public:
  static constexpr int most_bits = 8;

  /// @param bits w, of one digit
  /// @throws Error unless 1 <= bits <= most_bits, and where the digits of all levels take more than 64 bits
  explicit TopologyIds(Machine const& machine, int bits = 2);

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int base() const { return 1 << bits_; }  ///< B
  [[nodiscard]] int digits() const { return digits_; }   ///< m
  [[nodiscard]] Rank ranks() const { return ranks_; }

  /// @pre 0 <= rank < ranks()
  [[nodiscard]] TopologyId of(Rank rank) const;
  /// The rank with this ID; none where it names no place of the machine.
  [[nodiscard]] std::optional<Rank> rank(TopologyId id) const;
  /// Digit i, 0 being the most significant. @pre 0 <= i < digits()
  [[nodiscard]] int digit(TopologyId id, int i) const {
    return static_cast<int>(id >> (bits_ * (digits_ - 1 - i))) & (base() - 1);
  }
  /// Equal leading digits, LCP of deck 5; digits() for equal IDs.
  [[nodiscard]] int common_prefix(TopologyId a, TopologyId b) const;
  /// "2.0.13.1".
  [[nodiscard]] std::string text(TopologyId id) const;

 private:
  /// A coordinate: rank / stride % length.
  struct Part {
    Rank stride = 1;
    std::int32_t length = 1;
    int digits = 0;
  };

  int bits_;
  int digits_ = 0;
  Rank ranks_ = 1;
  std::vector<Part> parts_;
};

}  // namespace allport
