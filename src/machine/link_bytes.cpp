#include "link_bytes.h"

#include <algorithm>

namespace allport {

LinkBytes::LinkBytes(Machine const& machine)
    : machine_(&machine), bytes_(static_cast<std::size_t>(machine.link_ids()), 0.0) {}

void LinkBytes::add(LinkId link, double bytes) {
  if (bytes == 0) return;
  auto& there = bytes_[static_cast<std::size_t>(link)];
  if (there == 0) used_.push_back(link);
  there += bytes;
}

void LinkBytes::add(Node from, Node to, double bytes) {
  machine_->route(from, to, [&](LinkId link) { add(link, bytes); });
}

void LinkBytes::clear() {
  for (auto const link : used_) bytes_[static_cast<std::size_t>(link)] = 0;
  used_.clear();
}

Seconds LinkBytes::seconds(LinkId link) const {
  auto const bytes = bytes_[static_cast<std::size_t>(link)];
  return bytes == 0 ? Seconds{} : Seconds(bytes / machine_->bandwidth(link).value());
}

Seconds LinkBytes::longest() const {
  Seconds most{};
  for (auto const link : used_) most = std::max(most, seconds(link));
  return most;
}

}  // namespace allport
