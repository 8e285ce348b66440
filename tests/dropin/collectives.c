/* Every collective of the drop-in in its blocking form, by a program that never heard of Allport: contiguous and
 * derived types, in place, every root, sizes from nothing up. Results are compared with values known in advance. Ends
 * with code 1 and the first differences on any error. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const int sizes[] = {0, 1, 3, 17, 1000, 20011};
enum { n_sizes = sizeof sizes / sizeof *sizes };

/* What rank `r` has at position `i` of its block for rank `d`. */
static int value(int r, int d, int i) { return 1000003 * (r + 1) + 10007 * d + i; }

static void bcast(MPI_Comm comm, int n) {
  for (int root = 0; root < size_of(comm); ++root) {
    int* a = numbers(n);
    for (int i = 0; i < n && rank_of(comm) == root; ++i) a[i] = value(root, 0, i);
    MPI_Bcast(a, n, MPI_INT, root, comm);
    for (int i = 0; i < n; ++i) EXPECT("bcast", i, a[i], value(root, 0, i));
    EXPECT("bcast's end", n, a[n], -1);
    free(a);
  }
}

/* What MPI libraries get wrong themselves is asked for. Here: sides that describe the same bytes differently, by which
 * Open MPI's own broadcast hangs. */
static int mixed;

/* The root sends every second int of a matrix row; where `mixed`, some of the others receive plain bytes. */
static void bcast_strided(MPI_Comm comm, int n) {
  int const root = size_of(comm) - 1, me = rank_of(comm);
  MPI_Datatype every_second;
  MPI_Type_vector(n, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  int* a = numbers(2 * (size_t)n);
  if (me == root) {
    for (int i = 0; i < n; ++i) a[2 * i] = value(root, 1, i);
    MPI_Bcast(a, 1, every_second, root, comm);
    for (int i = 0; i < n; ++i) EXPECT("strided bcast's gaps", i, a[2 * i + 1], -1);
  } else if (mixed && me % 2 == 0) {
    MPI_Bcast(a, n * (int)sizeof(int), MPI_BYTE, root, comm);
    for (int i = 0; i < n; ++i) EXPECT("strided bcast as bytes", i, a[i], value(root, 1, i));
  } else {
    MPI_Bcast(a, 1, every_second, root, comm);
    for (int i = 0; i < n; ++i) EXPECT("strided bcast", i, a[2 * i], value(root, 1, i));
    for (int i = 0; i < n; ++i) EXPECT("strided bcast's gaps", i, a[2 * i + 1], -1);
  }
  MPI_Type_free(&every_second);
  free(a);
}

static long sum_over(int ranks, int d, int i) {
  long sum = 0;
  for (int r = 0; r < ranks; ++r) sum += value(r, d, i) % 1000;
  return sum;
}

static void reduce(MPI_Comm comm, int n, int in_place) {
  int const p = size_of(comm), me = rank_of(comm);
  for (int root = 0; root < p; ++root) {
    int *in = numbers(n), *out = numbers(n);
    for (int i = 0; i < n; ++i) in[i] = value(me, 0, i) % 1000;
    /* MPICH 4.0's own crashes in place at other roots than 0. */
    if (in_place && me == root && (mixed || root == 0)) {
      memcpy(out, in, n * sizeof *in);
      MPI_Reduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, root, comm);
    } else {
      MPI_Reduce(in, me == root ? out : NULL, n, MPI_INT, MPI_SUM, root, comm);
    }
    for (int i = 0; i < n && me == root; ++i) EXPECT("reduce", i, out[i], sum_over(p, 0, i));
    for (int i = 0; i < n; ++i) EXPECT("reduce's input", i, in[i], value(me, 0, i) % 1000);
    free(in);
    free(out);
  }
}

static void allreduce(MPI_Comm comm, int n, int in_place) {
  int const p = size_of(comm), me = rank_of(comm);
  int *in = numbers(n), *out = numbers(n);
  for (int i = 0; i < n; ++i) in[i] = out[i] = value(me, 0, i) % 1000;
  MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) EXPECT("allreduce", i, out[i], sum_over(p, 0, i));
  EXPECT("allreduce's end", n, out[n], -1);
  free(in);
  free(out);
}

