#include "together.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include "index.h"

namespace allport::pattern {

namespace {

/// A rank's part in one group.
struct GroupMember {
  std::int32_t concurrent = 0;
  std::int32_t group = 0;  // of that schedule
  Rank rank = 0;           // of the schedule
  std::int32_t first_channel = 0;
};

/// Shared by all programs; immutable once built.
struct Table {
  std::shared_ptr<Flows const> out;
  std::shared_ptr<std::vector<Concurrent> const> concurrent;
  Flows in;
  Cut cut;
  std::vector<std::int64_t> first_member;  // by rank, then the end
  std::vector<GroupMember> members;
};

std::int32_t channels_of(Schedule const& schedule) {
  std::int32_t channels = 0;
  Program program;
  for (Rank r = 0; r < schedule.ranks(); ++r) {
    schedule.program(r, program);
    for (auto const& op : program.ops) {
      if (op.kind == OpKind::send) channels = std::max(channels, op.channel + 1);
    }
  }
  return channels;
}

void add_members(Table& table, Rank ranks) {
  table.first_member.assign(at(ranks) + 1, 0);
  bool apart = true;  // no rank is in two groups, so channels cannot clash
  for (auto const& c : *table.concurrent) {
    for (auto const& members : c.groups) {
      for (auto const r : members) apart = ++table.first_member[at(r) + 1] == 1 && apart;
    }
  }
  for (std::size_t r = 0; r < at(ranks); ++r) table.first_member[r + 1] += table.first_member[r];
  table.members.resize(at(table.first_member.back()));
  auto next = table.first_member;
  std::int64_t channel = 1;  // 0 is that of plain messages
  for (std::size_t c = 0; c < table.concurrent->size(); ++c) {
    auto const& one = (*table.concurrent)[c];
    auto const channels = one.groups.empty() ? 0 : channels_of(one.schedule);
    for (std::size_t g = 0; g < one.groups.size(); ++g) {
      ensure(channel + channels <= std::numeric_limits<std::int32_t>::max(), "groups",
             static_cast<std::int64_t>(one.groups.size()), "fewer groups that share ranks");
      for (std::size_t i = 0; i < one.groups[g].size(); ++i) {
        table.members[at(next[at(one.groups[g][i])]++)] = {static_cast<std::int32_t>(c), static_cast<std::int32_t>(g),
                                                           static_cast<Rank>(i), static_cast<std::int32_t>(channel)};
      }
      if (!apart) channel += channels;
    }
  }
}

void add_messages(Table const& table, Rank rank, Program& into) {
  auto const end = [&](OpKind kind, Flow const& flow) {
    Op op;
    op.kind = kind;
    op.peer = flow.peer;
    op.length = flow.bytes;
    op.segment = std::min(flow.bytes, table.cut.segment);
    auto const whole = RankBox{0, std::max(0, table.out->ranks() - 1)};
    op.piece = {whole, whole, {0, flow.bytes}, false};
    (kind == OpKind::send ? op.from : op.into) = {Buffer::scratch, 0, into.scratch};
    into.scratch += flow.bytes;
    into.ops.push_back(op);
  };
  for (auto const& flow : table.in.of(rank)) end(OpKind::receive, flow);
  for (auto const& flow : table.out->of(rank)) end(OpKind::send, flow);
}

// Adds a group member's program with global ranks and channels; its input and output become scratch.
void add_member(Table const& table, GroupMember const& member, Program& into) {
  auto const& one = (*table.concurrent)[at(member.concurrent)];
  auto const& members = one.groups[at(member.group)];
  auto program = one.schedule.program(member.rank);
  auto const& contract = one.schedule.contract();
  auto const input = into.scratch + program.scratch;
  auto const output = input + contract.input_bytes(member.rank);
  auto const first = static_cast<std::int32_t>(into.ops.size());
  auto const moved = [&](Slot& slot) {
    if (slot.buffer == Buffer::none) return;
    slot.offset += slot.buffer == Buffer::input ? input : slot.buffer == Buffer::output ? output : into.scratch;
    slot.buffer = Buffer::scratch;
  };
  for (auto& op : program.ops) {
    if (op.peer >= 0) op.peer = members[at(op.peer)];
    op.port = -1;
    op.channel += member.first_channel;
    moved(op.from);
    moved(op.with);
    moved(op.into);
    for (auto& dependence : op.after) dependence.op += first;
    into.ops.push_back(op);
  }
  into.scratch = output + contract.output_bytes(member.rank);
}

}  // namespace

Schedule together(std::string const& name, std::shared_ptr<Flows const> const& direct,
                  std::shared_ptr<std::vector<Concurrent> const> const& concurrent, Cut cut) {
  ensure(cut.segment >= 1, "segment", cut.segment, "at least 1 byte");
  ensure(cut.window >= 1, "window", cut.window, "at least 1 segment");
  auto table = std::make_shared<Table>();
  table->out = direct;
  table->concurrent = concurrent;
  table->in = direct->reversed();
  for (auto const& c : *concurrent) cut.window = std::max(cut.window, c.schedule.cut().window);
  table->cut = cut;
  add_members(*table, direct->ranks());
  Contract none;
  none.what = Collective::none;
  none.ranks = direct->ranks();
  return {name, none, cut, 1, [table = std::shared_ptr<Table const>(std::move(table))](Rank r, Program& into) {
            add_messages(*table, r, into);
            for (auto i = table->first_member[at(r)]; i < table->first_member[at(r) + 1]; ++i) {
              add_member(*table, table->members[at(i)], into);
            }
          }};
}

}  // namespace allport::pattern
