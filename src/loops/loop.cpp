#include "allport/loops/loop.h"

namespace allport::loops {

namespace {

constexpr std::int64_t dynamic_chunks_a_thread = 16;

}  // namespace

Chunks::Chunks(std::int64_t iterations, int threads, LoopOptions const& options)
    : iterations_(iterations), threads_(threads), guided_(options.schedule == LoopSchedule::guided) {
  ensure(iterations >= 0, "iterations", iterations, "at least 0");
  ensure(threads >= 1, "threads", threads, "at least 1");
  ensure(options.chunk >= 0, "chunk", options.chunk, "a number of iterations, or 0 for the schedule's own");
  if (guided_) {
    chunk_ = std::max<std::int64_t>(options.chunk, 1);
    count_ = iterations == 0 ? 0 : after(0).end == iterations ? 1 : 2;
    return;
  }
  if (options.chunk > 0) {
    chunk_ = options.chunk;
    count_ = iterations / chunk_ + (iterations % chunk_ > 0 ? 1 : 0);
    return;
  }
  auto const wanted = options.schedule == LoopSchedule::static_ ? threads : threads * dynamic_chunks_a_thread;
  count_ = std::min<std::int64_t>(wanted, iterations);
  if (count_ == 0) return;
  chunk_ = iterations / count_;
  longer_ = iterations % count_;
}

}  // namespace allport::loops
