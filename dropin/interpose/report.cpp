#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include "texts.h"

namespace allport::interpose {
namespace {

using nlohmann::json;
using Counts = std::map<std::string, std::int64_t>;

void add(Counts& sum, Counts const& part) {
  for (auto const& [text, count] : part) sum[text] += count;
}

void add(Figures& sum, Figures const& part) {
  sum.taken += part.taken;
  add(sum.how, part.how);
  sum.bytes += part.bytes;
  sum.seconds += part.seconds;
  sum.bounded += part.bounded;
  sum.bounded_seconds += part.bounded_seconds;
  sum.bound += part.bound;
  add(sum.reasons, part.reasons);
  sum.seconds_passed_on += part.seconds_passed_on;
  sum.inner += part.inner;
  sum.growth = std::max(sum.growth, part.growth);
}

json to_json(Figures const& f) {
  json j = {{"taken", f.taken},
            {"how", f.how},
            {"bytes", f.bytes},
            {"seconds", f.seconds},
            {"reasons", f.reasons},
            {"passed_on", f.passed_on()},
            {"passed_on_seconds", f.seconds_passed_on}};
  if (f.bounded > 0) {
    j["bounded_calls"] = f.bounded;
    j["bounded_seconds"] = f.bounded_seconds;
    j["bound_seconds"] = f.bound;
    j["of_bound"] = f.bounded_seconds > 0 ? json(f.bound / f.bounded_seconds) : json(nullptr);
  }
  if (f.inner > 0) j["inside_scalapack"] = f.inner;
  if (f.growth > 0) j["largest_growth"] = f.growth;
  return j;
}

Figures from_json(json const& j) {
  Figures f;
  f.taken = j.at("taken");
  f.how = j.at("how");
  f.bytes = j.at("bytes");
  f.seconds = j.at("seconds");
  f.bounded = j.value("bounded_calls", std::int64_t{0});
  f.bounded_seconds = j.value("bounded_seconds", 0.0);
  f.bound = j.value("bound_seconds", 0.0);
  f.reasons = j.at("reasons");
  f.seconds_passed_on = j.at("passed_on_seconds");
  f.inner = j.value("inside_scalapack", std::int64_t{0});
  f.growth = j.value("largest_growth", 0.0);
  return f;
}

/// Smaller shares of a bound are reported as "less than" this.
constexpr double least_share = 0.05;

std::string bound_in_words(Figures const& f) {
  if (f.bounded == 0 || f.bounded_seconds <= 0) return {};
  auto const which = f.bounded == f.taken ? std::string{} : fmt::format(" for {} of them", f.bounded);
  auto const share = f.bound / f.bounded_seconds;
  auto const ratio = share < least_share ? fmt::format("less than {}", least_share) : fmt::format("{:.2f}", share);
  return fmt::format("allport:     lower bound{} {:.6f} s: {} of the bound\n", which, f.bound, ratio);
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::int64_t Figures::passed_on() const {
  std::int64_t all = 0;
  for (auto const& [_, count] : reasons) all += count;
  return all;
}

Figures& Report::of(std::string_view routine) {
  auto const known = table_.find(routine);
  return known != table_.end() ? known->second : table_[std::string(routine)];
}

void Report::count_taken(std::string_view routine, Taken const& call, double seconds) {
  std::scoped_lock const lock(mutex_);
  auto& f = of(routine);
  ++f.taken;
  if (!call.how.empty()) ++f.how[call.how];
  f.bytes += call.bytes;
  f.seconds += seconds;
  if (call.bound.value() <= 0 || !std::isfinite(call.bound.value())) return;
  ++f.bounded;
  f.bounded_seconds += seconds;
  f.bound += call.bound.value();
}

void Report::count_passed_on(std::string_view routine, std::string const& why, double seconds) {
  std::scoped_lock const lock(mutex_);
  auto& f = of(routine);
  ++f.reasons[why];
  f.seconds_passed_on += seconds;
}

void Report::count_inner(std::string_view routine) {
  std::scoped_lock const lock(mutex_);
  ++of(routine).inner;
}

void Report::count_growth(std::string_view routine, double growth) {
  if (!std::isfinite(growth)) return;
  std::scoped_lock const lock(mutex_);
  auto& f = of(routine);
  f.growth = std::max(f.growth, growth);
}

Table Report::sum(MPI_Comm comm) const {
  std::string mine;
  {
    std::scoped_lock const lock(mutex_);
    mine = to_json(table_).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  Table summed;
  for (auto const& text : gather_texts(comm, mine)) {
    auto const part = json::parse(text);
    for (auto const& [routine, figures] : part.items()) add(summed[routine], from_json(figures));
  }
  return summed;
}

Figures total(Table const& table) {
  Figures all;
  for (auto const& [_, figures] : table) add(all, figures);
  return all;
}

std::string in_words(Table const& table) {
  bool const counts_bytes = total(table).bytes > 0;
  std::string text;
  for (auto const& [routine, f] : table) {
    text +=
        fmt::format("allport:   {:<24} {:>8} taken,{} {:>10.6f} s; {:>8} passed on, {:>10.6f} s{}\n", routine, f.taken,
                    counts_bytes ? fmt::format(" {:>14} bytes,", f.bytes) : std::string{}, f.seconds, f.passed_on(),
                    f.seconds_passed_on, f.inner > 0 ? fmt::format("; {} inside", f.inner) : std::string{});
    text += bound_in_words(f);
    if (f.growth > 0) text += fmt::format("allport:     largest growth {:.3g}\n", f.growth);
    for (auto const& [how, count] : f.how) text += fmt::format("allport:     {:>8} x taken: {}\n", count, how);
    for (auto const& [why, count] : f.reasons) text += fmt::format("allport:     {:>8} x passed on: {}\n", count, why);
  }
  return text;
}

json to_json(Table const& table) {
  json all = json::object();
  for (auto const& [routine, figures] : table) all[routine] = to_json(figures);
  return all;
}

void print(std::string const& words) {
  fmt::print(stderr, "{}", words);
  std::fflush(stderr);
}

bool write(char const* variable, std::string const& path, json const& content, int indent) {
  std::ofstream file(path);
  file << content.dump(indent, ' ', false, json::error_handler_t::replace) << '\n';
  if (file.flush()) return true;
  fmt::print(stderr, "allport: warning: {} = '{}': cannot be written\n", variable, path);
  return false;
}

}  // namespace allport::interpose
