// What the executor of task graphs takes for itself. Usage: mpirun -n RANKS bench_tasks [ROUNDS]; prints one JSON
// object of seconds, round by round.
//   on one rank: empty tasks, independent or with four dependences each, on one and two threads, beside
//   OpenMP's tasks with the same dependences: seconds a task
//   on several: the shortest task with which a graph keeps half of the processors busy (Task Bench's
//   METG(50%): Slaughter et al. 2020), for four patterns of dependences over all ranks, beside plain non-blocking MPI
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "allport/tasks/run.h"
#include "under_mpi.h"

namespace {

using namespace allport;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Busy for `seconds`.
void spin(double seconds) {
  if (seconds <= 0) return;
  auto const end = now() + seconds;
  while (now() < end) {
  }
}

enum class Pattern : std::uint8_t { independent, four, stencil, fft, tree, random };

/// `width` points a step in equal parts over the ranks; point i of step k needs some of step k - 1.
class Steps : public TaskGraph {
 public:
  Steps(Pattern pattern, Rank ranks, int width, int steps, double seconds)
      : pattern_(pattern), ranks_(ranks), width_(width), steps_(steps), seconds_(seconds) {
    needs_.resize(static_cast<std::size_t>(width));
    needed_.resize(static_cast<std::size_t>(width));
    std::mt19937 random(7);
    for (int i = 0; i < width; ++i) {
      auto& all = needs_[static_cast<std::size_t>(i)];
      auto const add = [&](int from) {
        if (from >= 0 && from < width && std::ranges::find(all, from) == all.end()) all.push_back(from);
      };
      if (pattern == Pattern::four) {
        for (int d = 0; d < 4; ++d) add((i + d) % width);
      } else if (pattern == Pattern::stencil) {
        for (int d = -1; d <= 1; ++d) add(i + d);
      } else if (pattern == Pattern::fft) {
        for (int d = -width / 2; d <= width / 2; d += width / 2) add(i + d);
      } else if (pattern == Pattern::tree) {
        add(i / 2);
      } else if (pattern == Pattern::random) {
        for (int d = 0; d < 3; ++d) add(static_cast<int>(random() % static_cast<unsigned>(width)));
      }
      for (auto const from : all) needed_[static_cast<std::size_t>(from)].push_back(i);
    }
  }
  Rank ranks() const override { return ranks_; }
  void entries(Rank rank, VisitTask visit) const override {
    for (int k = 0; k < steps_; ++k) {
      for (int i = first(rank); i < first(rank + 1); ++i) {
        if (num_parents(at(i, k)) == 0) visit(at(i, k));
      }
    }
  }
  std::optional<std::int64_t> count(Rank rank) const override {
    return std::int64_t{steps_} * (first(rank + 1) - first(rank));
  }
  Rank owner(Task t) const override { return static_cast<Rank>((std::int64_t{t.i} * ranks_ + ranks_ - 1) / width_); }
  int num_parents(Task t) const override { return t.k == 0 ? 0 : static_cast<int>(needs(t.i).size()); }
  void children(Task t, VisitEdge visit) const override {
    if (t.k + 1 == steps_) return;
    for (auto const i : needed_[static_cast<std::size_t>(t.i)]) {
      auto const& all = needs(i);
      auto const input = static_cast<int>(std::ranges::find(all, t.i) - all.begin());
      visit({at(i, t.k + 1), input, 0, owner(at(i, t.k + 1)) == owner(t) ? EdgeKind::order : EdgeKind::data});
    }
  }
  Shape output(Task, int) const override { return {2, 1, 0}; }
  void run(Task t, TaskContext& context) const override {
    spin(seconds_);
    for (auto const i : needed_[static_cast<std::size_t>(t.i)]) {
      if (ranks_ > 1 && owner(at(i, 0)) != owner(t)) context.output(0)[0] = std::byte{1};
    }
  }
  [[nodiscard]] std::vector<int> const& needs(int i) const { return needs_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] int first(Rank rank) const { return static_cast<int>(std::int64_t{rank} * width_ / ranks_); }

