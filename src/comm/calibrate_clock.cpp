#include "calibrate_clock.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "mpi_errors.h"

namespace allport::engine {

Clock::Clock(MPI_Comm comm) : comm_(comm) { check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank", 0); }

double Clock::slowest(double mine) const {
  auto most = 0.0;
  check(MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, comm_), "MPI_Allreduce", rank_);
  return most;
}

void Clock::meet() const { check(MPI_Barrier(comm_), "MPI_Barrier", rank_); }

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
    meet();
    auto const began = MPI_Wtime();
    once();
    sum += MPI_Wtime() - began;
  }
  return slowest(sum / repeats);
}

double Clock::sample_in_a_row(std::function<void()> const& once, int repeats) const {
  meet();
  auto const began = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) once();
  return slowest(MPI_Wtime() - began) / repeats;
}

namespace {

constexpr int most_samples = 25;

double middle_of(std::vector<double> samples) {
  auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return std::max(*middle, 1e-9);
}

/// Number of repetitions that takes at least `grain`.
int repeats_for(double grain, double once, int most) {
  return std::clamp(static_cast<int>(grain / std::max(once, 1e-9)), 1, most);
}

/// `sample` until there are `fewest` and the budget is spent.
template <class Sample>
double median_of(Sample const& sample, int repeats, double budget, int fewest) {
  std::vector<double> samples;
  auto spent = 0.0;
  while (static_cast<int>(samples.size()) < fewest ||
         (spent < budget && static_cast<int>(samples.size()) < most_samples)) {
    samples.push_back(sample());
    spent += samples.back() * repeats;
  }
  return middle_of(std::move(samples));
}

}  // namespace

double Clock::median(std::function<void()> const& once, double budget, int fewest) const {
  auto const first = sample(once, 1);  // warm: connections are made, pages touched
  if (first > budget) return std::max(first, 1e-9);
  auto const repeats = repeats_for(2e-3, first, 50);
  return median_of([&] { return sample(once, repeats); }, repeats, budget, fewest);
}

double Clock::median_in_a_row(std::function<void()> const& once, double budget, int row, int fewest) const {
  auto const first = sample_in_a_row(once, row);  // warm, and every member of the row has been seen
  if (first * row > budget) return std::max(first, 1e-9);
  auto const repeats = row * repeats_for(5e-3 / row, first, std::max(1, 400 / row));
  return median_of([&] { return sample_in_a_row(once, repeats); }, repeats, budget, fewest);
}

}  // namespace allport::engine
