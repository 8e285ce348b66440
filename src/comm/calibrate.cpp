// Calibration: computes a machine's parameters from measurements of its links, nodes and MPI library.
#include "allport/comm/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <numeric>

#include "calibrate_clock.h"
#include "calibrate_links.h"
#include "calibrate_triad.h"
#include "mpi_errors.h"

namespace allport {

namespace {

using engine::Clock;
using engine::Links;

/// The date on rank 0, since clocks differ.
std::string today(Communicator const& comm) {
  auto const mine = static_cast<std::int64_t>(std::time(nullptr));
  auto const now = static_cast<std::time_t>(comm.all_gather({&mine, 1}).front());
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04d}-{:02d}-{:02d}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

/// One rank's view of the measurements; all values are the same on all ranks.
class Bench {
 public:
  Bench(Communicator const& comm, MPI_Comm own, CalibrateOptions const& options)
      : machine_(comm.machine()),
        options_(options),
        own_(own),
        clock_(own),
        rank_(comm.rank()),
        sizes_(options.quick ? std::vector<std::int64_t>{8, 512, 8 << 10, 64 << 10, 256 << 10, 1 << 20}
                             : std::vector<std::int64_t>{8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20}),
        budget_(options.quick ? 0.15 : 0.08),
        links_(own, machine_, comm.position(comm.rank()), by_position(comm), sizes_.back()) {
    for (int a = 0; a < machine_.axes(); ++a) {
      if (machine_.axis(a).length > 1) ports_.push_back(port(a, 1));
    }
    auto const active = ports_.size();
    for (std::size_t i = 0; i < active; ++i) ports_.push_back(static_cast<Port>(ports_[i] ^ 1));
  }

  void measure() {
    if (!ports_.empty()) cut();
    for (int a = 0; a < machine_.axes(); ++a) along(a);
    if (!ports_.empty()) {
      starts();
      at_once();
    }
    node();
    triads();
    registered();
  }

  std::vector<Axis> axes;
  NodeRates rates;
  std::vector<Fit> fits;

 private:
  static std::vector<Rank> by_position(Communicator const& comm) {
    std::vector<Rank> ranks;
    for (Rank p = 0; p < comm.size(); ++p) ranks.push_back(comm.at_position(p));
    return ranks;
  }

  /// In short segments if these are faster, as collectives would then use: over TCP, Open MPI uses a rendezvous for
  /// more than 64 KiB, and of two opposite messages the reply to one waits behind all data of the other, so links would
  /// appear to be half-duplex.
  void cut() {
    constexpr std::int64_t piece = 32 << 10;
    auto const bytes = longest_at_once();
    auto const whole = step(ports_, bytes, budget_, 3);
    links_.cut(piece);
    if (step(ports_, bytes, budget_, 3) > 0.9 * whole) links_.cut(0);
  }

  [[nodiscard]] std::int64_t longest_at_once() const { return options_.quick ? 128 << 10 : 512 << 10; }

  void report_progress(std::string const& phase, double done) const {
    if (options_.progress && rank_ == 0) options_.progress(phase, done);
  }

  /// Bandwidth from long messages, start-up from short ones: between them protocols change, and token-bucket links pass
  /// medium-sized messages in a burst.
  LineFit fitted(std::function<double(std::int64_t)> const& seconds) const {
    std::vector<double> x;
    std::vector<double> y;
    for (auto const bytes : sizes_) {
      x.push_back(static_cast<double>(bytes));
      y.push_back(seconds(bytes));
    }
    auto const long_one = std::find_if(sizes_.begin(), sizes_.end(), [](auto b) { return b >= 64 << 10; });
    auto const first = static_cast<std::size_t>(long_one - sizes_.begin());
    auto const all = std::span<double const>(x);
    auto const times = std::span<double const>(y);
    auto const slow = fit_line(all.subspan(first), times.subspan(first));
    auto const quick = fit_line(all.first(2), times.first(2));
    return {quick.start, slow.per_byte, slow.error};
  }

  /// Bandwidth and the start of a message along one axis, with all nodes busy and for one pair alone; latency per hop.
  void along(int a) {
    auto axis = machine_.axis(a);
    if (axis.length > 1) {
      report_progress(fmt::format("links along {}", axis_letter(a)), 0.05 + 0.3 * a / machine_.axes());
      auto const out = port(a, 1);
      auto const busy = fitted([&](std::int64_t bytes) { return step({&out, 1}, bytes, budget_, 3); });
      auto const alone = fitted([&](std::int64_t bytes) { return 0.5 * pair(a, 1, bytes); });
      auto const letter = axis_letter(a);
      axis.bandwidth = BytesPerSecond(busy.per_byte > 0.0 ? 1.0 / busy.per_byte : axis.bandwidth.value());
      axis.latency = Seconds(busy.start);  // of which starts() takes 2o away
      fits.push_back({fmt::format("bandwidth {}", letter), axis.bandwidth.value(), busy.error});
      fits.push_back({fmt::format("message {}", letter), busy.start, busy.error});
      if (alone.per_byte > 0.0) {
        fits.push_back({fmt::format("bandwidth {} of one pair alone", letter), 1.0 / alone.per_byte, alone.error});
      }
      fits.push_back({fmt::format("message {} of one pair alone", letter), alone.start, alone.error});
      hops(a);
    }
    axes.push_back(axis);
  }

