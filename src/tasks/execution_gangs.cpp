// Gangs: waiting, starting, and messages between members.
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "execution.h"

namespace allport::tasks {

/// A waiting member only yields for some milliseconds: the other members are working on its input, and one sleep per
/// column would be most of a panel's time. Not if messages take longer than that anyway.
constexpr int polls_in_gang = 10'000;

MessageName Execution::name_of(GangMessage const& what) {
  return name_of(what.expected ? gang_expected : gang_collective, what.gang, what.sender, what.number);
}

std::unique_ptr<GangEndpoint> Execution::endpoint_of(Ready const& ready, Worker& worker) {
  Gang gang;
  static_cast<void>(graph_.gang(ready.task, gang));
  auto const post = [this](GangMessage const& what, Rank to, Block block) {
    {
      std::scoped_lock const hold(mutex_);
      if (what.expected && !block.bytes.empty()) {
        report_.count.expected_messages += 1;
        report_.count.expected_bytes += static_cast<double>(block.bytes.size());
      }
      queue(name_of(what), straight_to(to), {std::move(block), {}, -1});
    }
    // The other members wait for it: it is sent now, not at the end of this body.
    look(std::this_thread::get_id() == caller_);
  };
  auto const await_one = [this, task = ready.task, &worker](GangMessage const& what) {
    return await(what, task, worker);
  };
  return std::make_unique<GangEndpoint>(graph_, gang, ready.task, post, await_one);
}

bool Execution::exchange(Ready& ready, GangEndpoint& endpoint, Worker& worker) {
  auto const progress = [this] { poll_soon(); };
  Context context(graph_, *pool_, workers_, ready, step_of(ready.task), progress, &endpoint);
  if (options_.record) worker.now = Clock::now();
  auto const begin = worker.now;
  Exchanging waits;
  graph_.exchange(ready.task, context, [&](int member) {
    ensure(member >= 0 && member < endpoint.members() && member != endpoint.me(), "member", member,
           fmt::format("another member, in 0..{}", endpoint.members() - 1), "", ErrorKind::schedule);
    waits.missing.push_back(member);
  });
  ensure(!context.has_outputs(), "exchange", graph_.name(ready.task), "a body that writes no outputs",
         "run() makes them", ErrorKind::schedule);
  ready.has_sent = true;
  if (timed_) worker.now = Clock::now();
  std::scoped_lock const hold(mutex_);
  std::erase_if(waits.missing, [&](int member) { return mail_.contains({endpoint.gang(), true, member, 0}); });
  if (waits.missing.empty()) return true;
  waits.ready = std::move(ready);
  exchanging_.insert_or_assign(endpoint.gang(), std::move(waits));
  --running_;
  take_next(worker, begin);
  return false;
}

Block Execution::await(GangMessage const& what, Task member, Worker& worker) {
  bool const caller = worker.index == 0;
  std::optional<Clock::time_point> since;
  for (int polls = 0;;) {
    {
      std::scoped_lock const hold(mutex_);
      auto found = mail_.extract(what);
      if (found || stopped_) {
        awaiting_.erase(worker.index);
        if (since) worker.waited += Clock::now() - *since;
        if (found) return std::move(found.mapped());
        worker.abandoned = true;
        throw Error(ErrorKind::schedule, "the run has failed on another rank; the members of the gang stop");
      }
      if (!since) awaiting_.insert_or_assign(worker.index, Awaiting{member, what});
    }
    if (!since) since = Clock::now();
    if (caller && (options_.attend || options_.progress)) attend();
    polls = look(caller) ? 0 : polls + 1;
    // Members communicate in every column: long sleeps would be most of a gang's time.
    if (polls > 0) yield_core(fast_links_ && polls < polls_in_gang ? 1 : polls);
  }
}

void Execution::announce_ready() {
  auto const orderer = graph_.orders_gangs(me_);
  for (auto const gang : frontier_.new_members()) {
    if (stopped_) continue;
    if (me_ == orderer) {
      order_.ready(gang, me_);
    } else {
      queue(name_of(gang_ready, gang, me_), straight_to(orderer), {});
    }
  }
  begin_gangs();
}

void Execution::announce_done(Task gang) {
  if (stopped_) return;
  if (auto const orderer = graph_.orders_gangs(me_); me_ != orderer) {
    queue(name_of(gang_done, gang, me_), straight_to(orderer), {});
    return;
  }
  order_.done(gang, me_);
  begin_gangs();
}

void Execution::begin_gangs() {
  if (stopped_) return;
  for (auto const& [gang, ranks] : order_.begin()) {
    for (auto const rank : ranks) {
      if (rank == me_) {
        frontier_.begin(gang);
      } else {
        queue(name_of(gang_begins, gang, 0), straight_to(rank), {});
      }
    }
  }
}

void Execution::arrived_of_gang(MessageName const& name, Block const& block) {
  if (stopped_) return;
  auto const gang = task_of(name);
  if (name[0] == gang_ready) {
    order_.ready(gang, static_cast<Rank>(name[3]));
    begin_gangs();
  } else if (name[0] == gang_done) {
    order_.done(gang, static_cast<Rank>(name[3]));
    begin_gangs();
  } else if (name[0] == gang_begins) {
    frontier_.begin(gang);
  } else {
    bool const expected = name[0] == gang_expected;
    auto const sender = static_cast<int>(name[3]);
    mail_.emplace(GangMessage{gang, expected, sender, name[4]}, block);
    auto const waits = exchanging_.find(gang);
    if (waits == exchanging_.end()) return;
    std::erase(waits->second.missing, sender);
    if (!waits->second.missing.empty()) return;
    frontier_.go_on(std::move(waits->second.ready));
    exchanging_.erase(waits);
  }
}

std::string Execution::gangs_text() const {
  std::string text;
  auto const add = [&](std::string const& more) { text += (text.empty() ? "" : "; ") + more; };
  auto const from = [&](GangMessage const& what) {
    Gang gang;
    static_cast<void>(graph_.gang(what.gang, gang));
    auto const sender = gang.members.at(static_cast<std::size_t>(what.sender));
    return fmt::format("{} {} of {} on rank {}", what.expected ? "message" : "collective", what.number,
                       graph_.name(sender), graph_.owner(sender));
  };
  for (auto const& [worker, waits] : awaiting_) {
    add(fmt::format("{} waits in its gang for {}", graph_.name(waits.member), from(waits.what)));
  }
  for (auto const& [gang, waits] : exchanging_) {
    add(fmt::format("{} has sent, and waits for {}", graph_.name(waits.ready.task),
                    from({gang, true, waits.missing.front(), 0})));
  }
  if (order_.waiting() > 0) add("waiting to begin: " + order_.waiting_text(8));
  if (awaiting_.empty() && exchanging_.empty() && !mail_.empty())
    add(fmt::format("nobody took {}", from(mail_.begin()->first)));
  return text;
}

}  // namespace allport::tasks
