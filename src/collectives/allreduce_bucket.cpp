#include "algorithms.h"
#include "bucket.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const& machine, Contract const& contract, Cut cut) {
  auto const program = [machine, contract, cut](Rank rank, Program& into) {
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
  };
  return {"bucket", contract, cut, 1, program};
}

}  // namespace

constinit Algorithm const allreduce_bucket{
    .what = Collective::allreduce,
    .name = "bucket",
    .summary = "Bucket reduce-scatter, then bucket allgather of the slices.",
    .parts = parts,
    .make = make,
    .price = price_bucket,
    .why_not = nothing_against,
};

}  // namespace allport
