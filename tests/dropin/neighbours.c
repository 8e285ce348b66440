/* Neighbourhood collectives in all their forms, on grids, graphs and distributed graphs: each block is the one that MPI
 * promises, on any route, and what is nobody's stays as it was. A program that never heard of Allport. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 16, forms = 3 };

/* A topology as its ranks see it, and which of the sender's blocks each of mine is. */
static struct {
  MPI_Comm comm;
  int in, out;
  int from[most], to[most], slot[most];
} here;

static void match(int grid) {
  int const p = size_of(here.comm), me = rank_of(here.comm);
  int* const all = malloc(sizeof(int) * (size_t)p * most);
  int mine[most];
  for (int k = 0; k < most; ++k) mine[k] = k < here.out ? here.to[k] : -9;
  MPI_Allgather(mine, most, MPI_INT, all, most, MPI_INT, here.comm);
  int taken[64] = {0};
  for (int k = 0; k < here.in; ++k) {
    here.slot[k] = -1;
    if (here.from[k] < 0) continue;
    int nth = taken[here.from[k]]++;
    for (int s = 0; s < most && here.slot[k] < 0; ++s) {
      if (all[here.from[k] * most + s] == me && nth-- == 0) here.slot[k] = s;
    }
    if (grid) here.slot[k] = k ^ 1; /* what was sent down comes from above */
  }
  free(all);
}

static void on_grid(MPI_Comm comm) {
  int axes;
  MPI_Cartdim_get(comm, &axes);
  here.comm = comm;
  here.in = here.out = 2 * axes;
  for (int a = 0; a < axes; ++a) MPI_Cart_shift(comm, a, 1, &here.to[2 * a], &here.to[2 * a + 1]);
  memcpy(here.from, here.to, sizeof here.to);
  match(1);
}

static void on_graph(MPI_Comm comm) {
  here.comm = comm;
  MPI_Graph_neighbors_count(comm, rank_of(comm), &here.out);
  MPI_Graph_neighbors(comm, rank_of(comm), most, here.to);
  here.in = here.out;
  memcpy(here.from, here.to, sizeof here.to);
  match(0);
}

static void on_lists(MPI_Comm comm) {
  int weighted;
  here.comm = comm;
  MPI_Dist_graph_neighbors_count(comm, &here.in, &here.out, &weighted);
  MPI_Dist_graph_neighbors(comm, here.in, here.from, MPI_UNWEIGHTED, here.out, here.to, MPI_UNWEIGHTED);
  match(0);
}

/* Element i of what a rank sends in its block `slot`. */
static int content(int rank, int slot, int i, int round) { return rank * 100003 + slot * 4099 + i * 7 + round * 13; }

/* Elements of a block whose length only two ranks know. */
static int length(int sender, int slot, int n) { return (sender + slot) % 3 == 0 ? 0 : n + (sender * 5 + slot) % 4; }

static void fill(int* data, int const* begins, int const* counts, int gathers, int round, int stride) {
  int const me = rank_of(here.comm);
  for (int k = 0; k < (gathers ? 1 : here.out); ++k) {
    for (int i = 0; i < counts[k]; ++i) data[begins[k] + i * stride] = content(me, gathers ? 0 : k, i, round);
  }
}

static void check(char const* what, int const* data, int room, int const* begins, int const* counts, int gathers,
                  int round, int stride) {
  char* const known = calloc((size_t)room + 1, 1);
  for (int k = 0; k < here.in; ++k) {
    if (here.from[k] < 0) continue;
    for (int i = 0; i < counts[k]; ++i) {
      int const at = begins[k] + i * stride;
      known[at] = 1;
      EXPECT(what, at, data[at], content(here.from[k], gathers ? 0 : here.slot[k], i, round));
    }
  }
  for (int at = 0; at <= room; ++at) {
    if (!known[at]) EXPECT("what is nobody's", at, data[at], -1);
  }
  free(known);
}

