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

Block Pool::adopt(Letter const& letter) {
  if (letter.bytes == 0) return {};
  grow(letter.bytes);
  return {{letter.data.get(),
           [pool = shared_from_this(), data = letter.data, bytes = letter.bytes](std::byte*) { pool->now_ -= bytes; }},
          {letter.data.get(), static_cast<std::size_t>(letter.bytes)}};
}

}  // namespace allport::tasks
