// The C interface: schedules, which are chosen, explained, proven, simulated and run.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allport/schedule/json.h"
#include "allport/select/mpi_price.h"
#include "allport/sim.h"
#include "allport/verify/verify.h"
#include "plan_handles.h"
#include "requests.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

struct ScheduleWanted {
  SelectOptions options;
  std::int64_t element = 1;
};

ScheduleWanted schedule_wanted(char const* text) {
  ScheduleWanted wanted;
  read_options(text,
               "algorithm=, segment=, window= or element=", [&](std::string const& key, std::string const& value) {
                 if (key == "algorithm") {
                   wanted.options.algorithm = value;
                 } else if (key == "segment") {
                   wanted.options.segments = {whole_number(value, key)};
                 } else if (key == "window") {
                   auto const window = whole_number(value, key);
                   ensure(window >= 1 && window <= 1 << 20, "options: window", window, "1..1048576 segments in flight");
                   wanted.options.window = static_cast<std::int32_t>(window);
                 } else if (key == "element") {
                   wanted.element = whole_number(value, key);
                 } else {
                   return false;
                 }
                 return true;
               });
  return wanted;
}

sim::Options simulation_wanted(char const* text) {
  sim::Options options;
  read_options(
      text, "sharing=, overheads=, engine=, eager= or header=", [&](std::string const& key, std::string const& value) {
        if (key == "sharing") {
          options.sharing = sim::parse_sharing(value);
        } else if (key == "overheads") {
          options.overheads = sim::parse_overheads(value);
        } else if (key == "engine") {
          options.engine = sim::parse_engine(value);
        } else if (key == "eager") {
          options.eager = whole_number(value, key);
        } else if (key == "header") {
          options.header = whole_number(value, key);
        } else {
          return false;
        }
        return true;
      });
  return options;
}

/// How many ranks a schedule for it has.
Rank ranks_on(allport_machine_s const& on) { return on.part ? on.part->ranks() : on.machine.ranks(); }

Rank root_given(allport_machine_s const& on, int root) {
  ensure(
      root >= 0 && root < ranks_on(on), "root", root,
      "a rank in 0.." + std::to_string(ranks_on(on) - 1) + (on.part ? " of the part of " : " of ") + on.machine.name());
  return root;
}

/// @param contract  by rank
allport_schedule_s* new_schedule(allport_machine_s const& on, Contract const& contract, SelectOptions options) {
  contract.check();
  if (on.part) {
    auto choice = on.part->choose(contract, std::move(options));
    auto schedule = on.part->schedule(choice);
    return new allport_schedule_s{std::move(schedule), on.part->machine(), on.part->places(), on.part->mapping(),
                                  std::move(choice)};
  }
  options.mapping = on.mapping;
  auto choice = choose(on.machine, contract, options);
  choice.mpi = mpi_price_of(on.machine, contract, on.mapping);
  choice.bound = lower_bound(on.machine, on.mapping ? at_places(contract, *on.mapping) : contract);
  auto schedule = make_schedule(on.machine, choice);
  return new allport_schedule_s{std::move(schedule), on.machine, {}, on.mapping, std::move(choice)};
}

std::shared_ptr<BlockTable const> blocks_given(Collective what, Rank ranks, std::int64_t const* lengths) {
  if (what != Collective::alltoall) return BlockTable::per_rank({lengths, lengths + ranks});
  return BlockTable::per_pair({lengths, lengths + static_cast<std::int64_t>(ranks) * ranks}, ranks);
}

/// What a schedule is proven and simulated on.
struct Where {
  Machine const& machine;
  std::vector<Rank> places;  ///< of its ranks; none: all of the machine
};

Where where(allport_schedule_s const& schedule, allport_machine on) {
  if (on != nullptr && on->part) return {on->part->machine(), on->part->places()};
  if (on != nullptr) return {on->machine, {}};
  ensure(schedule.machine.has_value(), "on", "NULL", "a machine: a schedule from JSON was made for none");
  return {*schedule.machine, schedule.places};
}

Rank place_of(allport_schedule_s const& schedule, Rank rank) {
  return schedule.mapping ? schedule.mapping->place(rank) : rank;
}

/// What a communicator runs a schedule with.
struct Run {
  Buffers buffers;
  Combine combine{};
};

Run run_of(Communicator const& on, Schedule const& schedule, int op, allport_type type, void const* input,
           void* output) {
  auto const& contract = schedule.contract();
  ensure(schedule.ranks() == on.size(), "schedule", std::to_string(schedule.ranks()) + " ranks",
         std::to_string(on.size()) + ", the communicator's");
  auto const place = on.position(on.rank());
  auto const in = contract.input_bytes(place);
  auto const out = contract.output_bytes(place);
  ensure(input != nullptr || in == 0, "input", "NULL", "a buffer of " + std::to_string(in) + " bytes");
  ensure(output != nullptr || out == 0, "output", "NULL", "a buffer of " + std::to_string(out) + " bytes");
  Run run{{{static_cast<std::byte const*>(input), static_cast<std::size_t>(in)},
           {static_cast<std::byte*>(output), static_cast<std::size_t>(out)}}};
  bool const promises_nothing = contract.what == Collective::none && type != ALLPORT_TYPE_NULL;  // but may combine
  if (!combines(contract.what) && !promises_nothing) return run;
  auto const with = operator_of(op, type);
  ensure(contract.element % with.element == 0, "type", std::to_string(with.element) + " bytes",
         std::to_string(contract.element) + ", the schedule's",
         "make the schedule with \"element=" + std::to_string(with.element) + "\"");
  run.combine = with.combine;
  return run;
}

}  // namespace

