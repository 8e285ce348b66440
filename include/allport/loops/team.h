// Threads that run loops together: a team leader and its members.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "allport/base/function_ref.h"
#include "allport/loops/loop.h"

namespace allport::loops {

class LoopBoard;

/// A thread that calls parallel_for() is the team's leader; the members are threads owned by the team, which spin for a
/// moment when idle and then sleep. A loop never waits for a member that has not started on it: the other threads run
/// its chunks. Loops may be nested; a thread that waits for a loop runs chunks of the loops nested in it and of no
/// others, so a body that holds a lock never has an unrelated body on its own stack.
///
/// A loop of one chunk is run by its caller without waking other threads. Several threads may call at once. If bodies
/// throw, chunks after the first one that throws are dropped, those before it are run, and the caller gets the
/// exception that a sequential loop would have thrown.
class Team {
 public:
  /// @pre members >= 0
  explicit Team(int members);
  ~Team();
  Team(Team&& other) noexcept;
  Team& operator=(Team&& other) = delete;

  /// Number of threads: the leader and the members.
  [[nodiscard]] int size() const;
  /// Runs a chunk of a loop that another thread has started, as a member would; false if there is none.
  bool help();

  /// body(i) for every i, or body(range) for every chunk.
  template <class Body>
  void parallel_for(Range range, Body&& body, LoopOptions const& options = {}) {
    if constexpr (std::is_invocable_v<Body&, std::int64_t>) {
      parallel_for<1>({range}, body, options);
    } else {
      for_chunks(range.size(), options, [&](std::int64_t first, std::int64_t last) {
        body(Range{range.begin + first, range.begin + last});
      });
    }
  }
  /// body(i, j, ...) for all of {{begin, end}, {begin, end}, ...}, the outermost first.
  template <std::size_t D, class Body>
  void parallel_for(Range const (&ranges)[D], Body&& body, LoopOptions const& options = {}) {
    Nest<D> const nest(std::to_array(ranges), options.collapse);
    for_chunks(nest.iterations(), options,
               [&](std::int64_t first, std::int64_t last) { nest.each(first, last, body); });
  }

  /// combine(...) of body(i) over all i, or of body(range) over parts of the range; `nothing` for an empty range. The
  /// parts and the order of combination depend only on the number of iterations: results are bitwise reproducible for
  /// any number of threads, schedule and chunk (which is rounded up to whole parts).
  template <class T, class Body, class Combine>
  [[nodiscard]] T parallel_reduce(Range range, T nothing, Body&& body, Combine&& combine,
                                  LoopOptions const& options = {}) {
    if constexpr (std::is_invocable_v<Body&, std::int64_t>) {
      return parallel_reduce<1>({range}, std::move(nothing), body, combine, options);
    } else {
      return in_parts(range.size(), std::move(nothing), combine, options, [&](std::int64_t first, std::int64_t last) {
        return T(body(Range{range.begin + first, range.begin + last}));
      });
    }
  }
  template <std::size_t D, class T, class Body, class Combine>
  [[nodiscard]] T parallel_reduce(Range const (&ranges)[D], T nothing, Body&& body, Combine&& combine,
                                  LoopOptions const& options = {}) {
    Nest<D> const nest(std::to_array(ranges), options.collapse);
    return in_parts(
        nest.iterations(), std::move(nothing), combine, options, [&](std::int64_t first, std::int64_t last) {
          std::optional<T> all;
          auto const add = [&](auto... i) { all = all ? T(combine(std::move(*all), body(i...))) : T(body(i...)); };
          nest.each(first, last, add);
          return std::move(*all);
        });
  }

  /// body(first, last) for every chunk of 0 ... iterations - 1; the others are made of it.
  void for_chunks(std::int64_t iterations, LoopOptions const& options,
                  FunctionRef<void(std::int64_t, std::int64_t)> body);

 private:
  friend class Teams;
  /// Over a board that threads of others serve.
  explicit Team(std::unique_ptr<LoopBoard> board);

  static constexpr std::int64_t most_parts = 512;

  /// A part's value is made by `part`; neighbours are combined, then neighbours of these.
  template <class T, class Combine, class Part>
  T in_parts(std::int64_t iterations, T nothing, Combine& combine, LoopOptions options, Part&& part) {
    if (iterations == 0) return nothing;
    auto const length = (iterations - 1) / most_parts + 1;
    auto const parts = (iterations - 1) / length + 1;
    std::vector<std::optional<T>> made(static_cast<std::size_t>(parts));
    if (options.chunk > 0) options.chunk = (options.chunk - 1) / length + 1;
    for_chunks(parts, options, [&](std::int64_t first, std::int64_t last) {
      for (auto p = first; p < last; ++p) {
        made[static_cast<std::size_t>(p)] = part(p * length, p + 1 < parts ? (p + 1) * length : iterations);
      }
    });
    for (std::size_t step = 1; step < made.size(); step *= 2) {
      for (std::size_t p = 0; p + step < made.size(); p += 2 * step) {
        made[p] = T(combine(std::move(*made[p]), std::move(*made[p + step])));
      }
    }
    return std::move(*made.front());
  }

  std::unique_ptr<LoopBoard> board_;
  std::vector<std::thread> members_;
};

}  // namespace allport::loops
