// Schedules in SimGrid without MPI: its kernel carries the messages, and this program only posts them as room comm's
// engine does: segments in order, `window` of them at most between posted and completed, each after what its operation
// waits for; a message starts when both ends have posted it and completes at both at once.
//
//   streams NETWORK MACHINE CASE... [--cfg=...]   NETWORK: routes, torus   CASE: as of smpi/driver.cpp
//
// Prints one JSON line a case: {"case", "seconds", "messages", "wall", "rank_seconds": [...]}; seconds on the simulated
// clock, wall on ours, without the making of network and programs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Semaphore.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "allport/collectives/registry.h"
#include "case.h"
#include "network.h"

namespace {

using namespace allport;
namespace s4u = simgrid::s4u;

/// One operation of one rank while it runs.
struct Stream {
  Op op;
  Rank rank = 0;
  std::int64_t segments = 0;
  std::int64_t posted = 0;
  std::int64_t completed = 0;
  Stream* other = nullptr;           ///< the other end of a message
  s4u::Host* from = nullptr;         ///< send: where its messages leave
  s4u::Host* to = nullptr;           ///< send: where they arrive
  std::vector<Stream*> dependents;   ///< to look at when this advances
  std::vector<std::uint8_t> landed;  ///< [window], done out of order
  std::vector<std::pair<Stream*, std::int32_t>> after;
};

class Run {
 public:
  Run(Machine const& machine, Schedule const& schedule) : window_(schedule.cut().window), ranks_(schedule.ranks()) {
    std::unordered_map<std::string, Stream*> ends;
    programs_.resize(static_cast<std::size_t>(ranks_));
    for (Rank r = 0; r < ranks_; ++r) add(r, schedule.program(r));
    for (auto& program : programs_) {
      for (auto& s : program) meet(machine, ends, s);
    }
    seconds_.resize(static_cast<std::size_t>(ranks_));
  }

  /// In an actor: begins now and returns when all is done.
  void operator()() {
    start_ = s4u::Engine::get_clock();
    for (auto const kind : {OpKind::receive, OpKind::send, OpKind::combine, OpKind::copy}) {
      for (auto& program : programs_) {
        for (auto& s : program) {
          if (s.op.kind == kind) advance(s);
        }
      }
    }
    launch();
    if (left_ > 0) done_->acquire();
  }

  [[nodiscard]] std::vector<double> const& seconds() const { return seconds_; }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

 private:
  struct Message {
    Stream* send = nullptr;
    std::int64_t segment = 0;
  };
  /// An actor that carries one message after the other.
  struct Carrier {
    Message message;
    s4u::SemaphorePtr wake = s4u::Semaphore::create(0);
  };

  void add(Rank rank, Program program) {
    auto& streams = programs_[static_cast<std::size_t>(rank)];
    streams.resize(program.ops.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      auto& s = streams[i];
      s.op = std::move(program.ops[i]);
      s.rank = rank;
      s.segments = s.op.segments();
      s.landed.assign(static_cast<std::size_t>(window_), 0);
      for (auto const& d : s.op.after) {
        auto& waited = streams[static_cast<std::size_t>(d.op)];
        s.after.emplace_back(&waited, d.lag);
        waited.dependents.push_back(&s);
      }
    }
    left_ += static_cast<std::int64_t>(streams.size());
  }

  void meet(Machine const& machine, std::unordered_map<std::string, Stream*>& ends, Stream& s) {
    auto const sends = s.op.kind == OpKind::send;
    if (!sends && s.op.kind != OpKind::receive) return;
    auto const key = sends ? fmt::format("{} {} {}", s.rank, s.op.peer, s.op.channel)
                           : fmt::format("{} {} {}", s.op.peer, s.rank, s.op.channel);
    if (sends) {
      auto const second = s.op.port != any_port && simulated::has_second_host(machine, s.op.port);
      s.from = s4u::Host::by_name(second ? simulated::host_name(s.rank, s.op.port) : simulated::host_name(s.rank));
      s.to = s4u::Host::by_name(simulated::host_name(s.op.peer));
    }
    auto const [place, first] = ends.try_emplace(key, &s);
    if (first) return;
    s.other = place->second;
    s.other->other = &s;
  }

