#include "requests.h"

#include <fmt/format.h>
#include <sched.h>

#include <atomic>
#include <cstdlib>
#include <set>
#include <unordered_map>

#include "comm/end_job.h"
#include "enter.h"
#include "failures.h"
#include "progress.h"
#include "report.h"

namespace allport::dropin {
namespace {

constexpr double patience = 10;  ///< seconds without an operation's end that MPI_Finalize waits for them

/// What stands behind a generalized request.
struct Ticket {
  Failure failure{};                   ///< set by the thread that moved the operation, if it failed
  std::atomic<int> code{MPI_SUCCESS};  ///< of it, set afterwards; read by the thread that waited
};

struct Persistence {
  std::shared_ptr<Operation> operation;
  int tag = 0;
  int code = MPI_SUCCESS;  ///< of its last start, until that is completed
};

/// An operation in flight, and what reports its end.
struct Flight {
  std::shared_ptr<Operation> operation;
  MPI_Request request = MPI_REQUEST_NULL;  ///< generalized, or null for a persistent one
  Ticket* ticket = nullptr;
  int tag = 0;  ///< of the message that completes a persistent request
};

struct Flights {
  std::vector<Flight> flights;
  std::unordered_map<MPI_Request, Persistence> persistent;
  std::atomic<int> persistent_count{0};
  std::atomic<int> persistent_failures{0};  ///< of `persistent`, those with a code
  std::set<int> tags;                       ///< in use
  std::atomic<unsigned> turns{0};
};

Flights& table() {
  static auto* const the_table = new Flights;
  return *the_table;
}

int query(void* ticket, MPI_Status* status) {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  if (Completion::innermost() != nullptr) return MPI_SUCCESS;
  return static_cast<Ticket*>(ticket)->code.load(std::memory_order_acquire);
}

/// By the call that completes the request; MPICH asks query() also in tests of several that are not all done.
int release(void* ticket) {
  std::unique_ptr<Ticket> const ours(static_cast<Ticket*>(ticket));
  auto* const completion = Completion::innermost();
  if (completion != nullptr && ours->code.load(std::memory_order_acquire) != MPI_SUCCESS) {
    completion->failed(std::move(ours->failure));
  }
  return MPI_SUCCESS;
}

int cancel(void*, int) { return MPI_SUCCESS; }  // collectives cannot be cancelled

/// An empty message to oneself.
void complete_persistent(int tag) {
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(nullptr, 0, MPI_BYTE, 0, tag, quiet_communicator(), &sent);
  PMPI_Request_free(&sent);
}

/// The code of the request that is completed by `tag`.
void set_persistent_code(int tag, int code) {
  auto& t = table();
  for (auto& [request, entry] : t.persistent) {
    if (entry.tag != tag) continue;
    t.persistent_failures += (code != MPI_SUCCESS ? 1 : 0) - (entry.code != MPI_SUCCESS ? 1 : 0);
    entry.code = code;
  }
}

void complete(Flight const& flight, int code) {
  auto& operation = *flight.operation;
  if (code == MPI_SUCCESS) {
    auto const seconds = now() - operation.started();
    auto& record = operation.record();
    auto counted = taken(record, operation.contract(), operation.bytes());
    counted.how = operation.how();
    tally_of(operation.call(), &record).taken(counted, seconds);
  }
  if (flight.ticket == nullptr) {
    if (code != MPI_SUCCESS) set_persistent_code(flight.tag, code);
    complete_persistent(flight.tag);
  } else {
    if (code != MPI_SUCCESS) flight.ticket->failure = {operation.shared_record(), code};
    flight.ticket->code.store(code, std::memory_order_release);
    PMPI_Grequest_complete(flight.request);
  }
}

void add(Flight flight) {
  table().flights.push_back(std::move(flight));
  state().flying = static_cast<int>(table().flights.size());
  operation_flies();
}

/// Empty when well; "done" tells whether it has ended.
std::string advance(Operation& operation, bool& done) {
  try {
    done = operation.advance();
    return {};
  } catch (std::exception const& e) {
    done = true;
    return e.what();
  }
}

/// MPI_Finalize with an operation that does not end. The others' part will not come any more, or is not to be had
/// without waiting for ever.
[[noreturn]] void give_up() {
  Lock const lock;
  auto const& operation = *table().flights.front().operation;
  end_job(MPI_COMM_WORLD, 1,
          fmt::format(
              "allport: MPI_Finalize on rank {} of a communicator of {}, but its {} was started, never completed, and "
              "other ranks have not done their part within {:g} s; start it on all ranks and complete every request "
              "(MPI_Wait) before MPI_Finalize\n",
              operation.record().rank, operation.record().size, name(operation.call().what), patience));
  std::abort();
}

}  // namespace

MPI_Request fly(std::shared_ptr<Operation> operation) {
  operation->keep_handles();
  operation->start();
  Flight flight{std::move(operation), MPI_REQUEST_NULL, new Ticket, 0};
  PMPI_Grequest_start(&query, &release, &cancel, flight.ticket, &flight.request);
  auto const request = flight.request;
  add(std::move(flight));
  progress_in_flight();
  return request;
}

void move_others() {
  if (state().flying.load(std::memory_order_relaxed) > 0) progress_in_flight();
}

bool progress_in_flight() {
  auto& flights = table().flights;
  ++table().turns;
  state().world->progress();
  bool any = false;
  for (std::size_t i = 0; i < flights.size();) {
    bool done = false;
    auto const trouble = advance(*flights[i].operation, done);
    if (!done) {
      ++i;
      continue;
    }
    any = true;
    auto const flight = std::move(flights[i]);
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(i));
    state().flying = static_cast<int>(flights.size());
    // Not its handler now: this may be any call of any thread, with the lock held.
    if (!trouble.empty()) {
      print_error(flight.operation->call(), trouble.c_str());
      if (auto const& context = flight.operation->record().context) context->spoil();
    }
    complete(flight, trouble.empty() ? MPI_SUCCESS : MPI_ERR_OTHER);
  }
  return any;
}

