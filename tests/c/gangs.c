/* Task graphs of the C interface whose tasks are in gangs and overwrite tiles in place, in steps. In every round each
   rank's task talks to those of all others, overwrites the rank's tile, and sends it to the next rank, which reads it.
 */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

enum { TALK = 0, READ = 1, TILE = 7, LENGTH = 5, ROUNDS = 6, MOST = 64 };

struct rounds {
  int ranks;
  double tile[LENGTH];                 /* of this rank */
  double wanted[ROUNDS][MOST][LENGTH]; /* by round and rank, computed on one */
  int talked, read;
  int reckless; /* overwrites what is being sent */
};

/* What each round leaves, without any graph. */
static void expect_rounds(struct rounds* g) {
  double now[MOST][LENGTH];
  for (int r = 0; r < g->ranks; ++r) {
    for (int l = 0; l < LENGTH; ++l) now[r][l] = r + 2 * l;
  }
  for (int k = 0; k < ROUNDS; ++k) {
    for (int r = 0; r < g->ranks; ++r) {
      for (int l = 0; l < LENGTH; ++l) {
        double sum = 0;
        for (int s = 0; s < g->ranks; ++s) sum += now[s][l];
        g->wanted[k][r][l] = now[r][l] + sum + k + 1 + now[(r + g->ranks - 1) % g->ranks][0];
      }
    }
    memcpy(now, g->wanted[k], sizeof now);
  }
}

static int owner(void* context, allport_task const* t) {
  (void)context;
  return t->i;
}
/* On one rank the reader has no copy: who overwrites the tile waits for it. */
static int parents(void* context, allport_task const* t) {
  struct rounds const* g = context;
  if (t->kind == READ) return 1;
  return t->k == 0 ? 0 : 2 - g->reckless + (g->ranks == 1);
}
static void entries(void* context, int rank, allport_visitor visitor) {
  (void)context;
  allport_task const first = {TALK, 0, rank, 0, 0};
  EXPECT(allport_visit_task(visitor, &first));
}
static int64_t count(void* context, int rank) {
  (void)context, (void)rank;
  return 2 * ROUNDS;
}
static void children(void* context, allport_task const* t, allport_visitor visitor) {
  struct rounds const* g = context;
  allport_edge const next = {{TALK, 0, t->i, 0, t->k + 1}, 0, 0, ALLPORT_EDGE_DATA};
  if (t->kind == READ) {
    allport_edge const after = {{TALK, 0, t->i, 0, t->k + 1}, 0, 0, ALLPORT_EDGE_ORDER};
    if (g->ranks == 1 && t->k + 1 < ROUNDS) EXPECT(allport_visit_edge(visitor, &after));
    return;
  }
  allport_edge const read = {{READ, 0, (t->i + 1) % g->ranks, 0, t->k}, 0, 0, ALLPORT_EDGE_DATA};
  EXPECT(allport_visit_edge(visitor, &read));
  if (t->k + 1 == ROUNDS) return;
  EXPECT(allport_visit_edge(visitor, &next));
  allport_edge const left = {next.child, 0, 0, ALLPORT_EDGE_SENT};
  if (!g->reckless) EXPECT(allport_visit_edge(visitor, &left));
}
static int64_t output(void* context, allport_task const* t, int index) {
  (void)context, (void)index;
  return t->kind == TALK ? (int64_t)(LENGTH * sizeof(double)) : 0;
}
static void writes(void* context, allport_task const* t, allport_visitor visitor) {
  (void)context;
  allport_task const tile = {TILE, 0, t->i, 0, 0};
  if (t->kind == TALK) EXPECT(allport_visit_task(visitor, &tile));
}
static int in_place(void* context, allport_task const* t, int index) {
  (void)context;
  return t->kind == TALK && index == 0;
}
static void memory(void* context, allport_task const* tile, void** data, int64_t* bytes) {
  struct rounds* g = context;
  CHECK(tile->kind == TILE && tile->i == world_rank, "the memory of tile %d of rank %d", tile->kind, tile->i);
  *data = g->tile;
  *bytes = sizeof g->tile;
}
static void gang(void* context, allport_task const* t, allport_visitor visitor) {
  struct rounds const* g = context;
  if (t->kind == READ || g->ranks == 1) return;
  for (int r = 0; r < g->ranks; ++r) {
    allport_task const member = {TALK, 0, r, 0, t->k};
    EXPECT(allport_visit_task(visitor, &member));
  }
  allport_traffic const talks[] = {
      {.bytes = LENGTH * 8, .element = 8, .times = 1, .kind = ALLPORT_TRAFFIC_ALLREDUCE},
      {.bytes = 4, .element = 1, .times = 1, .kind = ALLPORT_TRAFFIC_BCAST, .root = t->k % g->ranks},
      {.bytes = 8, .element = 8, .times = 1, .kind = ALLPORT_TRAFFIC_REDUCE, .root = g->ranks - 1},
      {.bytes = 8, .element = 1, .times = 1, .kind = ALLPORT_TRAFFIC_MESSAGES}};
  for (int i = 0; i < 4; ++i) EXPECT(allport_visit_traffic(visitor, &talks[i]));
}
static void tasks(void* context, int rank, int64_t step, allport_visitor visitor) {
  (void)context;
  allport_task const t = {step % 2 == 0 ? TALK : READ, 0, rank, 0, (int32_t)(step / 2)};
  EXPECT(allport_visit_task(visitor, &t));
}
static int64_t step(void* context, allport_task const* t) {
  (void)context;
  return 2 * t->k + t->kind;
}

