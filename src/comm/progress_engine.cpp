#include "progress_engine.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include "completions.h"
#include "execution.h"
#include "mpi_errors.h"
#include "start_check.h"

namespace allport::engine {
namespace {

/// Idle polls between two readings of the clock.
constexpr int polls_per_check = 64;

/// Successful polls after which other threads are given the lock.
constexpr int polls_per_pause = 64;

}  // namespace

ProgressEngine::ProgressEngine(Machine whole, std::optional<Machine> named)
    : machine_(std::move(whole)), named_(std::move(named)), backoff_(machine_) {
  let_completions_return();
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &ProgressEngine::at_finalize, &keyval_, nullptr),
        "MPI_Comm_create_keyval", 0);
  check(MPI_Comm_set_attr(MPI_COMM_SELF, keyval_, this), "MPI_Comm_set_attr", 0);
}

EngineSettings EngineSettings::from_environment() {
  auto const stall = StallOptions::from_environment();
  auto const* text = std::getenv("ALLPORT_CHECK");
  bool const checks = text != nullptr && *text != '\0' && std::string_view(text) != "0";
  return {stall.seconds, stall.abort ? 1 : 0, checks ? 1 : 0};
}

void ProgressEngine::configure(EngineSettings const& settings, LinkWatch link_watch) {
  checks_ = settings.checks != 0;
  stall_ = {settings.stall_seconds, settings.stall_aborts != 0, std::move(link_watch), checks_};
}

ProgressEngine::~ProgressEngine() {
  if (!alive_ || !mpi_is_up()) return;
  alive_ = false;  // the attribute's callback has nothing left to do
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyval_);
  MPI_Comm_free_keyval(&keyval_);
}

int ProgressEngine::at_finalize(MPI_Comm, int, void* engine, void*) {
  static_cast<ProgressEngine*>(engine)->finalize();
  return MPI_SUCCESS;
}

void ProgressEngine::finalize() {
  auto const lock = lock_;
  EngineGuard const hold(*lock);
  if (!alive_) return;
  alive_ = false;
  auto const why = std::make_exception_ptr(Error(ErrorKind::mpi, "MPI was finalized while this was in flight"));
  while (!owners_.empty()) {
    if (auto* const owner = owners_.back().owner) {
      owner->abandon(why);
    } else {
      owners_.pop_back();
      requests_.pop_back();
    }
  }
  while (!computing_.empty()) computing_.back()->abandon(why);
  for (auto* shadow : shadows_) {
    if (shadow->comm_ != MPI_COMM_NULL) MPI_Comm_free(&shadow->comm_);
  }
  MPI_Comm_free_keyval(&keyval_);
}

bool ProgressEngine::progress() {
  if (busy_ || !alive_) return false;
  busy_ = true;
  struct Leave {
    bool& flag;
    ~Leave() { flag = false; }
  } const leave{busy_};
  bool moved = !requests_.empty() && poll();
  if (!computing_.empty()) {
    compute();
    moved = true;
  }
  return moved;
}

bool ProgressEngine::poll() {
  auto const outstanding = static_cast<int>(requests_.size());
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  auto const code = [&] {
    Completing const completing;
    return MPI_Testsome(outstanding, requests_.data(), &count, indices_.data(), statuses_.data());
  }();
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
    int error_class = code;
    MPI_Error_class(code, &error_class);
    if (error_class != MPI_ERR_IN_STATUS) check(code, "MPI_Testsome", 0);
  }
  if (count == MPI_UNDEFINED || count == 0) return false;
  finished_.clear();
  for (int k = 0; k < count; ++k) {
    auto const& status = statuses_[static_cast<std::size_t>(k)];
    Finished f{owners_[static_cast<std::size_t>(indices_[static_cast<std::size_t>(k)])]};
    if (code != MPI_SUCCESS) f.error = status.MPI_ERROR;
    if (f.error == MPI_SUCCESS) MPI_Get_count(&status, MPI_BYTE, &f.bytes);
    finished_.push_back(f);
  }
  remove_finished(count);
  for (auto const& f : finished_) {
    if (f.what.owner != nullptr) f.what.owner->finished(f);
  }
  return true;
}

