// Ranks, nodes, axes and ports as places in a std::vector.
#pragma once

#include <cstddef>
#include <cstdint>

namespace allport {

[[nodiscard]] constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace allport
