/* Mapping and task graphs of Allport's C interface. Include allport/allport.h. */
#ifndef ALLPORT_TASKS_H
#define ALLPORT_TASKS_H

#include <stdint.h>

#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: of a task graph, of what a task's body sees, and of who asks a graph. */
typedef struct allport_graph_s* allport_graph;
typedef struct allport_body_s* allport_body;
typedef struct allport_visitor_s* allport_visitor;

/* Where ranks should go that send each other so many messages at the same time: rank r at places[r] of the machine,
 * which has as many places as there are ranks. Message i goes from[i] to to[i] and has bytes[i]. order: a registered
 * one (docs/concepts/mapping.md); NULL: the best by predicted time. seconds: predicted for all messages. No MPI. */
int allport_map_ranks(const char* machine, int ranks, int64_t messages, const int* from, const int* to,
                      const int64_t* bytes, const char* order, int* places, double* seconds);

/* A task's identity: what kind and the numbers mean is the graph's own. */
typedef struct allport_task {
  uint16_t kind;
  uint16_t layer;
  int32_t i;
  int32_t j;
  int32_t k;
} allport_task;

/* What an edge means. */
enum allport_edge_kind {
  ALLPORT_EDGE_DATA = 0,  /* the child gets the parent's output */
  ALLPORT_EDGE_SUM = 1,   /* the child gets the sum of its contributors' outputs */
  ALLPORT_EDGE_ORDER = 2, /* no data: the child overwrites what the parent has read, on the same rank */
  ALLPORT_EDGE_SENT = 3   /* no data: likewise, after the parent's output has been sent */
};

/* From a task to a child: which of the child's inputs is which of the task's outputs. kind: of enum allport_edge_kind.
 */
typedef struct allport_edge {
  allport_task child;
  int32_t input;
  int32_t output;
  int32_t kind;
} allport_edge;

/* What members of a gang, tasks that run at the same time, communicate while they run. */
enum allport_traffic_kind {
  ALLPORT_TRAFFIC_BCAST = 0,     /* allport_body_bcast() */
  ALLPORT_TRAFFIC_REDUCE = 1,    /* allport_body_reduce() to one member */
  ALLPORT_TRAFFIC_ALLREDUCE = 2, /* allport_body_reduce() to all members */
  ALLPORT_TRAFFIC_MESSAGES = 3   /* allport_body_send(), as expected: the number depends on the data */
};

/* bytes: of each member's data; of messages, all that a member sends on average. element: bytes that are not split.
 * times: how often, one after the other; of messages, how many. kind: of enum allport_traffic_kind. root: by index
 * among the members. */
typedef struct allport_traffic {
  int64_t bytes;
  int64_t element;
  int64_t times;
  int32_t kind;
  int32_t root;
} allport_traffic;

/* Functions of a graph; allport_graph_functions says what each does. context is the graph's own. */
typedef void (*allport_graph_of_rank)(void* context, int rank, allport_visitor visitor);
typedef void (*allport_graph_of_task)(void* context, const allport_task* task, allport_visitor visitor);
typedef void (*allport_graph_of_input)(void* context, const allport_task* task, int index, allport_visitor visitor);
typedef void (*allport_graph_of_step)(void* context, int rank, int64_t step, allport_visitor visitor);
typedef int64_t (*allport_graph_count)(void* context, int rank);
typedef int (*allport_graph_number)(void* context, const allport_task* task);
typedef int (*allport_graph_choice)(void* context, const allport_task* task, int index);
typedef int64_t (*allport_graph_bytes)(void* context, const allport_task* task, int index);
typedef int64_t (*allport_graph_step)(void* context, const allport_task* task);
typedef double (*allport_graph_price)(void* context, const allport_task* task);
typedef void (*allport_graph_memory)(void* context, const allport_task* tile, void** data, int64_t* bytes);
typedef int (*allport_graph_body)(void* context, const allport_task* task, allport_body body);

/* The functions of a graph, equal on every rank, called by several threads at once; context is the graph's own. Set
 * what the graph has and NULL elsewhere: entries, owner, parents, children, count or exits, and to run body are
 * needed. */
