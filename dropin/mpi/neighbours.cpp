#include "neighbours.h"

#include <fmt/format.h>

#include <algorithm>

#include "allport/select/mpi_price.h"
#include "allport/select/select.h"
#include "datatypes.h"
#include "decision.h"
#include "state.h"

namespace allport::dropin {
namespace {

/// Blocks whose lengths are not known to all are taken to be so long.
constexpr std::int64_t unknown_to_some = 64 * 1024;
/// Of the time of straight blocks, below which other routes are used.
constexpr double clearly_less = 0.95;

/// The routes as selection knows algorithms.
Algorithm const& row_of_routes() {
  static Algorithm const row{.what = Collective::none,
                             .name = "multipath",
                             .summary = "parts of each block over routes that share few links",
                             .make = {},
                             .price = [](Machine const&, Contract const&, Cut) { return Seconds{}; },
                             .why_not = {}};
  return row;
}

/// How lengths that only pairs know are gathered first.
Contract gathering_of_lengths(Record const& record) {
  return {Collective::allgather, record.size, 0, 8 * std::int64_t{record.neighbourhood->widest()}, 1};
}

bool has_any(std::vector<int> const& ranks) {
  return std::ranges::any_of(ranks, [](int r) { return r >= 0; });
}

/// Blocks that MPI would accept, one for each neighbour or one for all. What belongs to no neighbour is not looked at,
/// nor type and place of an empty block: there may be none.
/// @param many  counts and displacements are arrays
bool are_good(Operand const& operand, std::vector<int> const& neighbours, bool many) {
  if (!has_any(neighbours)) return true;
  if (operand.in_place() || (many && !operand.counts.given())) return false;
  std::int64_t most = 0;
  bool all_plain = true;
  auto const blocks = many ? neighbours.size() : 1;
  for (std::size_t b = 0; b < blocks; ++b) {
    auto const block = static_cast<std::int64_t>(b);
    if ((many && neighbours[b] < 0) || operand.count_of(block) == 0) continue;
    if (operand.count_of(block) < 0 || !is_usable(operand.type_of(block))) return false;
    all_plain = all_plain && is_predefined(operand.type_of(block));
    most = std::max(most, operand.count_of(block));
  }
  if (many && most > 0 && !operand.displacements.given()) return false;
  // Byte displacements of the w-variants may be absolute addresses.
  return operand.buffer != nullptr || most == 0 || !all_plain || operand.types != nullptr;
}

}  // namespace

NeighbourRoutes const& Neighbourhood::straight(Record const& record) {
  if (!straight_) straight_ = NeighbourRoutes::straight(record.size, edges);
  return *straight_;
}

NeighbourRoutes const* Neighbourhood::spread(Record const& record) {
  if (!spread_is_made_) {
    spread_is_made_ = true;
    if (known && record.ours->is_box()) spread_ = NeighbourRoutes::spread(record.ours->machine(), edges);
    if (spread_ && (spread_->is_straight() || spread_->channels() > most_channels)) spread_.reset();
  }
  return spread_ ? &*spread_ : nullptr;
}

NeighbourRoutes const& Neighbourhood::routes(Record const& record, std::int64_t bytes) {
  auto const* const round = spread(record);
  if (round == nullptr) return straight(record);
  auto const of_class = size_class(bytes);
  auto found = spreads_.find(of_class);
  if (found == spreads_.end()) {
    auto const& machine = record.ours->machine();
    auto const least = least_bytes(of_class);
    auto const gains = round->price(machine, least) < clearly_less * straight(record).price(machine, least);
    found = spreads_.emplace(of_class, gains).first;
  }
  return found->second ? *round : straight(record);
}

std::int32_t Neighbourhood::widest() const {
  std::int32_t most = 0;
  for (auto const& e : edges) most = std::max(most, e.out + 1);
  return most;
}

bool may_tell_lengths(Call const& call, Record const& record) {
  return only_pairs_know_lengths(call.what, record) && record.neighbourhood->spread(record) != nullptr;
}

bool only_pairs_know_lengths(Function what, Record const& record) {
  return lengths_are_secret(what) || !record.neighbourhood->pairs_tie_all;
}

std::int64_t bytes_to_neighbour(Call const& call, Record const& record) {
  if (!record.neighbourhood) return -1;
  auto const& n = *record.neighbourhood;
  if (only_pairs_know_lengths(call.what, record)) return unknown_to_some;
  bool const sends = has_any(n.mine.out);
  auto const& operand = sends ? call.send : call.receive;
  if (operand.count == 0) return 0;
  if (operand.type == MPI_DATATYPE_NULL || operand.count < 0) return -1;
  MPI_Count size = -1;
  if (PMPI_Type_size_x(operand.type, &size) != MPI_SUCCESS) return -1;
  return operand.count * static_cast<std::int64_t>(size);
}

bool neighbour_arguments_are_good(Call const& call, Record const& record) {
  if (!record.neighbourhood) return false;
  auto const& n = *record.neighbourhood;
  bool const many = lengths_are_secret(call.what);
  return are_good(call.send, n.mine.out, many && call.what != Function::neighbor_allgatherv) &&
         are_good(call.receive, n.mine.in, many);
}

Expected expected_of_neighbours(Record const& record, Function what, int size_class) {
  auto& n = *record.neighbourhood;
  if (!n.why_not.empty()) throw Error(ErrorKind::unsupported, n.why_not);
  Expected expected{.differs = false};
  if (!n.known) return expected;
  auto const bytes = least_bytes(size_class);
  auto const& machine = record.ours->machine();
  auto const& routes = n.routes(record, bytes);
  expected.differs = !routes.is_straight();
  auto& choice = expected.choice;
  choice.contract = {Collective::none, record.size};
  // As many bytes as a rank sends and receives.
  auto const degree = static_cast<std::int64_t>(std::max(n.mine.in.size(), n.mine.out.size()));
  choice.contract.buffers = std::make_shared<std::vector<Extents> const>(
      std::vector<Extents>(static_cast<std::size_t>(record.size), Extents{degree * bytes, degree * bytes}));
  choice.best = {&row_of_routes(), {}, routes.price(machine, bytes), {}};
  if (expected.differs && only_pairs_know_lengths(what, record)) {
    choice.best.predicted += our_seconds(record, gathering_of_lengths(record));
  }
  expected.library = {n.straight(record).price(machine, bytes), PriceSource::modelled, {}, routes.price(machine, 8)};
  return expected;
}

}  // namespace allport::dropin
