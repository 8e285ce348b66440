#include "channel_forms.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "allport/base/error.h"
#include "allport/comm/messages.h"
#include "base/fnv.h"
#include "comm_state.h"
#include "mpi_errors.h"
#include "multicast_message.h"

namespace allport {

namespace {

constexpr std::size_t most_forms = 256;

/// Whether nobody knows the machine's rates: then they are those of Machine::flat().
bool has_assumed_rates(Machine const& machine) {
  auto const assumed = Machine::flat(machine.ranks());
  for (int a = 0; a < machine.axes(); ++a) {
    auto const& axis = machine.axis(a);
    if (axis.bandwidth != assumed.axis(0).bandwidth || axis.latency != assumed.axis(0).latency) return false;
  }
  return machine.rates() == assumed.rates() && machine.exceptions().empty();
}

/// A number of every rank's computer, by position. Collective.
std::vector<std::int64_t> computers(Communicator const& comm) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  EngineGuard const hold(*comm.lock());
  engine::check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name", comm.rank());
  std::array<std::int64_t, 1> const mine{agreement_hash({name.data(), static_cast<std::size_t>(length)})};
  auto const by_rank = comm.all_gather(mine);
  std::vector<std::int64_t> by_position;
  for (Rank p = 0; p < comm.size(); ++p) by_position.push_back(by_rank[static_cast<std::size_t>(comm.at_position(p))]);
  return by_position;
}

/// ChannelForms::machine(). Collective.
Machine priced_machine(Communicator const& comm) {
  auto const& machine = comm.machine();
  if (!has_assumed_rates(machine)) return machine;
  auto const all = computers(comm);
  auto const next = std::ranges::find_if(all, [&](auto computer) { return computer != all.front(); });
  auto const together = static_cast<std::size_t>(next - all.begin());
  if (all.size() % together != 0 || std::cmp_less_equal(together, machine.ranks_per_node())) return machine;
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (all[p] != all[p - p % together]) return machine;
  }
  auto line = Machine::flat(1).axis(0);
  line.length = static_cast<std::int32_t>(all.size() / together);
  return {machine.name(), {line}, machine.rates(), Levels(static_cast<int>(together))};
}

/// @param has_axes  the machine was named, with axes to follow
AlgorithmList candidates(bool has_axes) {
  auto all = unannounced_multicasts();
  if (!has_axes) std::erase_if(all, [](Algorithm const* a) { return a->name == name(MulticastTree::axes); });
  return all;
}

}  // namespace

ChannelForms::ChannelForms(Communicator const& comm, ChannelOptions options)
    : options_(std::move(options)), source_(comm.position(comm.rank())), machine_(comm.machine()) {
  bool const has_axes = !(machine_ == Machine::flat(comm.size()));
  among_ = candidates(has_axes);
  comm.ensure_all_well(trouble());
  auto const named = std::ranges::find(among_, options_.tree, &Algorithm::name) - among_.begin();
  comm.ensure_agreement("tree", options_.tree.empty() ? -1 : named);
  if (!options_.tree.empty()) return;
  machine_ = priced_machine(comm);
  among_ = candidates(has_axes && machine_ == comm.machine());
}

std::string ChannelForms::trouble() const {
  std::string names;
  for (auto const* a : among_) names += (names.empty() ? "" : ", ") + a->name;
  bool const is_known = std::ranges::count(among_, options_.tree, &Algorithm::name) > 0;
  try {
    ensure(options_.segment.value() >= 0 && options_.segment <= longest_message, "segment", options_.segment,
           "0 to 2^30 bytes");
    ensure(options_.tree.empty() || is_known, "tree", options_.tree, "one of " + names,
           "'axes' is for machines with axes");
  } catch (Error const& e) {
    return e.what();
  }
  return {};
}

TopologyIds ChannelForms::ids() const { return TopologyIds(machine_, TopologyIds::default_bits(machine_.ranks())); }

MulticastForm ChannelForms::form(std::vector<Rank> const& places, std::int64_t bytes) {
  auto const others = std::ranges::count_if(places, [&](Rank place) { return place != source_; });
  if (others <= 1 && options_.tree.empty()) return {.tree = MulticastTree::flat};
  auto const size =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 1))));
  if (forms_.size() >= most_forms) forms_.clear();
  auto const [found, is_new] = forms_.try_emplace({places, size});
  if (is_new) {
    SelectOptions wanted{.algorithm = options_.tree, .window = engine::segments_in_flight, .among = among_};
    if (options_.segment.value() > 0) wanted.segments = {options_.segment.value()};
    if (size <= engine::MessageHeader::short_bytes) wanted.segments = {size};  // they travel in one piece
    auto const contract = multicast_contract(machine_.ranks(), source_, size, places);
    found->second = form_of(machine_, choose_multicast(machine_, contract, wanted));
  }
  return found->second;
}

}  // namespace allport
