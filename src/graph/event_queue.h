// What is to happen, by time, and at one time in the order in which it was announced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace allport::graph {

struct Event {
  enum Kind : std::uint8_t { arrive, leave, done };

  double time = 0;
  std::uint64_t order = 0;  ///< of two at one time; the kind in its last bits
  std::uint32_t what = 0;   ///< leave, arrive: parcel; done: running
  std::int32_t leg = 0;

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(order & 3); }
  [[nodiscard]] bool comes_before(Event const& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

/// A heap whose nodes have four children, which is half as deep as one of two, and beside it what happens at once: that
/// comes after all that was announced before, and before anything later.
class EventQueue {
 public:
  /// @pre time >= that of the event that was taken last
  void add(double time, Event::Kind kind, std::size_t what, std::int32_t leg) {
    Event const event{time, ++order_ << 2 | kind, static_cast<std::uint32_t>(what), leg};
    if (time == now_) {
      at_once_.push_back(event);
      return;
    }
    later_.push_back(event);
    auto at = later_.size() - 1;
    while (at > 0) {
      auto const above = (at - 1) / children;
      if (!event.comes_before(later_[above])) break;
      later_[at] = later_[above];
      at = above;
    }
    later_[at] = event;
  }
  [[nodiscard]] bool empty() const { return later_.empty() && taken_ == at_once_.size(); }
  /// @pre !empty()
  Event take() {
    if (taken_ < at_once_.size() && (later_.empty() || later_.front().time > now_)) {
      auto const event = at_once_[taken_++];
      if (taken_ == at_once_.size()) at_once_.clear(), taken_ = 0;
      return event;
    }
    auto const event = later_.front();
    now_ = event.time;
    auto const last = later_.back();
    later_.pop_back();
    if (!later_.empty()) sink(last);
    return event;
  }

 private:
  static constexpr std::size_t children = 4;

  void sink(Event const& event) {
    std::size_t at = 0;
    auto const size = later_.size();
    while (true) {
      auto const first = at * children + 1;
      if (first >= size) break;
      auto const end = first + children < size ? first + children : size;
      auto least = first;
      for (auto child = first + 1; child < end; ++child) {
        if (later_[child].comes_before(later_[least])) least = child;
      }
      if (!later_[least].comes_before(event)) break;
      later_[at] = later_[least];
      at = least;
    }
    later_[at] = event;
  }

  std::vector<Event> later_;
  std::vector<Event> at_once_;
  std::size_t taken_ = 0;
  std::uint64_t order_ = 0;
  double now_ = 0;
};

}  // namespace allport::graph