typedef struct allport_graph_functions {
  allport_graph_of_rank entries;       /* visits the tasks of a rank that wait for nothing */
  allport_graph_of_rank exits;         /* visits the tasks of a rank that no task waits for; needed without count */
  allport_graph_count count;           /* how many tasks a rank runs */
  allport_graph_number owner;          /* the rank that runs a task */
  allport_graph_number parents;        /* how many edges lead to a task; contributions to a sum count one by one */
  allport_graph_of_task children;      /* visits the edges that leave a task */
  allport_graph_of_input contributors; /* visits the tasks whose outputs are summed into an input */
  allport_graph_bytes output;          /* bytes of a task's output; 0 where there is none */
  /* Number of parts, 1 or more, of which the output is one: outputs that go to the same tasks. Parts may take
   * different routes, so that no link has all of it. */
  allport_graph_choice parts;
  /* Visits the tiles of its own rank that a task overwrites, so that a check finds what no edge orders. A tile's name
   * is any allport_task. */
  allport_graph_of_task writes;
  /* 1 where an output is the first tile that writes visits, and is read and sent from there; else it has memory of its
   * own. Needs memory. */
  allport_graph_choice in_place;
  allport_graph_memory memory; /* address, always the same, and bytes of a tile of the calling rank */
  /* The input that an output is, in the same memory: it is passed on without a copy. The body neither asks for it nor
   * writes it. -1: the body makes the output. */
  allport_graph_choice forwards;
  /* Visits the members of the gang that a task is in, the task among them: tasks of different ranks, one a rank, that
   * run at the same time because their bodies communicate; and what they communicate. Equal for every member; visits
   * nothing where the task is alone. */
  allport_graph_of_task gang;
  /* An order that no edge runs against: tasks visits those of a rank in step 0 ... steps - 1, step is that of a task.
   * No task then runs far ahead of the slowest rank, and a run's memory is bounded. Members of a gang are in one step.
   * steps = 0: there is no such order. */
  int64_t steps;
  allport_graph_of_step tasks;
  allport_graph_step step;
  allport_graph_price priority; /* larger first */
  allport_graph_price flops;    /* floating point operations of a task, for the simulation */
  allport_graph_body body;      /* runs a task: 0, or a number that ends the run with an error on every rank */
} allport_graph_functions;

/* A graph over so many ranks. functions are copied. */
int allport_graph_create(int ranks, const allport_graph_functions* functions, void* context, allport_graph* created);
/* Frees and sets to NULL. */
int allport_graph_free(allport_graph* graph);
/* Checks that the graph is consistent: parents agree with children, every input is filled once, no cycle. No MPI. */
int allport_graph_check(allport_graph graph);
/* Predicted seconds of the graph on a machine, with so many workers a rank. No MPI. */
int allport_graph_simulate(allport_graph graph, const char* machine, int workers, double* seconds);
/* Runs it; called by all ranks of comm with equal graphs. op, type: of sums; 0 and ALLPORT_DOUBLE where there are none.
 * tasks: how many this rank has run. options: NULL, or "workers=2" (threads that run bodies). */
int allport_graph_run(allport_comm comm, allport_graph graph, int op, allport_type type, int64_t* tasks,
                      const char* options);

/* What a function of a graph gives its visitor. */
int allport_visit_task(allport_visitor visitor, const allport_task* task);
int allport_visit_edge(allport_visitor visitor, const allport_edge* edge);
int allport_visit_traffic(allport_visitor visitor, const allport_traffic* traffic);

/* What a body reads and writes; the memory is the body's until it returns. */
int allport_body_input(allport_body body, int index, const void** data, int64_t* bytes);
int allport_body_output(allport_body body, int index, void** data, int64_t* bytes);
/* Progresses communication; bodies that run long call it now and then. */
int allport_body_progress(allport_body body);

/* How the body of a gang's member communicates with the others, which run at the same time; one thread at a time. me,
 * to, from, root: index among the members, in the order in which gang visits them. After an error the body returns its
 * code, for the run has failed elsewhere. ALLPORT_ERR_UNSUPPORTED where the task is alone. */
int allport_body_gang(allport_body body, int* members, int* me);
/* data is copied, and the call returns at once. */
int allport_body_send(allport_body body, int to, const void* data, int64_t bytes);
/* Waits for what another member has sent, in that order. data is valid until the body returns. */
int allport_body_receive(allport_body body, int from, const void** data, int64_t* bytes);
/* Sends the root's data into every member's, all of one length. Called by all members. */
int allport_body_bcast(allport_body body, int root, void* data, int64_t bytes);
/* Combines the data of all members in the root's, others' data is then undefined; root = ALLPORT_ALL: in every
 * member's, with the same bits. op, type: as of allport_reduce(). The order of operands is equal on every run, though
 * not the members'. */
int allport_body_reduce(allport_body body, int root, int op, allport_type type, void* data, int64_t count);
enum { ALLPORT_ALL = -1 };

#ifdef __cplusplus
}
#endif

#endif
