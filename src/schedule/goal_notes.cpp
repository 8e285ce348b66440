#include "goal_notes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace allport::goal {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto most32 = std::numeric_limits<std::int32_t>::max();
constexpr std::array<std::string_view, 4> kinds{"receive", "send", "combine", "copy"};
constexpr std::array<std::string_view, 4> buffers{"none", "input", "output", "scratch"};
constexpr std::int32_t version = 1;

[[noreturn]] void fail(std::string const& text) { throw Error(ErrorKind::io, text); }

std::int64_t integer(Json const& value, std::string_view what, std::int64_t low, std::int64_t high) {
  auto const is_one = value.is_number_unsigned() ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                                                 : value.is_number_integer();
  if (is_one) {
    auto const got = value.get<std::int64_t>();
    if (got >= low && got <= high) return got;
  }
  fail(fmt::format("\"{}\": expected an integer in {}..{}, got {}", what, low, high, value.dump()));
}

Json const& entry(Json const& note, char const* key) {
  auto const found = note.find(key);
  if (found == note.end()) fail(fmt::format("expected an entry \"{}\" in {}", key, note.dump().substr(0, 80)));
  return *found;
}

Json const& list(Json const& note, char const* key, std::size_t size) {
  auto const& value = entry(note, key);
  if (!value.is_array() || value.size() != size) {
    fail(fmt::format("\"{}\": expected a list of {} entries, got {}", key, size, value.dump()));
  }
  return value;
}

std::string text(Json const& value, std::string_view what) {
  if (!value.is_string()) fail(fmt::format("\"{}\": expected a text, got {}", what, value.dump()));
  return value.get<std::string>();
}

template <std::size_t N>
std::size_t choice(Json const& value, std::string_view what, std::array<std::string_view, N> const& known) {
  auto const got = text(value, what);
  for (std::size_t i = 0; i < N; ++i) {
    if (known[i] == got) return i;
  }
  fail(fmt::format("\"{}\": expected {}, got '{}'", what, fmt::join(known, ", "), got));
}

double cost(Json const& note, char const* key) {
  auto const& value = entry(note, key);
  if (!value.is_number()) fail(fmt::format("\"{}\": expected seconds per byte, got {}", key, value.dump()));
  return value.get<double>();
}

void put_slot(Json& note, char const* key, Slot const& slot) {
  if (slot == Slot{}) return;
  note[key] = {buffers[static_cast<std::size_t>(slot.buffer)], slot.offset, slot.ring};
}

Slot read_slot(Json const& note, char const* key) {
  if (!note.contains(key)) return {};
  auto const& value = list(note, key, 3);
  return {static_cast<Buffer>(choice(value[0], key, buffers)),
          static_cast<std::int32_t>(integer(value[2], key, 0, most32)), integer(value[1], key, -most, most)};
}

RankBox read_box(Json const& piece, char const* key) {
  auto const& box = list(piece, key, 2);
  return {static_cast<Rank>(integer(box[0], key, -most32, most32)),
          static_cast<Rank>(integer(box[1], key, -most32, most32))};
}

/// The lengths of a v-variant's blocks, if the note has any.
std::shared_ptr<BlockTable const> read_blocks(Json const& note, Collective what, Rank ranks) {
  if (!note.contains("blocks")) return nullptr;
  auto const& lengths = note["blocks"];
  if (!lengths.is_array()) fail("\"blocks\": expected a list of bytes");
  std::vector<std::int64_t> bytes;
  bytes.reserve(lengths.size());
  for (auto const& l : lengths) bytes.push_back(integer(l, "blocks", 0, most));
  return what == Collective::alltoall ? BlockTable::per_pair(std::move(bytes), ranks)
                                      : BlockTable::per_rank(std::move(bytes));
}

/// Whom a broadcast is for, if not for all.
std::shared_ptr<std::vector<Rank> const> read_targets(Json const& note, Rank ranks) {
  if (!note.contains("targets")) return nullptr;
  auto const& listed = note["targets"];
  if (!listed.is_array()) fail("\"targets\": expected a list of ranks");
  std::vector<Rank> targets;
  targets.reserve(listed.size());
  for (auto const& r : listed) targets.push_back(static_cast<Rank>(integer(r, "targets", 0, ranks - 1)));
  return std::make_shared<std::vector<Rank> const>(std::move(targets));
}

std::shared_ptr<std::vector<Extents> const> read_buffers(Json const& note) {
  if (!note.contains("buffers")) return nullptr;
  std::vector<Extents> found;
  for (auto const& pair : note["buffers"]) {
    if (!pair.is_array() || pair.size() != 2)
      fail("\"buffers\": expected a list of [input, output], one for each rank");
    found.push_back({integer(pair[0], "buffers", 0, most), integer(pair[1], "buffers", 0, most)});
  }
  return std::make_shared<std::vector<Extents> const>(std::move(found));
}

}  // namespace

std::int64_t read_integer(Json const& note, char const* key, std::int64_t low, std::int64_t high) {
  return integer(entry(note, key), key, low, high);
}

void check(GoalCosts const& costs) {
  auto const fine = [](double seconds) { return std::isfinite(seconds) && seconds >= 0.0; };
  ensure(fine(costs.operator_seconds_per_byte), "operator_seconds_per_byte", costs.operator_seconds_per_byte,
         "seconds, at least 0");
  ensure(fine(costs.copy_seconds_per_byte), "copy_seconds_per_byte", costs.copy_seconds_per_byte,
         "seconds, at least 0");
}

