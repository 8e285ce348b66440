// Algorithms that a program registers: errors, and that the order of the library's algorithms stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "allport/collectives/registry.h"
#include "allport/collectives/trees.h"
#include "collectives/message_of.h"

namespace allport {
namespace {

using test::message_of;

/// A tree of the program's own: everyone hangs below the root.
Schedule star(Machine const&, Contract const& contract, Cut cut) {
  auto const root = contract.root;
  auto const place = [root, ranks = contract.ranks](int, Rank rank, TreePlace& into) {
    into.clear();
    if (rank != root) {
      into.parent = {root, any_port};
    } else {
      for (Rank r = 0; r < ranks; ++r) {
        if (r != root) into.add(r, any_port);
      }
    }
  };
  return broadcast_down({1, place}, "star", contract, cut);
}

Algorithm named(std::string name) {
  Algorithm a;
  a.what = Collective::broadcast;
  a.name = std::move(name);
  a.make = star;
  return a;
}

TEST(Registered, IsFoundByNameAfterTheLibrarys) {
  auto const before = algorithms();
  register_algorithm(named("star"));
  auto const after = algorithms();
  ASSERT_EQ(after.size(), before.size() + 1);
  auto const& found = algorithm(Collective::broadcast, "star");
  for (auto const* a : library_algorithms()) {
    auto const first = std::ranges::find_if(after, [&](auto const* x) { return x == a || x == &found; });
    EXPECT_EQ(*first == a, a->what <= Collective::broadcast) << name(a->what) << " " << a->name;
  }
  EXPECT_FALSE(found.why_not(Machine::parse("torus:4"), {}).has_value());
  EXPECT_EQ(registered_text(library_algorithms()), "none");
  EXPECT_NE(registered_text(after).find("bcast star"), std::string::npos);

  auto const schedule = make_schedule(Machine::parse("torus:4x4"), {Collective::broadcast, 16, 3, 800, 1}, "star");
  EXPECT_EQ(schedule.program(3).ops.size(), 15U);
  EXPECT_EQ(schedule.program(0).ops.size(), 1U);
  // A list that was taken before does not know it, and says so.
  auto const unknown = message_of([&] { (void)algorithm(Collective::broadcast, "star", before); });
  EXPECT_NE(unknown.find("choose one of"), std::string::npos) << unknown;
}

TEST(Registered, RefusesWhatCannotBeCalled) {
  auto const taken = message_of([] { register_algorithm(named("line")); });
  EXPECT_NE(taken.find("line"), std::string::npos) << taken;
  EXPECT_NE(taken.find("bcast"), std::string::npos) << taken;
  EXPECT_NE(message_of([] { register_algorithm(named("")); }).find("name"), std::string::npos);
  auto empty = named("empty");
  empty.make = nullptr;
  EXPECT_NE(message_of([&] { register_algorithm(empty); }).find("make"), std::string::npos);
  auto nothing = named("nothing");
  nothing.what = Collective::none;
  EXPECT_NE(message_of([&] { register_algorithm(nothing); }).find("what"), std::string::npos);
}

TEST(Registered, KeepsTheContract) {
  auto other = named("other_contract");
  other.make = [](Machine const& machine, Contract contract, Cut cut) {
    contract.bytes += 1;
    return star(machine, contract, cut);
  };
  register_algorithm(other);
  auto const text = message_of([] {
    (void)make_schedule(Machine::parse("torus:4"), {Collective::broadcast, 4, 0, 800, 1}, "other_contract");
  });
  EXPECT_NE(text.find("other_contract"), std::string::npos) << text;
  EXPECT_NE(text.find("contract"), std::string::npos) << text;
}

TEST(Registered, FromThreadsWhileOthersRead) {
  std::atomic<bool> done{false};
  std::jthread const reader([&] {
    while (!done) {
      for (auto const* a : algorithms()) ASSERT_FALSE(a->name.empty());
    }
  });
  std::vector<std::jthread> writers;
  for (int t = 0; t < 3; ++t) {
    writers.emplace_back([t] {
      for (int i = 0; i < 20; ++i) register_algorithm(named("t" + std::to_string(100 * t + i)));
    });
  }
  writers.clear();
  done = true;
  EXPECT_EQ(algorithm(Collective::broadcast, "t219").name, "t219");
}

}  // namespace
}  // namespace allport
