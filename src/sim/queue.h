// Event queue: by time, and for equal times in the order of insertion.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "streams.h"

namespace allport::sim {

enum class EventKind : std::uint8_t {
  left_processor,  ///< a send's o is spent
  granted,         ///< the answer of a rendezvous has arrived
  network,         ///< an event of the network
  sent,            ///< a segment has left
  arrived,         ///< a segment has arrived
  received,        ///< a receive's o is spent
  computed,        ///< an operator or copy is done
};

struct Event {
  double time = 0.0;
  std::int64_t cause = -1;  ///< the record that ends with the event
  OpId row = 0;
  std::int32_t segment = 0;
  std::uint32_t token = 0;  ///< the network's
  EventKind kind = EventKind::network;
};

/// Events of the current time are in a FIFO list. Later times are in a heap with one entry per time, not per event:
/// schedules are symmetric, so many events have exactly the same time. A cache finds the entry of recently used times;
/// a time that was evicted gets a second entry, behind the first.
class EventQueue {
 public:
  void push(Event const& e) {
    if (e.time <= now_) {
      soon_.push_back(e);
      return;
    }
    auto& known = known_[slot(e.time)];
    if (known.time != e.time) known = {e.time, open(e.time)};
    auto const node = fresh(e);
    auto& moment = moments_[known.moment];
    (moment.last == none ? moment.first : nodes_[moment.last].next) = node;
    moment.last = node;
  }

  /// Whether events of the current time are left.
  [[nodiscard]] bool more_now() const { return current_ != none || !soon_.empty(); }
  [[nodiscard]] bool more_later() const { return !heap_.empty(); }

  /// Advances to the next time. @pre !more_now()
  void go_on() {
    now_ = heap_.front().time;
    take_moment();
  }

  /// The next event of the current time.
  Event take() {
    if (current_ == none) {
      auto const event = soon_[taken_++];
      if (taken_ == soon_.size()) {
        soon_.clear();
        taken_ = 0;
      }
      return event;
    }
    auto const node = current_;
    auto const event = nodes_[node].event;
    current_ = nodes_[node].next;
    nodes_[node].next = unused_nodes_;
    unused_nodes_ = node;
    if (current_ == none && !heap_.empty() && heap_.front().time == now_) take_moment();
    return event;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::size_t remembered = 1024;  // times; a power of two

  struct Node {
    Event event;
    std::uint32_t next = none;
  };
  struct Moment {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Place {
    double time;
    std::uint32_t number;  // orders entries of one time; there are few at once, so overflow is harmless
    std::uint32_t moment;
    [[nodiscard]] bool before(Place const& b) const {
      return time != b.time ? time < b.time : static_cast<std::int32_t>(number - b.number) < 0;
    }
  };
  struct Known {
    double time = -1.0;
    std::uint32_t moment = 0;
  };

  static std::size_t slot(double time) {
    return (std::bit_cast<std::uint64_t>(time) * 0x9e3779b97f4a7c15U) >> (64 - std::countr_zero(remembered));
  }

  std::uint32_t fresh(Event const& e) {
    if (unused_nodes_ == none) {
      nodes_.push_back({e, none});
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    auto const node = unused_nodes_;
    unused_nodes_ = nodes_[node].next;
    nodes_[node] = {e, none};
    return node;
  }

  std::uint32_t open(double time) {
    std::uint32_t moment = 0;
    if (unused_moments_.empty()) {
      moment = static_cast<std::uint32_t>(moments_.size());
      moments_.emplace_back();
    } else {
      moment = unused_moments_.back();
      unused_moments_.pop_back();
      moments_[moment] = {};
    }
    rise({time, numbers_++, moment});
    return moment;
  }

  void take_moment() {
    auto const place = heap_.front();
    auto const last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
    current_ = moments_[place.moment].first;
    unused_moments_.push_back(place.moment);
  }

  // A 4-ary heap: half the depth of a binary one, and the children of an entry share a cache line.
  void rise(Place const& place) {
    heap_.push_back(place);
    auto i = heap_.size() - 1;
    while (i > 0) {
      auto const above = (i - 1) / 4;
      if (!place.before(heap_[above])) break;
      heap_[i] = heap_[above];
      i = above;
    }
    heap_[i] = place;
  }
  void sink(Place const& place) {
    std::size_t i = 0;
    for (;;) {
      auto least = 4 * i + 1;
      if (least >= heap_.size()) break;
      auto const end = least + 4 < heap_.size() ? least + 4 : heap_.size();
      for (auto c = least + 1; c < end; ++c) {
        if (heap_[c].before(heap_[least])) least = c;
      }
      if (!heap_[least].before(place)) break;
      heap_[i] = heap_[least];
      i = least;
    }
    heap_[i] = place;
  }

  double now_ = 0.0;
  std::vector<Event> soon_;
  std::size_t taken_ = 0;         // of soon_
  std::uint32_t current_ = none;  // first event of the current time
  std::vector<Place> heap_;
  std::vector<Moment> moments_;
  std::vector<std::uint32_t> unused_moments_;
  std::vector<Node> nodes_;
  std::uint32_t unused_nodes_ = none;
  std::uint32_t numbers_ = 0;
  std::array<Known, remembered> known_{};
};

}  // namespace allport::sim
