// Results of `allport machine calibrate`: fitted parameters of a machine, and times of MPI's own collectives.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/units.h"

namespace allport {

/// One of MPI's own collectives over all ranks of the machine, by the library's default algorithm, as timed.
struct MpiTimes {
  std::string collective;           ///< MPI's name in lower case, of mpi_collectives()
  std::vector<std::int64_t> bytes;  ///< as Contract::bytes: the message, or the block per pair of ranks; ascending
  std::vector<double> seconds;      ///< of a call, one per entry of bytes, > 0
  /// Times of Allport's collective, for the first entries of bytes; empty if only MPI's was timed.
  std::vector<double> ours{};

  friend bool operator==(MpiTimes const&, MpiTimes const&) = default;
};

/// A fitted parameter: "bandwidth x" in bytes/s, "overhead" in s, "tau long" ...
struct Fit {
  std::string what;
  double value = 0.0;
  double error = 0.0;  ///< median relative deviation of the measurements from the fit
  /// 95 % confidence interval, if the value is a median; both 0 if unknown.
  double low = 0.0;
  double high = 0.0;

  friend bool operator==(Fit const&, Fit const&) = default;
};

/// Empty for a machine that has not been calibrated.
struct Calibration {
  std::string date{};     ///< "2026-11-22"
  std::string library{};  ///< "Open MPI 4.1.4"
  std::int32_t ranks = 0;
  std::vector<Fit> fits{};
  std::vector<MpiTimes> mpi{};

  [[nodiscard]] bool empty() const { return date.empty() && library.empty() && fits.empty() && mpi.empty(); }
  /// The value fitted under this name, if there is one.
  [[nodiscard]] std::optional<double> fitted(std::string_view what) const;
  /// Throws Error(machine) naming the entry: known collectives, each once; ascending bytes >= 0; seconds > 0.
  void check() const;

  friend bool operator==(Calibration const&, Calibration const&) = default;
};

/// bcast reduce scatter gather allgather reduce_scatter allreduce alltoall barrier.
[[nodiscard]] std::span<std::string_view const> mpi_collectives();

}  // namespace allport
