// Long-vector broadcast: slices of the message, one a rank, down a tree and round again by buckets.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bucket.h"
#include "families.h"
#include "model/link_traffic.h"
#include "mst_cost.h"

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

namespace {

Schedule make_long(Machine const& machine, Contract const& contract, Cut cut) {
  return scatter_allgather(machine, mst_trees(machine, contract.root, MstForm::both_sides), "long", contract, cut);
}

Seconds price_long(Machine const& machine, Contract const& contract, Cut cut) {
  auto slices = contract;
  slices.what = Collective::scatter;
  slices.bytes = (contract.bytes + contract.ranks - 1) / contract.ranks;
  return price_mst(machine, MstForm::both_sides, slices, cut) + price_bucket(machine, contract, cut);
}

std::optional<std::string> why_not_long(Machine const& machine, Contract const& contract) {
  return mst_why_not(machine, MstForm::both_sides, contract);
}

Schedule make_binomial(Machine const& machine, Contract const& contract, Cut cut) {
  return scatter_allgather(machine, binomial_trees(machine, contract.root), "scatter_allgather", contract, cut);
}

/// The root sends (P - 1)/P of the message one half after the other, ceil(log2 P) messages deep.
Seconds price_binomial(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.bytes == 0) return {};
  auto const bytes = static_cast<double>(contract.bytes);
  model::LinkTraffic down;
  down.link_bytes = down.node_bytes = bytes;
  down.depth = static_cast<std::int64_t>(std::ceil(std::log2(static_cast<double>(contract.ranks))));
  down.messages = static_cast<double>(down.depth) + bytes / static_cast<double>(cut.segment);
  down.copied_bytes = bytes;
  return model::t_traffic(machine, down) + price_bucket(machine, contract, cut);
}

}  // namespace

AlgorithmTable scatter_allgather_family() {
  return {
      {.what = Collective::broadcast,
       .name = "long",
       .summary =
           "Long-vector broadcast: slices down the 2N + 1 minimum spanning tree, then bucket allgather (Chan06).",
       .make = make_long,
       .price = price_long,
       .why_not = why_not_long},
      {.what = Collective::broadcast,
       .name = "scatter_allgather",
       .summary = "Slices down a binomial tree, then bucket allgather: what MPI libraries do with long messages.",
       .make = make_binomial,
       .price = price_binomial,
       .why_not = needs_all_links},
  };
}

}  // namespace allport
