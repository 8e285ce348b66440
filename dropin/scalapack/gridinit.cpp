// Interposed functions that create BLACS grids. The processes of a grid agree on their settings there, so that their
// first call needs no communication for it. If BLACS is not called through these names, the first call does it.
#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <exception>

#include "exported.h"
#include "original.h"
#include "record.h"

namespace {

using namespace allport::scalapack;

/// @param context  made by the original function; this process may be outside the grid
void prepare(Int context) {
  if (!what_blacs_lacks().empty()) return;
  try {
    auto const grid = grid_of(context);
    if (grid.has_me()) static_cast<void>(record_of(grid));
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: a process grid: {}\n", e.what());
    abort_job(context, 1);
  }
}

template <class... A>
void make_grid(char const* name, Int* context, A... arguments) {
  auto* const original = reinterpret_cast<void (*)(Int*, A...)>(find_behind(name));
  if (original == nullptr) {
    fmt::print(stderr, "allport: {} was called, but no BLACS is loaded: link or load one behind this library\n", name);
    std::fflush(stderr);
    std::terminate();
  }
  {
    Within const within;  // gridinit may call gridmap
    original(context, arguments...);
  }
  if (!Within::now()) prepare(*context);
}

}  // namespace

extern "C" {

ALLPORT_EXPORTED void Cblacs_gridinit(Int* context, char const* order, Int rows, Int cols) {
  make_grid("Cblacs_gridinit", context, order, rows, cols);
}
ALLPORT_EXPORTED void Cblacs_gridmap(Int* context, Int const* map, Int ld, Int rows, Int cols) {
  make_grid("Cblacs_gridmap", context, map, ld, rows, cols);
}
/// @param length  of `order`; C programs do not pass it, and BLACS does not read it
ALLPORT_EXPORTED void blacs_gridinit_(Int* context, char const* order, Int const* rows, Int const* cols,
                                      std::size_t length) {
  make_grid("blacs_gridinit_", context, order, rows, cols, length);
}
ALLPORT_EXPORTED void blacs_gridmap_(Int* context, Int const* map, Int const* ld, Int const* rows, Int const* cols) {
  make_grid("blacs_gridmap_", context, map, ld, rows, cols);
}

}  // extern "C"
