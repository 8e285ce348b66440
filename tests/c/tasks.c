/* Mapping and task graphs of the C interface. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

/* A ring of 16 ranks whose numbers are scrambled, on a torus of 4 x 4. */
static void mapping(void) {
  int from[16], to[16], places[16], seen[16] = {0};
  int64_t bytes[16];
  double given = 0, best = 0;
  for (int r = 0; r < 16; ++r) from[r] = r * 5 % 16, to[r] = (r + 1) * 5 % 16, bytes[r] = 1 << 20;
  EXPECT(allport_map_ranks("torus:4x4", 16, 16, from, to, bytes, "given", places, &given));
  for (int r = 0; r < 16; ++r) CHECK(places[r] == r, "the given order has rank %d at %d", r, places[r]);
  EXPECT(allport_map_ranks("torus:4x4", 16, 16, from, to, bytes, NULL, places, &best));
  for (int r = 0; r < 16; ++r) ++seen[places[r]];
  for (int r = 0; r < 16; ++r) CHECK(seen[r] == 1, "%d ranks at place %d", seen[r], r);
  CHECK(best > 0 && best < given, "%g s, given %g s", best, given);
  REFUSED(ALLPORT_ERR_ARGUMENT, "order",
          allport_map_ranks("torus:4x4", 16, 16, from, to, bytes, "random walk", places, &best));
  REFUSED(ALLPORT_ERR_MACHINE, "torus:0", allport_map_ranks("torus:0", 16, 16, from, to, bytes, NULL, places, &best));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_map_ranks("torus:4x4", 0, 0, NULL, NULL, NULL, NULL, places, &best));
  REFUSED(ALLPORT_ERR_ARGUMENT, "from", allport_map_ranks("torus:4x4", 16, 3, NULL, to, bytes, NULL, places, &best));
  to[3] = 16;
  REFUSED(ALLPORT_ERR_ARGUMENT, "16", allport_map_ranks("torus:4x4", 16, 16, from, to, bytes, NULL, places, &best));
}

/* Pascal's triangle by tasks: (i, j) is the sum of (i-1, j-1) and (i-1, j), on rank j mod ranks. A last task sums a row
   by contributions from every rank. */
struct triangle {
  int rows, ranks;
  double last[64]; /* of this rank's tasks in the last row */
  double total;
  int fails;
};
enum { CELL = 0, PART = 1, TOTAL = 2 };

static int owner(void* context, allport_task const* t) {
  struct triangle const* g = context;
  return t->kind == CELL ? t->j % g->ranks : t->kind == PART ? t->i : 0;
}
/* Cells of the last row that a rank has. */
static int cells_of(struct triangle const* g, int rank) {
  int cells = 0;
  for (int j = rank; j < g->rows; j += g->ranks) ++cells;
  return cells;
}
static int parents(void* context, allport_task const* t) {
  struct triangle const* g = context;
  if (t->kind == CELL) return t->i == 0 ? 0 : (t->j > 0) + (t->j < t->i);
  return t->kind == PART ? cells_of(g, t->i) : g->ranks;
}
static void entries(void* context, int rank, allport_visitor visitor) {
  struct triangle const* g = context;
  allport_task const top = {CELL, 0, 0, 0, 0}, part = {PART, 0, rank, 0, 0};
  if (rank == 0) EXPECT(allport_visit_task(visitor, &top));
  if (cells_of(g, rank) == 0) EXPECT(allport_visit_task(visitor, &part));
}
static int64_t count(void* context, int rank) {
  struct triangle const* g = context;
  int64_t tasks = 1 + (rank == 0);
  for (int i = 0; i < g->rows; ++i) {
    for (int j = rank; j <= i; j += g->ranks) ++tasks;
  }
  return tasks;
}
static void children(void* context, allport_task const* t, allport_visitor visitor) {
  struct triangle const* g = context;
  if (t->kind == TOTAL) return;
  if (t->kind == PART) {
    allport_edge const up = {{TOTAL, 0, 0, 0, 0}, 0, 0, ALLPORT_EDGE_SUM};
    EXPECT(allport_visit_edge(visitor, &up));
  } else if (t->i + 1 == g->rows) {
    allport_edge const part = {{PART, 0, t->j % g->ranks, 0, 0}, t->j / g->ranks, 0, ALLPORT_EDGE_DATA};
    EXPECT(allport_visit_edge(visitor, &part));
  } else {
    for (int d = 0; d < 2; ++d) {
      allport_edge const edge = {{CELL, 0, t->i + 1, t->j + d, 0}, 1 - d, 0, ALLPORT_EDGE_DATA};
      EXPECT(allport_visit_edge(visitor, &edge));
    }
  }
}
static void contributors(void* context, allport_task const* t, int index, allport_visitor visitor) {
  struct triangle const* g = context;
  for (int r = 0; r < g->ranks && t->kind == TOTAL && index == 0; ++r) {
    allport_task const part = {PART, 0, r, 0, 0};
    EXPECT(allport_visit_task(visitor, &part));
  }
}
static int64_t output(void* context, allport_task const* t, int index) {
  (void)context, (void)index;
  return t->kind == TOTAL ? 0 : (int64_t)sizeof(double);
}
static double price(void* context, allport_task const* t) {
  (void)context;
  return 1 + t->i;
}
static int body(void* context, allport_task const* t, allport_body b) {
  struct triangle* g = context;
  void const* in = NULL;
  void* out = NULL;
  int64_t bytes = 0;
  double sum = 0;
  int const inputs = t->kind == PART ? cells_of(g, t->i) : t->kind == TOTAL ? 1 : 2;
  for (int index = 0; index < inputs; ++index) {
    if (t->kind == CELL && (t->i == 0 || (index == 0 ? t->j == 0 : t->j == t->i))) continue;
    /* Input 0 of a cell comes from the left above, 1 from above. */
    EXPECT(allport_body_input(b, index, &in, &bytes));
    CHECK(bytes == (int64_t)sizeof(double), "an input of %d bytes", (int)bytes);
    sum += *(double const*)in;
  }
  EXPECT(allport_body_progress(b));
  if (t->kind == TOTAL) {
    g->total = sum;
    return 0;
  }
  EXPECT(allport_body_output(b, 0, &out, &bytes));
  *(double*)out = t->kind == CELL && t->i == 0 ? 1 : sum;
  if (t->kind == CELL && t->i + 1 == g->rows) g->last[t->j] = *(double*)out;
  return g->fails && t->kind == CELL && t->i == 2 && t->j == 1 ? 42 : 0;
}

