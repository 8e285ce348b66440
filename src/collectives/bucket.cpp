// Buckets: few messages, for short blocks.
#include "bucket.h"

#include <algorithm>
#include <cmath>

#include "allport/model/link_loads.h"
#include "allport/model/multicast_cost.h"
#include "families.h"
#include "model/link_traffic.h"
#include "model/within_node.h"
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

/// An allgather of `all` bytes, or the reverse, a reduce-scatter.
class Half {
 public:
  /// @param filled blocks, of the first ranks, that are not empty
  Half(Machine const& machine, Cut cut, double all, std::int64_t filled, bool gathers)
      : machine_(machine),
        cut_(cut),
        all_(all),
        filled_(static_cast<double>(filled)),
        gathers_(gathers),
        siblings_(machine.ranks_per_node() - 1.0) {}

  [[nodiscard]] Seconds price() const {
    auto sum = siblings_ == 0.0 ? Seconds{} : gathers_ ? exchange_within() : reduce_within() + scatter_within();
    auto have = all_ / machine_.nodes();
    auto below = static_cast<double>(machine_.ranks_per_node());  // ranks whose blocks one position brings
    for (int a = 0; a < machine_.axes(); ++a) {
      auto const length = static_cast<double>(machine_.axis(a).length);
      if (length > 1.0) sum += along(a, have, std::min(length - 1.0, std::ceil(filled_ / below)));
      have *= length;
      below *= length;
    }
    return sum;
  }

 private:
  [[nodiscard]] Seconds overhead() const { return machine_.rates().overhead; }
  /// Of an empty message between siblings.
  [[nodiscard]] Seconds hop() const {
    return model::spread_time(machine_, 0.0, false) / std::max(1, model::rounds_within(machine_));
  }
  [[nodiscard]] Seconds copying(double bytes) const { return Seconds(model::copy_seconds_per_byte(machine_, bytes)); }

  /// A line on which every node has `have` bytes for all others, in so many streams. Where a node is several ranks its
  /// leader alone handles them, and in an allgather forwards what arrives.
  [[nodiscard]] Seconds along(int a, double have, double streams) const {
    auto const& axis = machine_.axis(a);
    auto const others = axis.length - 1.0;
    // An inner node of an open line forwards messages from each side to the other, and sends its own in both
    // directions.
    auto const out = axis.wraps || axis.length == 2 ? others : others + 2.0;
    model::LinkTraffic t;
    t.axis = a;
    t.depth = axis.wraps ? axis.length / 2 : axis.length - 1;
    t.link_bytes = have * static_cast<double>(t.depth);
    t.node_bytes = have * out;
    t.held = held_of(have, cut_);
    if (siblings_ > 0.0) t.root_bytes = t.node_bytes;
    if (gathers_) t.direct_bytes = have * others;
    if (!gathers_) t.combined_bytes = have * out;
    t.first_bytes = std::min(have, static_cast<double>(cut_.segment));
    // A stream is in flight while others are handled.
    auto const ends = 1.0 + out / others + (gathers_ ? siblings_ : 0.0);
    return std::max(model::t_traffic(machine_, t), ends * messages_of(have * others, streams, cut_) * overhead());
  }

  /// Every rank of a node sends its block to each of the others.
  [[nodiscard]] Seconds exchange_within() const {
    auto const ends = 2.0 * std::min(siblings_, filled_) * overhead();
    return std::max(hop(), ends) + copying(all_ / machine_.ranks() * std::pow(machine_.ranks_per_node(), 2));
  }

  /// Whole rows meet at the leader.
  [[nodiscard]] Seconds reduce_within() const {
    auto const direct = model::direct_from_siblings(machine_);
    auto const combining = Seconds(siblings_ * all_ * model::operator_seconds_per_byte(machine_));
    auto const ends = siblings_ * messages_of(all_, 1.0, cut_) * overhead();
    return std::max({hop(), Seconds(direct.links * all_), copying(direct.copies * all_) + combining, ends});
  }

  /// The leader scatters the ranks' blocks.
  [[nodiscard]] Seconds scatter_within() const {
    return std::max(hop(), std::min(siblings_, filled_) * overhead()) + copying(all_ / machine_.ranks() * siblings_);
  }

  Machine const& machine_;
  Cut cut_;
  double all_;
  double filled_;
  bool gathers_;
  double siblings_;  // of a rank in its node
};

}  // namespace

Seconds price_bucket(Machine const& machine, Contract const& contract, Cut cut) {
  if (contract.total() == 0) return {};
  bool const whole = contract.what == Collective::allreduce || contract.what == Collective::broadcast;
  auto const all = whole ? static_cast<double>(contract.bytes) : all_blocks(contract);
  std::int64_t const filled = whole ? slices(contract.bytes, unit_of(contract), contract.ranks) : contract.ranks;
  Seconds sum{};
  if (combines(contract.what)) sum += Half(machine, cut, all, filled, false).price();
  if (contract.what != Collective::reduce_scatter) sum += Half(machine, cut, all, filled, true).price();
  return sum;
}

AlgorithmTable bucket_family() {
  return {
      {.what = Collective::allgather,
       .name = "bucket",
       .summary =
           "Bucket allgather axis by axis, both ways along each (Chan06): one message a node and axis, for short "
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
