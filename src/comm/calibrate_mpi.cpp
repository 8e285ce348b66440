// Times of MPI's own collectives with the library's default algorithms, and of Allport's: consecutive calls with a
// rotating root, as in programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "allport/comm/calibrate.h"
#include "calibrate_clock.h"
#include "mpi_errors.h"

namespace allport {

namespace {

using engine::check;

/// One collective on doubles, on buffers of its own; sums are of zeros, which take the same time.
class Own {
 public:
  Own(Communicator const& ours, MPI_Comm comm, std::int64_t most) : ours_(ours), comm_(comm) {
    check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank", 0);
    check(MPI_Comm_size(comm, &size_), "MPI_Comm_size", rank_);
    auto const words = static_cast<std::size_t>(most / 8 + 2 * size_ + 16);
    in_.assign(words, 0.0);
    out_.assign(words, 0.0);
  }

  /// By MPI; `bytes` of the contract, a multiple of 8.
  void run(std::string_view what, std::int64_t bytes) {
    auto const root = next_root();
    auto const n = static_cast<int>(bytes / 8);
    auto* const in = in_.data();
    auto* const out = out_.data();
    auto const type = MPI_DOUBLE;
    int code = MPI_SUCCESS;  // SMPI's is an enumerator
    if (what == "bcast") code = MPI_Bcast(out, n, type, root, comm_);
    if (what == "reduce") code = MPI_Reduce(in, out, n, type, MPI_SUM, root, comm_);
    if (what == "allreduce") code = MPI_Allreduce(in, out, n, type, MPI_SUM, comm_);
    if (what == "scatter") code = MPI_Scatter(in, n, type, out, n, type, root, comm_);
    if (what == "gather") code = MPI_Gather(in, n, type, out, n, type, root, comm_);
    if (what == "allgather") code = MPI_Allgather(in, n, type, out, n, type, comm_);
    if (what == "reduce_scatter") code = MPI_Reduce_scatter_block(in, out, n, type, MPI_SUM, comm_);
    if (what == "alltoall") code = MPI_Alltoall(in, n, type, out, n, type, comm_);
    if (what == "barrier") code = MPI_Barrier(comm_);
    check(code, fmt::format("MPI's own {}", what), rank_);
  }

  /// By Allport; false where no algorithm serves the machine.
  bool run_ours(std::string_view what, std::int64_t bytes) {
    auto const kind = parse_collective(what);
    auto const element = combines(kind) ? std::int64_t{8} : std::int64_t{1};
    Contract const contract{kind, size_, ours_.position(next_root()), bytes, element};
    try {
      auto const me = ours_.position(ours_.rank());
      auto const part = [](std::vector<double>& all, std::int64_t length) {
        return std::as_writable_bytes(std::span(all)).first(static_cast<std::size_t>(length));
      };
      ours_.run(ours_.schedule_for(contract),
                {part(in_, contract.input_bytes(me)), part(out_, contract.output_bytes(me))},
                combines(kind) ? sum_of<double>() : Combine());
      return true;
    } catch (Error const& e) {
      if (e.kind() != ErrorKind::unsupported) throw;
      return false;
    }
  }

  [[nodiscard]] int size() const { return size_; }

 private:
  int next_root() { return turn_++ % size_; }

