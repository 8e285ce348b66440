// What a parallel loop takes for itself, beside GNU's and LLVM's OpenMP and oneTBB, by turns in one run; those that are
// not here are named on stderr (Debian: libomp-dev, libtbb-dev). Usage: bench_loops [THREADS] [ROUNDS]; prints one JSON
// object of seconds a loop, round by round. Every loop is checked first.
#include <fmt/format.h>
#include <omp.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "allport/loops/team.h"
#include "allport/loops/teams.h"
#include "arguments.h"
#include "loops_libomp.h"
#ifdef ALLPORT_TBB
#include <oneapi/tbb.h>
#endif

namespace {

using namespace allport::loops;
using bench::Libomp;

/// Threads of OpenMP spin for a while after a region, and would take a core from whoever comes next: LLVM's for 200 ms.
constexpr auto until_all_sleep = std::chrono::milliseconds(250);

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Seconds of each of so many loops in a row that at least 20 ms go by.
template <class Loop>
double seconds_of(Loop const& loop) {
  for (std::int64_t count = 16;; count *= 4) {
    auto const began = now();
    for (std::int64_t c = 0; c < count; ++c) loop();
    auto const took = now() - began;
    if (took > 0.02) return took / static_cast<double>(count);
  }
}

/// Work of iteration i: none, little and even, or growing with i.
enum class Work { none, even, uneven };
double work(Work kind, std::int64_t i, std::int64_t n) {
  if (kind == Work::none) return 0;
  auto const steps = kind == Work::even ? 200 : 400 * i / n;
  auto x = 1.0 + static_cast<double>(i);
  for (std::int64_t s = 0; s < steps; ++s) x = std::sqrt(x + static_cast<double>(s));
  return x;
}

class Contest {
 public:
  Contest(int threads, int rounds) : threads_(threads), rounds_(rounds), team_(threads - 1), libomp_(Libomp::open()) {
    if (!libomp_) fmt::print(stderr, "bench_loops: no libomp.so here: LLVM's OpenMP is left out (libomp-dev)\n");
#ifndef ALLPORT_TBB
    fmt::print(stderr, "bench_loops: built without oneTBB, which is left out (libtbb-dev)\n");
#endif
  }

  /// The same loop by all, in the schedule that suits the work best with each.
  void run(std::string const& name, Work kind, std::int64_t n) {
    std::vector<double> out(static_cast<std::size_t>(n));
    auto const body = [&](std::int64_t i) { out[static_cast<std::size_t>(i)] = work(kind, i, n); };
    auto const ours = [&](LoopSchedule schedule, std::int64_t chunk = 0) {
      return [&, schedule, chunk] { team_.parallel_for(Range{0, n}, body, {schedule, chunk}); };
    };
    // Named loops, so that every one is checked and then timed by turns.
    std::map<std::string, std::function<void()>> loops;
    loops["ours, static"] = ours(LoopSchedule::static_);
    if (kind == Work::uneven) {
      loops["ours, dynamic"] = ours(LoopSchedule::dynamic, 16);
      loops["ours, guided"] = ours(LoopSchedule::guided);
      loops["libgomp, dynamic"] = [&] {
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads_)
        for (std::int64_t i = 0; i < n; ++i) body(i);
      };
      loops["libgomp, guided"] = [&] {
#pragma omp parallel for schedule(guided) num_threads(threads_)
        for (std::int64_t i = 0; i < n; ++i) body(i);
      };
    }
    loops["libgomp, static"] = [&] {
#pragma omp parallel for schedule(static) num_threads(threads_)
      for (std::int64_t i = 0; i < n; ++i) body(i);
    };
    if (libomp_) {
      auto const theirs = [&](Libomp::Schedule schedule, std::int64_t chunk) {
        Libomp::Body const chunk_of_it = [&](std::int64_t first, std::int64_t last) {
          for (auto i = first; i < last; ++i) body(i);
        };
        return [&, schedule, chunk, chunk_of_it] { libomp_->parallel_for(threads_, n, schedule, chunk, chunk_of_it); };
      };
      loops["libomp, static"] = theirs(Libomp::Schedule::static_, 0);
      if (kind == Work::uneven) {
        loops["libomp, dynamic"] = theirs(Libomp::Schedule::dynamic, 16);
        loops["libomp, guided"] = theirs(Libomp::Schedule::guided, 1);
      }
    }
#ifdef ALLPORT_TBB
    tbb::task_arena arena(threads_);
    loops["oneTBB"] = [&] { arena.execute([&] { tbb::parallel_for(std::int64_t{0}, n, body); }); };
    loops["oneTBB, static"] = [&] {
      arena.execute([&] { tbb::parallel_for(std::int64_t{0}, n, body, tbb::static_partitioner()); });
    };
#endif
    for (auto const& [who, loop] : loops) {
      out.assign(out.size(), -1);
      loop();
      for (std::int64_t i = 0; i < n; ++i) {
        if (out[static_cast<std::size_t>(i)] != work(kind, i, n)) {
          fmt::print(stderr, "bench_loops: {}, {}: iteration {} is wrong\n", name, who, i);
          std::exit(1);
        }
      }
    }
    std::map<std::string, std::vector<double>> seconds;
    for (int round = 0; round < rounds_; ++round) {
      for (auto const& [who, loop] : loops) {
        std::this_thread::sleep_for(until_all_sleep);
        seconds[who].push_back(seconds_of(loop));
      }
    }
    for (auto const& [who, values] : seconds) {
      fmt::print("  \"{}: {}\": [{:.9f}],\n", name, who, fmt::join(values, ", "));
    }
  }

