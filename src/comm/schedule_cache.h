// The schedules that a communicator used last.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "allport/schedule/schedule.h"
#include "short_run.h"

namespace allport::engine {

/// Bounded, most recently used first. Programs repeat few collectives, so a
/// short list beats a map.
class ScheduleCache {
 public:
  static constexpr std::size_t capacity = 32;

  struct Entry {
    Contract contract;
    std::string algorithm;  ///< as asked for; empty: selected
    std::int64_t segment;   ///< likewise; 0: selected
    Schedule schedule;
    std::shared_ptr<ShortRun> short_run;  ///< of this rank's program, where it is of that kind
    bool asked_for_short_run = false;
  };

  /// Or nullptr.
  [[nodiscard]] Entry* find(Contract const& contract, std::string_view algorithm, std::int64_t segment) {
    for (auto e = entries_.begin(); e != entries_.end(); ++e) {
      if (e->contract == contract && e->algorithm == algorithm && e->segment == segment) {
        entries_.splice(entries_.begin(), entries_, e);
        return &*e;
      }
    }
    return nullptr;
  }

  Entry& add(Contract const& contract, std::string_view algorithm, std::int64_t segment, Schedule schedule) {
    if (entries_.size() == capacity) entries_.pop_back();
    entries_.push_front({contract, std::string(algorithm), segment, std::move(schedule), nullptr, false});
    return entries_.front();
  }

 private:
  std::list<Entry> entries_;
};

}  // namespace allport::engine
