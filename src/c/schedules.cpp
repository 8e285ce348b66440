// The C interface: schedules, which are chosen, explained, proven, simulated and run.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "allport/schedule/json.h"
#include "allport/select/mpi_price.h"
#include "allport/sim/simulate.h"
#include "allport/verify/verify.h"
#include "calls.h"
#include "plan_handles.h"

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
  ensure(lengths != nullptr, "lengths", "NULL", "bytes of each block");
  if (what != Collective::alltoall) return BlockTable::per_rank({lengths, lengths + ranks});
  return BlockTable::per_pair({lengths, lengths + static_cast<std::int64_t>(ranks) * ranks}, ranks);
}

/// What a schedule is proven and simulated on.
struct Where {
  Machine const& machine;
  std::vector<Rank> places;  ///< of its ranks; none: all of the machine
};

Where where(allport_schedule_s const& schedule, allport_machine_handle on) {
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

Run run_of(Communicator const& on, Schedule const& schedule, int op, char type, void const* input, void* output) {
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
  bool const promises_nothing = contract.what == Collective::none && type != ' ';  // but may combine
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

int allport_schedule_create(allport_machine_handle machine, char const* collective, int64_t bytes, int root,
                            char const* options, allport_schedule_handle* created) {
  return made(created, [&] {
    auto const what = parse_collective(text_given(collective, "collective", "a name such as \"bcast\""));
    auto const& on = the(machine, "machine");
    auto wanted = schedule_wanted(options);
    return new_schedule(on, {what, ranks_on(on), root_given(on, root), bytes, wanted.element},
                        std::move(wanted.options));
  });
}

int allport_schedule_create_v(allport_machine_handle machine, char const* collective, int64_t const* lengths, int root,
                              char const* options, allport_schedule_handle* created) {
  return made(created, [&] {
    auto const what = parse_collective(text_given(collective, "collective", "a name such as \"scatter\""));
    auto const& on = the(machine, "machine");
    auto wanted = schedule_wanted(options);
    auto const ranks = ranks_on(on);
    auto const contract =
        with_blocks(what, ranks, root_given(on, root), blocks_given(what, ranks, lengths), wanted.element);
    return new_schedule(on, contract, std::move(wanted.options));
  });
}

int allport_schedule_from_json(char const* text, allport_schedule_handle* created) {
  return made(created, [&] {
    return new allport_schedule_s{schedule_from_json(text_given(text, "text", "what allport_schedule_json() gave"))};
  });
}

int allport_schedule_free(allport_schedule_handle* schedule) { return freed(schedule, "schedule"); }

char const* allport_schedule_collective(allport_schedule_handle schedule) {
  // Names are literals.
  return text_or_null([&] { return name(the(schedule, "schedule").schedule.contract().what).data(); });
}

char const* allport_schedule_algorithm(allport_schedule_handle schedule) {
  return text_or_null([&] { return the(schedule, "schedule").schedule.algorithm().c_str(); });
}

char const* allport_schedule_reason(allport_schedule_handle schedule) {
  return text_or_null([&] {
    auto& of = the(schedule, "schedule");
    return of.reason.get([&] { return of.choice ? explain(*of.choice) : std::string(); });
  });
}

char const* allport_schedule_choice(allport_schedule_handle schedule) {
  return text_or_null([&] {
    auto& of = the(schedule, "schedule");
    return of.choice_json.get([&] { return of.choice ? to_json(*of.choice) : std::string(); });
  });
}

int allport_schedule_seconds(allport_schedule_handle schedule, double* seconds, double* bound, double* mpi) {
  return guarded([&] {
    auto const& choice = the(schedule, "schedule").choice;
    place(seconds, "seconds") = choice && choice->best.priced() ? choice->best.predicted.value() : -1.0;
    place(bound, "bound") = choice && choice->bound ? choice->bound->value() : -1.0;
    place(mpi, "mpi") = choice && choice->mpi ? choice->mpi->time.value() : -1.0;
  });
}

int allport_schedule_shape(allport_schedule_handle schedule, int* ranks, int* root, int64_t* bytes, int64_t* segment,
                           int* window, int* trees) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    auto const& contract = of.schedule.contract();
    place(ranks, "ranks") = contract.ranks;
    place(root, "root") = of.mapping ? of.mapping->inverse().place(contract.root) : contract.root;
    place(bytes, "bytes") = contract.bytes;
    place(segment, "segment") = of.schedule.cut().segment;
    place(window, "window") = of.schedule.cut().window;
    place(trees, "trees") = of.schedule.trees();
  });
}

int allport_schedule_traffic(allport_schedule_handle schedule, int rank, int64_t* messages_sent, int64_t* bytes_sent,
                             int64_t* messages_received, int64_t* bytes_received) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    ensure(rank >= 0 && rank < of.schedule.ranks(), "rank", rank,
           "a rank in 0.." + std::to_string(of.schedule.ranks() - 1));
    auto const moved = traffic(of.schedule.program(place_of(of, rank)));
    place(messages_sent, "messages_sent") = moved.messages_sent;
    place(bytes_sent, "bytes_sent") = moved.bytes_sent;
    place(messages_received, "messages_received") = moved.messages_received;
    place(bytes_received, "bytes_received") = moved.bytes_received;
  });
}

int allport_schedule_verify(allport_schedule_handle schedule, allport_machine_handle on) {
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

int allport_schedule_simulate(allport_schedule_handle schedule, allport_machine_handle on, char const* options,
                              double* seconds) {
  return guarded([&] {
    auto const& of = the(schedule, "schedule");
    auto& result = place(seconds, "seconds");
    auto const at = where(of, on);
    auto how = simulation_wanted(options);
    how.places = at.places;
    result = sim::simulate(of.schedule, at.machine, how).seconds;
  });
}

char const* allport_schedule_json(allport_schedule_handle schedule) {
  return text_or_null([&] {
    auto& of = the(schedule, "schedule");
    return of.json.get([&] { return to_json(of.schedule); });
  });
}

int allport_schedule_run(allport_comm comm, allport_schedule_handle schedule, int op, char type, void const* input,
                         void* output) {
  return guarded([&] {
    auto const& on = the(comm, "comm").comm;
    auto const& what = the(schedule, "schedule").schedule;
    auto run = run_of(on, what, op, type, input, output);
    on.run(what, run.buffers, std::move(run.combine));
  });
}

int allport_schedule_start(allport_comm comm, allport_schedule_handle schedule, int op, char type, void const* input,
                           void* output, allport_transfer* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    auto const& what = the(schedule, "schedule").schedule;
    auto run = run_of(on, what, op, type, input, output);
    return new allport_transfer_s{on.start(what, run.buffers, std::move(run.combine))};
  });
}

int allport_schedule_prepare(allport_comm comm, allport_schedule_handle schedule, int op, char type, void const* input,
                             void* output, allport_persistent* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    auto const& what = the(schedule, "schedule").schedule;
    auto run = run_of(on, what, op, type, input, output);
    return new allport_persistent_s{on.prepare(what, run.buffers, std::move(run.combine))};
  });
}

}  // extern "C"
