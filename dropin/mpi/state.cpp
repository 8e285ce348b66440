#include "state.h"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <string_view>

#include "allport/comm/calibrate.h"
#include "allport/mapping/mapping.h"
#include "datatypes.h"
#include "progress.h"
#include "report.h"
#include "requests.h"

namespace allport::dropin {
namespace {

/// What a start may spend on the rates of a machine that nobody has measured.
constexpr double seconds_for_rates = 0.1;

/// What rank 0 found in its environment, for all.
struct Settings {
  std::string machine;  ///< TOML; empty: none
  std::string trouble;
  std::string report;
  int policy = 0;
  int rates_are_given = 1;  ///< by the machine's file or another; else they are a preset's, of no network in particular
};

std::string_view environment(char const* name) {
  auto const* text = std::getenv(name);
  return text == nullptr ? std::string_view{} : std::string_view(text);
}

void read_policy(Settings& s) {
  auto const text = environment("ALLPORT_DROPIN");
  if (text.empty() || text == "auto") {
    s.policy = static_cast<int>(Policy::automatic);
  } else if (text == "always") {
    s.policy = static_cast<int>(Policy::always);
  } else if (text == "never") {
    s.policy = static_cast<int>(Policy::never);
  } else {
    s.trouble = Error::argument("ALLPORT_DROPIN", fmt::format("'{}'", text), "auto, always or never").what();
  }
}

Settings read_environment(int ranks) {
  Settings s;
  auto const report = environment("ALLPORT_REPORT");
  if (report != "0") s.report = report;
  auto const spec = environment("ALLPORT_MACHINE");
  if (spec.empty()) return s;
  read_policy(s);
  if (!s.trouble.empty()) return s;
  try {
    auto const machine = Machine::parse(spec);
    if (machine.ranks() == ranks) {
      s.machine = machine.to_toml();
      s.rates_are_given = Machine::gives_rates(spec) ? 1 : 0;
    } else {
      s.trouble = fmt::format(
          "ALLPORT_MACHINE = '{}' has {} ranks, but MPI_COMM_WORLD has {}; start as many ranks as the "
          "machine has, or name another machine",
          spec, machine.ranks(), ranks);
    }
  } catch (std::exception const& e) {
    s.trouble = fmt::format("ALLPORT_MACHINE: {}", e.what());
  }
  return s;
}

std::string told_by_rank_0(std::string text) {
  auto length = static_cast<int>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  if (length > 0) PMPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

Settings agree_on_settings(int rank, int ranks) {
  auto s = rank == 0 ? read_environment(ranks) : Settings{};
  // One word where nothing is set, which is the common case.
  int something = s.machine.empty() && s.trouble.empty() && s.report.empty() ? 0 : 1;
  PMPI_Bcast(&something, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (something == 0) return s;
  s.machine = told_by_rank_0(s.machine);
  s.trouble = told_by_rank_0(s.trouble);
  s.report = told_by_rank_0(s.report);
  PMPI_Bcast(&s.policy, 1, MPI_INT, 0, MPI_COMM_WORLD);
  PMPI_Bcast(&s.rates_are_given, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return s;
}

void warn(int rank, std::string const& text) {
  if (rank != 0) return;
  fmt::print(stderr, "allport: warning: {}; every MPI call goes to the MPI library\n", text);
  std::fflush(stderr);
}

bool all_share_a_computer(int ranks) {
  MPI_Comm here = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  int size = 0;
  PMPI_Comm_size(here, &size);
  PMPI_Comm_free(&here);
  int least = 0;
  PMPI_Allreduce(&size, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return least == ranks;
}

/// A network that nobody has measured: how fast it is shows in a few messages, so that prices are not those of another.
/// Which algorithm combines what still follows from the machine as it was named, or sums would differ between runs.
Communicator on_measured_rates(Machine named) {
  auto& s = state();
  auto const began = now();
  Communicator const probe(MPI_COMM_WORLD, named);
  auto measured = measure_rates(probe, seconds_for_rates);
  s.rates.seconds = now() - began;
  s.rates.source = "measured at start";
  return {MPI_COMM_WORLD, std::move(measured), std::move(named)};
}

int forget_record(MPI_Comm, int, void* value, void*) {
  // The shadow communicator goes with the record's last user, not inside the library's own freeing.
  retire(static_cast<std::shared_ptr<Record>*>(value));
  return MPI_SUCCESS;
}

/// Positions in the machine of a communicator's ranks; empty: some are not of this job.
std::vector<Rank> whole_positions(MPI_Comm comm, int size) {
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &mine);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<Rank> whole(ranks.size());
  PMPI_Group_translate_ranks(mine, size, ranks.data(), all, whole.data());
  PMPI_Group_free(&mine);
  PMPI_Group_free(&all);
  for (auto const r : whole) {
    if (r == MPI_UNDEFINED) return {};
  }
  return whole;
}

/// Communicators that we make beside the program's, at most. MPICH has 2048 in all, and a program that needs most of
/// them must find them.
#ifdef OPEN_MPI
constexpr int most_twins = 16384;
#else
constexpr int most_twins = 256;
#endif
std::atomic<int> twins{0};

/// Whether every rank of `comm` has room for one more.
bool room_for_twin(MPI_Comm comm) {
  int mine = twins.load() < most_twins ? 1 : 0;
  int all = 0;
  return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
}

/// A communicator of the same ranks without the user's attributes; MPI_COMM_NULL on all of them where the library has
/// run out of communicators. @pre nobody else has `comm` yet
MPI_Comm twin_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Errhandler own = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &own);
  PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  PMPI_Comm_group(comm, &group);
  if (PMPI_Comm_create(comm, group, &twin) != MPI_SUCCESS) twin = MPI_COMM_NULL;
  PMPI_Group_free(&group);
  PMPI_Comm_set_errhandler(comm, own);
  PMPI_Errhandler_free(&own);
  return twin;
}

/// One of `twins`.
struct Counted {
  Counted() { ++twins; }
  ~Counted() { --twins; }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;
};

std::shared_ptr<Record> make_record(MPI_Comm comm) {
  auto record = std::make_shared<Record>();
  record->user = comm;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  PMPI_Comm_rank(comm, &record->rank);
  PMPI_Comm_size(comm, &record->size);
  if (inter != 0) {
    record->why_not = "inter-communicator";
  } else if (record->size == 1) {
    record->why_not = "communicator of one rank";
  } else if (auto const whole = whole_positions(comm, record->size); whole.empty()) {
    record->why_not = "communicator with ranks of another job";
  } else if (auto const box = find_box(state().world->machine(), whole); !box) {
    record->why_not = "communicator is no box of the machine";
  } else if (!room_for_twin(comm)) {
    record->why_not = fmt::format("more than {} communicators at a time", most_twins);
  } else if (auto const twin = twin_of(comm); twin == MPI_COMM_NULL) {
    record->why_not = "MPI library that has no communicators left";
  } else {
    record->twin = std::make_shared<Counted>();
    Lock const lock;
    record->ours.emplace(state().world->sub(whole, twin));
    record->in_order = box->mapping.is_identity();
  }
  return record;
}

}  // namespace

thread_local int Inside::depth_ = 0;

State& state() {
  // Never destroyed: MPI may be called from destructors of static objects.
  static auto* const the_state = new State;
  return *the_state;
}

TryLock::TryLock() : got_(!Lock::held() && state().lock->try_lock()) {}
TryLock::~TryLock() {
  if (got_) state().lock->unlock();
}

std::shared_ptr<Record> record_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || state().keyval == MPI_KEYVAL_INVALID) return nullptr;
  auto const epoch = state().epoch.load(std::memory_order_acquire);
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, state().keyval, &value, &found);
  if (found == 0) return nullptr;
  auto const& record = *static_cast<std::shared_ptr<Record>*>(value);
  last_record = {comm, record.get(), epoch};
  return record;
}

