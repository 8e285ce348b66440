/* What the programs about systems A X = B share: where A and B lie, and what calls with a wrong argument say. */
#include "check.h"

/* Sources, leading dimensions, and rows and columns beyond those of A and B that a system needs. */
static void place_system(struct matrix* a, struct matrix* b, struct grid const* g) {
  a->m += between(0, 5);
  a->n += between(0, 5);
  b->m += between(0, 5);
  b->n += between(0, 5);
  if (a->m < 1) a->m = 1;
  if (a->n < 1) a->n = 1;
  if (b->m < 1) b->m = 1;
  if (b->n < 1) b->n = 1;
  a->rsrc = b->rsrc = between(0, 1000);
  a->csrc = between(0, 1000);
  b->csrc = between(0, 1000);
  int const gap = between(0, 2);
  if (g->rows < 1) return; /* outside: only to draw the same numbers */
  a->rsrc %= g->rows;
  b->rsrc %= g->rows;
  a->csrc %= g->cols;
  b->csrc %= g->cols;
  describe(a, g, 1, gap);
  describe(b, g, 1, 2 - gap);
}

/* What a call with a wrong argument said: in INFO, and to the error handler. */
struct complaint {
  int info, told, told_info;
  char name[16];
};
static struct complaint complaint_of(int info) {
  struct complaint said = {info, told, told_info, {0}};
  memcpy(said.name, told_name, 16);
  return said;
}
static void compare_complaints(struct complaint theirs, struct complaint ours, int wrong, int routine) {
  CHECK(theirs.info == ours.info, "wrong %d, routine %d: INFO %d, ScaLAPACK's %d", wrong, routine, ours.info,
        theirs.info);
  CHECK(theirs.told == ours.told && theirs.told_info == ours.told_info,
        "wrong %d, routine %d: pxerbla_ %d times, %d, ScaLAPACK's %d, %d", wrong, routine, ours.told, ours.told_info,
        theirs.told, theirs.told_info);
  if (ours.told) CHECK(strcmp(theirs.name, ours.name) == 0, "pxerbla_ was told %s, not %s", ours.name, theirs.name);
}
