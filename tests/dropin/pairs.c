/* Neighbourhood collectives on random topologies where every two ranks that exchange agree on their block's length and
 * no others do: what arrives is what messages bring, and what is nobody's stays as it was. The arguments are a seed,
 * and "library" where the MPI library may do calls: several edges between two ranks, whose blocks libraries exchange,
 * are left out then, Open MPI, which refuses ranks that do not send as much as they take, gets blocks of one length,
 * and MPICH no alltoallw, whose blocks do not all arrive (4.0.2). A program that never heard of Allport. */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most = 64, topologies = 14, calls = 8, chain = 5 };

/* Drawn alike on all ranks, and on each rank by itself. */
static uint64_t shared_state, own_state;
static int draw(uint64_t* state, int n) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)((*state >> 33) % (uint64_t)n);
}
static int shared(int n) { return draw(&shared_state, n); }
static int own(int n) { return draw(&own_state, n); }

static int by_library;
#ifdef OPEN_MPI
enum { library_wants_one_length = 1, functions_of_library = 5 };
#else
enum { library_wants_one_length = 0, functions_of_library = 4 };
#endif

/* One rank's blocks: with whom, and by which tag the two know it. */
struct ends {
  int n, rank[most], tag[most];
};
static struct {
  MPI_Comm comm;
  int kind;
  struct ends in, out;
} here;

static void number(struct ends* ends, int grid, int turned) {
  for (int k = 0; k < ends->n; ++k) {
    ends->tag[k] = 0;
    for (int j = 0; j < k; ++j) ends->tag[k] += ends->rank[j] == ends->rank[k];
    if (grid) ends->tag[k] = turned ? k ^ 1 : k; /* what was sent down comes from above */
  }
}

static void look_at_lists(void) {
  int weighted;
  MPI_Dist_graph_neighbors_count(here.comm, &here.in.n, &here.out.n, &weighted);
  MPI_Dist_graph_neighbors(here.comm, here.in.n, here.in.rank, MPI_UNWEIGHTED, here.out.n, here.out.rank,
                           MPI_UNWEIGHTED);
}

static void make_grid(void) {
  int const axes = 1 + shared(3);
  int lengths[3] = {0}, periods[3];
  MPI_Dims_create(size_of(MPI_COMM_WORLD), axes, lengths);
  for (int a = 0; a < axes; ++a) periods[a] = shared(2) && !(by_library && lengths[a] < 3);
  MPI_Cart_create(MPI_COMM_WORLD, axes, lengths, periods, shared(2), &here.comm);
  here.in.n = here.out.n = 2 * axes;
  for (int a = 0; a < axes; ++a) {
    MPI_Cart_shift(here.comm, a, 1, &here.out.rank[2 * a], &here.out.rank[2 * a + 1]);
  }
  here.in = here.out;
}

static void make_graph(void) {
  int const p = size_of(MPI_COMM_WORLD);
  int index[most], edges[most * most], n = 0;
  char beside[most][most] = {{0}};
  for (int i = 0; i < p; ++i) {
    for (int j = i; j < p; ++j) beside[i][j] = beside[j][i] = shared(3) == 0;
  }
  for (int i = 0; i < p; ++i) {
    for (int j = 0; j < p; ++j) {
      if (beside[i][j]) edges[n++] = j;
    }
    index[i] = n;
  }
  MPI_Graph_create(MPI_COMM_WORLD, p, index, edges, shared(2), &here.comm);
  MPI_Graph_neighbors_count(here.comm, rank_of(here.comm), &here.out.n);
  MPI_Graph_neighbors(here.comm, rank_of(here.comm), most, here.out.rank);
  here.in = here.out;
}

/* Edges of all ranks, several of one pair, some to oneself, and perhaps none of some rank. */
static int draw_edges(int* from, int* to) {
  int const p = size_of(MPI_COMM_WORLD), last = p > 1 ? p - shared(2) : p;
  int n = here.kind == chain ? p - 1 : shared(3 * p + 1);
  for (int e = 0; e < n; ++e) {
    from[e] = here.kind == chain ? e : shared(last);
    to[e] = here.kind == chain ? e + 1 : shared(last);
    for (int d = 0; d < e && by_library; ++d) {
      if (from[d] != from[e] || to[d] != to[e]) continue;
      --e, --n;
      break;
    }
  }
  return n;
}