static void reduce_scatters(MPI_Comm comm, int n, int in_place) {
  int const p = size_of(comm), me = rank_of(comm);
  int *counts = malloc(p * sizeof *counts), total = 0, begin = 0;
  for (int r = 0; r < p; ++r) {
    counts[r] = r % 3 == 1 ? 0 : n + r;
    if (r < me) begin += counts[r];
    total += counts[r];
  }
  int *in = numbers(total), *out = numbers(total);
  for (int i = 0; i < total; ++i) in[i] = out[i] = value(me, 0, i) % 1000;
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in, out, counts, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < counts[me]; ++i) EXPECT("reduce_scatter", i, out[i], sum_over(p, 0, begin + i));
  free(in);
  free(out);
  in = numbers((size_t)n * p), out = numbers((size_t)n * p);
  for (int i = 0; i < n * p; ++i) in[i] = out[i] = value(me, 0, i) % 1000;
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) EXPECT("reduce_scatter_block", i, out[i], sum_over(p, 0, me * n + i));
  free(in);
  free(out);
  free(counts);
}

static void scatter_and_gather(MPI_Comm comm, int n, int in_place) {
  int const p = size_of(comm), me = rank_of(comm);
  for (int root = 0; root < p; ++root) {
    int *all = numbers((size_t)n * p), *mine = numbers(n);
    for (int i = 0; i < n * p && me == root; ++i) all[i] = value(root, i / n, i % n);
    if (in_place && me == root) {
      MPI_Scatter(all, n, MPI_INT, MPI_IN_PLACE, n, MPI_INT, root, comm);
      memcpy(mine, all + n * root, n * sizeof *mine);
    } else {
      MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, root, comm);
    }
    for (int i = 0; i < n; ++i) EXPECT("scatter", i, mine[i], value(root, me, i));
    for (int i = 0; i < n * p; ++i) all[i] = -1;
    if (in_place && me == root) {
      memcpy(all + n * root, mine, n * sizeof *mine);
      MPI_Gather(MPI_IN_PLACE, n, MPI_INT, all, n, MPI_INT, root, comm);
    } else {
      MPI_Gather(mine, n * (int)sizeof(int), MPI_BYTE, all, n, MPI_INT, root, comm);
    }
    for (int i = 0; i < n * p && me == root; ++i) EXPECT("gather", i, all[i], value(root, i / n, i % n));
    free(all);
    free(mine);
  }
}

/* Block r has n + r elements (none for every third rank), in descending order with gaps of two. */
static void v_tables(int p, int n, int* counts, int* begins) {
  int next = 1;
  for (int r = p - 1; r >= 0; --r) {
    counts[r] = r % 3 == 2 ? 0 : n + r;
    begins[r] = next;
    next += counts[r] + 2;
  }
}

static void v_forms(MPI_Comm comm, int n) {
  int const p = size_of(comm), me = rank_of(comm), room = (n + p + 2) * p + 1;
  int *counts = malloc(p * sizeof *counts), *begins = malloc(p * sizeof *begins);
  v_tables(p, n, counts, begins);
  for (int root = 0; root < p; root += 2) {
    int *all = numbers(room), *mine = numbers(counts[me]), *back = numbers(room);
    for (int r = 0; r < p && me == root; ++r) {
      for (int i = 0; i < counts[r]; ++i) all[begins[r] + i] = value(root, r, i);
    }
    MPI_Scatterv(all, me == root ? counts : NULL, me == root ? begins : NULL, MPI_INT, mine, counts[me], MPI_INT, root,
                 comm);
    for (int i = 0; i < counts[me]; ++i) EXPECT("scatterv", i, mine[i], value(root, me, i));
    MPI_Gatherv(mine, counts[me], MPI_INT, back, me == root ? counts : NULL, me == root ? begins : NULL, MPI_INT, root,
                comm);
    for (int i = 0; i < room && me == root; ++i) EXPECT("gatherv", i, back[i], all[i]);
    free(all);
    free(mine);
    free(back);
  }
  int *mine = numbers(counts[me]), *all = numbers(room);
  for (int i = 0; i < counts[me]; ++i) mine[i] = value(me, 7, i);
  MPI_Allgatherv(mine, counts[me], MPI_INT, all, counts, begins, MPI_INT, comm);
  for (int r = 0; r < p; ++r) {
    for (int i = 0; i < counts[r]; ++i) EXPECT("allgatherv", begins[r] + i, all[begins[r] + i], value(r, 7, i));
    EXPECT("allgatherv's gap", r, all[begins[r] + counts[r]], -1);
  }
  free(mine);
  free(all);
  free(counts);
  free(begins);
}

