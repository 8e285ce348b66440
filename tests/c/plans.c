/* Machines, schedules and plans of the C interface: what they say, what they refuse, and that they run. That they say
   what C++'s do is in plans_as_cpp.cpp. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

/* A matrix over a grid of all ranks, column-major: two columns of ranks where there is an even number. */
struct spread {
  allport_distribution distribution;
  int m, n, mb, nb, grid_rows, grid_cols;
  int64_t rows, cols, ld;
};
static struct spread spread(int m, int n, int mb, int nb) {
  struct spread at = {.m = m, .n = n, .mb = mb, .nb = nb, .grid_cols = world_size % 2 == 0 ? 2 : 1};
  at.grid_rows = world_size / at.grid_cols;
  EXPECT(allport_distribution_cyclic(m, n, mb, nb, at.grid_rows, at.grid_cols, 0, 0, 'C', &at.distribution));
  EXPECT(allport_distribution_local(at.distribution, world_rank, &at.rows, &at.cols));
  at.ld = at.rows + 2;
  return at;
}
static void forget(struct spread* at) { EXPECT(allport_distribution_free(&at->distribution)); }
static int row_of(struct spread const* at, int64_t r) {
  return (int)(r / at->mb * at->grid_rows + world_rank % at->grid_rows) * at->mb + (int)(r % at->mb);
}
static int col_of(struct spread const* at, int64_t c) {
  return (int)(c / at->nb * at->grid_cols + world_rank / at->grid_rows) * at->nb + (int)(c % at->nb);
}

#define T float
#define REAL float
#define NAME(x) s##x
#define FUNCTION(x) allport_s##x
#define LETTER 's'
#include "planned_of_type.h"

#define T double
#define REAL double
#define NAME(x) d##x
#define FUNCTION(x) allport_d##x
#define LETTER 'd'
#include "planned_of_type.h"

#define COMPLEX
#define T float complex
#define REAL float
#define NAME(x) c##x
#define FUNCTION(x) allport_c##x
#define LETTER 'c'
#include "planned_of_type.h"

#define T double complex
#define REAL double
#define NAME(x) z##x
#define FUNCTION(x) allport_z##x
#define LETTER 'z'
#include "planned_of_type.h"

/* NULL, and the error names `word`. */
#define REFUSED_TEXT(word, call)                                                                         \
  do {                                                                                                   \
    char const* const text = call;                                                                       \
    CHECK(text == NULL && strstr(allport_error(), word) != NULL, "%s: %s", text == NULL ? "NULL" : text, \
          allport_error());                                                                              \
  } while (0)

