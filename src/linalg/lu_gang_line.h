// Communication between the members of a gang with the interface of a line of ranks, so that panels and row exchanges
// are written once for one rank and for several.
#pragma once

#include <algorithm>
#include <vector>

#include "allport/comm/messages.h"
#include "allport/graph/task_graph.h"
#include "lu_view.h"

namespace allport::lu_detail {

/// The ranks of a grid column while a gang of theirs runs, or one rank alone.
class GangLine {
 public:
  /// A message that has not been received yet.
  struct Pending {
    int from = -1;
    std::span<std::byte> into{};
  };

  /// @param gang  may be null if the line has one rank
  GangLine(int length, int index, GangContext* gang, Ledger& ledger)
      : length_(length), index_(index), gang_(gang), ledger_(ledger) {}

  [[nodiscard]] int length() const { return length_; }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] Ledger& ledger() const { return ledger_; }

  template <class T>
  Pending broadcast(int root, T* data, Index elements) const {
    if (length_ > 1) gang_->broadcast(root, bytes(data, elements));
    return {};
  }
  template <class T>
  Pending reduce(int root, T const* in, T* out, Index elements, Combine const& combine) const {
    std::vector<T> own(in, in + elements);
    if (length_ > 1) gang_->reduce(root, bytes(own.data(), elements), combine);
    if (index_ == root) std::copy(own.begin(), own.end(), out);
    return {};
  }
  template <class T>
  Pending allreduce(T const* in, T* out, Index elements, Combine const& combine) const {
    std::copy_n(in, elements, out);
    if (length_ == 1) return {};
    if (planned_) {
      gang_->allreduce(bytes(out, elements), combine);
    } else {
      combine_on_first(bytes(out, elements), combine);
    }
    return {};
  }
  /// Counts as exchanged rows: the graph plans collectives only.
  template <class T>
  Pending send(int to, T const* data, Index elements, int /*tag*/) const {
    auto left = std::as_bytes(std::span<T const>(data, static_cast<std::size_t>(elements)));
    count(static_cast<Index>(left.size()), 0);
    while (!left.empty()) {
      auto const now = std::min<std::size_t>(left.size(), longest);
      gang_->send(to, left.first(now));
      left = left.subspan(now);
    }
    return {};
  }
  template <class T>
  [[nodiscard]] Pending receive(int from, T* data, Index elements, int /*tag*/) const {
    return {from, bytes(data, elements)};
  }
  void wait(Pending const& pending) const {
    count(0, static_cast<Index>(pending.into.size()));
    for (auto left = pending.into; !left.empty();) {
      auto const got = gang_->receive(pending.from);
      std::ranges::copy(got, left.begin());
      left = left.subspan(got.size());
    }
  }
  /// Runs body(), whose collectives are not planned by the graph.
  template <class Body>
  auto unplanned(Body const& body) const {
    planned_ = false;
    auto result = body();
    planned_ = true;
    return result;
  }

 private:
  static constexpr std::size_t longest = std::size_t(1) << 29;

  template <class T>
  static std::span<std::byte> bytes(T* data, Index elements) {
    return std::as_writable_bytes(std::span<T>(data, static_cast<std::size_t>(elements)));
  }
  void count(Index sent, Index received) const {
    ledger_.exchanged += {messages_for(Bytes(sent)), messages_for(Bytes(received)), sent, received};
  }
  void combine_on_first(std::span<std::byte> data, Combine const& combine) const {
    auto const size = static_cast<Index>(data.size());
    if (index_ != 0) {
      send(0, std::as_const(data).data(), size, 0);
      wait(receive(0, data.data(), size, 0));
      return;
    }
    std::vector<std::byte> other(data.size());
    for (int from = 1; from < length_; ++from) {
      wait(receive(from, other.data(), size, 0));
      combine(data.data(), other.data(), data.data(), size);
    }
    for (int to = 1; to < length_; ++to) send(to, std::as_const(data).data(), size, 0);
  }

  int length_;
  int index_;
  GangContext* gang_;
  Ledger& ledger_;
  mutable bool planned_ = true;
};

/// Sends rows to other members, and receives those that come from them.
template <class T>
void send_rows(GangLine const& line, RowExchange<T> const& rows) {
  for (auto const& [peer, elements] : rows.outgoing()) line.send(peer, rows.packed(peer).data(), elements, 0);
}
/// @pre send_rows() has been called
template <class T>
void receive_rows(GangLine const& line, RowExchange<T> const& rows) {
  rows.move_here();
  for (auto const& [peer, elements] : rows.incoming()) {
    std::vector<T> buffer(static_cast<std::size_t>(elements));
    line.wait(line.receive(peer, buffer.data(), elements, 0));
    rows.unpack(peer, buffer.data());
  }
}

}  // namespace allport::lu_detail