/* What the members tell each other. */
static void talk(struct rounds const* g, allport_task const* t, allport_body body, double* sums, double* before) {
  int members = 0, me = -1, told = -1;
  memcpy(sums, g->tile, sizeof g->tile);
  *before = g->tile[0];
  if (g->ranks == 1) {
    REFUSED(ALLPORT_ERR_UNSUPPORTED, "gang", allport_body_gang(body, &members, &me));
    return;
  }
  EXPECT(allport_body_gang(body, &members, &me));
  CHECK(members == g->ranks && me == world_rank, "member %d of %d", me, members);
  EXPECT(allport_body_reduce(body, ALLPORT_ALL, ALLPORT_SUM, ALLPORT_DOUBLE, sums, LENGTH));
  if (me == t->k % members) told = t->k + 1;
  EXPECT(allport_body_bcast(body, t->k % members, &told, sizeof told));
  CHECK(told == t->k + 1, "told %d in round %d", told, t->k);
  int64_t largest = 10 * me + t->k;
  EXPECT(allport_body_reduce(body, members - 1, ALLPORT_MAX, ALLPORT_INT64_T, &largest, 1));
  if (me == members - 1) CHECK(largest == 10 * me + t->k, "the largest is %d", (int)largest);
  void const* got = NULL;
  int64_t bytes = 0;
  EXPECT(allport_body_send(body, (me + 1) % members, &g->tile[0], sizeof(double)));
  EXPECT(allport_body_receive(body, (me + members - 1) % members, &got, &bytes));
  CHECK(bytes == (int64_t)sizeof(double), "%d bytes of another member", (int)bytes);
  *before = *(double const*)got;
  REFUSED(ALLPORT_ERR_ARGUMENT, "to = ", allport_body_send(body, members, &told, sizeof told));
  REFUSED(ALLPORT_ERR_ARGUMENT, "root = ", allport_body_bcast(body, -1, &told, sizeof told));
  REFUSED(ALLPORT_ERR_ARGUMENT, "data", allport_body_bcast(body, 0, NULL, 8));
  REFUSED(ALLPORT_ERR_ARGUMENT, "type",
          allport_body_reduce(body, ALLPORT_ALL, ALLPORT_SUM, (allport_type)99, sums, LENGTH));
}

static int body(void* context, allport_task const* t, allport_body b) {
  struct rounds* g = context;
  void const* in = NULL;
  void* out = NULL;
  int64_t bytes = 0;
  if (t->kind == READ) {
    EXPECT(allport_body_input(b, 0, &in, &bytes));
    double const* const sent = g->wanted[t->k][(t->i + g->ranks - 1) % g->ranks];
    CHECK(bytes == (int64_t)sizeof g->tile && memcmp(in, sent, sizeof g->tile) == 0, "the tile read in round %d", t->k);
    ++g->read;
    return 0;
  }
  if (t->k > 0) {
    EXPECT(allport_body_input(b, 0, &in, &bytes));
    CHECK(in == g->tile, "the tile is somewhere else");
  }
  EXPECT(allport_body_output(b, 0, &out, &bytes));
  CHECK(out == g->tile && bytes == (int64_t)sizeof g->tile, "the output is not in place");
  double sums[LENGTH], before;
  talk(g, t, b, sums, &before);
  for (int l = 0; l < LENGTH; ++l) g->tile[l] += sums[l] + t->k + 1 + before;
  CHECK(memcmp(g->tile, g->wanted[t->k][world_rank], sizeof g->tile) == 0, "the tile of round %d", t->k);
  ++g->talked;
  return 0;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  struct rounds g = {.ranks = world_size};
  allport_graph graph = NULL;
  allport_traffic const nothing = {.kind = ALLPORT_TRAFFIC_BCAST};
  int64_t ran = 0;
  double seconds = 0;
  char machine[32];
  snprintf(machine, sizeof machine, "bgp:%dx1x1", world_size);
  expect_rounds(&g);
  allport_graph_functions functions = {.entries = entries,
                                       .owner = owner,
                                       .parents = parents,
                                       .children = children,
                                       .count = count,
                                       .output = output,
                                       .gang = gang,
                                       .body = body,
                                       .in_place = in_place};
  EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "writes", allport_graph_check(graph));
  EXPECT(allport_graph_free(&graph));
  functions.writes = writes;
  EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "memory", allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &ran, NULL));
  EXPECT(allport_graph_free(&graph));
  functions.memory = memory;
  functions.steps = -1;
  REFUSED(ALLPORT_ERR_ARGUMENT, "steps", allport_graph_create(world_size, &functions, &g, &graph));
  functions.steps = 3;
  REFUSED(ALLPORT_ERR_ARGUMENT, "tasks", allport_graph_create(world_size, &functions, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "visitor", allport_visit_traffic(NULL, &nothing));
  functions.tasks = tasks;
  functions.step = step;
  for (int stepped = 0; stepped < 2; ++stepped) {
    functions.steps = stepped ? 2 * ROUNDS : 0;
    EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
    EXPECT(allport_graph_check(graph));
    EXPECT(allport_graph_simulate(graph, machine, 1, &seconds));
    CHECK(seconds >= 0 && (seconds > 0 || world_size == 1), "%g seconds", seconds);
    for (int workers = 1; workers < 3; ++workers) {
      char options[16];
      snprintf(options, sizeof options, "workers=%d", workers);
      for (int l = 0; l < LENGTH; ++l) g.tile[l] = world_rank + 2 * l;
      g.talked = g.read = 0;
      EXPECT(allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &ran, options));
      CHECK(ran == 2 * ROUNDS && g.talked == ROUNDS && g.read == ROUNDS, "%d tasks", (int)ran);
    }
    g.reckless = stepped;
    if (stepped && world_size > 1) REFUSED(ALLPORT_ERR_SCHEDULE, "sends", allport_graph_check(graph));
    EXPECT(allport_graph_free(&graph));
  }
  EXPECT(allport_comm_free(&comm));
  return finish();
}
