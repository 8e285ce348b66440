/* Short calls in a row: every collective, roots going round, lengths that come and go, ranks that describe the same
 * data otherwise, communicators whose handles come back. A program that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 300 };

static int value(int source, int destination, int i, int turn) { return source * 1000 + destination * 100 + i + turn; }

static unsigned state_of_all; /* the same on all ranks */
static int random_below(int limit) {
  state_of_all = state_of_all * 1103515245u + 12345u;
  return (int)(state_of_all >> 16) % limit;
}

/* The same bytes in other words: on odd ranks, every fourth turn, one element that is the whole. Only where asked for:
 * Open MPI itself hangs when ranks describe one message by different counts. */
static int mixed;
struct words {
  MPI_Datatype type;
  int count;
};
static struct words words_for(int count, int turn, int me) {
  struct words w = {MPI_INT, count};
  if (mixed && turn % 4 == 3 && me % 2 == 1) {
    MPI_Type_contiguous(count, MPI_INT, &w.type);
    MPI_Type_commit(&w.type);
    w.count = 1;
  }
  return w;
}
static void forget(struct words* w) {
  if (w->type != MPI_INT) MPI_Type_free(&w->type);
}

static void bcast_and_reduce(MPI_Comm comm, int count, int root, int turn) {
  int const me = rank_of(comm), p = size_of(comm);
  int *in = numbers(most), *out = numbers(most);
  for (int i = 0; i < count; ++i) in[i] = value(me, 0, i, turn);
  if (me == root) memcpy(out, in, (size_t)count * sizeof *in);
  struct words w = words_for(count, turn, me);
  MPI_Bcast(out, w.count, w.type, root, comm);
  forget(&w);
  for (int i = 0; i < count; ++i) EXPECT("bcast", i, out[i], value(root, 0, i, turn));
  EXPECT("bcast's end", count, out[count], -1);
  int *sum = numbers(most), *all = numbers(most);
  MPI_Reduce(in, sum, count, MPI_INT, MPI_SUM, root, comm);
  MPI_Allreduce(in, all, count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < count; ++i) {
    int const wanted = p * (p - 1) / 2 * 1000 + p * (i + turn);
    EXPECT("reduce", i, sum[i], me == root ? wanted : -1);
    EXPECT("allreduce", i, all[i], wanted);
  }
  MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_INT, MPI_MAX, comm);
  for (int i = 0; i < count; ++i) EXPECT("max in place", i, in[i], value(p - 1, 0, i, turn));
  free(in), free(out), free(sum), free(all);
}

static void scatter_and_gather(MPI_Comm comm, int count, int root, int turn) {
  int const me = rank_of(comm), p = size_of(comm);
  int *blocks = numbers((size_t)(p * most)), *mine = numbers(most), *back = numbers((size_t)(p * most));
  for (int r = 0; r < p && me == root; ++r)
    for (int i = 0; i < count; ++i) blocks[r * count + i] = value(root, r, i, turn);
  struct words w = words_for(count, turn, me);
  MPI_Scatter(blocks, count, MPI_INT, mine, w.count, w.type, root, comm);
  for (int i = 0; i < count; ++i) EXPECT("scatter", i, mine[i], value(root, me, i, turn));
  MPI_Gather(mine, w.count, w.type, back, count, MPI_INT, root, comm);
  for (int i = 0; i < p * count; ++i) EXPECT("gather", i, back[i], me == root ? blocks[i] : -1);
  MPI_Allgather(mine, w.count, w.type, back, count, MPI_INT, comm);
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < count; ++i) EXPECT("allgather", i, back[r * count + i], value(root, r, i, turn));
  forget(&w);
  free(blocks), free(mine), free(back);
}

static void every_pair(MPI_Comm comm, int count, int turn) {
  int const me = rank_of(comm), p = size_of(comm);
  int *out = numbers((size_t)(p * most)), *in = numbers((size_t)(p * most)), *part = numbers(most);
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < count; ++i) out[r * count + i] = value(me, r, i, turn);
  MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm);
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < count; ++i) EXPECT("alltoall", i, in[r * count + i], value(r, me, i, turn));
  MPI_Reduce_scatter_block(out, part, count, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < count; ++i)
    EXPECT("reduce_scatter", i, part[i], p * (p - 1) / 2 * 1000 + p * (me * 100 + i + turn));
  MPI_Barrier(comm);
  free(out), free(in), free(part);
}

