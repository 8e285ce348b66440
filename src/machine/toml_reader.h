// What the readers of TOML files share: keys, numbers with units, and errors that name the file and the line. toml++ is
// included here alone, with its implementation inside (TOML_HEADER_ONLY), so that the installed library depends on no
// TOML library.
#pragma once

#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_SHARED_LIB 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "quantity.h"

namespace allport::machine_text {

/// Levenshtein distance, for the nearest valid key.
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto const replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Values of one file's tables. @throws Error "FILE:LINE: ..." where one is not as expected
class TomlReader {
 public:
  explicit TomlReader(std::string_view origin) : origin_(origin) {}

  toml::table parse(std::string_view text) const {
    try {
      return toml::parse(text);
    } catch (toml::parse_error const& e) {
      throw Error(ErrorKind::machine,
                  fmt::format("{}:{}: not TOML: {}", origin_, e.source().begin.line, e.description()));
    }
  }

 protected:
  std::string origin_;

  template <class Where>
  [[noreturn]] void fail(Where const& where, std::string_view message) const {
    throw Error(ErrorKind::machine, fmt::format("{}:{}: {}", origin_, where.source().begin.line, message));
  }

  void check_keys(toml::table const& table, std::span<std::string_view const> valid, std::string_view what) const {
    for (auto const& [key, value] : table) {
      auto const text = key.str();
      if (std::find(valid.begin(), valid.end(), text) == valid.end()) {
        auto const nearest = *std::min_element(valid.begin(), valid.end(),
                                               [&](auto a, auto b) { return distance(text, a) < distance(text, b); });
        fail(key, fmt::format("unknown key '{}' in {}; did you mean '{}'? Valid keys: {}", text, what, nearest,
                              fmt::join(valid, ", ")));
      }
    }
  }

  /// A number in SI units or a text with a unit; `absent` if the key is missing.
  double quantity(toml::table const& table, std::string_view key, QuantityKind kind, double absent) const {
    auto const* node = table.get(key);
    if (node == nullptr) return absent;
    auto value = -1.0;
    if (node->is_integer()) {
      value = static_cast<double>(**node->as_integer());  // value<double>() fails where a double is inexact
    } else if (node->is_floating_point()) {
      value = **node->as_floating_point();
    } else if (node->is_string()) {
      value = parse_quantity(**node->as_string(), kind).value_or(-1.0);
    }
    if (!std::isfinite(value) || value < 0.0) {
      fail(*node, fmt::format("{}: expected {}, not negative", key, quantity_help(kind)));
    }
    return value;
  }

  std::int32_t whole(toml::node const& node, std::string_view key, std::int32_t least) const {
    auto const value = node.is_integer() ? node.value<std::int64_t>() : std::nullopt;
    if (!value || *value < least || *value > std::numeric_limits<std::int32_t>::max()) {
      fail(node, fmt::format("{}: expected a whole number from {} to 2147483647", key, least));
    }
    return static_cast<std::int32_t>(*value);
  }

  bool flag(toml::table const& table, std::string_view key, bool absent) const {
    auto const* node = table.get(key);
    if (node != nullptr && !node->is_boolean()) fail(*node, fmt::format("{}: expected true or false", key));
    return node == nullptr ? absent : **node->as_boolean();
  }

  std::string text(toml::table const& table, std::string_view key) const {
    auto const* node = table.get(key);
    if (node != nullptr && !node->is_string()) fail(*node, fmt::format("{}: expected text", key));
    return node == nullptr ? "" : **node->as_string();
  }

  template <class Make>
  void each_table(toml::table const& table, std::string_view key, std::string_view what, Make&& make) const {
    auto const* node = table.get(key);
    if (node == nullptr) return;
    if (!node->is_array()) {
      fail(*node, fmt::format("{}: expected a list of tables, one per {}", key, what));
    }
    for (auto const& entry : *node->as_array()) {
      if (!entry.is_table()) {
        fail(entry, fmt::format("{}: expected a table", key));
      }
      make(*entry.as_table());
    }
  }
};

}  // namespace allport::machine_text
