/* Allport's C interface: communicators and distributions; the other parts are the headers that this one includes.
 *
 * Every function returns 0 or a code of enum allport_code; allport_error() has the message. Functions that return a
 * text return NULL on an error. All ranks of a communicator make the same calls in the same order. Indices, sizes and
 * counts are 64-bit. Handles are freed by the caller, before MPI_Finalize. */
#ifndef ALLPORT_H
#define ALLPORT_H

#include <mpi.h>
#include <stdint.h>

#include "allport/allport_collectives.h"
#include "allport/allport_linalg.h"
#include "allport/allport_loops.h"
#include "allport/allport_plans.h"
#include "allport/allport_tasks.h"
#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* machine: a spec such as "torus:4x4" or the path of a machine file; NULL: the environment's ALLPORT_MACHINE, else a
 * machine without known links. Rank i of comm is rank i of the machine, x-fastest. */
int allport_comm_create(MPI_Comm comm, const char* machine, allport_comm* created);
/* The same from a communicator of Fortran's. */
int allport_comm_create_fortran(MPI_Fint comm, const char* machine, allport_comm* created);
/* Some ranks of comm, in this order, on the part of the machine where they are (allport_machine_part()). Exactly these
 * ranks call it. */
int allport_comm_part(allport_comm comm, int ranks, const int* members, allport_comm* created);
/* Frees and sets to NULL. */
int allport_comm_free(allport_comm* comm);
/* This process's rank, and how many ranks there are. */
int allport_comm_rank(allport_comm comm, int* rank, int* size);
/* The machine of a communicator with its ranks where they are: what plans for it are made on. */
int allport_comm_machine(allport_comm comm, allport_machine* created);

/* A block-cyclic distribution as ScaLAPACK has it: rows x cols in blocks of row_block x col_block over a grid of
 * grid_rows x grid_cols ranks, the first block on process row first_row and column first_col. The process at (r, c) is
 * rank r + c * grid_rows (order 'C', column-major) or r * grid_cols + c ('R'). Local parts are column-major. */
int allport_distribution_cyclic(int64_t rows, int64_t cols, int64_t row_block, int64_t col_block, int grid_rows,
                                int grid_cols, int first_row, int first_col, char order, allport_distribution* created);
/* Extents of a rank's local part: [*rows x *cols]. */
int allport_distribution_local(allport_distribution distribution, int rank, int64_t* rows, int64_t* cols);
/* Frees and sets to NULL. */
int allport_distribution_free(allport_distribution* distribution);

#ifdef __cplusplus
}
#endif

#endif
