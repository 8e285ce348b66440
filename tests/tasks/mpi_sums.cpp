// Sums at run time: combined along the tree in their contributors' order, with the counted traffic, and without
// deadlock.
#include <algorithm>
#include <atomic>
#include <random>
#include <utility>
#include <vector>

#include "allport/graph/check.h"
#include "allport/graph/simulate.h"
#include "allport/tasks/run.h"
#include "allport/tasks/transport.h"
#include "comm/world.h"

namespace allport::testing {
namespace {

using Word = std::uint64_t;

/// x -> slope x + shift. Maps one after the other are associative, and their order matters.
struct Map {
  Word slope = 1;
  Word shift = 0;
  friend bool operator==(Map const&, Map const&) = default;
};

Map after(Map const& a, Map const& b) { return {a.slope * b.slope, a.slope * b.shift + a.shift}; }

void combine_maps(std::byte const* left, std::byte const* right, std::byte* out, std::int64_t bytes) {
  auto const* const a = reinterpret_cast<Map const*>(left);
  auto const* const b = reinterpret_cast<Map const*>(right);
  for (std::size_t e = 0; e < static_cast<std::size_t>(bytes) / sizeof(Map); ++e) {
    reinterpret_cast<Map*>(out)[e] = after(a[e], b[e]);
  }
}

/// Rounds in each of which some ranks, in an order of their own, contribute to a sum on one of them. Contributions of
/// even rounds lie in a tile, which is overwritten when it has left. The next rank contributes only after that, so that
/// whoever kept a tile until others have contributed would wait for ever.
class Rounds : public TaskGraph {
 public:
  Rounds(Rank ranks, Rank me, int rounds, unsigned seed, std::int64_t longest)
      : ranks_(ranks), me_(me), tile_(static_cast<std::size_t>(longest)) {
    std::mt19937 random(seed);
    for (int k = 0; k < rounds; ++k) {
      Round round;
      for (Rank r = 0; r < ranks; ++r) {
        if (k % 3 == 0 || random() % 3 != 0) round.members.push_back(r);
      }
      if (round.members.empty()) round.members.push_back(static_cast<Rank>(random() % static_cast<unsigned>(ranks)));
      std::ranges::shuffle(round.members, random);
      round.sorted = round.members;
      std::ranges::sort(round.sorted);
      round.root = round.members[random() % round.members.size()];
      round.length = static_cast<std::int64_t>(random() % static_cast<unsigned>(longest + 1));
      rounds_.push_back(std::move(round));
    }
  }

  Rank ranks() const override { return ranks_; }
  std::int64_t element() const override { return sizeof(Map); }
  std::string name(Task t) const override {
    constexpr char const* names[] = {"part", "total", "over"};
    return fmt::format("{}({}, {})", names[t.kind], t.i, t.k);
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    std::int64_t count = 0;
    for (auto const& round : rounds_) count += (in(round, rank) ? 2 : 0) + (round.root == rank ? 1 : 0);
    return count;
  }
  void entries(Rank rank, VisitTask visit) const override {
    for (int k = 0; k < static_cast<int>(rounds_.size()); ++k) {
      if (in(at(k), rank) && num_parents(part(rank, k)) == 0) visit(part(rank, k));
    }
  }
  Rank owner(Task t) const override { return t.kind == 1 ? at(t.k).root : t.i; }
  int num_parents(Task t) const override {
    auto const& round = at(t.k);
    if (t.kind == 1) return static_cast<int>(round.members.size());
    if (t.kind == 2) return t.i == round.root ? 2 : 1;
    return (round.sorted.front() == t.i ? 0 : 1) + (before(t.i, t.k) >= 0 ? 1 : 0);
  }
  void children(Task t, VisitEdge visit) const override {
    auto const& round = at(t.k);
    auto const next = std::ranges::upper_bound(round.sorted, t.i);
    auto const tell = [&](int output) {
      if (next != round.sorted.end()) visit({part(*next, t.k), 0, output, EdgeKind::data});
    };
    if (t.kind == 0) {
      visit({total(t.k), 0, 0, EdgeKind::sum});
      visit({over(t.i, t.k), 0, 0, EdgeKind::sent});
      if (t.i == round.root) tell(1);
    } else if (t.kind == 1) {
      visit({over(round.root, t.k), 0, 0, EdgeKind::order});
    } else {
      if (t.i != round.root) tell(0);
      for (int k = t.k + 1; k < static_cast<int>(rounds_.size()); ++k) {
        if (!in(at(k), t.i)) continue;
        visit({part(t.i, k), 0, 0, EdgeKind::order});
        break;
      }
    }
  }
  void contributors(Task child, int, VisitTask visit) const override {
    for (auto const r : at(child.k).members) visit(part(r, child.k));
  }
  Shape output(Task t, int index) const override {
    return t.kind == 0 && index == 0 ? Shape{at(t.k).length, 1, 0} : Shape{1, 1, 0};
  }
  void writes(Task t, VisitTask visit) const override {
    if (t.kind == 2 || (t.kind == 0 && t.k % 2 == 0)) visit({});
  }
  bool in_place(Task t, int index) const override { return t.kind == 0 && index == 0 && t.k % 2 == 0; }
  std::span<std::byte> memory(Tile) const override { return std::as_writable_bytes(std::span(tile_)); }
  std::int64_t steps() const override { return static_cast<std::int64_t>(rounds_.size()); }
  std::int64_t step(Task t) const override { return t.k; }
  void tasks(Rank rank, std::int64_t step, VisitTask visit) const override {
    auto const k = static_cast<int>(step);
    if (in(at(k), rank)) visit(part(rank, k)), visit(over(rank, k));
    if (at(k).root == rank) visit(total(k));
  }

