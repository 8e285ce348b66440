#include "pool.h"

#include <algorithm>
#include <new>

namespace allport::tasks {

/// Lies before the bytes.
struct Pool::Storage {
  std::atomic<int> users{1};  ///< the run, and bodies that keep it
  std::int64_t bytes = 0;     ///< that are counted
  std::int64_t last = 0;

  static constexpr std::size_t before = 64;
  [[nodiscard]] static Storage& of(std::byte* data) { return *reinterpret_cast<Storage*>(data - before); }
  static void release(std::byte* data) {
    if (of(data).users.fetch_sub(1, std::memory_order_acq_rel) > 1) return;
    of(data).~Storage();
    ::operator delete[](data - before, std::align_val_t(before));
  }
};
/// The run's end of its use.
struct Pool::Return {
  std::shared_ptr<Pool> pool;
  void operator()(std::byte* data) const {
    pool->give_back(Storage::of(data));
    Storage::release(data);
  }
};

std::byte* Pool::take(std::int64_t bytes, std::int64_t last, bool counted) {
  static_assert(sizeof(Storage) <= Storage::before);
  auto* const memory = static_cast<std::byte*>(
      ::operator new[](static_cast<std::size_t>(bytes) + Storage::before, std::align_val_t(Storage::before)));
  auto* const storage = new (memory) Storage;
  storage->bytes = counted ? bytes : 0;
  storage->last = last;
  if (by_step_) {
    std::scoped_lock const hold(mutex_);
    ++until_[last];
  }
  auto const now = now_ += storage->bytes;
  auto peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
  return memory + Storage::before;
}

void Pool::drop(std::int64_t step) {
  auto const at = until_.find(step);
  if (--at->second == 0) until_.erase(at);
}

void Pool::give_back(Storage const& storage) {
  now_ -= storage.bytes;
  if (!by_step_) return;
  std::scoped_lock const hold(mutex_);
  drop(storage.last);
}

Block Pool::allocate(std::int64_t bytes, std::int64_t last, bool counted) {
  auto* const data = take(bytes, last, counted);
  return {std::shared_ptr<std::byte>(data, Return{shared_from_this()}), {data, static_cast<std::size_t>(bytes)}};
}

Block Pool::copy(Block const& block, std::int64_t last) {
  if (block.bytes.empty()) return block;
  auto fresh = allocate(static_cast<std::int64_t>(block.bytes.size()), last);
  std::ranges::copy(block.bytes, fresh.bytes.begin());
  return fresh;
}

std::shared_ptr<std::byte[]> Pool::allocate_incoming(std::int64_t bytes, std::int64_t last, bool counted) {
  return {take(bytes, last, counted), Return{shared_from_this()}};
}

void Pool::used_until(Block const& block, std::int64_t last) {
  if (!by_step_ || !block.memory) return;
  auto& storage = Storage::of(block.memory.get());
  std::scoped_lock const hold(mutex_);
  if (last <= storage.last) return;
  drop(storage.last);
  ++until_[storage.last = last];
}

std::shared_ptr<void> Pool::keep(Block const& block) {
  if (!block.memory) return nullptr;
  Storage::of(block.memory.get()).users.fetch_add(1, std::memory_order_relaxed);
  return {block.memory.get(), [](std::byte* data) { Storage::release(data); }};
}

std::int64_t Pool::least_step() const {
  std::scoped_lock const hold(mutex_);
  return until_.empty() ? nothing : until_.begin()->first;
}

}  // namespace allport::tasks
