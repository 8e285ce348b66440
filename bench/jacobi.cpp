// Jacobi's iteration on a grid of doubles, in two or three axes: in blocks with a spread (Robson18) beside plain MPI
// + OpenMP, static nested OpenMP and CkLoop's policy, by turns in one run, every cell of every way the same. `allport
// bench jacobi` runs it.
//
//   bench_jacobi [--grid 2048x2048] [--block 256x256] [--iterations 10] [--rounds 5] [--threads T]
//                [--ways mpi+openmp,nested,ckloop,spread,openmp,all,select,again] [--spread 1,2,...]
//                [--schedule static] [--chunk 0] [--collapse 0] [--work 1] [--heavy 1] [--heavy-part 4] [--balance
//                none,greedy,refine] [--no-send]
//
// --grid, --block: two or three lengths. --spread: of ours and of nested; without, all that divide the threads.
// openmp: as spread, with OpenMP's loops in the blocks. all, select: every shape of the teams, static and dynamic; and
// the Selector, which chooses among these round by round, on the same blocks: where memory lies makes as much of a
// difference as many a configuration. again: the first of all once more, which tells how much equals differ.
// --work: all rows are computed so often. --heavy: rows of the grid's first quarter, or of another part of it, are
// computed so often. --balance: between rounds; several: all of ours with each of them. A round is so many iterations;
// prints one JSON line on rank 0: seconds an iteration by way and round, bytes received over time, and how uneven
// ranks' work was.
#include "allport/loops/loop_selector.h"
#include "jacobi_blocks.h"
#include "jacobi_plain.h"
#include "jacobi_settings.h"
#include "jacobi_traffic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <thread>

namespace {

using namespace bench;

/// A way with the shape of the teams that it runs on, if it has one.
struct Contender {
  std::string name;
  std::shared_ptr<Way> way;
  TeamsShape shape{0, 0};
  Teams* teams = nullptr;
  std::vector<double> seconds{};  ///< an iteration, by round
  std::vector<Timeline> received{};
  std::vector<double> imbalance{};
  LoopOptions loop{};
  std::unique_ptr<LoopSelector> selector{};
};

class Contest {
 public:
  explicit Contest(Settings settings)
      : s_(std::move(settings)),
        comm_(MPI_COMM_WORLD, Machine::flat(size())),
        everywhere_(pinned_to()),
        teams_(cores_of_rank(comm_), {.threads = s_.threads}) {
    for (auto const& name : s_.ways) enter(name);
  }

