// The C interface: options of products and LU factorizations.
#include "options.h"

#include <charconv>

namespace allport::c_interface {

namespace {

MulticastTree tree_named(std::string const& name) {
  try {
    return parse_multicast_tree(name);
  } catch (Error const& e) {
    throw Error(e.kind(), std::string("options: ") + e.what());
  }
}

/// What the options of gemm and LU have in common. @return whether the key is one of them
template <class Options>
bool take_common(Options& options, std::string const& key, std::string const& value) {
  if (key == "algorithm") {
    options.algorithm = value;
  } else if (key == "grid") {
    options.grid = grid_named(value);
  } else if (key == "order") {
    options.order = value;
  } else if (key == "memory") {
    options.memory = Bytes(whole_number(value, key));
  } else if (key == "tree") {
    options.tree = tree_named(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::int64_t whole_number(std::string const& text, std::string const& key) {
  std::int64_t value = 0;
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  ensure(code == std::errc() && end == text.data() + text.size(), "options: " + key, text, "a whole number");
  return value;
}

int workers_given(std::string const& text, std::string const& key) {
  auto const workers = whole_number(text, key);
  ensure(workers >= 1 && workers <= 4096, "options: " + key, workers, "1 to 4096 threads");
  return static_cast<int>(workers);
}

GemmGrid grid_named(std::string const& text) {
  auto const first = text.find('x');
  auto const second = text.find('x', first + 1);
  ensure(first != std::string::npos && second != std::string::npos, "options: grid", text, "p_r x p_c x c, as 2x2x1");
  auto const factor = [&](std::size_t from, std::size_t to) {
    return static_cast<int>(whole_number(text.substr(from, to - from), "grid"));
  };
  return {factor(0, first), factor(first + 1, second), factor(second + 1, text.size())};
}

GemmOptions gemm_options(char const* text) {
  GemmOptions options;
  read_options(text, "algorithm=, grid=, order=, panel=, memory= or tree=",
               [&](std::string const& key, std::string const& value) {
                 if (key != "panel") return take_common(options, key, value);
                 options.panel = whole_number(value, key);
                 return true;
               });
  return options;
}

LuWanted lu_options(char const* text) {
  LuWanted wanted;
  auto& options = wanted.options;
  read_options(text, "algorithm=, grid=, order=, panel=, nb=, outer_panel=, memory=, tree= or pivoting=",
               [&](std::string const& key, std::string const& value) {
                 if (key == "panel") {
                   options.panel = whole_number(value, key);
                 } else if (key == "nb") {
                   options.nb = whole_number(value, key);
                 } else if (key == "outer_panel") {
                   options.outer_panel = whole_number(value, key);
                 } else if (key == "pivoting") {
                   wanted.pivoting = pivoting_named("options: pivoting", value);
                 } else {
                   return take_common(options, key, value);
                 }
                 return true;
               });
  return wanted;
}

TiledPlanOptions tiled_plan_options(char const* text) {
  TiledPlanOptions options;
  read_options(text, "grid=, order=, nb=, workers= or memory=", [&](std::string const& key, std::string const& value) {
    if (key == "grid") {
      auto const flat = value.find('x') == value.rfind('x');
      options.grid = grid_named(flat ? value + "x1" : value);
      ensure(options.grid.layers == 1, "options: grid", value, "p_r x p_c, as 4x4: tiles have no layers");
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
