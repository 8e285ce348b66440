#include "courtesy.h"

#include <sched.h>
#include <time.h>

#include <algorithm>

namespace allport::detail {
namespace {

using std::chrono::microseconds;

/// Polls before the core is offered to others, where nobody wanted it of late.
constexpr int spins = 16;
/// An offered core that is back later than this was used by somebody else: a rank with work, or the network's own.
constexpr microseconds taken{5};
/// Offers after one that was taken during which the core counts as shared.
constexpr int memory = 8;
/// The longest sleep is a small part of what a segment takes on links slow enough that anybody sleeps so long.
constexpr microseconds shortest{30};
constexpr microseconds longest{500};

/// Of the polls on a shared core, one in so many offers it, to see whether anybody still wants it.
constexpr int polls_per_offer = 8;

}  // namespace

void Courtesy::moved() {
  if (slept_) sleep_ = std::max<std::chrono::nanoseconds>(sleep_ / 2, shortest);
  slept_ = false;
  polls_ = 0;
}

void Courtesy::idle() {
  if (slept_) sleep_ = std::min<std::chrono::nanoseconds>(2 * sleep_, longest);
  slept_ = false;
  ++polls_;
  if (crowded_ == 0 ? polls_ > spins : --to_offer_ <= 0) offer();
  if (crowded_ == 0) return;
  timespec const pause{0, sleep_.count()};
  nanosleep(&pause, nullptr);
  slept_ = true;
}

void Courtesy::offer() {
  to_offer_ = polls_per_offer;
  using Clock = std::chrono::steady_clock;
  auto const before = Clock::now();
  sched_yield();
  if (Clock::now() - before > taken) {
    if (crowded_ == 0) sleep_ = shortest;
    crowded_ = memory;
  } else if (crowded_ > 0) {
    --crowded_;
  }
}

}  // namespace allport::detail
