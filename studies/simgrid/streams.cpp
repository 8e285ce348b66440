// Schedules in SimGrid without MPI: its kernel carries the messages, and this program only posts them as module comm's
// engine does: segments in order, `window` of them at most between posted and completed, each after what its operation
// waits for; a message starts when both ends have posted it and completes at both at once.
//
//   streams NETWORK MACHINE CASE [--cfg=...]   NETWORK: routes, torus   CASE: as of smpi/driver.cpp, or a FILE.goal
//
// Prints one JSON line a case: {"case", "seconds", "messages", "wall", "rank_seconds": [...]}; seconds on the simulated
// clock, wall on ours, without the making of network and programs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Comm.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/Semaphore.hpp>
#include <string>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/schedule/exchange.h"
#include "allport/schedule/linked.h"
#include "case.h"
#include "network.h"

namespace {

using namespace allport;
namespace s4u = simgrid::s4u;

/// One operation of one rank while it runs.
struct Stream {
  std::int64_t posted = 0;
  std::int64_t completed = 0;
  s4u::Host* from = nullptr;         ///< send: where its messages leave
  s4u::Host* to = nullptr;           ///< send: where they arrive
  std::vector<std::uint8_t> landed;  ///< [window], done out of order
};

class Run {
 public:
  Run(Machine const& machine, Schedule const& schedule)
      : window_(schedule.cut().window),
        linked_(schedule),
        streams_(linked_.size()),
        seconds_(static_cast<std::size_t>(schedule.ranks())),
        left_(linked_.size()) {
    for (OpId i = 0; i < linked_.size(); ++i) {
      streams_[i].landed.assign(static_cast<std::size_t>(window_), 0);
      if (linked_.op(i).kind == OpKind::send) place(machine, i);
    }
  }

  /// In an actor: begins now and returns when all is done.
  void operator()() {
    start_ = s4u::Engine::get_clock();
    for (auto const kind : {OpKind::receive, OpKind::send, OpKind::combine, OpKind::copy}) {
      for (OpId i = 0; i < linked_.size(); ++i) {
        if (linked_.op(i).kind == kind) advance(i);
      }
    }
    launch();
    if (left_ > 0) done_->acquire();
  }

  [[nodiscard]] std::vector<double> const& seconds() const { return seconds_; }
  [[nodiscard]] std::int64_t messages() const { return messages_; }

 private:
  struct Message {
    OpId send = no_op;
    std::int64_t segment = 0;
  };
  /// An actor that carries one message after the other.
  struct Carrier {
    Message message;
    s4u::SemaphorePtr wake = s4u::Semaphore::create(0);
  };

  void place(Machine const& machine, OpId send) {
    auto const& op = linked_.op(send);
    auto const second = op.port != any_port && simulated::has_second_host(machine, op.port);
    auto const name = second ? simulated::host_name(op.rank, op.port) : simulated::host_name(op.rank);
    streams_[send].from = s4u::Host::by_name(name);
    streams_[send].to = s4u::Host::by_name(simulated::host_name(op.peer));
  }

  [[nodiscard]] bool may_go(OpId i) const {
    auto const& s = streams_[i];
    if (s.posted == linked_.op(i).segments || s.posted - s.completed == window_) return false;
    return linked_.ready(i, s.posted, [this](OpId other) { return streams_[other].completed; });
  }

  void advance(OpId i) {
    auto const& op = linked_.op(i);
    while (may_go(i)) {
      auto const segment = streams_[i].posted++;
      if (!op.streams()) {  // a combination or copy, which takes no time
        complete(i, segment);
      } else if (streams_[op.partner].posted > segment) {
        ready_.push_back({op.kind == OpKind::send ? i : op.partner, segment});
      }
    }
  }

  void complete(OpId i, std::int64_t segment) {
    auto& s = streams_[i];
    auto const place = [&](std::int64_t k) -> std::uint8_t& { return s.landed[static_cast<std::size_t>(k % window_)]; };
    place(segment) = 1;
    if (segment != s.completed) return;
    while (s.completed < s.posted && place(s.completed) != 0) {
      place(s.completed) = 0;
      ++s.completed;
    }
    auto const& op = linked_.op(i);
    if (s.completed == op.segments) {
      --left_;
      seconds_[static_cast<std::size_t>(op.rank)] = s4u::Engine::get_clock() - start_;
    }
    if (op.streams()) advance(i);
    for (auto const waiting : linked_.wakes(i)) advance(waiting);
  }

  /// Gives the messages that both ends have posted to carriers.
  void launch() {
    while (!ready_.empty()) {
      auto const message = ready_.back();
      ready_.pop_back();
      ++messages_;
      if (idle_.empty()) {
        carriers_.push_back(std::make_unique<Carrier>(Carrier{message}));
        s4u::Actor::create("carrier", streams_[message.send].from, [this, c = carriers_.back().get()] {
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
      auto const& op = linked_.op(send);
      s4u::Comm::sendto(streams_[send].from, streams_[send].to, static_cast<std::uint64_t>(op.bytes(segment)));
      complete(send, segment);
      complete(op.partner, segment);
      idle_.push_back(&carrier);
      launch();
      if (left_ == 0) done_->release();
      carrier.wake->acquire();
    }
  }

  std::int64_t window_;
  LinkedProgram linked_;
  std::vector<Stream> streams_;
  std::vector<double> seconds_;
  std::int64_t left_ = 0;
  std::vector<Message> ready_;
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<Carrier*> idle_;
  s4u::SemaphorePtr done_ = s4u::Semaphore::create(0);
  std::int64_t messages_ = 0;
  double start_ = 0.0;
};

/// A case of the registry, or any schedule, as GOAL text in a file.
Schedule schedule_of(Machine const& machine, std::string const& text) {
  if (!text.ends_with(".goal")) {
    auto const c = simulated::parse_case(text, machine.ranks());
    return make_schedule(machine, c.contract, c.algorithm, c.cut);
  }
  auto in = std::ifstream(text);
  ensure(in.good(), "CASE", text, "a file of GOAL text that can be read");
  return import_goal(in, text);
}

}  // namespace

int main(int argc, char** argv) {
  s4u::Engine engine(&argc, argv);
  try {
    ensure(argc == 4, "arguments", argc - 1, "NETWORK MACHINE CASE");
    auto const machine = Machine::parse(argv[2]);
    simulated::make_network(machine, simulated::parse_network(argv[1]));
    Run run(machine, schedule_of(machine, argv[3]));
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
