#include <memory>
#include <utility>

#include "streams.h"

namespace allport {

// The message has one home on every rank, output; a segment is forwarded from where it arrived.
Schedule broadcast_down(TreeSet trees, std::string name, Contract const& contract, Cut cut) {
  auto const used = slices(contract.bytes, unit_of(contract), trees.count);
  auto const program = [trees = std::make_shared<TreeSet const>(std::move(trees)), contract, cut, used](Rank rank,
                                                                                                        Program& into) {
    if (contract.bytes == 0) return;
    TreePlace place;
    for (int tree = 0; tree < used; ++tree) {
      trees->place(tree, rank, place);
      auto const part = slice(contract.bytes, unit_of(contract), used, tree);
      auto const piece = Piece{{contract.root, contract.root}, {0, contract.ranks - 1}, part, false};
      auto const home = Slot{Buffer::output, 0, part.begin};
      stream_down(stream(contract, cut, piece, tree, part.size()), place, home, {}, home, into);
    }
  };
  return {std::move(name), contract, cut, used, program};
}

}  // namespace allport