unsigned turns() { return table().turns.load(std::memory_order_relaxed); }

MPI_Request keep_persistent(std::shared_ptr<Operation> operation) {
  auto& t = table();
  int tag = 0;
  for (auto const used : t.tags) {
    if (used != tag) break;
    ++tag;
  }
  ensure(tag < packing_tag, "persistent requests", tag, "at most 32767 at a time", "free some by MPI_Request_free",
         ErrorKind::unsupported);
  operation->keep_handles();
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Recv_init(nullptr, 0, MPI_BYTE, 0, tag, quiet_communicator(), &request);
  t.tags.insert(tag);
  t.persistent[request] = {std::move(operation), tag};
  t.persistent_count = static_cast<int>(t.persistent.size());
  return request;
}

bool is_persistent_of_ours(MPI_Request request) {
  if (table().persistent_count.load(std::memory_order_relaxed) == 0 || request == MPI_REQUEST_NULL) return false;
  Lock const lock;
  return table().persistent.contains(request);
}

int start_persistent(MPI_Request* request) {
  auto const code = PMPI_Start(request);
  if (code != MPI_SUCCESS) return code;
  std::string trouble;
  std::shared_ptr<Operation> operation;
  {
    Lock const lock;
    auto const& entry = table().persistent.at(*request);
    operation = entry.operation;
    try {
      operation->start();
      add({operation, MPI_REQUEST_NULL, nullptr, entry.tag});
      progress_in_flight();
    } catch (std::exception const& e) {
      trouble = e.what();
      complete_persistent(entry.tag);  // this call is the one that fails
    }
  }
  return trouble.empty() ? MPI_SUCCESS : fail(operation->call(), trouble.c_str());
}

int persistent_failures() { return table().persistent_failures.load(std::memory_order_acquire); }

std::optional<Failure> take_persistent_failure(MPI_Request request) {
  if (request == MPI_REQUEST_NULL) return std::nullopt;
  Lock const lock;
  auto& t = table();
  auto const entry = t.persistent.find(request);
  if (entry == t.persistent.end() || entry->second.code == MPI_SUCCESS) return std::nullopt;
  // An inactive request has the empty status, one that nobody has completed yet that of the message.
  int done = 0;
  MPI_Status status;
  PMPI_Request_get_status(request, &done, &status);
  if (done == 0 || status.MPI_SOURCE != MPI_ANY_SOURCE) return std::nullopt;
  --t.persistent_failures;
  return Failure{entry->second.operation->shared_record(), std::exchange(entry->second.code, MPI_SUCCESS)};
}

void forget_persistent(MPI_Request request) {
  Lock const lock;
  auto const entry = table().persistent.find(request);
  if (entry == table().persistent.end()) return;
  if (entry->second.code != MPI_SUCCESS) --table().persistent_failures;
  table().tags.erase(entry->second.tag);
  table().persistent.erase(entry);
  table().persistent_count = static_cast<int>(table().persistent.size());
}

void end_requests() {
  auto& t = table();
  for (auto since = now(); state().flying.load() > 0;) {
    bool ended = false;
    {
      Lock const lock;
      ended = progress_in_flight();
    }
    if (ended) since = now();
    if (now() - since > patience) give_up();
    if (!ended) sched_yield();
  }
  Lock const lock;
  for (auto& [request, _] : t.persistent) {
    auto r = request;
    PMPI_Wait(&r, MPI_STATUS_IGNORE);
    PMPI_Request_free(&r);
  }
  t.persistent.clear();
  t.persistent_count = 0;
}

}  // namespace allport::dropin
