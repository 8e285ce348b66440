#include "enter.h"

#include <fmt/format.h>

#include <exception>
#include <tuple>
#include <utility>

#include "decision.h"
#include "operation.h"
#include "report.h"
#include "requests.h"
#include "short.h"
#include "significant.h"

namespace allport::dropin {
namespace {

constexpr auto unattended = "MPI library at whose thread level nobody moves on what is not waited for";

/// Why a call is not even asked about; `goes_on`: it would have to go on after it.
std::optional<std::string> why_not_asked(Record const* record, bool goes_on) {
  if (goes_on && state().active && !state().progresses) return unattended;
  if (record != nullptr) return std::nullopt;
  return state().active ? "communicator that was made unseen" : state().why_inactive;
}

/// Runs `take` under the lock where `against` says nothing; else the library.
template <class Against, class Take>
int enter(Call const& call, std::shared_ptr<Record> const& record, Library const& library, bool goes_on,
          Against const& against, Take const& take) {
  int code = MPI_SUCCESS;
  handback::enter(
      tally_of(call, record.get()),
      [&] {
        if (auto why = why_not_asked(record.get(), goes_on)) return handback::handed_back(*why);
        Lock const lock;
        if (std::optional<std::string> why = against()) return handback::handed_back(*why);
        return take();
      },
      [&](handback::Outcome const&) { code = library(); }, [&](char const* text) { code = fail(call, text); });
  return code;
}

/// @param begins  the first of a trial
handback::Outcome run_ours(Call const& call, std::shared_ptr<Record> const& record, Way const& way,
                           bool begins = false) {
  Operation operation(call, record, way, goes_straight(call, *record));
  operation.start_blocking();
  operation.wait();
  if (!operation.lengths().empty()) learn(call, *record, operation.lengths());
  remember_form(call, *record);
  if (begins && way.is_usual()) prepare_for_all_roots(call, *record);
  auto counted = taken(*record, operation.contract(), operation.bytes());
  counted.how = operation.how();
  return {{}, std::move(counted), false};
}

/// By whom its trial wants it done; what it takes is the trial's next time, whatever becomes of the call, because other
/// ranks count it, too.
int run_timed(Call const& call, std::shared_ptr<Record> const& record, Library const& library) {
  auto const began = now();
  auto code = enter(
      call, record, library, false,
      [&] {
        auto& trial = trial_of(call, *record);
        trial.end_rest();
        if (trial.begins() && !why_not_possible(call, *record)) {
          prepare_for_all_roots(call, *record);
          prepare_agreement(*record);
        }
        return why_not(call, *record, trial);
      },
      [&] {
        auto& trial = trial_of(call, *record);
        bool const begins = trial.begins_ours();
        // As calls of ours go once they are decided: the long way would be on their clock.
        if (!begins && trial.way().is_usual()) {
          if (auto counted = run_short_of_trial(call, *record))
            return handback::Outcome{{}, std::move(*counted), false};
        }
        return run_ours(call, record, trial.way(), begins);
      });
  try {
    Lock const lock;
    learn(call, *record, now() - began);
  } catch (std::exception const& e) {
    code = fail(call, e.what());
  }
  return code;
}

handback::Outcome under_way() { return {{}, {}, true}; }

}  // namespace

bool passes_straight(Call const& call) {
  if (state().counting || call.comm == MPI_COMM_NULL) return false;
  auto* record = known_record(call.comm);
  if (record == nullptr) record = record_of(call.comm).get();
  return record != nullptr && is_handed_back(call, *record);
}

void print_error(Call const& call, char const* text) {
  fmt::print(stderr, "allport: {}: {}\n", name(call.what), text);
  std::fflush(stderr);
}

int fail(Call const& call, char const* text) {
  print_error(call, text);
  if (auto const record = record_of(call.comm); record && record->context) record->context->spoil();
  PMPI_Comm_call_errhandler(call.comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

namespace {

/// The call as MPI reads it on this rank.
Call as_read(Call const& given) {
  auto const* record = known_record(given.comm);
  if (record == nullptr) record = record_of(given.comm).get();
  return record != nullptr && record->ours ? significant(given, record->rank) : given;
}

}  // namespace

int run_blocking(Call const& given, Library library) {
  auto const call = as_read(given);
  if (auto const code = run_short(call)) return *code;
  auto const record = record_of(call.comm);
  if (record != nullptr && is_timed(call, *record)) return run_timed(call, record, library);
  return enter(
      call, record, library, false, [&] { return why_not(call, *record); },
      [&] {
        auto outcome = run_ours(call, record, {});
        rested(call, *record);
        return outcome;
      });
}

namespace {

/// @param begin  Operation -> its MPI_Request, or none: there is no room for it, on no rank
template <class Begin>
int in_request(Call const& given, MPI_Request* request, Library library, Begin const& begin) {
  if (request == nullptr) return library();
  auto const call = as_read(given);
  auto const record = record_of(call.comm);
  return enter(
      call, record, library, true, [&] { return why_not(call, *record); },
      [&] {
        std::optional<MPI_Request> const begun = begin(std::make_shared<Operation>(call, record));
        if (!begun)
          return handback::handed_back("more persistent collectives on one communicator than it has tags for");
        *request = *begun;
        return under_way();
      });
}

}  // namespace

int start_nonblocking(Call const& call, MPI_Request* request, Library library) {
  return in_request(call, request, library, fly);
}

int make_persistent(Call const& call, MPI_Request* request, Library library) {
  return in_request(call, request, library, [](std::shared_ptr<Operation> operation) -> std::optional<MPI_Request> {
    if (!operation->make_lasting()) return std::nullopt;
    return keep_persistent(std::move(operation));
  });
}

}  // namespace allport::dropin
