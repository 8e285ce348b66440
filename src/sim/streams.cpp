#include "streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace allport::sim {

namespace {

[[noreturn]] void fail(std::string const& what) { throw Error(ErrorKind::schedule, what); }

std::string_view verb(OpKind kind) {
  switch (kind) {
    case OpKind::receive:
      return "receive from";
    case OpKind::send:
      return "send to";
    case OpKind::combine:
      return "combine";
    default:
      return "copy";
  }
}

std::string describe(Rank rank, std::int32_t index, OpKind kind, Rank peer, std::int32_t channel) {
  if (kind == OpKind::combine || kind == OpKind::copy) {
    return fmt::format("rank {}'s {}, operation {}", rank, verb(kind), index);
  }
  return fmt::format("rank {}'s {} {} on channel {}", rank, verb(kind), peer, channel);
}

}  // namespace

Streams::Streams(Schedule const& schedule, Machine const& machine, std::vector<Node> const& placement)
    : schedule_(schedule), machine_(machine), placement_(placement) {
  if (schedule.ranks() != machine.ranks() && placement.empty()) {
    throw Error::argument("schedule.ranks()", show(schedule.ranks()),
                          fmt::format("the machine's ranks, {}", machine.ranks()), "pass a placement");
  }
  if (!placement.empty()) {
    ensure(static_cast<Rank>(placement.size()) == schedule.ranks(), "placement", placement.size(),
           fmt::format("a node for each of {} ranks", schedule.ranks()));
    for (auto const n : placement) ensure(n >= 0 && n < machine.nodes(), "placement", n, "nodes of the machine");
  }
  auto program = Program();
  first_.reserve(at(schedule.ranks()) + 1);
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    first_.push_back(size());
    schedule.program(r, program);
    add(r, program);
  }
  first_.push_back(size());
  join();
  reverse_needs();
  check_links();
}

void Streams::check(Rank rank, Program const& program, std::int32_t index) const {
  auto const& op = program.ops[at(index)];
  auto const say = [&](std::string const& what) {
    fail(fmt::format("{}: {}", describe(rank, index, op.kind, op.peer, op.channel), what));
  };
  if (op.length <= 0 || op.segment <= 0) say(fmt::format("{} bytes in segments of {}", op.length, op.segment));
  if (op.segments() > std::numeric_limits<std::int32_t>::max()) {
    say(fmt::format("{} segments are more than fit; use longer ones", op.segments()));
  }
  auto const talks = op.kind == OpKind::send || op.kind == OpKind::receive;
  if (talks && (op.peer < 0 || op.peer >= schedule_.ranks() || op.peer == rank)) {
    say(fmt::format("its peer is not another rank of {}", schedule_.ranks()));
  }
  for (auto const& d : op.after) {
    if (d.op < 0 || at(d.op) >= program.ops.size() || d.lag < Dependence::whole) {
      say(fmt::format("waits for operation {} with lag {}, which is none", d.op, d.lag));
    }
  }
}

void Streams::add(Rank rank, Program const& program) {
  auto const base = size();
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    check(rank, program, static_cast<std::int32_t>(i));
    auto const& op = program.ops[i];
    auto row = Row();
    row.length = op.length;
    row.segment = std::min(op.segment, op.length);
    row.segments = static_cast<std::int32_t>(op.segments());
    row.needs = static_cast<std::uint32_t>(needs_.size());
    row.rank = rank;
    row.peer = op.peer;
    row.channel = op.channel;
    row.kind = op.kind;
    row.port = op.kind == OpKind::send && placement_.empty() ? op.port : any_port;
    for (auto const& d : op.after) needs_.push_back({base + static_cast<RowId>(d.op), d.lag});
    rows_.push_back(row);
  }
}