  /// One exchange over these ports. Several in a row keep the nodes synchronised, so that the skew at the end of the
  /// barrier is not timed.
  double step(std::span<Port const> ports, std::int64_t bytes, double budget, int fewest) {
    auto const count = bytes <= 16 << 10 ? 16 : bytes <= 256 << 10 ? 4 : 1;
    auto const steps = [&] {
      for (int i = 0; i < count; ++i) links_.exchange(ports, bytes);
    };
    return clock_.median(steps, budget, fewest) / count;
  }

  /// Ping-pong between node 0 and another node while the others sleep; median of a few.
  double pair(int a, int hops, std::int64_t bytes) {
    constexpr std::size_t most = 5;
    auto const repeats = bytes <= 4096 ? 20 : 1;
    auto const sample = [&](int count) {
      auto const began = MPI_Wtime();
      for (int k = 0; k < count; ++k) links_.ping_pong(a, hops, bytes);
      auto const mine = rank_ == 0 ? (MPI_Wtime() - began) / count : 0.0;  // others may have waited for their turn
      clock_.barrier();
      return std::max(clock_.slowest(mine), 1e-9);
    };
    sample(1);  // makes connections
    std::vector<double> samples;
    while (samples.size() < most && (samples.size() < 2 || samples.front() < budget_))
      samples.push_back(sample(repeats));
    auto const middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
  }

  void hops(int a) {
    auto const& axis = machine_.axis(a);
    auto const most = std::min(axis.wraps ? axis.length / 2 : axis.length - 1, 4);
    if (most < 2) return;
    std::vector<double> x;
    std::vector<double> y;
    for (int h = 1; h <= most; ++h) {
      x.push_back(h);
      y.push_back(0.5 * pair(a, h, 8));
    }
    auto const fit = fit_line(x, y);
    fits.push_back({fmt::format("latency of one more hop {}", axis_letter(a)), fit.per_byte, fit.error});
  }

  /// o: processor time of a message, from many short ones in flight; the rest of a message's start-up is L.
  void starts() {
    report_progress("overhead", 0.4);
    constexpr int count = 64;
    auto const out = ports_.front();
    auto const took = clock_.median([&] { links_.burst(out, 8, count); }, budget_);
    auto least = took / (2.0 * count);
    for (auto const& axis : axes) {
      if (axis.length > 1) least = std::min(least, axis.latency.value() / 2.0);
    }
    rates.overhead = Seconds(least);
    fits.push_back({"overhead", least, 0.0});
    for (auto& axis : axes) {
      if (axis.length > 1) axis.latency = Seconds(std::max(0.0, axis.latency.value() - 2.0 * least));
    }
  }

  std::vector<double> sends_at_once(std::int64_t bytes) {
    std::vector<double> times;
    auto slowest_alone = 0.0;
    for (std::size_t m = 1; m <= ports_.size(); ++m) {
      auto const last = ports_[m - 1];
      slowest_alone = std::max(slowest_alone, step({&last, 1}, bytes, 2.0 * budget_, 5));
      auto const all = m == 1 ? slowest_alone : step({ports_.data(), m}, bytes, 2.0 * budget_, 5);
      // In units of the slowest of these links alone, so that axes may differ.
      times.push_back(std::max(all / slowest_alone, 1e-3));
    }
    return times;
  }

  /// tau of Chan06, of long messages or a cap, whichever fits better, and of short ones: those cost their starts alone.
  void at_once() {
    report_progress("several links at once", 0.45);
    auto const short_fit = fit_tau(sends_at_once(8), std::numeric_limits<double>::max());
    auto const times = sends_at_once(longest_at_once());
    auto const tau = fit_tau(times);
    auto const cap = fit_cap(times);
    fits.push_back({"tau of short messages", short_fit.tau, short_fit.error});
    rates.tau_short = short_fit.tau;
    fits.push_back({"tau of long messages", tau.tau, tau.error});
    auto const all = static_cast<double>(ports_.size());
    auto slowest = axes[static_cast<std::size_t>(axis_of(ports_.front()))].bandwidth.value();
    for (auto const p : ports_)
      slowest = std::min(slowest, axes[static_cast<std::size_t>(axis_of(p))].bandwidth.value());
    fits.push_back({"all links of a node at once", all * slowest / times.back(), cap.error});
    if (cap.cap < all && cap.error + 0.02 < tau.error) {
      rates.injection = BytesPerSecond(cap.cap * slowest);
    } else {
      rates.tau = tau.tau;
    }
  }

