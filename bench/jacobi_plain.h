// Jacobi with plain MPI and OpenMP: each rank has one part of the grid; all faces are exchanged, then all cells are
// computed. In blocks with nested parallel regions it is the static form that Robson18, slides 25 and 26, begins with.
#pragma once

#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <memory>

#include "jacobi_data.h"

namespace bench {

/// A rank's part of the grid: first cell and lengths.
struct Part {
  Lengths first{};
  Lengths cells{};
};

/// Parts of an MPI_Cart over all ranks, of equal size up to one cell.
class PlainJacobi final : public Jacobi {
 public:
  /// outer > 1: `outer` threads share out blocks of Problem::block, with `inner` threads on each block; outer = 1:
  /// `inner` threads on the whole part.
  PlainJacobi(Problem const& problem, int outer, int inner, std::string const& schedule, int chunk)
      : p_(problem), outer_(outer), inner_(inner) {
    omp_set_schedule(schedule == "dynamic"  ? omp_sched_dynamic
                     : schedule == "guided" ? omp_sched_guided
                                            : omp_sched_static,
                     chunk);
    omp_set_max_active_levels(2);
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::array<int, 3> dims{p_.axes == 3 ? 0 : 1, 0, 0};
    MPI_Dims_create(size, 3, dims.data());
    std::array<int, 3> const periods{};
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims.data(), periods.data(), 0, &cart_);
    int rank = 0;
    MPI_Comm_rank(cart_, &rank);
    std::array<int, 3> at{};
    MPI_Cart_coords(cart_, rank, 3, at.data());
    for (std::size_t a = 0; a < 3; ++a) {
      part_.first[a] = p_.grid[a] * at[a] / dims[a];
      part_.cells[a] = p_.grid[a] * (at[a] + 1) / dims[a] - part_.first[a];
      MPI_Cart_shift(cart_, static_cast<int>(a), 1, &low_[a], &high_[a]);
    }
    row_ = part_.cells[2] + 2;
    plane_ = row_ * (part_.cells[1] + 2);
    auto const all = static_cast<std::size_t>(plane_ * (part_.cells[0] + 2));
    for (auto& cells : cells_) cells = std::make_unique_for_overwrite<double[]>(all);
    make_types();
    fill();
  }
  ~PlainJacobi() override {
    for (auto& type : types_) MPI_Type_free(&type);
    MPI_Comm_free(&cart_);
  }

  void fill() override {
    now_ = 0;
    auto const& c = part_.cells;
    // The threads that will compute the rows touch them first.
#pragma omp parallel for collapse(2) schedule(static) num_threads(outer_* inner_)
    for (Index i = -1; i <= c[0]; ++i) {
      for (Index j = -1; j <= c[1]; ++j) {
        for (Index k = -1; k <= c[2]; ++k) {
          auto const v = first_value(p_, part_.first[0] + i, part_.first[1] + j, part_.first[2] + k);
          cells_[0][at(i, j, k)] = cells_[1][at(i, j, k)] = v;
        }
      }
    }
  }

  Outcome round() override {
    Outcome outcome;
    MPI_Barrier(cart_);
    auto const begin = MPI_Wtime();
    for (int n = 0; n < p_.iterations; ++n) {
      if (p_.sends) exchange(begin, outcome);
      outer_ > 1 ? compute_blocks() : compute_whole();
      now_ = 1 - now_;
    }
    outcome.seconds = MPI_Wtime() - begin;
    return outcome;
  }