  /// False where two ways computed different cells.
  bool run() {
    bool same = true;
    std::optional<std::uint64_t> cells;
    // Each round in an order of its own, the same on all ranks: whoever always came after the same other one would
    // always find the caches as that leaves them, and equal ways would differ by a fifth.
    std::vector<std::size_t> order(contenders_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(1);
    for (int round = 0; round <= s_.rounds; ++round) {
      std::ranges::shuffle(order, random);
      for (auto const which : order) {
        auto& c = contenders_[which];
        take_place(c);
        if (round == 0) c.way->fill();
        auto const outcome = c.way->round();
        if (c.selector) c.selector->record(Seconds(outcome.seconds));
        if (round == 0) {  // warm-up, and the check
          auto const found = fingerprint_of_all(*c.way);
          same = same && cells.value_or(found) == found;
          cells = found;
          continue;
        }
        c.seconds.push_back(slowest(outcome.seconds) / s_.problem.iterations);
        c.imbalance.push_back(outcome.imbalance);
        c.received.push_back(Timeline::of(outcome.received, slowest(outcome.seconds)));
      }
    }
    if (comm_.rank() == 0) print(same || !s_.problem.sends);
    return same || !s_.problem.sends;
  }

 private:
  static int size() {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    return ranks;
  }
  static double slowest(double mine) {
    double most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
  }
  static std::uint64_t fingerprint_of_all(Way& way) {
    auto const mine = way.fingerprint_here();
    std::uint64_t all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

  /// OpenMP's threads run where the process was let; ours where their team is. Those of the way before stop spinning.
  void take_place(Contender& c) {
    if (c.selector) {
      c.way->set(c.selector->apply().loop);
    } else if (c.shape.leaders > 0) {
      if (c.way == searched_) c.way->set(c.loop);
      c.teams->configure(c.shape.leaders, c.shape.members);
    } else {
      pin_thread(everywhere_);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void enter(std::string const& name) {
    auto const threads = teams_.threads();
    std::vector<int> spreads;
    for (auto const s : s_.spreads.empty() ? divisors(threads) : s_.spreads) {
      ensure(s >= 1 && threads % s == 0, "spread", s, fmt::format("a divisor of the {} threads", threads));
      spreads.push_back(s);
    }
    if (name == "mpi+openmp") {
      plain(fmt::format("mpi+openmp, {} threads", threads), 1, threads);
    } else if (name == "nested") {
      for (auto const s : spreads) {
        if (s < threads) plain(fmt::format("nested OpenMP, {} x {}", threads / s, s), threads / s, s);
      }
    } else if (name == "ckloop") {
      // One queue of chunks that whoever is free takes, a master a core.
      LoopOptions const loop{LoopSchedule::dynamic, s_.loop.chunk, s_.loop.collapse};
      blocks("ckloop's policy", {threads, 0}, {.loop = loop, .helped = true});
    } else if (name == "spread") {
      for (auto const s : spreads) {
        blocks(fmt::format("spread {}", s), {threads / s, s - 1}, {.loop = s_.loop});
      }
    } else if (name == "openmp") {
      if (!openmp_teams_) {
        openmp_teams_ =
            std::make_unique<Teams>(teams_.cores(), TeamsOptions{.threads = threads, .bodies = Bodies::openmp});
      }
      for (auto const s : spreads) {
        blocks(fmt::format("spread {} by OpenMP", s), {threads / s, s - 1}, {.loop = s_.loop, .openmp = true});
      }
    } else if (name == "all") {
      for (auto const& c : choices()) {
        blocks(loops::name(c), c.shape, {.loop = c.loop}, &searched_);
        contenders_.back().loop = c.loop;
      }
    } else if (name == "select") {
      ensure(s_.balances.size() <= 1, "balance", s_.balances.size(), "one balancer beside the Selector");
      blocks("selected", {threads, 0}, {.loop = s_.loop}, &searched_);
      contenders_.back().selector = std::make_unique<LoopSelector>(comm_, teams_, choices());
    } else if (name == "again") {
      auto const standard = choices().front();
      blocks("standard again", standard.shape, {.loop = standard.loop}, &searched_);
      contenders_.back().loop = standard.loop;
    } else {
      throw Error::argument("ways", show(name), "mpi+openmp, nested, ckloop, spread, openmp, all, select or again");
    }
  }
  /// What the Selector has to choose from; the first is the standard.
  [[nodiscard]] std::vector<LoopConfiguration> choices() const {
    return loop_configurations(teams_.threads(), {{}, {LoopSchedule::dynamic, s_.loop.chunk}});
  }
  static std::vector<int> divisors(int threads) {
    std::vector<int> found;
    for (auto const shape : shapes_of(threads)) found.push_back(1 + shape.members);
    return found;
  }
  void plain(std::string const& name, int outer, int inner) {
    pin_thread(everywhere_);
    contenders_.push_back(
        {name, std::make_shared<PlainJacobi>(s_.problem, outer, inner, s_.schedule, static_cast<int>(s_.loop.chunk))});
  }
  /// Once with each balancer. `shared`: on the same cells, in the same memory, as others that are given it.
  void blocks(std::string const& name, TeamsShape shape, BlocksSettings settings,
              std::shared_ptr<Way>* shared = nullptr) {
    if (s_.balances.empty()) return one(name, shape, settings, shared);
    for (auto const& balance : s_.balances) {
      settings.balance = balance;
      auto const more = s_.balances.size() > 1;
      one(more ? fmt::format("{}, {}", name, loops::name(balance.balancer)) : name, shape, settings,
          more ? nullptr : shared);
    }
  }
  void one(std::string const& name, TeamsShape shape, BlocksSettings const& settings, std::shared_ptr<Way>* shared) {
    auto& teams = settings.openmp ? *openmp_teams_ : teams_;
    teams.configure(shape.leaders, shape.members);
    auto way = shared != nullptr ? *shared : nullptr;
    if (!way && s_.problem.axes == 2) way = std::make_shared<BlocksJacobi<2>>(s_.problem, comm_, teams, settings);
    if (!way && s_.problem.axes == 3) way = std::make_shared<BlocksJacobi<3>>(s_.problem, comm_, teams, settings);
    if (shared != nullptr) *shared = way;
    contenders_.push_back({name, std::move(way), shape, &teams});
  }

  void print(bool same) const {
    fmt::print(
        R"({{"ranks": {}, "threads": {}, "pinned": {}, "axes": {}, "grid": [{}], "block": [{}], "iterations": {}, )",
        comm_.size(), teams_.threads(), teams_.pinned(), s_.problem.axes, fmt::join(s_.problem.grid, ", "),
        fmt::join(s_.problem.block, ", "), s_.problem.iterations);
    fmt::print(R"("heavy": {}, "sends": {}, "same": {}, "ways": {{)", s_.problem.heavy, s_.problem.sends, same);
    char const* comma = "";
    for (auto const& c : contenders_) {
      fmt::print(R"({}"{}": {{"seconds": [{:.9g}], "peak_to_mean": [)", comma, c.name, fmt::join(c.seconds, ", "));
      char const* between = "";
      for (auto const& t : c.received) {
        fmt::print("{}{:.4g}", between, t.peak_to_mean());
        between = ", ";
      }
      fmt::print(R"(], "imbalance": [{:.4g}], "chosen": "{}", "received": {}}})", fmt::join(c.imbalance, ", "),
                 c.selector ? loops::name(c.selector->best()) : "",
                 c.received.empty() ? "null" : c.received.back().json());
      comma = ", ";
    }
    fmt::print("}}}}\n");
    std::fflush(stdout);
  }

  Settings s_;
  Communicator comm_;
  std::vector<int> everywhere_;
  Teams teams_;
  std::unique_ptr<Teams> openmp_teams_;
  std::shared_ptr<Way> searched_;  ///< of all configurations and of the Selector
  std::vector<Contender> contenders_;
};

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int failed = 0;
  try {
    failed = Contest(Settings::parse(argc, argv)).run() ? 0 : 1;
  } catch (std::exception const& error) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fmt::print(stderr, "bench_jacobi: {}\n", error.what());
    failed = 1;
  }
  MPI_Finalize();
  return failed;
}