/* One call in one of its forms: at once, to be waited for, or kept and started twice. */
#define CALL(Name, name, ARGUMENTS)                                               \
  do {                                                                            \
    MPI_Request request = MPI_REQUEST_NULL;                                       \
    for (int round = 0; round < (form == 2 ? 2 : 1); ++round) {                   \
      fill(data, begins, counts, gathers, round, stride);                         \
      for (int i = 0; i <= room; ++i) into[i] = -1;                               \
      if (form == 0) MPI_##Name(UNPACK ARGUMENTS);                                \
      if (form == 1) MPI_I##name(UNPACK ARGUMENTS, &request);                     \
      if (form == 2) {                                                            \
        if (round == 0) INIT(Name)(UNPACK ARGUMENTS, MPI_INFO_NULL, &request);    \
        MPI_Start(&request);                                                      \
      }                                                                           \
      MPI_Wait(&request, MPI_STATUS_IGNORE);                                      \
      check(#Name, into, room, into_begins, into_counts, gathers, round, stride); \
    }                                                                             \
    if (form == 2) MPI_Request_free(&request);                                    \
  } while (0)
#define UNPACK(...) __VA_ARGS__

static void equal_blocks(int n, int form) {
  int const room = most * (n + 1), stride = 1;
  int *data = numbers((size_t)room), *into = numbers((size_t)room);
  int counts[most], begins[most], into_counts[most], into_begins[most];
  for (int k = 0; k < most; ++k) {
    counts[k] = into_counts[k] = n;
    begins[k] = into_begins[k] = k * n;
  }
  int gathers = 1;
  CALL(Neighbor_allgather, neighbor_allgather, (data, n, MPI_INT, into, n, MPI_INT, here.comm));
  gathers = 0;
  CALL(Neighbor_alltoall, neighbor_alltoall, (data, n, MPI_INT, into, n, MPI_INT, here.comm));
  free(data);
  free(into);
}

/* The same, in which every second integer is sent. */
static void gaps(int n, int form) {
  int const room = 2 * most * (n + 1), gathers = 0, stride = 2;
  int *data = numbers((size_t)room), *into = numbers((size_t)room);
  int counts[most], begins[most], into_counts[most], into_begins[most];
  MPI_Datatype gap;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gap);
  MPI_Type_commit(&gap);
  for (int k = 0; k < most; ++k) {
    counts[k] = into_counts[k] = n;
    begins[k] = into_begins[k] = 2 * k * n;
  }
  CALL(Neighbor_alltoall, neighbor_alltoall, (data, n, gap, into, n, gap, here.comm));
  MPI_Type_free(&gap);
  free(data);
  free(into);
}

static void different_blocks(int n, int form) {
  int const room = most * (n + 9), me = rank_of(here.comm);
  int *data = numbers((size_t)room), *into = numbers((size_t)room);
  int counts[most], begins[most], into_counts[most], into_begins[most];
  for (int k = 0; k < most; ++k) {
    counts[k] = k < here.out ? length(me, k, n) : 0;
    into_counts[k] = k < here.in && here.from[k] >= 0 ? length(here.from[k], here.slot[k], n) : 0;
    begins[k] = k * (n + 5); /* with gaps */
    into_begins[k] = (most - 1 - k) * (n + 6);
  }
  int gathers = 0, stride = 1;
  CALL(Neighbor_alltoallv, neighbor_alltoallv,
       (data, counts, begins, MPI_INT, into, into_counts, into_begins, MPI_INT, here.comm));
  /* Block k has a type of its own: plain, or every second integer; displacements in bytes. */
  MPI_Datatype types[most], into_types[most], twice;
  MPI_Aint at[most], into_at[most];
  MPI_Type_contiguous(1, MPI_INT, &twice);
  MPI_Type_commit(&twice);
  for (int k = 0; k < most; ++k) {
    types[k] = k % 2 ? twice : MPI_INT;
    into_types[k] = k % 3 ? MPI_INT : twice;
    at[k] = (MPI_Aint)sizeof(int) * begins[k];
    into_at[k] = (MPI_Aint)sizeof(int) * into_begins[k];
  }
  CALL(Neighbor_alltoallw, neighbor_alltoallw,
       (data, counts, at, types, into, into_counts, into_at, into_types, here.comm));
  MPI_Type_free(&twice);
  gathers = 1;
  counts[0] = length(me, 1, n);
  for (int k = 0; k < here.in; ++k) into_counts[k] = here.from[k] >= 0 ? length(here.from[k], 1, n) : 0;
  CALL(Neighbor_allgatherv, neighbor_allgatherv,
       (data, counts[0], MPI_INT, into, into_counts, into_begins, MPI_INT, here.comm));
  free(data);
  free(into);
}

