// The data of one collective on plain MPI: what every rank brings, what it must have afterwards, and the call itself.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

inline int rank = 0;
inline int ranks = 1;

[[noreturn]] inline void stop(std::string const& text) {
  if (rank == 0) std::fprintf(stderr, "bench_collective: %s\n", text.c_str());
  PMPI_Abort(MPI_COMM_WORLD, 2);
  std::exit(2);
}

inline unsigned char byte_of(int source, int destination, std::int64_t i, int round) {
  return static_cast<unsigned char>(source * 131 + destination * 29 + i * 7 + (i >> 8) * 13 + round * 17 + 5);
}

/// Small whole numbers, so that sums are exact in any order.
inline double term(int source, std::int64_t i, int round) {
  return (source + 1.0) * static_cast<double>((i * 7 + round * 3) % 1021);
}
inline double sum_of_terms(std::int64_t i, int round) {
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

inline bool ends_with(std::string const& text, char letter) { return !text.empty() && text.back() == letter; }

inline bool is_one_of(std::string const& text, std::vector<char const*> const& all) {
  return std::any_of(all.begin(), all.end(), [&](char const* one) { return text == one; });
}

inline Plan plan_of(std::string const& what, std::int64_t bytes) {
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
inline int pair_count(Plan const& p, int source, int destination) {
  auto const uneven = ends_with(p.what, 'v');
  return p.count[static_cast<std::size_t>(uneven ? (source + destination) % ranks : destination)];
}

inline std::vector<int> pair_counts(Plan const& p, int mine) {
  std::vector<int> all;
  for (int r = 0; r < ranks; ++r) all.push_back(pair_count(p, mine, r));
  return all;
}

inline std::vector<int> offsets(std::vector<int> const& counts) {
  std::vector<int> all(counts.size());
  for (std::size_t i = 1; i < counts.size(); ++i) all[i] = all[i - 1] + counts[i - 1];
  return all;
}

/// The data of one call, whose root is `root`; every result byte begins as 0xee.
inline void fill(Plan const& p, Data& d, int round, int root = 0) {
  std::memset(d.out.data(), 0xee, d.out.size());
  if (p.sums) {
    for (int i = 0; i < p.whole; ++i) d.in_numbers()[i] = term(rank, i, round);
    return;
  }
  auto const& w = p.what;
  auto const write = [&](std::vector<unsigned char>& into, std::int64_t at, int from, int to, int count) {
    for (int i = 0; i < count; ++i) into[static_cast<std::size_t>(at + i)] = byte_of(from, to, i, round);
  };
  if (w == "bcast" && rank == root) write(d.out, 0, root, 0, p.whole);
  if (w == "scatter" || w == "scatterv") {
    for (int r = 0; r < ranks && rank == root; ++r) write(d.in, p.offset[r], root, r, p.count[r]);
  }
  if (is_one_of(w, {"gather", "gatherv", "allgather", "allgatherv"})) write(d.in, 0, rank, 0, p.count[rank]);
  if (w == "alltoall" || w == "alltoallv") {
    auto const counts = pair_counts(p, rank);
    auto const at = offsets(counts);
    for (int r = 0; r < ranks; ++r) write(d.in, at[r], rank, r, counts[r]);
  }
}

inline std::int64_t wrong_bytes(std::vector<unsigned char> const& got, std::int64_t at, int from, int to, int count,
                                int round) {
  std::int64_t wrong = 0;
  for (int i = 0; i < count; ++i) wrong += got[static_cast<std::size_t>(at + i)] != byte_of(from, to, i, round);
  return wrong;
}

/// Bytes (or sums) of this rank's result that are not what they must be.
inline std::int64_t check(Plan const& p, Data& d, int round, int root = 0) {
  auto const& w = p.what;
  std::int64_t wrong = 0;
  auto const wrong_sums = [&](int first, int count) {
    for (int i = 0; i < count; ++i) wrong += d.out_numbers()[i] != sum_of_terms(first + i, round);
  };
  if (w == "allreduce" || (w == "reduce" && rank == root)) wrong_sums(0, p.whole);
  if (w == "reduce_scatter" || w == "reduce_scatter_block") wrong_sums(p.offset[rank], p.count[rank]);
  if (w == "bcast") wrong += wrong_bytes(d.out, 0, root, 0, p.whole, round);
  if (w == "scatter" || w == "scatterv") wrong += wrong_bytes(d.out, 0, root, rank, p.count[rank], round);
  if (is_one_of(w, {"allgather", "allgatherv"}) || (is_one_of(w, {"gather", "gatherv"}) && rank == root)) {
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

inline int run(Plan const& p, Data& d, MPI_Comm comm, int root = 0) {
  auto const& w = p.what;
  auto* const in = d.in.data();
  auto* const out = d.out.data();
  auto const mine = p.count[static_cast<std::size_t>(p.count.size() > 1 ? rank : 0)];
  if (w == "bcast") return MPI_Bcast(out, p.whole, MPI_BYTE, root, comm);
  if (w == "reduce") return MPI_Reduce(in, out, p.whole, MPI_DOUBLE, MPI_SUM, root, comm);
  if (w == "allreduce") return MPI_Allreduce(in, out, p.whole, MPI_DOUBLE, MPI_SUM, comm);
  if (w == "reduce_scatter_block") return MPI_Reduce_scatter_block(in, out, mine, MPI_DOUBLE, MPI_SUM, comm);
  if (w == "reduce_scatter") return MPI_Reduce_scatter(in, out, p.count.data(), MPI_DOUBLE, MPI_SUM, comm);
  if (w == "scatter") return MPI_Scatter(in, mine, MPI_BYTE, out, mine, MPI_BYTE, root, comm);
  if (w == "gather") return MPI_Gather(in, mine, MPI_BYTE, out, mine, MPI_BYTE, root, comm);
  if (w == "allgather") return MPI_Allgather(in, mine, MPI_BYTE, out, mine, MPI_BYTE, comm);
  if (w == "alltoall") return MPI_Alltoall(in, mine, MPI_BYTE, out, mine, MPI_BYTE, comm);
  auto const* const counts = p.count.data();
  auto const* const at = p.offset.data();
  if (w == "scatterv") return MPI_Scatterv(in, counts, at, MPI_BYTE, out, mine, MPI_BYTE, root, comm);
  if (w == "gatherv") return MPI_Gatherv(in, mine, MPI_BYTE, out, counts, at, MPI_BYTE, root, comm);
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

}  // namespace bench
