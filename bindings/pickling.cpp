// What pickles are made of: schedules as tables, and what plans were planned from. python/allport/pickling.py has the
// rest.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>

#include "allport/linalg/cholesky_plan.h"
#include "allport/linalg/gemm.h"
#include "allport/linalg/lu.h"
#include "allport/linalg/qr_plan.h"
#include "allport/schedule/linked.h"
#include "bindings.h"

namespace allport::python {
namespace {

using namespace nb::literals;
using Numbers = std::vector<std::int64_t>;

// Integers of an operation: 13 of its own and of its piece, 3 of each slot, then how many it waits for, and each.
constexpr std::size_t op_width = 13 + 9 + 1 + 2 * Dependences::capacity;

void put(Numbers& into, Op const& op) {
  auto const end = into.size() + op_width;
  into.insert(into.end(), {static_cast<std::int64_t>(op.kind), op.port, op.peer, op.channel, op.length, op.segment,
                           op.piece.sources.lo, op.piece.sources.hi, op.piece.destinations.lo, op.piece.destinations.hi,
                           op.piece.bytes.begin, op.piece.bytes.end, op.piece.combined ? 1 : 0});
  for (auto const* slot : {&op.from, &op.with, &op.into}) {
    into.insert(into.end(), {static_cast<std::int64_t>(slot->buffer), slot->ring, slot->offset});
  }
  into.push_back(static_cast<std::int64_t>(op.after.size()));
  for (auto const& d : op.after) into.insert(into.end(), {d.op, d.lag});
  into.resize(end);
}

std::int64_t within(std::int64_t value, std::int64_t lo, std::int64_t hi) {
  ensure(value >= lo && value <= hi, "pickle", value, "a schedule that was pickled", "", ErrorKind::io);
  return value;
}

Op taken(std::int64_t const* n) {
  auto const narrow = [](std::int64_t value) { return static_cast<std::int32_t>(within(value, -1, INT32_MAX)); };
  Op op;
  op.kind = static_cast<OpKind>(within(n[0], 0, static_cast<int>(OpKind::copy)));
  op.port = static_cast<std::int8_t>(within(n[1], -1, 127));
  op.peer = narrow(n[2]);
  op.channel = narrow(n[3]);
  op.length = n[4];
  op.segment = n[5];
  op.piece = {{narrow(n[6]), narrow(n[7])}, {narrow(n[8]), narrow(n[9])}, {n[10], n[11]}, n[12] != 0};
  for (auto* slot : {&op.from, &op.with, &op.into}) {
    auto const* s = n + 13 + 3 * (slot == &op.from ? 0 : slot == &op.with ? 1 : 2);
    *slot = {static_cast<Buffer>(within(s[0], 0, static_cast<int>(Buffer::scratch))), narrow(s[1]), s[2]};
  }
  auto const waits = within(n[22], 0, Dependences::capacity);
  for (std::int64_t d = 0; d < waits; ++d) op.after.add(narrow(n[23 + 2 * d]), narrow(n[24 + 2 * d]));
  return op;
}

nb::bytes packed(Program const& program) {
  Numbers numbers{program.scratch};
  for (auto const& op : program.ops) put(numbers, op);
  return nb::bytes(numbers.data(), numbers.size() * sizeof(std::int64_t));
}

Program unpacked(nb::bytes const& bytes) {
  auto const count = bytes.size() / sizeof(std::int64_t);
  ensure(bytes.size() % sizeof(std::int64_t) == 0 && count % op_width == 1, "pickle", bytes.size(),
         "a schedule that was pickled", "", ErrorKind::io);
  Numbers numbers(count);
  std::memcpy(numbers.data(), bytes.c_str(), bytes.size());
  Program program;
  program.scratch = within(numbers[0], 0, INT64_MAX);
  for (std::size_t i = 1; i < count; i += op_width) program.ops.push_back(taken(&numbers[i]));
  return program;
}

nb::dict state_of(Schedule const& schedule) {
  auto const& c = schedule.contract();
  nb::dict d;
  d["algorithm"] = schedule.algorithm();
  d["what"] = static_cast<int>(c.what);
  d["numbers"] =
      Numbers{c.ranks, c.root, c.bytes, c.element, schedule.cut().segment, schedule.cut().window, schedule.trees()};
  Numbers blocks;
  for (std::int64_t b = 0; c.blocks && b < c.blocks->entries(); ++b) blocks.push_back(c.blocks->bytes(b));
  d["blocks"] = blocks;
  d["targets"] = c.targets ? nb::cast(*c.targets) : nb::none();
  Numbers buffers;
  for (std::size_t r = 0; c.buffers && r < c.buffers->size(); ++r) {
    buffers.insert(buffers.end(), {(*c.buffers)[r].input, (*c.buffers)[r].output});
  }
  d["buffers"] = buffers;
  nb::list programs;
  for (Rank r = 0; r < c.ranks; ++r) programs.append(packed(schedule.program(r)));
  d["programs"] = programs;
  return d;
}

Schedule schedule_of(std::string const& algorithm, int what, Numbers const& numbers, Numbers const& blocks,
                     std::optional<std::vector<Rank>> const& targets, Numbers const& buffers,
                     nb::list const& programs) {
  ensure(numbers.size() == 7, "pickle", numbers.size(), "7 numbers of a schedule", "", ErrorKind::io);
  auto const ranks = static_cast<Rank>(within(numbers[0], 1, INT32_MAX));
  Contract c{static_cast<Collective>(within(what, 0, static_cast<int>(Collective::none))), ranks,
             static_cast<Rank>(within(numbers[1], 0, INT32_MAX)), numbers[2], numbers[3]};
  if (!blocks.empty()) {
    c.blocks = c.what == Collective::alltoall ? BlockTable::per_pair(blocks, ranks) : BlockTable::per_rank(blocks);
  }
  if (targets) c.targets = std::make_shared<std::vector<Rank> const>(*targets);
  if (!buffers.empty()) {
    std::vector<Extents> extents;
    for (std::size_t r = 0; r + 1 < buffers.size(); r += 2) extents.push_back({buffers[r], buffers[r + 1]});
    c.buffers = std::make_shared<std::vector<Extents> const>(std::move(extents));
  }
  c.check();
  Cut const cut{numbers[4], static_cast<std::int32_t>(within(numbers[5], 1, INT32_MAX))};
  auto all = std::make_shared<std::vector<Program>>();
  within(static_cast<std::int64_t>(programs.size()), ranks, ranks);
  for (auto const one : programs) {
    all->push_back(unpacked(nb::cast<nb::bytes>(one)));
    auto const r = static_cast<Rank>(all->size() - 1);
    check_program(all->back(), r, ranks, extents(c, r));
  }
  return {algorithm, c, cut, static_cast<int>(within(numbers[6], 0, INT32_MAX)),
          [all](Rank r, Program& into) { into = (*all)[static_cast<std::size_t>(r)]; }};
}

nb::object name_or_none(std::string const& name) { return name.empty() ? nb::none() : nb::cast(name); }

/// What the options of gemm and LU have in common.
template <class Options>
nb::dict common_options(Options const& o) {
  nb::dict d;
  d["algorithm"] = name_or_none(o.algorithm);
  d["grid"] = o.grid.rows > 0 ? nb::object(nb::make_tuple(o.grid.rows, o.grid.cols, o.grid.layers)) : nb::none();
  d["order"] = name_or_none(o.order);
  d["memory"] = o.memory.value();
  d["tree"] = o.tree ? nb::cast(std::string(name(*o.tree))) : nb::none();
  d["candidates"] = o.candidates;
  d["mapping"] = o.mapping ? nb::cast(o.mapping->list()) : nb::none();
  return d;
}

std::string letter(Scalar type) { return {"sdcz"[static_cast<std::size_t>(type)]}; }
std::string letter(Trans trans) { return {static_cast<char>(trans)}; }

void ensure_not_given(bool is_given) {
  ensure(!is_given, "plan", "one for a matrix that lies somewhere", "a plan that places the matrix itself",
         "plan again", ErrorKind::unsupported);
}

/// Arguments of the problem, the machine, and options by name: what _native's plan_...() takes.
nb::tuple planned_from(GemmPlan const& p) {
  ensure_not_given(p.options.given.has_value());
  auto options = common_options(p.options);
  options["panel"] = p.options.panel;
  auto const& q = p.problem;
  return nb::make_tuple(nb::make_tuple(q.m, q.n, q.k, letter(q.type), letter(q.trans_a), letter(q.trans_b)), p.machine,
                        options);
}

nb::tuple planned_from(LuPlan const& p) {
  ensure_not_given(p.options.given.has_value());
  auto options = common_options(p.options);
  options["panel"] = p.options.panel;
  options["nb"] = p.options.nb;
  options["outer_panel"] = p.options.outer_panel;
  auto const& q = p.problem;
  return nb::make_tuple(nb::make_tuple(q.m, q.n, letter(q.type), std::string(name(q.pivoting))), p.machine, options);
}

template <class Options>
nb::dict tiled_options(Options const& o) {
  ensure_not_given(o.given.has_value());
  nb::dict d;
  d["grid"] = o.grid.rows > 0 ? nb::object(nb::make_tuple(o.grid.rows, o.grid.cols)) : nb::none();
  d["order"] = name_or_none(o.order);
  d["nb"] = o.nb;
  d["workers"] = o.workers;
  d["memory"] = o.memory.value();
  d["candidates"] = o.candidates;
  return d;
}

nb::tuple planned_from(CholeskyPlan const& p) {
  auto const& q = p.problem;
  std::string const uplo{static_cast<char>(q.uplo)};
  return nb::make_tuple(nb::make_tuple(q.n, letter(q.type), uplo), p.machine, tiled_options(p.options));
}

nb::tuple planned_from(QrPlan const& p) {
  auto const& q = p.problem;
  return nb::make_tuple(nb::make_tuple(q.m, q.n, letter(q.type)), p.machine, tiled_options(p.options));
}

template <class Plan>
void bind_planned(nb::module_& m) {
  m.def(
      "planned_from", [](Plan const& plan) { return planned_from(plan); }, "plan"_a,
      "Arguments of the problem, the machine, and the options by name.");
}

}  // namespace

void bind_pickling(nb::module_& m) {
  m.def("schedule_state", state_of, "schedule"_a, nb::sig("def schedule_state(schedule: Schedule) -> dict"));
  m.def("schedule_of_state", schedule_of, "algorithm"_a, "what"_a, "numbers"_a, "blocks"_a, "targets"_a.none(),
        "buffers"_a, "programs"_a);
  bind_planned<GemmPlan>(m);
  bind_planned<LuPlan>(m);
  bind_planned<CholeskyPlan>(m);
  bind_planned<QrPlan>(m);
}

}  // namespace allport::python
