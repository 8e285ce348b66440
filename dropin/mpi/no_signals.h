// Threads of ours leave signals alone.
#pragma once

#include <csignal>

namespace allport::dropin {

/// While it lives, threads that this one starts get no signals: the program's are for its own threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(NoSignals const&) = delete;
  NoSignals& operator=(NoSignals const&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace allport::dropin
