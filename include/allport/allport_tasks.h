/* Loops, mapping and task graphs of Allport's C interface. Include allport/allport.h. */
#ifndef ALLPORT_TASKS_H
#define ALLPORT_TASKS_H

#include <stdint.h>

#include "allport/allport_handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: of threads that run loops together, of a task graph, of what a task's body sees, and of who asks a graph. */
typedef struct allport_team_s* allport_team;
typedef struct allport_graph_s* allport_graph;
typedef struct allport_body_s* allport_body;
typedef struct allport_visitor_s* allport_visitor;

/* Iterations first ... last - 1 of a loop; called by several threads at once. */
typedef void (*allport_loop_body)(int64_t first, int64_t last, void* context);

/* threads: the calling one and so many less one of the team's own; 0: one for each processor that it may use. */
int allport_team_create(int threads, allport_team* created);
int allport_team_size(allport_team team, int* threads);
/* Frees and sets to NULL. */
int allport_team_free(allport_team* team);
/* body for chunks of begin ... end - 1, by all threads of the team; returns when all have run. options: NULL, or
 * "schedule=dynamic chunk=16" (either): static, dynamic or guided, as OpenMP has them. */
int allport_parallel_for(allport_team team, int64_t begin, int64_t end, allport_loop_body body, void* context,
                         const char* options);

/* Where ranks should go that send each other so many messages at the same time: rank r at places[r] of the machine,
 * which has as many places as there are ranks. Message i goes from[i] to to[i] and has bytes[i]. order: a registered
 * one (docs/concepts/mapping.md); NULL: the best by predicted time. seconds: as predicted, of all messages. No MPI. */
int allport_map_ranks(const char* machine, int ranks, int64_t messages, const int* from, const int* to,
                      const int64_t* bytes, const char* order, int* places, double* seconds);

/* A task's identity: what kind and the numbers mean is the graph's own. */
typedef struct {
  uint16_t kind;
  uint16_t layer;
  int32_t i;
  int32_t j;
  int32_t k;
} allport_task;

/* What an edge carries. */
enum allport_carries {
  ALLPORT_CARRIES_DATA = 0,  /* the child gets the parent's output */
  ALLPORT_CARRIES_SUM = 1,   /* the child gets the sum of its contributors' outputs */
  ALLPORT_CARRIES_ORDER = 2, /* nothing: the child overwrites what the parent has read, on the same rank */
  ALLPORT_CARRIES_SENT = 3   /* likewise, once the parent's output has left */
};

/* From a task to a child: which of the child's inputs is which of the task's outputs. */
typedef struct {
  allport_task child;
  int32_t input;
  int32_t output;
  int32_t carries;
} allport_edge;

/* Functions of a graph, the same on every rank, called from several threads at once; context is the graph's own. */
typedef void (*allport_graph_of_rank)(void* context, int rank, allport_visitor visitor);
typedef void (*allport_graph_of_task)(void* context, const allport_task* task, allport_visitor visitor);
typedef void (*allport_graph_of_input)(void* context, const allport_task* task, int index, allport_visitor visitor);
typedef int64_t (*allport_graph_count)(void* context, int rank);
typedef int (*allport_graph_number)(void* context, const allport_task* task);
typedef int64_t (*allport_graph_bytes)(void* context, const allport_task* task, int index);
typedef double (*allport_graph_price)(void* context, const allport_task* task);
/* What a task does: 0, or a number that ends the run with an error on every rank. */
typedef int (*allport_graph_body)(void* context, const allport_task* task, allport_body body);

/* A graph of so many ranks that has no functions yet. Set entries, owner, parents, children and body at least. */
int allport_graph_create(int ranks, void* context, allport_graph* created);
/* Frees and sets to NULL. */
int allport_graph_free(allport_graph* graph);
/* Visits the tasks of a rank that wait for nothing. */
int allport_graph_set_entries(allport_graph graph, allport_graph_of_rank function);
/* Visits the tasks of a rank that nobody waits for; needed where there is no count. */
int allport_graph_set_exits(allport_graph graph, allport_graph_of_rank function);
/* How many tasks a rank runs. */
int allport_graph_set_count(allport_graph graph, allport_graph_count function);
/* The rank that runs a task. */
int allport_graph_set_owner(allport_graph graph, allport_graph_number function);
/* How many edges lead to a task; contributions to a sum count one by one. */
int allport_graph_set_parents(allport_graph graph, allport_graph_number function);
/* Visits the edges that leave a task. */
int allport_graph_set_children(allport_graph graph, allport_graph_of_task function);
/* Visits the tasks whose outputs are summed into an input. */
int allport_graph_set_contributors(allport_graph graph, allport_graph_of_input function);
/* Bytes of a task's output; 0 where there is none. */
int allport_graph_set_output(allport_graph graph, allport_graph_bytes function);
/* Larger first. */
int allport_graph_set_priority(allport_graph graph, allport_graph_price function);
/* Floating point operations of a task, for the simulation. */
int allport_graph_set_flops(allport_graph graph, allport_graph_price function);
int allport_graph_set_body(allport_graph graph, allport_graph_body function);

/* What a function of a graph says to its visitor. */
int allport_visit_task(allport_visitor visitor, const allport_task* task);
int allport_visit_edge(allport_visitor visitor, const allport_edge* edge);

/* What a body reads and writes; memory is its own until it returns. */
int allport_body_input(allport_body body, int index, const void** data, int64_t* bytes);
int allport_body_output(allport_body body, int index, void** data, int64_t* bytes);
/* Moves communication along; bodies that run long call it now and then. */
int allport_body_progress(allport_body body);

/* Whether the graph holds together: parents agree with children, every input is filled once, no cycle. No MPI. */
int allport_graph_check(allport_graph graph);
/* Seconds that the graph takes on a machine as predicted, with so many workers a rank. No MPI. */
int allport_graph_simulate(allport_graph graph, const char* machine, int workers, double* seconds);
/* Runs it; called by all ranks of comm with equal graphs. op, type: of sums; 0 and 'd' where there are none. tasks: how
 * many this rank has run. options: NULL, or "workers=2" (threads that run bodies). */
int allport_graph_run(allport_comm comm, allport_graph graph, int op, char type, int64_t* tasks, const char* options);

#ifdef __cplusplus
}
#endif

#endif
