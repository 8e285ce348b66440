#include "report.h"

#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "interpose/tuning.h"
#include "tuning_run.h"

namespace allport::scalapack {
namespace {

using nlohmann::json;

/// The report on rank 0 of MPI_COMM_WORLD, between gathering and writing.
struct Gathered {
  std::string to;
  interpose::Table calls;
  Memory tried;
  int ranks = 1;
};
std::optional<Gathered> gathered;

/// Whether the MPI drop-in is loaded, by its file name.
bool has_mpi_dropin() {
  return dl_iterate_phdr(
             [](dl_phdr_info* object, std::size_t, void*) {
               return object->dlpi_name != nullptr && std::strstr(object->dlpi_name, "liballport_mpi-") != nullptr ? 1
                                                                                                                   : 0;
             },
             nullptr) != 0;
}

/// Writes under "scalapack", into the report of the MPI drop-in if that is loaded and shares the file.
void write_file(std::string const& path, json content) {
  json whole = json::object();
  if (std::ifstream old(path); old && has_mpi_dropin()) {
    whole = json::parse(old, nullptr, false);
    if (!whole.is_object()) whole = json::object();
  }
  whole["scalapack"] = std::move(content);
  interpose::write("ALLPORT_REPORT", path, whole);
}

std::string in_words(Memory const& tried) {
  std::string text;
  for (auto const& [site, found] : tried) text += fmt::format("  tried: {}: {} is quickest\n", site, found.best);
  return text;
}

}  // namespace

interpose::Report& calls() {
  static interpose::Report report;
  return report;
}

void gather_report() {
  interpose::Settings const settings(MPI_COMM_WORLD, {"ALLPORT_REPORT", "ALLPORT_SELECT", "ALLPORT_SELECT_FILE"});
  bool const tries = interpose::tuning_mode_of(settings) == interpose::TuningMode::free;
  auto tried = tries ? interpose::remember(found_by_tuning(), settings[interpose::memory_variable]) : Memory();
  if (settings.report().empty()) return;
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto summed = calls().sum(MPI_COMM_WORLD);
  if (rank == 0) gathered = {settings.report(), std::move(summed), std::move(tried), ranks};
}

void write_report() {
  if (!gathered) return;
  auto const& [to, table, tried, ranks] = *gathered;
  if (to == "1") {
    auto const all = interpose::total(table);
    interpose::print(fmt::format("allport: ScaLAPACK on {} ranks: {} calls taken, {} passed on, {} inside ScaLAPACK\n",
                                 ranks, all.taken, all.passed_on(), all.inner) +
                     interpose::in_words(table) + in_words(tried));
  } else {
    json content{{"ranks", ranks}, {"routines", interpose::to_json(table)}};
    if (!tried.empty()) content["tried"] = interpose::tried(tried);
    write_file(to, std::move(content));
  }
  gathered.reset();
}

}  // namespace allport::scalapack
