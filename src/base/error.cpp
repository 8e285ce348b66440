#include "allport/base/error.h"

#include <fmt/format.h>

namespace allport {

Error Error::argument(std::string_view name, std::string_view value, std::string_view expected, std::string_view remedy,
                      ErrorKind kind) {
  auto message = fmt::format("{} = {}: expected {}", name, value, expected);
  if (!remedy.empty()) {
    message += fmt::format("; {}", remedy);
  }
  return {kind, message};
}

}  // namespace allport
