// The machine files that live in the library.
#pragma once

#include <optional>
#include <string_view>

#include "allport/machine/machine.h"

namespace allport::machine_presets {

/// The preset of that name with its own lengths, or nothing.
[[nodiscard]] std::optional<Machine> find(std::string_view name);

}  // namespace allport::machine_presets
