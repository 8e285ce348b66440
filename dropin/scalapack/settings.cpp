#include "settings.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

namespace allport::scalapack {
namespace {

std::string_view environment(char const* name) {
  auto const* text = std::getenv(name);
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

Policy read_policy() {
  auto const text = environment("ALLPORT_SCALAPACK");
  if (text.empty() || text == "auto") return Policy::automatic;
  if (text == "always") return Policy::always;
  if (text == "never") return Policy::never;
  warn_once(fmt::format("ALLPORT_SCALAPACK = '{}': expected auto, always or never; auto is taken", text));
  return Policy::automatic;
}

Pivoting read_pivoting() {
  auto const text = environment("ALLPORT_PIVOT");
  if (text.empty() || text == "partial") return Pivoting::partial;
  if (text == "tournament") return Pivoting::tournament;
  if (text == "none") return Pivoting::none;
  warn_once(fmt::format("ALLPORT_PIVOT = '{}': expected partial, tournament or none; partial is taken", text));
  return Pivoting::partial;
}

std::string read_machine(int ranks) {
  auto const spec = environment("ALLPORT_MACHINE");
  if (spec.empty()) return {};
  try {
    auto const machine = Machine::parse(spec);
    if (machine.ranks() == ranks) return machine.to_toml();
    warn_once(fmt::format(
        "ALLPORT_MACHINE = '{}' has {} ranks, but MPI_COMM_WORLD has {}: start as many ranks as the machine "
        "has, or name another machine; a flat machine is taken",
        spec, machine.ranks(), ranks));
  } catch (std::exception const& e) {
    warn_once(fmt::format("ALLPORT_MACHINE: {}; a flat machine is taken", e.what()));
  }
  return {};
}

}  // namespace

Settings read_settings(int ranks) { return {read_policy(), read_pivoting(), read_machine(ranks)}; }

std::string const& report_wanted() {
  static std::string const wanted = [] {
    auto const text = environment("ALLPORT_REPORT");
    return text == "0" ? std::string{} : std::string(text);
  }();
  return wanted;
}

void warn_once(std::string const& text) {
  static std::set<std::string> said;
  if (!said.insert(text).second) return;
  fmt::print(stderr, "allport: warning: {}\n", text);
  std::fflush(stderr);
}

}  // namespace allport::scalapack
