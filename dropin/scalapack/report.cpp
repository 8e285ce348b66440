#include "report.h"

#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "settings.h"

namespace allport::scalapack {
namespace {

using nlohmann::json;

struct Figures {
  std::map<std::string, std::int64_t> taken;
  double seconds = 0;
  std::map<std::string, std::int64_t> returned;
  double seconds_returned = 0;
  std::int64_t inner = 0;
  double growth = 0;
};
using Table = std::map<std::string, Figures>;

Table table;
std::optional<Table> gathered;  // on rank 0 of MPI_COMM_WORLD
int gathered_ranks = 1;

bool counting() { return !report_wanted().empty(); }

std::int64_t sum(std::map<std::string, std::int64_t> const& counts) {
  std::int64_t all = 0;
  for (auto const& [_, count] : counts) all += count;
  return all;
}

json to_json(Table const& t) {
  json all = json::object();
  for (auto const& [name, f] : t) {
    all[name] = {{"taken", sum(f.taken)},          {"how", f.taken},        {"seconds", f.seconds},
                 {"handed_back", sum(f.returned)}, {"reasons", f.returned}, {"handed_back_seconds", f.seconds_returned},
                 {"inside_scalapack", f.inner}};
    if (f.growth > 0) all[name]["largest_growth"] = f.growth;
  }
  return all;
}

void add(std::map<std::string, std::int64_t>& counts, json const& part) {
  for (auto const& [text, count] : part.items()) counts[text] += count.get<std::int64_t>();
}

void add(Table& sums, json const& part) {
  for (auto const& [name, f] : part.items()) {
    auto& s = sums[name];
    add(s.taken, f.at("how"));
    s.seconds += f.at("seconds").get<double>();
    add(s.returned, f.at("reasons"));
    s.seconds_returned += f.at("handed_back_seconds").get<double>();
    s.inner += f.at("inside_scalapack").get<std::int64_t>();
    s.growth = std::max(s.growth, f.value("largest_growth", 0.0));
  }
}

std::string in_words(Table const& t) {
  std::int64_t taken = 0;
  std::int64_t returned = 0;
  std::int64_t inner = 0;
  for (auto const& [_, f] : t) {
    taken += sum(f.taken);
    returned += sum(f.returned);
    inner += f.inner;
  }
  auto text = fmt::format("allport: ScaLAPACK on {} ranks: {} calls taken, {} handed back, {} inside ScaLAPACK\n",
                          gathered_ranks, taken, returned, inner);
  for (auto const& [name, f] : t) {
    text += fmt::format("allport:   {:<8} {:>7} taken, {:>10.4f} s; {:>7} handed back, {:>10.4f} s; {:>7} inside\n",
                        name, sum(f.taken), f.seconds, sum(f.returned), f.seconds_returned, f.inner);
    if (f.growth > 0) text += fmt::format("allport:     largest growth {:.3g}\n", f.growth);
    for (auto const& [how, count] : f.taken) text += fmt::format("allport:     {:>7} x taken: {}\n", count, how);
    for (auto const& [why, count] : f.returned) text += fmt::format("allport:     {:>7} x back: {}\n", count, why);
  }
  return text;
}

/// The MPI drop-in's file name is its own, whatever it was preloaded with.
bool has_mpi_dropin() {
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void*) {
               return object->dlpi_name != nullptr && std::strstr(object->dlpi_name, "liballport_mpi-") != nullptr ? 1
                                                                                                                   : 0;
             },
             nullptr) != 0;
}

/// Under "scalapack" of what the MPI drop-in wrote, where that is loaded too and shares the file.
void write_file(std::string const& path, json const& content) {
  json whole = json::object();
  if (std::ifstream old(path); old && has_mpi_dropin()) {
    whole = json::parse(old, nullptr, false);
    if (!whole.is_object()) whole = json::object();
  }
  whole["scalapack"] = content;
  std::ofstream file(path);
  file << whole.dump(2) << '\n';
  if (!file.flush()) fmt::print(stderr, "allport: warning: ALLPORT_REPORT = '{}': cannot be written\n", path);
}

}  // namespace

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void count_taken(std::string const& routine, Grid const& grid, std::string const& how, double seconds) {
  if (!counting() || !grid.is_first()) return;
  auto& f = table[routine];
  ++f.taken[how];
  f.seconds += seconds;
}

void count_returned(std::string const& routine, Grid const& grid, std::string const& why, double seconds) {
  // Where there is no grid, the call is one process's own.
  if (!counting() || (grid.has_me() && !grid.is_first())) return;
  auto& f = table[routine];
  ++f.returned[why];
  f.seconds_returned += seconds;
}

void count_inner(std::string const& routine, Int const* desc) {
  if (counting() && what_blacs_lacks().empty() && grid_of(desc[1]).is_first()) ++table[routine].inner;
}

void count_growth(std::string const& routine, Grid const& grid, double growth) {
  if (!counting() || !grid.is_first() || !std::isfinite(growth)) return;
  table[routine].growth = std::max(table[routine].growth, growth);
}

void gather_report() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &gathered_ranks);
  int wanted = counting() ? 1 : 0;
  MPI_Bcast(&wanted, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (wanted == 0) return;
  auto const mine = to_json(table).dump();
  auto const length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(gathered_ranks));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> begins(lengths.size() + 1);
  for (std::size_t r = 0; r < lengths.size(); ++r) begins[r + 1] = begins[r] + lengths[r];
  std::string all(static_cast<std::size_t>(begins.back()), ' ');
  MPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), begins.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  gathered.emplace();
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    add(*gathered, json::parse(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(lengths[r]))));
  }
}

void write_report() {
  if (!gathered) return;
  if (report_wanted() == "1") {
    fmt::print(stderr, "{}", in_words(*gathered));
    std::fflush(stderr);
  } else {
    write_file(report_wanted(), {{"ranks", gathered_ranks}, {"routines", to_json(*gathered)}});
  }
  gathered.reset();
}

}  // namespace allport::scalapack