static void machines(void) {
  allport_machine_handle machine = NULL, again = NULL;
  int nodes = 0, per_node = 0, ranks = 0, axes = 0, lengths[8] = {0}, wraps[8] = {0}, neighbour = 0, works = 0,
      hops = 0;
  int64_t links = 0;
  double bandwidth = 0, latency = -1;
  EXPECT(allport_machine_create("torus:4x3m/ppn=2", &machine));
  EXPECT(allport_machine_size(machine, &nodes, &per_node, &ranks, &links));
  CHECK(nodes == 12 && per_node == 2 && ranks == 24, "%d nodes of %d: %d ranks", nodes, per_node, ranks);
  CHECK(links == 2 * 12 + 2 * 8, "%d links", (int)links);
  EXPECT(allport_machine_extents(machine, &axes, lengths, wraps));
  CHECK(axes == 2 && lengths[0] == 4 && lengths[1] == 3 && wraps[0] == 1 && wraps[1] == 0, "%d axes", axes);
  EXPECT(allport_machine_link(machine, 0, 0, &neighbour, &bandwidth, &latency, &works));
  CHECK(neighbour == 3 && bandwidth > 0 && latency >= 0 && works == 1, "round x to node %d", neighbour);
  EXPECT(allport_machine_link(machine, 0, 2, &neighbour, &bandwidth, &latency, &works));
  CHECK(neighbour == -1 && works == 0, "no way down y, but to node %d", neighbour);
  EXPECT(allport_machine_hops(machine, 0, 11, &hops));
  CHECK(hops == 3, "%d hops from (0, 0) to (3, 2)", hops);
  char const* const json = allport_machine_json(machine);
  CHECK(json != NULL && json == allport_machine_json(machine) && strstr(json, "\"axes\"") != NULL, "the JSON is kept");
  EXPECT(allport_machine_from_toml(allport_machine_toml(machine), &again));
  CHECK(strcmp(allport_machine_json(again), json) == 0, "another machine comes back");
  CHECK(strcmp(allport_machine_name(again), allport_machine_name(machine)) == 0, "of another name");
  EXPECT(allport_machine_free(&again));
  CHECK(again == NULL, "a freed machine");
  EXPECT(allport_machine_free(&again));

  int places[24];
  for (int r = 0; r < 24; ++r) places[r] = 23 - r;
  EXPECT(allport_machine_placed(machine, places, &again));
  EXPECT(allport_machine_free(&again));
  places[3] = 0;
  REFUSED(ALLPORT_ARGUMENT, "0", allport_machine_placed(machine, places, &again));
  REFUSED(ALLPORT_ARGUMENT, "places", allport_machine_placed(machine, NULL, &again));
  REFUSED(ALLPORT_MACHINE, "torus:0", allport_machine_create("torus:0", &again));
  CHECK(again == NULL, "a handle where there is no machine");
  REFUSED(ALLPORT_ARGUMENT, "spec", allport_machine_create(NULL, &again));
  REFUSED(ALLPORT_MACHINE, "machine file", allport_machine_from_toml("axes = 7", &again));
  REFUSED(ALLPORT_ARGUMENT, "created", allport_machine_create("torus:2", NULL));
  REFUSED(ALLPORT_ARGUMENT, "port", allport_machine_link(machine, 0, 4, &neighbour, &bandwidth, &latency, &works));
  REFUSED(ALLPORT_ARGUMENT, "node", allport_machine_link(machine, 12, 0, &neighbour, &bandwidth, &latency, &works));
  REFUSED(ALLPORT_ARGUMENT, "to_node", allport_machine_hops(machine, 0, -1, &hops));
  REFUSED(ALLPORT_ARGUMENT, "ranks", allport_machine_size(machine, &nodes, &per_node, NULL, &links));
  REFUSED_TEXT("machine", allport_machine_json(NULL));
  EXPECT(allport_machine_free(&machine));
  int presets = 0, has_bgp = 0;
  for (char const* name; (name = allport_machine_preset(presets)) != NULL; ++presets) {
    has_bgp += strcmp(name, "bgp") == 0;
    EXPECT(allport_machine_create(name, &machine));
    EXPECT(allport_machine_free(&machine));
  }
  CHECK(presets >= 5 && has_bgp == 1, "%d presets", presets);
}

static int lists(char const* of, char const* wanted) {
  int count = 0, found = 0;
  for (char const* name; (name = allport_algorithm_name(of, count)) != NULL; ++count) {
    char const* const summary = allport_algorithm_summary(of, name);
    CHECK(summary != NULL && strlen(summary) > 10, "%s of %s has no summary", name, of);
    found += strcmp(name, wanted) == 0;
  }
  CHECK(found == 1, "%s: %d times among %d of %s", wanted, found, count, of);
  return count;
}
static void algorithms(void) {
  CHECK(lists("bcast", "rectangular") > 2, "few broadcasts");
  lists("allreduce", "binomial");
  lists("gemm", "summa25");
  lists("lu", "2.5d");
  REFUSED_TEXT("osmosis", allport_algorithm_name("osmosis", 0));
  REFUSED_TEXT("of", allport_algorithm_name(NULL, 0));
  REFUSED_TEXT("index", allport_algorithm_name("gemm", -1));
  REFUSED_TEXT("summa", allport_algorithm_summary("gemm", "osmosis"));
}

