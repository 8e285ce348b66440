#include "algorithms.h"
#include "prices.h"

namespace allport {
namespace {

int parts(Machine const&) { return 1; }

Schedule make(Machine const&, Contract const& contract, Cut cut) {
  auto const program = [contract](Rank rank, Program& into) {
    Op op;
    op.length = op.segment = 1;
    op.piece = {{0, contract.ranks - 1}, {0, contract.ranks - 1}, {0, 1}, false};
    for (std::int64_t step = 1; step < contract.ranks; step *= 2, ++op.channel) {
      auto const first = static_cast<std::int32_t>(into.ops.size());
      op.after.clear();
      op.kind = OpKind::receive;
      op.peer = static_cast<Rank>((rank - step + contract.ranks) % contract.ranks);
      op.from = {};
      op.into = {Buffer::scratch, 0, 1 + op.channel};
      into.ops.push_back(op);
      op.kind = OpKind::send;
      op.peer = static_cast<Rank>((rank + step) % contract.ranks);
      op.from = {Buffer::scratch, 0, 0};
      op.into = {};
      if (first > 0) {  // the round before: what was heard in it, and in those before it
        op.after.add(first - 2, Dependence::whole);
        op.after.add(first - 1, Dependence::whole);
      }
      into.ops.push_back(op);
    }
    into.scratch = 1 + op.channel;
  };
  return {"dissemination", contract, cut, 1, program};
}

}  // namespace

constinit Algorithm const barrier_dissemination{
    .what = Collective::barrier,
    .name = "dissemination",
    .summary = "In round k every rank tells the rank 2^k ahead that all behind it have come: ceil(log2 P) rounds.",
    .parts = parts,
    .make = make,
    .price = price_barrier,
    .why_not = nothing_against,
};

}  // namespace allport
