// Jacobi in blocks: ours with a spread, by our loops or by OpenMP's (Robson18), and by CkLoop's policy.
#pragma once

#include <omp.h>

#include <optional>

#include "allport/loops/blocks.h"
#include "jacobi_data.h"

namespace bench {

using namespace allport;
using namespace allport::loops;

struct BlocksSettings {
  LoopOptions loop{};
  bool helped = false;  ///< CkLoop's policy
  bool openmp = false;  ///< a block's loop is a parallel region; the teams are Bodies::openmp
  std::optional<BalanceOptions> balance{};
};

/// Blocks with their halo need as many axes as there are: D is 2 or 3.
template <std::size_t D>
class BlocksJacobi final : public Way {
 public:
  BlocksJacobi(Problem const& problem, Communicator const& comm, Teams& teams, BlocksSettings const& settings)
      : p_(problem),
        settings_(settings),
        teams_(teams),
        blocks_(comm, shape(problem), teams, {.helped = settings.helped, .send = problem.sends, .record = true}),
        comm_(comm) {
    fill();
  }

  void fill() override {
    blocks_.fill([&](auto... i) {
      if constexpr (D == 2) return first_value(p_, 0, i...);
      if constexpr (D == 3) return first_value(p_, i...);
    });
  }

  void set(LoopOptions const& loop) override { settings_.loop = loop; }

  Outcome round() override {
    auto const seen = blocks_.records().size();
    comm_.barrier();
    auto const begin = std::chrono::steady_clock::now();
    auto const since = blocks_.seconds();
    blocks_.iterate(p_.iterations, [&](Block<D, double> const& block, Team& team) { relax(block, team); });
    Outcome outcome;
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    auto const& records = blocks_.records();
    for (auto r = seen; r < records.size(); ++r) {
      if (records[r].deed == BlockRecord::Deed::receive) {
        outcome.received.push_back({records[r].begin - since, records[r].bytes});
      }
    }
    if (settings_.balance) outcome.imbalance = blocks_.balance(*settings_.balance).before;
    return outcome;
  }

  [[nodiscard]] std::uint64_t fingerprint_here() override {
    std::uint64_t sum = 0;
    blocks_.each([&](Block<D, double> const& b) {
      for (Index i = 0; i < (D == 3 ? b.size(0) : 1); ++i) {
        for (Index j = 0; j < b.size(D - 2); ++j) {
          for (Index k = 0; k < b.size(D - 1); ++k) {
            auto const value = cell(b, i, j, k);
            sum += fingerprint(p_, D == 3 ? b.first(0) + i : 0, b.first(D - 2) + j, b.first(D - 1) + k, value);
          }
        }
      }
    });
    return sum;
  }

  [[nodiscard]] Blocks<D, double>& blocks() { return blocks_; }

 private:
  static BlockShape shape(Problem const& p) {
    auto const from = static_cast<std::ptrdiff_t>(3 - D);
    return {.grid = {p.grid.begin() + from, p.grid.end()}, .block = {p.block.begin() + from, p.block.end()}};
  }
  static double cell(Block<D, double> const& b, Index i, Index j, Index k) {
    if constexpr (D == 2) return b.in(j, k);
    if constexpr (D == 3) return b.in(i, j, k);
  }

  /// A block's rows as OpenMP deals them to the team's threads, each kept on its core.
  void relax_by_openmp(Block<D, double> const& b, Team const& team) {
    auto const& loop = settings_.loop;
    // One for each thread that opens a region.
    omp_set_schedule(loop.schedule == LoopSchedule::dynamic  ? omp_sched_dynamic
                     : loop.schedule == LoopSchedule::guided ? omp_sched_guided
                                                             : omp_sched_static,
                     static_cast<int>(loop.chunk));
    Index const planes = D == 3 ? b.size(0) : 1;
    Index const rows = b.size(D - 2);
#pragma omp parallel num_threads(team.size())
    {
      teams_.pin(b.leader(), omp_get_thread_num());
#pragma omp for collapse(2) schedule(runtime)
      for (Index i = 0; i < planes; ++i) {
        for (Index j = 0; j < rows; ++j) relax_row_of(b, i, j);
      }
    }
  }
  void relax_row_of(Block<D, double> const& b, Index i, Index j) {
    auto const times = p_.times(b.first(0) + (D == 3 ? i : j));
    if constexpr (D == 2) relax_row(2, &b.in(j, 0), &b.out(j, 0), b.size(1), b.stride(0), 0, times);
    if constexpr (D == 3) relax_row(3, &b.in(i, j, 0), &b.out(i, j, 0), b.size(2), b.stride(1), b.stride(0), times);
  }

  void relax(Block<D, double> const& b, Team& team) {
    if (settings_.openmp) return relax_by_openmp(b, team);
    if constexpr (D == 2) {
      team.parallel_for(
          Range{0, b.size(0)}, [&](Index j) { relax_row_of(b, 0, j); }, settings_.loop);
    } else {
      team.parallel_for(
          {{0, b.size(0)}, {0, b.size(1)}}, [&](Index i, Index j) { relax_row_of(b, i, j); }, settings_.loop);
    }
  }

  Problem p_;
  BlocksSettings settings_;
  Teams const& teams_;
  Blocks<D, double> blocks_;
  Communicator comm_;
};

}  // namespace bench
