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
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;

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

[[noreturn]] void stop(std::string const& text) {
  if (rank == 0) std::fprintf(stderr, "bench_collective: %s\n", text.c_str());
  PMPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

unsigned char byte_of(int source, int destination, std::int64_t i, int round) {
  return static_cast<unsigned char>(source * 131 + destination * 29 + i * 7 + (i >> 8) * 13 + round * 17 + 5);
}

/// Small whole numbers, so that sums are exact in any order.
double term(int source, std::int64_t i, int round) {
  return (source + 1.0) * static_cast<double>((i * 7 + round * 3) % 1021);
}
double sum_of_terms(std::int64_t i, int round) {
  return 0.5 * ranks * (ranks + 1.0) * static_cast<double>((i * 7 + round * 3) % 1021);
}

struct Plan {
  std::string what;
  bool sums = false;        ///< doubles that are added up
  std::vector<int> count;   ///< of blocks, in bytes or doubles
  std::vector<int> offset;  ///< where they begin
  int whole = 0;            ///< their sum
  std::int64_t bytes() const { return static_cast<std::int64_t>(whole) * (sums ? 8 : 1); }
};

bool ends_with(std::string const& text, char letter) { return !text.empty() && text.back() == letter; }

bool is_one_of(std::string const& text, std::vector<char const*> const& all) {
  return std::any_of(all.begin(), all.end(), [&](char const* one) { return text == one; });
}

Plan plan_of(std::string const& what, std::int64_t bytes) {
  Plan p;
  p.what = what;
  p.sums = is_one_of(what, {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block"});
  auto const whole = is_one_of(what, {"bcast", "reduce", "allreduce"});
  auto const unit = p.sums ? 8 : 1;
  auto const uneven = ends_with(what, 'v') || what == "reduce_scatter";
  auto const parts = whole ? 1 : ranks;
  auto const items = bytes / unit;
  auto const block = std::max<std::int64_t>(items / parts, bytes > 0 ? 1 : 0);
  for (int r = 0; r < parts; ++r) {
    auto const more = uneven ? (r % 3 - 1) * (block / 2) : 0;
    p.offset.push_back(p.whole);
    p.count.push_back(static_cast<int>(block + more));
    p.whole += p.count.back();
  }
  return p;
}

struct Data {
  std::vector<unsigned char> in, out;
  double* in_numbers() { return reinterpret_cast<double*>(in.data()); }
  double* out_numbers() { return reinterpret_cast<double*>(out.data()); }
};

/// alltoallv: the block from s to d has count[(s + d) % ranks]; others: count[d] or count[s].
int pair_count(Plan const& p, int source, int destination) {
  auto const uneven = ends_with(p.what, 'v');
  return p.count[static_cast<std::size_t>(uneven ? (source + destination) % ranks : destination)];
}

std::vector<int> pair_counts(Plan const& p, int mine) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(pair_count(p, mine, r));
  return all;
}

std::vector<int> offsets(std::vector<int> const& counts) {
  std::vector<int> all(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) all[i] = all[i - 1] + counts[i - 1];
  return all;
}

void fill(Plan const& p, Data& d, int round) {
  std::memset(d.out.data(), 0xee, d.out.size());
  if (p.sums) {
    for (int i = 0; i < p.whole; ++i) d.in_numbers()[i] = term(rank, i, round);
    return;
  }
  auto const& w = p.what;
  auto const write = [&](std::vector<unsigned char>& into, std::int64_t at, int from, int to, int count) {
    for (int i = 0; i < count; ++i) into[static_cast<std::size_t>(at + i)] = byte_of(from, to, i, round);
  };
  if (w == "bcast" && rank == 0) write(d.out, 0, 0, 0, p.whole);
  if (w == "scatter" || w == "scatterv") {
    for (int r = 0; r < ranks && rank == 0; ++r) write(d.in, p.offset[r], 0, r, p.count[r]);
  }
  if (is_one_of(w, {"gather", "gatherv", "allgather", "allgatherv"})) write(d.in, 0, rank, 0, p.count[rank]);
  if (w == "alltoall" || w == "alltoallv") {
    auto const counts = pair_counts(p, rank);
    auto const at = offsets(counts);
    for (int r = 0; r < ranks; ++r) write(d.in, at[r], rank, r, counts[r]);
  }
}

std::int64_t wrong_bytes(std::vector<unsigned char> const& got, std::int64_t at, int from, int to, int count,
                         int round) {
  std::int64_t wrong = 0;
  for (int i = 0; i < count; ++i) wrong += got[static_cast<std::size_t>(at + i)] != byte_of(from, to, i, round);
  return wrong;
}

/// Bytes (or sums) of this rank's result that are not what they must be.
std::int64_t check(Plan const& p, Data& d, int round) {
  auto const& w = p.what;
  std::int64_t wrong = 0;
  auto const wrong_sums = [&](int first, int count) {
    for (int i = 0; i < count; ++i) wrong += d.out_numbers()[i] != sum_of_terms(first + i, round);
  };
  if (w == "allreduce" || (w == "reduce" && rank == 0)) wrong_sums(0, p.whole);
  if (w == "reduce_scatter" || w == "reduce_scatter_block") wrong_sums(p.offset[rank], p.count[rank]);
  if (w == "bcast") wrong += wrong_bytes(d.out, 0, 0, 0, p.whole, round);
  if (w == "scatter" || w == "scatterv") wrong += wrong_bytes(d.out, 0, 0, rank, p.count[rank], round);
  if (is_one_of(w, {"allgather", "allgatherv"}) || (is_one_of(w, {"gather", "gatherv"}) && rank == 0)) {
    for (int r = 0; r < ranks; ++r) wrong += wrong_bytes(d.out, p.offset[r], r, 0, p.count[r], round);
  }
  if (w == "alltoall" || w == "alltoallv") {
    std::int64_t at = 0;
    for (int r = 0; r < ranks; ++r) {
      wrong += wrong_bytes(d.out, at, r, rank, pair_count(p, r, rank), round);
      at += pair_count(p, r, rank);
    }
  }
  return wrong;
}

int run(Plan const& p, Data& d, MPI_Comm comm) {
  auto const& w = p.what;
  auto* const in = d.in.data();
  auto* const out = d.out.data();
  auto const mine = p.count[static_cast<std::size_t>(p.count.size() > 1 ? rank : 0)];
  if (w == "bcast") return MPI_Bcast(out, p.whole, MPI_BYTE, 0, comm);
  if (w == "reduce") return MPI_Reduce(in, out, p.whole, MPI_DOUBLE, MPI_SUM, 0, comm);
  if (w == "allreduce") return MPI_Allreduce(in, out, p.whole, MPI_DOUBLE, MPI_SUM, comm);
  if (w == "reduce_scatter_block") return MPI_Reduce_scatter_block(in, out, mine, MPI_DOUBLE, MPI_SUM, comm);
  if (w == "reduce_scatter") return MPI_Reduce_scatter(in, out, p.count.data(), MPI_DOUBLE, MPI_SUM, comm);
  if (w == "scatter") return MPI_Scatter(in, mine, MPI_BYTE, out, mine, MPI_BYTE, 0, comm);
  if (w == "gather") return MPI_Gather(in, mine, MPI_BYTE, out, mine, MPI_BYTE, 0, comm);
  if (w == "allgather") return MPI_Allgather(in, mine, MPI_BYTE, out, mine, MPI_BYTE, comm);
  if (w == "alltoall") return MPI_Alltoall(in, mine, MPI_BYTE, out, mine, MPI_BYTE, comm);
  auto const* const counts = p.count.data();
  auto const* const at = p.offset.data();
  if (w == "scatterv") return MPI_Scatterv(in, counts, at, MPI_BYTE, out, mine, MPI_BYTE, 0, comm);
  if (w == "gatherv") return MPI_Gatherv(in, mine, MPI_BYTE, out, counts, at, MPI_BYTE, 0, comm);
  if (w == "allgatherv") return MPI_Allgatherv(in, mine, MPI_BYTE, out, counts, at, MPI_BYTE, comm);
  if (w == "alltoallv") {
    auto const each = pair_counts(p, rank);  // symmetric: what s has for d is as long as what d has for s
    auto const begin = offsets(each);
    return MPI_Alltoallv(in, each.data(), begin.data(), MPI_BYTE, out, each.data(), begin.data(), MPI_BYTE, comm);
  }
  if (w == "barrier") return MPI_Barrier(comm);
  stop("COLLECTIVE = '" + w +
       "': expected bcast, reduce, allreduce, reduce_scatter(_block), scatter(v), gather(v), "
       "allgather(v), alltoall(v) or barrier");
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
  auto seconds = 1.0;
  for (int i = 2; i + 1 < argc; i += 2) {
    std::string const key = argv[i];
    if (key == "--plan")
      plan = argv[i + 1];
    else if (key == "--iterations")
      iterations = std::max(1, std::atoi(argv[i + 1]));
    else if (key == "--seconds")
      seconds = std::atof(argv[i + 1]);
    else
      stop("unknown option '" + key + "'");
  }
  for (auto const& part : split(plan, ';')) {
    auto const sides = split(part, '=');
    for (auto const& variant : split(sides.size() > 1 ? sides[1] : "default", ',')) {
      measure(argv[1], variant, std::atoll(sides[0].c_str()), iterations, seconds);
    }
  }
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
