/* Schedules of some ranks of a machine and of blocks of different lengths, which run, and plans that are simulated.
   That they are C++'s is in parts_as_cpp.cpp. */
#include <allport/allport.h>

#include "expect.h"

/* What outlives what, and what is refused. */
static void refusals(void) {
  allport_machine machine = NULL, placed = NULL, part = NULL, other = NULL;
  allport_schedule schedule = NULL, again = NULL;
  allport_plan plan = NULL;
  int const members[5] = {0, 1, 2, 5, 7}, places[8] = {1, 0, 2, 3, 4, 5, 6, 7};
  int64_t const lengths[8] = {800, 0, 8, 16, 4000, 8, 8, 8}, odd[5] = {8, 8, 8, 8, 12};
  double seconds = 0, of_other = 0;
  EXPECT(allport_machine_create("bgp:4x2x1", &machine));
  EXPECT(allport_machine_part(machine, 5, members, &part));
  EXPECT(allport_schedule_create(part, "allreduce", 80, NULL, 0, "element=8", &schedule));
  EXPECT(allport_schedule_verify(schedule, NULL));
  EXPECT(allport_schedule_simulate(schedule, NULL, NULL, &seconds));
  EXPECT(allport_machine_free(&part));
  EXPECT(allport_schedule_simulate(schedule, NULL, "overheads=serial", &of_other));
  CHECK(of_other >= seconds && seconds > 0, "%g s, serial %g s", seconds, of_other);
  EXPECT(allport_schedule_from_json(allport_schedule_text(schedule, "json"), &again));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_schedule_verify(again, machine));
  EXPECT(allport_machine_part(machine, 5, members, &part));
  EXPECT(allport_schedule_verify(again, part));
  EXPECT(allport_schedule_simulate(again, part, NULL, &of_other));
  CHECK(of_other == seconds, "%g s, before %g s", of_other, seconds);
  EXPECT(allport_schedule_free(&again));
  EXPECT(allport_schedule_free(&schedule));

  EXPECT(allport_schedule_create(part, "scatter", 0, lengths, 4, NULL, &schedule));
  EXPECT(allport_schedule_verify(schedule, NULL));
  EXPECT(allport_schedule_free(&schedule));
  REFUSED(ALLPORT_ERR_ARGUMENT, "root", allport_schedule_create(part, "bcast", 8, NULL, 5, NULL, &schedule));
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "part", allport_machine_part(part, 2, members, &other));
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "part", allport_machine_placed(part, places, &other));
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "part",
          allport_plan_create(part, "gemm", ALLPORT_DOUBLE, "NN", 9, 9, 9, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "part",
          allport_plan_create(part, "potrf", ALLPORT_DOUBLE, "L", 9, 9, 0, NULL, NULL, &plan));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_machine_part(machine, 9, places, &other));
  REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_machine_part(machine, 0, members, &other));
  REFUSED(ALLPORT_ERR_ARGUMENT, "members", allport_machine_part(machine, 2, NULL, &other));
  int const beyond[2] = {0, 8}, twice[2] = {3, 3};
  REFUSED(ALLPORT_ERR_ARGUMENT, "8", allport_machine_part(machine, 2, beyond, &other));
  REFUSED(ALLPORT_ERR_ARGUMENT, "3", allport_machine_part(machine, 2, twice, &other));
  CHECK(other == NULL, "a handle where there is no part");

  REFUSED(ALLPORT_ERR_ARGUMENT, "12",
          allport_schedule_create(part, "reduce_scatter", 0, odd, 0, "element=8", &schedule));
  REFUSED(ALLPORT_ERR_ARGUMENT, "blocks", allport_schedule_create(part, "bcast", 0, odd, 0, NULL, &schedule));
  REFUSED(ALLPORT_ERR_ARGUMENT, "root", allport_schedule_create(part, "gather", 0, odd, -1, NULL, &schedule));
  CHECK(schedule == NULL, "a handle where there is no schedule");

  EXPECT(allport_plan_create(machine, "gemm", ALLPORT_DOUBLE, "NN", 90, 80, 70, NULL, "algorithm=summa", &plan));
  EXPECT(allport_plan_simulate(plan, NULL, &seconds));
  CHECK(seconds > 0, "%g s of a product", seconds);
  REFUSED(ALLPORT_ERR_ARGUMENT, "segment", allport_plan_simulate(plan, "segment=0", &seconds));
  REFUSED(ALLPORT_ERR_ARGUMENT, "workers", allport_plan_simulate(plan, "workers=0", &seconds));
  REFUSED(ALLPORT_ERR_ARGUMENT, "sails=3", allport_plan_simulate(plan, "sails=3", &seconds));
  REFUSED(ALLPORT_ERR_ARGUMENT, "seconds", allport_plan_simulate(plan, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "plan", allport_plan_simulate(NULL, NULL, &seconds));
  EXPECT(allport_plan_free(&plan));
  EXPECT(allport_machine_placed(machine, places, &placed));
  EXPECT(allport_plan_create(placed, "gemm", ALLPORT_DOUBLE, "NN", 90, 80, 70, NULL, "algorithm=summa", &plan));
  REFUSED(ALLPORT_ERR_UNSUPPORTED, "elsewhere", allport_plan_simulate(plan, NULL, &seconds));
  EXPECT(allport_plan_free(&plan));
  EXPECT(allport_machine_free(&placed));
  EXPECT(allport_machine_free(&part));
  EXPECT(allport_machine_free(&machine));
}

