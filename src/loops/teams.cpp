#include "allport/loops/teams.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "loop_board.h"
#include "openmp_threads.h"

namespace allport::loops {

namespace {

/// Commands to threads, in the low bits of an increasing number.
enum Order : std::uint32_t { run_body = 0, take_place = 1, end = 2 };
constexpr std::uint32_t order_bits = 2;

/// Configurations of all teams are numbered, so that a thread knows whether its position is current.
std::atomic<std::uint64_t> configurations{0};
/// The configuration and the core to which Teams::pin() has pinned this thread last.
thread_local std::pair<std::uint64_t, int> there;

/// A thread's team and index in it; in no team: it sleeps.
struct Place {
  int team = -1;
  int thread = 0;
  int size = 1;                   ///< of the team
  std::vector<int> processors{};  ///< empty: anywhere
};

}  // namespace

struct Teams::State {
  State(Cores given, TeamsOptions wanted);
  ~State();
  State(State const&) = delete;
  State& operator=(State const&) = delete;

  void configure(int leaders, int size);
  void run(FunctionRef<void(int, Team&)> body);
  void serve(int thread);
  void take(Place const& place);
  void end_threads();
  void give(Order order);
  void body_of(int team);
  [[nodiscard]] std::uint32_t next_order(std::uint32_t seen) const;
  void wait_for(int count);
  void set_counts();

  Cores cores;
  TeamsOptions options;
  int threads;
  bool crowded;
  bool pinned;
  std::vector<int> before;  ///< the calling thread's processors
  int openmp_before = 0;
  std::vector<int> counts_before;

  std::uint64_t configuration = 0;
  std::vector<Place> places;  ///< by thread; written while all wait for an order
  std::vector<std::vector<int>> placed;
  std::vector<std::unique_ptr<Team>> teams;
  std::unique_ptr<Team> shared;  ///< of all leaders
  std::vector<std::exception_ptr> thrown;
  std::optional<FunctionRef<void(int, Team&)>> body;

