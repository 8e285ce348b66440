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
#include "handback/trying.h"

namespace allport::scalapack {
namespace {

/// What trying may cost beside its share of the run, once per site; and about what a small sum over a grid takes.
constexpr Seconds floor_of_a_trial{0.02};
constexpr Seconds agreement{1e-4};

SelectorOptions options_of(std::string const& site, bool tells) {
  SelectorOptions options;
  options.iterations = 1;
  options.blind = 1;
  options.allowance = floor_of_a_trial;
  options.agreement = agreement;
  if (tells) options.report = [site](std::string const& text) { handback::say(fmt::format("{}: {}", site, text)); };
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
    handback::say(fmt::format("{}: settled\n{}", site_, selector_.explain()));
  }
}

thread_local UnderWay* UnderWay::now_ = nullptr;

UnderWay::UnderWay(Original const& original) : original_(original) { now_ = this; }

std::string UnderWay::routine() {
  if (now_ == nullptr || now_->trial_ != nullptr || !now_->original_.there()) return {};
  return now_->original_.name();
}

void UnderWay::belongs_to(Trial& trial, MPI_Comm talk) {
  now_->trial_ = &trial;
  now_->talk_ = talk;
  now_->began_ = handback::now();
}

void UnderWay::end() {
  if (trial_ != nullptr) trial_->record(talk_, Seconds(handback::now() - began_));
}

Memory& found_by_trials() {
  static Memory found;
  return found;
}

}  // namespace allport::scalapack