/* How many numbers rank r's block has. */
static int length_of(int r) { return r % 3 == 1 ? 0 : 5 * r + 2; }

/* Every rank's block on every rank, and sums of which each rank gets its block. */
static void blocks_run(void) {
  allport_comm comm = NULL;
  allport_machine machine = NULL;
  allport_schedule gather = NULL, sums = NULL;
  char spec[32];
  snprintf(spec, sizeof spec, "bgp:%dx1x1", world_size);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, spec, &comm));
  EXPECT(allport_comm_machine(comm, &machine));
  int64_t bytes[64], mine[512], all[4096], given[4096];
  int begins[64], total = 0;
  for (int r = 0; r < world_size; ++r) bytes[r] = 8 * length_of(r), begins[r] = total, total += length_of(r);
  EXPECT(allport_schedule_create(machine, "allgather", 0, bytes, 0, NULL, &gather));
  EXPECT(allport_schedule_create(machine, "reduce_scatter", 0, bytes, 0, "element=8", &sums));
  for (int i = 0; i < length_of(world_rank); ++i) mine[i] = 1000 * world_rank + i;
  EXPECT(allport_schedule_run(comm, gather, 0, ALLPORT_TYPE_NULL, mine, all, NULL, NULL));
  for (int r = 0; r < world_size; ++r) {
    for (int i = 0; i < length_of(r); ++i) {
      CHECK(all[begins[r] + i] == 1000 * r + i, "number %d of rank %d is %d", i, r, (int)all[begins[r] + i]);
    }
  }
  for (int i = 0; i < total; ++i) given[i] = i * (world_rank + 1);
  EXPECT(allport_schedule_run(comm, sums, ALLPORT_SUM, ALLPORT_INT64_T, given, mine, NULL, NULL));
  for (int i = 0; i < length_of(world_rank); ++i) {
    int const wanted = (begins[world_rank] + i) * world_size * (world_size + 1) / 2;
    CHECK(mine[i] == wanted, "sum %d is %d, not %d", i, (int)mine[i], wanted);
  }
  EXPECT(allport_schedule_free(&sums));
  EXPECT(allport_schedule_free(&gather));
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_comm_free(&comm));
}

/* The first and every odd rank of a ring, backwards, on a communicator of theirs: few fill a box, more have trees. */
static void parts_run(void) {
  allport_comm comm = NULL, some = NULL;
  allport_machine machine = NULL, part = NULL;
  allport_schedule schedule = NULL;
  int members[64], many = 0, sum = 0, rank = -1, size = 0, place = -1;
  for (int r = world_size - 1; r >= 0; --r) {
    if (r != 0 && r % 2 == 0) continue;
    if (r == world_rank) place = many;
    sum += r;
    members[many++] = r;
  }
  char spec[32];
  snprintf(spec, sizeof spec, "bgp:%dx1x1", world_size);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, spec, &comm));
  EXPECT(allport_comm_machine(comm, &machine));
  if (place < 0) {
    REFUSED(ALLPORT_ERR_ARGUMENT, "members", allport_comm_part(comm, 2, NULL, &some));
    REFUSED(ALLPORT_ERR_ARGUMENT, "ranks", allport_comm_part(comm, 0, members, &some));
    REFUSED(ALLPORT_ERR_ARGUMENT, "members", allport_comm_part(comm, many, members, &some));
  } else {
    EXPECT(allport_machine_part(machine, many, members, &part));
    EXPECT(allport_comm_part(comm, many, members, &some));
    EXPECT(allport_comm_rank(some, &rank, &size));
    CHECK(rank == place && size == many, "rank %d of %d, not %d", rank, size, place);
  }
  for (int root = 0; root < many && place >= 0; ++root) {
    int64_t mine[50], all[50];
    EXPECT(allport_schedule_create(part, "reduce", sizeof mine, NULL, root, "element=8 segment=80", &schedule));
    EXPECT(allport_schedule_verify(schedule, NULL));
    for (int i = 0; i < 50; ++i) mine[i] = i + world_rank, all[i] = -1;
    EXPECT(allport_schedule_run(some, schedule, ALLPORT_SUM, ALLPORT_INT64_T, mine, all, NULL, NULL));
    for (int i = 0; i < 50; ++i) {
      int const wanted = place == root ? i * many + sum : -1;
      CHECK(all[i] == wanted, "sum %d on root %d is %d, not %d", i, root, (int)all[i], wanted);
    }
    EXPECT(allport_schedule_free(&schedule));
  }
  EXPECT(allport_comm_free(&some));
  EXPECT(allport_machine_free(&part));
  EXPECT(allport_machine_free(&machine));
  EXPECT(allport_comm_free(&comm));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  refusals();
  blocks_run();
  parts_run();
  return finish();
}
