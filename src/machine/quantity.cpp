#include "quantity.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

namespace allport::machine_text {

namespace {

/// value = number * 10^exponent * factor; the power of ten is applied in text, so that "0.3 us" is exactly 3e-7.
struct Unit {
  std::string_view name;
  int exponent;
  double factor;
};

constexpr double kibi = 1024.0;
constexpr Unit bandwidth_units[] = {
    {"B/s", 0, 1},        {"kB/s", 3, 1},       {"MB/s", 6, 1},           {"GB/s", 9, 1},
    {"TB/s", 12, 1},      {"KiB/s", 0, kibi},   {"MiB/s", 0, kibi* kibi}, {"GiB/s", 0, kibi* kibi* kibi},
    {"bit/s", 0, 0.125},  {"kbit/s", 3, 0.125}, {"Mbit/s", 6, 0.125},     {"Gbit/s", 9, 0.125},
    {"Tbit/s", 12, 0.125}};
constexpr Unit time_units[] = {{"s", 0, 1}, {"ms", -3, 1}, {"us", -6, 1}, {"\u00b5s", -6, 1}, {"ns", -9, 1}};
constexpr Unit byte_units[] = {{"B", 0, 1},
                               {"kB", 3, 1},
                               {"MB", 6, 1},
                               {"GB", 9, 1},
                               {"TB", 12, 1},
                               {"KiB", 0, kibi},
                               {"MiB", 0, kibi* kibi},
                               {"GiB", 0, kibi* kibi* kibi},
                               {"TiB", 0, kibi* kibi* kibi* kibi}};
constexpr Unit flop_units[] = {{"flop/s", 0, 1}, {"MF", 6, 1},      {"GF", 9, 1},      {"TF", 12, 1},
                               {"PF", 15, 1},    {"Mflop/s", 6, 1}, {"Gflop/s", 9, 1}, {"Tflop/s", 12, 1}};
constexpr Unit add_units[] = {{"add/s", 0, 1}, {"Madd/s", 6, 1}, {"Gadd/s", 9, 1}, {"Tadd/s", 12, 1}};

std::span<Unit const> units(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::bandwidth:
      return bandwidth_units;
    case QuantityKind::time:
      return time_units;
    case QuantityKind::bytes:
      return byte_units;
    case QuantityKind::flops:
      return flop_units;
    case QuantityKind::adds:
      return add_units;
  }
  return {};
}

std::optional<double> number(std::string_view text) {
  double value = 0.0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text, QuantityKind kind) {
  text = trimmed(text);
  // No unit starts with a digit, a sign or a point.
  auto const end = text.find_first_not_of("0123456789+-.");
  auto digits = text.substr(0, end);
  auto rest = end == std::string_view::npos ? std::string_view() : text.substr(end);
  if (rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E')) {  // 1e9 B/s
    auto const tail = rest.substr(1).find_first_not_of("0123456789+-");
    auto const length = tail == std::string_view::npos ? rest.size() - 1 : tail;
    auto const value = number(text.substr(0, digits.size() + 1 + length));
    if (!value) {
      return std::nullopt;
    }
    for (auto const& unit : units(kind)) {
      if (trimmed(rest.substr(1 + length)) == unit.name) {
        return *value * std::pow(10.0, unit.exponent) * unit.factor;
      }
    }
    return std::nullopt;
  }
  for (auto const& unit : units(kind)) {
    if (trimmed(rest) == unit.name) {
      auto const value = number(fmt::format("{}e{}", digits, unit.exponent));
      return value ? std::optional(*value * unit.factor) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::string quantity_text(double value, QuantityKind kind) {
  // Binary units first for memory, so that 2 GiB does not become 2.147483648 GB.
  if (kind == QuantityKind::bytes) {
    for (auto const& unit : {byte_units[8], byte_units[7], byte_units[6], byte_units[5]}) {
      if (value >= unit.factor && std::fmod(value, unit.factor) == 0.0) {
        return fmt::format("{} {}", value / unit.factor, unit.name);
      }
    }
  }
  Unit const* best = nullptr;
  for (auto const& unit : units(kind)) {
    auto const scale = std::pow(10.0, unit.exponent);
    auto const larger = best == nullptr || unit.exponent > best->exponent;
    auto const fits = value >= scale || (kind == QuantityKind::time && unit.exponent == -9);
    if (unit.factor == 1.0 && fits && larger) {
      best = &unit;
    }
  }
  best = best == nullptr ? units(kind).data() : best;
  // A scaled value may be off by one bit. The shortest text that reads back exactly is taken; the unscaled number,
  // which fmt prints exactly, is the fallback.
  auto shortest = fmt::format("{} {}", value, units(kind).front().name);
  for (auto const scaled : {value / std::pow(10.0, best->exponent), value * std::pow(10.0, -best->exponent)}) {
    auto text = fmt::format("{} {}", scaled, best->name);
    if (parse_quantity(text, kind) == value && (text.size() <= shortest.size() || scaled == std::floor(scaled))) {
      shortest = std::move(text);
    }
  }
  return shortest;
}

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string_view quantity_help(QuantityKind kind) {
  switch (kind) {
    case QuantityKind::bandwidth:
      return "a number in bytes/s, or text with a unit such as '425 MB/s', '1 GiB/s' or '40 Mbit/s'";
    case QuantityKind::time:
      return "a number in seconds, or text with a unit such as '0.5 us' or '250 ns'";
    case QuantityKind::bytes:
      return "a number of bytes, or text with a unit such as '2 GiB'";
    case QuantityKind::flops:
      return "a number in flop/s, or text with a unit such as '13.6 GF'";
    case QuantityKind::adds:
      return "a number in additions/s, or text with a unit such as '1.7 Gadd/s'";
  }
  return "";
}

}  // namespace allport::machine_text
