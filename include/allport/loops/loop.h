// Loops that a team of threads runs: ranges, scheduling of iterations, and execution of a chunk.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "allport/base/error.h"

namespace allport::loops {

/// begin, ..., end - 1; nothing where end <= begin, as a for loop would have it.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
};

/// OpenMP's schedule kinds.
enum class LoopSchedule : std::uint8_t {
  static_,  ///< round robin: a thread has the same chunks in every loop, unless threads start late
  dynamic,  ///< an idle thread takes the next chunk
  guided,   ///< as dynamic, with chunks proportional to the remaining iterations
};

struct LoopOptions {
  LoopSchedule schedule = LoopSchedule::static_;
  /// Iterations of a chunk; for guided the minimum. 0: static gives every thread one chunk (iterations / threads),
  /// dynamic makes 16 chunks per thread, guided ends with chunks of 1.
  std::int64_t chunk = 0;
  /// Number of a loop nest's outermost ranges that are collapsed into one; the others run inside an iteration. 0: all.
  int collapse = 0;
};

/// How a loop is cut. Chunks of static and dynamic have numbers.
class Chunks {
 public:
  /// @pre iterations >= 0, threads >= 1, options.chunk >= 0
  Chunks(std::int64_t iterations, int threads, LoopOptions const& options);

  [[nodiscard]] bool guided() const { return guided_; }
  [[nodiscard]] std::int64_t iterations() const { return iterations_; }
  /// Of static and dynamic; of guided 1 where a chunk has all, else more than 1.
  [[nodiscard]] std::int64_t count() const { return count_; }
  /// Chunk c of static and dynamic.
  [[nodiscard]] Range operator[](std::int64_t c) const { return {first(c), first(c + 1)}; }
  /// What guided cuts off next where iterations from `begin` on are left.
  [[nodiscard]] Range after(std::int64_t begin) const {
    auto const size = std::max(chunk_, (iterations_ - begin) / (2 * std::int64_t{threads_}));
    return {begin, size < iterations_ - begin ? begin + size : iterations_};
  }

 private:
  /// The first `longer_` chunks have one iteration more.
  [[nodiscard]] std::int64_t first(std::int64_t c) const {
    return c >= count_ ? iterations_ : c * chunk_ + std::min(c, longer_);
  }

  std::int64_t iterations_;
  std::int64_t chunk_ = 1;
  std::int64_t longer_ = 0;
  std::int64_t count_ = 0;
  int threads_;
  bool guided_;
};

/// Ranges of D loops, the outermost first, of which `collapse` make one.
template <std::size_t D>
class Nest {
 public:
  /// @pre 0 <= collapse <= D, and all ranges together have fewer than 2^63 iterations
  Nest(std::array<Range, D> const& ranges, int collapse) : ranges_(ranges) {
    ensure(collapse >= 0 && collapse <= static_cast<int>(D), "collapse", collapse,
           "0 (all) to as many as the loop has ranges");
    collapsed_ = collapse == 0 ? D : static_cast<std::size_t>(collapse);
    bool const nothing = std::ranges::any_of(ranges, [](Range r) { return r.size() == 0; });
    iterations_ = nothing ? 0 : 1;
    for (std::size_t d = 0; d < D && !nothing; ++d) {
      ensure(ranges[d].size() <= std::numeric_limits<std::int64_t>::max() / iterations_, "range", ranges[d].size(),
             "ranges that together have fewer than 2^63 iterations", "collapse fewer of them");
      if (d < collapsed_) iterations_ *= ranges[d].size();
    }
  }

  [[nodiscard]] std::int64_t iterations() const { return iterations_; }

  /// body(i, j, ...) for collapsed iterations first ... last - 1, in the order of nested for loops.
  template <class Body>
  void each(std::int64_t first, std::int64_t last, Body& body) const {
    auto at = place(first);
    while (first < last) {
      auto const inner = D == 1 ? 0 : collapsed_ - 1;
      auto const run = std::min(last - first, ranges_[inner].end - at[inner]);
      if (D == 1 || collapsed_ == D) {
        at = along(at, run, body);
      } else if constexpr (D > 1) {
        for (std::int64_t x = 0; x < run; ++x, ++at[inner]) whole(collapsed_, at, body);
      }
      first += run;
      if constexpr (D > 1) {
        for (auto d = inner; d > 0 && at[d] == ranges_[d].end; --d) {
          at[d] = ranges_[d].begin;
          ++at[d - 1];
        }
      }
    }
  }

 private:
  using Place = std::array<std::int64_t, D>;

  [[nodiscard]] Place place(std::int64_t iteration) const {
    Place at{};
    for (auto d = D; d-- > 0;) {
      if (d >= collapsed_) continue;
      at[d] = ranges_[d].begin + iteration % ranges_[d].size();
      iteration /= ranges_[d].size();
    }
    return at;
  }
  /// The innermost loop, `run` iterations of it: plain, so that compilers can make vectors of it.
  template <class Body>
  Place along(Place at, std::int64_t run, Body& body) const {
    auto const begin = at[D - 1];
    for (std::int64_t x = begin; x < begin + run; ++x) {
      [&]<std::size_t... d>(std::index_sequence<d...>) { body(at[d]..., x); }
      (std::make_index_sequence<D - 1>());
    }
    at[D - 1] += run;
    return at;
  }
  template <class Body>
  void whole(std::size_t d, Place at, Body& body) const {
    at[d] = ranges_[d].begin;
    if (d == D - 1) {
      along(at, ranges_[d].size(), body);
      return;
    }
    for (; at[d] < ranges_[d].end; ++at[d]) whole(d + 1, at, body);
  }

  std::array<Range, D> ranges_;
  std::size_t collapsed_ = D;
  std::int64_t iterations_ = 0;
};

}  // namespace allport::loops
