// Sub-communicators: their members, and their box of the machine.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "allport/mapping/mapping.h"
#include "comm_state.h"
#include "mpi_errors.h"

namespace allport {
namespace {

using engine::check;
using engine::CommState;

/// Position of this rank among `members`. @throws Error naming what is wrong
/// with them
Rank place_among(CommState const& comm, std::span<Rank const> members) {
  ensure(!members.empty(), "members", "none", "at least this rank");
  std::vector<Rank> sorted(members.begin(), members.end());
  std::ranges::sort(sorted);
  comm.ensure_rank("members", sorted.front());
  comm.ensure_rank("members", sorted.back());
  auto const twice = std::ranges::adjacent_find(sorted);
  ensure(twice == sorted.end(), "members", twice == sorted.end() ? 0 : *twice, "every rank at most once");
  auto const me = std::ranges::find(members, comm.rank);
  ensure(me != members.end(), "members", comm.rank, "this rank among them", "sub() is called by exactly the members");
  return static_cast<Rank>(me - members.begin());
}

/// MPI_Comm_create_group blocks without progressing Allport's transfers, so no rank may enter it while another member
/// still needs them.
void meet(CommState const& comm, std::span<Rank const> members, Rank me) {
  comm.join(members, me, {}, "to make a sub-communicator");
}

MPI_Comm create(CommState const& comm, std::span<Rank const> members) {
  engine::MayBlock const meanwhile(comm.lock());
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group some = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_group(comm.mpi(), &all), "MPI_Comm_group", comm.rank);
  auto code = MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &some);
  if (code == MPI_SUCCESS) {
    code = MPI_Comm_create_group(comm.mpi(), some, engine::TagSpace::meeting, &made);
    MPI_Group_free(&some);
  }
  MPI_Group_free(&all);
  check(code, "MPI_Comm_create_group", comm.rank);
  return made;
}

std::shared_ptr<CommState> make_scattered(CommState const& parent, std::vector<Rank> whole,
                                          engine::MessageContext context) {
  auto const& engine = *parent.engine;
  auto const size = static_cast<int>(whole.size());
  std::optional<Scattered> scattered;
  std::optional<Scattered> named;
  if (engine.machine() != Machine::flat(engine.machine().ranks())) {
    scattered.emplace(engine.machine(), whole);
    if (engine.named()) named.emplace(*engine.named(), whole);
  }
  auto made = std::make_shared<CommState>(parent.engine, std::move(context),
                                          scattered ? scattered->line() : Machine::flat(size), false,
                                          std::vector<Rank>{}, std::move(whole));
  if (named) made->named = named->line();
  made->scattered = std::move(scattered);
  made->scattered_named = std::move(named);
  return made;
}

std::vector<Rank> whole_positions(CommState const& parent, std::span<Rank const> members) {
  std::vector<Rank> whole(members.size());
  std::ranges::transform(members, whole.begin(), [&](Rank r) { return parent.whole_position(r); });
  return whole;
}

std::shared_ptr<CommState> make_sub(CommState const& parent, std::span<Rank const> members,
                                    engine::MessageContext context) {
  auto whole = whole_positions(parent, members);
  auto box = find_box(parent.engine->machine(), whole);
  if (!box) return make_scattered(parent, std::move(whole), std::move(context));
  auto ranks = box->mapping.is_identity() ? std::vector<Rank>{} : box->mapping.inverse().list();
  auto named = parent.engine->named();
  if (named) named = std::move(find_box(*named, whole)->machine);
  auto made = std::make_shared<CommState>(parent.engine, std::move(context), std::move(box->machine), true,
                                          std::move(ranks), std::move(whole));
  made->named = std::move(named);
  return made;
}

}  // namespace

Communicator Communicator::sub(std::span<Rank const> members) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  meet(*state_, members, place_among(*state_, members));
  return Communicator(make_sub(*state_, members, engine::MessageContext::of(create(*state_, members))));
}

Communicator Communicator::sub(std::span<Rank const> members, MpiComm given) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  place_among(*state_, members);
  return Communicator(make_sub(*state_, members, engine::MessageContext::of(given)));
}

int Communicator::contexts() const { return engine::ContextTags::up_to(engine::greatest_tag(state_->mpi())).count; }

Communicator Communicator::sub_in_context(std::span<Rank const> members, int context) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  place_among(*state_, members);
  return Communicator(make_sub(*state_, members, engine::MessageContext::within(state_, members, context)));
}

Communicator Communicator::sub(std::span<Rank const> members, Machine machine, Mapping const& mapping) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  auto const me = place_among(*state_, members);
  auto const count = static_cast<Rank>(members.size());
  ensure(machine.ranks() == count, "machine", machine.name(), fmt::format("one of {} ranks", count));
  ensure(mapping.ranks() == count, "mapping", mapping.ranks(), fmt::format("{} places", count));
  meet(*state_, members, me);
  auto ranks = mapping.is_identity() ? std::vector<Rank>{} : mapping.inverse().list();
  return Communicator(std::make_shared<CommState>(state_->engine, engine::MessageContext::of(create(*state_, members)),
                                                  std::move(machine), true, std::move(ranks),
                                                  whole_positions(*state_, members)));
}

std::optional<Communicator> Communicator::split(int color, int key) const {
  EngineGuard const hold(state_->lock());
  state_->ensure_alive();
  struct Wish {
    int color;
    int key;
  };
  Wish const mine{color, key};
  std::vector<Wish> all(static_cast<std::size_t>(size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&mine, 2, MPI_INT, all.data(), 2, MPI_INT, state_->mpi(), &request), "MPI_Iallgather",
        state_->rank);
  state_->await(request, "all ranks to split the communicator");
  if (color < 0) return std::nullopt;
  std::vector<Rank> members;
  for (Rank r = 0; r < size(); ++r) {
    if (all[static_cast<std::size_t>(r)].color == color) members.push_back(r);
  }
  std::ranges::stable_sort(members, {}, [&](Rank r) { return all[static_cast<std::size_t>(r)].key; });
  return sub(members);
}

}  // namespace allport