static void schedules(void) {
  allport_machine_handle machine = NULL, other = NULL;
  allport_schedule_handle schedule = NULL, again = NULL;
  double seconds = 0, bound = 0, mpi = 0, simulated = 0, serial = 0, fair = 0;
  int ranks = 0, root = -1, window = 0, trees = 0;
  int64_t bytes = 0, segment = 0, sent = 0, sent_bytes = 0, got = 0, got_bytes = 0;
  EXPECT(allport_machine_create("bgp:4x4x1", &machine));
  EXPECT(allport_schedule_create(machine, "bcast", 1 << 20, 5, NULL, &schedule));
  EXPECT(allport_schedule_seconds(schedule, &seconds, &bound, &mpi));
  CHECK(bound > 0 && bound <= seconds && seconds < mpi, "%g s, bound %g s, MPI %g s", seconds, bound, mpi);
  EXPECT(allport_schedule_simulate(schedule, NULL, NULL, &simulated));
  CHECK(simulated >= bound && fabs(simulated - seconds) < 0.2 * seconds, "%g s simulated of %g s", simulated, seconds);
  EXPECT(allport_schedule_simulate(schedule, machine, "overheads=serial", &serial));
  EXPECT(allport_schedule_simulate(schedule, machine, "sharing=fair engine=events eager=4096 header=64", &fair));
  CHECK(serial >= simulated && fair > 0 && fair != simulated, "serial %g s, fair %g s", serial, fair);
  EXPECT(allport_schedule_shape(schedule, &ranks, &root, &bytes, &segment, &window, &trees));
  CHECK(ranks == 16 && root == 5 && bytes == 1 << 20 && segment >= 1024 && window == 2, "rank %d of %d", root, ranks);
  EXPECT(allport_schedule_traffic(schedule, 5, &sent, &sent_bytes, &got, &got_bytes));
  CHECK(got == 0 && got_bytes == 0 && sent_bytes >= bytes, "the root gets %d bytes", (int)got_bytes);
  EXPECT(allport_schedule_traffic(schedule, 6, &sent, &sent_bytes, &got, &got_bytes));
  CHECK(got_bytes == bytes, "rank 6 gets %d bytes", (int)got_bytes);
  CHECK(strcmp(allport_schedule_collective(schedule), "bcast") == 0, "not a bcast");
  CHECK(strstr(allport_schedule_reason(schedule), allport_schedule_algorithm(schedule)) != NULL, "no reason");
  CHECK(strstr(allport_schedule_choice(schedule), "\"candidates\"") != NULL, "no candidates");
  EXPECT(allport_schedule_verify(schedule, NULL));
  EXPECT(allport_machine_create("bgp:2x8x1", &other));
  REFUSED(ALLPORT_SCHEDULE, "proof", allport_schedule_verify(schedule, other));
  EXPECT(allport_machine_free(&other));

  /* As JSON and back: the same, for no machine in particular. */
  char const* const json = allport_schedule_json(schedule);
  EXPECT(allport_schedule_from_json(json, &again));
  CHECK(strcmp(allport_schedule_json(again), json) == 0, "another schedule comes back");
  EXPECT(allport_schedule_free(&schedule));
  REFUSED(ALLPORT_ARGUMENT, "on", allport_schedule_verify(again, NULL));
  EXPECT(allport_schedule_verify(again, machine));
  EXPECT(allport_schedule_simulate(again, machine, NULL, &seconds));
  CHECK(seconds == simulated, "%g s, before %g s", seconds, simulated);
  EXPECT(allport_schedule_seconds(again, &seconds, &bound, &mpi));
  CHECK(seconds == -1 && bound == -1 && mpi == -1, "%g s of a schedule from JSON", seconds);
  CHECK(strcmp(allport_schedule_reason(again), "") == 0, "a reason of a schedule from JSON");
  EXPECT(allport_schedule_free(&again));
  CHECK(again == NULL, "a freed schedule");

  /* By name, and with ranks elsewhere: the root's place has the message. */
  int places[16];
  for (int r = 0; r < 16; ++r) places[r] = (r + 4) % 16;
  EXPECT(allport_machine_placed(machine, places, &other));
  EXPECT(
      allport_schedule_create(other, "reduce", 4096, 3, "algorithm=binomial element=8 segment=512 window=3", &again));
  CHECK(strcmp(allport_schedule_algorithm(again), "binomial") == 0, "%s", allport_schedule_algorithm(again));
  EXPECT(allport_schedule_shape(again, &ranks, &root, &bytes, &segment, &window, &trees));
  CHECK(root == 3 && segment == 512 && window == 3, "root %d, segment %d", root, (int)segment);
  EXPECT(allport_schedule_traffic(again, 3, &sent, &sent_bytes, &got, &got_bytes));
  CHECK(sent == 0 && got_bytes >= 4096, "the root sends %d messages", (int)sent);
  EXPECT(allport_schedule_verify(again, NULL));
  EXPECT(allport_schedule_free(&again));

  REFUSED(ALLPORT_ARGUMENT, "osmosis", allport_schedule_create(machine, "osmosis", 8, 0, NULL, &again));
  REFUSED(ALLPORT_ARGUMENT, "collective", allport_schedule_create(machine, NULL, 8, 0, NULL, &again));
  REFUSED(ALLPORT_ARGUMENT, "machine", allport_schedule_create(NULL, "bcast", 8, 0, NULL, &again));
  REFUSED(ALLPORT_ARGUMENT, "root", allport_schedule_create(machine, "bcast", 8, 16, NULL, &again));
  REFUSED(ALLPORT_ARGUMENT, "bytes", allport_schedule_create(machine, "bcast", -8, 0, NULL, &again));
  REFUSED(ALLPORT_ARGUMENT, "window", allport_schedule_create(machine, "bcast", 8, 0, "window=0", &again));
  REFUSED(ALLPORT_ARGUMENT, "sails=3", allport_schedule_create(machine, "bcast", 8, 0, "sails=3", &again));
  REFUSED(ALLPORT_ARGUMENT, "tree_of_life",
          allport_schedule_create(machine, "bcast", 8, 0, "algorithm=tree_of_life", &again));
  REFUSED(ALLPORT_IO, "JSON", allport_schedule_from_json("{", &again));
  REFUSED(ALLPORT_IO, "allport_schedule", allport_schedule_from_json("{}", &again));
  REFUSED_TEXT("schedule", allport_schedule_json(NULL));
  CHECK(again == NULL, "a handle where there is no schedule");
  EXPECT(allport_machine_free(&other));
  EXPECT(allport_machine_free(&machine));
}

