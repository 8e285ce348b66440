#include "allport/schedule/program.h"

#include <fmt/format.h>

#include <array>

namespace allport {

std::string_view name(OpKind kind) {
  constexpr std::array<std::string_view, 4> names{"receive", "send", "combine", "copy"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name(Buffer buffer) {
  constexpr std::array<std::string_view, 4> names{"none", "input", "output", "scratch"};
  return names[static_cast<std::size_t>(buffer)];
}

std::string describe(Op const& op) {
  switch (op.kind) {
    case OpKind::send:
      return fmt::format("send to {} on channel {}", op.peer, op.channel);
    case OpKind::receive:
      return fmt::format("receive from {} on channel {}", op.peer, op.channel);
    default:
      return std::string(name(op.kind));
  }
}

}  // namespace allport
