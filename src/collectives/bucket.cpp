// Buckets: few messages, for short blocks.
#include "bucket.h"

#include <algorithm>

#include "allport/model/link_traffic.h"
#include "families.h"
#include "prices.h"

namespace allport {
namespace {

void allgather(Machine const& machine, Contract const& contract, Cut cut, Rank rank, Program& into) {
  auto const everyone = RankBox{0, contract.ranks - 1};
  auto const row =
      BlockRow{[&](Rank r) { return r == contract.ranks ? contract.total() : contract.output_offset(rank, r); },
               [&](Rank first, Rank last) {
                 return Piece{{first, last}, everyone, {0, contract.bytes}, false};
               }};
  Ready ready;
  if (auto const mine = contract.block(rank, rank); mine > 0) {
    auto op = stream(contract, cut, {{rank, rank}, everyone, {0, mine}, false}, 0, mine).op(OpKind::copy);
    op.from = {Buffer::input, 0, 0};
    op.into = {Buffer::output, 0, row.begin(rank)};
    into.ops.push_back(op);
    ready.op = 0;
  }
  bucket_allgather(machine, rank, contract, cut, row, {Buffer::output, 0, 0}, {Buffer::output, 0, 0}, ready, 0, into);
}

void reduce_scatter(Machine const& machine, Contract const& contract, Cut cut, Rank rank, Program& into) {
  auto const row =
      BlockRow{[&](Rank r) { return r == contract.ranks ? contract.total() : contract.input_offset(rank, r); },
               [&](Rank first, Rank last) {
                 return Piece{{0, contract.ranks - 1}, {first, last}, {0, contract.bytes}, true};
               }};
  bucket_reduce_scatter(machine, rank, contract, cut, row, {Buffer::input, 0, 0}, {Buffer::output, 0, 0}, 0, into);
}

void allreduce(Machine const& machine, Contract const& contract, Cut cut, Rank rank, Program& into) {
  auto const everyone = RankBox{0, contract.ranks - 1};
  auto const begin = [&](Rank r) {
    return r == contract.ranks ? contract.bytes : slice(contract.bytes, contract.element, contract.ranks, r).begin;
  };
  auto const row = BlockRow{begin, [&](Rank first, Rank last) {
                              return Piece{everyone, everyone, {begin(first), begin(last + 1)}, true};
                            }};
  auto const done = bucket_reduce_scatter(machine, rank, contract, cut, row, {Buffer::input, 0, 0},
                                          {Buffer::output, 0, begin(rank)}, 0, into);
  bucket_allgather(machine, rank, contract, cut, row, {Buffer::output, 0, 0}, {Buffer::output, 0, 0},
                   {done, Dependence::whole}, bucket_channels(machine), into);
}

template <void (*program)(Machine const&, Contract const&, Cut, Rank, Program&)>
Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  return {"bucket", contract, cut, 1, [=](Rank rank, Program& into) { program(machine, contract, cut, rank, into); }};
}

/// One axis, on whose line every node has `have` bytes for all the others. In an allgather its leader hands on to
/// `siblings` what arrives.
Seconds price_axis(Machine const& machine, Contract const& contract, Cut cut, Axis const& axis, double have,
                   double siblings) {
  auto const steps = axis.wraps ? axis.length / 2 : axis.length - 1;
  model::LinkTraffic t;
  // Half the line's other blocks come from either side; an end of an open line gets all of them over one link.
  t.link_bytes = have * steps;
  t.node_bytes = 2.0 * t.link_bytes;
  t.messages = (2.0 + siblings) * messages_of(have * (axis.length - 1), axis.length - 1, cut);
  t.copied_bytes = siblings * have * (axis.length - 1);
  if (machine.ranks_per_node() > 1) t.root_bytes = t.node_bytes + t.copied_bytes;  // node by node one rank's
  if (combines(contract.what)) t.combined_bytes = have * (axis.length - 1);
  t.depth = steps;
  t.first_bytes = std::min(have, static_cast<double>(cut.segment));
  return model::t_traffic(machine, t);
}

/// An allgather of `all` bytes, or with arrows reversed a reduce-scatter: there the ranks of a node first bring their
/// rows together at one of them, and at last that one hands out what is theirs.
Seconds price_half(Machine const& machine, Contract const& contract, Cut cut, double all, bool gathers) {
  auto const siblings = machine.ranks_per_node() - 1.0;
  Seconds sum{};
  auto have = all / machine.nodes();
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.length == 1) continue;
    sum += price_axis(machine, contract, cut, axis, have, gathers ? siblings : 0.0);
    have *= axis.length;
  }
  if (siblings == 0.0) return sum;
  model::LinkTraffic t;
  t.depth = 1;
  t.messages = 2.0 * siblings;
  t.copied_bytes = all;
  if (!gathers) {
    t.messages = siblings * (1.0 + messages_of(all, 1.0, cut));
    t.copied_bytes = siblings * all;
    t.combined_bytes = siblings * all;
  }
  return sum + model::t_traffic(machine, t);
}

}  // namespace

Seconds price_bucket(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  bool const whole = contract.what == Collective::allreduce || contract.what == Collective::broadcast;
  auto const all = whole ? static_cast<double>(contract.bytes) : all_blocks(contract);
  Seconds sum{};
  if (combines(contract.what)) sum += price_half(machine, contract, cut, all, false);
  if (contract.what != Collective::reduce_scatter) sum += price_half(machine, contract, cut, all, true);
  return sum;
}

AlgorithmTable bucket_family() {
  return {
      {.what = Collective::allgather,
       .name = "bucket",
       .summary =
           "Bucket allgather axis by axis, both ways along each (deck 2): one message a node and axis, for short "
           "blocks.",
       .make = make<allgather>,
       .price = price_bucket},
      {.what = Collective::reduce_scatter,
       .name = "bucket",
       .summary = "The bucket allgather reversed, combining on the way: one message a node and axis, for short blocks.",
       .make = make<reduce_scatter>,
       .price = price_bucket},
      {.what = Collective::allreduce,
       .name = "bucket",
       .summary = "Bucket reduce-scatter, then bucket allgather of the slices.",
       .make = make<allreduce>,
       .price = price_bucket},
  };
}

}  // namespace allport
