// The C interface: loops by teams of threads, and where ranks should go.
#include <memory>
#include <utility>
#include <vector>

#include "allport/loops/cores.h"
#include "allport/loops/team.h"
#include "allport/mapping/orders.h"
#include "allport/mapping/score.h"
#include "allport/select/rank_order.h"
#include "loop_options.h"
#include "options.h"

struct allport_team_s {
  allport::loops::Team team;
};

using namespace allport;
using namespace allport::c_interface;

namespace allport::c_interface {

loops::LoopSchedule schedule_named(std::string const& text, std::string const& key) {
  if (text == "static") return loops::LoopSchedule::static_;
  if (text == "dynamic") return loops::LoopSchedule::dynamic;
  if (text == "guided") return loops::LoopSchedule::guided;
  throw Error::argument("options: " + key, show(text), "static, dynamic or guided");
}

loops::LoopOptions loop_options(char const* text) {
  loops::LoopOptions options;
  read_options(text, "schedule= or chunk=", [&](std::string const& key, std::string const& value) {
    if (key == "chunk") {
      options.chunk = whole_number(value, key);
      ensure(options.chunk >= 0, "options: chunk", options.chunk, "0 (chosen) or more iterations");
    } else if (key == "schedule") {
      options.schedule = schedule_named(value, key);
    } else {
      return false;
    }
    return true;
  });
  return options;
}

}  // namespace allport::c_interface

extern "C" {

int allport_team_create(int* threads, allport_team* created) {
  return made(created, [&] {
    auto& wanted = place(threads, "threads");
    ensure(wanted >= 0 && wanted <= 4096, "threads", wanted, "0 (one for each processor) to 4096");
    if (wanted == 0) wanted = loops::processors();
    return new allport_team_s{loops::Team(wanted - 1)};
  });
}

int allport_team_free(allport_team* team) { return freed(team, "team"); }

int allport_parallel_for(allport_team team, int64_t begin, int64_t end, allport_loop_body body, void* context,
                         char const* options) {
  return guarded([&] {
    auto& on = the(team, "team").team;
    ensure(body != nullptr, "body", "NULL", "a function");
    ensure(begin >= 0 || end <= 0 || end <= INT64_MAX + begin, "end", end, "less than 2^63 iterations");
    on.parallel_for(
        loops::Range{begin, end}, [&](loops::Range chunk) { body(chunk.begin, chunk.end, context); },
        loop_options(options));
  });
}

int allport_map_ranks(char const* machine, int ranks, int64_t messages, int const* from, int const* to,
                      int64_t const* bytes, char const* order_name, int* places, double* seconds) {
  return guarded([&] {
    ensure(machine != nullptr, "machine", "NULL", "a spec such as \"torus:4x4\", or a machine file");
    ensure(ranks >= 1, "ranks", ranks, "at least 1");
    ensure(messages >= 0, "messages", messages, "0 or more");
    bool const given = from != nullptr && to != nullptr && bytes != nullptr;
    ensure(given || messages == 0, "from, to, bytes", "NULL", "so many numbers each");
    ensure(places != nullptr, "places", "NULL", "a place for as many numbers as there are ranks");
    ensure(seconds != nullptr, "seconds", "NULL", "a place for the prediction");
    std::vector<Message> all;
    for (std::int64_t i = 0; i < messages; ++i) all.push_back({from[i], to[i], bytes[i]});
    auto const on = Machine::parse(machine);
    auto const pattern = Pattern::of_messages("messages of the caller", ranks, all);
    MappingTask const task(on, pattern);
    std::vector<Rank> found;
    if (order_name != nullptr) {
      auto ordered = order(order_name).make(task);
      ensure(ordered.why_not.empty(), "order", order_name, "one that can serve: " + ordered.why_not, "",
             ErrorKind::unsupported);
      found = std::move(ordered.places);
    } else {
      found = choose_order(task).chosen().places;
    }
    *seconds = score(on, pattern, found).predicted.value();
    std::copy(found.begin(), found.end(), places);
  });
}

}  // extern "C"
