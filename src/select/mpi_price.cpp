#include "allport/select/mpi_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "allport/model/mpi_cost.h"

namespace allport {

namespace {

/// Indices of the neighbouring timed sizes; equal if the size itself was timed or is beyond them all.
struct Around {
  std::size_t below = 0;
  std::size_t above = 0;
};

Around around(std::span<std::int64_t const> x, std::int64_t bytes) {
  auto const at = std::lower_bound(x.begin(), x.end(), bytes);
  if (at == x.end()) return {x.size() - 1, x.size() - 1};
  auto const i = static_cast<std::size_t>(at - x.begin());
  return {i == 0 || *at == bytes ? i : i - 1, i};
}

/// Interpolates times y at sizes x.
Seconds interpolated(std::span<std::int64_t const> x, std::span<double const> y, std::int64_t bytes) {
  auto const [below, above] = around(x, bytes);
  if (bytes > x.back()) {
    auto const last = std::max<std::int64_t>(x.back(), 1);
    // A barrier has a single entry, of 0 bytes.
    return Seconds(x.back() == 0 ? y.back() : y.back() * static_cast<double>(bytes) / static_cast<double>(last));
  }
  if (below == above) return Seconds(y[above]);
  auto const log = [](std::int64_t b) { return std::log2(static_cast<double>(std::max<std::int64_t>(b, 1))); };
  if (log(x[above]) == log(x[below])) return Seconds(y[above]);  // between 0 and 1 bytes
  auto const t = (log(bytes) - log(x[below])) / (log(x[above]) - log(x[below]));
  return Seconds(y[below] * std::pow(y[above] / y[below], t));
}

/// Bytes of the message or of a block; the mean if blocks differ.
std::int64_t size_of(Contract const& contract) {
  if (contract.blocks == nullptr) return contract.bytes;
  auto const entries = std::max<std::int64_t>(contract.blocks->entries(), 1);
  return (contract.blocks->total() + entries - 1) / entries;
}

Seconds modelled(Machine const& machine, Contract const& contract, std::span<Rank const> places) {
  auto const bytes = Bytes(size_of(contract));
  switch (contract.what) {
    case Collective::broadcast:
      return model::mpi_bcast(machine, contract.root, bytes, places);
    case Collective::reduce:
      return model::mpi_reduce(machine, contract.root, bytes, places);
    case Collective::scatter:
    case Collective::gather:
      return model::mpi_scatter(machine, contract.root, bytes, places);
    case Collective::allgather:
      return model::mpi_allgather(machine, bytes, places);
    case Collective::reduce_scatter:
      return model::mpi_reduce_scatter(machine, bytes, places);
    case Collective::allreduce:
      return model::mpi_allreduce(machine, bytes, places);
    case Collective::alltoall:
      return model::mpi_alltoall(machine, bytes, places);
    case Collective::barrier:
      return model::mpi_barrier(machine, places);
    case Collective::none:
      break;
  }
  throw Error::argument("collective", std::to_string(static_cast<int>(contract.what)),
                        "one of the kinds of Collective");
}

/// Allport's predicted time for one element of 8 bytes; nothing if no algorithm applies.
Seconds shortest(Machine const& machine, Contract const& contract, std::optional<Mapping> const& mapping) {
  auto const bytes = contract.what == Collective::barrier ? std::int64_t{0} : std::int64_t{8};
  try {
    return choose(machine, {contract.what, contract.ranks, contract.root, bytes, 1}, {.mapping = mapping})
        .best.predicted;
  } catch (Error const&) {
    return {};
  }
}

}  // namespace

MpiPrice mpi_price_of(Machine const& machine, Contract const& contract, std::optional<Mapping> const& mapping) {
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         fmt::format("{}, the ranks of machine {}", machine.ranks(), machine.name()));
  ensure(!mapping || mapping->ranks() == contract.ranks, "mapping", mapping ? mapping->ranks() : 0,
         fmt::format("of the {} ranks of the contract", contract.ranks));
  if (auto const* times = machine.mpi_times(name(contract.what))) {
    auto const bytes = size_of(contract);
    auto price = MpiPrice{interpolated(times->bytes, times->seconds, bytes), PriceSource::calibrated, {}, {}};
    auto const sizes = std::span(times->bytes).first(times->ours.size());
    if (!sizes.empty() && bytes <= sizes.back()) {
      price.ours = interpolated(sizes, times->ours, bytes);
      auto const [below, above] = around(sizes, bytes);
      auto const share = [&](std::size_t i) { return times->ours[i] / times->seconds[i]; };
      price.dearest = std::max(share(below), share(above));
    }
    return price;
  }
  auto const places = mapping && !mapping->is_identity() ? mapping->list() : std::vector<Rank>{};
  return {modelled(machine, contract, places), PriceSource::modelled, {}, shortest(machine, contract, mapping)};
}

Seconds mpi_price(Machine const& machine, Contract const& contract, std::optional<Mapping> const& mapping) {
  return mpi_price_of(machine, contract, mapping).time;
}

bool expect_to_win(Choice const& choice, MpiPrice const& mpi) {
  constexpr double timed = 0.9;
  constexpr double guessed = 0.8;
  constexpr double starts = 5.0;
  if (!mpi.ours && !choice.best.priced()) return false;
  auto const ours = mpi.ours.value_or(choice.best.predicted);
  if (ours < starts * mpi.starts) return false;
  // Times increase in steps at unknown sizes between two timed ones: Allport's must be faster at both.
  if (mpi.ours && mpi.dearest > timed) return false;
  return ours.value() <= (mpi.ours ? timed : guessed) * mpi.time.value();
}

}  // namespace allport
