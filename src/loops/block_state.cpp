// Memory and faces of blocks, and their assignment to leaders.
#include "block_state.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "allport/comm/messages.h"

namespace allport::loops {

std::int64_t fingerprint(BlockGrid const& grid, std::int64_t element, std::vector<int> const& owners) {
  std::uint64_t hash = 1469598103934665603ULL;
  auto const add = [&](std::int64_t value) { hash = (hash ^ static_cast<std::uint64_t>(value)) * 1099511628211ULL; };
  auto const& shape = grid.shape();
  add(element);
  add(shape.halo);
  for (int a = 0; a < grid.axes(); ++a) {
    add(shape.grid[static_cast<std::size_t>(a)]);
    add(shape.block[static_cast<std::size_t>(a)]);
    add(shape.periodic[static_cast<std::size_t>(a)] ? 1 : 0);
  }
  for (auto const owner : owners) add(owner);
  return static_cast<std::int64_t>(hash >> 1);
}

BlockEngine::State::State(Communicator const& given, BlockGrid cut, Teams& threads, std::int64_t bytes,
                          BlocksOptions wanted)
    : comm(given),
      grid(std::move(cut)),
      teams(threads),
      element(bytes),
      options(std::move(wanted)),
      me(comm.rank()),
      multicasts(comm, TopologyIds(comm.machine(), TopologyIds::default_bits(comm.size()))),
      only_caller_calls_mpi(!Multicasts::any_thread()),
      owners(options.owners.empty() ? grid.boxes(comm.size()) : options.owners) {
  std::string wrong;
  try {
    ensure(static_cast<std::int64_t>(owners.size()) == grid.blocks(), "owners", owners.size(), "one for each block");
    for (auto const owner : owners) ensure(owner >= 0 && owner < comm.size(), "owner", owner, "a rank");
    for (std::int64_t b = 0; b < grid.blocks(); ++b) {
      if (owners[static_cast<std::size_t>(b)] == me) objects.emplace(b, made(b));
    }
  } catch (std::exception const& caught) {
    wrong = caught.what();
  }
  comm.ensure_all_well(wrong);
  comm.ensure_agreement("blocks", fingerprint(grid, element, owners));
  place_blocks();
  comm.barrier();
  begin = std::chrono::steady_clock::now();
}

/// Memory is touched by the leader that owns the block, so that it is in that leader's NUMA domain.
void BlockEngine::State::place_blocks() {
  spread_over_leaders();
  teams.run([&](int leader, Team&) {
    for (auto& [block, object] : objects) {
      if (object.leader == leader) allocate(object);
    }
  });
}

BlockEngine::State::Object BlockEngine::State::made(std::int64_t block) const {
  Object object;
  object.block = block;
  object.iteration = iteration;
  auto const halo = grid.shape().halo;
  object.elements = 1;
  for (int a = grid.axes(); a-- > 0;) {
    auto const axis = static_cast<std::size_t>(a);
    object.first[axis] = grid.first(block, a);
    object.cells[axis] = grid.cells(block, a);
    object.stride[axis] = object.elements;
    object.inner += halo * object.elements;
    object.elements *= object.cells[axis] + 2 * halo;
  }
  ensure(object.elements <= longest_message.value() / element, "block", object.elements * element,
         "no more than 1 GiB, halo and all");
  link(object);
  return object;
}

void BlockEngine::State::allocate(Object& object) const {
  for (auto& memory : object.memory) {
    memory = std::make_shared<std::byte[]>(static_cast<std::size_t>(object.elements * element));
  }
}

void BlockEngine::State::link(Object& object) const {
  object.links.clear();
  object.exposed = false;
  for (auto const face : grid.shared_faces(object.block)) {
    auto const other = grid.beyond(object.block, face);
    object.links.push_back({face, other});
    if (owners[static_cast<std::size_t>(other)] != me) object.exposed = true;
  }
}

BlockEngine::State::Object* BlockEngine::State::find(std::int64_t block) {
  auto const found = objects.find(block);
  return found != objects.end() ? &found->second : nullptr;
}

/// Consecutive blocks of about equal weight to each leader.
void BlockEngine::State::spread_over_leaders() {
  leaders = teams.leaders();
  double all = 0;
  for (auto& [block, object] : objects) {
    if (object.taken > 0) object.weight = object.taken;
    all += object.weight;
  }
  auto const even = all == 0;
  if (even) all = static_cast<double>(objects.size());
  double before = 0;
  for (auto& [block, object] : objects) {
    auto const weight = even ? 1.0 : object.weight;
    object.leader = std::min(leaders - 1, static_cast<int>((before + weight / 2) / all * leaders));
    before += weight;
  }
}

std::byte* BlockEngine::State::memory(BlockCells const& cells, std::int64_t iteration_) const {
  return cells.memory[static_cast<std::size_t>(iteration_ % 2)].get();
}

void BlockEngine::State::rows(BlockCells const& cells, Face face, bool halo,
                              FunctionRef<void(std::int64_t, std::int64_t)> visit) const {
  auto const depth = grid.shape().halo;
  Index from{};
  auto to = cells.cells;
  auto const a = static_cast<std::size_t>(face.axis);
  from[a] = face.high ? cells.cells[a] - (halo ? 0 : depth) : (halo ? -depth : 0);
  to[a] = from[a] + depth;
  box_rows(cells, from, to, visit);
}

void BlockEngine::State::box_rows(BlockCells const& cells, Index const& from, Index const& to,
                                  FunctionRef<void(std::int64_t, std::int64_t)> visit) const {
  // The last axis that there is runs in a row; of those that are not there all strides are 0 and all lengths 1.
  auto const last = static_cast<std::size_t>(grid.axes() - 1);
  auto const at = [&](std::int64_t i, std::size_t axis) { return i * cells.stride[axis]; };
  auto const row = cells.inner + at(from[last], last);
  auto const length = to[last] - from[last];
  auto const outer = [&](std::size_t axis) {
    return axis < last ? std::pair(from[axis], to[axis]) : std::pair(std::int64_t{0}, std::int64_t{1});
  };
  auto const [i0, i1] = outer(0);
  auto const [j0, j1] = outer(1);
  for (auto i = i0; i < i1; ++i) {
    for (auto j = j0; j < j1; ++j) {
      visit(row + (last > 0 ? at(i, 0) : 0) + (last > 1 ? at(j, 1) : 0), length);
    }
  }
}

BlockEngine::State::Data BlockEngine::State::packed(BlockCells const& cells, Face face, std::int64_t iteration_) const {
  Data data;
  auto const* const from = memory(cells, iteration_);
  rows(cells, face, false, [&](std::int64_t first, std::int64_t count) {
    data.insert(data.end(), from + first * element, from + (first + count) * element);
  });
  return data;
}

void BlockEngine::State::unpack(BlockCells const& cells, Face face, std::int64_t iteration_,
                                std::byte const* data) const {
  auto* const to = memory(cells, iteration_);
  rows(cells, face, true, [&](std::int64_t first, std::int64_t count) {
    std::memcpy(to + first * element, data, static_cast<std::size_t>(count * element));
    data += count * element;
  });
}

BlockEngine::BlockEngine(Communicator const& comm, BlockGrid grid, Teams& teams, std::int64_t element,
                         BlocksOptions options)
    : state_(std::make_unique<State>(comm, std::move(grid), teams, element, std::move(options))) {}
BlockEngine::~BlockEngine() = default;

BlockGrid const& BlockEngine::grid() const { return state_->grid; }
std::vector<int> const& BlockEngine::owners() const { return state_->owners; }
std::int64_t BlockEngine::iteration() const { return state_->iteration; }
void BlockEngine::iterate(std::int64_t count, Body body) { state_->iterate(count, body); }
BalanceReport BlockEngine::balance(BalanceOptions const& options) { return state_->balance(options); }
void BlockEngine::recut(std::vector<std::int64_t> const& block) { state_->recut(block); }
std::vector<double> BlockEngine::loads() const { return state_->loads(); }
Traffic BlockEngine::counted() const { return state_->multicasts.counted(); }
std::vector<BlockRecord> const& BlockEngine::records() const { return state_->records; }
double BlockEngine::seconds() const { return state_->now(); }

void BlockEngine::set_options(bool send, bool helped) {
  state_->options.send = send;
  state_->options.helped = helped;
}

void BlockEngine::each(FunctionRef<void(BlockCells&)> visit, bool changes) {
  for (auto& [block, object] : state_->objects) {
    visit(object);
    if (changes) object.arrived = {};
  }
  if (changes) {
    state_->stale = true;
    state_->broken = false;
  }
}

}  // namespace allport::loops
