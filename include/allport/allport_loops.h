/* Loops of Allport's C interface. Include allport/allport.h. */
#ifndef ALLPORT_LOOPS_H
#define ALLPORT_LOOPS_H

#include <stdint.h>

#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: of threads that run loops together, and of a grid in blocks that ranks own. */
typedef struct allport_team_s* allport_team;
typedef struct allport_blocks_s* allport_blocks;

/* Iterations first ... last - 1 of a loop; called by several threads at once. */
typedef void (*allport_loop_body)(int64_t first, int64_t last, void* context);

/* threads: how many, the calling one included; 0: one for each processor that it may use, and the number is written
 * there. */
int allport_team_create(int* threads, allport_team* created);
/* Frees and sets to NULL. */
int allport_team_free(allport_team* team);
/* body for chunks of begin ... end - 1, by all threads of the team; returns when all have run. options: NULL, or
 * "schedule=dynamic chunk=16" (either): static, dynamic or guided, as OpenMP has them. */
int allport_parallel_for(allport_team team, int64_t begin, int64_t end, allport_loop_body body, void* context,
                         const char* options);

/* Rows of a block, along its outermost axis, that one thread computes: all of them, or the chunk of a loop. first: the
 * grid's index of the part's first cell. cells: along each axis. stride: bytes between neighbours along each axis. Of
 * axes that are not there cells are 1 and the others 0. */
typedef struct allport_block_part {
  int64_t block;
  int64_t iteration;
  int64_t first[3];
  int64_t cells[3];
  int64_t stride[3];
} allport_block_part;

/* now: the part's first cell in this iteration; around it lie the block's other cells, and its halo: its neighbours'
 * cells, or the border of the grid. next: the same cell of the next iteration, which the body writes. Called by several
 * threads at once. 0, or a number that ends the iteration with an error on every rank. */
typedef int (*allport_block_body)(void* context, const allport_block_part* part, const void* now, void* next);

/* A grid of 1 to 3 axes, the outermost first, in blocks of `block` cells (the last one along an axis has what is left),
 * which the ranks own; an element has element_bytes. All cells are 0. options: NULL, or some of "halo=2" (layers of
 * cells that a block sees of its neighbours; 1), "periodic=101" (by axis), "threads=4" (of this rank; its share of the
 * cores). Called by all ranks, as the functions below are; the handle is freed before comm is. */
int allport_blocks_create(allport_comm comm, int axes, const int64_t* grid, const int64_t* block, int64_t element_bytes,
                          const char* options, allport_blocks* created);
/* Frees and sets to NULL. */
int allport_blocks_free(allport_blocks* blocks);
/* Calls body for each block of this rank, whole. fills = 1: it writes all cells through next, with those of the halo
 * around them; 0: it reads them through now. Not collective, but every rank fills. */
int allport_blocks_visit(allport_blocks blocks, int fills, allport_block_body body, void* context);
/* count iterations: body for each block and iteration, as soon as its neighbours' faces are there, in chunks of rows by
 * the threads of its team. options: NULL, or as those of allport_parallel_for(). */
int allport_blocks_iterate(allport_blocks blocks, int64_t count, allport_block_body body, void* context,
                           const char* options);
/* Moves blocks to other ranks by the times that they took. imbalance: most over mean before, by measured times.
 * options: NULL, or some of "balancer=refine" (or greedy), "tolerance=1.05". */
int allport_blocks_balance(allport_blocks blocks, double* imbalance, const char* options);
/* Other teams, or blocks of another size, from the next iteration on: "leaders=2 members=1 block=64x128", of which
 * either may be left out. */
int allport_blocks_configure(allport_blocks blocks, const char* options);
/* From now on each allport_blocks_iterate() runs in a configuration that is chosen by measured times, within a bounded
 * loss: all shapes of the teams with "schedules=static,dynamic" (or guided) and "blocks=32x50,64x100" (the sizes to
 * try; as they are). The first is the standard. site=NAME: results are stored under that name in ALLPORT_SELECT_FILE.
 */
int allport_blocks_select(allport_blocks blocks, const char* options);
/* "best": the configuration that is best so far; "explain": the time of each, or why it was not tried; "block": the
 * size of blocks, such as "32x50". */
const char* allport_blocks_text(allport_blocks blocks, const char* what);

#ifdef __cplusplus
}
#endif

#endif
