#include "allport/sim.h"

#include <algorithm>

#include "effort.h"
#include "engine.h"
#include "recurrence.h"

namespace allport::sim {

namespace {

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

template <class Value, std::size_t n>
Value parse(std::string_view argument, std::string_view text, Word<Value> const (&words)[n]) {
  std::string all;
  for (auto const& w : words) {
    if (w.text == text) return w.value;
    all += (all.empty() ? "" : ", ") + std::string(w.text);
  }
  throw Error::argument(argument, show(text), all);
}

constexpr Word<Sharing> sharings[] = {{"fifo", Sharing::fifo}, {"fair", Sharing::fair}};
constexpr Word<Overheads> overheads[] = {{"parallel", Overheads::parallel}, {"serial", Overheads::serial}};
constexpr Word<Engine> engines[] = {
    {"auto", Engine::automatic}, {"events", Engine::events}, {"recurrence", Engine::recurrence}};

void check(Machine const& machine, Options const& options) {
  ensure(options.eager >= 0, "eager", options.eager, "at least 0 bytes");
  ensure(options.header >= 0, "header", options.header, "at least 0 bytes");
  ensure(options.most_seconds >= 0.0, "most_seconds", options.most_seconds, "at least 0");
  ensure(options.trace_limit >= 0, "trace_limit", options.trace_limit, "at least 0 records");
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    ensure(axis.length == 1 || axis.bandwidth.value() > 0.0, "machine's bandwidth", axis.bandwidth.value(),
           "more than 0 on every axis", "name a machine file or a preset that has one", ErrorKind::machine);
  }
}

// Link loads follow from the streams alone.
void count(Streams const& streams, Result& into) {
  auto const& machine = streams.machine();
  into.link_busy.assign(at(machine.link_ids()), 0.0);
  into.link_bytes.assign(at(machine.link_ids()), 0.0);
  std::vector<std::uint8_t> users(at(machine.link_ids()), 0);
  for (OpId i = 0; i < streams.size(); ++i) {
    auto const& row = streams.op(i);
    if (row.kind != OpKind::send) continue;
    ++into.counts.streams;
    into.counts.messages += row.segments;
    streams.route(row, [&](LinkId l) {
      into.link_bytes[at(l)] += static_cast<double>(row.length);
      into.counts.hops += row.segments;
      if (users[at(l)] < 2 && ++users[at(l)] == 2) ++into.counts.contended;
    });
  }
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    if (into.link_bytes[at(l)] > 0.0) into.link_busy[at(l)] = into.link_bytes[at(l)] / machine.bandwidth(l).value();
  }
}

}  // namespace

Sharing parse_sharing(std::string_view text) { return parse("sharing", text, sharings); }
Overheads parse_overheads(std::string_view text) { return parse("overheads", text, overheads); }
Engine parse_engine(std::string_view text) { return parse("engine", text, engines); }

std::string_view name(Engine engine) { return std::ranges::find(engines, engine, &Word<Engine>::value)->text; }

std::string_view name(Activity activity) {
  switch (activity) {
    case Activity::send:
      return "send";
    case Activity::link:
      return "link";
    case Activity::receive:
      return "receive";
    case Activity::combine:
      return "combine";
    default:
      return "copy";
  }
}

std::vector<Record> Result::critical_path() const {
  std::vector<Record> path;
  for (auto i = last; i >= 0; i = timeline[at(i)].cause) path.push_back(timeline[at(i)]);
  std::ranges::reverse(path);
  return path;
}

Result simulate(Schedule const& schedule, Machine const& machine, Options const& options) {
  check(machine, options);
  auto const streams = Streams(schedule, machine, options);
  Result result;
  count(streams, result);
  result.engine_why = options.engine == Engine::events ? "asked for" : shared_by_streams(streams, options);
  if (result.engine_why.empty() && options.trace) result.engine_why = "the timeline is kept";
  if (options.engine == Engine::recurrence && !result.engine_why.empty()) {
    throw Error::argument("engine", "'recurrence'", "auto or events", result.engine_why, ErrorKind::unsupported);
  }
  result.engine = result.engine_why.empty() ? Engine::recurrence : Engine::events;
  check_effort(streams, options, result.engine);
  if (result.engine == Engine::recurrence) {
    run_recurrence(streams, options, result);
  } else {
    EventEngine(streams, options).run(result);
  }
  return result;
}

}  // namespace allport::sim
