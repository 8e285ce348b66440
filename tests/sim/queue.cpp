#include "sim/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace allport::sim {
namespace {

Event event(double time, std::int32_t number) {
  Event e;
  e.time = time;
  e.segment = number;
  return e;
}

// What a queue has to do, done the slow way: the least time, and among equal ones the first that was put in.
class Slow {
 public:
  void push(Event const& e) { events_.push_back(e); }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  Event take() {
    auto const first =
        std::ranges::min_element(events_, [](Event const& a, Event const& b) { return a.time < b.time; });
    auto const e = *first;
    events_.erase(first);
    return e;
  }

 private:
  std::vector<Event> events_;
};

// `choices` moments lie ahead at a time: few, so that most are shared, or more than the queue remembers.
void compare(int choices, int steps) {
  EventQueue queue;
  Slow slow;
  std::mt19937 random(7);
  double now = 0.0;
  std::int32_t number = 0;
  auto const put = [&](int count) {
    for (int i = 0; i < count; ++i) {
      auto const e = event(now + 0.25 * static_cast<double>(random() % static_cast<unsigned>(choices)), number++);
      queue.push(e);
      slow.push(e);
    }
  };
  put(choices);
  for (int i = 0; i < steps; ++i) {
    if (!queue.more_now()) {
      ASSERT_EQ(queue.more_later(), !slow.empty());
      if (slow.empty()) break;
      queue.go_on();
    }
    auto const a = queue.take();
    auto const b = slow.take();
    ASSERT_EQ(a.time, b.time);
    ASSERT_EQ(a.segment, b.segment);
    now = a.time;
    put(static_cast<int>(random() % 3));
  }
  EXPECT_GT(now, 0.0);
}

TEST(EventQueue, EventsComeByTimeAndAmongEqualTimesInTheirOrder) {
  compare(5, 2000);
  compare(300, 5000);
}

TEST(EventQueue, MomentsThatAreForgottenKeepTheirOrder) { compare(4000, 9000); }

TEST(EventQueue, WhatIsPutInForThisMomentComesAfterWhatWasThere) {
  EventQueue queue;
  queue.push(event(1.0, 0));
  queue.push(event(2.0, 1));
  queue.push(event(1.0, 2));
  EXPECT_FALSE(queue.more_now());
  queue.go_on();
  EXPECT_EQ(queue.take().segment, 0);
  queue.push(event(1.0, 3));
  EXPECT_EQ(queue.take().segment, 2);
  EXPECT_EQ(queue.take().segment, 3);
  EXPECT_FALSE(queue.more_now());
  queue.go_on();
  EXPECT_EQ(queue.take().segment, 1);
  EXPECT_FALSE(queue.more_later());
}

}  // namespace
}  // namespace allport::sim
