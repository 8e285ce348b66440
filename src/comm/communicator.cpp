// Construction and queries of communicators.
#include "allport/comm/communicator.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <cstdlib>

#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace {

using engine::check;
using engine::CommState;
using engine::ProgressEngine;

/// A copy of `comm` whose ranks agree on where they take the machine from: the ways to learn it differ in what they
/// send.
MPI_Comm own_copy(MPI_Comm comm, bool is_given) {
  if (!engine::mpi_is_up()) {
    throw Error(ErrorKind::mpi,
                "a Communicator lives between MPI_Init and "
                "MPI_Finalize; call MPI_Init first");
  }
  ensure(comm != MPI_COMM_NULL, "comm", "MPI_COMM_NULL", "a communicator");
  int inter = 0;
  check(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter", 0);
  ensure(inter == 0, "comm", "an intercommunicator", "an intracommunicator", "merge it by MPI_Intercomm_merge");
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup", 0);
  std::array<int, 2> const mine{is_given ? 1 : 0, is_given ? 0 : 1};
  std::array<int, 2> all{};
  check(MPI_Allreduce(mine.data(), all.data(), 2, MPI_INT, MPI_MAX, copy), "MPI_Allreduce", 0);
  if (all[0] + all[1] == 2) {
    check(MPI_Comm_free(&copy), "MPI_Comm_free", 0);
    throw Error(ErrorKind::mismatch,
                "machine: some ranks pass one, others leave it to ALLPORT_MACHINE; pass the same on all ranks");
  }
  return copy;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size", 0);
  return size;
}

/// Every field that Machine's == compares.
std::uint64_t fingerprint(Machine const& m) {
  auto const& r = m.rates();
  auto text = fmt::format("{}|{}|{:a}|{:a}|{:a}|{}|{:a}|{:a}|{:a}|{:a}|{}", m.name(), m.ranks_per_node(),
                          r.overhead.value(), r.tau, r.tau_short, r.ports, r.injection.value(), r.flops.value(),
                          r.adds.value(), r.memory_bandwidth.value(), r.memory.value());
  for (int a = 0; a < m.axes(); ++a) {
    auto const& axis = m.axis(a);
    text += fmt::format("|{} {} {:a} {:a}", axis.length, axis.wraps, axis.bandwidth.value(), axis.latency.value());
  }
  for (auto const& l : m.levels().all()) {
    text += fmt::format("|{} {} {:a} {:a} {:a} {:a} {}", l.name, l.count, l.bandwidth.value(), l.latency.value(),
                        l.injection.value(), l.memory_bandwidth.value(), l.cache.value());
  }
  auto sum = engine::hash(text);
  for (auto const& e : m.exceptions()) {
    sum = engine::hash(
        fmt::format("|{} {} {} {:a} {:a}", e.node, int{e.out}, e.dead, e.bandwidth.value(), e.latency.value()), sum);
  }
  if (!m.calibration().empty()) sum = engine::hash(m.to_toml(), sum);  // what MPI takes decides who runs a collective
  return sum;
}

/// A rank's machine and placement, and the local error in them.
struct Said {
  Machine machine;
  std::optional<Machine> named{};
  Mapping mapping;
  std::string trouble{};
};

/// Creates a family over `comm` after all ranks have agreed.
std::shared_ptr<CommState> found(MPI_Comm comm, Said said) {
  auto const size = size_of(comm);
  auto& [machine, named, mapping, trouble] = said;
  if (trouble.empty() && mapping.ranks() != size) {
    trouble =
        fmt::format("mapping = {} places: expected {}, one for every rank of the communicator", mapping.ranks(), size);
  }
  if (!trouble.empty()) mapping = Mapping::identity(size);
  auto engine = std::make_shared<ProgressEngine>(machine, named);
  EngineGuard const hold(*engine->lock());
  auto whole = mapping.is_identity() ? std::vector<Rank>{} : mapping.list();
  auto ranks = mapping.is_identity() ? std::vector<Rank>{} : mapping.inverse().list();
  auto state = std::make_shared<CommState>(engine, engine::MessageContext::of(comm), std::move(machine), true,
                                           std::move(ranks), std::move(whole));
  state->named = std::move(named);
  engine::EngineSettings settings;
  engine::LinkWatch link_watch;
  try {
    // Every process watches its own node's links; the rest must be alike on all ranks.
    link_watch = engine::LinkWatch::from_environment();
    if (state->rank == 0) settings = engine::EngineSettings::from_environment();
    ensure(state->machine.ranks() == size, "machine", state->machine.name(),
           fmt::format("a machine of as many ranks as the communicator, {}, not {}", size, state->machine.ranks()),
           "change the machine, or start as many ranks as it has", ErrorKind::machine);
  } catch (Error const& e) {
    if (trouble.empty()) trouble = e.what();
  }
  state->all_well(trouble, ErrorKind::machine);
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibcast(&settings, sizeof settings, MPI_BYTE, 0, comm, &request), "MPI_Ibcast", state->rank, 0);
  state->await(request, "rank 0's settings");
  engine->configure(settings, std::move(link_watch));
  auto const& m = state->machine;
  state->agree("machine", static_cast<std::int64_t>(fingerprint(m)),
               fmt::format("'{}' ({} nodes, {:016x})", m.name(), m.nodes(), fingerprint(m)));
  auto const places = fmt::format("{}", fmt::join(state->whole, " "));
  state->agree("mapping", static_cast<std::int64_t>(engine::hash(places)),
               state->whole.empty() ? "rank r at place r" : places);
  auto const added = registered_text(engine->algorithms());
  state->agree("algorithms registered by the program", static_cast<std::int64_t>(engine::hash(added)), added);
  return state;
}

