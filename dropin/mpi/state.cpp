#include "state.h"

#include <fmt/format.h>

#include "allport/comm/calibrate.h"
#include "allport/mapping/mapping.h"
#include "capture.h"
#include "computers.h"
#include "datatypes.h"
#include "interpose/errors_return.h"
#include "interpose/texts.h"
#include "interpose/world_ranks.h"
#include "neighbours.h"
#include "placement.h"
#include "progress.h"
#include "report.h"
#include "requests.h"

namespace allport::dropin {
namespace {

/// What a start may spend on the rates of a machine that nobody has measured.
constexpr double seconds_for_rates = 0.1;
constexpr auto policy_variable = "ALLPORT_DROPIN";

void warn_of_idleness(interpose::Settings const& settings, std::string const& why) {
  settings.warn(why + "; every MPI call goes to the MPI library");
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

/// Communicators that we make beside the program's, at most, where contexts will not do. MPICH has 2048 in all.
constexpr int most_shadows = 256;
std::atomic<int> shadows{0};

/// Whether every rank of `comm` has room for one more.
bool room_for_shadow(MPI_Comm comm) {
  int mine = shadows.load() < most_shadows ? 1 : 0;
  int all = 0;
  return PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
}

/// A communicator of the same ranks without the user's attributes; MPI_COMM_NULL on all of them where the library has
/// run out of communicators. @pre nobody else has `comm` yet
MPI_Comm shadow_of(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm shadow = MPI_COMM_NULL;
  interpose::ErrorsReturn const errors(comm);
  PMPI_Comm_group(comm, &group);
  if (PMPI_Comm_create(comm, group, &shadow) != MPI_SUCCESS) shadow = MPI_COMM_NULL;
  PMPI_Group_free(&group);
  return shadow;
}

/// One of `shadows`.
struct Counted {
  Counted() { ++shadows; }
  ~Counted() { --shadows; }
  Counted(Counted const&) = delete;
  Counted& operator=(Counted const&) = delete;
};

/// Our communicator of the same ranks. Collective over `comm`, which nobody else has yet; why there is none, the same
/// on all ranks, or empty.
/// @param whole  the ranks in MPI_COMM_WORLD
std::string make_ours(Record& record, MPI_Comm comm, std::vector<Rank> const& whole) {
  auto const& world = *state().world;
  if (comm == MPI_COMM_WORLD) {
    record.ours = world;
    return {};
  }
  // With ALLPORT_CHECK ranks ask each other by the library's collectives.
  if (world.contexts() > 0 && !world.checks()) {
    record.context = agreed_context(comm);
    if (!record.context) return fmt::format("more than {} communicators at a time", world.contexts());
    Lock const lock;
    record.ours.emplace(world.sub_in_context(whole, record.context->number()));
    return {};
  }
  if (!room_for_shadow(comm)) return fmt::format("more than {} communicators at a time", most_shadows);
  auto const shadow = shadow_of(comm);
  if (shadow == MPI_COMM_NULL) return "MPI library that has no communicators left";
  record.shadow = std::make_shared<Counted>();
  Lock const lock;
  record.ours.emplace(world.sub(whole, shadow));
  return {};
}

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
  } else if (auto const whole = interpose::world_ranks(comm); whole.empty()) {
    record->why_not = "communicator with ranks of another job";
  } else if (record->why_not = make_ours(*record, comm, whole); record->why_not.empty()) {
    auto const box = find_box(state().world->machine(), whole);
    record->mapping = box ? box->mapping : Mapping::identity(record->size);
    if (!box) record->places = whole;
    if (state().counting && record->rank == 0) {
      Lock const lock;
      ++state().placements[placement_of(box, state().world->machine(), record->size)];
    }
    record->neighbourhood = neighbourhood_of(comm, *record);
    recall_tuning(*record);
  }
  return record;
}

/// Where no machine was named: the machine that the ranks' computers make, if what is tried on it may be taken. All of
/// its rates are rank 0's.
std::string machine_of(Computers const& where) {
  auto& s = state();
  s.why_inactive = "ALLPORT_MACHINE is not set";
  if (s.policy != Policy::automatic || s.tuning_mode == TuningMode::off) return {};
  auto const ring = ring_of(where);
  if (!ring) {
    s.why_inactive += where.count < 2 ? ", and all ranks share one computer"
                                      : ", and computers do not have as many ranks each, one after the other";
    return {};
  }
  s.guessed = true;
  return interpose::bcast_text(MPI_COMM_WORLD, [&] { return Machine::parse(*ring).to_toml(); });
}

/// False where there is none to go by.
bool make_world(interpose::Settings const& settings) {
  auto& s = state();
  auto const where = computers();
  auto const text = settings.machine().empty() ? machine_of(where) : settings.machine();
  if (text.empty()) return false;
  auto machine = Machine::from_toml(text, "ALLPORT_MACHINE");
  bool const measured = machine.calibration().empty() && (s.guessed || !settings.rates_are_given());
  s.without_links = machine.calibration().empty() && where.count == 1;
  s.rates.source = !measured ? "given" : "assumed";
  if (s.without_links && s.policy == Policy::automatic &&
      (s.tuning_mode == TuningMode::automatic || s.tuning_mode == TuningMode::off)) {
    s.why_inactive = no_links_measured;
    return false;
  }
  if (measured && !s.without_links && machine.nodes() > 1) {
    s.world.emplace(on_measured_rates(std::move(machine)));
  } else {
    s.world.emplace(MPI_COMM_WORLD, std::move(machine));
  }
  return true;
}

}  // namespace

