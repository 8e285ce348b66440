/* Machines, schedules and plans of Allport's C interface: what will run, how long it will take, and why, before
 * anything runs. Only functions with a communicator call MPI. Include allport/allport.h.
 *
 * Handles never change after they are made, so that several threads may use one at the same time; the thread that frees
 * one must be the last to use it. A plan of getrf is run by one thread at a time. A text is valid until its handle is
 * freed. Times are in seconds, lengths in bytes. */
#ifndef ALLPORT_PLANS_H
#define ALLPORT_PLANS_H

#include <stdint.h>

#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: a machine and where ranks are on it, a schedule, and a plan of a product or factorization. */
typedef struct allport_machine_s* allport_machine;
typedef struct allport_schedule_s* allport_schedule;
typedef struct allport_plan_s* allport_plan;

/* The machine of a spec such as "torus:4x4/ppn=2", of a preset such as "bgp:8x8x8", of a machine file, or of a machine
 * file's text (TOML, docs/reference/machine-file.md; a text has more than one line): rank r at place r, x-fastest.
 * ALLPORT_ERR_MACHINE names what is wrong. */
int allport_machine_create(const char* spec, allport_machine* created);
/* The same machine with rank r at places[r], a permutation of 0 ... ranks - 1. */
int allport_machine_placed(allport_machine machine, const int* places, allport_machine* created);
/* Some ranks of a machine, all different: schedules made for it are among these ranks only, members[i] being their rank
 * i, on the box of the machine that they fill, or else over trees among their places. They run on allport_comm_part()
 * of the same members. All queries answer for the whole machine, and plans for a part are ALLPORT_ERR_UNSUPPORTED. */
int allport_machine_part(allport_machine machine, int ranks, const int* members, allport_machine* created);
/* Frees and sets to NULL; schedules and plans that were made for it stay. */
int allport_machine_free(allport_machine* machine);

/* What a machine has. links: directed ones, dead ones included. ranks = nodes * ranks_per_node. lengths, wraps: of each
 * axis; wraps: 1 where the axis is a ring, 0 where it is open at both ends. */
typedef struct allport_machine_info {
  int nodes;
  int ranks_per_node;
  int ranks;
  int axes;
  int lengths[8];
  int wraps[8];
  int64_t links;
} allport_machine_info;
/* Writes what a machine has. */
int allport_machine_query(allport_machine machine, allport_machine_info* info);
/* The directed link that leaves a node by a port (2 * axis, + 1 for the positive direction). neighbour: the node at its
 * end, -1 where there is no link. bandwidth: bytes/s. latency: seconds of a hop. works: 0 where the link is dead. */
int allport_machine_link(allport_machine machine, int node, int port, int* neighbour, double* bandwidth,
                         double* latency, int* works);
/* Links of the shortest route between two nodes. */
int allport_machine_hops(allport_machine machine, int from_node, int to_node, int* hops);
/* what: "name": the spec, or the name that the machine file gives; "json": what `allport machine show --json` prints;
 * "toml": the text of a machine file, which allport_machine_create() reads back to an equal machine. */
const char* allport_machine_text(allport_machine machine, const char* what);

/* Registered algorithms, the program's own included, by index from 0 on; NULL behind the last. of: a collective
 * ("bcast", "allreduce", ...), "gemm" or "lu". what: "name", or "summary": a sentence with its source. With of =
 * "machine" the built-in machines. Valid until the program ends. */
const char* allport_algorithm_text(const char* of, int index, const char* what);

/* The schedule of a collective over all ranks of a machine. bytes: of the message, or of one rank's block; 0 for a
 * barrier. blocks: NULL, or for blocks of different lengths the bytes of each rank's block (scatter, gather, allgather,
 * reduce_scatter), or for alltoall from rank s to rank r at s * ranks + r; bytes is then not used. root: 0 where there
 * is none. options: NULL, or "algorithm=rectangular segment=65536 window=2 element=8" (any of them): the others are
 * chosen by predicted time (window is 2, element 1: bytes that are never split, 8 for sums of doubles).
 * ALLPORT_ERR_UNSUPPORTED with every candidate's reason where none can serve. */
int allport_schedule_create(allport_machine machine, const char* collective, int64_t bytes, const int64_t* blocks,
                            int root, const char* options, allport_schedule* created);
/* From the "json" of allport_schedule_text(): the same schedule, for no machine in particular. ALLPORT_ERR_IO names the
 * entry that is wrong. */
int allport_schedule_from_json(const char* text, allport_schedule* created);
/* Frees and sets to NULL. */
int allport_schedule_free(allport_schedule* schedule);

/* What a schedule has. seconds: predicted. bound: no schedule takes less. mpi: predicted for MPI's own collective. Each
 * is -1 where it is not known. bytes: of the message, or of the longest block. segment: largest number of bytes that
 * travel at once. window: segments in flight on a stream. trees: spanning trees, or other parallel parts. The last
 * four: messages and bytes of the rank that was asked for; 0 for rank -1. */
