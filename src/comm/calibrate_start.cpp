// Quick measurement of link rates at a program's start, for machines that are not calibrated.
#include "allport/comm/calibrate.h"

#include <algorithm>
#include <array>

#include "calibrate_clock.h"
#include "calibrate_links.h"
#include "mpi_errors.h"

namespace allport {

namespace {

constexpr std::int64_t first_bytes = 16 << 10;
constexpr std::int64_t last_bytes = 4 << 20;
constexpr int burst = 16;
constexpr int in_a_row = 4;
constexpr int attempts = 3;

/// One axis, with every node sending to its neighbour along it.
class Axle {
 public:
  Axle(engine::Clock const& clock, engine::Links& links, Port port) : clock_(clock), links_(links), port_(port) {}

  /// Seconds of one exchange, or of one of `count` in a row.
  [[nodiscard]] double exchange(std::int64_t bytes, int count = 1) {
    return timed([&] {
             for (int i = 0; i < count; ++i) links_.exchange({&port_, 1}, bytes);
           }) /
           count;
  }
  /// Seconds of the processor for one short message: many in flight at once.
  [[nodiscard]] double overhead() {
    return timed([&] { links_.burst(port_, 8, burst); }) / (2.0 * burst);
  }

  /// Seconds of a short exchange: the minimum of a few, since other activity at a program's start can only delay it.
  [[nodiscard]] double start() {
    auto least = exchange(8, in_a_row);
    for (int again = 1; again < attempts; ++again) least = std::min(least, exchange(8, in_a_row));
    return least;
  }

  /// Seconds per byte, by messages of increasing length within the budget, the longest one twice: a token-bucket link
  /// passes the first bytes in a burst. If the second time is more than twice the first, it was interrupted.
  [[nodiscard]] double per_byte(double start, double budget) {
    auto bytes = first_bytes;
    auto took = exchange(bytes);
    for (auto spent = took; bytes < last_bytes && spent + 5.0 * took < budget; spent += took) {
      bytes *= 4;
      took = exchange(bytes);
    }
    auto const again = std::min(exchange(bytes), 2.0 * took);
    return std::max(again - start, 0.5 * again) / static_cast<double>(bytes);
  }

 private:
  template <class Once>
  [[nodiscard]] double timed(Once const& once) const {
    clock_.meet();
    auto const began = MPI_Wtime();
    once();
    return clock_.slowest(MPI_Wtime() - began);
  }

  engine::Clock const& clock_;
  engine::Links& links_;
  Port port_;
};

}  // namespace

Machine measure_rates(Communicator const& comm, double budget) {
  auto const& machine = comm.machine();
  MPI_Comm own = comm.duplicate();
  std::vector<Rank> by_position;
  for (Rank p = 0; p < comm.size(); ++p) by_position.push_back(comm.at_position(p));
  auto const clock = engine::Clock(own);
  auto links = engine::Links(own, machine, comm.position(comm.rank()), std::move(by_position), last_bytes);
  std::vector<Axis> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(machine.axis(a));
  auto const active = std::ranges::count_if(axes, [](Axis const& axis) { return axis.length > 1; });
  auto rates = machine.rates();
  auto least = 1.0;
  Axis const* last = nullptr;
  auto const began = MPI_Wtime();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (axes[a].length == 1) continue;
    if (last != nullptr && clock.slowest(MPI_Wtime() - began) > budget) {  // a busy machine: like the axis before
      axes[a].bandwidth = last->bandwidth;
      axes[a].latency = last->latency;
      continue;
    }
    auto axle = Axle(clock, links, port(static_cast<int>(a), 1));
    static_cast<void>(axle.exchange(8));  // makes the connection
    auto const start = axle.start();
    least = std::min({least, axle.overhead(), start / 2.0});
    axes[a].bandwidth = BytesPerSecond(1.0 / axle.per_byte(start, budget / static_cast<double>(active)));
    axes[a].latency = Seconds(start);  // of which 2o goes below
    last = &axes[a];
  }
  engine::check(MPI_Comm_free(&own), "MPI_Comm_free", comm.rank());
  if (active == 0) return machine;
  rates.overhead = Seconds(least);
  for (auto& axis : axes) {
    if (axis.length > 1) axis.latency = Seconds(std::max(0.0, axis.latency.value() - 2.0 * least));
  }
  return {machine.name(), std::move(axes), rates, machine.levels(), machine.exceptions(), {}};
}

}  // namespace allport
