#include "record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "allport/mapping/mapping.h"
#include "handback/trying.h"
#include "handback/world_ranks.h"

namespace allport::scalapack {
namespace {

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

Pivoting pivoting_of(handback::Settings const& settings) {
  constexpr std::array values{Pivoting::partial, Pivoting::tournament, Pivoting::none};  // the first is the default
  std::array<std::string_view, values.size()> words{};
  std::ranges::transform(values, words.begin(), [](Pivoting one) { return name(one); });
  return values[static_cast<std::size_t>(settings.word("ALLPORT_PIVOT", words))];
}

/// The part of the machine that the processes are, and their places in it.
struct Portion {
  Machine machine = Machine::flat(1);
  std::vector<Rank> places;
  bool is_known = false;  ///< else a flat machine
};

Portion portion_of(std::string const& machine, std::vector<Rank> const& world, int size) {
  Portion part{Machine::flat(size), std::vector<Rank>(static_cast<std::size_t>(size)), false};
  std::iota(part.places.begin(), part.places.end(), 0);
  if (machine.empty() || world.empty()) return part;
  auto box = find_box(Machine::from_toml(machine, "ALLPORT_MACHINE"), world);
  if (!box) return part;
  part.is_known = true;
  part.machine = std::move(box->machine);
  for (Rank r = 0; r < size; ++r) part.places[static_cast<std::size_t>(r)] = box->mapping.place(r);
  return part;
}

int forget_record(MPI_Comm, int, void* value, void*) {
  delete static_cast<Record*>(value);
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

}  // namespace

Record::Record(Grid const& grid) {
  auto const theirs = comm_of(grid.context);
  auto const size = size_of(theirs);
  int rank = 0;
  MPI_Comm_rank(theirs, &rank);
  ensure(size == grid.rows * grid.cols, "BLACS grid", size,
         "a communicator of " + std::to_string(grid.rows * grid.cols) + " processes");
  // One more of the same processes: nothing of ours travels on BLACS's own, and its attributes stay there.
  MPI_Comm plain = MPI_COMM_NULL;
  MPI_Comm_split(theirs, 0, rank, &plain);
  handback::Settings const settings(plain, {"ALLPORT_MACHINE", policy_variable, "ALLPORT_PIVOT", "ALLPORT_SELECT",
                                            "ALLPORT_SELECT_FILE", "ALLPORT_EXPLAIN"});
  if (!settings.trouble().empty()) settings.warn(settings.trouble() + "; a flat machine is taken");
  policy_ = settings.policy(policy_variable);
  pivoting_ = pivoting_of(settings);
  auto const part = portion_of(settings.machine(), handback::world_ranks(plain), size);
  knows_machine_ = part.is_known;
  tries_ = policy_ == Policy::automatic && handback::trying_of(settings) == handback::Trying::free;  // other bits
  if (tries_) known_ = handback::recalled(plain, settings).value_or(Memory{});
  explains_ = settings["ALLPORT_EXPLAIN"] == "1" && grid.is_first();
  place_ = fmt::format("ScaLAPACK, {} by {} on {}: ", grid.rows, grid.cols, part.machine.name());
  MPI_Comm_split(plain, 0, part.places[static_cast<std::size_t>(rank)], &talk_);
  MPI_Comm_free(&plain);
  comm_.emplace(talk_, part.machine);
  for (int c = 0; c < grid.cols; ++c) {
    for (int r = 0; r < grid.rows; ++r) {
      ranks_.push_back(part.places[static_cast<std::size_t>(rank_of(grid.context, r, c))]);
    }
  }
  first_ = ranks_.front();
}

Record::~Record() {
  comm_.reset();
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && talk_ != MPI_COMM_NULL) MPI_Comm_free(&talk_);
}

Trial const* Record::trial_of(std::string const& key, Seconds theirs, Seconds ours) {
  constexpr std::size_t most = 256;
  auto const routine = tries_ ? UnderWay::routine() : std::string();
  if (routine.empty()) return nullptr;
  auto const site = fmt::format("{}{} {}", place_, routine, key);
  auto known = trials_.find(site);
  if (known == trials_.end()) {
    if (trials_.size() == most) return nullptr;
    known = trials_.try_emplace(site, site, theirs, ours, known_, explains_).first;
  }
  UnderWay::belongs_to(known->second, talk_);
  return &known->second;
}

Record& record_of(Grid const& grid) {
  auto const comm = comm_of(grid.context);
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, record_keyval(), &value, &found);
  if (found == 0) {
    value = new Record(grid);
    MPI_Comm_set_attr(comm, record_keyval(), value);
  }
  return *static_cast<Record*>(value);
}

}  // namespace allport::scalapack