  [[nodiscard]] std::uint64_t fingerprint_here() override {
    std::uint64_t sum = 0;
    for (Index i = 0; i < part_.cells[0]; ++i) {
      for (Index j = 0; j < part_.cells[1]; ++j) {
        for (Index k = 0; k < part_.cells[2]; ++k) {
          sum += fingerprint(p_, part_.first[0] + i, part_.first[1] + j, part_.first[2] + k,
                             cells_[static_cast<std::size_t>(now_)][at(i, j, k)]);
        }
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] std::size_t at(Index i, Index j, Index k) const {
    return static_cast<std::size_t>((i + 1) * plane_ + (j + 1) * row_ + k + 1);
  }

  void make_types() {
    auto const n = [&](std::size_t a) { return static_cast<int>(part_.cells[a]); };
    std::array<int, 3> const sizes{n(0) + 2, n(1) + 2, n(2) + 2};
    for (std::size_t a = 0; a < 3; ++a) {
      std::array<int, 3> face{n(0), n(1), n(2)};
      face[a] = 1;
      for (std::size_t side = 0; side < 4; ++side) {  // sent low, sent high, received low, received high
        std::array<int, 3> starts{1, 1, 1};
        starts[a] = side == 0 ? 1 : side == 1 ? n(a) : side == 2 ? 0 : n(a) + 1;
        auto& type = types_[4 * a + side];
        MPI_Type_create_subarray(3, sizes.data(), face.data(), starts.data(), MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
      }
    }
  }

  void exchange(double begin, Outcome& outcome) {
    auto* const cells = cells_[static_cast<std::size_t>(now_)].get();
    std::array<MPI_Request, 12> requests{};
    std::array<std::int64_t, 12> bytes{};
    int count = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (p_.grid[a] == 1 && a == 0) continue;
      auto const size = part_.cells[0] * part_.cells[1] * part_.cells[2] / std::max<Index>(part_.cells[a], 1) * 8;
      auto const tag = static_cast<int>(2 * a);
      for (int const side : {0, 1}) {
        auto const peer = side == 0 ? low_[a] : high_[a];
        if (peer == MPI_PROC_NULL) continue;
        bytes[static_cast<std::size_t>(count)] = size;
        MPI_Irecv(cells, 1, types_[4 * a + 2 + static_cast<std::size_t>(side)], peer, tag + 1 - side, cart_,
                  &requests[static_cast<std::size_t>(count++)]);
        MPI_Isend(cells, 1, types_[4 * a + static_cast<std::size_t>(side)], peer, tag + side, cart_,
                  &requests[static_cast<std::size_t>(count++)]);
      }
    }
    for (int left = count; left > 0; --left) {
      int which = 0;
      MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
      auto const got = bytes[static_cast<std::size_t>(which)];
      if (got > 0) outcome.received.push_back({MPI_Wtime() - begin, got});
    }
  }

  void relax(Index i, Index j, Index k, Index count) {
    auto const outer_index = p_.axes == 3 ? part_.first[0] + i : part_.first[1] + j;
    auto const from = at(i, j, k);
    relax_row(p_.axes, &cells_[static_cast<std::size_t>(now_)][from], &cells_[static_cast<std::size_t>(1 - now_)][from],
              count, row_, plane_, p_.times(outer_index));
  }

  void compute_whole() {
    auto const& c = part_.cells;
#pragma omp parallel for collapse(2) schedule(runtime) num_threads(inner_)
    for (Index i = 0; i < c[0]; ++i) {
      for (Index j = 0; j < c[1]; ++j) relax(i, j, 0, c[2]);
    }
  }

  /// Blocks in a fixed order, distributed over the outer threads statically.
  void compute_blocks() {
    auto const& c = part_.cells;
    Lengths count{};
    for (std::size_t a = 0; a < 3; ++a) count[a] = (c[a] + p_.block[a] - 1) / p_.block[a];
    auto const all = count[0] * count[1] * count[2];
#pragma omp parallel for schedule(static) num_threads(outer_)
    for (Index b = 0; b < all; ++b) {
      Lengths const from{b / (count[1] * count[2]) * p_.block[0], b / count[2] % count[1] * p_.block[1],
                         b % count[2] * p_.block[2]};
      auto const end = [&](std::size_t a) { return std::min(from[a] + p_.block[a], c[a]); };
#pragma omp parallel for collapse(2) schedule(runtime) num_threads(inner_)
      for (Index i = from[0]; i < end(0); ++i) {
        for (Index j = from[1]; j < end(1); ++j) relax(i, j, from[2], end(2) - from[2]);
      }
    }
  }

  Problem p_;
  int outer_;
  int inner_;
  MPI_Comm cart_ = MPI_COMM_NULL;
  Part part_;
  std::array<int, 3> low_{};
  std::array<int, 3> high_{};
  Index row_ = 0;
  Index plane_ = 0;
  std::array<std::unique_ptr<double[]>, 2> cells_;
  std::array<MPI_Datatype, 12> types_{};
  int now_ = 0;
};

}  // namespace bench