/* Blocks whose lengths only the root knows, or each rank its own: short for a while, then long, then any. */
static void lengths(MPI_Comm comm, int turn) {
  int const me = rank_of(comm), p = size_of(comm), root = turn % p;
  int const scale = turn % 300 < 200 ? 3 : most;
  int *counts = numbers((size_t)p), *at = numbers((size_t)p), *blocks = numbers((size_t)(p * most)),
      *mine = numbers(most);
  for (int r = 0, next = 0; r < p; next += counts[r++]) {
    counts[r] = random_below(scale);
    at[r] = next;
  }
  for (int r = 0; r < p && me == root; ++r)
    for (int i = 0; i < counts[r]; ++i) blocks[at[r] + i] = value(root, r, i, turn);
  MPI_Scatterv(blocks, counts, at, MPI_INT, mine, counts[me], MPI_INT, root, comm);
  for (int i = 0; i < counts[me]; ++i) EXPECT("scatterv", i, mine[i], value(root, me, i, turn));
  EXPECT("scatterv's end", turn, mine[counts[me]], -1);
  int* back = numbers((size_t)(p * most));
  struct words w = words_for(counts[me], turn, me);
  if (turn % 5 == 0) {
    MPI_Request request;
    MPI_Igatherv(mine, w.count, w.type, back, counts, at, MPI_INT, root, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (turn % 7 == 0 && me == root) { /* its own block lies where it belongs */
    memcpy(back + at[me], mine, (size_t)counts[me] * sizeof *mine);
    MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, back, counts, at, MPI_INT, root, comm);
  } else {
    MPI_Gatherv(mine, w.count, w.type, back, counts, at, MPI_INT, root, comm);
  }
  forget(&w);
  for (int r = 0; r < p && me == root; ++r)
    for (int i = 0; i < counts[r]; ++i) EXPECT("gatherv", i, back[at[r] + i], blocks[at[r] + i]);
  MPI_Allgatherv(mine, counts[me], MPI_INT, back, counts, at, MPI_INT, comm);
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < counts[r]; ++i) EXPECT("allgatherv", i, back[at[r] + i], value(root, r, i, turn));
  free(counts), free(at), free(blocks), free(mine), free(back);
}

/* From s to d travel as many as (s + d) says, so that every rank has lengths of its own. */
static void lengths_of_pairs(MPI_Comm comm, int turn) {
  int const me = rank_of(comm), p = size_of(comm), scale = turn % 300 < 200 ? 2 : most / 20;
  int *counts = numbers((size_t)p), *at = numbers((size_t)p);
  int *out = numbers((size_t)(p * most)), *in = numbers((size_t)(p * most));
  for (int r = 0; r < p; ++r) {
    counts[r] = (me + r + turn) % 4 * scale;
    at[r] = r * most;
    for (int i = 0; i < counts[r]; ++i) out[at[r] + i] = value(me, r, i, turn);
  }
  MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, comm);
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < counts[r]; ++i) EXPECT("alltoallv", i, in[at[r] + i], value(r, me, i, turn));
  free(counts), free(at), free(out), free(in);
}

/* A blocking call moves on what was started before it, in all its steps: others wait for this rank's part of that. */
static void beside_a_start(MPI_Comm comm) {
  int const me = rank_of(comm), p = size_of(comm);
  int *counts = numbers((size_t)p), *at = numbers((size_t)p), *out = numbers((size_t)p), *in = numbers((size_t)p);
  for (int turn = 0; turn < 30; ++turn) {
    for (int r = 0; r < p; ++r) counts[r] = 1, at[r] = r, out[r] = value(me, r, 0, turn), in[r] = -1;
    int word = me == 0 ? turn : -1;
    MPI_Request request;
    MPI_Ialltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, comm, &request);
    if (me == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast(&word, 1, MPI_INT, 0, comm);
    if (me != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT("bcast beside", turn, word, turn);
    for (int r = 0; r < p; ++r) EXPECT("ialltoallv", r, in[r], value(r, me, 0, turn));
  }
  free(counts), free(at), free(out), free(in);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  mixed = argc > 1 && strcmp(argv[1], "mixed") == 0;
  int const p = size_of(MPI_COMM_WORLD), me = rank_of(MPI_COMM_WORLD);
  int const sizes[] = {0, 1, 2, 17, most};
  for (int turn = 0; turn < 40; ++turn) {
    for (int s = 0; s < 5; ++s) {
      bcast_and_reduce(MPI_COMM_WORLD, sizes[s], (turn + s) % p, turn);
      scatter_and_gather(MPI_COMM_WORLD, sizes[s], (turn + s) % p, turn);
      every_pair(MPI_COMM_WORLD, sizes[s], turn);
    }
  }
  beside_a_start(MPI_COMM_WORLD);
  for (int turn = 0; turn < 600; ++turn) {
    lengths(MPI_COMM_WORLD, turn);
    lengths_of_pairs(MPI_COMM_WORLD, turn);
  }
  for (int turn = 0; turn < 20; ++turn) { /* a freed handle comes back for other ranks */
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, turn % 2 == 0 ? 0 : me % 2, turn % 3 == 0 ? -me : me, &part);
    bcast_and_reduce(part, 5, 0, turn);
    scatter_and_gather(part, 5, size_of(part) - 1, turn);
    MPI_Comm_free(&part);
  }
  return finish("short calls");
}
