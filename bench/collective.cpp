// One collective of whatever MPI this is linked with, timed and checked: a plain MPI program that knows nothing of
// Allport, so that it measures the library itself, or a drop-in that was preloaded. `allport bench` runs it.
//
//   bench_collective COLLECTIVE --plan BYTES[=VARIANT,...][;BYTES...] [--iterations N] [--seconds S]
//
// BYTES: of the whole vector; block collectives cut it into a block per rank, of whole doubles where they sum.
// VARIANT: "default", or with Open MPI ALGORITHM[:SEGMENT] of coll_tuned (its dynamic rules must be switched on).
// --iterations: at most; --seconds: of a size and variant together, but 3 iterations at least (fewer if asked).
// Every iteration begins on all ranks together with fresh data, lasts until the slowest rank is done, and has every
// byte of its result checked on every rank. Prints one JSON line per variant and size on rank 0.
//
//   bench_collective all|COLLECTIVE[,COLLECTIVE...] --plan BYTES[;BYTES...] --calls N [--seconds S] [--first 1]
//
// N calls back to back whose root goes round, as programs make them; one of each root is checked before. Fewer calls
// where N would take longer than S, and the median of up to five such batches where there is time for them. --first 1:
// the first N that a communicator sees; "later" is the second half's time, and results are checked afterwards.
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "collective_data.h"

