#include "allport/graph/transport.h"

#include <algorithm>
#include <bit>

#include "allport/schedule/linked.h"

namespace allport::graph {

namespace {

/// Ranks in ascending order, cyclically from the root: the order of the plain transports.
class Around {
 public:
  explicit Around(Delivery const& delivery) : ranks_(delivery.ranks.begin(), delivery.ranks.end()) {
    auto const root = ranks_[static_cast<std::size_t>(delivery.root)];
    std::ranges::sort(ranks_);
    std::ranges::rotate(ranks_, std::ranges::find(ranks_, root));
  }
  [[nodiscard]] std::size_t size() const { return ranks_.size(); }
  [[nodiscard]] Rank operator[](std::size_t x) const { return ranks_[x]; }

 private:
  std::vector<Rank> ranks_;
};

/// A tree over the ranks around from the root: parent(x) < x for all x > 0.
template <class Parent>
class Tree final : public Transport {
 public:
  explicit Tree(Parent parent) : parent_(parent) {}

  void hops(Delivery const& delivery, VisitHop visit) const override {
    Around const around(delivery);
    if (delivery.what != Collective::broadcast) {
      for (auto x = around.size() - 1; x > 0; --x) visit({around[x], around[parent_(x)], delivery.bytes, 1});
    }
    if (delivery.what != Collective::reduce) {
      for (std::size_t x = 1; x < around.size(); ++x) visit({around[parent_(x)], around[x], delivery.bytes, 1});
    }
  }

 private:
  Parent parent_;
};

struct Root {
  std::size_t operator()(std::size_t) const { return 0; }
};
struct Before {
  std::size_t operator()(std::size_t x) const { return x - 1; }
};
/// x without its highest bit: round r doubles the ranks that are reached.
struct Halved {
  std::size_t operator()(std::size_t x) const { return x - std::bit_floor(x); }
};

class InGangs final : public Transport {
 public:
  void hops(Delivery const& delivery, VisitHop visit) const override {
    bool const straight = delivery.what == Collective::allreduce && std::ssize(delivery.ranks) <= few_members;
    (straight ? *flat_ : *binomial_).hops(delivery, visit);
  }

 private:
  std::unique_ptr<Transport> flat_ = flat();
  std::unique_ptr<Transport> binomial_ = binomial();
};

}  // namespace

std::unique_ptr<Transport> flat() { return std::make_unique<Tree<Root>>(Root{}); }
std::unique_ptr<Transport> chain() { return std::make_unique<Tree<Before>>(Before{}); }
std::unique_ptr<Transport> binomial() { return std::make_unique<Tree<Halved>>(Halved{}); }

std::unique_ptr<Transport> in_gangs() { return std::make_unique<InGangs>(); }

std::unique_ptr<Transport> transport(std::string_view name) {
  if (name == "flat") return flat();
  if (name == "chain") return chain();
  ensure(name == "binomial", "carrier", name, "flat, chain or binomial");
  return binomial();
}

void hops_of(Schedule const& schedule, std::span<Rank const> members, Transport::VisitHop visit) {
  LinkedProgram const linked(schedule);
  // Whole operations, in an order in which each follows those that its first segment depends on.
  std::vector<std::int32_t> waits(linked.size(), 0);
  std::vector<std::vector<OpId>> wakes(linked.size());
  auto const after = [&](OpId first, OpId then) {
    ++waits[then];
    wakes[first].push_back(then);
  };
  for (OpId o = 0; o < linked.size(); ++o) {
    for (auto const& need : linked.needs(o)) {
      if (need.lag <= 0) after(need.op, o);
    }
    if (linked.op(o).kind == OpKind::receive) after(linked.op(o).partner, o);
  }
  auto const visit_operation = [&](OpId o) {
    auto const& op = linked.op(o);
    if (op.kind != OpKind::receive) return;
    visit({members[static_cast<std::size_t>(op.peer)], members[static_cast<std::size_t>(op.rank)], op.length,
           op.segments});
  };
  std::vector<OpId> ready;
  for (OpId o = 0; o < linked.size(); ++o) {
    if (waits[o] == 0) ready.push_back(o);
  }
  for (std::size_t at = 0; at < ready.size(); ++at) {
    visit_operation(ready[at]);
    for (auto const woken : wakes[ready[at]]) {
      if (--waits[woken] == 0) ready.push_back(woken);
    }
  }
  // Where streams wait for each other segment by segment, there is no order of whole ones.
  for (OpId o = 0; o < linked.size(); ++o) {
    if (waits[o] > 0) visit_operation(o);
  }
}

}  // namespace allport::graph
