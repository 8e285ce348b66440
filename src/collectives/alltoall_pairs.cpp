#include "algorithms.h"
#include "allport/collectives/trees.h"
#include "prices.h"
#include "streams.h"

namespace allport {
namespace {

constexpr std::int32_t pairs_in_flight = 4;

int parts(Machine const&) { return 1; }

Schedule make(Machine const&, Contract const& contract, Cut cut) {
  auto const program = [contract, cut](Rank rank, Program& into) {
    auto const p = contract.ranks;
    std::vector<std::int32_t> sends;
    for (Rank i = 0; i < p; ++i) {
      auto const from = (rank - i + p) % p;
      auto const to = (rank + i) % p;
      auto const op_of = [&](OpKind kind, Rank s, Rank d) {
        auto const bytes = contract.block(s, d);
        return stream(contract, cut, {{s, s}, {d, d}, {0, bytes}, false}, 0, bytes).op(kind);
      };
      if (auto const bytes = contract.block(from, rank); bytes > 0) {
        auto op = op_of(i == 0 ? OpKind::copy : OpKind::receive, from, rank);
        op.peer = i == 0 ? -1 : from;
        if (i == 0) op.from = {Buffer::input, 0, contract.input_offset(rank, rank)};
        op.into = {Buffer::output, 0, contract.output_offset(rank, from)};
        into.ops.push_back(op);
      }
      if (auto const bytes = contract.block(rank, to); bytes > 0 && i > 0) {
        auto op = op_of(OpKind::send, rank, to);
        op.peer = to;
        op.from = {Buffer::input, 0, contract.input_offset(rank, to)};
        if (sends.size() >= pairs_in_flight) op.after.add(sends[sends.size() - pairs_in_flight], Dependence::whole);
        sends.push_back(static_cast<std::int32_t>(into.ops.size()));
        into.ops.push_back(op);
      }
    }
  };
  return {"pairs", contract, cut, 1, program};
}

}  // namespace

constinit Algorithm const alltoall_pairs{
    .what = Collective::alltoall,
    .name = "pairs",
    .summary = "Every block in one message of its own, a few at a time, routed by the machine.",
    .parts = parts,
    .make = make,
    .price = price_alltoall_pairs,
    .why_not = nothing_against,
};

}  // namespace allport
