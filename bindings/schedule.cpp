// Module schedule in Python: programs to read, and the interpreter as the reference executor.
#include "allport/schedule/schedule.h"

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>

#include "allport/machine/machine.h"
#include "allport/schedule/interpreter.h"
#include "allport/schedule/json.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;

char const* kind_text(Op const& op) {
  switch (op.kind) {
    case OpKind::receive:
      return "receive";
    case OpKind::send:
      return "send";
    case OpKind::combine:
      return "combine";
    case OpKind::copy:
      return "copy";
  }
  return "";
}

char const* buffer_text(Slot const& slot) {
  switch (slot.buffer) {
    case Buffer::input:
      return "input";
    case Buffer::output:
      return "output";
    case Buffer::scratch:
      return "scratch";
    case Buffer::none:
      return "none";
  }
  return "";
}

template <class Kind, std::size_t count>
Kind kind_named(char const* argument, std::string const& name, std::array<std::pair<char const*, Kind>, count> known) {
  std::string names;
  for (auto const& [text, kind] : known) {
    if (name == text) return kind;
    names += (names.empty() ? "'" : ", '") + std::string(text) + "'";
  }
  throw Error::argument(argument, "'" + name + "'", "one of " + names);
}

Slot slot(std::string const& buffer, std::int64_t offset, std::int32_t ring) {
  auto const kind = kind_named<Buffer, 4>(
      "buffer", buffer,
      {{{"input", Buffer::input}, {"output", Buffer::output}, {"scratch", Buffer::scratch}, {"none", Buffer::none}}});
  return {kind, ring, offset};
}

using Ends = std::pair<std::int64_t, std::int64_t>;

Piece piece(std::pair<Rank, Rank> sources, std::pair<Rank, Rank> destinations, Ends bytes, bool combined) {
  ensure(bytes.first >= 0 && bytes.second >= bytes.first, "bytes", fmt::format("{}..{}", bytes.first, bytes.second),
         "a begin of 0 or more, and an end that is not before it");
  return {{sources.first, sources.second},
          {destinations.first, destinations.second},
          {bytes.first, bytes.second},
          combined};
}

Op operation(std::string const& kind, Piece const& piece, Rank peer, std::int32_t channel, int port,
             std::optional<std::int64_t> length, std::optional<std::int64_t> segment, std::optional<Slot> source,
             std::optional<Slot> operand, std::optional<Slot> target,
             std::vector<std::pair<std::int32_t, std::int32_t>> const& after) {
  ensure(port >= -1 && port < 2 * max_axes, "port", port, fmt::format("-1 (routed), or 0..{}", 2 * max_axes - 1));
  Op op;
  op.kind = kind_named<OpKind, 4>(
      "kind", kind,
      {{{"receive", OpKind::receive}, {"send", OpKind::send}, {"combine", OpKind::combine}, {"copy", OpKind::copy}}});
  op.port = static_cast<std::int8_t>(port);
  op.peer = peer;
  op.channel = channel;
  op.length = length.value_or(piece.bytes.size());
  op.segment = std::min(segment.value_or(op.length), op.length);
  ensure(op.length > 0 && op.segment > 0, "length", op.length, "bytes, and segments of 1 or more",
         "leave out what is empty");
  op.piece = piece;
  op.from = source.value_or(Slot{});
  op.with = operand.value_or(Slot{});
  op.into = target.value_or(Slot{});
  for (auto const& [other, lag] : after) op.after.add(other, lag);
  return op;
}

std::string op_repr(Op const& op) {
  auto const peer = op.kind == OpKind::receive ? fmt::format(" from {}", op.peer)
                    : op.kind == OpKind::send  ? fmt::format(" to {}", op.peer)
                                               : std::string();
  return fmt::format("Op({}{}, channel={}, bytes={}..{}, segments={})", kind_text(op), peer, op.channel,
                     op.piece.bytes.begin, op.piece.bytes.end, op.segments());
}

