// Every rank is the root of its own trees, all at the same time. On a torus the trees of all roots together load every
// link alike, since moving a root moves its trees: an allgather over link-disjoint trees keeps 2d(P - 1) of 2dP links
// per root busy, which is the bandwidth bound whatever the axes' lengths.
#include <algorithm>
#include <memory>
#include <utility>

#include "streams.h"

namespace allport {
namespace {

struct AllRoots {
  TreeFamily family;
  Contract contract;
  Cut cut;
  int most = 1;  // trees: as many as the longest block is worth

  // Nearest roots in rank order first. Any order is correct, but with the same order on all ranks all would wait for
  // rank 0's data first.
  template <class Visit>
  void each(Rank rank, Visit&& visit) const {
    TreePlace place;
    for (Rank i = 0; i < contract.ranks; ++i) {
      auto const root = (rank + i) % contract.ranks;
      auto const bytes = contract.block(root, root);
      if (bytes == 0) continue;
      auto const trees = family.rooted(root);
      auto const used = slices(bytes, unit_of(contract), most);
      for (int tree = 0; tree < used; ++tree) {
        trees.place(tree, rank, place);
        visit(root, slice(bytes, unit_of(contract), used, tree), root * most + tree, place);
      }
    }
  }

  void allgather(Rank rank, Program& into) const {
    if (auto const mine = contract.block(rank, rank); mine > 0) {
      auto const piece = Piece{{rank, rank}, {0, contract.ranks - 1}, {0, mine}, false};
      auto op = stream(contract, cut, piece, 0, mine).op(OpKind::copy);
      op.from = {Buffer::input, 0, 0};
      op.into = {Buffer::output, 0, contract.output_offset(rank, rank)};
      into.ops.push_back(op);
    }
    each(rank, [&](Rank root, Interval part, std::int32_t channel, TreePlace const& place) {
      auto const piece = Piece{{root, root}, {0, contract.ranks - 1}, part, false};
      auto const home = Slot{Buffer::output, 0, contract.output_offset(rank, root) + part.begin};
      stream_down(stream(contract, cut, piece, channel, part.size()), place, {Buffer::input, 0, part.begin}, {}, home,
                  into);
    });
  }

  void reduce_scatter(Rank rank, Program& into) const {
    each(rank, [&](Rank root, Interval part, std::int32_t channel, TreePlace const& place) {
      auto const piece = Piece{{0, contract.ranks - 1}, {root, root}, part, true};
      auto const input = Slot{Buffer::input, 0, contract.input_offset(rank, root) + part.begin};
      stream_up(stream(contract, cut, piece, channel, part.size()), place, input, {}, {Buffer::output, 0, part.begin},
                into);
    });
  }
};

}  // namespace

Schedule allgather_down(TreeFamily family, std::string name, Contract const& contract, Cut cut) {
  auto const trees = slices(contract.bytes, unit_of(contract), family.count);
  auto const state = std::make_shared<AllRoots const>(AllRoots{std::move(family), contract, cut, trees});
  return {std::move(name), contract, cut, trees, [state](Rank rank, Program& into) { state->allgather(rank, into); }};
}

Schedule reduce_scatter_up(TreeFamily family, std::string name, Contract const& contract, Cut cut) {
  auto const trees = slices(contract.bytes, unit_of(contract), family.count);
  auto const state = std::make_shared<AllRoots const>(AllRoots{std::move(family), contract, cut, trees});
  return {std::move(name), contract, cut, trees,
          [state](Rank rank, Program& into) { state->reduce_scatter(rank, into); }};
}

}  // namespace allport
