#include "exchange.h"

#include <fmt/format.h>

#include "allport/comm/messages.h"
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace engine {

namespace {

/// The messages of a block: none if it is empty; else messages of `longest` bytes and a shorter one that ends the
/// block. So both sides split a block of the same length alike, and a block that is longer than expected is an error.
template <class Block>
std::vector<Block> cut(std::span<Block const> blocks, std::size_t longest) {
  std::vector<Block> messages;
  messages.reserve(blocks.size());
  for (auto const& [data, peer] : blocks) {
    if (data.empty()) continue;
    auto rest = data;
    for (; rest.size() >= longest; rest = rest.subspan(longest)) messages.push_back({rest.first(longest), peer});
    messages.push_back({rest, peer});
  }
  return messages;
}

}  // namespace

Exchange::Exchange(CommState& comm, std::span<Outgoing const> out, std::span<Incoming const> in, Bytes longest)
    : comm_(comm), longest_(longest), pending_(out.size() + in.size()) {
  for (auto const& block : out) comm_.ensure_rank("to", block.to);
  for (auto const& block : in) comm_.ensure_rank("from", block.from);
  ensure(longest.value() >= 1 && longest <= longest_message, "longest", longest, "1 byte to 1 GiB");
  out_ = cut(out, static_cast<std::size_t>(longest.value()));
  in_ = cut(in, static_cast<std::size_t>(longest.value()));
}

void Exchange::run(FunctionRef<void()> pause) {
  auto& engine = *comm_.engine;
  engine.ensure_no_operator();
  start();
  auto const poll = [this] {
    return pending_.poll([this](auto message, auto const& status, int code) { completed(message, status, code); });
  };
  wait_actively(
      engine, [this] { return pending_.empty(); }, poll,
      [this] { return pending_.empty() ? "nothing" : text_of(pending_.first()); }, comm_.context.mpi, pause);
}

void Exchange::start() {
  std::size_t number = 0;
  for (auto const& [data, from] : in_) {
    comm_.receive(data.data(), std::ssize(data), from, TagSpace::blocks, pending_.add(number++));
  }
  auto& counted = comm_.engine->counted;
  for (auto const& [data, to] : out_) {
    comm_.send(data.data(), std::ssize(data), to, TagSpace::blocks, pending_.add(number++));
    ++counted.messages_sent;
    counted.bytes_sent += static_cast<std::int64_t>(data.size());
  }
}

void Exchange::completed(std::size_t message, MPI_Status const& status, int code) {
  bool const receives = message < in_.size();
  int error_class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &error_class);
  auto const mismatch = [&](std::string const& came) {
    throw Error(ErrorKind::mismatch,
                fmt::format("rank {} expected {}, but {} arrived; counts times datatypes must agree between the ranks",
                            comm_.rank, text_of(message), came));
  };
  if (error_class == MPI_ERR_TRUNCATE) mismatch("more bytes");
  auto const peer = receives ? in_[message].from : out_[message - in_.size()].to;
  check(code, receives ? "MPI_Irecv" : "MPI_Isend", comm_.rank, peer);
  if (!receives) return;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (static_cast<std::size_t>(bytes) != in_[message].data.size()) mismatch(fmt::format("{} bytes", bytes));
  ++comm_.engine->counted.messages_received;
  comm_.engine->counted.bytes_received += bytes;
}

std::string Exchange::text_of(std::size_t message) const {
  bool const receives = message < in_.size();
  auto const peer = receives ? in_[message].from : out_[message - in_.size()].to;
  auto const bytes = receives ? in_[message].data.size() : out_[message - in_.size()].data.size();
  auto const what = bytes == static_cast<std::size_t>(longest_.value()) ? "a piece" : "a block";
  return fmt::format("{} of {} bytes {} {}", what, bytes, receives ? "from" : "to", comm_.rank_text(peer));
}

}  // namespace engine

void Communicator::exchange(std::span<Outgoing const> out, std::span<Incoming const> in, FunctionRef<void()> pause,
                            Bytes longest) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  engine::Exchange(*state_, out, in, longest).run(pause);
}

}  // namespace allport
