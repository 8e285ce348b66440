// Quantities as people read them.
#pragma once

#include <string>

#include "allport/base/units.h"

namespace allport {

/// "1.23 s", "12.3 ms", "0.456 us": three digits.
[[nodiscard]] std::string seconds_in_words(Seconds time);

}  // namespace allport