 private:
  int threads_;
  int rounds_;
  Team team_;
  std::optional<Libomp> libomp_;
};

/// Seconds from one shape of the teams to the next, every thread in its place, over all shapes in turn; and of nested
/// parallel regions of these shapes, one after the other.
void reconfigure(int threads, int rounds) {
  Teams teams(usable_cores(), {.threads = threads});
  auto const shapes = shapes_of(threads);
  std::vector<double> seconds;
  std::vector<double> nested;
  omp_set_max_active_levels(2);
  for (int round = 0; round < rounds; ++round) {
    auto const turn = [&] {
      for (auto const& shape : shapes) {
        teams.configure(shape.leaders, shape.members);
        teams.run([](int, Team&) {});
      }
    };
    auto const regions = [&] {
      for (auto const& shape : shapes) {
#pragma omp parallel num_threads(shape.leaders)
        {
#pragma omp parallel num_threads(1 + shape.members)
          asm volatile("" ::: "memory");
        }
      }
    };
    std::this_thread::sleep_for(until_all_sleep);
    seconds.push_back(seconds_of(turn) / static_cast<double>(shapes.size()));
    nested.push_back(seconds_of(regions) / static_cast<double>(shapes.size()));
  }
  fmt::print("  \"other nested regions: libgomp\": [{:.9f}],\n", fmt::join(nested, ", "));
  fmt::print("  \"other teams: {}\": [{:.9f}],\n", teams.pinned() ? "pinned" : "not pinned", fmt::join(seconds, ", "));
}

}  // namespace

int main(int argc, char** argv) {
  return allport::bench::alone("bench_loops", [&] {
    allport::bench::Arguments given(argc, argv);
    auto const threads = given.number("THREADS", omp_get_max_threads());
    auto const rounds = given.number("ROUNDS", 7);
    given.end();
    fmt::print("{{\n");
    Contest contest(threads, rounds);
    contest.run("nothing in 2 iterations", Work::none, 2);
    contest.run("nothing in 1000 iterations", Work::none, 1000);
    contest.run("1000 even iterations", Work::even, 1000);
    contest.run("1000 growing iterations", Work::uneven, 1000);
    reconfigure(threads, rounds);
    fmt::print("  \"threads\": {}\n}}\n", threads);
    return 0;
  });
}
