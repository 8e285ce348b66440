#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "allport/base/error.h"
#include "allport/select/selector.h"

namespace allport {

std::string to_json(Memory const& memory) {
  auto sites = nlohmann::json::object();
  for (auto const& [site, remembered] : memory) {
    auto seconds = nlohmann::json::object();
    for (auto const& [name, time] : remembered.seconds) seconds[name] = time.value();
    sites[site] = {{"best", remembered.best}, {"seconds", std::move(seconds)}};
    if (remembered.provisional) sites[site]["provisional"] = true;
  }
  return nlohmann::json{{"allport_memory", 1}, {"sites", std::move(sites)}}.dump(1);
}

Memory memory_from_json(std::string const& text) {
  Memory memory;
  try {
    auto const json = nlohmann::json::parse(text);
    if (json.at("allport_memory") != 1) throw Error(ErrorKind::io, "stored results of another version");
    for (auto const& [site, entry] : json.at("sites").items()) {
      Remembered remembered{entry.at("best").get<std::string>(), {}, entry.value("provisional", false)};
      for (auto const& [name, time] : entry.at("seconds").items())
        remembered.seconds[name] = Seconds(time.get<double>());
      memory[site] = std::move(remembered);
    }
  } catch (nlohmann::json::exception const& e) {
    throw Error(ErrorKind::io, fmt::format("not stored results of Selectors: {}", e.what()));
  }
  return memory;
}

Memory load_memory(std::string const& path) {
  std::ifstream file(path);
  if (!file) {
    if (std::error_code ignored; !std::filesystem::exists(path, ignored)) return {};
    throw Error(ErrorKind::io, fmt::format("{}: cannot be read", path));
  }
  std::stringstream text;
  text << file.rdbuf();
  try {
    return memory_from_json(text.str());
  } catch (Error const& e) {
    throw Error(ErrorKind::io, fmt::format("{}: {}; remove it to start again", path, e.what()));
  }
}

void save_memory(std::string const& path, Memory const& memory) {
  auto all = load_memory(path);
  for (auto const& [site, remembered] : memory) all[site] = remembered;
  auto const parent = std::filesystem::path(path).parent_path();
  std::error_code failed;
  if (!parent.empty()) std::filesystem::create_directories(parent, failed);
  auto const beside = fmt::format("{}.{}", path, ::getpid());
  std::ofstream(beside) << to_json(all) << '\n';
  std::filesystem::rename(beside, path, failed);
  if (failed) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw Error(ErrorKind::io, fmt::format("{}: {}", path, failed.message()));
  }
}

void Selector::resume(Remembered const& remembered) {
  ensure(iterations_ == 0 && at_ == 0 && runs_.front().done == 0, "remembered", remembered.best,
         "given before the first iteration");
  auto const index = [&](std::string const& name) {
    return static_cast<std::size_t>(std::ranges::find(arms_, name, [](Arm const& a) { return a.configuration.name; }) -
                                    arms_.begin());
  };
  auto const best = index(remembered.best);
  auto const& standard = arms_[options_.standard].configuration.name;
  if (best == arms_.size() || !remembered.seconds.contains(standard) || !remembered.seconds.contains(remembered.best)) {
    return;
  }
  for (auto const& [name, seconds] : remembered.seconds) {
    auto const a = index(name);
    if (a == arms_.size() || seconds <= Seconds{}) continue;
    arms_[a].seconds = seconds.value();
    arms_[a].open = false;
  }
  best_ = best;
  if (!remembered.provisional) confirmed_ = best_other();
  settled_ = worth_trying().empty() && !to_confirm();
  settled_at_ = arms_[best_].seconds;
  runs_ = {tuning_run(best_)};
  report(fmt::format("{} is what earlier runs found to be best", remembered.best));
}

Remembered Selector::remembered() const {
  Remembered all{arms_[best_].configuration.name, {}, to_confirm().has_value()};
  for (auto const& arm : arms_) {
    if (arm.seconds > 0) all.seconds[arm.configuration.name] = Seconds(arm.seconds);
  }
  return all;
}

}  // namespace allport