void bind_operations(nb::module_& m) {
  nb::class_<Slot>(m, "Slot", "Where a stream's segments lie: one behind the other, or in a ring of a few.")
      .def(
          "__init__",
          [](Slot* self, std::string const& buffer, std::int64_t offset, std::int32_t ring) {
            new (self) Slot(slot(buffer, offset, ring));
          },
          "buffer"_a, "offset"_a = 0, "ring"_a = 0)
      .def_prop_ro("buffer", buffer_text, "'input', 'output', 'scratch' or 'none'.")
      .def_ro("ring", &Slot::ring, "Segments in the ring; 0: no ring.")
      .def_ro("offset", &Slot::offset, "Bytes.");
  nb::class_<Piece>(m, "Piece", "(sources x destinations x byte interval) that a stream carries.")
      .def(
          "__init__",
          [](Piece* self, std::pair<Rank, Rank> sources, std::pair<Rank, Rank> destinations, Ends bytes,
             bool combined) { new (self) Piece(piece(sources, destinations, bytes, combined)); },
          "sources"_a, "destinations"_a, "bytes"_a, "combined"_a = false)
      .def_prop_ro(
          "sources", [](Piece const& p) { return nb::make_tuple(p.sources.lo, p.sources.hi); },
          nb::sig("def sources(self) -> tuple[int, int]"), "Corner ranks of the box of origins.")
      .def_prop_ro(
          "destinations", [](Piece const& p) { return nb::make_tuple(p.destinations.lo, p.destinations.hi); },
          nb::sig("def destinations(self) -> tuple[int, int]"), "Corner ranks of the box of targets.")
      .def_prop_ro(
          "bytes", [](Piece const& p) { return nb::make_tuple(p.bytes.begin, p.bytes.end); },
          nb::sig("def bytes(self) -> tuple[int, int]"), "Half-open interval within each block.")
      .def_ro("combined", &Piece::combined, "Whether the bytes are a reduction over the sources.");
  nb::class_<Op>(m, "Op", "A stream of segments: receive, send, combine or copy, after what `after` names.")
      .def(
          "__init__",
          [](Op* self, std::string const& kind, Piece const& piece, Rank peer, std::int32_t channel, int port,
             std::optional<std::int64_t> length, std::optional<std::int64_t> segment, std::optional<Slot> source,
             std::optional<Slot> operand, std::optional<Slot> target,
             std::vector<std::pair<std::int32_t, std::int32_t>> const& after) {
            new (self) Op(operation(kind, piece, peer, channel, port, length, segment, source, operand, target, after));
          },
          "kind"_a, "piece"_a, nb::kw_only(), "peer"_a = -1, "channel"_a = 0, "port"_a = -1, "length"_a = nb::none(),
          "segment"_a = nb::none(), "source"_a = nb::none(), "operand"_a = nb::none(), "target"_a = nb::none(),
          "after"_a = std::vector<std::pair<std::int32_t, std::int32_t>>(),
          "length: the piece's bytes unless given; segment: at most, the whole unless given.")
      .def_prop_ro("kind", kind_text, "receive, send, combine or copy.")
      .def_prop_ro(
          "port", [](Op const& op) { return static_cast<int>(op.port); },
          "Send: 2 * axis, + 1 for the positive direction; -1: the router decides.")
      .def_ro("peer", &Op::peer, "Send, receive: the other rank, else -1.")
      .def_ro("channel", &Op::channel, "Matches the streams of one pair; channel % trees is the tree.")
      .def_ro("length", &Op::length, "Bytes of the whole stream.")
      .def_ro("segment", &Op::segment, "Bytes of one segment; the last may be short.")
      .def_prop_ro("segments", &Op::segments, "How many segments the stream has.")
      .def_ro("piece", &Op::piece, "What the stream carries.")
      .def_ro("source", &Op::from, "Read by send, combine and copy.")
      .def_ro("operand", &Op::with, "Combine: the left operand.")
      .def_ro("target", &Op::into, "Written by receive, combine and copy.")
      .def_prop_ro(
          "after",
          [](Op const& op) {
            auto list = nb::list();
            for (auto const& d : op.after) {
              list.append(nb::make_tuple(d.op, d.lag));
            }
            return list;
          },
          nb::sig("def after(self) -> list[tuple[int, int]]"),
          "(operation, lag): segment i waits for segment i - lag of that operation; lag -1: for all of it.")
      .def("__repr__", op_repr);
  nb::class_<Program>(m, "Program", "One rank's operations; their order carries no meaning beyond `after`.")
      .def(
          "__init__",
          [](Program* self, std::vector<Op> ops, std::int64_t scratch) {
            ensure(scratch >= 0, "scratch", scratch, "0 bytes or more");
            new (self) Program{std::move(ops), scratch};
          },
          "ops"_a, "scratch"_a = 0)
      .def_prop_ro(
          "ops", [](Program const& p) { return p.ops; }, nb::sig("def ops(self) -> list[Op]"))
      .def_ro("scratch", &Program::scratch, "Bytes of scratch space.")
      .def("__len__", [](Program const& p) { return p.ops.size(); })
      .def("__repr__", [](Program const& p) {
        return fmt::format("Program({} operations, {} bytes of scratch)", p.ops.size(), p.scratch);
      });
  nb::class_<Traffic>(m, "Traffic", "Messages and bytes that a rank sends and receives.")
      .def_ro("messages_sent", &Traffic::messages_sent, "Messages sent.")
      .def_ro("messages_received", &Traffic::messages_received, "Messages received.")
      .def_ro("bytes_sent", &Traffic::bytes_sent, "Bytes sent.")
      .def_ro("bytes_received", &Traffic::bytes_received, "Bytes received.")
      .def(
          "to_dict",
          [](Traffic const& t) {
            auto d = nb::dict();
            d["messages_sent"] = t.messages_sent;
            d["messages_received"] = t.messages_received;
            d["bytes_sent"] = t.bytes_sent;
            d["bytes_received"] = t.bytes_received;
            return d;
          },
          "The four numbers by name.")
      .def("__repr__", [](Traffic const& t) {
        return fmt::format("Traffic(sent {} messages, {} bytes; received {}, {})", t.messages_sent, t.bytes_sent,
                           t.messages_received, t.bytes_received);
      });
}

