/* Collectives of the C interface in their three forms, on ranks in their order, against what each is defined to give;
   operators of its own; and what wrong arguments are answered. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

/* What rank `from` has for rank `to` at element i. */
static double value(int from, int to, int64_t i) { return from * 1000 + to * 10 + (double)(i % 7); }
static double* filled(int64_t count) {
  double* const numbers = malloc((size_t)(count > 0 ? count : 1) * sizeof(double));
  for (int64_t i = 0; i < count; ++i) numbers[i] = -1;
  return numbers;
}
static double* row_of(int from, int64_t const* lengths, int64_t total) {
  double* const row = filled(total);
  double* at_block = row;
  for (int to = 0; to < world_size; ++to) {
    for (int64_t i = 0; i < lengths[to]; ++i) *at_block++ = value(from, to, i);
  }
  return row;
}
static int64_t sum_of(int64_t const* lengths) {
  int64_t sum = 0;
  for (int r = 0; r < world_size; ++r) sum += lengths[r];
  return sum;
}
static void same(char const* what, double const* got, double const* wanted, int64_t count) {
  int64_t i = 0;
  while (i < count && got[i] == wanted[i]) ++i;
  CHECK(i == count, "%s: element %d of %d is %g, not %g", what, (int)i, (int)count, i < count ? got[i] : 0,
        i < count ? wanted[i] : 0);
}

