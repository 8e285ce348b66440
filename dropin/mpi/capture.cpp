#include "capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "interpose/texts.h"
#include "interpose/world_ranks.h"

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
  MPI_Group group = MPI_GROUP_NULL;
  between_two != 0 ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group);
  auto const ranks = interpose::world_ranks_of_group(group);
  PMPI_Group_free(&group);
  return ranks;
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
  auto const texts = interpose::gather_texts(MPI_COMM_WORLD, nlohmann::json::array({c.bytes, c.elsewhere}).dump());
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
  std::int64_t elsewhere = 0;
  for (std::size_t from = 0; from < texts.size(); ++from) {
    auto const sent = nlohmann::json::parse(texts[from]);
    elsewhere += sent[1].get<std::int64_t>();
    for (auto const& [to, bytes] : sent[0].get<std::map<int, std::int64_t>>()) {
      messages.push_back({from, to, bytes});
      sum += bytes;
    }
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