State& state() {
  // Never destroyed: MPI may be called from destructors of static objects.
  static auto* const the_state = new State;
  return *the_state;
}

TryLock::TryLock() : got_(!Lock::held() && state().lock->try_lock()) {}
TryLock::~TryLock() {
  if (got_) state().lock->unlock();
}

Record* look_up_record(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL || state().keyval == MPI_KEYVAL_INVALID) return nullptr;
  auto const epoch = state().epoch.load(std::memory_order_acquire);
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, state().keyval, &value, &found);
  if (found == 0) return nullptr;
  auto* const record = static_cast<std::shared_ptr<Record>*>(value)->get();
  last_record = {comm, record, epoch};
  return record;
}

void adopt(MPI_Comm comm) {
  if (!state().active || comm == MPI_COMM_NULL) return;
  try {
    auto* const record = new std::shared_ptr<Record>(make_record(comm));
    enlist(*record);
    PMPI_Comm_set_attr(comm, state().keyval, record);
  } catch (std::exception const& e) {
    fmt::print(stderr, "allport: a new communicator is left to the MPI library: {}\n", e.what());
  }
}

namespace {

/// All of begin() but for `watching`.
void begin_at_work() {
  auto& s = state();
  interpose::Settings const settings(
      MPI_COMM_WORLD, {"ALLPORT_MACHINE", policy_variable, "ALLPORT_REPORT", "ALLPORT_SELECT", "ALLPORT_SELECT_FILE",
                       "ALLPORT_EXPLAIN", "ALLPORT_REORDER", "ALLPORT_CAPTURE"});
  begin_capture(settings.file("ALLPORT_CAPTURE"));
  s.reorders = settings["ALLPORT_REORDER"] != "0";
  s.report_to = settings.report();
  s.counting = !s.report_to.empty();
  s.why_inactive = settings.trouble();
  if (!settings.trouble().empty()) {
    warn_of_idleness(settings, settings.trouble());
    return;
  }
  s.policy = settings.policy(policy_variable);
  if (s.policy == Policy::never) {
    s.why_inactive = interpose::never_wanted(policy_variable);
    return;
  }
  make_quiet_communicator();
  begin_tuning(settings);
  try {
    if (!make_world(settings)) return;
  } catch (std::exception const& e) {
    s.why_inactive = e.what();
    warn_of_idleness(settings, s.why_inactive);
    return;
  }
  s.lock = s.world->lock();
  begin_contexts(s.world->contexts());
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget_record, &s.keyval, nullptr);
  s.why_inactive.clear();
  s.active = true;
  Inside const inside;
  adopt(MPI_COMM_WORLD);
  adopt(MPI_COMM_SELF);
  s.progresses = start_progressing();
}

}  // namespace

void begin() {
  auto& s = state();
  if (s.begun) return;
  s.begun = true;
  begin_at_work();
  watching = s.active || s.counting;
}

void end() {
  auto& s = state();
  if (!s.begun) return;
  s.begun = false;
  Inside const inside;
  end_capture();
  auto const found = s.active && s.tuning_mode != TuningMode::off ? store_tuning() : Memory{};
  if (s.counting) write_report(found);
  watching = false;
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
  release_living();
  {
    Lock const lock;
    s.world.reset();
  }
  PMPI_Comm_free_keyval(&s.keyval);
  free_quiet_communicator();
}

}  // namespace allport::dropin