typedef struct allport_schedule_info {
  double seconds;
  double bound;
  double mpi;
  int ranks;
  int root;
  int window;
  int trees;
  int64_t bytes;
  int64_t segment;
  int64_t messages_sent;
  int64_t bytes_sent;
  int64_t messages_received;
  int64_t bytes_received;
} allport_schedule_info;
/* Writes what a schedule has. rank: whose messages are counted; -1: nobody's. */
int allport_schedule_query(allport_schedule schedule, int rank, allport_schedule_info* info);
/* what: "collective" or "algorithm": a name; "reason": why the algorithm was chosen, in lines, with every algorithm's
 * predicted time and why others cannot serve, empty for a schedule from JSON; "choice": the same as JSON, as `allport
 * explain --json` prints it; "json": contract and operations of every rank (docs/reference/exchange.md). */
const char* allport_schedule_text(allport_schedule schedule, const char* what);
/* Proves that every rank gets what the collective promises, once, without deadlock and races; else
 * ALLPORT_ERR_SCHEDULE with the first counterexample. on: a machine; NULL: that which the schedule was made for. */
int allport_schedule_verify(allport_schedule schedule, allport_machine on);
/* Seconds on a simulated machine, segment by segment. on: as above. options: NULL, or "sharing=fair overheads=serial
 * engine=events eager=4096 header=64" (any of them; docs/reference/cli.md, allport simulate). */
int allport_schedule_simulate(allport_schedule schedule, allport_machine on, const char* options, double* seconds);
/* Runs a schedule on a communicator of as many ranks, which all call. op, type: of reductions, as of
 * allport_allreduce(); else 0 and ALLPORT_TYPE_NULL. input, output: as the collective has them, NULL where it has none;
 * a bcast has its message in output. Blocks are ordered by place in the communicator's machine, that is by rank unless
 * ranks were placed elsewhere. options: NULL or "persistent"; request: as of collectives. ALLPORT_ERR_ARGUMENT where
 * the sizes of elements differ. */
int allport_schedule_run(allport_comm comm, allport_schedule schedule, int op, allport_type type, const void* input,
                         void* output, const char* options, allport_request* request);

/* A plan of an operation of allport_linalg.h: how it will be done on a machine, chosen by predicted time among all that
 * options leave open. Problems are given as to LAPACK's ILAENV: operation, its character arguments in one string, its
 * extents.
 *   "gemm"   letters: trans_a and trans_b, as "NT"; op(A) m x k, op(B) k x n
 *            "algorithm=summa25 grid=2x2x2 order=jil panel=256 memory=1073741824 tree=binomial"
 *   "getrf"  no letters; A m x n
 *            "algorithm=2.5d grid=2x2x2 order=ijl panel=64 nb=128 outer_panel=256 memory=1073741824
 *             tree=binomial pivoting=partial" (or tournament or none)
 *   "potrf"  letters: uplo, as "L"; A n x n, m = n
 *            "grid=4x4 order=ij nb=256 workers=2 memory=1073741824"
 *   "geqrf"  no letters; A m x n; options as of potrf
 * k: of gemm only, else 0. given: the distribution of A, so that moving it is priced; NULL: as the plan wants it,
 * always for gemm. memory: bytes that a rank may use. tree: the multicast tree of panels that several ranks need: axes,
 * binomial, prefix, chain or flat. ALLPORT_ERR_MEMORY with bytes needed and available where nothing fits;
 * ALLPORT_ERR_MACHINE where potrf or geqrf need flop/s that the machine does not state. Plans of potrf and geqrf count
 * ranks as if rank r were at place r. */
int allport_plan_create(allport_machine machine, const char* operation, allport_type type, const char* letters,
                        int64_t m, int64_t n, int64_t k, allport_distribution given, const char* options,
                        allport_plan* created);
/* Frees and sets to NULL. */
int allport_plan_free(allport_plan* plan);

/* What a plan says. seconds: predicted, moving A included where it was given. rows, cols, layers: the process grid;
 * potrf and geqrf have one layer. panel: columns of a panel (gemm, getrf), or order of a tile (potrf, geqrf). memory:
 * largest number of bytes on a rank, its parts of the matrices and work space. words, messages: elements and messages
 * sent or received by the busiest rank; -1 where a graph of more than 4 million tasks was not counted. bound_words: no
 * algorithm moves fewer with that memory; 0: not known. */
typedef struct allport_plan_info {
  double seconds;
  int rows;
  int cols;
  int layers;
  int64_t panel;
  int64_t memory;
  int64_t words;
  int64_t messages;
  double bound_words;
} allport_plan_info;
/* Writes what a plan says. */
int allport_plan_query(allport_plan plan, allport_plan_info* info);
/* what: "algorithm": a name of allport_algorithm_text(), "tiles" of potrf and geqrf; "json": everything, as `allport
 * plan gemm --json` and its like print it. */
const char* allport_plan_text(allport_plan plan, const char* what);
/* Where the plan wants a matrix, so that nothing is redistributed: which is 'A', 'B' or 'C' of gemm, 'A' of the others.
 */
int allport_plan_distribution(allport_plan plan, char which, allport_distribution* created);
/* Seconds of a run as planned on the plan's machine, simulated task by task and message by message, but without moving
 * A. options: NULL, or "workers=2 segment=65536" (threads of a rank, those of the plan where this does not say; bytes
 * that a relay has before it passes them on). Memory and time grow with the tasks that wait at one time.
 * ALLPORT_ERR_UNSUPPORTED for Cannon's algorithm, and for ranks that were placed elsewhere. A plan of getrf is
 * simulated by one thread at a time. */
int allport_plan_simulate(allport_plan plan, const char* options, double* seconds);

#ifdef __cplusplus
}
#endif

#endif
