#include "pool.h"

#include <new>

namespace allport::tasks {

namespace {

constexpr std::size_t alignment = 64;

}  // namespace

void Pool::grow(std::int64_t bytes) {
  auto const now = now_ += bytes;
  auto peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
}

Block Pool::allocate(std::int64_t bytes) {
  grow(bytes);
  auto* const memory =
      static_cast<std::byte*>(::operator new[](static_cast<std::size_t>(bytes), std::align_val_t(alignment)));
  return {{memory,
           [pool = shared_from_this(), bytes](std::byte* p) {
             ::operator delete[](p, std::align_val_t(alignment));
             pool->now_ -= bytes;
           }},
          {memory, static_cast<std::size_t>(bytes)}};
}

Block Pool::adopt(Multicasts::Message const& message) {
  if (message.bytes == 0) return {};
  grow(message.bytes);
  return {{message.data.get(), [pool = shared_from_this(), data = message.data,
                                bytes = message.bytes](std::byte*) { pool->now_ -= bytes; }},
          {message.data.get(), static_cast<std::size_t>(message.bytes)}};
}

}  // namespace allport::tasks
