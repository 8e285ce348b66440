// Ranks, nodes and links as indices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace allport::mapping {

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace allport::mapping
