// A Hamiltonian order of a machine's nodes in closed form: a ring over physical links where one exists, else a path.
#pragma once

#include <array>

#include "allport/machine/machine.h"

namespace allport {

/// Visits every node once; consecutive positions are joined by one physical link.
///
/// Let d be the number of axes longer than 1.
///   closed():  d == 0; d == 1 and the axis wraps; d >= 2 and some axis has even length; d >= 2, all lengths odd and
///              some axis wraps. Then the last position is linked to the first, too.
///   otherwise: a boustrophedon path. (An open line has no ring; neither has a mesh with an odd number of nodes, since
///              its nodes alternate between two colours.)
/// A closed snake with d >= 2 runs through a grid of rows x columns whose first column is reserved for the path back.
class Snake {
 public:
  explicit Snake(Machine const& machine);

  [[nodiscard]] bool closed() const { return closed_; }
  [[nodiscard]] Node nodes() const { return nodes_; }
  /// @pre 0 <= position < nodes()
  [[nodiscard]] Node node(Node position) const;
  [[nodiscard]] Node position(Node node) const;
  /// Port from the node at a position to the next position's; any_port for a closing edge that is not a link, and for
  /// a single node.
  [[nodiscard]] Port forward(Node position) const;
  /// Port from the node at a position to the previous position's: the same cables in the other direction.
  [[nodiscard]] Port backward(Node position) const;

 private:
  struct Step {
    int axis = 0;
    Node length = 1;
    Node stride = 1;
    bool wraps = false;
  };

  [[nodiscard]] Node path_position(Node node) const;
  [[nodiscard]] Node path_offset(Node position) const;

  std::array<Step, max_axes> path_{};  // axes of the boustrophedon path, fastest first
  int path_axes_ = 0;
  Step other_{};               // the axis that is not in the path, when there is a grid
  bool grid_ = false;          // rows x columns: one is the path, one is `other_`
  bool path_is_rows_ = false;  // else the path's positions are the columns
  bool closed_ = false;
  Node path_nodes_ = 1;
  Node nodes_ = 1;
};

}  // namespace allport
