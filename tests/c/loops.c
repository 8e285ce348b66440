/* Loops and blocks of the C interface. */
#include <allport/allport.h>

#include "expect.h"

static allport_comm comm;

struct squares {
  int64_t begin;
  int64_t* cells;
};
static void square(int64_t first, int64_t last, void* context) {
  struct squares* const s = context;
  for (int64_t i = first; i < last; ++i) s->cells[i - s->begin] += i * i;
}

static void loops(int threads) {
  allport_team team = NULL;
  int size = threads;
  char const* const options[] = {NULL, "schedule=dynamic chunk=3", "schedule=guided", "chunk=1000"};
  EXPECT(allport_team_create(&size, &team));
  CHECK(threads == 0 ? size >= 1 : size == threads, "%d threads", size);
  int64_t const ends[] = {-5, 0, 1, 1003};
  for (int o = 0; o < 4; ++o) {
    for (int e = 0; e < 4; ++e) {
      struct squares s = {-3, calloc(1100, sizeof(int64_t))};
      EXPECT(allport_parallel_for(team, -3, ends[e], square, &s, options[o]));
      for (int64_t i = -3; i < 1090; ++i) {
        int64_t const wanted = i < ends[e] ? i * i : 0;
        CHECK(s.cells[i + 3] == wanted, "iteration %d", (int)i);
      }
      free(s.cells);
    }
  }
  REFUSED(ALLPORT_ERR_ARGUMENT, "body", allport_parallel_for(team, 0, 3, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "schedule", allport_parallel_for(team, 0, 3, square, NULL, "schedule=lunar"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "chunk", allport_parallel_for(team, 0, 3, square, NULL, "chunk=-1"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "team", allport_parallel_for(NULL, 0, 3, square, NULL, NULL));
  EXPECT(allport_team_free(&team));
  CHECK(team == NULL, "a freed team");
  size = -1;
  REFUSED(ALLPORT_ERR_ARGUMENT, "threads", allport_team_create(&size, &team));
  REFUSED(ALLPORT_ERR_ARGUMENT, "threads", allport_team_create(NULL, &team));
}

/* A grid of 13 x 11 numbers, each with neighbours of weights of their own, beside the whole grid on one rank. */
enum { rows = 13, cols = 11, wide = cols + 2 };
typedef uint64_t word;
static word start_of(int64_t i, int64_t j) { return (word)(i * 7919 + j * 104729 + 1); }
static word whole[2][(rows + 2) * wide];
static word* cell(int copy, int64_t i, int64_t j) { return &whole[copy][(i + 1) * wide + j + 1]; }

static word next_of(char const* now, int64_t row, int64_t col) {
  word here, up, down, left, right;
  memcpy(&here, now, sizeof here);
  memcpy(&up, now - row, sizeof up);
  memcpy(&down, now + row, sizeof down);
  memcpy(&left, now - col, sizeof left);
  memcpy(&right, now + col, sizeof right);
  return 3 * here + 5 * up + 7 * down + 11 * left + 13 * right;
}

static int begin_whole(void) {
  for (int64_t i = -1; i <= rows; ++i) {
    for (int64_t j = -1; j <= cols; ++j) *cell(0, i, j) = *cell(1, i, j) = start_of(i, j);
  }
  return 0;
}
/* The copy that has the cells after so many more iterations. */
static int iterate_whole(int copy, int count) {
  for (int n = 0; n < count; ++n, copy = 1 - copy) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < cols; ++j) {
        *cell(1 - copy, i, j) = next_of((char const*)cell(copy, i, j), wide * sizeof(word), sizeof(word));
      }
    }
  }
  return copy;
}

static int fill(void* context, allport_block_part const* part, void const* now, void* next) {
  (void)context, (void)now;
  for (int64_t i = -1; i <= part->cells[0]; ++i) {
    for (int64_t j = -1; j <= part->cells[1]; ++j) {
      word const value = start_of(part->first[0] + i, part->first[1] + j);
      memcpy((char*)next + i * part->stride[0] + j * part->stride[1], &value, sizeof value);
    }
  }
  return 0;
}

static int relax(void* context, allport_block_part const* part, void const* now, void* next) {
  int64_t const fails_in = context == NULL ? -1 : *(int64_t*)context;
  if (part->iteration == fails_in && part->first[0] == 0 && part->first[1] == 0) return 17;
  for (int64_t i = 0; i < part->cells[0]; ++i) {
    for (int64_t j = 0; j < part->cells[1]; ++j) {
      int64_t const at = i * part->stride[0] + j * part->stride[1];
      word const value = next_of((char const*)now + at, part->stride[0], part->stride[1]);
      memcpy((char*)next + at, &value, sizeof value);
    }
  }
  return 0;
}

/* context: the copy of the whole grid to compare with. */
static int compare(void* context, allport_block_part const* part, void const* now, void* next) {
  (void)next;
  for (int64_t i = 0; i < part->cells[0]; ++i) {
    for (int64_t j = 0; j < part->cells[1]; ++j) {
      word value;
      memcpy(&value, (char const*)now + i * part->stride[0] + j * part->stride[1], sizeof value);
      if (value != *cell(*(int*)context, part->first[0] + i, part->first[1] + j)) return 1;
    }
  }
  return 0;
}

