// Measures a machine: fits its numbers from short runs over all of its ranks, and times MPI's own collectives.
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

/// What a room above wants to have measured with all ranks at work: the fit's value is amount / seconds.
struct Measurement {
  struct Calls {
    std::function<void()> once;      ///< timed
    std::function<void()> beside{};  ///< part of `once` whose time is taken away; may be empty
  };
  std::string what;                ///< name of the fit: "flops gemm"
  double amount = 0;               ///< of one call: flops, bytes
  std::function<Calls()> prepare;  ///< makes what the calls work on, which goes with them
};

struct CalibrateOptions {
  bool quick = false;                       ///< messages up to 1 MiB and few repetitions, for links of some MB/s
  bool mpi_collectives = true;              ///< time the MPI library's own collectives, too
  std::vector<Measurement> measurements{};  ///< of rooms above, the same on all ranks
  std::string date;                         ///< as the machine file is to say it; empty: today (UTC)
  /// Called on rank 0 with what is measured now and how much is done, 0..1.
  std::function<void(std::string_view phase, double done)> progress;
};

/// The communicator's machine with measured numbers; its name, shape and dead links stay, and so do flops and memory,
/// which no message shows. Called by all ranks; the same on all.
///
/// What is measured while all nodes are busy is what a collective gets, so that is what the machine takes: bandwidth,
/// latency and o with every node sending to its neighbour along an axis; tau or an injection cap with every node
/// sending to 1 .. 2d neighbours at once; gamma and memory bandwidth on all ranks at once. One pair alone, single hops
/// and tau of short messages stand beside them in calibration().fits.
/// @throws Error(mpi) when the MPI library fails
[[nodiscard]] Machine calibrate(Communicator const& comm, CalibrateOptions const& options = {});

/// The communicator's machine with o, L and the bandwidth of every axis as a few messages of about `budget` seconds in
/// all show them, all nodes sending at once; everything else stays. For machines that nobody has calibrated: rough, and
/// different at every start, so that nothing may hang on it which must be the same in every run. Called by all ranks;
/// the same on all.
[[nodiscard]] Machine measure_rates(Communicator const& comm, double budget);

/// The MPI library's default algorithms and Allport's beside them, over all ranks of `comm`, each collective for sizes
/// from a few bytes until it takes too long. Sizes are those of Contract::bytes. Called by all ranks; the same on all.
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

/// What m simultaneous sends take, m = 1, 2, ...: times[m - 1] = times[0] * (1 + (m - 1) tau), tau in 0..1 (Chan06).
struct TauFit {
  double tau = 0.0;
  double error = 0.0;  ///< mean of |measured - fitted| / measured
};
/// @pre times not empty, times > 0
[[nodiscard]] TauFit fit_tau(std::span<double const> times);

/// A node that carries `cap` times one link at most: times[m - 1] = times[0] * max(1, m / cap).
struct CapFit {
  double cap = 0.0;  ///< in links; times.size() and more: no cap is seen
  double error = 0.0;
};
/// @pre times not empty, times > 0
[[nodiscard]] CapFit fit_cap(std::span<double const> times);

}  // namespace allport
