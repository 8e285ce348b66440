#include "calibrate_triad.h"

#include <sched.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>

#include "allport/base/error.h"
#include "mpi_errors.h"

namespace allport::engine {

namespace {

/// Each thread's part of the three arrays.
struct Part {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;

  void touch(std::size_t elements) {
    a.assign(elements, 0.0);
    b.assign(elements, 1.0);
    c.assign(elements, 2.0);
  }
  void triad() {
    auto* const __restrict to = a.data();
    auto const* const __restrict from = b.data();
    auto const* const __restrict scaled = c.data();
    for (std::size_t i = 0; i < a.size(); ++i) to[i] = from[i] + 3.0 * scaled[i];
    static_cast<void>(*const_cast<double volatile*>(&a.back()));  // so that it is computed
  }
};

}  // namespace

struct Triad::Team {
  explicit Team(int threads) : parts(static_cast<std::size_t>(threads)), turn(threads) {}

  std::vector<Part> parts;
  std::barrier<> turn;
  bool over = false;
  std::vector<std::jthread> helpers{};
};

Triad::Triad(int threads, std::int64_t bytes) {
  ensure(threads >= 1, "threads", threads, "at least 1");
  ensure(bytes >= std::int64_t{24} * threads, "bytes", bytes, "an element of each of three arrays for each thread");
  team_ = std::make_unique<Team>(threads);
  auto const elements = static_cast<std::size_t>(bytes / 24 / threads);
  for (std::size_t t = 1; t < team_->parts.size(); ++t) {
    team_->helpers.emplace_back([team = team_.get(), elements, t] {
      auto& part = team->parts[t];
      part.touch(elements);
      team->turn.arrive_and_wait();
      while (true) {
        team->turn.arrive_and_wait();
        if (team->over) return;
        part.triad();
        team->turn.arrive_and_wait();
      }
    });
  }
  team_->parts[0].touch(elements);
  team_->turn.arrive_and_wait();
}

Triad::~Triad() {
  team_->over = true;
  team_->turn.arrive_and_wait();
}

void Triad::run() {
  team_->turn.arrive_and_wait();
  team_->parts[0].triad();
  team_->turn.arrive_and_wait();
}

double Triad::bytes() const {
  double sum = 0;
  for (auto const& part : team_->parts) sum += 24.0 * static_cast<double>(part.a.size());
  return sum;
}

bool Triad::is_right() const {
  return std::ranges::all_of(team_->parts, [](Part const& part) {
    return std::ranges::all_of(part.a, [](double value) { return value == 7.0; });
  });
}

namespace {

/// Processors that each rank of this host can have for itself.
int processors_of_a_rank(MPI_Comm host) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  cpu_set_t all;
  check(MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, host), "MPI_Allreduce", 0);
  int ranks = 1;
  check(MPI_Comm_size(host, &ranks), "MPI_Comm_size", 0);
  return std::max(1, std::min(CPU_COUNT(&mine), CPU_COUNT(&all) / ranks));
}

}  // namespace

TriadPlan plan_triads(MPI_Comm comm, bool quick, bool shared_cores) {
  MPI_Comm host = MPI_COMM_NULL;
  check(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "MPI_Comm_split_type", 0);
  int ranks = 1;
  check(MPI_Comm_size(host, &ranks), "MPI_Comm_size", 0);
  int least[2] = {shared_cores ? 1 : processors_of_a_rank(host), -ranks};
  check(MPI_Comm_free(&host), "MPI_Comm_free", 0);
  check(MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", 0);
  TriadPlan plan;
  for (int t = 1; t < least[0]; t *= 2) plan.threads.push_back(t);
  plan.threads.push_back(least[0]);
  constexpr std::int64_t most = 192 << 20;  // of all ranks of a host
  for (std::int64_t bytes = 24 << 10; bytes <= 96 << 20; bytes *= quick ? 64 : 8) {
    if (bytes == 24 << 10 || bytes * -least[1] <= most) plan.bytes.push_back(bytes);
  }
  return plan;
}

}  // namespace allport::engine
