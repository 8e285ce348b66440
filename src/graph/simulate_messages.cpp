// Simulation of messages: multicasts and sums hop by hop over the links to their consumers.
#include <algorithm>
#include <tuple>

#include "simulation.h"

namespace allport::graph {

void Simulation::send_outputs(Task task, Waiting const& behind) {
  leaving_.read(graph_, task);
  auto const me = leaving_.owner();
  for (auto const& sending : leaving_.sendings()) {
    if (!sending.travels()) continue;
    auto const number = transit_.open(transport_, links_, sending.of(task));
    auto& parcel = transit_[number];
    for (auto const& consumer : leaving_.consumers()) {
      if (consumer.edge.kind == EdgeKind::data && consumer.edge.output == sending.output && consumer.owner != me) {
        parcel.consumers.push_back(consumer);
      }
    }
    parcel.sort_consumers();
    remember(number, behind);
    start_legs(number, me, behind.cause);
  }
  for (auto const& consumer : leaving_.consumers()) {
    if (consumer.edge.kind == EdgeKind::sum && !is_empty(task, consumer.edge)) {
      contribute(task, consumer, me, behind);
    } else if (consumer.owner == me || is_empty(task, consumer.edge)) {
      fulfil(consumer.edge.child, consumer.owner, behind, 1);
      if (consumer.owner != me) begin_tasks(consumer.owner);
    }
  }
}

bool Simulation::is_empty(Task task, Edge const& edge) const {
  if (edge.kind == EdgeKind::data) return leaving_.bytes(edge.output) == 0;
  return graph_.output(task, edge.output).bytes(graph_.element()) == 0;
}

void Simulation::remember(std::size_t number, Waiting const& behind) {
  if (waited_.size() <= number) waited_.resize(number + 1);
  waited_[number] = behind;
}

void Simulation::contribute(Task task, Consumer const& consumer, Rank me, Waiting const& behind) {
  auto const key = std::pair(consumer.edge.child, consumer.edge.input);
  auto known = sums_.find(key);
  if (known == sums_.end()) {
    auto const number = transit_.open(transport_, links_, delivery_of_sum(graph_, task, consumer, contributors_));
    auto& parcel = transit_[number];
    for (auto& leg : parcel.legs) ++leg.waits;
    parcel.consumers.push_back(consumer);
    parcel.contributions = static_cast<std::int32_t>(contributors_.size());
    parcel.to_come = parcel.place(consumer.owner).arrivals + 1;
    remember(number, {});
    known = sums_.emplace(key, number).first;
  }
  auto const number = known->second;
  auto& parcel = transit_[number];
  auto& so_far = waited_[number];
  so_far.tasks = std::max(so_far.tasks, behind.tasks);
  so_far.work = std::max(so_far.work, behind.work);
  auto const& legs = parcel.legs;
  for (auto l = parcel.place(me).legs; l >= 0; l = legs[static_cast<std::size_t>(l)].beside) {
    release(number, l, now_, now_, behind.cause);
  }
  if (me == consumer.owner) summed(number, behind.cause);
}

void Simulation::summed(std::size_t number, std::int64_t cause) {
  auto& parcel = transit_[number];
  if (--parcel.to_come > 0) return;
  auto const consumer = parcel.consumers.front();
  auto behind = waited_[number];
  behind.cause = cause;
  sums_.erase(std::pair(consumer.edge.child, consumer.edge.input));
  auto const contributions = parcel.contributions;
  transit_.close(number);
  fulfil(consumer.edge.child, consumer.owner, behind, contributions);
  begin_tasks(consumer.owner);
}

void Simulation::start_legs(std::size_t number, Rank from, std::int64_t cause) {
  auto& parcel = transit_[number];
  for (auto l = parcel.place(from).legs; l >= 0; l = parcel.legs[static_cast<std::size_t>(l)].beside) {
    auto& leg = parcel.legs[static_cast<std::size_t>(l)];
    if (leg.waits > 0) continue;
    leg.first = leg.last = now_;
    parcel.set_cause(l, cause);
    at(now_, Event::leave, number, l);
  }
}

void Simulation::release(std::size_t number, std::int32_t index, double first, double last, std::int64_t cause) {
  auto& parcel = transit_[number];
  auto& leg = parcel.legs[static_cast<std::size_t>(index)];
  leg.first = std::max(leg.first, first);
  if (last >= leg.last) parcel.set_cause(index, cause);
  leg.last = std::max(leg.last, last);
  if (--leg.waits == 0) at(std::max(leg.first, now_), Event::leave, number, index);
}

void Simulation::leave(std::size_t number, std::int32_t index) {
  auto& parcel = transit_[number];
  auto& leg = parcel.legs[static_cast<std::size_t>(index)];
  auto const piece = std::min(leg.bytes, options_.segment);
  auto const transfer = links_.cross(leg.from, leg.to, leg.link, leg.bytes, now_, leg.last);
  auto const span =
      keep({transfer.begin, transfer.tail, parcel.cause(index), parcel.task, leg.from, leg.to, 0, leg.bytes});
  parcel.set_cause(index, span);
  ++result_.hops;
  in_flight(leg, 1);
  auto const first = std::min(transfer.head + links_.trailing(leg.path_cost, piece), transfer.tail);
  parcel.each_next(index, [&](std::int32_t next) {
    auto const& onward = parcel.legs[static_cast<std::size_t>(next)].path_cost;
    release(number, next, first, transfer.tail + links_.trailing(onward, piece), span);
  });
  at(transfer.tail, Event::arrive, number, index);
}

void Simulation::in_flight(Leg const& leg, int more) {
  for (auto const r : {leg.from, leg.to}) {
    if (r >= graph_ranks_) continue;
    auto& clock = clocks_[static_cast<std::size_t>(r)];
    auto const after = clock.in_flight + more;
    if ((after > 0) != (clock.in_flight > 0)) pass(clock);
    clock.in_flight = after;
  }
}

void Simulation::arrive(std::size_t number, std::int32_t index) {
  auto& parcel = transit_[number];
  auto const& leg = parcel.legs[static_cast<std::size_t>(index)];
  auto const [to, place, cause] = std::tuple(leg.to, leg.place, parcel.cause(index));
  in_flight(leg, -1);
  bool const complete = --parcel.places[static_cast<std::size_t>(place)].arrivals == 0;
  bool const over = --parcel.in_flight == 0;
  if (parcel.is_sum) {
    if (to == parcel.consumers.front().owner) summed(number, cause);
    return;
  }
  if (complete) {
    auto behind = waited_[number];
    behind.cause = cause;
    auto const consumers = parcel.consumers_at(place);
    for (auto const& consumer : consumers) fulfil(consumer.edge.child, to, behind, 1);
    if (!consumers.empty()) begin_tasks(to);
  }
  if (over) transit_.close(number);
}

}  // namespace allport::graph