/* Every second integer, one way, into integers side by side: pairs of types with one signature. */
static void strided_blocks(int n, int form) {
  int const room = 2 * most * (n + 1), me = rank_of(here.comm);
  int *data = numbers((size_t)room), *into = numbers((size_t)room);
  MPI_Datatype column, types[most], into_types[most];
  MPI_Aint at[most], into_at[most];
  int ones[most], counts[most];
  MPI_Type_vector(n, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&column);
  for (int k = 0; k < most; ++k) {
    types[k] = column;
    into_types[k] = MPI_INT;
    ones[k] = 1;
    counts[k] = n;
    at[k] = (MPI_Aint)sizeof(int) * 2 * n * k;
    into_at[k] = (MPI_Aint)sizeof(int) * n * k;
  }
  for (int k = 0; k < here.out; ++k) {
    for (int i = 0; i < n; ++i) data[2 * (n * k + i)] = content(me, k, i, 5);
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (form == 0) MPI_Neighbor_alltoallw(data, ones, at, types, into, counts, into_at, into_types, here.comm);
  if (form == 1) MPI_Ineighbor_alltoallw(data, ones, at, types, into, counts, into_at, into_types, here.comm, &request);
  if (form == 2) {
    INIT(Neighbor_alltoallw)
    (data, ones, at, types, into, counts, into_at, into_types, here.comm, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
  if (form != 2) MPI_Type_free(&column); /* while it is on its way */
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int k = 0; k < here.in; ++k) {
    for (int i = 0; i < n; ++i) {
      EXPECT("strided", n * k + i, into[n * k + i], here.from[k] < 0 ? -1 : content(here.from[k], here.slot[k], i, 5));
    }
  }
  if (form == 2) MPI_Request_free(&request), MPI_Type_free(&column);
  free(data);
  free(into);
}

/* Several in flight, ended in another order, beside a collective of all. */
static void at_once(void) {
  enum { n = 300 };
  int data[3][most * n], into[3][most * n], sum = 0, one = 1;
  MPI_Request requests[4];
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < here.out; ++k) {
      for (int i = 0; i < n; ++i) data[c][k * n + i] = content(rank_of(here.comm), k, i, c);
    }
    MPI_Ineighbor_alltoall(data[c], n, MPI_INT, into[c], n, MPI_INT, here.comm, &requests[c]);
  }
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, here.comm, &requests[3]);
  for (int c = 3; c >= 0; --c) MPI_Wait(&requests[c], MPI_STATUS_IGNORE);
  EXPECT("sum beside", 0, sum, size_of(here.comm));
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < here.in; ++k) {
      for (int i = 0; i < n && here.from[k] >= 0; ++i) {
        EXPECT("at once", k * n + i, into[c][k * n + i], content(here.from[k], here.slot[k], i, c));
      }
    }
  }
}

