// Calibrates a machine: fits its parameters from short runs over all of its ranks, and times MPI's own collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/comm/communicator.h"
#include "allport/machine/machine.h"

namespace allport {

/// A measurement that a higher module registers, made with all ranks busy: the fit's value is amount / seconds.
struct Measurement {
  struct Calls {
    std::function<void()> once;      ///< timed
    std::function<void()> beside{};  ///< part of `once` whose time is subtracted; may be empty
  };
  std::string what;                ///< name of the fit: "flops gemm"
  double amount = 0;               ///< of one call: flops, bytes
  std::function<Calls()> prepare;  ///< allocates the data of the calls, which own it
};

struct CalibrateOptions {
  bool quick = false;                       ///< messages up to 1 MiB and few repetitions, for links of some MB/s
  bool mpi_collectives = true;              ///< time the MPI library's own collectives, too
  std::vector<Measurement> measurements{};  ///< of higher modules, the same on all ranks
  std::string date;                         ///< written into the machine file; empty: today (UTC)
  /// Called on rank 0 with the current phase and the fraction done, 0..1.
  std::function<void(std::string_view phase, double done)> progress;
};

/// The communicator's machine with measured parameters; its name, shape, dead links, flops and memory are unchanged.
/// Collective; the same result on all ranks.
///
/// Parameters are measured while all nodes are busy, as in a collective: bandwidth, latency and o with every node
/// sending to its neighbour along an axis; tau or an injection cap, and tau_short, with every node sending to 1 .. 2d
/// neighbours at once; gamma and memory bandwidth on all ranks at once. Values of a single pair and of single hops are
/// in calibration().fits.
/// @throws Error(mpi) when the MPI library fails
[[nodiscard]] Machine calibrate(Communicator const& comm, CalibrateOptions const& options = {});

/// The communicator's machine with o, L and the bandwidth of every axis from a few messages that take about `budget`
/// seconds in all, all nodes sending at once; everything else is unchanged. For machines that are not calibrated: the
/// values are rough and differ between runs, so results that must be reproducible must not depend on them. Collective;
/// the same result on all ranks.
[[nodiscard]] Machine measure_rates(Communicator const& comm, double budget);

/// Times of the MPI library's default algorithms and of Allport's, over all ranks of `comm`, for each collective from a
/// few bytes up to sizes that take too long. Sizes are those of Contract::bytes. Collective; the same on all ranks.
[[nodiscard]] std::vector<MpiTimes> time_mpi_collectives(Communicator const& comm,
                                                         CalibrateOptions const& options = {});

/// "Open MPI 4.1.4", "MPICH 4.0.2": MPI_Get_library_version, shortened.
[[nodiscard]] std::string mpi_library_name();

/// seconds = start + bytes * per_byte.
struct LineFit {
  double start = 0.0;
  double per_byte = 0.0;
  double error = 0.0;  ///< median of |measured - fitted| / measured
};
/// Robust: of all lines through two measurements (and those through one with nothing at 0 bytes or nothing per byte)
/// the one with the least sum of relative distances; start and per_byte >= 0.
/// @pre bytes and seconds of equal length >= 1, seconds > 0
[[nodiscard]] LineFit fit_line(std::span<double const> bytes, std::span<double const> seconds);

/// What m simultaneous sends take, m = 1, 2, ...: times[m - 1] = times[0] * (1 + (m - 1) tau), tau in 0..most: 1 is
/// Chan06's bound; short messages exceed it where their starts disturb each other.
struct TauFit {
  double tau = 0.0;
  double error = 0.0;  ///< mean of |measured - fitted| / measured
};
/// @pre times not empty, times > 0
[[nodiscard]] TauFit fit_tau(std::span<double const> times, double most = 1.0);

/// An injection cap of `cap` times one link's bandwidth: times[m - 1] = times[0] * max(1, m / cap).
struct CapFit {
  double cap = 0.0;  ///< in links; at least times.size(): no cap found
  double error = 0.0;
};
/// @pre times not empty, times > 0
[[nodiscard]] CapFit fit_cap(std::span<double const> times);

}  // namespace allport
