// The open loops of a team.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/loops/cores.h"
#include "allport/loops/loop.h"

namespace allport::loops {

/// Time that a thread spins before it sleeps.
inline constexpr auto spin_time = std::chrono::microseconds(50);

/// A loop, on its caller's stack; valid until all threads have left it.
struct Loop {
  Chunks chunks;
  FunctionRef<void(std::int64_t, std::int64_t)> body;
  Loop const* parent = nullptr;  ///< in a chunk of which it was opened
  bool is_static = false;
  /// First iteration of the first chunk that has thrown; later ones are dropped.
  std::atomic<std::int64_t> failed{std::numeric_limits<std::int64_t>::max()};
  std::mutex mutex{};
  std::exception_ptr error{};

  void run(Range chunk);
  [[nodiscard]] bool is_in(Loop const* other) const;
};

/// Threads use it as number 0 ... threads - 1; several may use the same number. It owns no threads.
class LoopBoard {
 public:
  /// `crowded`: there are fewer processors than threads, so waiting threads yield.
  LoopBoard(int threads, bool crowded);
  explicit LoopBoard(int threads) : LoopBoard(threads, threads > processors()) {}

  [[nodiscard]] int threads() const { return threads_; }
  /// Runs a loop with the help of other threads. @throws the exception of the first chunk that threw
  void run(std::int64_t iterations, LoopOptions const& options, FunctionRef<void(std::int64_t, std::int64_t)> body);
  /// Runs chunks of one open loop until it has none left, or `most` of them. False where no loop has any.
  bool help(int thread, std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    return help_within(nullptr, thread, most);
  }
  /// Helps until stop(); between loops spins, then sleeps.
  void serve(int thread);
  void stop();

 private:
  static constexpr std::uint32_t open = 1U << 31;
  static constexpr std::uint32_t awaited = 1U << 30;  ///< its caller sleeps until the last one leaves
  static constexpr std::uint32_t inside = awaited - 1;

  struct alignas(64) Cursor {
    std::atomic<std::int64_t> next{0};
  };
  /// A slot for a loop. Slots outlive loops, so they can be read without synchronisation.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> state{0};  ///< how many are inside, beside the caller, and the flags
    std::atomic<bool> taken{false};
    Loop* loop = nullptr;
    Cursor next;                 ///< dynamic: chunk; guided: iteration
    std::vector<Cursor> shares;  ///< static: of member m, which of chunks m, m + members, ... comes next
  };

  [[nodiscard]] Slot* take_slot();
  void run_alone(Loop& loop);
  bool help_within(Loop const* outer, int thread, std::int64_t most);
  std::int64_t run_chunks(Slot& slot, int thread, std::int64_t most);
  [[nodiscard]] std::optional<Range> next(Slot& slot, int thread);
  [[nodiscard]] std::optional<Range> next_static(Slot& slot, int thread);
  [[nodiscard]] static std::optional<Range> next_guided(Slot& slot);
  [[nodiscard]] static bool join(Slot& slot);
  void leave(Slot& slot);
  void wait_for_threads(Slot& slot, int thread);
  void announce();
  void sleep(std::uint32_t seen);
  [[nodiscard]] bool spin(std::uint32_t seen) const;

  int const threads_;
  bool const crowded_;
  std::vector<Slot> slots_;
  /// Changes when there may be something to do, or to end.
  alignas(64) std::atomic<std::uint32_t> signal_{0};
  std::atomic<int> sleepers_{0};
  std::atomic<bool> stopped_{false};
};

}  // namespace allport::loops
