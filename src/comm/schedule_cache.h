// The schedules that a communicator used last.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <string_view>

#include "allport/schedule/schedule.h"

namespace allport::detail {

/// Bounded, most recently used first. Programs repeat few collectives, so a
/// short list beats a map.
class ScheduleCache {
 public:
  static constexpr std::size_t capacity = 32;

  struct Entry {
    Contract contract;
    std::string algorithm;  ///< as asked for; empty: selected
    Schedule schedule;
  };

  /// Or nullptr.
  [[nodiscard]] Schedule const* find(Contract const& contract, std::string_view algorithm) {
    for (auto e = entries_.begin(); e != entries_.end(); ++e) {
      if (e->contract == contract && e->algorithm == algorithm) {
        entries_.splice(entries_.begin(), entries_, e);
        return &e->schedule;
      }
    }
    return nullptr;
  }

  Schedule const& add(Contract const& contract, std::string_view algorithm, Schedule schedule) {
    if (entries_.size() == capacity) entries_.pop_back();
    entries_.push_front({contract, std::string(algorithm), std::move(schedule)});
    return entries_.front().schedule;
  }

 private:
  std::list<Entry> entries_;
};

}  // namespace allport::detail
