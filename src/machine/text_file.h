// Reads a text file whole.
#pragma once

#include <string>

namespace allport::machine_text {

/// @throws Error if the file cannot be read
[[nodiscard]] std::string read_text(std::string const& path);

}  // namespace allport::machine_text
