// The event queue: by time, and at equal times in the order of insertion.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace allport::graph {

struct Event {
  enum Kind : std::uint8_t { arrive, leave, done, exchanged };

  double time = 0;
  std::uint64_t order = 0;  ///< of two at one time; the kind in its last bits
  std::uint32_t what = 0;   ///< leave, arrive: parcel; done: running; exchanged: gang
  std::int32_t leg = 0;

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(order & 3); }
  [[nodiscard]] bool comes_before(Event const& other) const {
    return time != other.time ? time < other.time : order < other.order;
  }
};

/// A calendar queue: the nearest events are sorted; later ones are in buckets of equal time spans, sorted when they are
/// reached; those beyond all buckets are distributed when the buckets are empty. Events at the current time are in a
/// queue of their own: after all earlier ones, and before any later.
class EventQueue {
 public:
  EventQueue() : buckets_(most_buckets) {}

  /// @pre time >= that of the last event taken
  void add(double time, Event::Kind kind, std::size_t what, std::int32_t leg) {
    Event const event{time, ++order_ << 2 | kind, static_cast<std::uint32_t>(what), leg};
    ++size_;
    if (time == now_) {
      at_once_.push_back(event);
    } else {
      put(event);
    }
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// @pre !empty()
  Event take() {
    --size_;
    auto const* const next = first();
    if (taken_ < at_once_.size() && (next == nullptr || next->time > now_)) {
      auto const event = at_once_[taken_++];
      if (taken_ == at_once_.size()) at_once_.clear(), taken_ = 0;
      return event;
    }
    auto const event = *next;
    now_ = event.time;
    if (next == sorted_end()) {
      sorted_.pop_back();
    } else {
      std::pop_heap(near_.begin(), near_.end(), later);
      near_.pop_back();
    }
    return event;
  }
  /// A sorted event `places` positions behind the next; null if unknown.
  [[nodiscard]] Event const* ahead(std::size_t places) const {
    return places < sorted_.size() ? &sorted_[sorted_.size() - 1 - places] : nullptr;
  }

 private:
  static constexpr std::size_t most_buckets = 4096;
  static constexpr std::size_t in_a_bucket = 32;  // as events are spread anew

  static bool later(Event const& a, Event const& b) { return b.comes_before(a); }
  [[nodiscard]] Event const* sorted_end() const { return sorted_.empty() ? nullptr : &sorted_.back(); }
  /// The next event that is not at the current time; null if there is none.
  [[nodiscard]] Event const* first() {
    if (sorted_.empty() && near_.empty() && !fetch()) return nullptr;
    if (near_.empty()) return &sorted_.back();
    if (sorted_.empty() || near_.front().comes_before(sorted_.back())) return near_.data();
    return &sorted_.back();
  }
  /// Monotonic in time, so buckets preserve the order of times.
  void put(Event const& event) {
    auto const place = (event.time - begin_) / width_;
    if (place < static_cast<double>(at_)) {
      near_.push_back(event);
      std::push_heap(near_.begin(), near_.end(), later);
    } else if (place < static_cast<double>(used_)) {
      buckets_[static_cast<std::size_t>(place)].push_back(event);
    } else {
      far_.push_back(event);
    }
  }
  /// Sorts the next bucket that is not empty into sorted_.
  bool fetch() {
    while (true) {
      while (at_ < used_) {
        auto& bucket = buckets_[at_++];
        if (bucket.empty()) continue;
        sorted_.swap(bucket);
        std::ranges::sort(sorted_, later);
        return true;
      }
      if (far_.empty()) return false;
      spread();
    }
  }
  void spread() {
    auto const [low, high] = std::ranges::minmax(far_, {}, &Event::time);
    begin_ = low.time;
    used_ = std::clamp<std::size_t>(far_.size() / in_a_bucket, 1, most_buckets);
    at_ = 0;
    // Most events are close together, and a few are far: the buckets span four times the time of the first half.
    auto const middle = far_.begin() + static_cast<std::ptrdiff_t>(far_.size() / 2);
    std::ranges::nth_element(far_, middle, {}, &Event::time);
    width_ = std::min(high.time - begin_, 4 * (middle->time - begin_)) / static_cast<double>(used_);
    if (begin_ + width_ <= begin_) width_ = std::max(begin_, 1.0) * 1e-12;
    moved_.swap(far_);
    for (auto const& event : moved_) put(event);
    moved_.clear();
  }

  std::vector<Event> sorted_;  // last first
  std::vector<Event> near_;    // a heap: announced when the buckets of their times had had their turns
  std::vector<std::vector<Event>> buckets_;
  std::size_t used_ = 0;
  std::size_t at_ = 0;  // the next bucket
  double begin_ = 0;
  double width_ = 1;
  std::vector<Event> far_;
  std::vector<Event> moved_;
  std::vector<Event> at_once_;
  std::size_t taken_ = 0;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  double now_ = 0;
};

}  // namespace allport::graph
