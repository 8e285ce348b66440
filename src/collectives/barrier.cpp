// Barriers: tokens, no data.
#include <cmath>

#include "allport/model/link_traffic.h"
#include "families.h"

namespace allport {
namespace {

void disseminate(Rank rank, Rank ranks, Program& into) {
  Op op;
  op.length = op.segment = 1;
  op.piece = {{0, ranks - 1}, {0, ranks - 1}, {0, 1}, false};
  for (std::int64_t step = 1; step < ranks; step *= 2, ++op.channel) {
    auto const first = static_cast<std::int32_t>(into.ops.size());
    op.after.clear();
    op.kind = OpKind::receive;
    op.peer = static_cast<Rank>((rank - step + ranks) % ranks);
    op.from = {};
    op.into = {Buffer::scratch, 0, 1 + op.channel};
    into.ops.push_back(op);
    op.kind = OpKind::send;
    op.peer = static_cast<Rank>((rank + step) % ranks);
    op.from = {Buffer::scratch, 0, 0};
    op.into = {};
    if (first > 0) {  // the round before: what was heard in it, and in those before it
      op.after.add(first - 2, Dependence::whole);
      op.after.add(first - 1, Dependence::whole);
    }
    into.ops.push_back(op);
  }
  into.scratch = 1 + op.channel;
}

Schedule make(Machine const&, Contract const& contract, Cut cut) {
  return {"dissemination", contract, cut, 1,
          [ranks = contract.ranks](Rank rank, Program& into) { disseminate(rank, ranks, into); }};
}

Seconds price(Machine const& machine, Contract const& contract, Cut) {
  model::LinkTraffic t;
  t.depth = static_cast<std::int64_t>(std::ceil(std::log2(static_cast<double>(contract.ranks))));
  return model::t_traffic(machine, t);
}

}  // namespace

AlgorithmTable barrier_family() {
  return {
      {.what = Collective::barrier,
       .name = "dissemination",
       .summary = "In round k every rank tells the rank 2^k ahead that all behind it have come: ceil(log2 P) rounds.",
       .make = make,
       .price = price},
  };
}

}  // namespace allport
