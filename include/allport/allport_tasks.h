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

/* What the members of a gang do together while they run. */
enum allport_talks {
  ALLPORT_TALKS_BCAST = 0,     /* allport_body_bcast() */
  ALLPORT_TALKS_REDUCE = 1,    /* allport_body_reduce() */
  ALLPORT_TALKS_ALLREDUCE = 2, /* allport_body_allreduce() */
  ALLPORT_TALKS_MESSAGES = 3   /* allport_body_send(), as expected: it hangs on the data */
};

/* bytes: of each member's data; of messages, of all that a member sends on average. element: bytes that are not cut
 * apart. times: so often, one after the other; of messages, how many. root: a place among the members. */
typedef struct {
  int64_t bytes;
  int64_t element;
  int64_t times;
  int32_t what;
  int32_t root;
} allport_talk;

/* Functions of a graph, the same on every rank, called from several threads at once; context is the graph's own. */
typedef void (*allport_graph_of_rank)(void* context, int rank, allport_visitor visitor);
typedef void (*allport_graph_of_task)(void* context, const allport_task* task, allport_visitor visitor);
typedef void (*allport_graph_of_input)(void* context, const allport_task* task, int index, allport_visitor visitor);
typedef int64_t (*allport_graph_count)(void* context, int rank);
typedef int (*allport_graph_number)(void* context, const allport_task* task);
typedef int64_t (*allport_graph_bytes)(void* context, const allport_task* task, int index);
typedef double (*allport_graph_price)(void* context, const allport_task* task);
typedef int (*allport_graph_flag)(void* context, const allport_task* task, int index);
typedef int (*allport_graph_parts)(void* context, const allport_task* task, int index);
typedef int (*allport_graph_forwards)(void* context, const allport_task* task, int index);
typedef void (*allport_graph_of_step)(void* context, int rank, int64_t step, allport_visitor visitor);
typedef int64_t (*allport_graph_step)(void* context, const allport_task* task);
/* Where a tile of the calling rank lies, always the same, and how long it is. */
typedef void (*allport_graph_memory)(void* context, const allport_task* tile, void** data, int64_t* bytes);
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
/* Of an output that is one of several parts of what goes to the same tasks: how many, 1 or more. They may take other
 * ways, so that no link has all of it. */
int allport_graph_set_parts(allport_graph graph, allport_graph_parts function);
/* Visits the tiles of its own rank that a task overwrites, so that a check finds what nothing orders. A tile's name is
 * any allport_task. */
int allport_graph_set_writes(allport_graph graph, allport_graph_of_task function);
/* 1 where an output lies in the first tile that set_writes names, and is read and sent from there; else it has memory
 * of its own. Needs memory. */
int allport_graph_set_in_place(allport_graph graph, allport_graph_flag function);
int allport_graph_set_memory(allport_graph graph, allport_graph_memory function);
/* The input that an output is, in the same memory: what is handed on without a copy. The body neither asks for it nor
 * writes it. -1: the body makes the output. */
int allport_graph_set_forwards(allport_graph graph, allport_graph_forwards function);
/* Visits the members of the gang that a task is in, the task among them: tasks of different ranks, one a rank, that run
 * at the same time because their bodies talk; and what they talk. The same for every member; nothing where the task is
 * alone. */
int allport_graph_set_gang(allport_graph graph, allport_graph_of_task function);
/* An order that no edge runs against: tasks visits those of a rank in step 0 ... steps - 1, step is the one that a task
 * is in. No task runs far ahead of the slowest rank then, and a run's memory is bounded. Members of a gang are in one.
 */
int allport_graph_set_steps(allport_graph graph, int64_t steps, allport_graph_of_step tasks, allport_graph_step step);
/* Larger first. */
int allport_graph_set_priority(allport_graph graph, allport_graph_price function);
/* Floating point operations of a task, for the simulation. */
int allport_graph_set_flops(allport_graph graph, allport_graph_price function);
int allport_graph_set_body(allport_graph graph, allport_graph_body function);

/* What a function of a graph says to its visitor. */
int allport_visit_task(allport_visitor visitor, const allport_task* task);
int allport_visit_edge(allport_visitor visitor, const allport_edge* edge);
int allport_visit_talk(allport_visitor visitor, const allport_talk* talk);

/* What a body reads and writes; memory is its own until it returns. */
int allport_body_input(allport_body body, int index, const void** data, int64_t* bytes);
int allport_body_output(allport_body body, int index, void** data, int64_t* bytes);
/* Moves communication along; bodies that run long call it now and then. */
int allport_body_progress(allport_body body);

/* How the body of a gang's member talks to the others, who run at the same time; by one thread at a time. me, to, from,
 * root: places among the members, in the order in which set_gang visits them. An error ends the body: return its code,
 * for the run has failed elsewhere. ALLPORT_UNSUPPORTED where the task is alone. */
int allport_body_gang(allport_body body, int* members, int* me);
/* data is copied, and the call returns at once. */
int allport_body_send(allport_body body, int to, const void* data, int64_t bytes);
/* Waits for what another member has sent, in that order. data is there until the body returns. */
int allport_body_receive(allport_body body, int from, const void** data, int64_t* bytes);
/* Sends the root's data into every member's, all of one length. Called by all members. */
int allport_body_bcast(allport_body body, int root, void* data, int64_t bytes);
/* Everyone's data combined in the root's, elsewhere rubbish. op, type: as allport_reduce()'s. The order is the same on
 * every run, though not the members'. */
int allport_body_reduce(allport_body body, int root, int op, char type, void* data, int64_t count);
/* As above, and the result on every member, with the same bits. */
int allport_body_allreduce(allport_body body, int op, char type, void* data, int64_t count);

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
