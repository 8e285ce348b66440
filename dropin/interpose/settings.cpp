#include "settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "allport/machine/machine.h"
#include "texts.h"

namespace allport::interpose {
namespace {

constexpr auto machine_variable = "ALLPORT_MACHINE";

}  // namespace

Settings::Settings(MPI_Comm comm, std::initializer_list<char const*> variables) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  first_ = rank == 0;
  if (first_) read(variables);
  auto const text = bcast_text(comm, [this] { return packed(); });
  if (!first_) unpack(text);
}

Settings Settings::of_this_process(int rank, std::initializer_list<char const*> variables) {
  Settings made;
  made.first_ = rank == 0;
  made.read(variables);
  return made;
}

void Settings::read(std::initializer_list<char const*> variables) {
  for (auto const* variable : variables) {
    auto const* text = std::getenv(variable);
    if (text == nullptr || *text == '\0') continue;
    values_[variable] = text;
    if (std::string_view(variable) == machine_variable) read_machine(text);
  }
}

void Settings::read_machine(std::string const& spec) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    auto const machine = Machine::parse(spec);
    rates_are_given_ = Machine::gives_rates(spec);
    if (machine.ranks() == ranks) {
      machine_ = machine.to_toml();
    } else {
      trouble_ = fmt::format(
          "ALLPORT_MACHINE = '{}' has {} ranks, but MPI_COMM_WORLD has {}; start as many ranks as the "
          "machine has, or name another machine",
          spec, machine.ranks(), ranks);
    }
  } catch (std::exception const& e) {
    trouble_ = fmt::format("ALLPORT_MACHINE: {}", e.what());
  }
}

std::string Settings::packed() const {
  if (values_.empty()) return {};
  return nlohmann::json(
             {{"values", values_}, {"machine", machine_}, {"trouble", trouble_}, {"rates", rates_are_given_}})
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Settings::unpack(std::string const& text) {
  if (text.empty()) return;
  auto const all = nlohmann::json::parse(text);
  values_ = all.at("values");
  machine_ = all.at("machine");
  trouble_ = all.at("trouble");
  rates_are_given_ = all.at("rates");
}

std::string const& Settings::operator[](std::string const& variable) const {
  static std::string const unset;
  auto const found = values_.find(variable);
  return found == values_.end() ? unset : found->second;
}

int Settings::word(char const* variable, std::span<std::string_view const> words) const {
  auto const& text = (*this)[variable];
  if (text.empty()) return 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (text == words[w]) return static_cast<int>(w);
  }
  warn(
      fmt::format("{} = '{}': expected one of {}; {} is taken", variable, text, fmt::join(words, ", "), words.front()));
  return 0;
}

Policy Settings::policy(char const* variable) const {
  constexpr std::array<std::string_view, 3> words{"auto", "always", "never"};
  return static_cast<Policy>(word(variable, words));
}

std::string Settings::report() const {
  auto const& text = (*this)["ALLPORT_REPORT"];
  return text == "1" ? text : file("ALLPORT_REPORT");
}

std::string Settings::file(char const* variable) const {
  auto const& text = (*this)[variable];
  if (text.empty() || text == "0") return {};
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return parent != MPI_COMM_NULL ? fmt::format("{}.spawned-{}", text, getpid()) : text;
}

void Settings::warn(std::string const& text) const {
  static std::mutex mutex;
  static std::set<std::string> said;
  if (!first_) return;
  std::scoped_lock const lock(mutex);
  if (!said.insert(text).second) return;
  fmt::print(stderr, "allport: warning: {}\n", text);
  std::fflush(stderr);
}

std::int64_t fingerprint_of(std::initializer_list<char const*> variables) {
  std::string values;
  for (auto const* variable : variables) {
    auto const* text = std::getenv(variable);
    bool const is_set = text != nullptr && *text != '\0';
    if (is_set && std::string_view(variable) == machine_variable) return 0;
    if (is_set) values += text;
    values += '\0';
  }
  return static_cast<std::int64_t>(std::hash<std::string>()(values) >> 2U) + 1;
}

std::string never_wanted(char const* variable) { return fmt::format("{} is 'never'", variable); }

}  // namespace allport::interpose
