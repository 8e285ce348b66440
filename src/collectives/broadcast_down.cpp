#include <algorithm>
#include <memory>
#include <utility>

#include "allport/collectives/trees.h"

namespace allport {
namespace {

struct Broadcast {
  TreeSet trees;
  Contract contract;
  Cut cut;
  int used = 1;

  void program(Rank rank, Program& into) const {
    if (contract.bytes == 0) return;
    TreePlace place;
    for (int tree = 0; tree < used; ++tree) {
      trees.place(tree, rank, place);
      append(tree, place, into);
    }
  }

  // The message has one home on every rank, output; a segment is forwarded from where it arrived.
  void append(int tree, TreePlace const& place, Program& into) const {
    auto const part = slice(contract.bytes, unit_of(contract), used, tree);
    Op op;
    op.channel = tree;
    op.length = part.size();
    op.segment = std::min(cut.segment, part.size());
    op.piece = {{contract.root, contract.root}, {0, contract.ranks - 1}, part, false};
    auto const home = Slot{Buffer::output, 0, part.begin};
    auto const arrived = static_cast<std::int32_t>(into.ops.size());
    if (place.parent.rank >= 0) {
      op.kind = OpKind::receive;
      op.peer = place.parent.rank;
      op.into = home;
      into.ops.push_back(op);
      op.into = {};
      op.after.add(arrived);
    }
    op.kind = OpKind::send;
    op.from = home;
    for (std::size_t i = 0; i < place.children(); ++i) {
      op.peer = place.child(i).rank;
      op.port = place.child(i).out;
      into.ops.push_back(op);
    }
  }
};

}  // namespace

Schedule broadcast_down(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  auto const used = slices(contract.bytes, unit_of(contract), trees.count);
  auto const state = std::make_shared<Broadcast const>(Broadcast{std::move(trees), contract, cut, used});
  return {std::move(name), contract, cut, used, [state](Rank rank, Program& into) { state->program(rank, into); }};
}

}  // namespace allport
