// The compact routing table of one rank (Song09, after Plaxton, Rajaraman, Richa 1997): for each row i and digit j one
// rank whose ID begins as this rank's first i digits and goes on with j.
#pragma once

#include <span>
#include <vector>

#include "allport/machine/topology_id.h"

namespace allport {

/// The next hop for one digit.
struct TableEntry {
  int digit = 0;     ///< j
  Rank next = -1;    ///< next hop for all ranks whose IDs have this prefix
  Positions covers;  ///< the positions of these ranks
};

/// One row of a rank's table, by digit, without the rank's own digit and without digits that no ID has there. Of the
/// ranks that qualify for an entry, a hash of this rank's ID, row and digit picks one, which spreads the load over all
/// ranks.
/// @pre 0 <= rank < ids.ranks(), 0 <= row < ids.digits()
[[nodiscard]] std::vector<TableEntry> table_row(TopologyIds const& ids, Rank rank, int row);

/// All rows, computed from the IDs without communication: O(base * digits) entries and time.
class RoutingTable {
 public:
  /// @pre 0 <= rank < ids.ranks()
  RoutingTable(TopologyIds const& ids, Rank rank);

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Rank position() const { return position_; }
  [[nodiscard]] TopologyId id() const { return id_; }
  [[nodiscard]] int bits() const { return bits_; }  ///< of a digit
  [[nodiscard]] int rows() const { return static_cast<int>(ends_.size()); }
  /// This rank's own digit of a row.
  [[nodiscard]] int digit(int row) const {
    return static_cast<int>(id_ >> (bits_ * (rows() - 1 - row))) & ((1 << bits_) - 1);
  }
  /// table_row(). @pre 0 <= i < rows()
  [[nodiscard]] std::span<TableEntry const> row(int i) const;
  /// At most base * digits.
  [[nodiscard]] std::size_t entries() const { return entries_.size(); }

 private:
  Rank rank_;
  Rank position_;
  TopologyId id_;
  int bits_;
  std::vector<TableEntry> entries_;  // row by row
  std::vector<std::size_t> ends_;    // of each row
};

}  // namespace allport
