// The line and the ring along the snake, the machine's Hamiltonian order of nodes.
#include <algorithm>

#include "families.h"
#include "prices.h"
#include "snake.h"

namespace allport {
namespace {

/// One direction along the snake from the root: `forward` or backward, for `reach` steps.
struct Arm {
  bool forward = true;
  Node reach = 0;
};

Node wrap(Node position, Node nodes) { return position < 0 ? position + nodes : position % nodes; }

/// The place of the node that is `steps` > 0 steps down an arm.
void place_on_arm(Snake const& snake, Arm arm, Node here, Node steps, TreePlace& into) {
  auto const n = snake.nodes();
  auto const before = wrap(arm.forward ? here - 1 : here + 1, n);
  into.parent = {snake.node(before), arm.forward ? snake.backward(here) : snake.forward(here)};
  if (steps < arm.reach) {
    auto const after = wrap(arm.forward ? here + 1 : here - 1, n);
    into.add(snake.node(after), arm.forward ? snake.forward(here) : snake.backward(here));
  }
}

void start_arm(Snake const& snake, Arm arm, Node root, TreePlace& into) {
  if (arm.reach == 0) return;
  auto const next = wrap(arm.forward ? root + 1 : root - 1, snake.nodes());
  into.add(snake.node(next), arm.forward ? snake.forward(root) : snake.backward(root));
}

Seconds price_line(Machine const& machine, Contract const& contract, Cut cut) {
  auto const snake = Snake(machine);
  auto const start = snake.position(machine.node_of(contract.root));
  auto const last = machine.nodes() - 1;
  auto const depth = snake.closed() ? machine.nodes() / 2 : std::max(start, last - start);
  return price_streamed(machine, contract, cut, {.depth = depth, .parts = 1, .fan_out = 2});
}

Seconds price_ring(Machine const& machine, Contract const& contract, Cut cut) {
  auto const nodes = machine.nodes();
  // A routed closing edge runs over links that the snake uses, too: two halves at half the speed.
  auto const parts = nodes > 1 && Snake(machine).closed() ? 2 : 1;
  return price_streamed(machine, contract, cut, {.depth = nodes - 1, .parts = parts, .fan_out = 1});
}

}  // namespace

TreeSet line_trees(Machine const& machine, Node root) {
  auto const snake = Snake(machine);
  auto const n = snake.nodes();
  auto const start = snake.position(root);
  auto const up = Arm{true, snake.closed() ? n / 2 : n - 1 - start};
  auto const down = Arm{false, n - 1 - up.reach};
  auto const find = [=](int, Rank node, TreePlace& into) {
    into.clear();
    auto const here = snake.position(node);
    if (here == start) {
      auto const up_first = up.reach >= down.reach;
      start_arm(snake, up_first ? up : down, start, into);
      start_arm(snake, up_first ? down : up, start, into);
      return;
    }
    auto const ahead = wrap(here - start, n);
    if (ahead <= up.reach) {
      place_on_arm(snake, up, here, ahead, into);
    } else {
      place_on_arm(snake, down, here, n - ahead, into);
    }
  };
  return {1, find};
}

TreeSet ring_trees(Machine const& machine, Node root) {
  auto const snake = Snake(machine);
  auto const n = snake.nodes();
  auto const start = snake.position(root);
  auto const find = [=](int tree, Rank node, TreePlace& into) {
    into.clear();
    auto const here = snake.position(node);
    auto const arm = Arm{tree == 0, n - 1};
    if (here == start) {
      start_arm(snake, arm, start, into);
    } else {
      auto const ahead = wrap(here - start, n);
      place_on_arm(snake, arm, here, arm.forward ? ahead : n - ahead, into);
    }
  };
  return {n > 1 ? 2 : 1, find};
}

AlgorithmTable line_and_ring_family() {
  return {
      {.what = Collective::broadcast,
       .name = "ring",
       .summary = "Half of the message either way round one Hamiltonian ring of the machine (Solomonik11, slide 33).",
       .make = over_trees("ring", hierarchically(ring_trees), broadcast_down),
       .price = price_ring,
       .why_not = needs_all_links},
      {.what = Collective::broadcast,
       .name = "line",
       .summary = "The whole message in both directions along one Hamiltonian line of the machine, pipelined.",
       .make = over_trees("line", hierarchically(line_trees), broadcast_down),
       .price = price_line,
       .why_not = needs_all_links},
      {.what = Collective::reduce,
       .name = "ring",
       .summary =
           "Half of the message up either way round one Hamiltonian ring of the machine (Solomonik11, slide 33).",
       .make = over_trees("ring", hierarchically(ring_trees), reduce_up),
       .price = price_ring,
       .why_not = needs_all_links},
      {.what = Collective::reduce,
       .name = "line",
       .summary = "The whole message up in both directions along one Hamiltonian line of the machine, pipelined.",
       .make = over_trees("line", hierarchically(line_trees), reduce_up),
       .price = price_line,
       .why_not = needs_all_links},
      {.what = Collective::allreduce,
       .name = "line",
       .summary = "Up a line of all nodes from both ends to its middle and down again.",
       .make = over_trees("line", hierarchically(line_trees), reduce_up),
       .price = price_line,
       .why_not = needs_all_links},
  };
}

}  // namespace allport
