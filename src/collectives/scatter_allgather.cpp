// Long-vector broadcast: slices of the message, one a rank, down a tree and round again by buckets.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "bucket.h"

namespace allport {
namespace {

/// Ranks [first, last] whose blocks lie side by side.
struct Run {
  Rank first = 0;
  Rank last = 0;
};

std::vector<Run> runs_of(std::vector<Rank> ranks) {
  std::ranges::sort(ranks);
  std::vector<Run> runs;
  for (auto const r : ranks) {
    if (!runs.empty() && runs.back().last + 1 == r) {
      runs.back().last = r;
    } else {
      runs.push_back({r, r});
    }
  }
  return runs;
}

/// The ranks under `rank` in the tree, itself included.
std::vector<Rank> under(TreeSet const& tree, Rank rank) {
  std::vector<Rank> all{rank};
  TreePlace place;
  for (std::size_t i = 0; i < all.size(); ++i) {
    tree.place(0, all[i], place);
    for (std::size_t c = 0; c < place.children(); ++c) all.push_back(place.child(c).rank);
  }
  return all;
}

struct Arrived {
  Run run;
  std::int32_t op = at_once;
  Slot slot;
};

}  // namespace

std::int32_t scatter_row(TreeSet const& tree, Rank rank, Contract const& contract, Cut cut, BlockRow const& row,
                         Slot source, Slot output, std::int32_t channel, Program& into) {
  TreePlace place;
  tree.place(0, rank, place);
  auto const next = [&] { return static_cast<std::int32_t>(into.ops.size()); };
  auto const message = [&](Run run) {
    return stream(contract, cut, row.piece(run.first, run.last), channel + run.first,
                  row.begin(run.last + 1) - row.begin(run.first));
  };
  bool const root = place.parent.rank < 0;
  std::vector<Arrived> arrived;
  auto mine = at_once;
  if (!root) {
    for (auto const run : runs_of(under(tree, rank))) {
      auto const m = message(run);
      if (m.length == 0) continue;
      auto op = m.op(OpKind::receive);
      op.peer = place.parent.rank;
      bool const home = run.first == rank && run.last == rank;
      op.into = home ? output : Slot{Buffer::scratch, 0, into.scratch};
      if (!home) into.scratch += m.length;
      arrived.push_back({run, next(), op.into});
      if (home) mine = next();
      into.ops.push_back(op);
    }
  }
  auto const holder = [&](Rank r) {
    return std::ranges::find_if(arrived, [r](Arrived const& a) { return a.run.first <= r && r <= a.run.last; });
  };
  for (std::size_t c = 0; c < place.children(); ++c) {
    for (auto const run : runs_of(under(tree, place.child(c).rank))) {
      auto const m = message(run);
      if (m.length == 0) continue;
      auto op = m.op(OpKind::send);
      op.peer = place.child(c).rank;
      op.port = place.child(c).out;
      op.from = source;
      op.from.offset += row.begin(run.first);
      if (!root) {
        auto const here = holder(run.first);
        op.from = here->slot;
        op.from.offset += row.begin(run.first) - row.begin(here->run.first);
        op.after.add(here->op, Dependence::whole);
      }
      into.ops.push_back(op);
    }
  }
  auto const own = row.begin(rank + 1) - row.begin(rank);
  if (root || own == 0 || mine != at_once) return mine;
  auto const here = holder(rank);
  auto op = message({rank, rank}).op(OpKind::copy);
  op.from = here->slot;
  op.from.offset += row.begin(rank) - row.begin(here->run.first);
  op.into = output;
  op.after.add(here->op, Dependence::whole);
  into.ops.push_back(op);
  return next() - 1;
}

Schedule scatter_allgather(Machine const& machine, TreeSet tree, std::string name, Contract const& contract, Cut cut) {
  auto const program = [machine, tree = std::move(tree), contract, cut](Rank rank, Program& into) {
    if (contract.bytes == 0) return;
    auto const begin = [&](Rank r) {
      return r == contract.ranks ? contract.bytes : slice(contract.bytes, 1, contract.ranks, r).begin;
    };
    auto const row = BlockRow{
        begin, [&](Rank first, Rank last) {
          return Piece{{contract.root, contract.root}, {0, contract.ranks - 1}, {begin(first), begin(last + 1)}, false};
        }};
    auto const message = Slot{Buffer::output, 0, 0};
    auto const done = scatter_row(tree, rank, contract, cut, row, message, {Buffer::output, 0, begin(rank)}, 0, into);
    auto home = message;
    if (rank == contract.root) {  // has everything: what comes round again must not overwrite it
      home = {Buffer::scratch, 0, into.scratch};
      into.scratch += contract.bytes;
    }
    bucket_allgather(machine, rank, contract, cut, row, message, home, {done, Dependence::whole}, contract.ranks, into);
  };
  return {std::move(name), contract, cut, 1, program};
}

}  // namespace allport
