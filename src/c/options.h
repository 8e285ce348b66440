// Options of the C interface's products and factorizations, for calls and for plans alike.
#pragma once

#include "allport/linalg/lu.h"
#include "handles.h"

namespace allport::c_interface {

struct LuWanted {
  LuOptions options;
  Pivoting pivoting = Pivoting::tournament;
};

[[nodiscard]] GemmOptions gemm_options(char const* text);
[[nodiscard]] LuWanted lu_options(char const* text);

/// nb= and workers= of tiled factorizations. @return whether the key is one of them
template <class Options>
bool take_tiling(Options& options, std::string const& key, std::string const& value) {
  if (key == "nb") {
    options.nb = whole_number(value, key);
  } else if (key == "workers") {
    options.workers = workers_given(value, key);
  } else {
    return false;
  }
  return true;
}

/// Of CholeskyPlanOptions and QrPlanOptions.
template <class Options>
Options tiled_plan_options(char const* text) {
  Options options;
  read_options(text, "grid=, order=, nb=, workers= or memory=", [&](std::string const& key, std::string const& value) {
    if (key == "grid") {
      auto const flat = value.find('x') == value.rfind('x');
      auto const grid = grid_named(flat ? value + "x1" : value);
      ensure(grid.layers == 1, "options: grid", value, "p_r x p_c, as 4x4: tiles have no layers");
      options.rows = grid.rows;
      options.cols = grid.cols;
    } else if (key == "order") {
      options.order = value;
    } else if (key == "memory") {
      options.memory = Bytes(whole_number(value, key));
    } else {
      return take_tiling(options, key, value);
    }
    return true;
  });
  return options;
}

}  // namespace allport::c_interface
