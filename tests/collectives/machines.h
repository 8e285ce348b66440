// The machines that every algorithm is tried on: all dimensions, odd and even axes, axes of 1 and 2, open, wrapped and
// mixed ones, several ranks per node, nodes of several levels.
#pragma once

#include <string>
#include <vector>

#include "allport/machine/machine.h"

namespace allport::test {

inline std::vector<std::string> small_machines() {
  return {"torus:1",        "torus:2",         "mesh:2",        "torus:3",
          "mesh:5",         "torus:8",         "torus:4x4",     "torus:3x5",
          "torus:2x2",      "torus:2x4",       "torus:1x5",     "torus:5x1",
          "torus:2x3x4",    "mesh:3x4",        "mesh:3x3",      "mesh:2x2x2",
          "mesh:3x5x1",     "torus:4x3m",      "torus:2mx3",    "torus:2mx2",
          "torus:4x4m",     "torus:3x3mx2",    "torus:4/ppn=2", "torus:3x3/ppn=3",
          "mesh:2x3/ppn=3", "torus:2x2/ppn=5", "torus:1/ppn=4", "gemini:2x1x2/ppn=4",
          "xe6:1x3x1/ppn=6"};
}

inline std::vector<std::string> large_machines() {
  return {"torus:8x8",  "torus:4x4x4",        "torus:3x4x5",  "torus:2x2x3x3x2",
          "mesh:4x3x5", "torus:4x5x3m/ppn=2", "torus:3x3x3x3"};
}

inline std::vector<Rank> some_roots(Machine const& machine) {
  auto const p = machine.ranks();
  std::vector<Rank> roots = {0, p / 3, p - 1};
  return roots;
}

/// Every rank; under the sanitizers, which are slow, only some.
inline std::vector<Rank> all_roots(Machine const& machine) {
#ifdef ALLPORT_TEST_SANITIZED
  return some_roots(machine);
#else
  std::vector<Rank> roots;
  for (Rank r = 0; r < machine.ranks(); ++r) roots.push_back(r);
  return roots;
#endif
}

}  // namespace allport::test