  [[nodiscard]] bool may_go(Stream const& s) const {
    if (s.posted == s.segments || s.posted - s.completed == window_) return false;
    return std::all_of(s.after.begin(), s.after.end(), [&](auto const& d) {
      auto const& [waited, lag] = d;
      if (lag == Dependence::whole) return waited->completed == waited->segments;
      return s.posted < lag || waited->completed > s.posted - lag;
    });
  }

  void advance(Stream& s) {
    while (may_go(s)) {
      auto const segment = s.posted++;
      if (s.other == nullptr) {  // a combination or copy, which takes no time
        complete(s, segment);
      } else if (s.other->posted > segment) {
        ready_.push_back({s.op.kind == OpKind::send ? &s : s.other, segment});
      }
    }
  }

  void complete(Stream& s, std::int64_t segment) {
    auto const place = [&](std::int64_t i) -> std::uint8_t& { return s.landed[static_cast<std::size_t>(i % window_)]; };
    place(segment) = 1;
    if (segment != s.completed) return;
    while (s.completed < s.posted && place(s.completed) != 0) {
      place(s.completed) = 0;
      ++s.completed;
    }
    if (s.completed == s.segments) {
      --left_;
      seconds_[static_cast<std::size_t>(s.rank)] = s4u::Engine::get_clock() - start_;
    }
    if (s.other != nullptr) advance(s);
    for (auto* const d : s.dependents) advance(*d);
  }

  /// Gives the messages that both ends have posted to carriers.
  void launch() {
    while (!ready_.empty()) {
      auto const message = ready_.back();
      ready_.pop_back();
      ++messages_;
      if (idle_.empty()) {
        carriers_.push_back(std::make_unique<Carrier>(Carrier{message}));
        s4u::Actor::create("carrier", message.send->from, [this, c = carriers_.back().get()] {
          carry(*c);
        })->daemonize();
      } else {
        auto* const carrier = idle_.back();
        idle_.pop_back();
        carrier->message = message;
        carrier->wake->release();
      }
    }
  }

  void carry(Carrier& carrier) {
    while (true) {
      auto const [send, segment] = carrier.message;
      s4u::Comm::sendto(send->from, send->to, static_cast<std::uint64_t>(send->op.segment_bytes(segment)));
      complete(*send, segment);
      complete(*send->other, segment);
      idle_.push_back(&carrier);
      launch();
      if (left_ == 0) done_->release();
      carrier.wake->acquire();
    }
  }

  std::int64_t window_;
  Rank ranks_;
  std::vector<std::vector<Stream>> programs_;
  std::vector<Message> ready_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<Carrier*> idle_;
  s4u::SemaphorePtr done_ = s4u::Semaphore::create(0);
  std::vector<double> seconds_;
  std::int64_t left_ = 0;
  std::int64_t messages_ = 0;
  double start_ = 0.0;
};

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  try {
    ensure(argc == 4, "arguments", argc - 1, "NETWORK MACHINE CASE");
    auto const machine = Machine::parse(argv[2]);
    simulated::make_network(machine, simulated::parse_network(argv[1]));
    auto const c = simulated::parse_case(argv[3], machine.ranks());
    Run run(machine, make_schedule(machine, c.contract, c.algorithm, c.cut));
    s4u::Actor::create("posts", s4u::Host::by_name(simulated::host_name(0)), [&] { run(); });
    auto const wall = std::chrono::steady_clock::now();
    engine.run();
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - wall;
    std::string each;
    for (auto const t : run.seconds()) each += fmt::format("{}{:.9g}", each.empty() ? "" : ", ", t);
    fmt::print(
        "{{\"case\": \"{}\", \"seconds\": {:.12g}, \"messages\": {}, \"wall\": {:.3f}, \"rank_seconds\": [{}]}}\n",
        argv[3], *std::max_element(run.seconds().begin(), run.seconds().end()), run.messages(), took.count(), each);
  } catch (std::exception const& e) {
    fmt::print(stderr, "streams: {}\n", e.what());
    return 1;
  }
  return 0;
}