static void graphs(int rows, char const* options) {
  struct triangle g = {.rows = rows, .ranks = world_size, .total = -1};
  allport_graph graph = NULL;
  int64_t tasks = 0;
  double seconds = 0;
  char machine[32];
  snprintf(machine, sizeof machine, "bgp:%dx1x1", world_size);
  allport_graph_functions functions = {0};
  REFUSED(ALLPORT_ERR_ARGUMENT, "functions", allport_graph_create(world_size, NULL, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_graph_create(0, &functions, &g, &graph));
  EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "entries", allport_graph_check(graph));
  EXPECT(allport_graph_free(&graph));
  functions.entries = entries;
  functions.owner = owner;
  functions.parents = parents;
  functions.children = children;
  functions.contributors = contributors;
  functions.count = count;
  functions.output = output;
  functions.priority = price;
  functions.flops = price;
  EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
  REFUSED(ALLPORT_ERR_ARGUMENT, "body", allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &tasks, options));
  EXPECT(allport_graph_free(&graph));
  functions.body = body;
  EXPECT(allport_graph_create(world_size, &functions, &g, &graph));
  EXPECT(allport_graph_check(graph));
  EXPECT(allport_graph_simulate(graph, machine, 1, &seconds));
  CHECK(seconds > 0, "%g seconds", seconds);
  EXPECT(allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &tasks, options));
  CHECK(tasks == count(&g, world_rank), "%d tasks", (int)tasks);
  double binomial = 1;
  for (int j = 0; j < rows; ++j) {
    if (j % world_size == world_rank) CHECK(g.last[j] == binomial, "(%d, %d) is %g", rows - 1, j, g.last[j]);
    binomial = binomial * (rows - 1 - j) / (j + 1);
  }
  if (world_rank == 0) CHECK(g.total == ldexp(1, rows - 1), "the row's sum is %g", g.total);
  if (rows > 2) {
    g.fails = 1;
    REFUSED(ALLPORT_ERR_SCHEDULE, "returned 42",
            allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &tasks, options));
  }
  REFUSED(ALLPORT_ERR_ARGUMENT, "workers",
          allport_graph_run(comm, graph, ALLPORT_SUM, ALLPORT_DOUBLE, &tasks, "workers=0"));
  EXPECT(allport_graph_free(&graph));
  CHECK(graph == NULL, "a freed graph");
}

/* Rank 0 sends a panel in four outputs to 12 of a torus of 16 ranks: PANEL, then an ARRIVED on each. */
enum { PANEL, ARRIVED };
struct panel {
  int parts;
};
static void panel_entries(void* context, int rank, allport_visitor visitor) {
  (void)context;
  allport_task const first = {PANEL, 0, 0, 0, 0};
  if (rank == 0) EXPECT(allport_visit_task(visitor, &first));
}
static int64_t panel_count(void* context, int rank) {
  (void)context;
  return rank == 0 ? 2 : rank < 12;
}
static int panel_owner(void* context, allport_task const* t) {
  (void)context;
  return t->i;
}
static int panel_parents(void* context, allport_task const* t) {
  (void)context;
  return t->kind == ARRIVED ? 4 : 0;
}
static void panel_children(void* context, allport_task const* t, allport_visitor visitor) {
  (void)context;
  for (int r = 0; r < 12 && t->kind == PANEL; ++r) {
    for (int part = 0; part < 4; ++part) {
      allport_edge const edge = {{ARRIVED, 0, r, 0, 0}, part, part, ALLPORT_EDGE_DATA};
      EXPECT(allport_visit_edge(visitor, &edge));
    }
  }
}
static int64_t panel_output(void* context, allport_task const* t, int index) {
  (void)context, (void)index;
  return t->kind == PANEL ? 1 << 20 : 0;
}
static int panel_parts(void* context, allport_task const* t, int index) {
  (void)t, (void)index;
  return ((struct panel const*)context)->parts;
}