/* Schedules run on a communicator, blocking, started and prepared. */
static void schedules_run(void) {
  allport_machine_handle machine = NULL;
  allport_schedule_handle broadcast = NULL, sums = NULL, gather = NULL, back = NULL;
  int64_t message[300], mine[40], all[40], blocks[8 * 64] = {0};
  EXPECT(allport_comm_machine(comm, &machine));
  int const root = world_size - 1;
  EXPECT(allport_schedule_create(machine, "bcast", sizeof message, root, "segment=160", &broadcast));
  EXPECT(allport_schedule_create(machine, "allreduce", sizeof mine, 0, "element=8", &sums));
  EXPECT(allport_schedule_create(machine, "allgather", 8 * 4, 0, NULL, &gather));
  for (int i = 0; i < 300; ++i) message[i] = world_rank == root ? i * i : -1;
  EXPECT(allport_schedule_run(comm, broadcast, 0, ' ', NULL, message));
  for (int i = 0; i < 300; ++i) CHECK(message[i] == i * i, "number %d of the message is %d", i, (int)message[i]);

  EXPECT(allport_schedule_from_json(allport_schedule_json(sums), &back));
  allport_transfer transfer = NULL;
  allport_persistent prepared = NULL;
  for (int i = 0; i < 40; ++i) mine[i] = i + world_rank, all[i] = -1;
  EXPECT(allport_schedule_start(comm, sums, ALLPORT_SUM, 'l', mine, all, &transfer));
  EXPECT(allport_wait(&transfer));
  for (int i = 0; i < 40; ++i) {
    CHECK(all[i] == i * world_size + world_size * (world_size - 1) / 2, "sum %d is %d", i, (int)all[i]);
  }
  EXPECT(allport_schedule_prepare(comm, back, ALLPORT_MAX, 'l', mine, all, &prepared));
  for (int again = 0; again < 3; ++again) {
    for (int i = 0; i < 40; ++i) mine[i] = i + again * world_rank;
    EXPECT(allport_start(prepared, &transfer));
    EXPECT(allport_wait(&transfer));
    for (int i = 0; i < 40; ++i) CHECK(all[i] == i + again * root, "largest %d is %d", i, (int)all[i]);
  }
  EXPECT(allport_persistent_free(&prepared));
  for (int i = 0; i < 4; ++i) mine[i] = 10 * world_rank + i;
  EXPECT(allport_schedule_run(comm, gather, 0, ' ', mine, blocks));
  for (int i = 0; i < 4 * world_size; ++i) CHECK(blocks[i] == i / 4 * 10 + i % 4, "block %d is %d", i, (int)blocks[i]);

  REFUSED(ALLPORT_ARGUMENT, "type", allport_schedule_run(comm, sums, ALLPORT_SUM, 'z', mine, all));
  REFUSED(ALLPORT_ARGUMENT, "output", allport_schedule_run(comm, broadcast, 0, ' ', NULL, NULL));
  REFUSED(ALLPORT_ARGUMENT, "input", allport_schedule_run(comm, gather, 0, ' ', NULL, blocks));
  EXPECT(allport_schedule_free(&broadcast));
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_machine_create("torus:3x3x3", &machine));
  EXPECT(allport_schedule_create(machine, "barrier", 0, 0, NULL, &broadcast));
  REFUSED(ALLPORT_ARGUMENT, "27 ranks", allport_schedule_run(comm, broadcast, 0, ' ', NULL, NULL));
  EXPECT(allport_schedule_free(&broadcast));
  EXPECT(allport_schedule_free(&sums));
  EXPECT(allport_schedule_free(&back));
  EXPECT(allport_schedule_free(&gather));
  EXPECT(allport_machine_free(&machine));
}

