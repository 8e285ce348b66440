#include "calibrate_clock.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "mpi_errors.h"

namespace allport::detail {

Clock::Clock(MPI_Comm comm) : comm_(comm) { check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank", 0); }

double Clock::slowest(double mine) const {
  auto most = 0.0;
  check(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce", rank_);
  return most;
}

void Clock::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(comm_, &request), "MPI_Ibarrier", rank_);
  for (int done = 0;;) {
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test", rank_);
    if (done != 0) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

double Clock::sample(std::function<void()> const& once, int repeats) const {
  auto sum = 0.0;
  for (int i = 0; i < repeats; ++i) {
    check(MPI_Barrier(comm_), "MPI_Barrier", rank_);
    auto const began = MPI_Wtime();
    once();
    sum += MPI_Wtime() - began;
  }
  return slowest(sum / repeats);
}

double Clock::median(std::function<void()> const& once, double budget, int fewest) const {
  constexpr auto grain = 2e-3;
  constexpr int most_repeats = 50;
  constexpr int most_samples = 25;
  auto const first = sample(once, 1);  // warm: connections are made, pages touched
  if (first > budget) return std::max(first, 1e-9);
  auto const repeats = std::clamp(static_cast<int>(grain / std::max(first, 1e-9)), 1, most_repeats);
  std::vector<double> samples;
  auto spent = 0.0;
  while (static_cast<int>(samples.size()) < fewest ||
         (spent < budget && static_cast<int>(samples.size()) < most_samples)) {
    samples.push_back(sample(once, repeats));
    spent += samples.back() * repeats;
  }
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return std::max(*middle, 1e-9);
}

}  // namespace allport::detail
