// Tuning at run time: which calls are tuned, and the results that are stored from run to run.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "allport/select/selector.h"
#include "settings.h"

namespace allport::interpose {

/// Which calls are tuned: ALLPORT_SELECT.
enum class TuningMode : std::uint8_t {
  automatic,  ///< "auto": those without a measured time of the library, except where the result's bits could change
  on,         ///< those with a measured time, too
  free,       ///< reductions and computations, too: their bits then depend on which side was faster
  off,
};
[[nodiscard]] TuningMode tuning_mode_of(Settings const& settings);

inline constexpr auto memory_variable = "ALLPORT_SELECT_FILE";

/// Results of earlier runs from the file that ALLPORT_SELECT_FILE names, read by rank 0 of `comm`; nothing, with a
/// warning, if it is not such a file. Collective.
[[nodiscard]] std::optional<Memory> recalled(MPI_Comm comm, Settings const& settings);
/// The results of all ranks, on rank 0, which adds them to the file at `path`, if any, or warns. Collective over
/// MPI_COMM_WORLD.
[[nodiscard]] Memory remember(Memory const& found, std::string const& path);

/// As reports have it: {SITE: {"best": NAME, "seconds": {NAME: s}}}.
[[nodiscard]] nlohmann::json tried(Memory const& found);

/// A line on stderr.
void say(std::string const& text);

}  // namespace allport::interpose