  /// gamma and beta of Solomonik11, with all ranks of a node at work.
  void node() {
    report_progress("operator and memory", 0.55);
    auto const ranks = static_cast<double>(machine_.ranks_per_node());
    constexpr std::size_t segment = 64 << 10;
    std::vector<double> left(segment / 8, 1.0);
    std::vector<double> right(segment / 8, 2.0);
    auto const sum = sum_of<double>();
    auto const adding = clock_.median(
        [&] {
          for (int i = 0; i < 16; ++i) {
            sum(reinterpret_cast<std::byte const*>(left.data()), reinterpret_cast<std::byte const*>(right.data()),
                reinterpret_cast<std::byte*>(right.data()), segment);
          }
        },
        0.05);
    rates.adds = FlopsPerSecond(ranks * 16.0 * static_cast<double>(segment / 8) / adding);
    std::vector<std::byte> from(8 << 20, std::byte{1});
    std::vector<std::byte> to(8 << 20);
    auto const copying = clock_.median(
        [&] {
          std::copy(from.begin(), from.end(), to.begin());
          static_cast<void>(*const_cast<std::byte volatile*>(&to.back()));  // so that the copy is made
        },
        0.1);
    rates.memory_bandwidth = BytesPerSecond(ranks * 2.0 * static_cast<double>(from.size()) / copying);
    fits.push_back({"adds", rates.adds.value(), 0.0});
    fits.push_back({"memory bandwidth", rates.memory_bandwidth.value(), 0.0});
  }

  /// Memory bandwidth by threads and by size, where every rank runs so many threads.
  void triads() {
    report_progress("memory by threads", 0.56);
    auto const plan = engine::plan_triads(own_, options_.quick, machine_.calibration().fitted("cores").has_value());
    for (auto const threads : plan.threads) {
      for (auto const bytes : plan.bytes) {
        engine::Triad triad(threads, bytes);
        auto const seconds = clock_.median([&] { triad.run(); }, 0.02);
        fits.push_back({fmt::format("triad {} {}", threads, bytes >> 10), triad.bytes() / seconds, 0.0});
      }
    }
  }

  /// Measurements registered by higher modules, per rank while all are busy.
  void registered() {
    auto const& all = options_.measurements;
    for (std::size_t m = 0; m < all.size(); ++m) {
      report_progress(all[m].what, 0.57 + 0.02 * static_cast<double>(m) / static_cast<double>(all.size()));
      auto const calls = all[m].prepare();
      auto const whole = clock_.median(calls.once, 0.05);
      auto const beside = calls.beside ? clock_.median(calls.beside, 0.01) : 0.0;
      // Restoring the data alone, with cold caches, may take longer than between the calls.
      fits.push_back({all[m].what, all[m].amount / std::max(whole - beside, whole / 2), 0.0});
    }
  }

  Machine const& machine_;
  CalibrateOptions const& options_;
  MPI_Comm own_;
  Clock clock_;
  Rank rank_;
  std::vector<std::int64_t> sizes_;
  double budget_;
  Links links_;
  std::vector<Port> ports_;  ///< forward along every axis, then backward
};

/// Times Allport's and MPI's collectives, with the schedules that are selected on the calibrated machine.
std::vector<MpiTimes> time_beside(Communicator const& comm, Machine const& found, CalibrateOptions const& options) {
  MPI_Comm by_place = MPI_COMM_NULL;
  engine::check(MPI_Comm_split(comm.mpi(), 0, comm.position(comm.rank()), &by_place), "MPI_Comm_split", comm.rank());
  auto times = time_mpi_collectives(Communicator(by_place, found), options);
  engine::check(MPI_Comm_free(&by_place), "MPI_Comm_free", comm.rank());
  return times;
}

}  // namespace

Machine calibrate(Communicator const& comm, CalibrateOptions const& options) {
  auto const& machine = comm.machine();
  MPI_Comm own = comm.duplicate();
  auto bench = Bench(comm, own, options);
  bench.rates.flops = machine.rates().flops;
  bench.rates.memory = machine.rates().memory;
  bench.measure();
  engine::check(MPI_Comm_free(&own), "MPI_Comm_free", comm.rank());
  auto found = Calibration{
      options.date.empty() ? today(comm) : options.date, mpi_library_name(), comm.size(), std::move(bench.fits), {}};
  for (auto const* const what : {"burst", "cores"}) {  // how the machine is made, which nobody measures
    auto const value = machine.calibration().fitted(what);
    if (value && !found.fitted(what)) found.fits.push_back({what, *value, 0});
  }
  auto const with = [&](Calibration calibration) {
    return Machine{machine.name(),   bench.axes,           bench.rates,
                   machine.levels(), machine.exceptions(), std::move(calibration)};
  };
  if (options.mpi_collectives) {
    auto rest = options;
    if (options.progress) {
      rest.progress = [&](std::string_view phase, double done) { options.progress(phase, 0.6 + 0.4 * done); };
    }
    found.mpi = time_beside(comm, with(found), rest);
  }
  return with(std::move(found));
}

}  // namespace allport
