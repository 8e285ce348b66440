// Validity checks of calibrations.
#include "allport/machine/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "allport/base/error.h"

namespace allport {

namespace {

constexpr std::array<std::string_view, 9> names{"bcast",          "reduce",    "scatter",  "gather", "allgather",
                                                "reduce_scatter", "allreduce", "alltoall", "barrier"};

void check_times(MpiTimes const& times) {
  ensure(std::find(names.begin(), names.end(), times.collective) != names.end(), "mpi.collective", times.collective,
         fmt::format("one of {}", fmt::join(names, ", ")), "", ErrorKind::machine);
  ensure(!times.bytes.empty() && times.bytes.size() == times.seconds.size(), "mpi.seconds",
         static_cast<std::int64_t>(times.seconds.size()),
         fmt::format("as many times as bytes ({}), at least one", times.bytes.size()), "", ErrorKind::machine);
  ensure(times.ours.size() <= times.bytes.size(), "mpi.ours", static_cast<std::int64_t>(times.ours.size()),
         fmt::format("at most as many times as bytes ({})", times.bytes.size()), "", ErrorKind::machine);
  for (auto const seconds : times.ours) {
    ensure(std::isfinite(seconds) && seconds > 0.0, "mpi.ours", seconds, "seconds > 0", "", ErrorKind::machine);
  }
  for (std::size_t i = 0; i < times.bytes.size(); ++i) {
    ensure(times.bytes[i] >= 0 && (i == 0 || times.bytes[i] > times.bytes[i - 1]), "mpi.bytes", times.bytes[i],
           "bytes >= 0 in ascending order", "", ErrorKind::machine);
    ensure(std::isfinite(times.seconds[i]) && times.seconds[i] > 0.0, "mpi.seconds", times.seconds[i], "seconds > 0",
           "", ErrorKind::machine);
  }
}

}  // namespace

void Calibration::check() const {
  for (std::size_t i = 0; i < mpi.size(); ++i) {
    check_times(mpi[i]);
    for (std::size_t j = 0; j < i; ++j) {
      ensure(mpi[j].collective != mpi[i].collective, "mpi.collective", mpi[i].collective, "each collective once",
             "merge the two tables", ErrorKind::machine);
    }
  }
  for (auto const& f : fits) {
    ensure(std::isfinite(f.value) && std::isfinite(f.error) && std::isfinite(f.low) && std::isfinite(f.high),
           "calibration.fit", f.what, "finite numbers", "", ErrorKind::machine);
    ensure(f.low <= f.high, "calibration.fit", f.what, "low <= high", "", ErrorKind::machine);
  }
}

std::optional<double> Calibration::fitted(std::string_view what) const {
  auto const found = std::ranges::find(fits, what, &Fit::what);
  return found == fits.end() ? std::nullopt : std::optional(found->value);
}

std::span<std::string_view const> mpi_collectives() { return names; }

}  // namespace allport
