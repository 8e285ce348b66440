// What the plans of products and factorizations refuse alike.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "allport/base/error.h"
#include "allport/linalg/gemm.h"
#include "allport/machine/machine.h"

namespace allport {

/// What a rank may keep: the caller's limit, or its share of its node's memory.
[[nodiscard]] inline Bytes memory_limit(Machine const& machine, Bytes given) {
  return given.value() > 0 ? given : machine.rates().memory / machine.ranks_per_node();
}

/// @pre `g` is {0, 0, 0}, left to the plan, or three factors >= 1 of at most as many ranks as the machine has
inline void ensure_grid(GemmGrid const& g, Machine const& machine) {
  if (g.rows == 0 && g.cols == 0 && g.layers == 0) return;
  auto const text = fmt::format("{}x{}x{}", g.rows, g.cols, g.layers);
  ensure(g.rows >= 1 && g.cols >= 1 && g.layers >= 1, "grid", text, "three factors >= 1",
         "write p_r x p_c x c, for example 4x4x1");
  auto const product = static_cast<std::int64_t>(g.rows) * g.cols * g.layers;
  ensure(product <= machine.ranks(), "grid", text, fmt::format("at most {} ranks, not {}", machine.ranks(), product),
         "take a smaller grid or more ranks");
}

/// Where no candidate can be used: the memory that the most modest one lacks, or why none fits.
template <class Candidate>
[[noreturn]] void refuse(std::vector<Candidate> const& candidates, std::string const& algorithm, Bytes limit) {
  Candidate const* least = nullptr;
  for (auto const& c : candidates) {
    if (c.memory.value() > 0 && (least == nullptr || c.memory < least->memory)) least = &c;
  }
  if (least == nullptr) {
    throw Error::argument("algorithm", "'" + algorithm + "'",
                          candidates.empty() ? "one that fits the grid" : candidates.front().why_not,
                          "leave out grid or algorithm to have them chosen");
  }
  auto const& g = least->grid;
  throw Error::argument(
      "memory", fmt::format("{} bytes per rank", limit.value()),
      fmt::format("at least {} bytes per rank (algorithm {} on {}x{}x{}; {} are missing)", least->memory.value(),
                  least->algorithm, g.rows, g.cols, g.layers, (least->memory - limit).value()),
      "raise the limit, use more ranks, or leave grid and algorithm to the plan", ErrorKind::memory);
}

}  // namespace allport
