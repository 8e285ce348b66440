#include "loop_board.h"

#include <sched.h>

#include <chrono>
#include <thread>

namespace allport::loops {

namespace {

constexpr int spins_between_clocks = 64;
constexpr int yields_before_sleep = 8;

/// The loop that the calling thread is in.
struct Here {
  LoopBoard const* board = nullptr;
  int thread = 0;
  Loop const* loop = nullptr;
};
thread_local Here here;

class Inside {
 public:
  Inside(LoopBoard const* board, int thread, Loop const* loop) : before_(here) { here = {board, thread, loop}; }
  ~Inside() { here = before_; }
  Inside(Inside const&) = delete;
  Inside& operator=(Inside const&) = delete;

 private:
  Here before_;
};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void Loop::run(Range chunk) {
  if (chunk.begin > failed.load(std::memory_order_relaxed)) return;
  try {
    body(chunk.begin, chunk.end);
  } catch (...) {
    std::scoped_lock const hold(mutex);
    if (chunk.begin >= failed) return;
    failed = chunk.begin;
    error = std::current_exception();
  }
}

bool Loop::is_in(Loop const* other) const {
  for (auto const* loop = this; loop != nullptr; loop = loop->parent) {
    if (loop == other) return true;
  }
  return false;
}

// Slots for a loop of each thread and one nested in it; further loops are run by their callers alone.
LoopBoard::LoopBoard(int threads, bool crowded)
    : threads_(threads), crowded_(crowded), slots_(static_cast<std::size_t>(2 * threads)) {
  for (auto& slot : slots_) slot.shares = std::vector<Cursor>(static_cast<std::size_t>(threads));
}

void LoopBoard::run(std::int64_t iterations, LoopOptions const& options,
                    FunctionRef<void(std::int64_t, std::int64_t)> body) {
  Loop loop{Chunks(iterations, threads_, options), body, here.board == this ? here.loop : nullptr,
            options.schedule == LoopSchedule::static_};
  if (loop.chunks.count() <= 1) {
    if (iterations > 0) body(0, iterations);
    return;
  }
  auto* const slot = threads_ > 1 ? take_slot() : nullptr;
  if (slot == nullptr) return run_alone(loop);
  auto const thread = here.board == this ? here.thread : 0;
  slot->loop = &loop;
  slot->next.next.store(0, std::memory_order_relaxed);
  for (auto& share : slot->shares) share.next.store(0, std::memory_order_relaxed);
  slot->state = open;
  announce();
  run_chunks(*slot, thread, std::numeric_limits<std::int64_t>::max());
  wait_for_threads(*slot, thread);
  slot->state = 0;
  slot->taken.store(false, std::memory_order_release);
  if (loop.error) std::rethrow_exception(loop.error);
}

void LoopBoard::run_alone(Loop& loop) {
  auto const& chunks = loop.chunks;
  auto const end = chunks.iterations();
  std::int64_t number = 0;
  for (Range chunk; chunk.end < end; ++number) {
    chunk = chunks.guided() ? chunks.after(chunk.end) : chunks[number];
    loop.body(chunk.begin, chunk.end);
  }
}

LoopBoard::Slot* LoopBoard::take_slot() {
  for (auto& slot : slots_) {
    if (!slot.taken.load(std::memory_order_relaxed) && !slot.taken.exchange(true, std::memory_order_acquire)) {
      return &slot;
    }
  }
  return nullptr;
}

std::optional<Range> LoopBoard::next(Slot& slot, int thread) {
  auto const& chunks = slot.loop->chunks;
  if (chunks.guided()) return next_guided(slot);
  if (slot.loop->is_static) return next_static(slot, thread);
  auto const number = slot.next.next.fetch_add(1, std::memory_order_relaxed);
  return number < chunks.count() ? std::optional(chunks[number]) : std::nullopt;
}

/// Own chunks first, then those of threads that have not started.
std::optional<Range> LoopBoard::next_static(Slot& slot, int thread) {
  auto const& chunks = slot.loop->chunks;
  for (int m = 0; m < threads_; ++m) {
    auto const whose = (thread + m) % threads_;
    auto& share = slot.shares[static_cast<std::size_t>(whose)].next;
    auto const last = chunks.count() - 1 - whose;  // chunk `whose + t * members` is there for t <= last / members
    if (last < 0 || share.load(std::memory_order_relaxed) > last / threads_) continue;
    auto const turn = share.fetch_add(1, std::memory_order_relaxed);
    if (turn <= last / threads_) return chunks[whose + turn * threads_];
  }
  return std::nullopt;
}

std::optional<Range> LoopBoard::next_guided(Slot& slot) {
  auto const& chunks = slot.loop->chunks;
  auto begin = slot.next.next.load(std::memory_order_relaxed);
  while (begin < chunks.iterations()) {
    auto const chunk = chunks.after(begin);
    if (slot.next.next.compare_exchange_weak(begin, chunk.end, std::memory_order_relaxed)) return chunk;
  }
  return std::nullopt;
}

std::int64_t LoopBoard::run_chunks(Slot& slot, int thread, std::int64_t most) {
  auto& loop = *slot.loop;
  Inside const inside_loop(this, thread, &loop);
  std::int64_t done = 0;
  while (done < most) {
    auto const chunk = next(slot, thread);
    if (!chunk) {
      slot.state.fetch_and(~open);
      break;
    }
    loop.run(*chunk);
    ++done;
  }
  return done;
}

bool LoopBoard::join(Slot& slot) {
  auto state = slot.state.load(std::memory_order_relaxed);
  while ((state & open) != 0) {
    if (slot.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void LoopBoard::leave(Slot& slot) {
  auto const before = slot.state.fetch_sub(1);
  if ((before & awaited) != 0 && (before & inside) == 1) announce();
}

bool LoopBoard::help_within(Loop const* outer, int thread, std::int64_t most) {
  bool helped = false;
  for (auto& slot : slots_) {
    if (!join(slot)) continue;
    if (outer == nullptr || slot.loop->is_in(outer)) helped = run_chunks(slot, thread, most) > 0;
    leave(slot);
    if (helped) return true;
  }
  return false;
}

/// The caller of a loop whose chunks have all been taken helps the threads that it waits for.
void LoopBoard::wait_for_threads(Slot& slot, int thread) {
  auto const alone = [&] { return (slot.state & inside) == 0; };
  while (!alone()) {
    auto const seen = signal_.load();
    if (help_within(slot.loop, thread, 1) || alone()) continue;
    auto const until = std::chrono::steady_clock::now() + spin_time;
    bool late = false;
    for (int i = 1; !alone() && signal_ == seen && !late; ++i) {
      if (crowded_) {
        sched_yield();
        late = i >= yields_before_sleep;
      } else {
        relax();
        late = i % spins_between_clocks == 0 && std::chrono::steady_clock::now() > until;
      }
    }
    if (!late) continue;
    // The last thread to leave reads the flag, which is set before the number of threads inside is read.
    slot.state.fetch_or(awaited);
    if (!alone()) sleep(seen);
    slot.state.fetch_and(~awaited);
  }
}

void LoopBoard::announce() {
  signal_.fetch_add(1);
  if (sleepers_ > 0) signal_.notify_all();
}

void LoopBoard::sleep(std::uint32_t seen) {
  sleepers_.fetch_add(1);
  signal_.wait(seen);
  sleepers_.fetch_sub(1);
}

bool LoopBoard::spin(std::uint32_t seen) const {
  auto const until = std::chrono::steady_clock::now() + spin_time;
  for (int i = 1;; ++i) {
    if (signal_ != seen) return true;
    if (crowded_) {
      if (i > yields_before_sleep) return false;
      sched_yield();
    } else {
      relax();
      if (i % spins_between_clocks == 0 && std::chrono::steady_clock::now() > until) return false;
    }
  }
}

void LoopBoard::serve(int thread) {
  while (true) {
    auto const seen = signal_.load();
    if (stopped_) return;
    if (help(thread)) continue;
    if (!spin(seen)) sleep(seen);
  }
}

void LoopBoard::stop() {
  stopped_ = true;
  announce();
}

}  // namespace allport::loops