Rank checked_rank(Schedule const& schedule, std::int64_t rank) {
  ensure(rank >= 0 && rank < schedule.ranks(), "rank", rank, fmt::format("a rank in 0..{}", schedule.ranks() - 1));
  return static_cast<Rank>(rank);
}

/// inputs, outputs: bytes per rank; returns the outputs after the run.
std::vector<nb::bytes> run_interpreter(Schedule const& schedule, std::vector<nb::bytes> const& inputs,
                                       std::vector<nb::bytes> const& outputs, std::string const& op,
                                       std::string const& dtype, std::uint64_t seed) {
  auto const ranks = static_cast<std::size_t>(schedule.ranks());
  ensure(inputs.size() == ranks && outputs.size() == ranks, "buffers", static_cast<std::int64_t>(inputs.size()),
         fmt::format("one per rank, {}", ranks));
  auto const bytes_of = [](nb::bytes const& b) {
    auto const* data = reinterpret_cast<std::byte const*>(b.c_str());
    return std::vector<std::byte>(data, data + b.size());
  };
  auto buffers = std::vector<RankBuffers>(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    buffers[r] = {bytes_of(inputs[r]), bytes_of(outputs[r])};
  }
  auto const combine = schedule.contract().what == Collective::reduce ? combine_of(op, dtype) : Combine();
  {
    auto const unlocked = nb::gil_scoped_release();
    interpret(schedule, buffers, combine, seed);
  }
  auto results = std::vector<nb::bytes>();
  for (auto const& b : buffers) {
    results.emplace_back(b.output.data(), b.output.size());
  }
  return results;
}

}  // namespace

void bind_schedule(nb::module_& m) {
  bind_operations(m);
  nb::class_<Schedule>(m, "Schedule",
                       "A communication: a function from rank to program. Nothing is stored per rank.\n\n"
                       "Made by make_schedule(); verified, interpreted, drawn and run as it is.")
      .def_prop_ro("algorithm", &Schedule::algorithm, "Name of what made it.")
      .def_prop_ro(
          "collective", [](Schedule const& s) { return name(s.contract().what); }, "'bcast', 'reduce', ...")
      .def_prop_ro("ranks", &Schedule::ranks, "Ranks that have a program.")
      .def_prop_ro(
          "root", [](Schedule const& s) { return s.contract().root; }, "The rank that sends or receives the whole.")
      .def_prop_ro(
          "targets",
          [](Schedule const& s) {
            auto const& targets = s.contract().targets;
            return targets ? std::optional(*targets) : std::nullopt;
          },
          "Ranks that a bcast is for; None: all.")
      .def_prop_ro(
          "bytes", [](Schedule const& s) { return s.contract().bytes; }, "Bytes of the message, or of a block.")
      .def_prop_ro(
          "element", [](Schedule const& s) { return s.contract().element; }, "Bytes that are never cut apart.")
      .def_prop_ro(
          "segment", [](Schedule const& s) { return s.cut().segment; }, "Bytes of one segment at most.")
      .def_prop_ro(
          "window", [](Schedule const& s) { return s.cut().window; }, "Segments in flight per stream.")
      .def_prop_ro("trees", &Schedule::trees, "Spanning trees (or other parallel parts).")
      .def(
          "program", [](Schedule const& s, std::int64_t rank) { return s.program(checked_rank(s, rank)); }, "rank"_a,
          "The operations of one rank.")
      .def(
          "traffic", [](Schedule const& s, std::int64_t rank) { return traffic(s.program(checked_rank(s, rank))); },
          "rank"_a, "Messages and bytes of one rank.")
      .def(
          "to_json", [](Schedule const& s) { return to_json(s); },
          "The contract, the cut and every rank's operations as JSON; see docs/reference/exchange.md.")
      .def_static(
          "from_json", [](Text const& text) { return schedule_from_json(text.bytes); }, "text"_a,
          "What to_json() gave: the same schedule, operation for operation. Raises AllportError naming what is wrong.")
      .def("__repr__", [](Schedule const& s) {
        return fmt::format("Schedule({} '{}', {} ranks, root {}, {} bytes, {} trees)", name(s.contract().what),
                           s.algorithm(), s.ranks(), s.contract().root, s.contract().bytes, s.trees());
      });
  m.def("interpret", run_interpreter, "schedule"_a, "inputs"_a, "outputs"_a, "op"_a, "dtype"_a, "seed"_a);
}

}  // namespace allport::python
