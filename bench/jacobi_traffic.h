// Bytes received over time, by all ranks together (Robson18, slides 18 to 21).
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "jacobi_data.h"

namespace bench {

struct Timeline {
  static constexpr int bins = 50;
  double seconds = 0;               ///< all of them together
  std::vector<std::int64_t> bytes;  ///< by bin

  /// Collective. What came after the end counts in the last bin.
  static Timeline of(std::vector<Received> const& mine, double seconds) {
    std::vector<std::int64_t> here(bins);
    for (auto const& one : mine) {
      auto const bin = std::clamp(static_cast<int>(one.when / seconds * bins), 0, bins - 1);
      here[static_cast<std::size_t>(bin)] += one.bytes;
    }
    Timeline all{seconds, std::vector<std::int64_t>(bins)};
    MPI_Allreduce(here.data(), all.bytes.data(), bins, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }
  [[nodiscard]] std::int64_t sum() const { return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}); }
  [[nodiscard]] double peak_to_mean() const {
    return sum() == 0
               ? 0
               : static_cast<double>(*std::max_element(bytes.begin(), bytes.end())) * bins / static_cast<double>(sum());
  }
  [[nodiscard]] std::string json() const {
    return fmt::format(R"({{"seconds": {:.9g}, "bytes": [{}]}})", seconds, fmt::join(bytes, ", "));
  }
};

}  // namespace bench
