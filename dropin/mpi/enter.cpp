#include "enter.h"

#include <fmt/format.h>

#include <exception>

#include "decision.h"
#include "operation.h"
#include "report.h"
#include "requests.h"
#include "short.h"

namespace allport::dropin {
namespace {

constexpr auto unattended = "MPI library at whose thread level nobody moves on what is not waited for";

/// Why a call is not even asked about; `goes_on`: it would have to go on after it.
std::optional<std::string> why_not_asked(Record const* record, bool goes_on) {
  if (goes_on && state().active && !state().progresses) return unattended;
  if (record != nullptr) return std::nullopt;
  return state().active ? "communicator that was made unseen" : state().why_inactive;
}

/// Runs `take` under the lock where the call is ours; else the library.
template <class Take>
int enter(Call const& call, Library const& library, bool goes_on, Take const& take) {
  auto const record = record_of(call.comm);
  auto code = MPI_SUCCESS;
  handback::enter(
      tally_of(call, record.get()),
      [&] {
        if (auto why = why_not_asked(record.get(), goes_on)) return handback::handed_back(*why);
        Lock const lock;
        if (auto why = why_not(call, *record)) return handback::handed_back(*why);
        return take(record);
      },
      [&](handback::Outcome const&) { code = library(); }, [&](char const* text) { code = fail(call, text); });
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

int fail(Call const& call, char const* text) {
  fmt::print(stderr, "allport: {}: {}\n", name(call.what), text);
  std::fflush(stderr);
  PMPI_Comm_call_errhandler(call.comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int run_blocking(Call const& call, Library library) {
  if (auto const code = run_short(call)) return *code;
  return enter(call, library, false, [&](std::shared_ptr<Record> const& record) -> handback::Outcome {
    Operation operation(call, record);
    operation.start_blocking();
    operation.wait();
    if (!operation.lengths().empty()) learn(call, *record, operation.lengths());
    remember_form(call, *record);
    return {{}, taken(*record, operation.contract(), operation.bytes()), false};
  });
}

int start_nonblocking(Call const& call, MPI_Request* request, Library library) {
  if (request == nullptr) return library();
  return enter(call, library, true, [&](std::shared_ptr<Record> const& record) {
    *request = fly(std::make_shared<Operation>(call, record));
    return under_way();
  });
}

int make_persistent(Call const& call, MPI_Request* request, Library library) {
  if (request == nullptr) return library();
  return enter(call, library, true, [&](std::shared_ptr<Record> const& record) {
    *request = keep_persistent(std::make_shared<Operation>(call, record));
    return under_way();
  });
}

}  // namespace allport::dropin
