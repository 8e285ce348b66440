#include "algorithms.h"
#include "bucket.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  auto const program = [machine, contract, cut](Rank rank, Program& into) {
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
  };
  return {"bucket", contract, cut, 1, program};
}

}  // namespace

constinit Algorithm const allgather_bucket{
    .what = Collective::allgather,
    .name = "bucket",
    .summary =
        "Bucket allgather axis by axis, both ways along each (deck 2): one message a node and axis, for short blocks.",
    .parts = parts,
    .make = make,
    .price = price_bucket,
    .why_not = nothing_against,
};

}  // namespace allport
