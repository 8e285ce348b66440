#include "trial.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "handback/report.h"
#include "handback/told.h"

namespace allport::scalapack {
namespace {

constexpr auto file_variable = "ALLPORT_SELECT_FILE";

/// What trying may cost beside its share of the run, once per site; and about what a small sum over a grid takes.
constexpr Seconds floor_of_a_trial{0.02};
constexpr Seconds agreement{1e-4};

void say(std::string const& text) {
  fmt::print(stderr, "allport: {}\n", text);
  std::fflush(stderr);
}

SelectorOptions options_of(std::string const& site, bool tells) {
  SelectorOptions options;
  options.iterations = 1;
  options.blind = 1;
  options.floor = floor_of_a_trial;
  options.agreement = agreement;
  if (tells) options.tell = [site](std::string const& text) { say(fmt::format("{}: {}", site, text)); };
  return options;
}

}  // namespace

Trial::Trial(std::string site, Seconds theirs, Seconds ours, Memory const& known, bool tells)
    : site_(std::move(site)),
      tells_(tells),
      selector_({{"ScaLAPACK's own", theirs, "ScaLAPACK"}, {"Allport", ours, "Allport"}}, options_of(site_, tells)) {
  if (auto const before = known.find(site_); before != known.end()) selector_.resume(before->second);
}

void Trial::record(MPI_Comm talk, Seconds taken) {
  selector_.record(taken);
  if (!selector_.due()) return;
  bool const was_settled = selector_.settled();
  selector_.decide([talk](std::span<double> values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, talk);
  });
  found_by_trials()[site_] = selector_.remembered();
  if (tells_ && !was_settled && selector_.settled()) {
    say(fmt::format("{}: settled\n{}", site_, selector_.explain()));
  }
}

thread_local UnderWay* UnderWay::now_ = nullptr;

UnderWay::UnderWay(Original const& original) : original_(original), began_(handback::now()) { now_ = this; }

std::string UnderWay::routine() {
  if (now_ == nullptr || now_->trial_ != nullptr || !now_->original_.there()) return {};
  return now_->original_.name();
}

void UnderWay::belongs_to(Trial& trial, MPI_Comm talk) {
  now_->trial_ = &trial;
  now_->talk_ = talk;
}

void UnderWay::end() {
  if (trial_ != nullptr) trial_->record(talk_, Seconds(handback::now() - began_));
}

bool are_tried(handback::Settings const& settings) {
  constexpr std::array<std::string_view, 4> words{"auto", "on", "free", "off"};
  return words[static_cast<std::size_t>(settings.word("ALLPORT_SELECT", words))] == "free";
}

Memory& found_by_trials() {
  static Memory found;
  return found;
}

Memory recall_trials(MPI_Comm comm, handback::Settings const& settings) {
  auto const& path = settings[file_variable];
  if (path.empty()) return {};
  return memory_from_json(handback::told_by_rank_0(comm, [&]() -> std::string {
    try {
      return to_json(load_memory(path));
    } catch (Error const& e) {
      settings.warn(fmt::format("{}: {}; nothing is remembered", file_variable, e.what()));
      return to_json(Memory{});
    }
  }));
}

Memory remember_trials(handback::Settings const& settings) {
  Memory all;
  for (auto const& text : handback::gathered_on_rank_0(MPI_COMM_WORLD, to_json(found_by_trials()))) {
    all.merge(memory_from_json(text));
  }
  auto const& path = settings[file_variable];
  if (path.empty() || all.empty()) return all;
  try {
    save_memory(path, all);
  } catch (Error const& e) {
    say(fmt::format("warning: {}: {}", file_variable, e.what()));
  }
  return all;
}

}  // namespace allport::scalapack