  Communicator const& ours_;
  MPI_Comm comm_;
  int turn_ = 0;
  int rank_ = 0;
  int size_ = 1;
  std::vector<double> in_;
  std::vector<double> out_;
};

bool of_blocks(std::string_view what) {
  return what != "bcast" && what != "reduce" && what != "allreduce" && what != "barrier";
}

/// Vectors of these sizes; a block is a vector's part of one rank.
std::vector<std::int64_t> vectors(bool quick) {
  if (quick) return {8, 1 << 10, 16 << 10, 128 << 10, 1 << 20};
  std::vector<std::int64_t> all;
  for (std::int64_t bytes = 8; bytes <= 16 << 20; bytes *= 4) all.push_back(bytes);
  return all;
}

/// Maximum vector for which Allport's is timed: beyond it its prices are accurate.
constexpr std::int64_t longest_beside = 256 << 10;

MpiTimes timed(std::string_view what, Own& own, engine::Clock const& clock, bool quick) {
  auto const per_size = quick ? 0.3 : 0.12;
  auto const all = quick ? 3.5 : 1.6;  // seconds for one collective
  MpiTimes times{std::string(what), {}, {}, {}};
  // Short calls, and those that are timed for both, use every root in turn; long ones use two.
  auto const row = [&](std::int64_t bytes) {
    auto const vector = bytes * (of_blocks(what) ? own.size() : 1);
    bool const from_all = vector <= 16 << 10 || (vector <= longest_beside && own.size() <= 16);
    return from_all ? own.size() : std::min(own.size(), 2);
  };
  auto const by_mpi = [&](std::int64_t bytes, int fewest) {
    return clock.median_in_a_row([&] { own.run(what, bytes); }, per_size, row(bytes), fewest);
  };
  auto const by_us = [&](std::int64_t bytes) {
    if (times.ours.size() + 1 != times.bytes.size() || !own.run_ours(what, bytes)) return;
    times.ours.push_back(clock.median_in_a_row([&] { own.run_ours(what, bytes); }, per_size, row(bytes), 1));
  };
  if (what == "barrier") {
    times.bytes = {0};
    times.seconds = {by_mpi(0, 3)};
    by_us(0);
    return times;
  }
  auto spent = 0.0;
  for (auto const vector : vectors(quick)) {
    auto const parts = of_blocks(what) ? own.size() : 1;
    auto const bytes = std::max<std::int64_t>(8, vector / parts / 8 * 8);
    if (!times.bytes.empty() && times.bytes.back() == bytes) continue;
    // Twice: once to warm, once for the record.
    auto const expected = times.bytes.empty() ? 0.0
                                              : 2.0 * times.seconds.back() * static_cast<double>(bytes) /
                                                    static_cast<double>(times.bytes.back());
    if (times.bytes.size() > 2 && spent + std::min(expected, 8.0 * times.seconds.back()) > all) break;
    auto const began = MPI_Wtime();
    times.bytes.push_back(bytes);
    times.seconds.push_back(by_mpi(bytes, quick ? 1 : 3));
    spent += clock.slowest(MPI_Wtime() - began);
    if (vector <= longest_beside) by_us(bytes);
  }
  return times;
}

}  // namespace

std::vector<MpiTimes> time_mpi_collectives(Communicator const& comm, CalibrateOptions const& options) {
  MPI_Comm own_comm = comm.duplicate();
  std::vector<MpiTimes> all;
  {
    auto own = Own(comm, own_comm, vectors(options.quick).back());
    auto const clock = engine::Clock(own_comm);
    auto const names = mpi_collectives();
    for (auto const what : names) {
      if (options.progress && comm.rank() == 0) {
        options.progress(fmt::format("MPI's {}", what),
                         static_cast<double>(all.size()) / static_cast<double>(names.size()));
      }
      all.push_back(timed(what, own, clock, options.quick));
    }
  }
  check(MPI_Comm_free(&own_comm), "MPI_Comm_free", comm.rank());
  return all;
}

std::string mpi_library_name() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version", 0);
  auto const all = std::string_view(text.data());  // MPICH's length counts the zero at the end, too
  auto const family = all.substr(0, 5) == "MPICH" ? "MPICH" : all.substr(0, 8) == "Open MPI" ? "Open MPI" : "";
  auto const digit = all.find_first_of("0123456789");
  auto const end = all.find_first_not_of("0123456789.abrc", digit);
  if (*family == '\0' || digit == std::string_view::npos) return std::string(all.substr(0, all.find_first_of("\n,")));
  return fmt::format("{} {}", family, all.substr(digit, end == std::string_view::npos ? end : end - digit));
}

}  // namespace allport
