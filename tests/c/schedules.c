/* Machines and schedules of the C interface: what they say, what they refuse, and that schedules run. That they say
   what C++'s do is in plans_as_cpp.cpp. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

static void machines(void) {
  allport_machine machine = NULL, again = NULL;
  allport_machine_info info;
  int neighbour = 0, works = 0, hops = 0;
  double bandwidth = 0, latency = -1;
  EXPECT(allport_machine_create("torus:4x3m/ppn=2", &machine));
  EXPECT(allport_machine_query(machine, &info));
  CHECK(info.nodes == 12 && info.ranks_per_node == 2 && info.ranks == 24, "%d ranks", info.ranks);
  CHECK(info.links == 2 * 12 + 2 * 8, "%d links", (int)info.links);
  CHECK(info.axes == 2 && info.lengths[0] == 4 && info.lengths[1] == 3 && info.lengths[2] == 0, "%d axes", info.axes);
  CHECK(info.wraps[0] == 1 && info.wraps[1] == 0, "the first axis alone is a ring");
  EXPECT(allport_machine_link(machine, 0, 0, &neighbour, &bandwidth, &latency, &works));
  CHECK(neighbour == 3 && bandwidth > 0 && latency >= 0 && works == 1, "round x to node %d", neighbour);
  EXPECT(allport_machine_link(machine, 0, 2, &neighbour, &bandwidth, &latency, &works));
  CHECK(neighbour == -1 && works == 0, "no way down y, but to node %d", neighbour);
  EXPECT(allport_machine_hops(machine, 0, 11, &hops));
  CHECK(hops == 3, "%d hops from (0, 0) to (3, 2)", hops);
  char const* const json = allport_machine_text(machine, "json");
  CHECK(json != NULL && json == allport_machine_text(machine, "json") && strstr(json, "\"axes\"") != NULL,
        "the JSON is kept");
  EXPECT(allport_machine_create(allport_machine_text(machine, "toml"), &again));
  CHECK(strcmp(allport_machine_text(again, "json"), json) == 0, "another machine comes back");
  CHECK(strcmp(allport_machine_text(again, "name"), allport_machine_text(machine, "name")) == 0, "of another name");
  EXPECT(allport_machine_free(&again));
  CHECK(again == NULL, "a freed machine");
  EXPECT(allport_machine_free(&again));

  int places[24];
  for (int r = 0; r < 24; ++r) places[r] = 23 - r;
  EXPECT(allport_machine_placed(machine, places, &again));
  EXPECT(allport_machine_free(&again));
  places[3] = 0;
  REFUSED(ALLPORT_ERR_ARGUMENT, "0", allport_machine_placed(machine, places, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "places", allport_machine_placed(machine, NULL, &again));
  REFUSED(ALLPORT_ERR_MACHINE, "torus:0", allport_machine_create("torus:0", &again));
  CHECK(again == NULL, "a handle where there is no machine");
  REFUSED(ALLPORT_ERR_ARGUMENT, "spec", allport_machine_create(NULL, &again));
  REFUSED(ALLPORT_ERR_MACHINE, "machine file", allport_machine_create("axes = 7\n", &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "created", allport_machine_create("torus:2", NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "port", allport_machine_link(machine, 0, 4, &neighbour, &bandwidth, &latency, &works));
  REFUSED(ALLPORT_ERR_ARGUMENT, "node", allport_machine_link(machine, 12, 0, &neighbour, &bandwidth, &latency, &works));
  REFUSED(ALLPORT_ERR_ARGUMENT, "to_node", allport_machine_hops(machine, 0, -1, &hops));
  REFUSED(ALLPORT_ERR_ARGUMENT, "info", allport_machine_query(machine, NULL));
  REFUSED_TEXT("machine", allport_machine_text(NULL, "json"));
  REFUSED_TEXT("what", allport_machine_text(machine, "yaml"));
  REFUSED_TEXT("what", allport_machine_text(machine, NULL));
  EXPECT(allport_machine_free(&machine));
  int presets = 0, has_bgp = 0;
  for (char const* name; (name = allport_algorithm_text("machine", presets, "name")) != NULL; ++presets) {
    has_bgp += strcmp(name, "bgp") == 0;
    EXPECT(allport_machine_create(name, &machine));
    EXPECT(allport_machine_free(&machine));
  }
  CHECK(presets >= 5 && has_bgp == 1, "%d presets", presets);
}

static int lists(char const* of, char const* wanted) {
  int count = 0, found = 0;
  for (char const* name; (name = allport_algorithm_text(of, count, "name")) != NULL; ++count) {
    char const* const summary = allport_algorithm_text(of, count, "summary");
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
  REFUSED_TEXT("osmosis", allport_algorithm_text("osmosis", 0, "name"));
  REFUSED_TEXT("of", allport_algorithm_text(NULL, 0, "name"));
  REFUSED_TEXT("index", allport_algorithm_text("gemm", -1, "name"));
  REFUSED_TEXT("what", allport_algorithm_text("gemm", 0, "age"));
}

static void schedules(void) {
  allport_machine machine = NULL, other = NULL;
  allport_schedule schedule = NULL, again = NULL;
  double simulated = 0, serial = 0, fair = 0;
  allport_schedule_info info;
  EXPECT(allport_machine_create("bgp:4x4x1", &machine));
  EXPECT(allport_schedule_create(machine, "bcast", 1 << 20, NULL, 5, NULL, &schedule));
  EXPECT(allport_schedule_query(schedule, 5, &info));
  CHECK(info.bound > 0 && info.bound <= info.seconds && info.seconds < info.mpi, "%g s, bound %g s, MPI %g s",
        info.seconds, info.bound, info.mpi);
  CHECK(info.ranks == 16 && info.root == 5 && info.bytes == 1 << 20, "rank %d of %d", info.root, info.ranks);
  CHECK(info.segment >= 1024 && info.window == 2, "segments of %d bytes", (int)info.segment);
  CHECK(info.messages_received == 0 && info.bytes_received == 0 && info.bytes_sent >= info.bytes,
        "the root gets %d bytes", (int)info.bytes_received);
  EXPECT(allport_schedule_simulate(schedule, NULL, NULL, &simulated));
  CHECK(simulated >= info.bound && fabs(simulated - info.seconds) < 0.2 * info.seconds, "%g s simulated of %g s",
        simulated, info.seconds);
  EXPECT(allport_schedule_simulate(schedule, machine, "overheads=serial", &serial));
  EXPECT(allport_schedule_simulate(schedule, machine, "sharing=fair engine=events eager=4096 header=64", &fair));
  CHECK(serial >= simulated && fair > 0 && fair != simulated, "serial %g s, fair %g s", serial, fair);
  EXPECT(allport_schedule_query(schedule, 6, &info));
  CHECK(info.bytes_received == info.bytes, "rank 6 gets %d bytes", (int)info.bytes_received);
  EXPECT(allport_schedule_query(schedule, -1, &info));
  CHECK(info.bytes_sent == 0 && info.bytes_received == 0, "nobody sends %d bytes", (int)info.bytes_sent);
  REFUSED(ALLPORT_ERR_ARGUMENT, "rank", allport_schedule_query(schedule, 16, &info));
  REFUSED(ALLPORT_ERR_ARGUMENT, "info", allport_schedule_query(schedule, 0, NULL));
  CHECK(strcmp(allport_schedule_text(schedule, "collective"), "bcast") == 0, "not a bcast");
  CHECK(strstr(allport_schedule_text(schedule, "reason"), allport_schedule_text(schedule, "algorithm")) != NULL,
        "no reason");
  CHECK(strstr(allport_schedule_text(schedule, "choice"), "\"candidates\"") != NULL, "no candidates");
  EXPECT(allport_schedule_verify(schedule, NULL));
  EXPECT(allport_machine_create("bgp:2x8x1", &other));
  REFUSED(ALLPORT_ERR_SCHEDULE, "proof", allport_schedule_verify(schedule, other));
  EXPECT(allport_machine_free(&other));

  /* As JSON and back: the same, for no machine in particular. */
  char const* const json = allport_schedule_text(schedule, "json");
  EXPECT(allport_schedule_from_json(json, &again));
  CHECK(strcmp(allport_schedule_text(again, "json"), json) == 0, "another schedule comes back");
  EXPECT(allport_schedule_free(&schedule));
  REFUSED(ALLPORT_ERR_ARGUMENT, "on", allport_schedule_verify(again, NULL));
  EXPECT(allport_schedule_verify(again, machine));
  EXPECT(allport_schedule_simulate(again, machine, NULL, &serial));
  CHECK(serial == simulated, "%g s, before %g s", serial, simulated);
  EXPECT(allport_schedule_query(again, -1, &info));
  CHECK(info.seconds == -1 && info.bound == -1 && info.mpi == -1, "%g s of a schedule from JSON", info.seconds);
  CHECK(strcmp(allport_schedule_text(again, "reason"), "") == 0, "a reason of a schedule from JSON");
  EXPECT(allport_schedule_free(&again));
  CHECK(again == NULL, "a freed schedule");

  /* By name, and with ranks elsewhere: the root's place has the message. */
  int places[16];
  for (int r = 0; r < 16; ++r) places[r] = (r + 4) % 16;
  EXPECT(allport_machine_placed(machine, places, &other));
  EXPECT(allport_schedule_create(other, "reduce", 4096, NULL, 3, "algorithm=binomial element=8 segment=512 window=3",
                                 &again));
  CHECK(strcmp(allport_schedule_text(again, "algorithm"), "binomial") == 0, "%s",
        allport_schedule_text(again, "algorithm"));
  EXPECT(allport_schedule_query(again, 3, &info));
  CHECK(info.root == 3 && info.segment == 512 && info.window == 3, "root %d", info.root);
  CHECK(info.messages_sent == 0 && info.bytes_received >= 4096, "the root sends %d messages", (int)info.messages_sent);
  EXPECT(allport_schedule_verify(again, NULL));
  EXPECT(allport_schedule_free(&again));

  REFUSED(ALLPORT_ERR_ARGUMENT, "osmosis", allport_schedule_create(machine, "osmosis", 8, NULL, 0, NULL, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "collective", allport_schedule_create(machine, NULL, 8, NULL, 0, NULL, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "machine", allport_schedule_create(NULL, "bcast", 8, NULL, 0, NULL, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "root", allport_schedule_create(machine, "bcast", 8, NULL, 16, NULL, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "bytes", allport_schedule_create(machine, "bcast", -8, NULL, 0, NULL, &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "window", allport_schedule_create(machine, "bcast", 8, NULL, 0, "window=0", &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "sails=3", allport_schedule_create(machine, "bcast", 8, NULL, 0, "sails=3", &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tree_of_life",
          allport_schedule_create(machine, "bcast", 8, NULL, 0, "algorithm=tree_of_life", &again));
  REFUSED(ALLPORT_ERR_IO, "JSON", allport_schedule_from_json("{", &again));
  REFUSED(ALLPORT_ERR_IO, "allport_schedule", allport_schedule_from_json("{}", &again));
  REFUSED_TEXT("schedule", allport_schedule_text(NULL, "json"));
  CHECK(again == NULL, "a handle where there is no schedule");
  EXPECT(allport_machine_free(&other));
  EXPECT(allport_machine_free(&machine));
}

/* Schedules run on a communicator, blocking, started and prepared. */
static void schedules_run(void) {
  allport_machine machine = NULL;
  allport_schedule broadcast = NULL, sums = NULL, gather = NULL, back = NULL;
  int64_t message[300], mine[40], all[40], blocks[8 * 64] = {0};
  EXPECT(allport_comm_machine(comm, &machine));
  int const root = world_size - 1;
  EXPECT(allport_schedule_create(machine, "bcast", sizeof message, NULL, root, "segment=160", &broadcast));
  EXPECT(allport_schedule_create(machine, "allreduce", sizeof mine, NULL, 0, "element=8", &sums));
  EXPECT(allport_schedule_create(machine, "allgather", 8 * 4, NULL, 0, NULL, &gather));
  for (int i = 0; i < 300; ++i) message[i] = world_rank == root ? i * i : -1;
  EXPECT(allport_schedule_run(comm, broadcast, 0, ALLPORT_TYPE_NULL, NULL, message, NULL, NULL));
  for (int i = 0; i < 300; ++i) CHECK(message[i] == i * i, "number %d of the message is %d", i, (int)message[i]);

  EXPECT(allport_schedule_from_json(allport_schedule_text(sums, "json"), &back));
  allport_request request = NULL;
  for (int i = 0; i < 40; ++i) mine[i] = i + world_rank, all[i] = -1;
  EXPECT(allport_schedule_run(comm, sums, ALLPORT_SUM, ALLPORT_INT64_T, mine, all, NULL, &request));
  EXPECT(allport_wait(&request));
  for (int i = 0; i < 40; ++i) {
    CHECK(all[i] == i * world_size + world_size * (world_size - 1) / 2, "sum %d is %d", i, (int)all[i]);
  }
  EXPECT(allport_schedule_run(comm, back, ALLPORT_MAX, ALLPORT_INT64_T, mine, all, "persistent", &request));
  for (int again = 0; again < 3; ++again) {
    for (int i = 0; i < 40; ++i) mine[i] = i + again * world_rank;
    EXPECT(allport_start(&request));
    EXPECT(allport_wait(&request));
    for (int i = 0; i < 40; ++i) CHECK(all[i] == i + again * root, "largest %d is %d", i, (int)all[i]);
  }
  EXPECT(allport_request_free(&request));
  for (int i = 0; i < 4; ++i) mine[i] = 10 * world_rank + i;
  EXPECT(allport_schedule_run(comm, gather, 0, ALLPORT_TYPE_NULL, mine, blocks, NULL, NULL));
  for (int i = 0; i < 4 * world_size; ++i) CHECK(blocks[i] == i / 4 * 10 + i % 4, "block %d is %d", i, (int)blocks[i]);

  REFUSED(ALLPORT_ERR_ARGUMENT, "type",
          allport_schedule_run(comm, sums, ALLPORT_SUM, ALLPORT_DOUBLE_COMPLEX, mine, all, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "output",
          allport_schedule_run(comm, broadcast, 0, ALLPORT_TYPE_NULL, NULL, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "input",
          allport_schedule_run(comm, gather, 0, ALLPORT_TYPE_NULL, NULL, blocks, NULL, NULL));
  EXPECT(allport_schedule_free(&broadcast));
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_machine_create("torus:3x3x3", &machine));
  EXPECT(allport_schedule_create(machine, "barrier", 0, NULL, 0, NULL, &broadcast));
  REFUSED(ALLPORT_ERR_ARGUMENT, "27 ranks",
          allport_schedule_run(comm, broadcast, 0, ALLPORT_TYPE_NULL, NULL, NULL, NULL, NULL));
  EXPECT(allport_schedule_free(&broadcast));
  EXPECT(allport_schedule_free(&sums));
  EXPECT(allport_schedule_free(&back));
  EXPECT(allport_schedule_free(&gather));
  EXPECT(allport_machine_free(&machine));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  char spec[32];
  snprintf(spec, sizeof spec, "bgp:%dx1x1", world_size);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, spec, &comm));
  machines();
  algorithms();
  schedules();
  schedules_run();
  EXPECT(allport_comm_free(&comm));
  return finish();
}
