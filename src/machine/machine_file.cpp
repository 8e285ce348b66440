// The machine file's reader. The only file that includes toml++, with its implementation inside (TOML_HEADER_ONLY), so
// that the installed library depends on no TOML library.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_SHARED_LIB 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "allport/machine/machine.h"
#include "quantity.h"

namespace allport {

namespace {

using machine_text::QuantityKind;

constexpr std::string_view top_keys[] = {
    "name",  "ranks_per_node", "levels",           "overhead", "tau",  "tau_short", "ports",       "injection",
    "flops", "adds",           "memory_bandwidth", "memory",   "axes", "link",      "calibration", "mpi"};
constexpr std::string_view level_keys[] = {"name", "count", "bandwidth", "latency", "injection", "memory_bandwidth",
                                           "cache"};
constexpr std::string_view calibration_keys[] = {"date", "library", "ranks", "fit"};
constexpr std::string_view fit_keys[] = {"what", "value", "error", "low", "high"};
constexpr std::string_view mpi_keys[] = {"collective", "bytes", "seconds", "ours"};
constexpr std::string_view axis_keys[] = {"length", "wraps", "bandwidth", "latency"};
constexpr std::string_view link_keys[] = {"from", "axis",      "direction", "to",
                                          "dead", "bandwidth", "latency",   "both_directions"};

/// Levenshtein distance, for the nearest valid key.
std::size_t distance(std::string_view a, std::string_view b) {
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

class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Machine read(std::string_view text) const {
    try {
      return machine(toml::parse(text));
    } catch (toml::parse_error const& e) {
      throw Error(ErrorKind::machine,
                  fmt::format("{}:{}: not TOML: {}", origin_, e.source().begin.line, e.description()));
    }
  }

 private:
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
      value = machine_text::parse_quantity(**node->as_string(), kind).value_or(-1.0);
    }
    if (!std::isfinite(value) || value < 0.0) {
      fail(*node, fmt::format("{}: expected {}, not negative", key, machine_text::quantity_help(kind)));
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

  Bytes whole_bytes(toml::table const& table, std::string_view key) const {
    auto const value = quantity(table, key, QuantityKind::bytes, 0.0);
    auto const* node = table.get(key);
    if (value >= 0x1p63) {
      fail(*node, fmt::format("{}: expected fewer than 2^63 bytes", key));
    }
    // An integer is read exactly; a double would round it above 2^53.
    auto const exact = node != nullptr && node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    return Bytes(exact.value_or(static_cast<std::int64_t>(value)));
  }

  double serial_share(toml::table const& table, std::string_view key, double most, double absent,
                      std::string_view expected) const {
    auto const* node = table.get(key);
    if (node == nullptr) return absent;
    auto const value = node->is_number() ? node->value<double>().value_or(-1.0) : -1.0;
    if (!(value >= 0.0 && value <= most)) fail(*node, fmt::format("{}: expected {}", key, expected));
    return value;
  }

  NodeRates rates(toml::table const& table) const {
    NodeRates r;
    r.overhead = Seconds(quantity(table, "overhead", QuantityKind::time, 0.0));
    r.injection = BytesPerSecond(quantity(table, "injection", QuantityKind::bandwidth, 0.0));
    r.flops = FlopsPerSecond(quantity(table, "flops", QuantityKind::flops, 0.0));
    r.adds = FlopsPerSecond(quantity(table, "adds", QuantityKind::adds, 0.0));
    r.memory_bandwidth = BytesPerSecond(quantity(table, "memory_bandwidth", QuantityKind::bandwidth, 0.0));
    r.memory = whole_bytes(table, "memory");
    if (auto const* node = table.get("ports")) {
      r.ports = whole(*node, "ports", 0);
    }
    r.tau = serial_share(table, "tau", 1.0, 0.0, "a number in 0..1");
    r.tau_short = serial_share(table, "tau_short", std::numeric_limits<double>::max(), -1.0, "a finite number from 0");
    return r;
  }

  Axis axis(toml::table const& table) const {
    check_keys(table, axis_keys, "an axis");
    for (auto const key : {"length", "bandwidth", "latency"}) {
      if (table.get(key) == nullptr) {
        fail(table, fmt::format("this axis has no '{}'", key));
      }
    }
    Axis a;
    a.length = whole(*table.get("length"), "length", 1);
    a.wraps = flag(table, "wraps", true);
    a.bandwidth = BytesPerSecond(quantity(table, "bandwidth", QuantityKind::bandwidth, 0.0));
    a.latency = Seconds(quantity(table, "latency", QuantityKind::time, 0.0));
    if (a.length > 1 && a.bandwidth.value() <= 0.0) {
      fail(*table.get("bandwidth"), "bandwidth: expected more than 0 bytes/s");
    }
    return a;
  }

  Node node(toml::table const& table, std::string_view key, Machine const& machine) const {
    auto const* list = table.get_as<toml::array>(key);
    if (list == nullptr || list->size() != static_cast<std::size_t>(machine.axes())) {
      fail(table, fmt::format("{}: expected a list of {} coordinates", key, machine.axes()));
    }
    Coord c{};
    for (std::size_t a = 0; a < list->size(); ++a) {
      c[a] = whole((*list)[a], key, 0);
      if (c[a] >= machine.axis(static_cast<int>(a)).length) {
        fail((*list)[a], fmt::format("{}: coordinate {} is outside its axis of length {}", key, c[a],
                                     machine.axis(static_cast<int>(a)).length));
      }
    }
    return machine.node(c);
  }

  int axis_index(toml::node const& node, Machine const& machine) const {
    if (node.is_string()) {
      auto const& text = **node.as_string();
      for (int a = 0; a < machine.axes(); ++a) {
        if (text == std::string(1, axis_letter(a))) {
          return a;
        }
      }
    } else if (node.is_integer()) {
      auto const a = whole(node, "axis", 0);
      if (a < machine.axes()) {
        return a;
      }
    }
    fail(node, fmt::format("axis: expected 0 to {} or the letters x to {}", machine.axes() - 1,
                           axis_letter(machine.axes() - 1)));
  }

  /// The port of an entry: by axis and direction, or the only port that leads to `to`.
  Port out_port(toml::table const& table, Machine const& machine, Node from) const {
    auto const* axis = table.get("axis");
    auto const* direction = table.get("direction");
    auto const* to = table.get("to");
    if (axis != nullptr && direction != nullptr && to == nullptr) {
      auto const sign = direction->value<std::string>().value_or("");
      if (sign != "+" && sign != "-") {
        fail(*direction, "direction: expected \"+\" or \"-\"");
      }
      auto const p = port(axis_index(*axis, machine), sign == "+" ? 1 : -1);
      if (!machine.neighbour(from, p)) {
        fail(table, "there is no link in this direction: the axis ends here, or has length 1");
      }
      return p;
    }
    if (to == nullptr || axis != nullptr || direction != nullptr) {
      fail(table, "a link is named by 'from' with 'axis' and 'direction', or by 'from' with 'to'");
    }
    auto const target = node(table, "to", machine);
    auto found = any_port;
    for (Port p = 0; p < 2 * machine.axes(); ++p) {
      if (machine.neighbour(from, p) == std::optional(target)) {
        if (found != any_port) {
          fail(*to, "to: two links lead there (a wrapped axis of length 2); use 'axis' and 'direction'");
        }
        found = p;
      }
    }
    if (found == any_port) {
      fail(*to, "to: no link leads there; expected a neighbour of 'from'");
    }
    return found;
  }

  void link(toml::table const& table, Machine const& machine, std::vector<LinkException>& all) const {
    check_keys(table, link_keys, "a link");
    LinkException e;
    e.node = node(table, "from", machine);
    e.out = out_port(table, machine, e.node);
    e.dead = flag(table, "dead", false);
    e.bandwidth = BytesPerSecond(quantity(table, "bandwidth", QuantityKind::bandwidth, 0.0));
    e.latency = Seconds(quantity(table, "latency", QuantityKind::time, -1.0));
    if (!e.dead && e.bandwidth.value() == 0.0 && e.latency.value() < 0.0) {
      fail(table, "this link differs in nothing; give dead = true, a bandwidth > 0 or a latency");
    }
    auto const add = [&](LinkException const& one) {
      for (auto const& other : all) {
        if (other.node == one.node && other.out == one.out) {
          fail(table, fmt::format("link {} is named twice", machine.link_name(machine.link(one.node, one.out))));
        }
      }
      all.push_back(one);
    };
    add(e);
    if (flag(table, "both_directions", true)) {
      auto back = e;
      back.node = *machine.neighbour(e.node, e.out);
      back.out = static_cast<Port>(e.out ^ 1);
      add(back);
    }
  }

  std::string text(toml::table const& table, std::string_view key) const {
    auto const* node = table.get(key);
    if (node != nullptr && !node->is_string()) fail(*node, fmt::format("{}: expected text", key));
    return node == nullptr ? "" : **node->as_string();
  }

  /// A list of numbers, each at least `least`.
  template <class Number>
  std::vector<Number> numbers(toml::table const& table, std::string_view key, Number least) const {
    auto const* list = table.get_as<toml::array>(key);
    if (list == nullptr) {
      fail(table, fmt::format("{}: expected a list of numbers", key));
    }
    std::vector<Number> all;
    for (auto const& entry : *list) {
      auto const value = entry.is_number() ? entry.value<Number>() : std::nullopt;
      if (!value || !(*value >= least) || !std::isfinite(static_cast<double>(*value))) {
        fail(entry, fmt::format("{}: expected numbers from {}", key, least));
      }
      all.push_back(*value);
    }
    return all;
  }

  void checked(toml::table const& where, Calibration const& part) const {
    try {
      part.check();
    } catch (Error const& e) {
      fail(where, e.what());
    }
  }

  Calibration calibration(toml::table const& table) const {
    Calibration c;
    if (auto const* node = table.get("calibration")) {
      if (!node->is_table()) fail(*node, "calibration: expected a table");
      auto const& said = *node->as_table();
      check_keys(said, calibration_keys, "calibration");
      c.date = text(said, "date");
      c.library = text(said, "library");
      c.ranks = said.get("ranks") == nullptr ? 0 : whole(*said.get("ranks"), "ranks", 0);
      each_table(said, "fit", "fit", [&](toml::table const& one) {
        check_keys(one, fit_keys, "a fit");
        auto const number = [&](std::string_view key) {
          auto const* value = one.get(key);
          return value != nullptr && value->is_number() ? value->value<double>().value_or(0.0) : 0.0;
        };
        c.fits.push_back({text(one, "what"), number("value"), number("error"), number("low"), number("high")});
        checked(one, {.fits = {c.fits.back()}});
      });
    }
    each_table(table, "mpi", "collective", [&](toml::table const& one) {
      check_keys(one, mpi_keys, "times of MPI's own collective");
      auto const& times = c.mpi.emplace_back(MpiTimes{
          text(one, "collective"), numbers<std::int64_t>(one, "bytes", 0), numbers<double>(one, "seconds", 0.0),
          one.get("ours") == nullptr ? std::vector<double>{} : numbers<double>(one, "ours", 0.0)});
      checked(one, {.mpi = {times}});
    });
    return c;
  }

  Levels levels(toml::table const& table) const {
    auto const* per_node = table.get("ranks_per_node");
    std::vector<Level> all;
    each_table(table, "levels", "level", [&](toml::table const& one) {
      check_keys(one, level_keys, "a level");
      if (one.get("name") == nullptr || one.get("count") == nullptr) fail(one, "a level has a 'name' and a 'count'");
      all.push_back({text(one, "name"), whole(*one.get("count"), "count", 1),
                     BytesPerSecond(quantity(one, "bandwidth", QuantityKind::bandwidth, 0.0)),
                     Seconds(quantity(one, "latency", QuantityKind::time, 0.0)),
                     BytesPerSecond(quantity(one, "injection", QuantityKind::bandwidth, 0.0)),
                     BytesPerSecond(quantity(one, "memory_bandwidth", QuantityKind::bandwidth, 0.0)),
                     whole_bytes(one, "cache")});
    });
    if (table.get("levels") == nullptr) return per_node == nullptr ? 1 : whole(*per_node, "ranks_per_node", 1);
    if (per_node != nullptr) fail(*per_node, "ranks_per_node: expected either it or 'levels', whose counts give it");
    return Levels(std::move(all));
  }

  Machine machine(toml::table const& table) const {
    check_keys(table, top_keys, "a machine file");
    auto const* name = table.get("name");
    if (name != nullptr && !name->is_string()) {
      fail(*name, "name: expected text");
    }
    std::vector<Axis> axes;
    each_table(table, "axes", "axis", [&](toml::table const& one) { axes.push_back(axis(one)); });
    if (axes.empty() || axes.size() > max_axes) {
      fail(table, fmt::format("axes: expected 1 to {} tables such as axes = [ {{ length = 8, wraps = true, bandwidth = "
                              "\"375 MB/s\", latency = \"0.5 us\" }} ]",
                              max_axes));
    }
    auto const title = name == nullptr ? origin_ : **name->as_string();
    try {
      Machine const whole_machine(title, axes, rates(table), levels(table));
      std::vector<LinkException> exceptions;
      each_table(table, "link", "link", [&](toml::table const& one) { link(one, whole_machine, exceptions); });
      return {title,
              std::move(axes),
              whole_machine.rates(),
              whole_machine.levels(),
              std::move(exceptions),
              calibration(table)};
    } catch (Error const& e) {
      if (std::string_view(e.what()).starts_with(origin_)) {
        throw;
      }
      throw Error(e.kind(), fmt::format("{}: {}", origin_, e.what()));
    }
  }
};

}  // namespace

Machine Machine::from_toml(std::string_view text, std::string_view origin) { return Reader(origin).read(text); }

}  // namespace allport
