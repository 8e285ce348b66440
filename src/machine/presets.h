// The built-in machine files.
#pragma once

#include <optional>
#include <string_view>

#include "allport/machine/machine.h"

namespace allport::machine_presets {

/// The preset of that name with its default lengths, if there is one.
[[nodiscard]] std::optional<Machine> find(std::string_view name);

}  // namespace allport::machine_presets
