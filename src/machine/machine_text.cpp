// A machine as text: its machine file and its JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "allport/machine/machine.h"
#include "quantity.h"

namespace allport {

namespace {

using machine_text::quantity_text;
using machine_text::QuantityKind;

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

void line(std::string& out, std::string_view key, double value, QuantityKind kind) {
  if (value != 0.0) {
    out += fmt::format("{} = \"{}\"\n", key, quantity_text(value, kind));
  }
}

std::vector<std::int32_t> position(Machine const& machine, Node node) {
  auto const c = machine.coord(node);
  return {c.begin(), c.begin() + machine.axes()};
}

std::string link_text(Machine const& machine, LinkException const& e, bool both) {
  auto out = fmt::format("\n[[link]]\nfrom = [{}]\naxis = \"{}\"\ndirection = \"{}\"\n",
                         fmt::join(position(machine, e.node), ", "), axis_letter(axis_of(e.out)),
                         sign_of(e.out) > 0 ? '+' : '-');
  if (e.dead) {
    out += "dead = true\n";
  }
  line(out, "bandwidth", e.bandwidth.value(), QuantityKind::bandwidth);
  if (e.latency.value() >= 0.0) {
    out += fmt::format("latency = \"{}\"\n", quantity_text(e.latency.value(), QuantityKind::time));
  }
  return out + (both ? "" : "both_directions = false\n");
}

/// The other direction of the same cable, if it has the same exception.
LinkException const* partner(Machine const& machine, LinkException const& e) {
  auto wanted = e;
  wanted.node = *machine.neighbour(e.node, e.out);
  wanted.out = static_cast<Port>(e.out ^ 1);
  auto const& all = machine.exceptions();
  auto const at = std::find(all.begin(), all.end(), wanted);
  return at == all.end() ? nullptr : &*at;
}

std::string levels_text(Levels const& levels) {
  auto const rate = [](std::string_view key, double value, QuantityKind kind) {
    return value == 0.0 ? std::string() : fmt::format(", {} = \"{}\"", key, quantity_text(value, kind));
  };
  auto out = std::string("levels = [\n");
  for (auto const& l : levels.all()) {
    out += fmt::format("  {{ name = {}, count = {}{}{}{}{}{} }},\n", toml_string(l.name), l.count,
                       rate("bandwidth", l.bandwidth.value(), QuantityKind::bandwidth),
                       rate("latency", l.latency.value(), QuantityKind::time),
                       rate("injection", l.injection.value(), QuantityKind::bandwidth),
                       rate("memory_bandwidth", l.memory_bandwidth.value(), QuantityKind::bandwidth),
                       rate("cache", static_cast<double>(l.cache.value()), QuantityKind::bytes));
  }
  return out + "]\n";
}

std::string calibration_text(Calibration const& c) {
  auto out = std::string();
  if (!c.date.empty() || !c.library.empty() || c.ranks != 0 || !c.fits.empty()) {
    out += fmt::format("\n[calibration]\ndate = {}\nlibrary = {}\nranks = {}\n", toml_string(c.date),
                       toml_string(c.library), c.ranks);
    out += c.fits.empty() ? "" : "fit = [  # value in SI units; error: median relative distance of what was measured\n";
    for (auto const& f : c.fits) {
      auto const held = f.low == 0.0 && f.high == 0.0 ? "" : fmt::format(", low = {}, high = {}", f.low, f.high);
      out += fmt::format("  {{ what = {}, value = {}, error = {}{} }},\n", toml_string(f.what), f.value, f.error, held);
    }
    out += c.fits.empty() ? "" : "]\n";
  }
  for (auto const& t : c.mpi) {
    out += fmt::format("\n[[mpi]]\ncollective = {}\nbytes = [{}]\nseconds = [{}]\n", toml_string(t.collective),
                       fmt::join(t.bytes, ", "), fmt::join(t.seconds, ", "));
    if (!t.ours.empty()) out += fmt::format("ours = [{}]\n", fmt::join(t.ours, ", "));
  }
  return out;
}

}  // namespace

std::string Machine::to_toml() const {
  auto out = fmt::format("name = {}\n", toml_string(name_));
  out += levels_.plain() ? fmt::format("ranks_per_node = {}\n", levels_.ranks()) : levels_text(levels_);
  line(out, "overhead", rates_.overhead.value(), QuantityKind::time);
  out += rates_.tau != 0.0 ? fmt::format("tau = {}\n", rates_.tau) : "";
  out += rates_.tau_short >= 0.0 ? fmt::format("tau_short = {}\n", rates_.tau_short) : "";
  out += rates_.ports != 0 ? fmt::format("ports = {}\n", rates_.ports) : "";
  line(out, "injection", rates_.injection.value(), QuantityKind::bandwidth);
  line(out, "flops", rates_.flops.value(), QuantityKind::flops);
  line(out, "adds", rates_.adds.value(), QuantityKind::adds);
  line(out, "memory_bandwidth", rates_.memory_bandwidth.value(), QuantityKind::bandwidth);
  if (rates_.memory.value() != 0) {
    // Above 2^53 a double would lose bytes, so an integer is written.
    auto const exact = rates_.memory.value() < (std::int64_t{1} << 53);
    out += exact ? fmt::format("memory = \"{}\"\n",
                               quantity_text(static_cast<double>(rates_.memory.value()), QuantityKind::bytes))
                 : fmt::format("memory = {}\n", rates_.memory.value());
  }
  out += "axes = [\n";
  for (auto const& a : axes_) {
    out += fmt::format("  {{ length = {}, wraps = {}, bandwidth = \"{}\", latency = \"{}\" }},\n", a.length, a.wraps,
                       quantity_text(a.bandwidth.value(), QuantityKind::bandwidth),
                       quantity_text(a.latency.value(), QuantityKind::time));
  }
  out += "]\n";
  for (auto const& e : exceptions_) {
    auto const* other = partner(*this, e);
    auto const done = other != nullptr && other < &e;  // written with its partner, which sorts before it
    out += done ? "" : link_text(*this, e, other != nullptr);
  }
  return out + calibration_text(calibration_);
}

std::string Machine::to_json() const {
  using nlohmann::json;
  auto axes = json::array();
  for (auto const& a : axes_) {
    axes.push_back(
        {{"length", a.length}, {"wraps", a.wraps}, {"bandwidth", a.bandwidth.value()}, {"latency", a.latency.value()}});
  }
  auto levels = json::array();
  for (auto const& l : levels_.all()) {
    levels.push_back({{"name", l.name},
                      {"count", l.count},
                      {"bandwidth", l.bandwidth.value()},
                      {"latency", l.latency.value()},
                      {"injection", l.injection.value()}});
    if (l.memory_bandwidth.value() > 0.0) levels.back()["memory_bandwidth"] = l.memory_bandwidth.value();
    if (l.cache.value() > 0) levels.back()["cache"] = l.cache.value();
  }
  auto differing = json::array();
  for (auto const& e : exceptions_) {
    auto const l = link(e.node, e.out);
    differing.push_back({{"link", l},
                         {"name", link_name(l)},
                         {"from", position(*this, e.node)},
                         {"to", position(*this, *neighbour(e.node, e.out))},
                         {"axis", axis_of(e.out)},
                         {"direction", sign_of(e.out)},
                         {"dead", e.dead},
                         {"bandwidth", bandwidth(l).value()},
                         {"latency", latency(l).value()}});
  }
  auto all = json{{"name", name_},
                  {"axes", std::move(axes)},
                  {"nodes", nodes_},
                  {"ranks", ranks()},
                  {"ranks_per_node", ranks_per_node()},
                  {"levels", std::move(levels)},
                  {"links", links()},
                  {"exceptions", std::move(differing)},
                  {"overhead", rates_.overhead.value()},
                  {"tau", rates_.tau},
                  {"ports", rates_.ports},
                  {"injection", rates_.injection.value()},
                  {"flops", rates_.flops.value()},
                  {"adds", rates_.adds.value()},
                  {"memory_bandwidth", rates_.memory_bandwidth.value()},
                  {"memory", rates_.memory.value()}};
  if (rates_.tau_short >= 0.0) all["tau_short"] = rates_.tau_short;
  if (!calibration_.empty()) {
    auto fits = json::array();
    for (auto const& f : calibration_.fits) {
      json fit = {{"what", f.what}, {"value", f.value}, {"error", f.error}};
      if (f.low != 0.0 || f.high != 0.0) fit.update({{"low", f.low}, {"high", f.high}});
      fits.push_back(std::move(fit));
    }
    auto mpi = json::object();
    for (auto const& t : calibration_.mpi) {
      mpi[t.collective] = {{"bytes", t.bytes}, {"seconds", t.seconds}, {"ours", t.ours}};
    }
    all["calibration"] = {{"date", calibration_.date},
                          {"library", calibration_.library},
                          {"ranks", calibration_.ranks},
                          {"fits", std::move(fits)},
                          {"mpi", std::move(mpi)}};
  }
  return all.dump(2);
}

}  // namespace allport