Said said_by_spec(MPI_Comm comm, std::string_view spec) {
  Said said{.machine = Machine::flat(size_of(comm)), .mapping = Mapping::identity(size_of(comm))};
  try {
    said.machine = Machine::parse(spec);
  } catch (Error const& e) {
    said.trouble = e.what();
  }
  return said;
}

/// Rank 0 reads ALLPORT_MACHINE (a spec or a file, which may be on its disk only) and broadcasts it.
Said said_by_environment(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", 0);
  std::string text;
  std::string trouble;
  auto const* spec = std::getenv("ALLPORT_MACHINE");
  if (rank == 0 && spec != nullptr && *spec != '\0') {
    try {
      text = Machine::parse(spec).to_toml();
    } catch (Error const& e) {
      trouble = fmt::format("ALLPORT_MACHINE: {}", e.what());
    }
  }
  auto length = static_cast<int>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast", rank, 0);
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast", rank, 0);
  return {.machine = text.empty() ? Machine::flat(size_of(comm)) : Machine::from_toml(text, "ALLPORT_MACHINE"),
          .mapping = Mapping::identity(size_of(comm)),
          .trouble = trouble};
}

Said said_by_machine(MPI_Comm comm, Machine machine) {
  return {.machine = std::move(machine), .mapping = Mapping::identity(size_of(comm))};
}

Said at_places(Said said, std::span<Rank const> places) {
  try {
    said.mapping = Mapping::from_list({places.begin(), places.end()});
  } catch (Error const& e) {
    if (said.trouble.empty()) said.trouble = e.what();
  }
  return said;
}

std::shared_ptr<CommState> found_at_places(MPI_Comm comm,
                                           std::variant<std::monostate, Machine, std::string> const& machine,
                                           std::span<Rank const> places) {
  auto const* spec = std::get_if<std::string>(&machine);
  auto const* known = std::get_if<Machine>(&machine);
  auto const own = own_copy(comm, spec != nullptr || known != nullptr);
  return found(own, at_places(spec != nullptr    ? said_by_spec(own, *spec)
                              : known != nullptr ? said_by_machine(own, *known)
                                                 : said_by_environment(own),
                              places));
}

}  // namespace

Communicator::Communicator(MpiComm comm, Machine machine) {
  auto const own = own_copy(comm, true);
  state_ = found(own, said_by_machine(own, std::move(machine)));
}

Communicator::Communicator(MpiComm comm, Machine machine, Mapping const& mapping)
    : state_(found(own_copy(comm, true), {.machine = std::move(machine), .mapping = mapping})) {}

Communicator::Communicator(MpiComm comm, std::variant<std::monostate, Machine, std::string> machine,
                           std::span<Rank const> places)
    : state_(found_at_places(comm, machine, places)) {}

