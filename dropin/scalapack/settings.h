// What the environment says, and warnings about it.
#pragma once

#include <cstdint>
#include <string>

#include "allport/linalg/lu.h"

namespace allport::scalapack {

enum class Policy : std::uint8_t { automatic, always, never };  ///< ALLPORT_SCALAPACK

struct Settings {
  Policy policy = Policy::automatic;
  Pivoting pivoting = Pivoting::partial;
  std::string machine;  ///< TOML; empty: none was named
};

/// This process's environment; warns of what is wrong, once. `ranks`: of MPI_COMM_WORLD.
[[nodiscard]] Settings read_settings(int ranks);

/// ALLPORT_REPORT: empty for none, "1" for stderr, else a file.
[[nodiscard]] std::string const& report_wanted();

/// A line on stderr, the first time that it is said.
void warn_once(std::string const& text);

}  // namespace allport::scalapack