 private:
  static Task at(int i, int k) { return {0, 0, i, 0, k}; }
  Pattern pattern_;
  Rank ranks_;
  int width_;
  int steps_;
  double seconds_;
  std::vector<std::vector<int>> needs_;
  std::vector<std::vector<int>> needed_;
};

constexpr int width_of_one = 100;
constexpr int steps_of_one = 1000;

/// Empty tasks of OpenMP with the same dependences, in seconds a task.
double openmp_empty(Pattern pattern, int threads) {
  std::vector<char> cells(2 * width_of_one + 8);
  auto const begin = now();
#pragma omp parallel num_threads(threads)
#pragma omp single
  for (int k = 0; k < steps_of_one; ++k) {
    [[maybe_unused]] auto* const from = cells.data() + (k % 2) * width_of_one;
    [[maybe_unused]] auto* const to = cells.data() + (1 - k % 2) * width_of_one;
    for (int i = 0; i < width_of_one; ++i) {
      if (pattern == Pattern::independent) {
#pragma omp task
        {}
      } else {
        auto const at = [&](int d) { return (i + d) % width_of_one; };
        int const a = at(0);
        int const b = at(1);
        int const c = at(2);
        int const d = at(3);
#pragma omp task depend(in : from[a], from[b], from[c], from[d]) depend(out : to[i])
        {}
      }
    }
  }
  return (now() - begin) / (width_of_one * steps_of_one);
}

double ours_empty(Pattern pattern, int workers, Communicator const& self) {
  Steps const graph(pattern, 1, width_of_one, steps_of_one, 0);
  return tasks::run(graph, self, {.workers = workers}).seconds / (width_of_one * steps_of_one);
}

/// The same steps by hand: what other ranks need is sent when it is there, and waited for before it is used.
double plain_mpi(Steps const& graph, Rank me, int steps, double seconds) {
  MPI_Barrier(MPI_COMM_WORLD);
  auto const begin = now();
  auto const first = graph.first(me);
  auto const last = graph.first(me + 1);
  std::vector<double> values(4096);
  std::vector<MPI_Request> requests;
  for (int k = 0; k < steps; ++k) {
    if (k > 0) {
      requests.clear();
      for (int i = 0; i < graph.first(graph.ranks()); ++i) {
        for (auto const from : graph.needs(i)) {
          auto const there = graph.owner({0, 0, from, 0, 0});
          auto const here = graph.owner({0, 0, i, 0, 0});
          if (there == here || (there != me && here != me)) continue;
          auto& request = requests.emplace_back();
          auto* const at = values.data() + 2 * (requests.size() % 2048);
          if (here == me) MPI_Irecv(at, 2, MPI_DOUBLE, there, from * 100 + i, MPI_COMM_WORLD, &request);
          if (there == me) MPI_Isend(at, 2, MPI_DOUBLE, here, from * 100 + i, MPI_COMM_WORLD, &request);
        }
      }
      MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    }
    for (int i = first; i < last; ++i) spin(seconds);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return now() - begin;
}

/// The shortest body, in seconds, with which `run` keeps half of the processors busy.
/// @param run  seconds of a run with bodies of that length, the same on all ranks
double smallest(std::function<double(double)> const& run, double tasks_a_rank) {
  double low = 1e-7;
  double high = 1e-4;
  for (int i = 0; i < 8; ++i) {
    auto const middle = std::sqrt(low * high);
    auto const efficiency = middle * tasks_a_rank / run(middle);
    (efficiency >= 0.5 ? high : low) = middle;
  }
  return high;
}

double slowest(double seconds) {
  double most = 0;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

void print(std::string const& name, std::vector<double> const& all, bool last = false) {
  std::printf("  \"%s\": [", name.c_str());
  for (std::size_t i = 0; i < all.size(); ++i) std::printf("%s%.9f", i > 0 ? ", " : "", all[i]);
  std::printf("]%s\n", last ? "" : ",");
}

void empty_tasks(int rounds) {
  Communicator const self(MPI_COMM_SELF, Machine::flat(1));
  for (auto const& [pattern, name] :
       {std::pair(Pattern::independent, "independent"), std::pair(Pattern::four, "four")}) {
    for (int const workers : {1, 2}) {
      std::vector<double> ours;
      std::vector<double> openmp;
      for (int r = 0; r < rounds; ++r) {
        ours.push_back(ours_empty(pattern, workers, self));
        openmp.push_back(openmp_empty(pattern, workers));
      }
      print(fmt::format("empty {} {} ours", name, workers), ours);
      print(fmt::format("empty {} {} OpenMP", name, workers), openmp);
    }
  }
}

void smallest_tasks(int rounds) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat([] {
                            int size = 0;
                            MPI_Comm_size(MPI_COMM_WORLD, &size);
                            return size;
                          }()));
  constexpr int points = 8;  // of a rank
  constexpr int steps = 300;
  auto const width = points * comm.size();
  auto const patterns = {std::pair(Pattern::stencil, "stencil"), std::pair(Pattern::fft, "fft"),
                         std::pair(Pattern::tree, "tree"), std::pair(Pattern::random, "random")};
  for (auto const& [pattern, name] : patterns) {
    std::vector<double> ours;
    std::vector<double> mpi;
    for (int r = 0; r < rounds; ++r) {
      ours.push_back(smallest(
          [&, p = pattern](double seconds) {
            Steps const graph(p, comm.size(), width, steps, seconds);
            return slowest(tasks::run(graph, comm).seconds);
          },
          points * steps));
      mpi.push_back(smallest(
          [&, p = pattern](double seconds) {
            Steps const graph(p, comm.size(), width, steps, seconds);
            return slowest(plain_mpi(graph, comm.rank(), steps, seconds));
          },
          points * steps));
    }
    if (comm.rank() > 0) continue;
    print(fmt::format("smallest {} ours", name), ours);
    print(fmt::format("smallest {} MPI", name), mpi);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return bench::under_mpi("bench_tasks", &argc, &argv, MPI_THREAD_SERIALIZED, [&] {
    bench::Arguments given(argc, argv);
    auto const rounds = given.number("ROUNDS", 5);
    given.end();
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0) std::printf("{\n");
    if (ranks == 1) {
      empty_tasks(rounds);
    } else {
      smallest_tasks(rounds);
    }
    if (rank == 0) std::printf("  \"ranks\": %d\n}\n", ranks);
  });
}
