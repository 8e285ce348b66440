#include <memory>
#include <utility>

#include "streams.h"

namespace allport {
namespace {

/// Slices of one vector over the trees of a set, up (reduce) and, where all ranks want the result, down again.
struct Reduction {
  TreeSet trees;
  Contract contract;
  Cut cut;
  int used = 1;

  void program(Rank rank, Program& into) const {
    if (contract.bytes == 0) return;
    auto const everyone = RankBox{0, contract.ranks - 1};
    bool const to_all = contract.what == Collective::allreduce;
    TreePlace place;
    for (int tree = 0; tree < used; ++tree) {
      trees.place(tree, rank, place);
      auto const part = slice(contract.bytes, unit_of(contract), used, tree);
      auto const piece = Piece{everyone, to_all ? everyone : RankBox{contract.root, contract.root}, part, true};
      auto const output = Slot{Buffer::output, 0, part.begin};
      auto const up = stream(contract, cut, piece, tree, part.size());
      auto const sum = stream_up(up, place, {Buffer::input, 0, part.begin}, {}, output, into);
      if (!to_all) continue;
      auto down = up;
      down.channel = tree + used;
      stream_down(down, place, output, {sum, 0}, output, into);
    }
  }
};

}  // namespace

Schedule reduce_up(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  auto const used = slices(contract.bytes, unit_of(contract), trees.count);
  auto const state = std::make_shared<Reduction const>(Reduction{std::move(trees), contract, cut, used});
  return {std::move(name), contract, cut, used, [state](Rank rank, Program& into) { state->program(rank, into); }};
}

}  // namespace allport
