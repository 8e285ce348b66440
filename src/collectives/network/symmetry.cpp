#include "collectives/network/symmetry.h"

#include <algorithm>
#include <numeric>

#include "collectives/index.h"

namespace allport {
namespace {

/// Sets that are joined.
class JoinedSets {
 public:
  explicit JoinedSets(std::size_t size) : up_(size) { std::iota(up_.begin(), up_.end(), 0); }
  std::int32_t find(std::int32_t x) {
    while (up_[at(x)] != x) x = up_[at(x)] = up_[at(up_[at(x)])];
    return x;
  }
  /// The smaller one stands for both.
  void join(std::int32_t a, std::int32_t b) {
    a = find(a);
    b = find(b);
    up_[at(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<std::int32_t> up_;
};

Permutation identity(std::int32_t size) {
  Permutation all(at(size));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// First `first`, then `second`.
Permutation product(Permutation const& first, Permutation const& second) {
  Permutation made(first.size());
  for (std::size_t x = 0; x < first.size(); ++x) made[x] = second[at(first[x])];
  return made;
}

}  // namespace

std::vector<std::int32_t> TranslationGroup::images(std::int32_t c) const {
  std::vector<std::int32_t> all{c};
  all.reserve(at(order_));
  for (auto const& powers : generators_) {
    auto const before = all.size();
    for (std::size_t e = 1; e < powers.size(); ++e)
      for (std::size_t x = 0; x < before; ++x) all.push_back(powers[e][at(all[x])]);
  }
  return all;
}

std::int32_t TranslationGroup::image(std::int64_t element, std::int32_t c) const {
  for (auto const& powers : generators_) {
    auto const count = static_cast<std::int64_t>(powers.size());
    c = powers[at(element % count)][at(c)];
    element /= count;
  }
  return c;
}

bool TranslationGroup::extend(Quotient const& quotient, Permutation const& generator) {
  for (auto const& powers : generators_) {
    auto const& other = powers[1];
    for (std::size_t x = 0; x < other.size(); ++x)
      if (other[at(generator[x])] != generator[at(other[x])]) return false;
  }
  std::int32_t first = 0;
  while (!quotient.is_compute(first)) ++first;
  auto const mine = images(first);
  Powers powers{identity(quotient.size())};
  for (auto power = generator;; power = product(power, generator)) {
    auto const element = std::ranges::find(mine, power[at(first)]) - mine.begin();
    if (at(element) < mine.size()) {
      for (std::int32_t c = 0; c < quotient.size(); ++c)
        if (image(element, c) != power[at(c)]) return false;
      break;
    }
    powers.push_back(power);
    if (std::ssize(powers) > quotient.size()) return false;
  }
  if (powers.size() < 2) return false;
  JoinedSets orbits(at(quotient.size()));
  std::vector<std::int64_t> classes(at(quotient.size()), 0);
  for (std::int32_t c = 0; c < quotient.size(); ++c) {
    orbits.join(c, generator[at(c)]);
    for (auto const& others : generators_) orbits.join(c, others[1][at(c)]);
  }
  auto const order = order_ * std::ssize(powers);
  for (std::int32_t c = 0; c < quotient.size(); ++c) ++classes[at(orbits.find(c))];
  for (std::int32_t c = 0; c < quotient.size(); ++c)
    if (quotient.is_compute(c) && classes[at(orbits.find(c))] != order) return false;
  generators_.push_back(std::move(powers));
  order_ = order;
  return true;
}

Symmetry::Symmetry(Topology const& topology, std::vector<std::int64_t> const& capacity)
    : compute_(topology.compute_nodes()), links_(topology, capacity), classes_(topology, links_) {
  Quotient const quotient(topology, links_, classes_);
  rotations_ = 0;
  for (std::int32_t c = 0; c < quotient.size(); ++c)
    if (quotient.is_compute(c)) rotations_ = std::gcd(rotations_, std::int64_t{std::ssize(classes_.members[at(c)])});
  group_ = find_translations(quotient);
  find_orbits(topology);
}

void Symmetry::lift(std::int64_t element, std::int64_t rotation, Permutation& into) const {
  into.resize(classes_.of.size());
  for (std::size_t c = 0; c < classes_.members.size(); ++c) {
    auto const& from = classes_.members[c];
    auto const& to = classes_.members[at(group_.image(element, static_cast<std::int32_t>(c)))];
    auto const size = std::ssize(from);
    auto const shift = from.front() < compute_ ? rotation * (size / rotations_) : 0;
    for (std::int64_t x = 0; x < size; ++x) into[at(from[at(x)])] = to[at((x + shift) % size)];
  }
}

void Symmetry::find_orbits(Topology const& topology) {
  auto const classes = classes_.members.size();
  class_first_.assign(classes, -1);
  class_element_.assign(classes, 0);
  for (std::size_t c = 0; c < classes; ++c) {
    if (class_first_[c] >= 0 || classes_.members[c].front() >= compute_) continue;
    auto const images = group_.images(static_cast<std::int32_t>(c));
    for (std::size_t e = 0; e < images.size(); ++e) {
      class_first_[at(images[e])] = static_cast<std::int32_t>(c);
      class_element_[at(images[e])] = static_cast<std::int64_t>(e);
    }
    auto const& members = classes_.members[c];
    representatives_.insert(representatives_.end(), members.begin(),
                            members.begin() + std::ssize(members) / rotations_);
  }
  std::ranges::sort(representatives_);
  JoinedSets orbits(topology.links().size());
  Permutation generator;
  auto const join_by = [&](std::int64_t element, std::int64_t rotation) {
    lift(element, rotation, generator);
    for (std::int32_t l = 0; l < std::ssize(topology.links()); ++l) orbits.join(l, links_.image(l, generator));
  };
  std::int64_t step = 1;
  for (auto const& powers : group_.generators()) {
    join_by(step, 0);
    step *= std::ssize(powers);
  }
  if (rotations_ > 1) join_by(0, 1);
  orbit_of_link_.assign(topology.links().size(), -1);
  for (std::int32_t l = 0; l < std::ssize(topology.links()); ++l) {
    auto const first = orbits.find(l);
    auto& orbit = orbit_of_link_[at(l)];
    if (first == l) {
      orbit = static_cast<std::int32_t>(links_of_orbit_.size());
      links_of_orbit_.push_back(0);
    } else {
      orbit = orbit_of_link_[at(first)];
    }
    ++links_of_orbit_[at(orbit)];
  }
}

Vertex Symmetry::representative(Vertex compute) const {
  auto const c = classes_.of[at(compute)];
  auto const& first = classes_.members[at(class_first_[at(c)])];
  return first[at(classes_.place[at(compute)] % (std::ssize(first) / rotations_))];
}

void Symmetry::element_to(Vertex compute, Permutation& into) const {
  auto const c = classes_.of[at(compute)];
  auto const step = std::ssize(classes_.members[at(c)]) / rotations_;
  lift(class_element_[at(c)], classes_.place[at(compute)] / step, into);
}

std::int64_t Symmetry::bytes() const {
  auto words = classes_.of.size() * 3 + class_first_.size() * 3 + orbit_of_link_.size();
  for (auto const& powers : group_.generators()) words += powers.size() * classes_.members.size();
  return links_.bytes() + static_cast<std::int64_t>(words * sizeof(std::int32_t));
}

}  // namespace allport