/* The three forms; `out` has `count` elements that must become `wanted`. */
#define FORMS(name, out, wanted, count, ...)                                \
  do {                                                                      \
    allport_request request = NULL;                                         \
    int done = 0;                                                           \
    double* const before = filled(count);                                   \
    if (count > 0) memcpy(before, out, (size_t)(count) * sizeof(double));   \
    EXPECT(allport_##name(__VA_ARGS__, NULL, NULL));                        \
    same(#name, out, wanted, count);                                        \
    if (count > 0) memcpy(out, before, (size_t)(count) * sizeof(double));   \
    EXPECT(allport_##name(__VA_ARGS__, NULL, &request));                    \
    while (!done) EXPECT(allport_test(&request, &done));                    \
    CHECK(request == NULL, "a request that is done");                       \
    same("started " #name, out, wanted, count);                             \
    EXPECT(allport_##name(__VA_ARGS__, "persistent", &request));            \
    for (int time = 0; time < 3; ++time) {                                  \
      if (count > 0) memcpy(out, before, (size_t)(count) * sizeof(double)); \
      EXPECT(allport_start(&request));                                      \
      done = 0;                                                             \
      while (time == 1 && !done) EXPECT(allport_test(&request, &done));     \
      EXPECT(allport_wait(&request));                                       \
      CHECK(request != NULL, "a persistent request stays");                 \
      same("persistent " #name, out, wanted, count);                        \
    }                                                                       \
    EXPECT(allport_request_free(&request));                                 \
    CHECK(request == NULL, "freed");                                        \
    free(before);                                                           \
  } while (0)

static void even(int64_t n, int root) {
  int const me = world_rank, ranks = world_size, here = me == root;
  int64_t const bytes = n * (int64_t)sizeof(double), all = n * ranks;
  int64_t* const lengths = malloc((size_t)ranks * sizeof *lengths);
  for (int r = 0; r < ranks; ++r) lengths[r] = n;
  double *const row = row_of(me, lengths, all), *const sums = filled(all), *const column = filled(all);
  double *const roots = row_of(root, lengths, all), *const out = filled(all), *const gathered = filled(all);
  for (int64_t i = 0; i < all; ++i) {
    sums[i] = 0;
    for (int r = 0; r < ranks; ++r) sums[i] += value(r, (int)(i / n), i % n);
    column[i] = value((int)(i / n), me, i % n);
    gathered[i] = value((int)(i / n), 0, i % n);
  }
  if (here && n > 0) memcpy(out, roots, (size_t)bytes);
  FORMS(bcast, out, roots, n, comm, out, bytes, root);
  FORMS(reduce, out, here ? sums : out, n, comm, ALLPORT_SUM, ALLPORT_DOUBLE, row, here ? out : NULL, n, root);
  FORMS(allreduce, out, sums, n, comm, ALLPORT_SUM, ALLPORT_DOUBLE, row, out, n);
  FORMS(scatter, out, roots + me * n, n, comm, here ? row : NULL, out, bytes, root);
  FORMS(gather, out, here ? gathered : out, all, comm, row, here ? out : NULL, bytes, root);
  FORMS(allgather, out, gathered, all, comm, row, out, bytes);
  FORMS(reduce_scatter, out, sums + me * n, n, comm, ALLPORT_SUM, ALLPORT_DOUBLE, row, out, n);
  FORMS(alltoall, out, column, all, comm, row, out, bytes);
  free(lengths), free(row), free(sums), free(column), free(roots), free(out), free(gathered);
}

static void uneven(int64_t scale, int root) {
  int const me = world_rank, ranks = world_size, here = me == root;
  size_t const list = (size_t)ranks * sizeof(int64_t);
  int64_t *const counts = malloc(list), *const bytes = malloc(list), *const begins = malloc(list);
  int64_t *const sent = malloc(list), *const got = malloc(list), *const sent_bytes = malloc(list);
  int64_t* const got_bytes = malloc(list);
  for (int r = 0; r < ranks; ++r) {
    counts[r] = r % 3 == 1 ? 0 : scale * (r + 1);
    sent[r] = (me + r) % 4 == 3 ? 0 : scale * (me + 2 * r);
    got[r] = (me + r) % 4 == 3 ? 0 : scale * (r + 2 * me);
    bytes[r] = counts[r] * 8, sent_bytes[r] = sent[r] * 8, got_bytes[r] = got[r] * 8;
  }
  int64_t const all = sum_of(counts), mine = counts[me], in = sum_of(got);
  double *const row = row_of(me, counts, all), *const roots = row_of(root, counts, all), *const sums = filled(all);
  double *const gathered = filled(all), *const out = filled(all + in), *const parts = row_of(me, sent, sum_of(sent));
  double *const column = filled(in), *const spread = filled(all);
  double* const one = filled(mine);
  int64_t next = 0, before_me = 0;
  for (int r = 0; r < ranks; ++r) {
    if (r < me) before_me += counts[r];
    for (int64_t i = 0; i < counts[r]; ++i, ++next) {
      gathered[next] = value(r, 0, i);
      sums[next] = 0;
      for (int s = 0; s < ranks; ++s) sums[next] += value(s, r, i);
    }
  }
  next = 0;
  for (int r = 0; r < ranks; ++r) {
    for (int64_t i = 0; i < got[r]; ++i) column[next++] = value(r, me, i);
  }
  for (int64_t i = 0; i < mine; ++i) one[i] = value(me, 0, i);
  FORMS(scatterv, out, roots + before_me, mine, comm, here ? row : NULL, bytes, NULL, out, root);
  FORMS(gatherv, out, here ? gathered : out, all, comm, one, here ? out : NULL, bytes, NULL, root);
  FORMS(allgatherv, out, gathered, all, comm, one, out, bytes, NULL);
  FORMS(reduce_scatterv, out, sums + before_me, mine, comm, ALLPORT_SUM, ALLPORT_DOUBLE, row, counts, out);
  FORMS(alltoallv, out, column, in, comm, parts, sent_bytes, NULL, out, got_bytes, NULL);
  /* In reverse order. */
  next = 0;
  for (int r = ranks - 1; r >= 0; --r) {
    begins[r] = next * 8;
    for (int64_t i = 0; i < counts[r]; ++i) spread[next++] = value(r, 0, i);
  }
  FORMS(allgatherv, out, spread, all, comm, one, out, bytes, begins);
  free(counts), free(bytes), free(begins), free(sent), free(got), free(sent_bytes), free(got_bytes);
  free(row), free(roots), free(sums), free(gathered), free(out), free(parts), free(column), free(spread), free(one);
}

/* Largest magnitude and whose it is: elements of a kind that Allport does not know. */
struct largest {
  double magnitude;
  int64_t rank;
};
static void larger(void const* left, void const* right, void* out, int64_t count, void* context) {
  struct largest const *l = left, *r = right;
  struct largest* o = out;
  for (int64_t i = 0; i < count; ++i) o[i] = l[i].magnitude >= r[i].magnitude ? l[i] : r[i];
  *(int*)context = 1;
}

static void operators(void) {
  int called = 0, op = -1;
  EXPECT(allport_op_create(larger, &called, sizeof(struct largest), &op));
  struct largest mine[50], all[50];
  for (int i = 0; i < 50; ++i) mine[i] = (struct largest){(world_rank * 7 + i) % 11 + world_rank * 0.01, world_rank};
  EXPECT(allport_allreduce(comm, op, ALLPORT_TYPE_NULL, mine, all, 50, NULL, NULL));
  for (int i = 0; i < 50; ++i) {
    struct largest wanted = {-1, -1};
    for (int r = 0; r < world_size; ++r) {
      double const magnitude = (r * 7 + i) % 11 + r * 0.01;
      if (magnitude > wanted.magnitude) wanted = (struct largest){magnitude, r};
    }
    CHECK(all[i].magnitude == wanted.magnitude && all[i].rank == wanted.rank, "the largest is rank %d's",
          (int)all[i].rank);
  }
  MPI_Allreduce(MPI_IN_PLACE, &called, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD); /* who has no child does not combine */
  CHECK(called || world_size == 1, "the operator was called");
  signed char small = (signed char)(world_rank + 1), least = 0;
  EXPECT(allport_allreduce(comm, ALLPORT_MIN, ALLPORT_INT8_T, &small, &least, 1, NULL, NULL));
  CHECK(least == 1, "the least is %d", least);
  uint64_t large = UINT64_MAX - (uint64_t)world_rank, most = 0;
  EXPECT(allport_allreduce(comm, ALLPORT_MAX, ALLPORT_UINT64_T, &large, &most, 1, NULL, NULL));
  CHECK(most == UINT64_MAX, "the most is %llu", (unsigned long long)most);
  float complex z = world_rank == 0 ? I : 1, product = 0;
  EXPECT(allport_allreduce(comm, ALLPORT_PROD, ALLPORT_FLOAT_COMPLEX, &z, &product, 1, NULL, NULL));
  CHECK(product == I, "the product is %g + %gi", crealf(product), cimagf(product));
}

/* Wrong on all ranks alike: a code on all of them, and the next call is met by all. */
static void wrong_arguments(void) {
  double one[2] = {0}, all[2];
  int64_t negative[64], fours[64];
  int rank = -1, size = -1, done = 0, op = 0;
  allport_request request = NULL;
  for (int r = 0; r < 64; ++r) negative[r] = -1, fours[r] = 4;
  REFUSED(ALLPORT_ERR_ARGUMENT, "comm", allport_bcast(NULL, one, 8, 0, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "root", allport_bcast(comm, one, 8, world_size, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "bytes", allport_bcast(comm, one, -1, 0, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "buffer", allport_bcast(comm, NULL, 8, 0, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "osmosis", allport_bcast(comm, one, 8, 0, "algorithm=osmosis", NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "request", allport_bcast(comm, one, 8, 0, "persistent", NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "osmosis", allport_bcast(comm, one, 8, 0, "osmosis", NULL));
  request = (allport_request)one; /* whatever stood there */
  REFUSED(ALLPORT_ERR_ARGUMENT, "root", allport_bcast(comm, one, 8, -1, NULL, &request));
  CHECK(request == NULL, "a request of nothing");
  REFUSED(ALLPORT_ERR_ARGUMENT, "op", allport_allreduce(comm, 17, ALLPORT_DOUBLE, one, all, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "op", allport_allreduce(comm, 1017, ALLPORT_TYPE_NULL, one, all, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "complex",
          allport_allreduce(comm, ALLPORT_MAX, ALLPORT_DOUBLE_COMPLEX, one, all, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "type",
          allport_allreduce(comm, ALLPORT_SUM, (allport_type)99, one, all, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "count",
          allport_allreduce(comm, ALLPORT_SUM, ALLPORT_DOUBLE, one, all, -1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "count",
          allport_allreduce(comm, ALLPORT_SUM, ALLPORT_DOUBLE, one, all, INT64_MAX, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "output",
          allport_allreduce(comm, ALLPORT_SUM, ALLPORT_DOUBLE, one, NULL, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "output",
          allport_allreduce(comm, ALLPORT_SUM, ALLPORT_DOUBLE, one, one, 1, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "lengths", allport_allgatherv(comm, one, all, NULL, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "lengths", allport_allgatherv(comm, one, all, negative, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "begins", allport_allgatherv(comm, one, all, fours, negative, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "received", allport_alltoallv(comm, one, fours, NULL, all, NULL, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "function", allport_op_create(NULL, NULL, 8, &op));
  REFUSED(ALLPORT_ERR_ARGUMENT, "element_bytes", allport_op_create(larger, NULL, 0, &op));
  REFUSED(ALLPORT_ERR_ARGUMENT, "request", allport_wait(NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "done", allport_test(&request, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "request", allport_start(NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "request", allport_start(&request));
  EXPECT(allport_wait(&request));
  EXPECT(allport_test(&request, &done));
  CHECK(done == 1, "no request is one that is done");
  EXPECT(allport_request_free(&request));
  EXPECT(allport_comm_rank(comm, &rank, &size));
  CHECK(rank == world_rank && size == world_size, "rank %d of %d", rank, size);
  EXPECT(allport_barrier(comm, NULL, NULL));
  EXPECT(allport_barrier(comm, NULL, &request));
  REFUSED(ALLPORT_ERR_ARGUMENT, "persistent", allport_start(&request));
  EXPECT(allport_wait(&request));
  EXPECT(allport_barrier(comm, "algorithm=dissemination persistent", &request));
  EXPECT(allport_wait(&request));
  CHECK(request != NULL, "what was not started is done");
  EXPECT(allport_start(&request));
  EXPECT(allport_wait(&request));
  EXPECT(allport_request_free(&request));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  CHECK(strcmp(allport_version(), "0.0.0") > 0, "version %s", allport_version());
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  int64_t const counts[] = {0, 1, 7, 1000, 5001};
  for (int root = 0; root<world_size; root += world_size> 1 ? world_size - 1 : 1) {
    for (int c = 0; c < 5; ++c) even(counts[c], root);
    for (int c = 0; c < 3; ++c) uneven(counts[c] * (c == 2 ? 40 : 1), root);
  }
  operators();
  wrong_arguments();
  EXPECT(allport_comm_free(&comm));
  return finish();
}
