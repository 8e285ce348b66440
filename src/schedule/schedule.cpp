#include "allport/schedule/schedule.h"

#include <fmt/format.h>

#include <array>
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

}  // namespace

std::string_view name(Collective what) {
  if (what == Collective::none) return "none";
  for (auto const& [kind, text] : names) {
    if (kind == what) return text;
  }
  throw Error::argument("collective", std::to_string(static_cast<int>(what)), "one of the kinds of Collective");
}

bool combines(Collective what) {
  return what == Collective::reduce || what == Collective::reduce_scatter || what == Collective::allreduce;
}

bool has_root(Collective what) {
  return what == Collective::broadcast || what == Collective::reduce || what == Collective::scatter ||
         what == Collective::gather;
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
