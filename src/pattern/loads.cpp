#include "allport/pattern/loads.h"

#include <fmt/format.h>
#include "index.h"

namespace allport {

namespace {

using pattern::at;

/// Bytes that start (+) and end (-) at each position of the machine's lines: the running sum along a line is the load
/// of its links.
class Ends {
 public:
  explicit Ends(Machine const& machine) : machine_(machine), change_(at(machine.link_ids()), 0) {}

  void add(Node from, Node to, std::int64_t bytes) {
    for (int a = 0; a < machine_.axes(); ++a) {
      auto const x = machine_.coord(from, a);
      auto const y = machine_.coord(to, a);
      auto const steps = machine_.offset(x, y, a);
      if (steps == 0) continue;
      auto const stride = machine_.stride(a);
      auto const p = port(a, steps);
      auto const line = from - x * stride;
      auto const n = machine_.axis(a).length;
      // Links of the positive direction are those that leave x .. y-1; of the negative one y+1 .. x, summed downwards.
      auto const first = steps > 0 ? x : n - 1 - x;
      auto const last = first + (steps > 0 ? steps : -steps);
      auto const node = [&](std::int32_t k) { return line + (steps > 0 ? k : n - 1 - k) * stride; };
      change(node(first), p) += bytes;
      if (last < n) {
        change(node(last), p) -= bytes;
      } else if (last > n) {  // across the wrap: also from the beginning of the line
        change(node(0), p) += bytes;
        change(node(last - n), p) -= bytes;
      }
      from = line + y * stride;
    }
  }

  [[nodiscard]] std::vector<std::int64_t> loads() && {
    for (int a = 0; a < machine_.axes(); ++a) {
      auto const stride = machine_.stride(a);
      auto const n = machine_.axis(a).length;
      for (Node node = 0; node < machine_.nodes(); ++node) {
        if (machine_.coord(node, a) != 0) continue;
        for (std::int32_t k = 1; k < n; ++k) {
          change(node + k * stride, port(a, +1)) += change(node + (k - 1) * stride, port(a, +1));
          change(node + (n - 1 - k) * stride, port(a, -1)) += change(node + (n - k) * stride, port(a, -1));
        }
      }
    }
    return std::move(change_);
  }

 private:
  std::int64_t& change(Node node, Port p) { return change_[at(machine_.link(node, p))]; }

  Machine const& machine_;
  std::vector<std::int64_t> change_;
};

}  // namespace

void check_places(Machine const& machine, Rank ranks, std::span<Rank const> places) {
  ensure(static_cast<Rank>(places.size()) == ranks, "places", static_cast<std::int64_t>(places.size()),
         fmt::format("a place for each of {} ranks", ranks));
  std::vector<bool> taken(at(machine.ranks()));
  for (std::size_t r = 0; r < places.size(); ++r) {
    auto const place = places[r];
    if (place < 0 || place >= machine.ranks() || taken[at(place)]) {
      throw Error::argument(fmt::format("places[{}]", r), show(place),
                            fmt::format("places in 0..{}, each once", machine.ranks() - 1));
    }
    taken[at(place)] = true;
  }
}

std::vector<std::int64_t> link_bytes(Machine const& machine, Pattern const& pattern, std::span<Rank const> places) {
  check_places(machine, pattern.ranks(), places);
  auto ends = Ends(machine);
  for (Rank r = 0; r < pattern.ranks(); ++r) {
    auto const here = machine.node_of(places[at(r)]);
    for (auto const& flow : pattern.flows().of(r)) ends.add(here, machine.node_of(places[at(flow.peer)]), flow.bytes);
  }
  return std::move(ends).loads();
}

BusiestLink busiest_link(Machine const& machine, std::span<std::int64_t const> bytes) {
  ensure(static_cast<LinkId>(bytes.size()) == machine.link_ids(), "bytes", static_cast<std::int64_t>(bytes.size()),
         fmt::format("one for each of {} links", machine.link_ids()));
  BusiestLink busiest;
  for (LinkId l = 0; l < machine.link_ids(); ++l) {
    if (bytes[at(l)] == 0) continue;
    auto const seconds = static_cast<double>(bytes[at(l)]) / machine.bandwidth(l).value();
    if (seconds > busiest.seconds) busiest = {l, bytes[at(l)], seconds};
  }
  return busiest;
}

}  // namespace allport