static void make_adjacent(void) {
  int from[most], to[most], me = rank_of(MPI_COMM_WORLD);
  int const n = draw_edges(from, to);
  here.in.n = here.out.n = 0;
  for (int e = 0; e < n; ++e) {
    if (to[e] == me) here.in.rank[here.in.n++] = from[e];
    if (from[e] == me) here.out.rank[here.out.n++] = to[e];
  }
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, here.in.n, here.in.rank, MPI_UNWEIGHTED, here.out.n, here.out.rank,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, shared(2), &here.comm);
  look_at_lists();
}

/* Each edge is given by any rank. */
static void make_distributed(void) {
  int from[most], to[most], given[most], ones[most], n = 0, me = rank_of(MPI_COMM_WORLD);
  int const edges = draw_edges(from, to);
  for (int e = 0; e < edges; ++e) {
    if (shared(size_of(MPI_COMM_WORLD)) != me) continue;
    given[n] = from[e];
    to[n] = to[e];
    ones[n++] = 1;
  }
  MPI_Dist_graph_create(MPI_COMM_WORLD, n, given, ones, to, MPI_UNWEIGHTED, MPI_INFO_NULL, shared(2), &here.comm);
  look_at_lists();
}

static void make_topology(int kind) {
  memset(&here, 0, sizeof here);
  here.kind = kind;
  switch (kind) {
    case 0:
      make_grid();
      break;
    case 1:
      make_graph();
      break;
    case 2:
      make_distributed();
      break;
    default:
      make_adjacent();
  }
  number(&here.out, kind == 0, 0);
  number(&here.in, kind == 0, 1);
}

/* Of what each rank sends (node r) and takes (p + r), the group that pairs of ranks tie together. */
static void tied(int* group) {
  int const p = size_of(here.comm);
  int mine[most], *all = malloc(sizeof(int) * (size_t)p * most);
  for (int k = 0; k < most; ++k) mine[k] = k < here.out.n ? here.out.rank[k] : -1;
  PMPI_Allgather(mine, most, MPI_INT, all, most, MPI_INT, here.comm);
  for (int i = 0; i < 2 * p; ++i) group[i] = i;
  for (int e = 0; e < p * most; ++e) {
    if (all[e] < 0) continue;
    int const old = group[p + all[e]], new = group[e / most];
    for (int i = 0; i < 2 * p; ++i) group[i] = group[i] == old ? new : group[i];
  }
  free(all);
}

/* Elements as they are in memory: side by side, or with as many bytes between them. */
enum { strides = 2 };
static MPI_Datatype types[strides];

struct side {
  int stride, count[most], begin[most]; /* in elements of that type */
  MPI_Datatype type[most];
  MPI_Aint at[most];
  int room; /* integers */
};

static void place(struct side* side, int blocks, int apart, int alike) {
  side->stride = 1 + own(strides);
  side->room = 0;
  for (int b = 0; b < blocks; ++b) {
    int const k = alike ? b : blocks - 1 - b; /* blocks of a v-variant backwards and with gaps */
    side->begin[k] = side->room / side->stride;
    side->room += side->stride * (side->count[k] + (alike ? 0 : apart));
    side->type[k] = types[side->stride - 1];
    side->at[k] = (MPI_Aint)sizeof(int) * side->stride * side->begin[k];
  }
}

