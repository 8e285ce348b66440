// What is done in turn by the library and by us until it shows which takes less: where that is wanted, and what of it
// is remembered from run to run.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "allport/select/selector.h"
#include "settings.h"

namespace allport::handback {

/// Which calls are tried: ALLPORT_SELECT.
enum class Trying : std::uint8_t {
  automatic,  ///< "auto": where the library's time is a formula's, but nothing whose bits hang on who does it
  on,         ///< where it was timed, too
  free,       ///< what combines or computes, too: its bits then hang on which was quicker
  off,
};
[[nodiscard]] Trying trying_of(Settings const& settings);

inline constexpr auto memory_variable = "ALLPORT_SELECT_FILE";

/// What earlier runs left in the file that ALLPORT_SELECT_FILE names, as rank 0 of `comm` reads it; nothing, with a
/// warning, where that is not such a file. Collective.
[[nodiscard]] std::optional<Memory> recalled(MPI_Comm comm, Settings const& settings);
/// What all ranks have found, on rank 0, which adds it to the file at `path`, if any, or warns. Collective over
/// MPI_COMM_WORLD.
[[nodiscard]] Memory remember(Memory const& found, std::string const& path);

/// As reports have it: {SITE: {"best": NAME, "seconds": {NAME: s}}}.
[[nodiscard]] nlohmann::json tried(Memory const& found);

/// A line on stderr.
void say(std::string const& text);

}  // namespace allport::handback
