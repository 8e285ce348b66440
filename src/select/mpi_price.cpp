#include "allport/select/mpi_price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "allport/model/mpi_cost.h"

namespace allport {

namespace {

Seconds interpolated(MpiTimes const& times, std::int64_t bytes) {
  auto const& x = times.bytes;
  auto const& y = times.seconds;
  auto const above = std::lower_bound(x.begin(), x.end(), bytes);
  if (above == x.end()) {
    auto const last = std::max<std::int64_t>(x.back(), 1);
    // A barrier has the one entry of 0 bytes.
    return Seconds(x.back() == 0 ? y.back() : y.back() * static_cast<double>(bytes) / static_cast<double>(last));
  }
  auto const i = static_cast<std::size_t>(above - x.begin());
  if (i == 0 || *above == bytes) return Seconds(y[i]);
  auto const log = [](std::int64_t b) { return std::log2(static_cast<double>(std::max<std::int64_t>(b, 1))); };
  if (log(x[i]) == log(x[i - 1])) return Seconds(y[i]);  // between 0 and 1 bytes
  auto const t = (log(bytes) - log(x[i - 1])) / (log(x[i]) - log(x[i - 1]));
  return Seconds(y[i - 1] * std::pow(y[i] / y[i - 1], t));
}

/// Of the message or of a block; of blocks that differ, their mean.
std::int64_t size_of(Contract const& contract) {
  if (contract.blocks == nullptr) return contract.bytes;
  auto const entries = std::max<std::int64_t>(contract.blocks->entries(), 1);
  return (contract.blocks->total() + entries - 1) / entries;
}

Seconds modelled(Machine const& machine, Contract const& contract) {
  auto const bytes = Bytes(size_of(contract));
  switch (contract.what) {
    case Collective::broadcast:
      return model::mpi_bcast(machine, contract.root, bytes);
    case Collective::reduce:
      return model::mpi_reduce(machine, contract.root, bytes);
    case Collective::scatter:
    case Collective::gather:
      return model::mpi_scatter(machine, contract.root, bytes);
    case Collective::allgather:
      return model::mpi_allgather(machine, bytes);
    case Collective::reduce_scatter:
      return model::mpi_reduce_scatter(machine, bytes);
    case Collective::allreduce:
      return model::mpi_allreduce(machine, bytes);
    case Collective::alltoall:
      return model::mpi_alltoall(machine, bytes);
    case Collective::barrier:
      return model::mpi_barrier(machine);
    case Collective::none:
      break;
  }
  throw Error::argument("collective", std::to_string(static_cast<int>(contract.what)),
                        "one of the kinds of Collective");
}

}  // namespace

MpiPrice mpi_price_of(Machine const& machine, Contract const& contract) {
  contract.check();
  ensure(contract.ranks == machine.ranks(), "ranks", contract.ranks,
         fmt::format("{}, the ranks of machine {}", machine.ranks(), machine.name()));
  if (auto const* times = machine.mpi_times(name(contract.what))) {
    return {interpolated(*times, size_of(contract)), PriceSource::calibrated};
  }
  return {modelled(machine, contract), PriceSource::modelled};
}

Seconds mpi_price(Machine const& machine, Contract const& contract) { return mpi_price_of(machine, contract).time; }

bool expect_to_win(Seconds ours, Seconds mpi) { return ours <= mpi; }

bool expect_to_win(Choice const& choice, Seconds mpi) { return expect_to_win(choice.best.predicted, mpi); }

}  // namespace allport