static void plans(void) {
  allport_machine_handle machine = NULL;
  allport_plan_handle plan = NULL;
  allport_distribution wanted = NULL;
  int rows = 0, cols = 0, layers = 0;
  int64_t block = 0, words = 0, messages = 0, memory = 0, local_rows = 0, local_cols = 0;
  double seconds = 0, bound = 0;
  EXPECT(allport_machine_create("bgp:4x2x1", &machine));
  EXPECT(allport_plan_gemm(machine, 'd', 'N', 'T', 500, 400, 300, "algorithm=summa25 grid=2x2x2 panel=32", &plan));
  EXPECT(allport_plan_seconds(plan, &seconds));
  EXPECT(allport_plan_grid(plan, &rows, &cols, &layers));
  EXPECT(allport_plan_block(plan, &block));
  EXPECT(allport_plan_traffic(plan, &words, &messages, &bound));
  EXPECT(allport_plan_memory(plan, &memory));
  CHECK(strcmp(allport_plan_algorithm(plan), "summa25") == 0 && block == 32, "%s", allport_plan_algorithm(plan));
  CHECK(rows == 2 && cols == 2 && layers == 2, "%d x %d x %d", rows, cols, layers);
  CHECK(seconds > 0 && (double)words >= bound && messages > 0, "%g s, %d words", seconds, (int)words);
  CHECK(memory > 8 * (500 * 300 + 300 * 400 + 500 * 400) / 8, "%d bytes", (int)memory);
  CHECK(strstr(allport_plan_json(plan), "\"chosen\"") != NULL, "no JSON");
  EXPECT(allport_plan_distribution(plan, 'B', &wanted)); /* as it is stored: n x k */
  EXPECT(allport_distribution_local(wanted, 0, &local_rows, &local_cols));
  CHECK(local_rows > 0 && local_rows <= 400 && local_cols > 0 && local_cols <= 300, "%d rows", (int)local_rows);
  EXPECT(allport_distribution_free(&wanted));
  REFUSED(ALLPORT_ARGUMENT, "which", allport_plan_distribution(plan, 'D', &wanted));
  EXPECT(allport_plan_free(&plan));
  CHECK(plan == NULL, "a freed plan");

  EXPECT(allport_plan_potrf(machine, 'z', 'u', 600, NULL, "grid=4x2 order=ji nb=64 workers=2", &plan));
  EXPECT(allport_plan_grid(plan, &rows, &cols, &layers));
  EXPECT(allport_plan_block(plan, &block));
  CHECK(rows == 4 && cols == 2 && layers == 1 && block == 64, "%d x %d x %d, nb %d", rows, cols, layers, (int)block);
  CHECK(strcmp(allport_plan_algorithm(plan), "tiles") == 0, "%s", allport_plan_algorithm(plan));
  REFUSED(ALLPORT_ARGUMENT, "which", allport_plan_distribution(plan, 'B', &wanted));
  EXPECT(allport_plan_free(&plan));

  REFUSED(ALLPORT_MEMORY, "memory", allport_plan_getrf(machine, 'd', 900, 900, NULL, "memory=1000", &plan));
  REFUSED(ALLPORT_MEMORY, "memory", allport_plan_geqrf(machine, 'd', 900, 900, NULL, "memory=1000", &plan));
  REFUSED(ALLPORT_ARGUMENT, "grid", allport_plan_potrf(machine, 'd', 'L', 9, NULL, "grid=2x2x2", &plan));
  REFUSED(ALLPORT_ARGUMENT, "grid", allport_plan_gemm(machine, 'd', 'N', 'N', 9, 9, 9, "grid=2x2", &plan));
  REFUSED(ALLPORT_ARGUMENT, "options: way = 'star': expected one of flat, chain, prefix, axes, binomial",
          allport_plan_gemm(machine, 'd', 'N', 'N', 9, 9, 9, "way=star", &plan));
  REFUSED(ALLPORT_ARGUMENT, "way = ''", allport_plan_getrf(machine, 'd', 9, 9, NULL, "way=", &plan));
  REFUSED(ALLPORT_ARGUMENT, "memory= or way=", allport_plan_gemm(machine, 'd', 'N', 'N', 9, 9, 9, "ways=flat", &plan));
  REFUSED(ALLPORT_ARGUMENT, "pivoting", allport_plan_getrf(machine, 'd', 9, 9, NULL, "pivoting=rook", &plan));
  REFUSED(ALLPORT_ARGUMENT, "type", allport_plan_gemm(machine, 'x', 'N', 'N', 9, 9, 9, NULL, &plan));
  REFUSED(ALLPORT_ARGUMENT, "trans_b", allport_plan_gemm(machine, 'd', 'N', 'x', 9, 9, 9, NULL, &plan));
  REFUSED(ALLPORT_ARGUMENT, "uplo", allport_plan_potrf(machine, 'd', 'x', 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ARGUMENT, "m = -1", allport_plan_geqrf(machine, 'd', -1, 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ARGUMENT, "workers", allport_plan_geqrf(machine, 'd', 9, 9, NULL, "workers=0", &plan));
  REFUSED(ALLPORT_ARGUMENT, "plan", allport_plan_seconds(NULL, &seconds));
  REFUSED_TEXT("plan", allport_plan_json(NULL));
  CHECK(plan == NULL, "a handle where there is no plan");
  EXPECT(allport_machine_free(&machine));
}

/* Plans of something else, for other machines, or on the last rank alone: an error on all. */
static void wrong_plans(allport_machine_handle machine) {
  int const last = world_rank == world_size - 1;
  allport_machine_handle other = NULL;
  allport_plan_handle product = NULL, lu = NULL, tiles = NULL;
  struct spread a = spread(9, 9, 2, 2);
  double *const data = dpart(&a, 1, 1), tau[9], one = 1;
  int64_t pivots[9], info = 4711;
  EXPECT(allport_plan_gemm(machine, 'd', 'N', 'N', 9, 9, 9, NULL, &product));
  EXPECT(allport_plan_getrf(machine, 's', 9, 9, NULL, NULL, &lu));
  EXPECT(allport_plan_potrf(machine, 'd', 'L', 8, NULL, NULL, &tiles));
  REFUSED(ALLPORT_ARGUMENT, "plan",
          allport_dgetrf_planned(comm, last ? product : lu, data, a.ld, a.distribution, pivots, &info));
  REFUSED(ALLPORT_ARGUMENT, "element type",
          allport_dgetrf_planned(comm, lu, data, a.ld, a.distribution, pivots, &info));
  REFUSED(ALLPORT_ARGUMENT, "8 x 8", allport_dpotrf_planned(comm, tiles, data, a.ld, a.distribution, &info));
  REFUSED(ALLPORT_ARGUMENT, "element type", allport_spotrf_planned(comm, tiles, NULL, 99, a.distribution, &info));
  REFUSED(ALLPORT_ARGUMENT, "plan", allport_dgeqrf_planned(comm, tiles, data, a.ld, a.distribution, tau));
  REFUSED(ALLPORT_ARGUMENT, "plan",
          allport_dgemm_planned(comm, last ? NULL : product, &one, data, a.ld, a.distribution, data, a.ld,
                                a.distribution, &one, data, a.ld, a.distribution));
  EXPECT(allport_plan_free(&tiles));
  EXPECT(allport_machine_create("bgp:8x8x8", &other));
  EXPECT(allport_plan_potrf(other, 'd', 'L', 9, NULL, "grid=1x1", &tiles));
  REFUSED(ALLPORT_ARGUMENT, "bgp:8x8x8", allport_dpotrf_planned(comm, tiles, data, a.ld, a.distribution, &info));
  CHECK(info == 4711, "info was written: %d", (int)info);
  double* const as_before = dpart(&a, 1, 1);
  dsame(&a, data, as_before, 1, "A of wrong calls");
  free(as_before), free(data), forget(&a);
  EXPECT(allport_plan_free(&tiles));
  EXPECT(allport_plan_free(&lu));
  EXPECT(allport_plan_free(&product));
  EXPECT(allport_machine_free(&other));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char spec[32];
  allport_machine_handle machine = NULL;
  snprintf(spec, sizeof spec, "bgp:%dx1x1", world_size);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, spec, &comm));
  machines();
  algorithms();
  schedules();
  schedules_run();
  plans();
  EXPECT(allport_comm_machine(comm, &machine));
  sall(machine);
  dall(machine);
  call(machine);
  zall(machine);
  wrong_plans(machine);
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_comm_free(&comm));
  return finish();
}
