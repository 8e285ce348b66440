#include "record.h"

#include <algorithm>
#include <numeric>

#include "allport/mapping/mapping.h"

namespace allport::scalapack {
namespace {

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

/// Ranks in MPI_COMM_WORLD of a communicator's; empty: some are not of this job.
std::vector<Rank> world_ranks(MPI_Comm comm) {
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &mine);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  auto const size = size_of(comm);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<Rank> world(ranks.size());
  MPI_Group_translate_ranks(mine, size, ranks.data(), all, world.data());
  MPI_Group_free(&mine);
  MPI_Group_free(&all);
  if (std::ranges::find(world, MPI_UNDEFINED) != world.end()) return {};
  return world;
}

std::string told_by_first(MPI_Comm comm, std::string text) {
  auto length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, comm);
  text.resize(static_cast<std::size_t>(length));
  if (length > 0) MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm);
  return text;
}

/// Rank 0's environment counts for all.
Settings agree_on_settings(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  auto s = rank == 0 ? read_settings(size_of(MPI_COMM_WORLD)) : Settings{};
  int words[] = {static_cast<int>(s.policy), static_cast<int>(s.pivoting)};
  MPI_Bcast(words, 2, MPI_INT, 0, comm);
  return {static_cast<Policy>(words[0]), static_cast<Pivoting>(words[1]), told_by_first(comm, s.machine)};
}

/// The part of the machine that the processes are, and their places in it.
struct Portion {
  Machine machine = Machine::flat(1);
  std::vector<Rank> places;
};

Portion portion_of(std::string const& machine, std::vector<Rank> const& world, int size) {
  Portion part{Machine::flat(size), std::vector<Rank>(static_cast<std::size_t>(size))};
  std::iota(part.places.begin(), part.places.end(), 0);
  if (machine.empty() || world.empty()) return part;
  auto box = find_box(Machine::from_toml(machine, "ALLPORT_MACHINE"), world);
  if (!box) return part;
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
  settings_ = agree_on_settings(plain);
  auto const part = portion_of(settings_.machine, world_ranks(plain), size);
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
