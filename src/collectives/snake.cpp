#include "snake.h"

#include <cstdlib>

namespace allport {

Snake::Snake(Machine const& machine) : nodes_(machine.nodes()) {
  int even = -1;
  int wrapped = -1;
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    if (axis.length % 2 == 0) even = path_axes_;
    if (axis.wraps) wrapped = path_axes_;
    path_[static_cast<std::size_t>(path_axes_++)] = {a, axis.length, machine.stride(a), axis.wraps};
  }
  auto const free_column = even >= 0 ? even : wrapped;
  closed_ = path_axes_ == 0 || (path_axes_ == 1 ? wrapped >= 0 : free_column >= 0);
  grid_ = closed_ && path_axes_ >= 2;
  if (grid_) {
    // An even number of rows ends beside the first column. An odd one ends at the last column, whose ring leads on to
    // the first one.
    path_is_rows_ = even < 0;
    other_ = path_[static_cast<std::size_t>(free_column)];
    for (auto k = free_column; k + 1 < path_axes_; ++k) {
      path_[static_cast<std::size_t>(k)] = path_[static_cast<std::size_t>(k + 1)];
    }
    --path_axes_;
  }
  for (int k = 0; k < path_axes_; ++k) path_nodes_ *= path_[static_cast<std::size_t>(k)].length;
}

// Reflected order: an axis runs upwards where the position over the slower axes is even, downwards where it is odd.
Node Snake::path_position(Node node) const {
  Node position = 0;
  for (auto k = path_axes_ - 1; k >= 0; --k) {
    auto const& step = path_[static_cast<std::size_t>(k)];
    auto const x = (node / step.stride) % step.length;
    position = position * step.length + (position % 2 == 0 ? x : step.length - 1 - x);
  }
  return position;
}

Node Snake::path_offset(Node position) const {
  Node offset = 0;
  for (int k = 0; k < path_axes_; ++k) {
    auto const& step = path_[static_cast<std::size_t>(k)];
    auto const digit = position % step.length;
    position /= step.length;
    offset += (position % 2 == 0 ? digit : step.length - 1 - digit) * step.stride;
  }
  return offset;
}

Node Snake::node(Node position) const {
  ensure(position >= 0 && position < nodes_, "position", position, "0 <= position < nodes()");
  if (!grid_) return path_offset(position);
  auto const rows = path_is_rows_ ? path_nodes_ : other_.length;
  auto const columns = path_is_rows_ ? other_.length : path_nodes_;
  auto const in_rows = rows * (columns - 1);
  Node row = 0;
  Node column = 0;
  if (position < in_rows) {
    row = position / (columns - 1);
    auto const i = position % (columns - 1);
    column = row % 2 == 0 ? i + 1 : columns - 1 - i;
  } else {
    row = rows - 1 - (position - in_rows);
  }
  auto const along_path = path_is_rows_ ? row : column;
  auto const along_other = path_is_rows_ ? column : row;
  return path_offset(along_path) + along_other * other_.stride;
}

Node Snake::position(Node node) const {
  ensure(node >= 0 && node < nodes_, "node", node, "0 <= node < nodes()");
  auto const along_path = path_position(node);
  if (!grid_) return along_path;
  auto const along_other = (node / other_.stride) % other_.length;
  auto const rows = path_is_rows_ ? path_nodes_ : other_.length;
  auto const columns = path_is_rows_ ? other_.length : path_nodes_;
  auto const row = path_is_rows_ ? along_path : along_other;
  auto const column = path_is_rows_ ? along_other : along_path;
  if (column == 0) return rows * (columns - 1) + rows - 1 - row;
  return row * (columns - 1) + (row % 2 == 0 ? column - 1 : columns - 1 - column);
}

Port Snake::forward(Node position) const {
  ensure(position >= 0 && position < nodes_, "position", position, "0 <= position < nodes()");
  if (nodes_ == 1) return any_port;
  auto const last = position == nodes_ - 1;
  if (last && !closed_) return any_port;
  // On a single ring all edges go up, also 1 -> 0 of a ring of two, which has two cables.
  if (!grid_ && closed_) return port(path_[0].axis, 1);
  auto const here = node(position);
  auto const there = node(last ? 0 : position + 1);
  auto const port_on = [&](Step const& step) {
    auto const offset = (there / step.stride) % step.length - (here / step.stride) % step.length;
    if (offset == 0) return any_port;
    auto const round = std::abs(offset) > 1;  // over the wrap-around
    return port(step.axis, (offset > 0) != round ? 1 : -1);
  };
  if (grid_) {
    if (auto const p = port_on(other_); p != any_port) return p;
  }
  for (int k = 0; k < path_axes_; ++k) {
    if (auto const p = port_on(path_[static_cast<std::size_t>(k)]); p != any_port) return p;
  }
  return any_port;
}

Port Snake::backward(Node position) const {
  ensure(position >= 0 && position < nodes_, "position", position, "0 <= position < nodes()");
  auto const p = forward(position == 0 ? nodes_ - 1 : position - 1);
  return p == any_port ? any_port : static_cast<Port>(p ^ 1);
}

}  // namespace allport
