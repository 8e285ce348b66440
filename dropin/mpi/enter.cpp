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

/// The call for the library, counted.
int hand_back(Call const& call, Record const* record, std::string const& why, Library const& library) {
  auto const begin = now();
  int rank = -1;
  if (record != nullptr) {
    rank = record->rank;
  } else if (state().counting && call.comm != MPI_COMM_NULL) {
    PMPI_Comm_rank(call.comm, &rank);
  }
  auto const code = library();
  count_returned(call.what, rank, why, now() - begin);
  return code;
}

std::string why_no_record() { return state().active ? "communicator that was made unseen" : state().why_inactive; }

/// Runs `take` under the lock where the call is ours; else the library.
template <class Take>
int enter(Call const& call, Library const& library, Take const& take) {
  auto const record = record_of(call.comm);
  if (!record) return hand_back(call, nullptr, why_no_record(), library);
  std::string trouble;
  std::optional<std::string> why;
  try {
    Lock const lock;
    why = why_not(call, *record);
    if (!why) take(record);
  } catch (std::exception const& e) {
    trouble = e.what();
  }
  if (!trouble.empty()) return fail(call, trouble.c_str());
  return why ? hand_back(call, record.get(), *why, library) : MPI_SUCCESS;
}

}  // namespace

bool passes_straight(Call const& call) {
  if (state().counting || call.comm == MPI_COMM_NULL) return false;
  auto* record = known_record(call.comm);
  if (record == nullptr) record = record_of(call.comm).get();
  return record != nullptr && is_handed_back(call, *record);
}

int fail(Call const& call, char const* text) {
  fmt::print(stderr, "allport: MPI_{}: {}\n", name(call.what), text);
  std::fflush(stderr);
  PMPI_Comm_call_errhandler(call.comm, MPI_ERR_OTHER);
  return MPI_ERR_OTHER;
}

int run_blocking(Call const& call, Library library) {
  if (auto const code = run_short(call)) return *code;
  return enter(call, library, [&](std::shared_ptr<Record> const& record) {
    Operation operation(call, record);
    operation.start_blocking();
    operation.wait();
    if (!operation.lengths().empty()) learn(call, *record, operation.lengths());
    remember_form(call, *record);
    count_taken(call.what, *record, operation.bytes(), now() - operation.started());
  });
}

constexpr auto unattended = "MPI library at whose thread level nobody moves on what is not waited for";

int start_nonblocking(Call const& call, MPI_Request* request, Library library) {
  if (request == nullptr) return library();
  if (state().active && !state().progresses) return hand_back(call, record_of(call.comm).get(), unattended, library);
  return enter(call, library, [&](std::shared_ptr<Record> const& record) {
    *request = fly(std::make_shared<Operation>(call, record));
  });
}

int make_persistent(Call const& call, MPI_Request* request, Library library) {
  if (request == nullptr) return library();
  if (state().active && !state().progresses) return hand_back(call, record_of(call.comm).get(), unattended, library);
  return enter(call, library, [&](std::shared_ptr<Record> const& record) {
    *request = keep_persistent(std::make_shared<Operation>(call, record));
  });
}

}  // namespace allport::dropin
