#include "tuning_run.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "allport/base/error.h"
#include "interpose/report.h"
#include "interpose/texts.h"
#include "interpose/tuning.h"

namespace allport::scalapack {
namespace {

/// Time that tuning may cost per site beside its share of the run; about the time of a small reduction over a grid.
constexpr Seconds least_allowance{0.02};
constexpr Seconds agreement{1e-4};

SelectorOptions options_of(std::string const& site, bool reports) {
  SelectorOptions options;
  options.iterations = 1;
  options.blind = 1;
  options.allowance = least_allowance;
  options.agreement = agreement;
  if (reports) options.report = [site](std::string const& text) { interpose::say(fmt::format("{}: {}", site, text)); };
  return options;
}

}  // namespace

TuningRun::TuningRun(std::string site, Seconds theirs, Seconds ours, Memory const& known, bool reports)
    : site_(std::move(site)),
      reports_(reports),
      selector_({{"ScaLAPACK's own", theirs, "ScaLAPACK"}, {"Allport", ours, "Allport"}}, options_of(site_, reports)) {
  if (auto const before = known.find(site_); before != known.end()) selector_.resume(before->second);
}

void TuningRun::record(MPI_Comm comm, Seconds taken) {
  selector_.record(taken);
  if (!selector_.due()) return;
  bool const was_settled = selector_.settled();
  selector_.decide([comm](std::span<double> values) {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, comm);
  });
  found_by_tuning()[site_] = selector_.remembered();
  if (reports_ && !was_settled && selector_.settled()) {
    interpose::say(fmt::format("{}: settled\n{}", site_, selector_.explain()));
  }
}

thread_local TimedCall* TimedCall::now_ = nullptr;

TimedCall::TimedCall(Original const& original) : original_(original) { now_ = this; }

std::string TimedCall::routine() {
  if (now_ == nullptr || now_->tuning_ != nullptr || !now_->original_.there()) return {};
  return now_->original_.name();
}

void TimedCall::belongs_to(TuningRun& tuning, MPI_Comm comm) {
  now_->tuning_ = &tuning;
  now_->comm_ = comm;
  now_->began_ = interpose::now();
}

void TimedCall::end() {
  if (tuning_ != nullptr) tuning_->record(comm_, Seconds(interpose::now() - began_));
}

Memory& found_by_tuning() {
  static Memory found;
  return found;
}

}  // namespace allport::scalapack
