#include "tuning.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "allport/base/error.h"
#include "texts.h"

namespace allport::interpose {

TuningMode tuning_mode_of(Settings const& settings) {
  constexpr std::array<std::string_view, 4> words{"auto", "on", "free", "off"};
  return static_cast<TuningMode>(settings.word("ALLPORT_SELECT", words));
}

std::optional<Memory> recalled(MPI_Comm comm, Settings const& settings) {
  auto const& path = settings[memory_variable];
  if (path.empty()) return Memory{};
  auto const text = bcast_text(comm, [&]() -> std::string {
    try {
      return to_json(load_memory(path));
    } catch (Error const& e) {
      settings.warn(fmt::format("{}: {}; nothing is remembered", memory_variable, e.what()));
      return {};
    }
  });
  if (text.empty()) return std::nullopt;
  return memory_from_json(text);
}

Memory remember(Memory const& found, std::string const& path) {
  Memory all;
  for (auto const& text : gather_texts(MPI_COMM_WORLD, to_json(found))) all.merge(memory_from_json(text));
  if (path.empty() || all.empty()) return all;
  try {
    save_memory(path, all);
  } catch (Error const& e) {
    say(fmt::format("warning: {}: {}", memory_variable, e.what()));
  }
  return all;
}

nlohmann::json tried(Memory const& found) { return nlohmann::json::parse(to_json(found)).at("sites"); }

void say(std::string const& text) {
  fmt::print(stderr, "allport: {}\n", text);
  std::fflush(stderr);
}

}  // namespace allport::interpose
