// Agreement between ranks: after an error on one rank, no rank continues alone or waits for one that has left.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>

#include "comm_state.h"
#include "end_job.h"
#include "mpi_errors.h"

namespace allport {
namespace engine {
namespace {

/// "0-2,4".
std::string ranges(std::vector<Rank> const& sorted) {
  std::string text;
  for (std::size_t i = 0; i < sorted.size();) {
    auto j = i;
    while (j + 1 < sorted.size() && sorted[j + 1] == sorted[j] + 1) ++j;
    text += fmt::format("{}{}", i == 0 ? "" : ",", sorted[i]);
    if (j > i) text += fmt::format("-{}", sorted[j]);
    i = j + 1;
  }
  return text;
}

/// What one rank passed; sent as bytes.
struct Claim {
  std::int64_t value = 0;
  std::array<char, 120> text{};
};

}  // namespace

void CommState::all_well(std::string const& trouble, ErrorKind kind) const {
  auto constexpr none = std::numeric_limits<int>::max();
  int const mine = trouble.empty() ? none : rank;
  int first = none;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, mpi(), &request), "MPI_Iallreduce", rank);
  await(request, "all ranks to report their status");
  if (first == none) return;
  std::array<int, 2> head{static_cast<int>(std::min<std::size_t>(trouble.size(), 1U << 16)), static_cast<int>(kind)};
  check(MPI_Ibcast(head.data(), 2, MPI_INT, first, mpi(), &request), "MPI_Ibcast", rank, first);
  await(request, "the error of another rank");
  auto text = trouble;
  text.resize(static_cast<std::size_t>(head[0]));
  check(MPI_Ibcast(text.data(), head[0], MPI_CHAR, first, mpi(), &request), "MPI_Ibcast", rank, first);
  await(request, "the error of another rank");
  throw Error(static_cast<ErrorKind>(head[1]), size == 1 ? text : fmt::format("{} (on rank {})", text, first));
}

void CommState::agree(std::string_view name, std::int64_t value, std::string const& text) const {
  // Complement, not minus: the smallest integer has no negative.
  std::array<std::int64_t, 2> const mine{value, ~value};
  std::array<std::int64_t, 2> least{};
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(mine.data(), least.data(), 2, MPI_INT64_T, MPI_MIN, mpi(), &request), "MPI_Iallreduce", rank);
  await(request, "all ranks to agree on an argument");
  if (least[0] != ~least[1]) disagree(name, value, text);
}

void CommState::disagree(std::string_view name, std::int64_t value, std::string const& text) const {
  Claim mine{value, {}};
  text.copy(mine.text.data(), mine.text.size() - 1);
  std::vector<Claim> all(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  auto const bytes = static_cast<int>(sizeof(Claim));
  check(MPI_Iallgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, mpi(), &request), "MPI_Iallgather", rank);
  await(request, "all ranks to report their values");
  std::map<std::int64_t, std::vector<Rank>> by_value;
  for (Rank r = 0; r < size; ++r) by_value[all[static_cast<std::size_t>(r)].value].push_back(r);
  std::vector<std::vector<Rank>> by_size;
  for (auto& [_, members] : by_value) by_size.push_back(std::move(members));
  std::ranges::stable_sort(by_size, [](auto const& a, auto const& b) { return a.size() > b.size(); });
  std::string differences;
  for (auto const& members : by_size) {
    auto const& claim = all[static_cast<std::size_t>(members.front())];
    differences += fmt::format("{}{} on rank{} {}", differences.empty() ? "" : ", but ", claim.text.data(),
                               members.size() == 1 ? "" : "s", ranges(members));
    if (differences.size() > 2000) break;  // enough for an error message
  }
  throw Error(ErrorKind::mismatch, fmt::format("{}: {}; pass the same on all ranks", name, differences));
}

}  // namespace engine

void Communicator::ensure_agreement(std::string_view name, std::int64_t value) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  state_->agree(name, value, std::to_string(value));
}

void Communicator::ensure_all_well(std::string const& local_error, ErrorKind kind) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  state_->all_well(local_error, kind);
}

void Communicator::give_up(std::string_view what, std::string_view why) const {
  std::array<char, 512> line{};
  auto const end =
      fmt::format_to_n(line.data(), line.size(), "allport: rank {} of {}: {} {}\n", rank(), size(), what, why);
  end_job(MPI_COMM_WORLD, 1, {line.data(), std::min(end.size, line.size())});
  std::abort();  // where MPI_Abort comes back
}

}  // namespace allport
