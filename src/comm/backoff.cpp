#include "backoff.h"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <optional>

namespace allport::engine {
namespace {

using std::chrono::microseconds;

/// Polls before the core is yielded, if no other thread has used it recently.
constexpr int spins = 16;
/// A yield that takes longer than this means that another thread has used the core.
constexpr microseconds taken{5};
/// Number of yields for which the core counts as shared after such a yield.
constexpr int memory = 8;
constexpr microseconds shortest{30};
constexpr microseconds longest{500};
/// Maximum sleep, as a fraction of the time of this many bytes on a link.
constexpr double part = 1.0 / 25.0;
constexpr std::int64_t segment = 64 << 10;

std::chrono::nanoseconds longest_on(Machine const& machine) {
  auto slowest = Seconds(0);
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.bandwidth.value() > 0) slowest = std::max(slowest, Bytes(segment) / axis.bandwidth);
  }
  auto const nanoseconds = std::chrono::duration<double>(slowest.value() * part);
  return std::min<std::chrono::nanoseconds>(std::chrono::duration_cast<std::chrono::nanoseconds>(nanoseconds), longest);
}

/// Releases a lock, if there is one, for its lifetime.
class Meanwhile {
 public:
  explicit Meanwhile(EngineLock* lock) {
    if (lock != nullptr) released_.emplace(*lock);
  }

 private:
  std::optional<EngineLock::Released> released_;
};

/// One in this many polls between sleeps yields the core, to detect whether it is still shared.
constexpr int polls_per_offer = 8;

}  // namespace

Backoff::Backoff(Machine const& machine) : longest_(longest_on(machine)) {}

void Backoff::moved() {
  if (slept_) sleep_ = std::max<std::chrono::nanoseconds>(sleep_ / 2, shortest);
  slept_ = false;
  polls_ = 0;
}

void Backoff::idle(EngineLock* lock) {
  if (slept_) sleep_ = std::min<std::chrono::nanoseconds>(2 * sleep_, longest_);
  slept_ = false;
  ++polls_;
  bool const sleeps = longest_ >= shortest;
  if (crowded_ == 0 ? polls_ > spins : !sleeps || --to_offer_ <= 0) offer(lock);
  if (crowded_ == 0 || !sleeps) return;
  timespec const pause{0, sleep_.count()};
  {
    Meanwhile const free(lock);
    nanosleep(&pause, nullptr);
  }
  slept_ = true;
}

void Backoff::offer(EngineLock* lock) {
  to_offer_ = polls_per_offer;
  using Clock = std::chrono::steady_clock;
  Clock::duration away{};
  {
    Meanwhile const free(lock);
    auto const before = Clock::now();
    sched_yield();
    away = Clock::now() - before;
  }
  if (away > taken) {
    if (crowded_ == 0) sleep_ = shortest;
    crowded_ = memory;
  } else if (crowded_ > 0) {
    --crowded_;
  }
}

}  // namespace allport::engine
