#include "record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "allport/mapping/mapping.h"
#include "interpose/errors_return.h"
#include "interpose/tuning.h"
#include "interpose/world_ranks.h"

namespace allport::scalapack {
namespace {

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

Pivoting pivoting_of(interpose::Settings const& settings) {
  constexpr std::array values{Pivoting::partial, Pivoting::tournament, Pivoting::none};  // the first is the default
  std::array<std::string_view, values.size()> words{};
  std::ranges::transform(values, words.begin(), [](Pivoting one) { return name(one); });
  return values[static_cast<std::size_t>(settings.word("ALLPORT_PIVOT", words))];
}

/// Least recently used values are dropped.
template <class T>
class Cache {
 public:
  /// Null if there is none.
  std::shared_ptr<T> find(std::vector<Rank> const& key) {
    auto const known = std::ranges::find(all_, key, &std::pair<std::vector<Rank>, std::shared_ptr<T>>::first);
    if (known == all_.end()) return nullptr;
    std::rotate(known, known + 1, all_.end());
    return all_.back().second;
  }
  void insert(std::vector<Rank> key, std::shared_ptr<T> value) {
    constexpr std::size_t most = 16;
    std::erase_if(all_, [&](auto const& known) { return known.first == key; });
    if (all_.size() == most) all_.erase(all_.begin());
    all_.emplace_back(std::move(key), std::move(value));
  }

 private:
  std::vector<std::pair<std::vector<Rank>, std::shared_ptr<T>>> all_;
};

// Never destroyed: MPI may be called from destructors of static objects.
Cache<Processes>& processes_known() {
  static auto* const known = new Cache<Processes>;
  return *known;
}
/// All that live, also those that the cache has dropped, in the order of their making: the same on their processes.
std::vector<Processes*>& living_processes() {
  static auto* const living = new std::vector<Processes*>;
  return *living;
}
Cache<Record>& records_known() {
  static auto* const known = new Cache<Record>;
  return *known;
}

int forget_record(MPI_Comm, int, void* value, void*) {
  delete static_cast<std::shared_ptr<Record>*>(value);
  return MPI_SUCCESS;
}

int record_keyval() {
  static int const keyval = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget_record, &made, nullptr);
    return made;
  }();
  return keyval;
}

constexpr std::initializer_list<char const*> variables{"ALLPORT_MACHINE", policy_variable,       "ALLPORT_PIVOT",
                                                       "ALLPORT_SELECT",  "ALLPORT_SELECT_FILE", "ALLPORT_EXPLAIN"};

/// What all processes of a grid agree on.
struct Common {
  std::shared_ptr<Record> record{};        ///< null: not cached on every process
  std::shared_ptr<Processes> processes{};  ///< likewise
  bool alike = false;                      ///< equal settings in the environment, and no machine named
};

/// By one reduction of four words. Collective.
Common common_of(std::vector<Rank> const& key, std::vector<Rank> const& world, MPI_Comm comm) {
  Common common;
  if (!world.empty()) {
    common.record = records_known().find(key);
    common.processes = processes_known().find(world);
  }
  auto const print = interpose::fingerprint_of(variables);
  std::array<std::int64_t, 4> least{common.record ? 1 : 0, common.processes ? 1 : 0, print, -print};
  MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT64_T, MPI_MIN, comm);
  if (least[0] == 0) common.record.reset();
  if (least[1] == 0) common.processes.reset();
  common.alike = least[2] != 0 && least[2] == -least[3];
  return common;
}

/// Ranks in MPI_COMM_WORLD of a grid's processes, column by column; empty if some are of another job.
std::vector<Rank> key_of(Grid const& grid, std::vector<Rank> const& world) {
  if (world.empty()) return {};
  std::vector<Rank> key{grid.rows, grid.cols};
  for (int c = 0; c < grid.cols; ++c) {
    for (int r = 0; r < grid.rows; ++r) key.push_back(world[static_cast<std::size_t>(rank_of(grid.context, r, c))]);
  }
  return key;
}

std::shared_ptr<Processes> make_processes(MPI_Comm comm, std::vector<Rank> const& world, bool alike) {
  auto made = std::make_shared<Processes>(comm, world, alike);
  living_processes().push_back(made.get());
  if (!world.empty()) processes_known().insert(world, made);
  return made;
}

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

Processes::Processes(MPI_Comm given, std::vector<Rank> const& world, bool alike)
    : settings(alike ? interpose::Settings::of_this_process(rank_in(given), variables)
                     : interpose::Settings(given, variables)) {
  if (!settings.trouble().empty()) settings.warn(settings.trouble() + "; a flat machine is taken");
  places.resize(static_cast<std::size_t>(size_of(given)));
  std::iota(places.begin(), places.end(), 0);
  if (settings.machine().empty() || world.empty()) return;
  auto box = find_box(Machine::from_toml(settings.machine(), "ALLPORT_MACHINE"), world);
  if (!box) return;
  knows_machine = true;
  machine_ = std::move(box->machine);
  for (std::size_t r = 0; r < places.size(); ++r) places[r] = box->mapping.place(static_cast<Rank>(r));
}

