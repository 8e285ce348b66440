// LLVM's OpenMP beside GNU's in one process: libomp is opened by name, apart from what the program is linked with, and
// called as clang compiles `#pragma omp parallel for` (kmp.h of LLVM's runtime).
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

namespace bench {

class Libomp {
 public:
  enum class Schedule : std::int32_t { static_ = 34, dynamic = 35, guided = 36 };  // kmp_sch_static, ...
  using Body = std::function<void(std::int64_t first, std::int64_t last)>;

  /// Nothing where it is not installed.
  static std::optional<Libomp> open() {
    for (auto const* const name : {"libomp.so.5", "libomp.so"}) {
      // DEEPBIND: its calls of omp_... are its own, and not GNU's, which the program has in front.
      if (auto* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) return Libomp(library);
    }
    return std::nullopt;
  }

  /// body(first, last) for chunks of 0 ... n - 1, on so many threads.
  void parallel_for(int threads, std::int64_t n, Schedule schedule, std::int64_t chunk, Body const& body) {
    Loop loop{this, n, schedule, chunk, &body};
    push_num_threads_(&where, thread_num_(&where), threads);
    fork_call_(&where, 1, micro, &loop);
  }

 private:
  struct Place {  // ident_t
    std::int32_t reserved_1;
    std::int32_t flags;
    std::int32_t reserved_2;
    std::int32_t reserved_3;
    char const* source;
  };
  static inline Place where{0, 2 /* KMP_IDENT_KMPC */, 0, 0, ";bench_loops;parallel_for;0;0;;"};

  struct Loop {
    Libomp* runtime;
    std::int64_t n;
    Schedule schedule;
    std::int64_t chunk;
    Body const* body;
  };

  template <class Function>
  static void find(void* library, char const* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  }
  explicit Libomp(void* library) {
    find(library, "__kmpc_global_thread_num", thread_num_);
    find(library, "__kmpc_push_num_threads", push_num_threads_);
    find(library, "__kmpc_fork_call", fork_call_);
    find(library, "__kmpc_for_static_init_8", static_init_);
    find(library, "__kmpc_for_static_fini", static_fini_);
    find(library, "__kmpc_dispatch_init_8", dispatch_init_);
    find(library, "__kmpc_dispatch_next_8", dispatch_next_);
  }

  /// What every thread of the region runs.
  static void micro(std::int32_t const* thread, std::int32_t const*, Loop* loop) {
    auto& r = *loop->runtime;
    std::int32_t last = 0;
    std::int64_t lower = 0;
    std::int64_t upper = loop->n - 1;
    std::int64_t stride = 1;
    auto const kind = static_cast<std::int32_t>(loop->schedule);
    if (loop->schedule == Schedule::static_) {
      r.static_init_(&where, *thread, kind, &last, &lower, &upper, &stride, 1, 1);
      if (lower < loop->n) (*loop->body)(lower, std::min(upper, loop->n - 1) + 1);
      r.static_fini_(&where, *thread);
      return;
    }
    r.dispatch_init_(&where, *thread, kind, lower, upper, 1, loop->chunk);
    while (r.dispatch_next_(&where, *thread, &last, &lower, &upper, &stride) != 0) (*loop->body)(lower, upper + 1);
  }

  using Micro = void(std::int32_t const*, std::int32_t const*, Loop*);
  std::int32_t (*thread_num_)(Place*) = nullptr;
  void (*push_num_threads_)(Place*, std::int32_t, std::int32_t) = nullptr;
  void (*fork_call_)(Place*, std::int32_t, Micro*, ...) = nullptr;
  void (*static_init_)(Place*, std::int32_t, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*, std::int64_t*,
                       std::int64_t, std::int64_t) = nullptr;
  void (*static_fini_)(Place*, std::int32_t) = nullptr;
  void (*dispatch_init_)(Place*, std::int32_t, std::int32_t, std::int64_t, std::int64_t, std::int64_t,
                         std::int64_t) = nullptr;
  int (*dispatch_next_)(Place*, std::int32_t, std::int32_t*, std::int64_t*, std::int64_t*, std::int64_t*) = nullptr;
};

}  // namespace bench