  void run(Task t, TaskContext& context) const override {
    auto const& round = at(t.k);
    if (t.kind == 0) {
      auto const out = context.output(0);
      for (std::int64_t e = 0; e < round.length; ++e) reinterpret_cast<Map*>(out.data())[e] = value(t.i, t.k, e);
      if (t.i == round.root && t.i != round.sorted.back()) (void)context.output(1);
    } else if (t.kind == 2) {
      std::ranges::fill(tile_, Map{0, 0});
      if (t.i != round.root && t.i != round.sorted.back()) (void)context.output(0);
    } else {
      auto const got = context.input(0);
      wrong_ += static_cast<std::int64_t>(got.size()) == round.length * element() ? 0 : 1;
      for (std::int64_t e = 0; e < round.length; ++e) {
        Map sum;
        for (auto const r : round.members) sum = after(sum, value(r, t.k, e));
        wrong_ += reinterpret_cast<Map const*>(got.data())[e] == sum ? 0 : 1;
      }
      ++sums_;
    }
  }
  [[nodiscard]] int wrong() const { return wrong_; }
  [[nodiscard]] int sums() const { return sums_; }
  [[nodiscard]] std::int64_t own_sums() const { return std::ranges::count(rounds_, me_, &Round::root); }

 private:
  struct Round {
    std::vector<Rank> members;  // in the order of their contributions
    std::vector<Rank> sorted;
    Rank root = 0;
    std::int64_t length = 0;
  };
  static Task part(Rank r, int k) { return {0, 0, r, 0, k}; }
  static Task total(int k) { return {1, 0, 0, 0, k}; }
  static Task over(Rank r, int k) { return {2, 0, r, 0, k}; }
  static bool in(Round const& round, Rank r) { return std::ranges::binary_search(round.sorted, r); }
  static Map value(Rank r, int k, std::int64_t e) { return {Word(2 * r + 3 + k), Word(r + 7 * e + k)}; }
  [[nodiscard]] Round const& at(int k) const { return rounds_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] int before(Rank r, int k) const {
    while (--k >= 0 && !in(at(k), r)) {
    }
    return k;
  }

  Rank ranks_;
  Rank me_;
  std::vector<Round> rounds_;
  mutable std::vector<Map> tile_;
  mutable std::atomic<int> wrong_{0};
  mutable std::atomic<int> sums_{0};
};

TEST(TasksSums, AreCombinedOnTheirWayInTheirOrderAsCounted) {
  for (auto const& spec : fitting_specs()) {
    Communicator const comm(MPI_COMM_WORLD, spec);
    for (int const workers : {1, 3}) {
      for (std::int64_t const ahead : {0, 1, 3}) {
        if ((workers > 1 || ahead == 1) && spec != fitting_specs().front()) continue;
        for (std::int64_t const longest : {2, 900}) {
          Rounds const graph(comm.size(), comm.rank(), 24, unsigned(longest + ahead), longest);
          graph::check(graph);
          auto const tree = longest == 2 ? MulticastTree::flat : MulticastTree::prefix;
          auto const carrier = tasks::transport(comm.machine(), tree);
          auto const counts = graph::count(graph, *carrier);
          auto const pool = graph::pool(graph, ahead);
          auto const report =
              tasks::run(graph, comm, {.workers = workers, .multicast = tree, .ahead = ahead, .combine = combine_maps});
          EXPECT_EQ(graph.wrong(), 0) << spec << " " << ahead << " ahead";
          EXPECT_EQ(graph.sums(), graph.own_sums());
          EXPECT_EQ(report.count, counts[std::size_t(comm.rank())]) << spec << " " << ahead << " ahead";
          EXPECT_LE(report.peak_bytes, pool[std::size_t(comm.rank())]) << spec << " " << ahead << " ahead";
          if (comm.rank() != 0 || workers > 1) continue;
          std::int64_t messages = 0;
          for (auto const& count : counts) messages += count.traffic.messages_sent;
          EXPECT_EQ(graph::simulate(graph, comm.machine(), *carrier).hops, messages) << spec;
        }
      }
    }
  }
}

TEST(TasksSums, SayWhatTheyNeed) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  Rounds const graph(comm.size(), comm.rank(), 3, 1, 5);
  auto const text = error_of([&] { tasks::run(graph, comm); });
  EXPECT_NE(text.find(comm.size() > 1 ? "combine = 'none': expected an operator" : ""), std::string::npos) << text;
}

/// The last rank's contribution never comes: who waits says so.
class Withholding : public Rounds {
 public:
  using Rounds::Rounds;
  std::optional<std::int64_t> count(Rank) const override { return std::nullopt; }
  void children(Task t, VisitEdge visit) const override {
    Rounds::children(t, [&](Edge const& edge) {
      if (edge.child.kind != 0 || edge.child.i != ranks() - 1) visit(edge);
    });
  }
};

TEST(TasksSums, TellWhatTheyWaitFor) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()));
  if (comm.size() == 1) return;
  Withholding const graph(comm.size(), comm.rank(), 1, 1, 5);
  auto const text = error_of([&] { tasks::run(graph, comm, {.combine = combine_maps}); });
  EXPECT_TRUE(text.find("total(0, 0) for") != std::string::npos || text.find("parts here") != std::string::npos)
      << text;
}

}  // namespace
}  // namespace allport::testing
