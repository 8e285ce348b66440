// The last few results of a pure function, for callers that ask for the same again.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

namespace allport {

/// Bounded, and shared by all threads; one result is made at a time. Only for functions of their arguments alone, so
/// that whoever asks gets the same whatever was asked before.
template <class Key, class Value>
class Recent {
 public:
  explicit Recent(std::size_t capacity) : capacity_(capacity) {}

  /// The latest result whose key `fits`, else that of make(), kept under `key`.
  template <class Fits, class Make>
  std::shared_ptr<Value const> get(Fits&& fits, Key key, Make&& make) {
    std::lock_guard const lock(mutex_);
    for (auto const& [known, value] : entries_) {
      if (fits(known)) return value;
    }
    auto made = std::make_shared<Value const>(make());
    entries_.emplace_front(std::move(key), made);
    if (entries_.size() > capacity_) entries_.pop_back();
    return made;
  }
  template <class Make>
  std::shared_ptr<Value const> get(Key const& key, Make&& make) {
    return get([&](Key const& known) { return known == key; }, key, std::forward<Make>(make));
  }

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::deque<std::pair<Key, std::shared_ptr<Value const>>> entries_;
};

}  // namespace allport