static void blocks(void) {
  int64_t const grid[] = {rows, cols}, block[] = {4, 3};
  allport_blocks blocks = NULL;
  double imbalance = 0;
  int copy = begin_whole();
  EXPECT(allport_blocks_create(comm, 2, grid, block, sizeof(word), "threads=2", &blocks));
  EXPECT(allport_blocks_visit(blocks, 1, fill, NULL));
  char const* const options[] = {NULL, "schedule=dynamic chunk=1", "schedule=guided"};
  for (int o = 0; o < 3; ++o) {
    EXPECT(allport_blocks_iterate(blocks, 3, relax, NULL, options[o]));
    copy = iterate_whole(copy, 3);
    EXPECT(allport_blocks_visit(blocks, 0, compare, &copy));
    EXPECT(allport_blocks_balance(blocks, &imbalance, o == 1 ? "balancer=greedy" : "tolerance=1.2"));
    CHECK(imbalance >= 1 - 1e-9, "%g", imbalance);
    EXPECT(allport_blocks_configure(blocks, o == 0 ? "leaders=2 members=0 block=13x2" : "leaders=1 members=1"));
    CHECK(strcmp(allport_blocks_text(blocks, "block"), "13x2") == 0, "%s", allport_blocks_text(blocks, "block"));
    EXPECT(allport_blocks_visit(blocks, 0, compare, &copy));
  }
  REFUSED_TEXT("allport_blocks_select", allport_blocks_text(blocks, "best"));
  EXPECT(allport_blocks_select(blocks, "schedules=static,guided blocks=4x3,13x11"));
  for (int step = 0; step < 20; ++step) {
    EXPECT(allport_blocks_iterate(blocks, 2, relax, NULL, NULL));
    copy = iterate_whole(copy, 2);
    EXPECT(allport_blocks_visit(blocks, 0, compare, &copy));
  }
  CHECK(strstr(allport_blocks_text(blocks, "best"), ", blocks of ") != NULL, "%s", allport_blocks_text(blocks, "best"));
  CHECK(strstr(allport_blocks_text(blocks, "explain"), "x (1 + ") != NULL, "%s",
        allport_blocks_text(blocks, "explain"));

  /* A body that fails on one rank fails on all; then the blocks are filled anew. */
  int64_t fails_in = 9 + 40 + 1;
  REFUSED(ALLPORT_ERR_ARGUMENT, "body = 17", allport_blocks_iterate(blocks, 3, relax, &fails_in, NULL));
  CHECK(strstr(allport_error(), "block 0 in iteration 50 on rank ") != NULL, "%s", allport_error());
  REFUSED(ALLPORT_ERR_ARGUMENT, "did not fail", allport_blocks_iterate(blocks, 1, relax, NULL, NULL));
  EXPECT(allport_blocks_visit(blocks, 1, fill, NULL));
  EXPECT(allport_blocks_iterate(blocks, 1, relax, NULL, NULL));
  copy = iterate_whole(begin_whole(), 1);
  EXPECT(allport_blocks_visit(blocks, 0, compare, &copy));

  REFUSED(ALLPORT_ERR_ARGUMENT, "body", allport_blocks_iterate(blocks, 1, NULL, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "count", allport_blocks_iterate(blocks, -1, relax, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "schedule", allport_blocks_iterate(blocks, 1, relax, NULL, "schedule=lunar"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "balancer", allport_blocks_balance(blocks, &imbalance, "balancer=lunar"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "tolerance", allport_blocks_balance(blocks, &imbalance, "tolerance=0"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "imbalance", allport_blocks_balance(blocks, NULL, NULL));
  REFUSED(ALLPORT_ERR_ARGUMENT, "block", allport_blocks_configure(blocks, "block=0x1"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "leaders", allport_blocks_configure(blocks, "leaders=3 members=0"));
  REFUSED(ALLPORT_ERR_ARGUMENT, "schedules", allport_blocks_select(blocks, "schedules=lunar"));
  REFUSED_TEXT("best, explain or block", allport_blocks_text(blocks, "moon"));
  EXPECT(allport_blocks_free(&blocks));
  CHECK(blocks == NULL, "freed blocks");
  REFUSED(ALLPORT_ERR_ARGUMENT, "axes", allport_blocks_create(comm, 4, grid, block, 8, NULL, &blocks));
  REFUSED(ALLPORT_ERR_ARGUMENT, "halo", allport_blocks_create(comm, 2, grid, block, 8, "halo=3", &blocks));
  REFUSED(ALLPORT_ERR_ARGUMENT, "periodic", allport_blocks_create(comm, 2, grid, block, 8, "periodic=12", &blocks));
  REFUSED(ALLPORT_ERR_ARGUMENT, "blocks", allport_blocks_iterate(NULL, 1, relax, NULL, NULL));
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  EXPECT(allport_comm_create(MPI_COMM_WORLD, NULL, &comm));
  loops(0);
  loops(1);
  loops(3);
  blocks();
  EXPECT(allport_comm_free(&comm));
  return finish();
}