static void parts(void) {
  struct panel panel = {1};
  allport_graph graph = NULL;
  double one = 0, four = 0;
  allport_graph_functions functions = {.entries = panel_entries,
                                       .owner = panel_owner,
                                       .parents = panel_parents,
                                       .children = panel_children,
                                       .count = panel_count,
                                       .output = panel_output};
  EXPECT(allport_graph_create(16, &functions, &panel, &graph));
  EXPECT(allport_graph_simulate(graph, "torus:4x4", 1, &one));
  EXPECT(allport_graph_free(&graph));
  functions.parts = panel_parts;
  EXPECT(allport_graph_create(16, &functions, &panel, &graph));
  EXPECT(allport_graph_simulate(graph, "torus:4x4", 1, &four));
  CHECK(four == one, "one part in %g s, not in %g", four, one);
  panel.parts = 4;
  EXPECT(allport_graph_simulate(graph, "torus:4x4", 1, &four));
  CHECK(four < 0.8 * one, "four parts in %g s, one in %g", four, one);
  panel.parts = 0;
  REFUSED(ALLPORT_ERR_SCHEDULE, "parts", allport_graph_simulate(graph, "torus:4x4", 1, &four));
  EXPECT(allport_graph_free(&graph));
}

/* Rank 0 makes a block, and each rank hands it on to the next, and looks at it. */
enum { hand, look, block_bytes = 24 };

static int round_ranks;
static void round_entries(void* context, int rank, allport_visitor visitor) {
  allport_task const first = {hand, 0, 0, 0, 0};
  (void)context;
  if (rank == 0) allport_visit_task(visitor, &first);
}
static int64_t round_count(void* context, int rank) { return (void)context, (void)rank, 2; }
static int round_owner(void* context, allport_task const* t) { return (void)context, t->i; }
static int round_parents(void* context, allport_task const* t) { return (void)context, t->kind == look || t->i > 0; }
static void round_children(void* context, allport_task const* t, allport_visitor visitor) {
  allport_edge edge = {.child = {look, 0, t->i, 0, 0}, .kind = ALLPORT_EDGE_DATA};
  (void)context;
  if (t->kind == look) return;
  allport_visit_edge(visitor, &edge);
  edge.child = (allport_task){hand, 0, t->i + 1, 0, 0};
  if (t->i + 1 < round_ranks) allport_visit_edge(visitor, &edge);
}
static int64_t round_output(void* context, allport_task const* t, int index) {
  return (void)context, (void)t, (void)index, block_bytes;
}
static int round_forwards(void* context, allport_task const* t, int index) {
  return (void)context, (void)index, t->i > 0 ? 0 : -1;
}
static int round_body(void* context, allport_task const* t, allport_body body) {
  int64_t bytes = 0;
  void* out = NULL;
  void const* in = NULL;
  (void)context;
  if (t->kind == look) {
    if (allport_body_input(body, 0, &in, &bytes) != ALLPORT_SUCCESS || bytes != block_bytes) return 1;
    return ((char const*)in)[block_bytes - 1] == 'x' ? 0 : 2;
  }
  if (t->i > 0) return allport_body_output(body, 0, &out, &bytes) == ALLPORT_SUCCESS ? 3 : 0;
  if (allport_body_output(body, 0, &out, &bytes) != ALLPORT_SUCCESS) return 4;
  memset(out, 'x', block_bytes);
  return 0;
}

static void handed_on(void) {
  allport_graph graph = NULL;
  int64_t tasks = 0;
  round_ranks = world_size;
  allport_graph_functions const functions = {.entries = round_entries,
                                             .count = round_count,
                                             .owner = round_owner,
                                             .parents = round_parents,
                                             .children = round_children,
                                             .output = round_output,
                                             .forwards = round_forwards,
                                             .body = round_body};
  EXPECT(allport_graph_create(round_ranks, &functions, NULL, &graph));
  EXPECT(allport_graph_check(graph));
  EXPECT(allport_graph_run(comm, graph, 0, ALLPORT_DOUBLE, &tasks, NULL));
  CHECK(tasks == 2, "%d tasks", (int)tasks);
  EXPECT(allport_graph_free(&graph));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  mapping();
  graphs(1, NULL);
  graphs(2, NULL);
  graphs(23, NULL);
  graphs(23, "workers=1");
  parts();
  handed_on();
  EXPECT(allport_comm_free(&comm));
  return finish();
}