void adopt(MPI_Comm comm) {
  if (!state().active || comm == MPI_COMM_NULL) return;
  try {
    auto* const record = new std::shared_ptr<Record>(make_record(comm));
    PMPI_Comm_set_attr(comm, state().keyval, record);
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: a new communicator is left to the MPI library: {}\n", e.what());
  }
}

void begin() {
  auto& s = state();
  if (s.begun) return;
  s.begun = true;
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const settings = agree_on_settings(rank, ranks);
  s.report = settings.report;
  s.counting = !settings.report.empty();
  s.policy = static_cast<Policy>(settings.policy);
  s.why_inactive = settings.trouble.empty() ? "ALLPORT_MACHINE is not set" : settings.trouble;
  if (!settings.trouble.empty()) warn(rank, settings.trouble);
  if (settings.machine.empty()) return;
  if (s.policy == Policy::never) {
    s.why_inactive = "ALLPORT_DROPIN is 'never'";
    return;
  }
  make_quiet_communicator();
  try {
    auto machine = Machine::from_toml(settings.machine, "ALLPORT_MACHINE");
    bool const measured = machine.calibration().empty() && settings.rates_are_given == 0;
    s.without_links = machine.calibration().empty() && all_share_a_computer(ranks);
    s.rates.source = !measured ? "given" : "assumed";
    if (measured && !s.without_links && machine.nodes() > 1) {
      s.world.emplace(on_measured_rates(std::move(machine)));
    } else {
      s.world.emplace(MPI_COMM_WORLD, std::move(machine));
    }
  } catch (std::exception const& e) {
    s.why_inactive = e.what();
    warn(rank, s.why_inactive);
    return;
  }
  s.lock = s.world->lock();
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget_record, &s.keyval, nullptr);
  s.why_inactive.clear();
  s.active = true;
  Inside const inside;
  adopt(MPI_COMM_WORLD);
  adopt(MPI_COMM_SELF);
  s.progresses = start_progressing();
}

void end() {
  auto& s = state();
  if (!s.begun) return;
  s.begun = false;
  Inside const inside;
  if (s.counting) write_report();
  if (!s.active) {
    s.counting = false;
    free_quiet_communicator();
    return;
  }
  stop_progressing();
  s.active = s.counting = false;
  PMPI_Comm_delete_attr(MPI_COMM_WORLD, s.keyval);
  PMPI_Comm_delete_attr(MPI_COMM_SELF, s.keyval);
  end_requests();
  release_retired();
  {
    Lock const lock;
    s.world.reset();
  }
  PMPI_Comm_free_keyval(&s.keyval);
  free_quiet_communicator();
}

}  // namespace allport::dropin
