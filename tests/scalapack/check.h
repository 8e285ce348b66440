/* What the plain C programs share: BLACS and ScaLAPACK by their names, the originals beside whatever stands before
   them, a small generator, and counts of what went wrong. Nothing of ours is seen here. */
#ifndef CHECK_H
#define CHECK_H

#define _GNU_SOURCE
#include <dlfcn.h>

#include "../c/numbers.h"

extern void Cblacs_get(int, int, int*);
extern void Cblacs_gridinit(int*, char const*, int, int);
extern void Cblacs_gridmap(int*, int*, int, int, int);
extern void Cblacs_gridinfo(int, int*, int*, int*, int*);
extern void Cblacs_gridexit(int);
extern int numroc_(int const*, int const*, int const*, int const*, int const*);

/* ScaLAPACK's own routine, past whatever was preloaded. */
static void* original(char const* name) {
  static void* library;
  if (library == NULL) library = dlopen(SCALAPACK_LIBRARY, RTLD_LAZY);
  void* found = library == NULL ? NULL : dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "%s: no %s\n", SCALAPACK_LIBRARY, name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return found;
}

/* Error handlers of this program's own, which ScaLAPACK calls in place of those that print and end the job. */
static int told, told_info;
static char told_name[16];
static void note(char const* name, size_t length, int info) {
  ++told;
  told_info = info;
  memset(told_name, 0, sizeof told_name);
  memcpy(told_name, name, length < 15 ? length : 15);
}
void pxerbla_(int const* context, char const* name, int const* info, size_t length) {
  (void)context;
  note(name, length, *info);
}
void PB_Cabort(int context, char* name, int info) {
  (void)context;
  note(name, strlen(name), info);
}
void PB_Cwarn(int context, int line, char* name, char* form, ...) { (void)context, (void)line, (void)name, (void)form; }

/* A block-cyclic matrix in this process. */
struct matrix {
  int desc[11]; /* type 1 or 2 */
  int m, n, imb, inb, mb, nb, rsrc, csrc;
  int rows, cols, ld; /* local */
};
/* All of a replicated axis is everywhere. */
enum { REPLICATED = -1 };
static int local_count(int n, int first_block, int block, int me, int source, int parts) {
  if (source == REPLICATED) return n;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    int const b = i < first_block ? 0 : 1 + (i - first_block) / block;
    count += (source + b) % parts == me;
  }
  return count;
}
/* Global index of local index l, or -1. */
static int global_of(int l, int n, int first_block, int block, int me, int source, int parts) {
  if (source == REPLICATED) return l < n ? l : -1;
  for (int i = 0; i < n; ++i) {
    int const b = i < first_block ? 0 : 1 + (i - first_block) / block;
    if ((source + b) % parts == me && l-- == 0) return i;
  }
  return -1;
}
struct grid {
  int context, rows, cols, row, col;
};
static void describe(struct matrix* x, struct grid const* g, int type, int gap) {
  if (type == 1) x->imb = x->mb, x->inb = x->nb;
  x->rows = local_count(x->m, x->imb, x->mb, g->row, x->rsrc, g->rows);
  x->cols = local_count(x->n, x->inb, x->nb, g->col, x->csrc, g->cols);
  x->ld = (x->rows > 1 ? x->rows : 1) + gap;
  int const one[] = {1, g->context, x->m, x->n, x->mb, x->nb, x->rsrc, x->csrc, x->ld};
  int const two[] = {2, g->context, x->m, x->n, x->imb, x->inb, x->mb, x->nb, x->rsrc, x->csrc, x->ld};
  memcpy(x->desc, type == 1 ? one : two, type == 1 ? sizeof one : sizeof two);
}
static int global_row(struct matrix const* x, struct grid const* g, int l) {
  return global_of(l, x->m, x->imb, x->mb, g->row, x->rsrc, g->rows);
}
static int global_col(struct matrix const* x, struct grid const* g, int l) {
  return global_of(l, x->n, x->inb, x->nb, g->col, x->csrc, g->cols);
}

/* Grid number `which` over all or some of the ranks; 0 when there are no more. Ranks outside get context -1. */
static int open_grid(int which, struct grid* g) {
  int const p = world_size;
  for (int q = 1; q <= p; ++q) {
    if (p % q != 0) continue;
    for (int order = 0; order < (q == 1 ? 1 : 2); ++order) {
      if (which-- != 0) continue;
      Cblacs_get(0, 0, &g->context);
      Cblacs_gridinit(&g->context, order == 0 ? "Row" : "Col", q, p / q);
      Cblacs_gridinfo(g->context, &g->rows, &g->cols, &g->row, &g->col);
      return 1;
    }
  }
  if (p > 1 && which-- == 0) { /* all but one, backwards */
    int map[64];
    for (int r = 0; r < p - 1; ++r) map[r] = p - 1 - r;
    Cblacs_get(0, 0, &g->context);
    Cblacs_gridmap(&g->context, map, 1, 1, p - 1);
    Cblacs_gridinfo(g->context, &g->rows, &g->cols, &g->row, &g->col);
    return 1;
  }
  return 0;
}

/* On every grid: calls that are drawn, `cases` of them or as many as the command line says, then `once`. */
static inline int on_every_grid(int argc, char** argv, int cases, void (*drawn)(struct grid const*, int inside),
                                void (*once)(struct grid const*, int which, int inside)) {
  if (argc > 1) cases = atoi(argv[1]);
  struct grid g;
  for (int which = 0; open_grid(which, &g); ++which) {
    int const inside = g.context >= 0 && g.rows > 0;
    for (int c = 0; c < cases; ++c) drawn(&g, inside);
    once(&g, which, inside);
    if (inside) Cblacs_gridexit(g.context);
  }
  return finish();
}

#endif
