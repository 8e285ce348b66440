#include "line_price.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/mapping/mapping.h"
#include "allport/select/select.h"

namespace allport::gemm_detail {

namespace {

/// Communication moves along only between two pieces of a local multiplication, so segments are longer and more of them
/// are under way than where a rank does nothing but communicate. All are multiples of every element.
constexpr std::int64_t segments[] = {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20};
/// Where even the shortest of them takes that long on a link, communication moves along often enough for shorter ones.
constexpr std::int64_t short_segments[] = {12 << 10, 16 << 10, 32 << 10};
constexpr Seconds slow{1e-3};
constexpr std::int32_t in_flight = 4;

BytesPerSecond slowest_axis(Machine const& machine) {
  auto slowest = machine.axis(0).bandwidth;
  for (int a = 1; a < machine.axes(); ++a) slowest = std::min(slowest, machine.axis(a).bandwidth);
  return slowest;
}

/// More ranks that form no box are priced on the line through their places alone: packing trees from every root of
/// every such group would take a plan of a large grid minutes.
constexpr std::size_t most_packed = 64;

Collective what_of(Step::Kind kind) {
  return kind == Step::Kind::reduce      ? Collective::reduce
         : kind == Step::Kind::allreduce ? Collective::allreduce
                                         : Collective::broadcast;
}

}  // namespace

Pricer::Pricer(Machine const& machine, std::optional<Mapping> const& mapping)
    : machine_(machine), mapping_(mapping ? *mapping : Mapping::identity(machine.ranks())) {
  ensure(mapping_.ranks() == machine.ranks(), "mapping", mapping_.ranks(),
         fmt::format("places of the machine's {} ranks", machine.ranks()));
}

Group const& Pricer::group(std::vector<Rank> const& members) {
  auto const [place, is_new] = groups_.try_emplace(members);
  auto& group = place->second;
  if (!is_new) {
    return group;
  }
  std::vector<Rank> places(members.size());
  std::ranges::transform(members, places.begin(), [&](Rank r) { return mapping_.place(r); });
  auto box = find_box(machine_, places);
  Shape shape{box ? std::move(box->machine) : line_through(machine_, places), {}};
  if (!box && places.size() <= most_packed) shape.trees.emplace(machine_, places);
  for (Rank i = 0; i < static_cast<Rank>(members.size()); ++i) {
    group.position.push_back(box ? box->mapping.place(i) : i);
  }
  auto known = std::ranges::find_if(
      shapes_, [&](Shape const& s) { return !s.trees && !shape.trees && s.machine.is_like(shape.machine); });
  group.shape = static_cast<int>(known - shapes_.begin());
  if (known == shapes_.end()) {
    shapes_.push_back(std::move(shape));
  }
  return group;
}

Communicator Pricer::line(Communicator const& comm, std::vector<Rank> const& members) {
  auto const& known = group(members);
  return comm.sub(members, shapes_[static_cast<std::size_t>(known.shape)].machine, Mapping::from_list(known.position));
}

Pricer::Offer& Pricer::offer(Group const& group, Step const& step, std::int64_t element) {
  auto const root = group.position[static_cast<std::size_t>(step.root)];
  bool const reduces = step.kind != Step::Kind::broadcast;
  Key const key{group.shape, step.kind, root, step.elements, element};
  if (auto const known = offers_.find(key); known != offers_.end()) {
    return known->second;
  }
  auto const& [shape, trees] = shapes_[static_cast<std::size_t>(group.shape)];
  Contract const contract{.what = what_of(step.kind),
                          .ranks = shape.ranks(),
                          .root = root,
                          .bytes = step.elements * element,
                          .element = reduces ? element : 1};
  SelectOptions wanted;
  wanted.window = in_flight;
  // Ranks plan without asking each other.
  wanted.among = trees ? trees->among(library_algorithms()) : library_algorithms();
  auto const is_slow = Bytes(segments[0]) / slowest_axis(shape) > slow;
  for (auto const segment : short_segments) {
    if (is_slow && segment < contract.bytes && segment % contract.element == 0) wanted.segments.push_back(segment);
  }
  for (auto const segment : segments) {
    // An entry of a tournament is one element of the reduction, and may be longer than a segment.
    auto const whole = std::max(segment, contract.element);
    if (wanted.segments.empty() || wanted.segments.back() != whole) wanted.segments.push_back(whole);
    if (whole >= contract.bytes) break;
  }
  std::ranges::reverse(wanted.segments);  // of equal prices the first is taken: the longest
  auto const choice = choose(shape, contract, wanted);
  return offers_.emplace(key, Offer{make_schedule(shape, choice), choice.best.predicted, {}}).first->second;
}

Pricer::Part const& Pricer::part(Group const& group, int index, Step const& step, std::int64_t element) {
  auto& offered = offer(group, step, element);
  auto const position = group.position[static_cast<std::size_t>(index)];
  auto const known = offered.parts.find(position);
  if (known != offered.parts.end()) {
    return known->second;
  }
  auto const program = offered.schedule.program(position);
  return offered.parts.emplace(position, Part{allport::traffic(program), program.scratch}).first->second;
}

Traffic Pricer::traffic(Group const& group, int index, Step const& step, std::int64_t element) {
  return part(group, index, step, element).traffic;
}

Seconds Pricer::seconds(Group const& group, Step const& step, std::int64_t element) {
  return offer(group, step, element).price;
}

std::int64_t Pricer::scratch(Group const& group, int index, Step const& step, std::int64_t element) {
  return part(group, index, step, element).scratch;
}

Seconds Pricer::message(Rank from, Rank to, std::int64_t bytes) const {
  if (bytes == 0 || from == to) {
    return Seconds(0);
  }
  auto time = machine_.rates().overhead * 2.0;
  auto slowest = Seconds(0);
  machine_.route(machine_.node_of(place(from)), machine_.node_of(place(to)), [&](LinkId l) {
    time += machine_.latency(l);
    slowest = std::max(slowest, Bytes(bytes) / machine_.bandwidth(l));
  });
  return time + slowest;
}

}  // namespace allport::gemm_detail