void ProgressEngine::remove_finished(int count) {
  auto const done = std::span(indices_).first(static_cast<std::size_t>(count));
  // From the back, so that the last entry, which fills the gap, is never one that has finished.
  if (!std::ranges::is_sorted(done)) std::ranges::sort(done);
  for (auto k = done.rbegin(); k != done.rend(); ++k) {
    auto const i = static_cast<std::size_t>(*k);
    requests_[i] = requests_.back();
    owners_[i] = owners_.back();
    requests_.pop_back();
    owners_.pop_back();
  }
}

void ProgressEngine::compute() {
  // One segment of one execution, then MPI is polled again: links must not idle during arithmetic.
  next_computing_ = next_computing_ >= computing_.size() ? 0 : next_computing_;
  auto* const execution = computing_[next_computing_];
  if (execution->compute_one()) {
    ++next_computing_;
    return;
  }
  // It may have been removed from the list by failing, or have been added again by finishing and restarting.
  if (next_computing_ < computing_.size() && computing_[next_computing_] == execution) {
    computing_[next_computing_] = computing_.back();
    computing_.pop_back();
  }
}

void ProgressEngine::post(MPI_Request request, InFlight what) {
  requests_.push_back(request);
  owners_.push_back(what);
}

void let_go(MPI_Request& request, bool receives) {
  if (receives) {
    Completing const completing;  // it may have failed already
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Request_free(&request);
  }
}

void ProgressEngine::ensure_no_operator() const {
  ensure(!busy_, "wait", "inside an operator", "no waiting while a reduction combines", "wait after it");
}

void ProgressEngine::abandon(Execution& execution) {
  for (std::size_t i = 0; i < owners_.size();) {
    if (owners_[i].owner != &execution) {
      ++i;
      continue;
    }
    auto& request = requests_[i];
    if (owners_[i].op == Execution::agreement) {  // a collective cannot be cancelled
      owners_[i++].owner = nullptr;
      continue;
    }
    let_go(request, execution.receives(owners_[i].op));
    requests_[i] = requests_.back();
    owners_[i] = owners_.back();
    requests_.pop_back();
    owners_.pop_back();
  }
  std::erase(computing_, &execution);
}

void ProgressEngine::wait_until(FunctionRef<bool()> done, FunctionRef<std::string()> what, MPI_Comm comm,
                                FunctionRef<void()> pause) {
  if (done()) return;
  ensure_no_operator();
  StallWatch watch(stall_, comm);
  for (int idle = 0, moved = 0; !done();) {
    ensure(alive_, "communicator", "finalized", "MPI to be up while something is waited for", "", ErrorKind::mpi);
    if (progress()) {
      idle = 0;
      backoff_.moved();
      watch.moved();
      if (++moved % polls_per_pause == 0) lock_->pause();
      continue;
    }
    if (pause) pause();
    lock_->pause();
    backoff_.idle(lock_.get());
    if (++idle % polls_per_check == 0) watch.check(what);
  }
}

void ProgressEngine::await(MPI_Request request, FunctionRef<std::string()> what, MPI_Comm comm) {
  auto const done = [&request] {
    int flag = 0;
    Completing const completing;
    check(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), "MPI_Test", 0);
    return flag != 0;
  };
  wait_until(done, what, comm);
}

Shadow::Shadow(ProgressEngine& engine, MPI_Comm comm) : engine_(engine), comm_(comm), place_(engine.shadows_.size()) {
  engine_.shadows_.push_back(this);
}

Shadow::~Shadow() {
  EngineGuard const hold(*engine_.lock());
  auto& all = engine_.shadows_;
  all[place_] = all.back();
  all[place_]->place_ = place_;
  all.pop_back();
  if (comm_ != MPI_COMM_NULL && mpi_is_up()) MPI_Comm_free(&comm_);
}

}  // namespace allport::engine