namespace {

using namespace bench;

/// Seconds of the computer's own clock, which all ranks share where they run under one kernel.
double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

bool one_clock() {
  char mine[40] = {};
  char first[40] = {};
  if (auto* const file = std::fopen("/proc/sys/kernel/random/boot_id", "r"); file != nullptr) {
    if (std::fgets(mine, sizeof mine, file) == nullptr) mine[0] = 0;
    std::fclose(file);
  }
  std::memcpy(first, mine, sizeof mine);
  PMPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  int same = mine[0] != 0 && std::strcmp(mine, first) == 0 ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return same == 1;
}

/// Lets all ranks begin together and returns when that was, by now(). Synchronisation of the benchmark itself goes by
/// PMPI, past any drop-in. A barrier alone lets the first rank fill the links before the others have left it, and their
/// late start would count as speed; on one clock they agree on a moment instead.
double begin_together(MPI_Comm comm) {
  static bool const shared = one_clock();
  PMPI_Barrier(comm);
  if (!shared) return now();
  auto start = now() + 0.002 * ranks;
  PMPI_Bcast(&start, 1, MPI_DOUBLE, 0, comm);
  while (now() < start) {
    timespec const pause{0, 20'000};
    nanosleep(&pause, nullptr);
  }
  return start;
}

double slowest(double mine) {
  auto most = 0.0;
  PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/// Sets one of Open MPI's parameters for communicators made from now on; false when it has none of that name.
bool set_parameter(std::string const& name, int value) {
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return false;
  MPI_T_cvar_handle handle{};
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) != MPI_SUCCESS) return false;
  auto const code = MPI_T_cvar_write(handle, &value);
  MPI_T_cvar_handle_free(&handle);
  return code == MPI_SUCCESS;
}

/// A communicator whose collectives go by the variant.
MPI_Comm communicator(std::string const& what, std::string const& variant) {
  auto const base = "coll_tuned_" + what + "_algorithm";
  auto const colon = variant.find(':');
  auto const algorithm = variant == "default" ? 0 : std::atoi(variant.c_str());  // 0: the library's own choice
  auto const segment = colon == std::string::npos ? 0 : std::atoi(variant.c_str() + colon + 1);
  auto const known = set_parameter(base, algorithm);
  if (algorithm != 0 && !known) stop("variant '" + variant + "': this MPI library has no parameter " + base);
  if (!set_parameter(base + "_segmentsize", segment) && segment > 0) {
    stop("variant '" + variant + "': this MPI library has no parameter " + base + "_segmentsize");
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  return made;
}

void measure(std::string const& what, std::string const& variant, std::int64_t bytes, int most, double budget) {
  auto const comm = communicator(what, variant);
  auto const plan = plan_of(what, bytes);
  auto const room = static_cast<std::size_t>(plan.bytes()) + static_cast<std::size_t>(ranks) * 16 + 64;
  auto data = Data{std::vector<unsigned char>(room), std::vector<unsigned char>(room)};
  std::vector<double> seconds;
  std::int64_t wrong = 0;
  auto spent = 0.0;
  for (int i = -1; i < most && (i < std::min(most, 3) || spent < budget); ++i) {  // -1: to warm up
    if (i == 0 && most == 1 && spent > budget) {  // the warm one is all there is time for
      seconds.push_back(spent);
      break;
    }
    fill(plan, data, i);
    auto const began = begin_together(comm);
    auto const code = run(plan, data, comm);
    auto const took = slowest(now() - began);
    if (code != MPI_SUCCESS) stop("MPI error " + std::to_string(code) + " in " + what);
    wrong += check(plan, data, i);
    spent += took;
    if (i >= 0) seconds.push_back(took);
  }
  std::int64_t all_wrong = 0;
  PMPI_Reduce(&wrong, &all_wrong, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm freed = comm;
  MPI_Comm_free(&freed);
  if (rank != 0) return;
  auto const number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::printf("{\"collective\": \"%s\", \"variant\": \"%s\", \"asked\": %lld, \"bytes\": %lld, \"block\": %lld, ",
              what.c_str(), variant.c_str(), number(bytes), number(plan.bytes()),
              number(plan.count[0]) * (plan.sums ? 8 : 1));
  std::printf("\"wrong\": %lld, \"seconds\": [", number(all_wrong));
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.9g", i > 0 ? ", " : "", seconds[i]);
  std::printf("]}\n");
  std::fflush(stdout);
}

/// Bytes that are wrong on all ranks after a call for each root.
std::int64_t check_roots(std::string const& what, Plan const& plan, Data& data, MPI_Comm comm) {
  std::int64_t wrong = 0;
  for (int root = 0; root < ranks; ++root) {
    fill(plan, data, root, root);
    if (run(plan, data, comm, root) != MPI_SUCCESS) stop("an MPI error in " + what);
    wrong += check(plan, data, root, root);
  }
  std::int64_t all = 0;
  PMPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

/// Opens the connections between all ranks, past any drop-in.
void connect() {
  std::vector<int> out(static_cast<std::size_t>(ranks));
  std::vector<int> in(static_cast<std::size_t>(ranks));
  PMPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
}

/// Of up to five batches, as many as end within `budget` seconds: a core that went to something else for once spoils
/// one.
template <class Batch>
double median_of_batches(double budget, Batch const& batch) {
  std::vector<double> seconds{batch()};
  for (auto spent = seconds.front(); seconds.size() < 5 && spent < budget; spent += seconds.back()) {
    seconds.push_back(batch());
  }
  auto const middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

/// Seconds a call: `most` calls in a row, the root going round, until the slowest rank has made them all. `first`: the
/// first ones that the communicator sees, half and half.
void measure_calls(std::string const& what, std::int64_t bytes, int most, double budget, bool first) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  auto const plan = plan_of(what, bytes);
  auto const room = static_cast<std::size_t>(plan.bytes()) + static_cast<std::size_t>(ranks) * 16 + 64;
  auto data = Data{std::vector<unsigned char>(room), std::vector<unsigned char>(room)};
  auto made = 0;
  auto const calls = [&](int count) {
    auto const began = begin_together(comm);
    for (int i = 0; i < count; ++i) run(plan, data, comm, made++ % ranks);
    return slowest(now() - began);
  };
  auto count = most;
  auto seconds = 0.0;
  auto later = 0.0;
  std::int64_t wrong = 0;
  if (first) {
    connect();
    fill(plan, data, 0, 0);
    auto const half = std::max(most / 2, 1);
    later = calls(half);
    seconds = later;
    count = half;
    if (most > half) {
      later = calls(most - half);
      seconds += later;
      count = most;
      later /= most - half;
    }
    wrong = check_roots(what, plan, data, comm);
  } else {
    wrong = check_roots(what, plan, data, comm);
    auto const warm = calls(2 * ranks) / (2 * ranks);
    count = std::clamp(static_cast<int>(budget / std::max(warm, 1e-9)), std::min(most, 2 * ranks), most);
    seconds = median_of_batches(budget, [&] { return calls(count); });
  }
  MPI_Comm_free(&comm);
  if (rank != 0) return;
  std::printf("{\"collective\": \"%s\", \"asked\": %lld, \"calls\": %d, \"wrong\": %lld, \"seconds\": %.9g",
              what.c_str(), static_cast<long long>(bytes), count, static_cast<long long>(wrong), seconds / count);
  if (first) std::printf(", \"later\": %.9g", later);
  std::printf("}\n");
  std::fflush(stdout);
}

std::vector<std::string> split(std::string const& text, char at) {
  std::vector<std::string> parts(1);
  for (auto const c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::vector<std::string> const all_collectives{
    "barrier",  "bcast",    "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
    "scatter",  "scatterv", "gather", "gatherv",   "allgather",      "allgatherv",
    "alltoall", "alltoallv"};

/// Which MPI this is: its first line, for the table's head.
void print_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, std::strcspn(text, "\n,\"\\"));
  std::replace(line.begin(), line.end(), '\t', ' ');
  if (rank == 0) std::printf("{\"library\": \"%s\"}\n", line.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2)
    stop("usage: bench_collective COLLECTIVE --plan BYTES[=VARIANT,...][;...] [--iterations N] [--seconds S]");
  print_library();
  std::string plan = "8";
  int iterations = 20;
  int calls = 0;
  bool first = false;
  auto seconds = 1.0;
  for (int i = 2; i + 1 < argc; i += 2) {
    std::string const key = argv[i];
    if (key == "--plan")
      plan = argv[i + 1];
    else if (key == "--iterations")
      iterations = std::max(1, std::atoi(argv[i + 1]));
    else if (key == "--calls")
      calls = std::max(1, std::atoi(argv[i + 1]));
    else if (key == "--first")
      first = std::atoi(argv[i + 1]) != 0;
    else if (key == "--seconds")
      seconds = std::atof(argv[i + 1]);
    else
      stop("unknown option '" + key + "'");
  }
  auto const names = std::string(argv[1]) == "all" ? all_collectives : split(argv[1], ',');
  for (auto const& what : names) {
    for (auto const& part : split(calls > 0 ? plan : "", ';')) {
      if (!part.empty()) measure_calls(what, std::atoll(part.c_str()), calls, seconds, first);
    }
  }
  for (auto const& part : split(calls > 0 ? "" : plan, ';')) {
    if (part.empty()) continue;
    auto const sides = split(part, '=');
    for (auto const& variant : split(sides.size() > 1 ? sides[1] : "default", ',')) {
      measure(argv[1], variant, std::atoll(sides[0].c_str()), iterations, seconds);
    }
  }
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
