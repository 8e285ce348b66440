// Process grids laid along a machine's axes, some of which they share.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/units.h"
#include "allport/machine/machine.h"

namespace allport {

/// A grid of rows x columns x layers (axes i, j, l) on all ranks of a machine: every axis of the machine is divided
/// among axes of the grid. Each part runs to and fro (boustrophedon) as the next one goes on, so that neighbours in the
/// grid are neighbours in the machine: on a ring of 4 that is `j2i2`, the rows are {0, 1} and {3, 2}, the columns
/// {0, 3} and {1, 2}, all of them boxes.
class Embedding {
 public:
  using Lengths = std::array<int, 3>;
  /// A part of a machine's axis: how many steps of which axis of the grid (0 i, 1 j, 2 l).
  struct Part {
    int grid_axis = 0;
    int length = 1;

    friend bool operator==(Part const&, Part const&) = default;
  };

  /// parts[g]: of axis g of the machine, the fastest first; where nodes have several ranks, those of a node are the
  /// first axis. An axis of length 1 has no parts.
  explicit Embedding(std::vector<std::vector<Part>> parts);
  /// "j4,j2i2,i4": x is j; y is j for two steps, then i for two; z is i.
  /// @throws Error naming the text
  [[nodiscard]] static Embedding parse(std::string_view text);
  /// Whether a text is meant for parse().
  [[nodiscard]] static bool is_one(std::string_view text) { return text.find_first_of(",0123456789") != text.npos; }

  [[nodiscard]] std::string text() const;
  /// Of the grid.
  [[nodiscard]] Lengths const& lengths() const { return lengths_; }
  /// places[i + rows * (j + columns * l)]: the machine's rank that row i, column j, layer l is at.
  [[nodiscard]] std::vector<Rank> places() const;
  /// @throws Error unless its axes are those of the machine
  void check(Machine const& machine) const;

 private:
  std::vector<std::vector<Part>> parts_;
  Lengths lengths_{1, 1, 1};
};

/// The embeddings of a grid in which all rows, columns and layers are boxes of the machine, those that divide the
/// fewest axes first; at most `most`. None where the grid has not as many ranks as the machine.
[[nodiscard]] std::vector<Embedding> embeddings(Machine const& machine, Embedding::Lengths const& lengths,
                                                std::size_t most);

}  // namespace allport
