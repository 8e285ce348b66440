#include <algorithm>
#include <map>
#include <memory>

#include "mst_boxes.h"
#include "mst_cost.h"
#include "streams.h"

namespace allport {
namespace {

void fill(MstShape const& shape, MstPlace const& from, TreePlace& into) {
  ensure(from.parts.size() <= TreePlace::capacity, "machine", static_cast<std::int64_t>(from.parts.size()),
         "at most 64 messages of one rank down the tree", "use another algorithm", ErrorKind::unsupported);
  into.clear();
  into.parent = {from.parent, from.to_parent};
  for (auto const& part : from.parts) into.add(shape.root_of(part.box), shape.port_to(part));
}

}  // namespace

TreeSet mst_trees(Machine const& machine, Rank root, MstForm form) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine (0 <= root < ranks())");
  return {1, [shape = MstShape(machine, form), root](int, Rank rank, TreePlace& into) {
            fill(shape, mst_place(shape, root, rank), into);
          }};
}

Schedule mst_bcast(Machine const& machine, MstForm form, std::string name, Contract const& contract, Cut cut) {
  auto const program = [shape = MstShape(machine, form), contract, cut](Rank rank, Program& into) {
    if (contract.bytes == 0) return;
    auto const here = mst_place(shape, contract.root, rank);
    TreePlace place;
    fill(shape, here, place);
    Piece const piece{{contract.root, contract.root}, {0, contract.ranks - 1}, {0, contract.bytes}, false};
    Slot const home{Buffer::output, 0, 0};
    stream_down(stream(contract, cut, piece, 0, contract.bytes), place, home, {}, home, into);
    // Over one link direction the earlier step's message goes first, not half of each.
    std::map<std::pair<int, int>, std::int32_t> before;
    auto send = static_cast<std::int32_t>(into.ops.size() - here.parts.size());
    for (auto const& part : here.parts) {
      auto const [previous, first] = before.try_emplace({part.axis, part.sign}, send);
      if (!first) into.ops[static_cast<std::size_t>(send)].after.add(previous->second);
      previous->second = send++;
    }
  };
  return {std::move(name), contract, cut, 1, program};
}

int mst_rounds(Machine const& machine, Rank root, MstForm form) {
  ensure(root >= 0 && root < machine.ranks(), "root", root, "a rank of the machine (0 <= root < ranks())");
  return static_cast<int>(longest_path(*mst_tree(MstShape(machine, form), root), [](auto const&) { return 1.0; }));
}

}  // namespace allport