static void use(void) {
  static int const lengths[] = {0, 1, 50, 3000, 40000};
  for (int form = 0; form < forms; ++form) {
    for (int l = 0; l < 5; ++l) {
      if (l < 4 || form == 0) equal_blocks(lengths[l], form);
      if (l < 4) different_blocks(lengths[l], form);
      if (l < 3) gaps(lengths[l], form);
    }
    strided_blocks(20, form);
  }
  at_once();
}

static void grid(MPI_Comm comm, int axes, int const* lengths, int const* periods, int reorder) {
  MPI_Comm cart, copy;
  MPI_Cart_create(comm, axes, lengths, periods, reorder, &cart);
  if (cart == MPI_COMM_NULL) return;
  on_grid(cart);
  use();
  int remain[4] = {0};
  remain[axes - 1] = 1;
  MPI_Cart_sub(cart, remain, &copy); /* lines, which exchange by themselves */
  on_grid(copy);
  equal_blocks(2000, 0);
  if (size_of(copy) > 1) at_once(); /* one rank alone is the library's */
  MPI_Comm_free(&copy);
  MPI_Comm_dup(cart, &copy);
  on_grid(copy);
  equal_blocks(10, 1);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&cart);
}

static void ring_graph(MPI_Comm comm) {
  int const p = size_of(comm);
  int index[64], edges[128];
  for (int i = 0; i < p; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + 1) % p;
    edges[2 * i + 1] = (i + p - 1) % p;
  }
  MPI_Comm made;
  MPI_Graph_create(comm, p, index, edges, 1, &made);
  on_graph(made);
  use();
  MPI_Comm_free(&made);
}

/* Edges of a random graph, several of one pair, some to oneself; the same list on all ranks. `apart`: the last rank has
 * none, and knows nobody's lengths. */
static void random_graph(MPI_Comm comm, unsigned seed, int apart) {
  int const p = size_of(comm), me = rank_of(comm), last = apart && p > 1 ? p - 1 : p;
  int in[64], out[64], n_in = 0, n_out = 0;
  for (int e = 0; e < 2 * p; ++e) {
    seed = seed * 1103515245u + 12345u;
    int const from = (int)(seed >> 16) % last;
    seed = seed * 1103515245u + 12345u;
    int const to = e % 5 == 0 ? from : (int)(seed >> 16) % last;
    for (int twice = 0; twice < 1 + (e % 4 == 0); ++twice) {
      if (from == me && n_out < most) out[n_out++] = to;
      if (to == me && n_in < most) in[n_in++] = from;
    }
  }
  MPI_Comm made;
  MPI_Dist_graph_create_adjacent(comm, n_in, in, MPI_UNWEIGHTED, n_out, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  on_lists(made);
  use();
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const p = size_of(MPI_COMM_WORLD);
  int const periods[] = {1, 0, 1, 1}, all[] = {1, 1, 1, 1};
  int lengths[4] = {p, 1, 1, 1};
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, p - rank_of(MPI_COMM_WORLD), &reversed);
  grid(MPI_COMM_WORLD, 1, lengths, periods, 0);
  grid(MPI_COMM_WORLD, 1, lengths, periods + 1, 1);
  grid(reversed, 3, lengths, periods, 1);
  for (int first = 2; first <= p; ++first) {
    if (p % first != 0 && first != 2) continue;
    lengths[0] = p / first;
    lengths[1] = first;
    grid(MPI_COMM_WORLD, 2, lengths, periods, 1);
    grid(reversed, 2, lengths, all, 0);
  }
  ring_graph(reversed);
  for (unsigned seed = 1; seed < 4; ++seed) random_graph(seed % 2 ? MPI_COMM_WORLD : reversed, seed, seed == 3);
  /* What has no topology is the library's to refuse. */
  int one = 1, two[2];
  MPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* whom Open MPI tells of it */
  EXPECT("no topology", p, MPI_Neighbor_allgather(&one, 1, MPI_INT, two, 1, MPI_INT, reversed) != MPI_SUCCESS, 1);
  MPI_Comm_free(&reversed);
  return finish("neighbours");
}
