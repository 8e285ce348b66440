// Process grids along the axes of a machine; grid axes may share a machine axis.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// A grid of rows x columns x layers (axes i, j, l) on all ranks of a machine: every axis of the machine is divided
/// among axes of the grid. Each part alternates its direction (boustrophedon) when the next part advances, so that
/// neighbours in the grid are neighbours in the machine: on a ring of 4 with `j2i2`, the rows are {0, 1} and {3, 2},
/// the columns {0, 3} and {1, 2}, all of them boxes.
class Embedding {
 public:
  using Lengths = std::array<int, 3>;
  /// A part of a machine axis: the grid axis (0 i, 1 j, 2 l) and its number of steps.
  struct Part {
    int grid_axis = 0;
    int length = 1;

    friend bool operator==(Part const&, Part const&) = default;
  };

  /// parts[g]: of axis g of the machine, the fastest first; if nodes have several ranks, the ranks of a node are the
  /// first axis. An axis of length 1 has no parts.
  explicit Embedding(std::vector<std::vector<Part>> parts);
  /// "j4,j2i2,i4": x is j; y is j for two steps, then i for two; z is i.
  /// @throws Error naming the text
  [[nodiscard]] static Embedding parse(std::string_view text);
  /// Whether a text has the form of parse().
  [[nodiscard]] static bool is_one(std::string_view text) { return text.find_first_of(",0123456789") != text.npos; }

  [[nodiscard]] std::string text() const;
  /// Lengths of the grid.
  [[nodiscard]] Lengths const& lengths() const { return lengths_; }
  /// places[i + rows * (j + columns * l)]: the place of row i, column j, layer l.
  [[nodiscard]] std::vector<Rank> places() const;
  /// @throws Error unless its axes are those of the machine
  void check(Machine const& machine) const;

 private:
  std::vector<std::vector<Part>> parts_;
  Lengths lengths_{1, 1, 1};
};

/// The embeddings of a grid in which all rows, columns and layers are boxes of the machine, at most `most`; those that
/// divide the fewest axes come first. Empty if grid and machine differ in ranks.
[[nodiscard]] std::vector<Embedding> embeddings(Machine const& machine, Embedding::Lengths const& lengths,
                                                std::size_t most);

}  // namespace allport