Processes::~Processes() {
  std::erase(living_processes(), this);
  free();
}

Machine const& Processes::machine() {
  if (!machine_) machine_ = Machine::flat(static_cast<int>(places.size()));
  return *machine_;
}

void Processes::open(MPI_Comm given) {
  auto const none_left = [] { return Error(ErrorKind::mpi, "an MPI library that has no communicators left"); };
  if (has_opened_ && !comm) throw none_left();
  if (has_opened_) return;
  has_opened_ = true;
  auto const rank = rank_in(given);
  {
    interpose::ErrorsReturn const errors(given);
    // A communicator of the same processes: our messages are never sent on the program's, whose attributes stay there.
    if (MPI_Comm_split(given, 0, places[static_cast<std::size_t>(rank)], &own_) != MPI_SUCCESS) {
      own_ = MPI_COMM_NULL;
      throw none_left();
    }
  }
  MPI_Comm_set_errhandler(own_, MPI_ERRORS_ARE_FATAL);
  try {
    comm.emplace(own_, machine());
  } catch (Error const& e) {
    if (e.kind() != ErrorKind::mpi) throw;
    throw none_left();
  }
}

void Processes::free() {
  comm.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && own_ != MPI_COMM_NULL) MPI_Comm_free(&own_);
}

Record::Record(Grid const& grid, std::shared_ptr<Processes> processes)
    : processes_(std::move(processes)), caller_(comm_of(grid.context)) {
  auto const size = processes_->places.size();
  ensure(size == static_cast<std::size_t>(grid.rows) * static_cast<std::size_t>(grid.cols), "BLACS grid", size,
         "a communicator of " + std::to_string(grid.rows * grid.cols) + " processes");
  auto const& settings = processes_->settings;
  policy_ = settings.policy(policy_variable);
  if (policy_ == Policy::never) why_not_ = interpose::never_wanted(policy_variable);
  try {
    if (policy_ == Policy::always) open();
  } catch (Error const& e) {
    why_not_ = e.what();
  }
  pivoting_ = pivoting_of(settings);
  // Only if results may differ in their last bits.
  tunes_ = policy_ == Policy::automatic && interpose::tuning_mode_of(settings) == interpose::TuningMode::free;
  if (tunes_) known_ = interpose::recalled(caller(), settings).value_or(Memory{});
  explains_ = settings["ALLPORT_EXPLAIN"] == "1" && grid.is_first();
  if (tunes_) site_ = fmt::format("ScaLAPACK, {} by {} on {}: ", grid.rows, grid.cols, machine().name());
  for (int c = 0; c < grid.cols; ++c) {
    for (int r = 0; r < grid.rows; ++r) {
      ranks_.push_back(processes_->places[static_cast<std::size_t>(rank_of(grid.context, r, c))]);
    }
  }
  first_ = rank_of(grid.context, 0, 0);
  rank_ = ranks_[static_cast<std::size_t>(grid.row + grid.col * grid.rows)];
}

TuningRun const* Record::tuning_of(std::string const& key, Seconds theirs, Seconds ours) {
  constexpr std::size_t most = 256;
  auto const routine = tunes_ ? TimedCall::routine() : std::string();
  if (routine.empty()) return nullptr;
  auto const site = fmt::format("{}{} {}", site_, routine, key);
  auto known = tuning_.find(site);
  if (known == tuning_.end()) {
    if (tuning_.size() == most) return nullptr;
    known = tuning_.try_emplace(site, site, theirs, ours, known_, explains_).first;
  }
  TimedCall::belongs_to(known->second, caller());
  return &known->second;
}

Record& record_of(Grid const& grid) {
  auto const comm = comm_of(grid.context);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, record_keyval(), &value, &found);
  if (found != 0) {
    auto& known = **static_cast<std::shared_ptr<Record>*>(value);
    known.set_caller(comm);
    return known;
  }
  auto const world = interpose::world_ranks(comm);
  auto const key = key_of(grid, world);
  auto common = common_of(key, world, comm);
  auto& record = common.record;
  if (!record) {
    if (!common.processes) common.processes = make_processes(comm, world, common.alike);
    record = std::make_shared<Record>(grid, common.processes);
    if (!key.empty() && record->why_not().empty()) records_known().insert(key, record);
  }
  MPI_Comm_set_attr(comm, record_keyval(), new std::shared_ptr<Record>(record));
  record->set_caller(comm);
  return *record;
}

void free_processes() {
  for (auto* const processes : living_processes()) processes->free();
}

}  // namespace allport::scalapack
