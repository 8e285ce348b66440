#include "enter.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

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

/// Runs `take` under the lock where `against` gives no reason; else the library.
template <class Against, class Take>
int enter(Call const& call, Record const* record, Library const& library, bool goes_on, Against const& against,
          Take const& take) {
  int code = MPI_SUCCESS;
  interpose::enter(
      tally_of(call, record),
      [&] {
        if (auto why = why_not_asked(record, goes_on)) return interpose::passed_on(*why);
        Lock const lock;
        if (std::optional<std::string> why = against()) return interpose::passed_on(*why);
        return take();
      },
      [&](interpose::Outcome const&) { code = library(); }, [&](char const* text) { code = fail(call, text); });
  return code;
}

/// The call as MPI reads it on this rank.
Call as_read(Call const& given, Record const* record) {
  return record != nullptr && record->ours ? significant(given, record->rank) : given;
}

/// @param begins  the first of ours that is timed
interpose::Outcome run_long(Call const& call, CallShape& shape, Variant const& variant = {}, bool begins = false) {
  auto& record = *shape.record;
  auto& site = decided_site(call, shape);
  bool const straight = site.sampled.straight > 0;
  if (straight) --site.sampled.straight;
  Operation operation(call, record.shared_from_this(), variant, straight);
  operation.start_blocking();
  operation.wait();
  if (!operation.lengths().empty()) learn_lengths(call, shape, operation.lengths());
  remember_form(call, record, site.form);
  if (begins && variant.is_default()) prepare_for_all_roots(call, shape);
  auto counted = taken(record, operation.contract(), operation.bytes());
  counted.how = operation.how();
  return {{}, std::move(counted), false};
}

/// As the site's tuning says; what the call takes is the tuning's next time, whatever becomes of it, because other
/// ranks count it, too.
int run_timed(Call const& call, CallShape& shape, Library const& library) {
  auto const began = now();
  auto& record = *shape.record;
  auto& tuning = *shape.site->tuning;
  auto code = enter(
      call, &record, library, false,
      [&]() -> std::optional<std::string> {
        tuning.skip_untimed();
        if (tuning.begins() && !why_not_possible(call, record)) {
          prepare_for_all_roots(call, shape);
          prepare_agreement(record);
        }
        if (!tuning.is_ours()) return "MPI's own, which is being tried or was best when it was";
        return why_not_possible(call, record);
      },
      [&] {
        bool const begins = tuning.begins_ours();
        // As calls of ours are done once they are decided: the long way would be on their clock.
        if (!begins && tuning.variant().is_default()) {
          if (auto counted = run_form(call, shape)) return interpose::Outcome{{}, std::move(*counted), false};
        }
        return run_long(call, shape, tuning.variant(), begins);
      });
  try {
    Lock const lock;
    tuning.record(record, now() - began);
    shape.site->follow_tuning();
  } catch (std::exception const& e) {
    code = fail(call, e.what());
  }
  return code;
}

/// @param begin  Operation -> its MPI_Request, or none: there is no room for it, on no rank
template <class Begin>
int in_request(Call const& given, CallShape shape, MPI_Request* request, Library library, Begin const& begin) {
  if (request == nullptr) return library();
  auto const call = as_read(given, shape.record);
  return enter(
      call, shape.record, library, true, [&] { return why_not(call, shape); },
      [&] {
        std::optional<MPI_Request> const begun =
            begin(std::make_shared<Operation>(call, shape.record->shared_from_this()));
        if (!begun) return interpose::passed_on("more persistent collectives on one communicator than it has tags for");
        *request = *begun;
        return interpose::Outcome{{}, {}, true};
      });
}

}  // namespace

void print_error(Call const& call, char const* text) {
  fmt::print(stderr, "allport: {}: {}\n", name(call.what), text);
  std::fflush(stderr);
}

int fail(Call const& call, char const* text) {
  print_error(call, text);
  if (auto* const record = record_of(call.comm); record != nullptr && record->context) record->context->spoil();
  PMPI_Comm_call_errhandler(call.comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int run_blocking(Call const& given, CallShape const& seen, Library library) {
  auto const call = as_read(given, seen.record);
  auto shape = seen;
  if (shape.site == nullptr && shape.bytes >= 0) {
    Lock const lock;
    decided_site(call, shape);
  }
  switch (shape.site != nullptr ? shape.site->decision.load(std::memory_order_relaxed) : Decision::library) {
    case Decision::ours:
      if (auto const code = run_short(call, shape)) return *code;
      break;
    case Decision::tuned:
      if (is_timed(call)) return run_timed(call, shape, library);
      break;
    case Decision::library:
      break;
  }
  return enter(
      call, shape.record, library, false, [&] { return why_not(call, shape); },
      [&] {
        auto outcome = run_long(call, shape);
        shape.site->count_untimed();
        return outcome;
      });
}

int start_nonblocking(Call const& call, CallShape const& shape, MPI_Request* request, Library library) {
  return in_request(call, shape, request, library, fly);
}

int make_persistent(Call const& call, CallShape const& shape, MPI_Request* request, Library library) {
  return in_request(call, shape, request, library,
                    [](std::shared_ptr<Operation> operation) -> std::optional<MPI_Request> {
                      if (!operation->make_lasting()) return std::nullopt;
                      return keep_persistent(std::move(operation));
                    });
}

}  // namespace allport::dropin
