// Point-to-point messages: a program of one operation, whose segments are the
// messages.
#include "allport/comm/messages.h"

#include <fmt/format.h>

#include "comm_state.h"

namespace allport {
namespace {

/// Nothing for zero bytes.
std::shared_ptr<engine::TransferState> start_message(std::shared_ptr<engine::CommState> const& comm, OpKind kind,
                                                     Buffers buffers, Rank peer, int tag) {
  EngineGuard const hold(comm->lock());
  comm->ensure_alive();
  comm->ensure_rank(kind == OpKind::send ? "to" : "from", peer);
  ensure(tag >= 0 && tag < engine::TagSpace::messages, "tag", tag, "a tag in 0..4095");
  auto const length = kind == OpKind::send ? buffers.input.size() : buffers.output.size();
  if (length == 0) return nullptr;
  Program program;
  auto& op = program.ops.emplace_back();
  op.kind = kind;
  op.peer = comm->position_of(peer);
  op.length = static_cast<std::int64_t>(length);
  op.segment = longest_message.value();
  op.piece.bytes = {0, op.length};
  (kind == OpKind::send ? op.from : op.into).buffer = kind == OpKind::send ? Buffer::input : Buffer::output;
  auto state = std::make_shared<engine::TransferState>(comm, std::move(program), buffers, tag);
  state->start({.first = tag});
  return state;
}

}  // namespace

Transfer Communicator::start_send(std::span<std::byte const> data, Rank to, int tag) const {
  return Transfer(start_message(state_, OpKind::send, {data, {}}, to, tag));
}

Transfer Communicator::start_receive(std::span<std::byte> data, Rank from, int tag) const {
  return Transfer(start_message(state_, OpKind::receive, {{}, data}, from, tag));
}

}  // namespace allport