/* What point-to-point messages bring. */
static void exchange(int const* data, struct side const* from, int gathers, int* into, struct side const* to) {
  MPI_Request requests[2 * most];
  int n = 0;
  for (int k = 0; k < here.in.n; ++k) {
    if (here.in.rank[k] < 0) continue;
    PMPI_Irecv(into + to->begin[k] * to->stride, to->count[k], types[to->stride - 1], here.in.rank[k], here.in.tag[k],
               here.comm, &requests[n++]);
  }
  for (int k = 0; k < here.out.n; ++k) {
    int const b = gathers ? 0 : k;
    if (here.out.rank[k] < 0) continue;
    PMPI_Isend(data + from->begin[b] * from->stride, from->count[b], types[from->stride - 1], here.out.rank[k],
               here.out.tag[k], here.comm, &requests[n++]);
  }
  PMPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

/* One call in one of its forms: at once, to be waited for, or kept and started again. */
#define UNPACK(...) __VA_ARGS__
#define CALL(Name, name, ARGUMENTS)                                       \
  do {                                                                    \
    if (form == 0) MPI_##Name(UNPACK ARGUMENTS);                          \
    if (form == 1) MPI_I##name(UNPACK ARGUMENTS, &request);               \
    if (form == 2) INIT(Name)(UNPACK ARGUMENTS, MPI_INFO_NULL, &request); \
  } while (0)

static int of_edge(int from, int to, int salt, int longest) {
  unsigned const mixed = ((unsigned)from * 131u + (unsigned)to * 17u + (unsigned)salt * 7u) * 2654435761u;
  return (int)((mixed >> 8) % (unsigned)(longest + 1));
}

static char const* const names[] = {"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw"};

static void call(int what, int form, int longest) {
  int const me = rank_of(here.comm), p = size_of(here.comm);
  int const gathers = what <= 1, alike_in = what == 0 || what == 2, alike_out = what <= 2;
  int group[2 * most], lengths[2 * most];
  struct side from, to;
  /* Of a group's blocks, a sender's, or an edge's; short ones, long ones, and both. */
  for (int i = 0; i < 2 * p; ++i) lengths[i] = shared(4) ? shared(longest + 1) : 0;
  for (int i = 1; by_library && library_wants_one_length && alike_in && i < 2 * p; ++i) lengths[i] = lengths[0];
  int const salt = shared(1 << 16);
  tied(group);
  for (int k = 0; k < most; ++k) {
    int const source = k < here.in.n ? here.in.rank[k] : -1, sink = k < here.out.n ? here.out.rank[k] : -1;
    from.count[k] = alike_in   ? lengths[group[me]]
                    : gathers  ? lengths[me]
                    : sink < 0 ? 0
                               : of_edge(me, sink, here.out.tag[k] + salt, longest);
    to.count[k] = alike_in     ? lengths[group[p + me]]
                  : source < 0 ? 0
                  : gathers    ? lengths[source]
                               : of_edge(source, me, here.in.tag[k] + salt, longest);
  }
  place(&from, gathers ? 1 : here.out.n, 2, alike_out);
  place(&to, here.in.n, 3, alike_in);
  int *data = numbers((size_t)from.room), *into = numbers((size_t)to.room), *want = numbers((size_t)to.room);
  int const s = from.count[0], r = to.count[0];
  MPI_Datatype const st = types[from.stride - 1], rt = types[to.stride - 1];
  MPI_Request request = MPI_REQUEST_NULL;
  for (int round = 0; round < (form == 2 ? 2 : 1); ++round) {
    for (int i = 0; i < from.room; ++i) data[i] = own(1 << 30);
    for (int i = 0; i <= to.room; ++i) into[i] = want[i] = -1;
    exchange(data, &from, gathers, want, &to);
    if (round == 0) {
      switch (what) {
        case 0:
          CALL(Neighbor_allgather, neighbor_allgather, (data, s, st, into, r, rt, here.comm));
          break;
        case 1:
          CALL(Neighbor_allgatherv, neighbor_allgatherv, (data, s, st, into, to.count, to.begin, rt, here.comm));
          break;
        case 2:
          CALL(Neighbor_alltoall, neighbor_alltoall, (data, s, st, into, r, rt, here.comm));
          break;
        case 3:
          CALL(Neighbor_alltoallv, neighbor_alltoallv,
               (data, from.count, from.begin, st, into, to.count, to.begin, rt, here.comm));
          break;
        default:
          CALL(Neighbor_alltoallw, neighbor_alltoallw,
               (data, from.count, from.at, from.type, into, to.count, to.at, to.type, here.comm));
      }
    }
    if (form == 2) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i <= to.room; ++i) EXPECT(names[what], i, into[i], want[i]);
  }
  if (form == 2) MPI_Request_free(&request);
  free(data);
  free(into);
  free(want);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  by_library = size_of(MPI_COMM_WORLD) == 1 || (argc > 2 && strcmp(argv[2], "library") == 0);
  unsigned const seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  shared_state = seed;
  own_state = seed + 1000u * (unsigned)(rank_of(MPI_COMM_WORLD) + 1);
  for (int s = 0; s < strides; ++s) {
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)sizeof(int) * (s + 1), &types[s]);
    MPI_Type_commit(&types[s]);
  }
  int const functions = by_library ? functions_of_library : 5;
  for (int t = 0; t < topologies; ++t) {
    make_topology(t % (chain + 1));
    for (int c = 0; c < calls; ++c) {
      int const what = shared(functions), form = shared(3);
      int const longest = shared(3) ? 40 : 6000;
      call(what, form, longest);
    }
    /* One function in a row, as programs call it: what was seen decides what comes. */
    for (int c = 0; c < calls; ++c) call(t % functions, 0, t % 2 ? 6000 : 40);
    MPI_Comm_free(&here.comm);
  }
  for (int s = 0; s < strides; ++s) MPI_Type_free(&types[s]);
  return finish("pairs");
}