Json promise_note(Head const& head, Json begun) {
  auto const& c = head.contract;
  auto& note = begun;
  note["collective"] = name(c.what);
  note["algorithm"] = head.algorithm;
  note["ranks"] = c.ranks;
  note["root"] = c.root;
  note["bytes"] = c.bytes;
  note["element"] = c.element;
  note["segment"] = head.cut.segment;
  note["window"] = head.cut.window;
  note["trees"] = head.trees;
  if (c.blocks) {
    auto& lengths = note["blocks"] = Json::array();
    for (std::int64_t i = 0; i < c.blocks->entries(); ++i) lengths.push_back(c.blocks->bytes(i));
  }
  if (c.targets) note["targets"] = *c.targets;
  if (c.buffers) {
    auto& sizes = note["buffers"] = Json::array();
    for (auto const& b : *c.buffers) sizes.push_back(Json::array({b.input, b.output}));
  }
  return begun;
}

std::string note(Head const& head) {
  auto note = promise_note(head, {{"allport_goal", version}});
  note["operator_seconds_per_byte"] = head.costs.operator_seconds_per_byte;
  note["copy_seconds_per_byte"] = head.costs.copy_seconds_per_byte;
  return note.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string note(Rank rank, Program const& program) {
  return Json{{"rank", rank}, {"operations", program.ops.size()}, {"scratch", program.scratch}}.dump();
}

Json operation_note(Op const& op) {
  Json note{{"kind", kinds[static_cast<std::size_t>(op.kind)]}};
  if (op.peer != -1) note["peer"] = op.peer;
  if (op.channel != 0) note["channel"] = op.channel;
  if (op.port != -1) note["port"] = op.port;
  note["length"] = op.length;
  note["segment"] = op.segment;
  put_slot(note, "from", op.from);
  put_slot(note, "with", op.with);
  put_slot(note, "into", op.into);
  note["sources"] = {op.piece.sources.lo, op.piece.sources.hi};
  note["destinations"] = {op.piece.destinations.lo, op.piece.destinations.hi};
  note["bytes"] = {op.piece.bytes.begin, op.piece.bytes.end};
  if (op.piece.combined) note["combined"] = true;
  if (!op.after.empty()) {
    auto& after = note["after"] = Json::array();
    for (auto const& d : op.after) after.push_back(Json::array({d.op, d.lag}));
  }
  return note;
}

std::string note(Op const& op) { return operation_note(op).dump(); }

Head read_promise(Json const& note) {
  Head head;
  head.algorithm = text(entry(note, "algorithm"), "algorithm");
  auto const what = text(entry(note, "collective"), "collective");
  auto& c = head.contract;
  c.what = what == name(Collective::none) ? Collective::none : parse_collective(what);
  c.ranks = static_cast<Rank>(read_integer(note, "ranks", 1, most_ranks));
  c.root = static_cast<Rank>(read_integer(note, "root", 0, c.ranks - 1));
  c.bytes = read_integer(note, "bytes", 0, most);
  c.element = read_integer(note, "element", 1, most);
  c.blocks = read_blocks(note, c.what, c.ranks);
  c.targets = read_targets(note, c.ranks);
  c.buffers = read_buffers(note);
  c.check();
  head.cut.segment = read_integer(note, "segment", 1, most);
  head.cut.window = static_cast<std::int32_t>(read_integer(note, "window", 1, most32));
  head.trees = static_cast<int>(read_integer(note, "trees", 0, most32));
  return head;
}

Head read_head(Json const& note) {
  if (auto const got = read_integer(note, "allport_goal", 1, most32); got != version) {
    fail(fmt::format("\"allport_goal\": expected {}, the version that this Allport reads, got {}", version, got));
  }
  auto head = read_promise(note);
  head.costs = {cost(note, "operator_seconds_per_byte"), cost(note, "copy_seconds_per_byte")};
  check(head.costs);
  return head;
}

Op read_operation(Json const& note) {
  Op op;
  op.kind = static_cast<OpKind>(choice(entry(note, "kind"), "kind", kinds));
  if (note.contains("peer")) op.peer = static_cast<Rank>(read_integer(note, "peer", -1, most32));
  if (note.contains("channel")) op.channel = static_cast<std::int32_t>(read_integer(note, "channel", 0, most32));
  if (note.contains("port")) op.port = static_cast<std::int8_t>(read_integer(note, "port", -1, 127));
  op.length = read_integer(note, "length", 1, most / 2);
  op.segment = read_integer(note, "segment", 1, most / 2);
  op.from = read_slot(note, "from");
  op.with = read_slot(note, "with");
  op.into = read_slot(note, "into");
  op.piece.sources = read_box(note, "sources");
  op.piece.destinations = read_box(note, "destinations");
  auto const& bytes = list(note, "bytes", 2);
  op.piece.bytes = {integer(bytes[0], "bytes", -most, most), integer(bytes[1], "bytes", -most, most)};
  if (note.contains("combined")) {
    if (!note["combined"].is_boolean()) fail("\"combined\": expected true or false");
    op.piece.combined = note["combined"].get<bool>();
  }
  if (!note.contains("after")) return op;
  if (!note["after"].is_array()) fail("\"after\": expected a list of [operation, lag]");
  for (auto const& d : note["after"]) {
    if (!d.is_array() || d.size() != 2) fail(fmt::format("\"after\": expected [operation, lag], got {}", d.dump()));
    op.after.add(static_cast<std::int32_t>(integer(d[0], "after", 0, most32)),
                 static_cast<std::int32_t>(integer(d[1], "after", Dependence::whole, most32)));
  }
  return op;
}

}  // namespace allport::goal