extern "C" {

int allport_schedule_create(allport_machine machine, char const* collective, int64_t bytes, int64_t const* blocks,
                            int root, char const* options, allport_schedule* created) {
  return made(created, [&] {
    auto const what = parse_collective(text_given(collective, "collective", "a name such as \"bcast\""));
    auto const& on = the(machine, "machine");
    auto wanted = schedule_wanted(options);
    auto const ranks = ranks_on(on);
    auto const from = root_given(on, root);
    auto const contract = blocks == nullptr
                              ? Contract{what, ranks, from, bytes, wanted.element}
                              : with_blocks(what, ranks, from, blocks_given(what, ranks, blocks), wanted.element);
    return new_schedule(on, contract, std::move(wanted.options));
  });
}

int allport_schedule_from_json(char const* text, allport_schedule* created) {
  return made(created, [&] {
    return new allport_schedule_s{schedule_from_json(text_given(text, "text", "the \"json\" of a schedule"))};
  });
}

int allport_schedule_free(allport_schedule* schedule) { return freed(schedule, "schedule"); }

int allport_schedule_query(allport_schedule schedule, int rank, allport_schedule_info* info) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    auto const& contract = of.schedule.contract();
    auto const& choice = of.choice;
    ensure(rank >= -1 && rank < of.schedule.ranks(), "rank", rank,
           "a rank in 0.." + std::to_string(of.schedule.ranks() - 1) + ", or -1");
    auto const moved = rank < 0 ? Traffic{} : traffic(of.schedule.program(place_of(of, rank)));
    place(info, "info") = {.seconds = choice && choice->best.priced() ? choice->best.predicted.value() : -1.0,
                           .bound = choice && choice->bound ? choice->bound->value() : -1.0,
                           .mpi = choice && choice->mpi ? choice->mpi->time.value() : -1.0,
                           .ranks = contract.ranks,
                           .root = of.mapping ? of.mapping->inverse().place(contract.root) : contract.root,
                           .window = of.schedule.cut().window,
                           .trees = of.schedule.trees(),
                           .bytes = contract.bytes,
                           .segment = of.schedule.cut().segment,
                           .messages_sent = moved.messages_sent,
                           .bytes_sent = moved.bytes_sent,
                           .messages_received = moved.messages_received,
                           .bytes_received = moved.bytes_received};
  });
}

char const* allport_schedule_text(allport_schedule schedule, char const* what) {
  return text_or_null([&] {
    auto& of = the(schedule, "schedule");
    constexpr auto known = "\"collective\", \"algorithm\", \"reason\", \"choice\" or \"json\"";
    auto const wanted = text_given(what, "what", known);
    if (wanted == "collective") return name(of.schedule.contract().what).data();  // a literal
    if (wanted == "algorithm") return of.schedule.algorithm().c_str();
    if (wanted == "reason") return of.reason.get([&] { return of.choice ? explain(*of.choice) : std::string(); });
    if (wanted == "choice") return of.choice_json.get([&] { return of.choice ? to_json(*of.choice) : std::string(); });
    if (wanted == "json") return of.json.get([&] { return to_json(of.schedule); });
    throw Error::argument("what", show(wanted), known);
  });
}

int allport_schedule_verify(allport_schedule schedule, allport_machine on) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    verify::Options options;
    options.links = false;
    options.max_findings = 1;
    auto const at = where(of, on);
    for (auto const place : at.places) options.placement.push_back(at.machine.node_of(place));
    auto const report = verify::prove(of.schedule, at.machine, options);
    if (!report.ok) throw Error(ErrorKind::schedule, "schedule: fails its proof: " + report.findings.at(0).message);
  });
}

int allport_schedule_simulate(allport_schedule schedule, allport_machine on, char const* options, double* seconds) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    auto& result = place(seconds, "seconds");
    auto const at = where(of, on);
    auto how = simulation_wanted(options);
    how.places = at.places;
    result = sim::simulate(of.schedule, at.machine, how).seconds;
  });
}

int allport_schedule_run(allport_comm comm, allport_schedule schedule, int op, allport_type type, void const* input,
                         void* output, char const* options, allport_request* request) {
  return guarded([&] {
    no_request_yet(request);
    auto const& on = the(comm, "comm").comm;
    auto const& what = the(schedule, "schedule").schedule;
    auto const wanted = call_options(options);
    ensure(wanted.algorithm.empty(), "options: algorithm", wanted.algorithm, "none: the schedule has its own");
    auto how = run_of(on, what, op, type, input, output);
    perform(
        wanted, request, [&] { on.run(what, how.buffers, std::move(how.combine)); },
        [&] { return on.start(what, how.buffers, std::move(how.combine)); },
        [&] { return on.prepare(what, how.buffers, std::move(how.combine)); });
  });
}

}  // extern "C"