void Streams::join() {
  struct End {
    Rank from;
    Rank to;
    std::int32_t channel;
    RowId row;
    [[nodiscard]] auto key() const { return std::tuple(to, from, channel); }
  };
  std::vector<End> receives;  // by receiver already; each rank's few are sorted
  std::vector<std::size_t> begin(first_.size(), 0);
  for (Rank r = 0; r < schedule_.ranks(); ++r) {
    begin[at(r)] = receives.size();
    for (auto i = first(r); i < first(r + 1); ++i) {
      if (rows_[i].kind == OpKind::receive) receives.push_back({rows_[i].peer, r, rows_[i].channel, i});
    }
    std::ranges::sort(receives.begin() + static_cast<std::ptrdiff_t>(begin[at(r)]), receives.end(), {}, &End::key);
  }
  begin[at(schedule_.ranks())] = receives.size();
  for (RowId i = 0; i < size(); ++i) {
    auto& send = rows_[i];
    if (send.kind != OpKind::send) continue;
    auto const low = receives.begin() + static_cast<std::ptrdiff_t>(begin[at(send.peer)]);
    auto const high = receives.begin() + static_cast<std::ptrdiff_t>(begin[at(send.peer) + 1]);
    auto const wanted = std::tuple(send.peer, send.rank, send.channel);
    auto const found = std::ranges::lower_bound(low, high, wanted, {}, &End::key);
    if (found == high || found->key() != wanted) fail(fmt::format("{} is received by nobody", text(i)));
    auto& receive = rows_[found->row];
    if (receive.partner != no_row) fail(fmt::format("{} is one of two to the same receive", text(i)));
    if (receive.length != send.length || receive.segments != send.segments) {
      fail(fmt::format("{} has {} bytes in {} segments, its receive {} in {}", text(i), send.length, send.segments,
                       receive.length, receive.segments));
    }
    receive.partner = i;
    send.partner = found->row;
  }
  for (RowId i = 0; i < size(); ++i) {
    if (rows_[i].kind == OpKind::receive && rows_[i].partner == no_row) {
      fail(fmt::format("{} is sent by nobody", text(i)));
    }
  }
}

void Streams::reverse_needs() {
  std::vector<std::uint32_t> count(rows_.size() + 1, 0);
  for (auto const& n : needs_) ++count[n.row];
  std::uint32_t begin = 0;
  for (RowId i = 0; i < size(); ++i) {
    rows_[i].wakes = begin;
    begin += count[i];
    count[i] = rows_[i].wakes;
  }
  wakes_.resize(needs_.size());
  for (RowId i = 0; i < size(); ++i) {
    for (auto const& n : needs(i)) wakes_[count[n.row]++] = i;
  }
}

void Streams::check_links() const {
  for (RowId i = 0; i < size(); ++i) {
    auto const& row = rows_[i];
    if (row.kind != OpKind::send) continue;
    if (row.port != any_port) {
      auto const there =
          row.port >= 0 && row.port < 2 * machine_.axes() ? machine_.neighbour(node(row.rank), row.port) : std::nullopt;
      if (there != node(row.peer)) fail(fmt::format("{} leaves by port {}, which leads elsewhere", text(i), row.port));
    } else if (!machine_.has_dead_links()) {
      continue;
    }
    route(row, [&](LinkId l) {
      if (machine_.dead(l)) fail(fmt::format("{} crosses the dead link {}", text(i), machine_.link_name(l)));
    });
  }
}

LinkId Streams::next_link(Row const& row, Node here, Node target) const {
  if (row.port != any_port) return machine_.link(here, row.port);
  for (int a = 0; a < machine_.axes(); ++a) {
    auto const steps = machine_.offset(machine_.coord(here, a), machine_.coord(target, a), a);
    if (steps != 0) return machine_.link(here, port(a, steps));
  }
  return -1;
}

std::string Streams::text(RowId r) const {
  auto const& row = rows_[r];
  return describe(row.rank, index(r), row.kind, row.peer, row.channel);
}

}  // namespace allport::sim
