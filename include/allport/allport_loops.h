/* Loops of Allport's C interface. Include allport/allport.h. */
#ifndef ALLPORT_LOOPS_H
#define ALLPORT_LOOPS_H

#include <stdint.h>

#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handle of threads that run loops together. */
typedef struct allport_team_s* allport_team;

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

#ifdef __cplusplus
}
#endif

#endif
