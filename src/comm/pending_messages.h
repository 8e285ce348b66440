// Messages of a call that waits for all of them, and how it waits.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "allport/base/function_ref.h"
#include "completions.h"
#include "mpi_errors.h"
#include "progress_engine.h"

namespace allport::engine {

/// The messages in flight of a ShortRun or an Exchange, which number them. With the family's lock.
class PendingMessages {
 public:
  explicit PendingMessages(std::size_t most) { messages_.reserve(most); }

  [[nodiscard]] bool empty() const { return messages_.empty(); }
  /// The one with the least number. @pre !empty()
  [[nodiscard]] std::size_t first() const { return std::ranges::min_element(messages_, {}, &Message::number)->number; }
  /// Place for the request of a message that starts.
  [[nodiscard]] MPI_Request& add(std::size_t number) {
    return messages_.emplace_back(Message{MPI_REQUEST_NULL, number}).request;
  }
  /// Removes completed messages; true if there were any. Tests one after the other, because each test progresses all of
  /// MPI, from the back, where the last entry fills the gap.
  /// @param ended  gets a message's number, its status and MPI's error code
  template <class Ended>
  bool poll(Ended const& ended) {
    bool any = false;
    for (auto i = messages_.size(); i-- > 0;) {
      int flag = 0;
      MPI_Status status{};
      auto const code = test(messages_[i].request, flag, status);
      if (code == MPI_SUCCESS && flag == 0) continue;
      any = true;
      auto const number = messages_[i].number;
      messages_[i] = messages_.back();
      messages_.pop_back();
      ended(number, status, code);
    }
    return any;
  }
  /// Ends all of them after an error. `receives`: whether a message comes in, by its number.
  template <class Receives>
  void abandon(Receives const& receives) noexcept {
    for (auto& message : messages_) {
      if (message.request != MPI_REQUEST_NULL && mpi_is_up()) let_go(message.request, receives(message.number));
    }
    messages_.clear();
  }

 private:
  struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t number = 0;
  };

  /// MPI_Test, whose error is returned.
  static int test(MPI_Request& request, int& flag, MPI_Status& status) {
    Completing const completing;
    return MPI_Test(&request, &flag, &status);
  }

  std::vector<Message> messages_;
};

/// Polls MPI, which yields the core by itself, until `done`, or until too many polls without progress: then the
/// engine's waiting is used, with backoff if ranks share cores, and with stall detection. `poll` handles completed
/// requests and returns whether there were any. The rest as for ProgressEngine::wait_until(). With the family's lock.
template <class Done, class Poll>
void wait_actively(ProgressEngine& engine, Done const& done, Poll const& poll, FunctionRef<std::string()> what,
                   MPI_Comm comm, FunctionRef<void()> pause) {
  constexpr int patience = 1000;
  for (int idle = 0; !done() && idle < patience;) {
    bool const moved = poll();
    if (engine.in_flight()) engine.progress();
    if (moved) continue;
    ++idle;
    if (pause) pause();
    engine.lock()->pause();
  }
  if (done()) return;
  auto const finish = [&] {
    poll();
    return done();
  };
  engine.wait_until(finish, what, comm, pause);
}

}  // namespace allport::engine
