#include "report.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "state.h"

namespace allport::dropin {
namespace {

using nlohmann::json;

struct Figures {
  std::int64_t taken = 0;
  std::int64_t bytes = 0;
  double seconds = 0;
  std::map<std::string, std::int64_t> returned;
  double seconds_returned = 0;

  [[nodiscard]] std::int64_t handed_back() const {
    std::int64_t sum = 0;
    for (auto const& [_, count] : returned) sum += count;
    return sum;
  }
};
using Table = std::array<Figures, functions>;

// A lock of its own: a call is counted after its communication, by any thread.
std::mutex mutex;
Table table;

json to_json(Table const& t) {
  json all = json::object();
  for (std::size_t f = 0; f < t.size(); ++f) {
    if (t[f].taken == 0 && t[f].returned.empty()) continue;
    all[fmt::format("MPI_{}", name(static_cast<Function>(f)))] = {
        {"taken", t[f].taken},      {"bytes", t[f].bytes},
        {"seconds", t[f].seconds},  {"handed_back", t[f].handed_back()},
        {"reasons", t[f].returned}, {"handed_back_seconds", t[f].seconds_returned}};
  }
  return all;
}

void add(Table& sum, json const& part) {
  for (std::size_t f = 0; f < sum.size(); ++f) {
    auto const found = part.find(fmt::format("MPI_{}", name(static_cast<Function>(f))));
    if (found == part.end()) continue;
    sum[f].taken += found->at("taken").get<std::int64_t>();
    sum[f].bytes += found->at("bytes").get<std::int64_t>();
    sum[f].seconds += found->at("seconds").get<double>();
    sum[f].seconds_returned += found->at("handed_back_seconds").get<double>();
    for (auto const& [why, count] : found->at("reasons").items()) sum[f].returned[why] += count.get<std::int64_t>();
  }
}

/// The sum over all ranks, on rank 0.
Table sum_up(int rank, int ranks) {
  std::string mine;
  {
    std::scoped_lock const lock(mutex);
    mine = to_json(table).dump();
  }
  auto const length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> begins(lengths.size() + 1);
  for (std::size_t r = 0; r < lengths.size(); ++r) begins[r + 1] = begins[r] + lengths[r];
  std::string all(static_cast<std::size_t>(begins.back()), ' ');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  Table sum;
  for (std::size_t r = 0; rank == 0 && r < lengths.size(); ++r) {
    add(sum, json::parse(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r]))));
  }
  return sum;
}

std::string in_words(Table const& t, std::string const& machine) {
  std::int64_t taken = 0;
  std::int64_t returned = 0;
  for (auto const& f : t) {
    taken += f.taken;
    returned += f.handed_back();
  }
  auto text = fmt::format("allport: machine {}: {} collective calls taken, {} handed back\n",
                          machine.empty() ? "none" : machine, taken, returned);
  for (std::size_t i = 0; i < t.size(); ++i) {
    auto const& f = t[i];
    if (f.taken == 0 && f.returned.empty()) continue;
    text += fmt::format("allport:   {:<24} {:>8} taken, {:>14} bytes, {:>10.6f} s; {:>8} handed back, {:>10.6f} s\n",
                        fmt::format("MPI_{}", name(static_cast<Function>(i))), f.taken, f.bytes, f.seconds,
                        f.handed_back(), f.seconds_returned);
    for (auto const& [why, count] : f.returned) text += fmt::format("allport:     {:>8} x {}\n", count, why);
  }
  return text;
}

/// Where the numbers come from by which calls are taken, and what they are.
json rates_of(State const& s) {
  if (!s.world) return nullptr;
  auto const& machine = s.world->machine();
  json axes = json::array();
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    axes.push_back({{"bandwidth", axis.bandwidth.value()}, {"latency", axis.latency.value()}});
  }
  return {{"source", s.rates.source},
          {"seconds", s.rates.seconds},
          {"overhead", machine.rates().overhead.value()},
          {"axes", std::move(axes)}};
}

std::string rates_in_words(State const& s) {
  if (!s.world) return {};
  if (s.rates.source == "given") return {};
  auto text = fmt::format("allport:   rates of the links: {}", s.rates.source);
  if (s.rates.seconds == 0.0) return text + ", nobody measured them; allport machine calibrate does\n";
  text += fmt::format(" in {:.3f} s:", s.rates.seconds);
  auto const& machine = s.world->machine();
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    text += fmt::format("{} {:.2f} MB/s, {:.1f} us", a == 0 ? "" : ";", axis.bandwidth.value() / 1e6,
                        axis.latency.value() * 1e6);
  }
  return text + "; allport machine calibrate measures them once for all\n";
}

void write_file(std::string const& path, json const& content) {
  std::ofstream file(path);
  file << content.dump(2) << '\n';
  if (!file.flush()) fmt::print(stderr, "allport: warning: ALLPORT_REPORT = '{}': cannot be written\n", path);
}

}  // namespace

std::string_view name(Function what) {
  constexpr std::array<std::string_view, functions> names{
      "Barrier",  "Bcast",    "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block",
      "Scatter",  "Scatterv", "Gather", "Gatherv",   "Allgather",      "Allgatherv",
      "Alltoall", "Alltoallv"};
  return names[static_cast<std::size_t>(what)];
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void count_taken(Function what, Record const& record, std::int64_t bytes, double seconds) {
  if (!state().counting || record.rank != 0) return;
  std::scoped_lock const lock(mutex);
  auto& f = table[static_cast<std::size_t>(what)];
  ++f.taken;
  f.bytes += bytes;
  f.seconds += seconds;
}

void count_returned(Function what, int rank, std::string const& why, double seconds) {
  if (!state().counting || rank != 0) return;
  std::scoped_lock const lock(mutex);
  auto& f = table[static_cast<std::size_t>(what)];
  ++f.returned[why];
  f.seconds_returned += seconds;
}

void write_report() {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const sum = sum_up(rank, ranks);
  if (rank != 0) return;
  auto const& s = state();
  auto const machine = s.world ? s.world->machine().name() : std::string{};
  if (s.report == "1") {
    auto text = in_words(sum, machine);
    text += rates_in_words(s);
    if (!s.active) text += fmt::format("allport:   nothing was taken: {}\n", s.why_inactive);
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
  } else {
    write_file(s.report, {{"machine", machine},
                          {"active", s.active},
                          {"rates", rates_of(s)},
                          {"why_inactive", s.why_inactive},
                          {"ranks", ranks},
                          {"collectives", to_json(sum)}});
  }
}

}  // namespace allport::dropin