  alignas(64) std::atomic<std::uint32_t> order{0};
  alignas(64) std::atomic<int> done{0};  ///< who has done what the last order asked for
  std::vector<std::thread> others;
};

Teams::State::State(Cores given, TeamsOptions wanted) : cores(std::move(given)), options(std::move(wanted)) {
  ensure(cores.size() >= 1, "cores", cores.size(), "at least one");
  ensure(options.threads >= 0, "threads", options.threads, "at least 0 (0: one per core)");
  threads = options.threads > 0 ? options.threads : cores.size();
  crowded = cores.shared || threads > cores.size();
  pinned = options.pinned && !crowded;
  before = pinned_to();
  if (has_openmp()) openmp_before = omp_get_max_threads();
  for (auto const& count : options.counts) counts_before.push_back(count.get());
  places.resize(static_cast<std::size_t>(threads));
  try {
    for (int t = 1; t < threads; ++t) others.emplace_back([this, t] { serve(t); });
    configure(1, threads);
  } catch (...) {
    end_threads();
    throw;
  }
}

void Teams::State::end_threads() {
  for (auto& team : teams) team->board_->stop();
  give(end);
  for (auto& other : others) other.join();
}

Teams::State::~State() {
  end_threads();
  if (pinned) pin_thread(before);
  there = {};
  if (openmp_before > 0) omp_set_num_threads(openmp_before);
  for (std::size_t c = 0; c < options.counts.size(); ++c) options.counts[c].set(counts_before[c]);
}

void Teams::State::give(Order what) {
  auto const next = ((order.load() >> order_bits) + 1) << order_bits;
  order.store(next | what);
  order.notify_all();
}

/// Spins for a moment, then sleeps.
std::uint32_t Teams::State::next_order(std::uint32_t seen) const {
  auto const until = std::chrono::steady_clock::now() + spin_time;
  while (std::chrono::steady_clock::now() < until) {
    auto const now = order.load();
    if (now != seen) return now;
    if (crowded) sched_yield();
  }
  order.wait(seen);
  return order.load();
}

void Teams::State::wait_for(int count) {
  auto const until = std::chrono::steady_clock::now() + spin_time;
  for (auto seen = done.load(); seen < count; seen = done.load()) {
    if (crowded) sched_yield();
    if (std::chrono::steady_clock::now() > until) done.wait(seen);
  }
}

/// A thread in no team ignores commands to run a body, possibly several.
void Teams::State::serve(int thread) {
  Place place;
  for (std::uint32_t seen = 0; true;) {
    seen = next_order(seen);
    auto const what = seen & ((1U << order_bits) - 1);
    if (what == end) return;
    if (what == take_place) {
      place = places[static_cast<std::size_t>(thread)];
      take(place);
      // Its board exists until this thread has taken its next position.
      auto* const board = place.team >= 0 ? teams[static_cast<std::size_t>(place.team)]->board_.get() : nullptr;
      done.fetch_add(1);
      done.notify_one();
      if (board != nullptr && place.thread > 0) board->serve(place.thread);
    } else if (place.team >= 0 && place.thread == 0) {
      body_of(place.team);
      done.fetch_add(1);
      done.notify_one();
    }
  }
}

void Teams::State::take(Place const& place) {
  if (pinned) pin_thread(place.processors);
  there = {};
  if (has_openmp()) omp_set_num_threads(options.bodies == Bodies::openmp && place.thread == 0 ? place.size : 1);
}

void Teams::State::configure(int leaders, int size) {
  ensure(leaders >= 1, "leaders", leaders, "at least 1");
  ensure(size >= 1, "members", size - 1, "at least 0");
  ensure(std::int64_t{leaders} * size <= threads, "leaders x (1 + members)", std::int64_t{leaders} * size,
         "at most the number of threads");
  configuration = ++configurations;
  // Members of the previous teams wait for a command before their board is destroyed.
  for (auto& team : teams) team->board_->stop();
  std::vector<std::unique_ptr<Team>> next;
  bool const whole = leaders * size <= cores.size();
  placed = whole ? place_teams(cores, leaders, size) : std::vector<std::vector<int>>();
  places.assign(places.size(), {});
  auto const at = [&](int m, int d) -> Core const& {
    return cores.all[static_cast<std::size_t>(placed[static_cast<std::size_t>(m)][static_cast<std::size_t>(d)])];
  };
  for (int m = 0; m < leaders; ++m) {
    next.push_back(std::unique_ptr<Team>(new Team(std::make_unique<LoopBoard>(size, crowded))));
    for (int d = 0; d < size; ++d) {
      auto& place = places[static_cast<std::size_t>(m * size + d)];
      place.team = m;
      place.thread = d;
      place.size = size;
      if (!pinned) continue;
      place.processors = at(m, d).processors;
      // OpenMP's threads start on their leader's core.
      for (int o = 0; d == 0 && options.bodies == Bodies::openmp && o < size; ++o) {
        if (o > 0)
          place.processors.insert(place.processors.end(), at(m, o).processors.begin(), at(m, o).processors.end());
      }
    }
  }
  for (auto t = leaders * size; pinned && t < threads; ++t) places[static_cast<std::size_t>(t)].processors = before;
  auto const last = std::exchange(teams, std::move(next));
  shared.reset(new Team(std::make_unique<LoopBoard>(leaders, crowded)));
  done = 0;
  give(take_place);
  take(places.front());
  set_counts();
  wait_for(threads - 1);
}

void Teams::State::set_counts() {
  auto const alone = options.bodies == Bodies::openmp && teams.size() == 1;
  for (auto const& count : options.counts) count.set(alone ? teams.front()->size() : 1);
}

void Teams::State::body_of(int team) {
  auto const t = static_cast<std::size_t>(team);
  try {
    (*body)(team, *teams[t]);
  } catch (...) {
    thrown[t] = std::current_exception();
  }
}

void Teams::State::run(FunctionRef<void(int, Team&)> what) {
  thrown.assign(teams.size(), nullptr);
  body.emplace(what);
  done = 0;
  if (teams.size() > 1) give(run_body);
  body_of(0);
  wait_for(static_cast<int>(teams.size()) - 1);
  for (auto const& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

Teams::Teams(Cores cores, TeamsOptions options)
    : state_(std::make_unique<State>(std::move(cores), std::move(options))) {}
Teams::~Teams() = default;

Cores const& Teams::cores() const { return state_->cores; }
int Teams::threads() const { return state_->threads; }
int Teams::leaders() const { return static_cast<int>(state_->teams.size()); }
int Teams::members() const { return state_->teams.front()->size() - 1; }
bool Teams::pinned() const { return state_->pinned; }
void Teams::configure(int leaders, int members) { state_->configure(leaders, 1 + members); }
void Teams::run(FunctionRef<void(int, Team&)> body) { state_->run(body); }

Team& Teams::shared() const { return *state_->shared; }

std::vector<int> Teams::cores_of(int leader) const {
  ensure(leader >= 0 && leader < leaders(), "leader", leader, "one of the leaders");
  return state_->placed.empty() ? std::vector<int>() : state_->placed[static_cast<std::size_t>(leader)];
}

void Teams::pin(int leader, int thread) const {
  ensure(leader >= 0 && leader < leaders(), "leader", leader, "one of the leaders");
  ensure(thread >= 0 && thread <= members(), "thread", thread, "a thread of the team");
  if (!state_->pinned) return;
  auto const core = state_->placed[static_cast<std::size_t>(leader)][static_cast<std::size_t>(thread)];
  if (there == std::pair(state_->configuration, core)) return;
  pin_thread(state_->cores.all[static_cast<std::size_t>(core)].processors);
  there = {state_->configuration, core};
}

std::vector<TeamsShape> shapes_of(int threads) {
  ensure(threads >= 1, "threads", threads, "at least 1");
  std::vector<TeamsShape> shapes;
  for (int leaders = threads; leaders >= 1; --leaders) {
    if (threads % leaders == 0) shapes.push_back({leaders, threads / leaders - 1});
  }
  return shapes;
}

}  // namespace allport::loops
