#include "calibrate_links.h"

#include <algorithm>
#include <utility>

#include "mpi_errors.h"

namespace allport::engine {

Links::Links(MPI_Comm comm, Machine const& machine, Rank position, std::vector<Rank> ranks, std::int64_t longest)
    : comm_(comm),
      machine_(machine),
      position_(position),
      ranks_(std::move(ranks)),
      out_(static_cast<std::size_t>(longest), std::byte{1}),
      in_(static_cast<std::size_t>(2 * machine.axes())) {}

std::optional<Rank> Links::rank_behind(Port port) const {
  auto const node = machine_.neighbour(machine_.node_of(position_), port);
  if (!node) return std::nullopt;
  return ranks_[static_cast<std::size_t>(*node * machine_.ranks_per_node())];
}

void Links::complete() {
  check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall",
        position_);
  requests_.clear();
}

void Links::exchange(std::span<Port const> ports, std::int64_t bytes) {
  if (!speaks()) return;
  auto const in_pieces = [bytes, piece = piece_ > 0 ? piece_ : bytes](std::byte* data, auto&& start) {
    std::int64_t at = 0;
    do {
      auto const length = std::min(bytes - at, piece);
      start(data + at, static_cast<int>(length));
      at += length;
    } while (at < bytes);
  };
  for (auto const p : ports) {
    auto& into = in_[static_cast<std::size_t>(p)];
    if (into.size() < out_.size()) into.resize(out_.size());
    auto const from = rank_behind(static_cast<Port>(p ^ 1));
    if (!from) continue;
    in_pieces(into.data(), [&](std::byte* data, int length) {
      check(MPI_Irecv(data, length, MPI_BYTE, *from, p, comm_, &requests_.emplace_back()), "MPI_Irecv", position_,
            *from);
    });
  }
  for (auto const p : ports) {
    auto const to = rank_behind(p);
    if (!to) continue;
    in_pieces(out_.data(), [&](std::byte* data, int length) {
      check(MPI_Isend(data, length, MPI_BYTE, *to, p, comm_, &requests_.emplace_back()), "MPI_Isend", position_, *to);
    });
  }
  complete();
}

void Links::burst(Port port, std::int64_t bytes, int count) {
  if (!speaks()) return;
  auto const from = rank_behind(static_cast<Port>(port ^ 1));
  auto const to = rank_behind(port);
  auto& into = in_[static_cast<std::size_t>(port)];
  if (into.size() < out_.size()) into.resize(out_.size());
  auto const length = static_cast<int>(bytes);
  for (int i = 0; i < count && from; ++i) {
    check(MPI_Irecv(into.data() + i * bytes, length, MPI_BYTE, *from, port, comm_, &requests_.emplace_back()),
          "MPI_Irecv", position_, *from);
  }
  for (int i = 0; i < count && to; ++i) {
    check(MPI_Isend(out_.data() + i * bytes, length, MPI_BYTE, *to, port, comm_, &requests_.emplace_back()),
          "MPI_Isend", position_, *to);
  }
  complete();
}

void Links::ping_pong(int axis, int hops, std::int64_t bytes) {
  auto const ppn = machine_.ranks_per_node();
  auto const far = static_cast<Rank>(hops * machine_.stride(axis) * ppn);
  if (position_ != 0 && position_ != far) return;
  auto const other = ranks_[static_cast<std::size_t>(position_ == 0 ? far : 0)];
  auto const count = static_cast<int>(bytes);
  auto& into = in_[0];
  if (into.size() < out_.size()) into.resize(out_.size());
  auto const send = [&] {
    check(MPI_Send(out_.data(), count, MPI_BYTE, other, 1000, comm_), "MPI_Send", position_, other);
  };
  auto const receive = [&] {
    check(MPI_Recv(into.data(), count, MPI_BYTE, other, 1000, comm_, MPI_STATUS_IGNORE), "MPI_Recv", position_, other);
  };
  if (position_ == 0) send();
  receive();
  if (position_ != 0) send();
}

}  // namespace allport::engine
