#include "allport/schedule/schedule.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace allport {
namespace {

constexpr std::array<std::pair<Collective, std::string_view>, 9> names{{
    {Collective::broadcast, "bcast"},
    {Collective::reduce, "reduce"},
    {Collective::scatter, "scatter"},
    {Collective::gather, "gather"},
    {Collective::allgather, "allgather"},
    {Collective::reduce_scatter, "reduce_scatter"},
    {Collective::allreduce, "allreduce"},
    {Collective::alltoall, "alltoall"},
    {Collective::barrier, "barrier"},
}};

bool in_blocks(Collective what) {
  switch (what) {
    case Collective::scatter:
    case Collective::gather:
    case Collective::allgather:
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string_view name(Collective what) {
  for (auto const& [kind, text] : names) {
    if (kind == what) return text;
  }
  throw Error::argument("collective", std::to_string(static_cast<int>(what)), "one of the kinds of Collective");
}

Collective parse_collective(std::string_view text) {
  if (text == "broadcast") return Collective::broadcast;
  std::string known;
  for (auto const& [kind, spelling] : names) {
    if (text == spelling) return kind;
    known += (known.empty() ? "" : ", ") + std::string(spelling);
  }
  throw Error::argument("collective", fmt::format("'{}'", text), "one of " + known);
}

void Contract::check() const {
  ensure(ranks >= 1, "ranks", ranks, "at least 1");
  ensure(root >= 0 && root < ranks, "root", root, "a rank in 0.." + std::to_string(ranks - 1));
  ensure(bytes >= 0, "bytes", bytes, "at least 0");
  ensure(element >= 1, "element", element, "at least 1 byte", "pass the datatype's size, or 1 for data movers");
  ensure(bytes % element == 0, "bytes", bytes, "a multiple of the element's " + std::to_string(element) + " bytes");
  if (in_blocks(what)) {
    ensure(bytes <= std::numeric_limits<std::int64_t>::max() / ranks, "bytes", bytes,
           "at most 2^63 - 1 over all " + std::to_string(ranks) + " blocks", "split the message");
  }
}

std::int64_t Contract::input_bytes(Rank r) const {
  switch (what) {
    case Collective::broadcast:
    case Collective::barrier:
      return 0;
    case Collective::scatter:
      return r == root ? ranks * bytes : 0;
    case Collective::reduce_scatter:
    case Collective::alltoall:
      return ranks * bytes;
    case Collective::reduce:
    case Collective::gather:
    case Collective::allgather:
    case Collective::allreduce:
      return bytes;
  }
  return 0;
}

std::int64_t Contract::output_bytes(Rank r) const {
  switch (what) {
    case Collective::barrier:
      return 0;
    case Collective::reduce:
      return r == root ? bytes : 0;
    case Collective::gather:
      return r == root ? ranks * bytes : 0;
    case Collective::allgather:
    case Collective::alltoall:
      return ranks * bytes;
    case Collective::broadcast:
    case Collective::scatter:
    case Collective::reduce_scatter:
    case Collective::allreduce:
      return bytes;
  }
  return 0;
}

Traffic& Traffic::operator+=(Traffic const& o) {
  messages_sent += o.messages_sent;
  messages_received += o.messages_received;
  bytes_sent += o.bytes_sent;
  bytes_received += o.bytes_received;
  return *this;
}

Traffic traffic(Program const& program) {
  Traffic sum;
  for (auto const& op : program.ops) {
    if (op.kind == OpKind::send) {
      sum.messages_sent += op.segments();
      sum.bytes_sent += op.length;
    } else if (op.kind == OpKind::receive) {
      sum.messages_received += op.segments();
      sum.bytes_received += op.length;
    }
  }
  return sum;
}

}  // namespace allport