Communicator::Communicator(MpiComm comm, std::string_view spec) {
  auto const own = own_copy(comm, true);
  state_ = found(own, said_by_spec(own, spec));
}

Communicator::Communicator(MpiComm comm, Machine measured, Machine named) {
  auto const own = own_copy(comm, true);
  auto said = said_by_machine(own, std::move(measured));
  said.named = std::move(named);
  state_ = found(own, std::move(said));
}

Communicator::Communicator(MpiComm comm) {
  auto const own = own_copy(comm, false);
  state_ = found(own, said_by_environment(own));
}

Rank Communicator::rank() const { return state_->rank; }
Rank Communicator::size() const { return state_->size; }
Machine const& Communicator::machine() const { return state_->machine; }
Machine const& Communicator::named_machine() const { return state_->named ? *state_->named : state_->machine; }
bool Communicator::is_box() const { return state_->box; }
AlgorithmList Communicator::algorithms() const { return state_->algorithms(state_->scattered); }
AlgorithmList Communicator::named_algorithms() const {
  return state_->algorithms(state_->named ? state_->scattered_named : state_->scattered);
}

std::string Communicator::algorithm_by_name(Contract const& contract, std::optional<Mapping> mapping) const {
  return state_->algorithm_by_name(contract, std::move(mapping));
}

std::optional<model::Bound> Communicator::lower_bounds(Contract const& contract) const {
  if (state_->scattered) return state_->scattered->lower_bounds(contract);
  return is_box() ? allport::lower_bounds(machine(), contract) : std::nullopt;
}

bool Communicator::is_congruent(Communicator const& other) const {
  if (state_ == other.state_) return true;
  EngineGuard const hold(state_->lock());
  int result = MPI_UNEQUAL;
  check(MPI_Comm_compare(state_->mpi(), other.state_->mpi(), &result), "MPI_Comm_compare", rank());
  return result == MPI_IDENT || result == MPI_CONGRUENT;
}
bool Communicator::checks() const { return state_->engine->checks(); }
MpiComm Communicator::mpi() const { return state_->mpi(); }

Rank Communicator::position(Rank r) const {
  state_->ensure_rank("rank", r);
  return state_->position_of(r);
}

Rank Communicator::at_position(Rank p) const {
  state_->ensure_rank("position", p);
  return state_->rank_at(p);
}

Mapping Communicator::mapping() const {
  auto const& positions = state_->positions;
  return positions.empty() ? Mapping::identity(size()) : Mapping::from_list(positions);
}

void Communicator::progress() const {
  EngineGuard const hold(state_->lock());
  // While there is progress, but with a limit: the caller has work of its own.
  for (int polls = 0; polls < 64 && state_->engine->progress(); ++polls) {
  }
}

std::shared_ptr<void> Communicator::cached(std::string const& key,
                                           std::function<std::shared_ptr<void>()> const& make) const {
  constexpr std::size_t most = 8;
  auto& cached = state_->cached;
  {
    EngineGuard const hold(state_->lock());
    auto const known = std::ranges::find(cached, key, &std::pair<std::string, std::shared_ptr<void>>::first);
    if (known != cached.end()) {
      cached.splice(cached.begin(), cached, known);
      return cached.front().second;
    }
  }
  auto made = make();
  std::shared_ptr<void> gone;  // its destructor may wait, or communicate
  EngineGuard const hold(state_->lock());
  if (cached.size() == most) {
    gone = std::move(cached.back().second);
    cached.pop_back();
  }
  cached.emplace_front(key, made);
  return made;
}

Traffic Communicator::counted() const {
  EngineGuard const hold(state_->lock());
  return state_->engine->counted;
}

void Communicator::reset_counted() const {
  EngineGuard const hold(state_->lock());
  state_->engine->counted = {};
}

std::shared_ptr<EngineLock> Communicator::lock() const { return state_->engine->lock(); }

void Communicator::barrier() const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  state_->meet("the other ranks to enter the barrier");
}

MpiComm Communicator::duplicate() const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  state_->meet("all ranks to duplicate the communicator");
  engine::MayBlock const meanwhile(state_->lock());
  MPI_Comm copy = MPI_COMM_NULL;
  check(MPI_Comm_dup(state_->mpi(), &copy), "MPI_Comm_dup", state_->rank);
  check(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", state_->rank);
  return copy;
}

}  // namespace allport
