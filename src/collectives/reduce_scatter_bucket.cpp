#include "algorithms.h"
#include "bucket.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  auto const program = [machine, contract, cut](Rank rank, Program& into) {
    auto const row =
        BlockRow{[&](Rank r) { return r == contract.ranks ? contract.total() : contract.input_offset(rank, r); },
                 [&](Rank first, Rank last) {
                   return Piece{{0, contract.ranks - 1}, {first, last}, {0, contract.bytes}, true};
                 }};
    bucket_reduce_scatter(machine, rank, contract, cut, row, {Buffer::input, 0, 0}, {Buffer::output, 0, 0}, 0, into);
  };
  return {"bucket", contract, cut, 1, program};
}

}  // namespace

constinit Algorithm const reduce_scatter_bucket{
    .what = Collective::reduce_scatter,
    .name = "bucket",
    .summary = "The bucket allgather reversed, combining on the way: one message a node and axis, for short blocks.",
    .parts = parts,
    .make = make,
    .price = price_bucket,
    .why_not = nothing_against,
};

}  // namespace allport