static void allgather_and_alltoall(MPI_Comm comm, int n, int in_place) {
  int const p = size_of(comm), me = rank_of(comm);
  int *in = numbers((size_t)n * p), *out = numbers((size_t)n * p);
  for (int i = 0; i < n; ++i) in[i] = out[me * n + i] = value(me, 0, i);
  MPI_Allgather(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, comm);
  for (int i = 0; i < n * p; ++i) EXPECT("allgather", i, out[i], value(i / n, 0, i % n));
  for (int i = 0; i < n * p; ++i) in[i] = out[i] = value(me, i / n, i % n);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : in, n, MPI_INT, out, n, MPI_INT, comm);
  for (int i = 0; i < n * p; ++i) EXPECT("alltoall", i, out[i], value(i / n, me, i % n));
  free(in);
  free(out);
}

/* Rank r sends (r + 2 d) % 4 * n elements to rank d. */
static void alltoallv(MPI_Comm comm, int n) {
  int const p = size_of(comm), me = rank_of(comm);
  int *table = malloc(4 * p * sizeof *table), sent = 0, taken = 0;
  int *to = table, *to_begin = table + p, *from = table + 2 * p, *from_begin = table + 3 * p;
  for (int r = 0; r < p; ++r) {
    to[r] = (me + 2 * r) % 4 * n;
    from[r] = (r + 2 * me) % 4 * n;
    to_begin[r] = sent;
    from_begin[r] = taken + 1;
    sent += to[r] + 1;
    taken += from[r] + 1;
  }
  int *in = numbers(sent), *out = numbers(taken + 1);
  for (int r = 0; r < p; ++r) {
    for (int i = 0; i < to[r]; ++i) in[to_begin[r] + i] = value(me, r, i);
  }
  MPI_Alltoallv(in, to, to_begin, MPI_INT, out, from, from_begin, MPI_INT, comm);
  for (int r = 0; r < p; ++r) {
    for (int i = 0; i < from[r]; ++i) EXPECT("alltoallv", i, out[from_begin[r] + i], value(r, me, i));
    EXPECT("alltoallv's gap", r, out[from_begin[r] - 1], -1);
  }
  free(in);
  free(out);
  free(table);
}

/* Addresses instead of a buffer. */
static void bottom(MPI_Comm comm) {
  int a[3] = {-1, -1, -1};
  MPI_Aint at;
  MPI_Datatype absolute;
  int length = 3;
  MPI_Get_address(a, &at);
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, &absolute);
  MPI_Type_commit(&absolute);
  if (rank_of(comm) == 0) a[0] = 5, a[1] = 6, a[2] = 7;
  MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, comm);
  for (int i = 0; i < 3; ++i) EXPECT("bottom", i, a[i], 5 + i);
  MPI_Type_free(&absolute);
}

static void everything(MPI_Comm comm) {
  /* MPICH 4.0's own allgatherv ignores displacements on one rank. */
  if (size_of(comm) == 1) return;
  for (int s = 0; s < n_sizes; ++s) {
    int const n = sizes[s];
    bcast(comm, n);
    bcast_strided(comm, n);
    for (int in_place = 0; in_place < 2; ++in_place) {
      reduce(comm, n, in_place);
      allreduce(comm, n, in_place);
      if (n > 1000) continue;
      reduce_scatters(comm, n, in_place);
      scatter_and_gather(comm, n, in_place);
      allgather_and_alltoall(comm, n, in_place);
    }
    if (n > 1000) continue;
    v_forms(comm, n);
    alltoallv(comm, n);
    MPI_Barrier(comm);
  }
  bottom(comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  mixed = argc > 1 && strcmp(argv[1], "mixed") == 0;
  /* Where both sides of a call are tried, they are after so many. */
  int const times = argc > 1 && strcmp(argv[1], "often") == 0 ? 4 : 1;
  for (int i = 0; i < times; ++i) everything(MPI_COMM_WORLD);
  /* A box of a machine with rows, or whatever it is: results must not depend on it. */
  mixed = 0;
  MPI_Comm some;
  int const me = rank_of(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, me / 3, -me, &some);
  everything(some);
  MPI_Comm_free(&some);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &some);
  everything(some);
  MPI_Comm_free(&some);
  return finish("collectives");
}
