#include "allport/schedule/json.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "allport/schedule/linked.h"
#include "goal_notes.h"

namespace allport {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t written_version = 1;
constexpr auto longest = std::numeric_limits<std::int64_t>::max();

Program program_of(Json const& note) {
  Program program;
  program.scratch = goal::read_integer(note, "scratch", 0, longest);
  auto const operations = note.find("operations");
  if (operations == note.end() || !operations->is_array()) {
    throw Error(ErrorKind::io, "\"operations\": expected a list");
  }
  for (auto const& one : *operations) program.ops.push_back(goal::read_operation(one));
  return program;
}

Schedule schedule_of(Json const& note) {
  auto const got = goal::read_integer(note, "allport_schedule", 1, longest);
  if (got != written_version) {
    throw Error(ErrorKind::io,
                fmt::format("\"allport_schedule\": expected {}, the version that this Allport reads, got {}",
                            written_version, got));
  }
  auto const head = goal::read_promise(note);
  auto const& contract = head.contract;
  auto const programs = note.find("programs");
  if (programs == note.end() || !programs->is_array() || programs->size() != static_cast<std::size_t>(contract.ranks)) {
    throw Error(ErrorKind::io, fmt::format("\"programs\": expected a list of {}, one a rank", contract.ranks));
  }
  auto all = std::make_shared<std::vector<Program>>();
  for (auto const& one : *programs) {
    all->push_back(program_of(one));
    auto const r = static_cast<Rank>(all->size() - 1);
    check_program(all->back(), r, contract.ranks, extents(contract, r));
  }
  return {head.algorithm, contract, head.cut, head.trees,
          [all](Rank r, Program& into) { into = (*all)[static_cast<std::size_t>(r)]; }};
}

}  // namespace

std::string to_json(Schedule const& schedule) {
  goal::Head const head{schedule.algorithm(), schedule.contract(), schedule.cut(), schedule.trees(), {}};
  auto note = goal::promise_note(head, {{"allport_schedule", written_version}});
  auto& programs = note["programs"] = Json::array();
  Program program;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    schedule.program(r, program);
    auto operations = Json::array();
    for (auto const& op : program.ops) operations.push_back(goal::operation_note(op));
    programs.push_back({{"scratch", program.scratch}, {"operations", std::move(operations)}});
  }
  return note.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Schedule schedule_from_json(std::string_view text, std::string_view origin) {
  try {
    return schedule_of(Json::parse(text));
  } catch (nlohmann::json::exception const& e) {
    throw Error(ErrorKind::io, fmt::format("{}: expected JSON that describes a schedule, got: {}", origin, e.what()));
  } catch (Error const& e) {
    throw Error(ErrorKind::io, fmt::format("{}: {}", origin, e.what()));
  }
}

}  // namespace allport
