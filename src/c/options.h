// Options of the C interface: words of a text, and those of products and factorizations.
#pragma once

#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/tiled_plan.h"
#include "handles.h"

namespace allport::c_interface {

std::int64_t whole_number(std::string const& text, std::string const& key);
/// Threads of a rank.
int workers_given(std::string const& text, std::string const& key);
GemmGrid grid_named(std::string const& text);

/// take(key, value) for each word `key=value` of the options; false: there is no such key. @param keys  all there are
template <class Take>
void read_options(char const* text, char const* keys, Take const& take) {
  std::string const all = text == nullptr ? "" : text;
  for (std::size_t at = 0; at < all.size();) {
    auto const end = std::min(all.find(' ', at), all.size());
    auto const word = all.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    auto const equals = word.find('=');
    auto const value = equals == std::string::npos ? std::string() : word.substr(equals + 1);
    if (!take(word.substr(0, equals), value)) {
      throw Error::argument("options", show(word), keys, "separate them by spaces");
    }
  }
}

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

/// CholeskyOptions or QrOptions from their text.
template <class Options>
Options tiling_of(char const* text) {
  Options options;
  read_options(text, "nb= or workers=", [&](std::string const& key, std::string const& value) {
    return take_tiling(options, key, value);
  });
  return options;
}

[[nodiscard]] TiledPlanOptions tiled_plan_options(char const* text);

}  // namespace allport::c_interface
