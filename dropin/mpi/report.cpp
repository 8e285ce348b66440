#include "report.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "allport/select/select.h"
#include "base/words.h"
#include "interpose/texts.h"
#include "state.h"

namespace allport::dropin {
namespace {

using nlohmann::json;

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

/// "trees takes 1.2 ms, MPI's own 3.4 ms", the best one first.
std::string in_words(Remembered const& times) {
  auto const time = [&](std::string const& name) { return seconds_in_words(times.seconds.at(name)); };
  auto text = fmt::format("{} takes {}", times.best, time(times.best));
  for (auto const& [name, _] : times.seconds) {
    if (name != times.best) text += fmt::format(", {} {}", name, time(name));
  }
  return text;
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

std::vector<std::string> lines_of(std::vector<std::string> const& texts) {
  std::vector<std::string> lines;
  for (auto const& text : texts) {
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
  }
  return lines;
}

/// All processes' communicators by what they are, on rank 0.
std::map<std::string, int> summed_placements(State const& s) {
  std::map<std::string, int> all;
  for (auto const& text : interpose::gather_texts(MPI_COMM_WORLD, json(s.placements).dump())) {
    for (auto const& [shape, count] : json::parse(text).get<std::map<std::string, int>>()) all[shape] += count;
  }
  return all;
}

}  // namespace

interpose::Tally tally_of(Call const& call, Record const* record) {
  int rank = -1;
  if (record != nullptr) {
    rank = record->rank;
  } else if (state().counting && call.comm != MPI_COMM_NULL) {
    PMPI_Comm_rank(call.comm, &rank);
  }
  return {state().calls, name(call.what), state().counting && rank == 0};
}

interpose::Taken taken(Record& record, std::optional<Contract> const& contract, std::int64_t bytes) {
  if (!state().counting || record.rank != 0 || !contract || contract->blocks) return {{}, bytes, {}};
  // Where latency is more than the bytes need, the bound leaves out what such a call spends its time on: messages that
  // wait for messages.
  auto const bound = record.bounds.get({contract->what, contract->root, contract->bytes}, [&] {
    auto const both = record.ours->lower_bounds(*contract);
    return both && both->bandwidth >= both->latency ? both->bandwidth : Seconds{};
  });
  return {{}, bytes, *bound};
}

void write_report(Memory const& found) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  auto const& s = state();
  auto const calls = s.calls.sum(MPI_COMM_WORLD);
  auto const orders = lines_of(interpose::gather_texts(MPI_COMM_WORLD, s.orders));
  auto const placements = summed_placements(s);
  if (rank != 0) return;
  auto const* const named = std::getenv("ALLPORT_MACHINE");
  auto const machine = s.world ? s.world->machine().name() : std::string(named != nullptr ? named : "");
  if (s.report_to == "1") {
    auto const all = interpose::total(calls);
    auto text = fmt::format("allport: machine {}: {} collective calls taken, {} passed on\n",
                            machine.empty() ? "none" : machine, all.taken, all.passed_on());
    text += interpose::in_words(calls) + rates_in_words(s);
    for (auto const& [site, times] : found) text += fmt::format("allport:   {}: {}\n", site, in_words(times));
    for (auto const& [shape, count] : placements) {
      text += fmt::format("allport:   {} communicator{}: {}\n", count, count == 1 ? "" : "s", shape);
    }
    for (auto const& line : orders) text += fmt::format("allport:   {}\n", line);
    if (!s.active) text += fmt::format("allport:   nothing was taken: {}\n", s.why_inactive);
    interpose::print(text);
  } else {
    interpose::write("ALLPORT_REPORT", s.report_to,
                     {{"machine", machine},
                      {"active", s.active},
                      {"rates", rates_of(s)},
                      {"why_inactive", s.why_inactive},
                      {"ranks", ranks},
                      {"collectives", interpose::to_json(calls)},
                      {"communicators", placements},
                      {"orders", orders},
                      {"tried", interpose::tried(found)}});
  }
}

}  // namespace allport::dropin
