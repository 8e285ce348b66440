#include "words.h"

#include <fmt/format.h>

namespace allport {

std::string seconds_in_words(Seconds time) {
  auto const t = time.value();
  if (t >= 1.0) return fmt::format("{:.3g} s", t);
  return t >= 1e-3 ? fmt::format("{:.3g} ms", t * 1e3) : fmt::format("{:.3g} us", t * 1e6);
}

}  // namespace allport
