#include "capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace allport::dropin {

namespace {

using WorldRanks = std::vector<int>;

struct Capture {
  std::mutex mutex;
  std::string path;
  int keyval = MPI_KEYVAL_INVALID;                  ///< under which a communicator has the ranks that it sends to
  std::map<int, std::int64_t> bytes;                ///< by rank in MPI_COMM_WORLD
  std::int64_t elsewhere = 0;                       ///< bytes, to processes that were started later
  std::map<MPI_Request, std::vector<Sent>> starts;  ///< of persistent requests; ranks in MPI_COMM_WORLD
};

Capture& the_capture() {
  static auto* const it = new Capture;  // never destroyed, as State
  return *it;
}

int forget(MPI_Comm, int, void* value, void*) {
  delete static_cast<WorldRanks*>(value);
  return MPI_SUCCESS;
}

WorldRanks translated(MPI_Comm comm) {
  int between_two = 0;
  PMPI_Comm_test_inter(comm, &between_two);
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  between_two != 0 ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> there(static_cast<std::size_t>(size));
  std::iota(there.begin(), there.end(), 0);
  WorldRanks result(there.size());
  PMPI_Group_translate_ranks(group, size, there.data(), world, result.data());
  PMPI_Group_free(&group);
  PMPI_Group_free(&world);
  return result;
}

/// Ranks in MPI_COMM_WORLD, or MPI_UNDEFINED, of those to whom `comm` sends. Under the mutex.
WorldRanks const& world_ranks(MPI_Comm comm) {
  auto& c = the_capture();
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, c.keyval, &value, &found);
  if (found == 0) {
    value = new WorldRanks(translated(comm));
    PMPI_Comm_set_attr(comm, c.keyval, value);
  }
  return *static_cast<WorldRanks*>(value);
}

/// The same messages to ranks in MPI_COMM_WORLD. Under the mutex.
std::vector<Sent> in_world(MPI_Comm comm, std::span<Sent const> sent) {
  std::vector<Sent> result;
  auto const& ranks = world_ranks(comm);
  for (auto const& s : sent) {
    if (s.to >= 0 && s.bytes > 0) result.push_back({ranks[static_cast<std::size_t>(s.to)], s.bytes});
  }
  return result;
}

/// Under the mutex.
void add(std::span<Sent const> sent) {
  auto& c = the_capture();
  for (auto const& s : sent) (s.to == MPI_UNDEFINED ? c.elsewhere : c.bytes[s.to]) += s.bytes;
}

/// All ranks' messages, on rank 0: from, to, bytes, from, ... Collective.
std::vector<std::int64_t> gathered(std::map<int, std::int64_t> const& mine, int rank, int size) {
  std::vector<std::int64_t> words;
  for (auto const& [to, bytes] : mine) words.insert(words.end(), {rank, to, bytes});
  auto const count = static_cast<int>(words.size());
  std::vector<int> counts(rank == 0 ? static_cast<std::size_t>(size) : 0);
  PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<std::int64_t> all(rank == 0 ? static_cast<std::size_t>(begins.back() + counts.back()) : 0);
  PMPI_Gatherv(words.data(), count, MPI_INT64_T, all.data(), counts.data(), begins.data(), MPI_INT64_T, 0,
               MPI_COMM_WORLD);
  return all;
}

}  // namespace

void begin_capture(std::string const& path) {
  if (path.empty()) return;
  auto& c = the_capture();
  c.path = path;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &forget, &c.keyval, nullptr) == MPI_SUCCESS) capturing = true;
}

void end_capture() {
  if (!capturing.exchange(false)) return;
  auto& c = the_capture();
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  auto const all = gathered(c.bytes, rank, size);
  std::int64_t elsewhere = 0;
  PMPI_Reduce(&c.elsewhere, &elsewhere, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  for (auto comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    void* value = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, c.keyval, &value, &found);
    if (found != 0) PMPI_Comm_delete_attr(comm, c.keyval);
  }
  PMPI_Comm_free_keyval(&c.keyval);
  if (rank != 0) return;
  nlohmann::json messages = nlohmann::json::array();
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < all.size(); i += 3) {
    messages.push_back({all[i], all[i + 1], all[i + 2]});
    sum += all[i + 2];
  }
  auto const pairs = messages.size();
  bool const written =
      interpose::write("ALLPORT_CAPTURE", c.path, {{"ranks", size}, {"messages", std::move(messages)}}, -1);
  if (!written) return;
  fmt::print(stderr,
             "allport: {} bytes between {} pairs of ranks were captured in {}; allport map --pattern reads it\n", sum,
             pairs, c.path);
  if (elsewhere > 0) {
    fmt::print(stderr, "allport: {} bytes to processes outside MPI_COMM_WORLD are not among them\n", elsewhere);
  }
}

std::int64_t bytes_of(MPI_Count count, MPI_Datatype type) {
  if (count == 0) return 0;  // of any type, or none
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return static_cast<std::int64_t>(count * size);
}

void capture(MPI_Comm comm, std::span<Sent const> sent) {
  std::scoped_lock const hold(the_capture().mutex);
  add(in_world(comm, sent));
}

void capture_starts(MPI_Request request, MPI_Comm comm, std::span<Sent const> sent) {
  auto& c = the_capture();
  std::scoped_lock const hold(c.mutex);
  c.starts[request] = in_world(comm, sent);
}

void capture_start(MPI_Request request) {
  auto& c = the_capture();
  std::scoped_lock const hold(c.mutex);
  if (auto const found = c.starts.find(request); found != c.starts.end()) add(found->second);
}

void forget_starts(MPI_Request request) {
  auto& c = the_capture();
  std::scoped_lock const hold(c.mutex);
  c.starts.erase(request);
}

}  // namespace allport::dropin
