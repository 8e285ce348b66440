/* Machines, schedules and plans of Allport's C interface: what will run, what it will take, and why, known before
 * anything runs. Only functions with a communicator among their arguments call MPI. Include allport/allport.h.
 *
 * Handles never change once they are made, so that several threads may use one at the same time; who frees one must be
 * the last who uses it. A plan of getrf is run by one thread at a time. Errors are the calling thread's own, as
 * everywhere. Functions that give a text give NULL where something is wrong, and allport_error() says what; a text is
 * valid until its handle is freed. Times are seconds, lengths bytes. */
#ifndef ALLPORT_PLANS_H
#define ALLPORT_PLANS_H

#include <stdint.h>

#include "allport/allport_handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: of a machine and where ranks are on it, of a schedule, and of how a product or factorization will be done.
 */
typedef struct allport_machine_s* allport_machine_handle;
typedef struct allport_schedule_s* allport_schedule_handle;
typedef struct allport_plan_s* allport_plan_handle;

/* The machine of a spec such as "torus:4x4/ppn=2", of a preset such as "bgp:8x8x8", or of a machine file: rank r at
 * place r, x-fastest. ALLPORT_MACHINE where it cannot be read. */
int allport_machine_create(const char* spec, allport_machine_handle* created);
/* From the text of a machine file (TOML, docs/reference/machine-file.md). ALLPORT_MACHINE naming what is wrong. */
int allport_machine_from_toml(const char* text, allport_machine_handle* created);
/* What a communicator is on its machine, with its ranks where they are: what its plans are made for. */
int allport_comm_machine(allport_comm comm, allport_machine_handle* created);
/* The same machine with rank r at places[r], a permutation of 0 ... ranks - 1. */
int allport_machine_placed(allport_machine_handle machine, const int* places, allport_machine_handle* created);
/* Some ranks of a machine, different ones: schedules that are made for this are theirs alone, members[i] their rank i,
 * on the box of the machine that they fill, or else over trees among their places. They run on allport_comm_part() of
 * the same members. Everything else that this says is the machine's, and nothing else is planned for it:
 * ALLPORT_UNSUPPORTED. */
int allport_machine_part(allport_machine_handle machine, int ranks, const int* members,
                         allport_machine_handle* created);
/* Frees and sets to NULL; schedules and plans that were made for it stay. */
int allport_machine_free(allport_machine_handle* machine);
/* The spec, or the name that the machine file gives. */
const char* allport_machine_name(allport_machine_handle machine);
/* links: directed ones, dead ones included. ranks = nodes * ranks_per_node. */
int allport_machine_size(allport_machine_handle machine, int* nodes, int* ranks_per_node, int* ranks, int64_t* links);
/* axes: how many there are, 8 at most. lengths, wraps: 8 numbers each, of which so many are written; wraps: 1 where an
 * axis is a ring, 0 where it is open at both ends. */
int allport_machine_extents(allport_machine_handle machine, int* axes, int* lengths, int* wraps);
/* The directed link that leaves a node by a port (2 * axis, + 1 for the positive direction). neighbour: the node behind
 * it, -1 where there is no link. bandwidth: bytes/s. latency: seconds of a hop. works: 0 where the link is dead. */
int allport_machine_link(allport_machine_handle machine, int node, int port, int* neighbour, double* bandwidth,
                         double* latency, int* works);
/* Links of the shortest way between two nodes. */
int allport_machine_hops(allport_machine_handle machine, int from_node, int to_node, int* hops);
/* What `allport machine show --json` prints. */
const char* allport_machine_json(allport_machine_handle machine);
/* The machine file's text, which allport_machine_from_toml() reads back to an equal machine. */
const char* allport_machine_toml(allport_machine_handle machine);
/* Names of built-in machines, from index 0 on; NULL behind the last. */
const char* allport_machine_preset(int index);

/* Names of the algorithms of a collective ("bcast", "allreduce", ...), of "gemm" or of "lu", from index 0 on, those
 * that the program added among them; NULL behind the last. Valid as long as the program runs. */
const char* allport_algorithm_name(const char* of, int index);
/* What it does, in a sentence, with its source. */
const char* allport_algorithm_summary(const char* of, const char* name);

/* The schedule of a collective over all ranks of a machine. bytes: of the message, or of one rank's block; 0 of a
 * barrier. root: a rank; 0 where there is none. options: NULL, or "algorithm=rectangular segment=65536 window=2
 * element=8" (any of them): what is not given is chosen by predicted time (window is 2, element 1: bytes that are never
 * cut apart, 8 for sums of doubles). ALLPORT_UNSUPPORTED with every candidate's reason where none can serve. */
int allport_schedule_create(allport_machine_handle machine, const char* collective, int64_t bytes, int root,
                            const char* options, allport_schedule_handle* created);
/* The same with blocks of different lengths. lengths: bytes of each rank's block, as many as there are ranks: scattered
 * to it, gathered from it, reduced and scattered to it; of an alltoall bytes from rank s to rank r at s * ranks + r. */
int allport_schedule_create_v(allport_machine_handle machine, const char* collective, const int64_t* lengths, int root,
                              const char* options, allport_schedule_handle* created);
/* From what allport_schedule_json() gave: the same schedule, for no machine in particular. ALLPORT_IO naming the entry
 * that is wrong. */
int allport_schedule_from_json(const char* text, allport_schedule_handle* created);
/* Frees and sets to NULL. */
int allport_schedule_free(allport_schedule_handle* schedule);
/* "bcast", "reduce", ... */
const char* allport_schedule_collective(allport_schedule_handle schedule);
const char* allport_schedule_algorithm(allport_schedule_handle schedule);
/* Why it was chosen, in lines: every algorithm's price, and why others cannot serve. Empty for one from JSON. */
const char* allport_schedule_reason(allport_schedule_handle schedule);
/* The same as JSON, as `allport explain --json` prints it. */
const char* allport_schedule_choice(allport_schedule_handle schedule);
/* seconds: predicted. bound: no schedule takes less. mpi: predicted of MPI's own collective. -1 each where none is
 * known. */
int allport_schedule_seconds(allport_schedule_handle schedule, double* seconds, double* bound, double* mpi);
/* bytes: of the message, or of the longest block. segment: bytes at most that travel at once. window: segments in
 * flight a stream. trees: spanning trees, or other parallel parts. */
int allport_schedule_shape(allport_schedule_handle schedule, int* ranks, int* root, int64_t* bytes, int64_t* segment,
                           int* window, int* trees);
/* Messages and bytes that a rank sends and receives. */
int allport_schedule_traffic(allport_schedule_handle schedule, int rank, int64_t* messages_sent, int64_t* bytes_sent,
                             int64_t* messages_received, int64_t* bytes_received);
/* Proves that every rank gets what it shall, once, without deadlock and races: ALLPORT_SCHEDULE with the first
 * counterexample where that is not so. on: a machine; NULL: the one that the schedule was made for. */
int allport_schedule_verify(allport_schedule_handle schedule, allport_machine_handle on);
/* Seconds on a simulated machine, segment by segment. on as above. options: NULL, or "sharing=fair
 * overheads=serial engine=events eager=4096 header=64" (any of them; docs/reference/cli.md, allport simulate). */
int allport_schedule_simulate(allport_schedule_handle schedule, allport_machine_handle on, const char* options,
                              double* seconds);
/* What allport_schedule_from_json() reads: the contract and every rank's operations (docs/reference/exchange.md). */
const char* allport_schedule_json(allport_schedule_handle schedule);

/* Runs a schedule on a communicator of as many ranks, which all call. op, type: of reductions, as
 * allport_allreduce()'s; 0 and ' ' where there are none. input, output: as the collective has them, NULL where it has
 * none; of a bcast the message is in output. Blocks lie by place in the communicator's machine, which is by rank unless
 * ranks were placed elsewhere. ALLPORT_ARGUMENT where the sizes of elements differ. */
int allport_schedule_run(allport_comm comm, allport_schedule_handle schedule, int op, char type, const void* input,
                         void* output);
/* Starts it: done after allport_wait(). */
int allport_schedule_start(allport_comm comm, allport_schedule_handle schedule, int op, char type, const void* input,
                           void* output, allport_transfer* created);
/* Makes what allport_start() starts again and again. */
int allport_schedule_prepare(allport_comm comm, allport_schedule_handle schedule, int op, char type, const void* input,
                             void* output, allport_persistent* created);

/* How C = op(A) op(B) will be done: op(A) m x k, op(B) k x n, C m x n, type 's', 'd', 'c' or 'z', trans 'N', 'T' or
 * 'C'. Chosen by predicted time among all algorithms and grids that options leave open: NULL, or "algorithm=summa25
 * grid=2x2x2 order=jil panel=256 memory=1073741824 way=binomial" (any of them; memory: bytes that a rank may keep; way:
 * how panels travel that several ranks need, axes, binomial, prefix, chain or flat). ALLPORT_MEMORY with bytes needed
 * and had where nothing fits. */
int allport_plan_gemm(allport_machine_handle machine, char type, char trans_a, char trans_b, int64_t m, int64_t n,
                      int64_t k, const char* options, allport_plan_handle* created);
/* How getrf will factor A, m x n. given: where A lies, so that moving it is priced; NULL: where the plan wants it.
 * options: "algorithm=2.5d grid=2x2x2 order=ijl block=64 nb=128 big=256 memory=1073741824 way=binomial
 * pivoting=partial" (any of them; pivoting is tournament, partial or none; way as above). */
int allport_plan_getrf(allport_machine_handle machine, char type, int64_t m, int64_t n, allport_distribution given,
                       const char* options, allport_plan_handle* created);
/* How potrf will factor A, n x n, of which it has one triangle (uplo 'L' or 'U'). given as above. options: "grid=4x4
 * order=ij nb=256 workers=2 memory=1073741824" (any of them). ALLPORT_MACHINE where a machine does not say its flop/s.
 * Ranks count as if rank r were at place r. */
int allport_plan_potrf(allport_machine_handle machine, char type, char uplo, int64_t n, allport_distribution given,
                       const char* options, allport_plan_handle* created);
/* How geqrf will factor A, m x n; the rest as allport_plan_potrf()'s. */
int allport_plan_geqrf(allport_machine_handle machine, char type, int64_t m, int64_t n, allport_distribution given,
                       const char* options, allport_plan_handle* created);
/* Frees and sets to NULL. */
int allport_plan_free(allport_plan_handle* plan);
/* A name of allport_algorithm_name(); "tiles" of potrf and geqrf. */
const char* allport_plan_algorithm(allport_plan_handle plan);
/* Predicted, moving A included where it was given. */
int allport_plan_seconds(allport_plan_handle plan, double* seconds);
/* The process grid, rows x cols x layers; potrf and geqrf have one layer. */
int allport_plan_grid(allport_plan_handle plan, int* rows, int* cols, int* layers);
/* Columns of a panel (gemm, getrf), or rows and columns of a tile (potrf, geqrf). */
int allport_plan_block(allport_plan_handle plan, int64_t* block);
/* Of the busiest rank: words, elements sent or received, and messages; -1 where a graph of more than 4 million tasks
 * was not counted. bound_words: no algorithm moves fewer with that memory; 0: none is known. */
int allport_plan_traffic(allport_plan_handle plan, int64_t* words, int64_t* messages, double* bound_words);
/* Bytes at most on a rank: its parts of the matrices, and work space. */
int allport_plan_memory(allport_plan_handle plan, int64_t* bytes);
/* Where the plan wants a matrix: which is 'A', 'B' or 'C' of gemm, 'A' of the others. */
int allport_plan_distribution(allport_plan_handle plan, char which, allport_distribution* created);
/* Seconds of a run as planned on the plan's machine, simulated task by task and message by message: all that
 * allport_plan_seconds() samples, but without moving A. options: NULL, or "workers=2 segment=65536" (threads of a rank,
 * which of potrf and geqrf are the plan's where this does not say; bytes that a relay has before it passes them on).
 * Takes memory and time with the tasks that wait at one time. ALLPORT_UNSUPPORTED for Cannon's algorithm, and for ranks
 * that are elsewhere than allport_machine_create() has them. A plan of getrf is simulated by one thread at a time. */
int allport_plan_simulate(allport_plan_handle plan, const char* options, double* seconds);
/* Everything, as `allport plan gemm --json` and its like print it. */
const char* allport_plan_json(allport_plan_handle plan);

/* C = alpha op(A) op(B) + beta C as planned on allport_comm_machine(); else as allport_sgemm() and its like. */
int allport_sgemm_planned(allport_comm comm, allport_plan_handle plan, const float* alpha, const float* a, int64_t lda,
                          allport_distribution a_distribution, const float* b, int64_t ldb,
                          allport_distribution b_distribution, const float* beta, float* c, int64_t ldc,
                          allport_distribution c_distribution);
int allport_dgemm_planned(allport_comm comm, allport_plan_handle plan, const double* alpha, const double* a,
                          int64_t lda, allport_distribution a_distribution, const double* b, int64_t ldb,
                          allport_distribution b_distribution, const double* beta, double* c, int64_t ldc,
                          allport_distribution c_distribution);
int allport_cgemm_planned(allport_comm comm, allport_plan_handle plan, const void* alpha, const void* a, int64_t lda,
                          allport_distribution a_distribution, const void* b, int64_t ldb,
                          allport_distribution b_distribution, const void* beta, void* c, int64_t ldc,
                          allport_distribution c_distribution);
int allport_zgemm_planned(allport_comm comm, allport_plan_handle plan, const void* alpha, const void* a, int64_t lda,
                          allport_distribution a_distribution, const void* b, int64_t ldb,
                          allport_distribution b_distribution, const void* beta, void* c, int64_t ldc,
                          allport_distribution c_distribution);

/* P A = L U as planned; else as allport_sgetrf() and its like. */
int allport_sgetrf_planned(allport_comm comm, allport_plan_handle plan, float* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* pivots, int64_t* info);
int allport_dgetrf_planned(allport_comm comm, allport_plan_handle plan, double* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* pivots, int64_t* info);
int allport_cgetrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* pivots, int64_t* info);
int allport_zgetrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* pivots, int64_t* info);

/* A = L L^H or U^H U as planned; else as allport_spotrf() and its like. */
int allport_spotrf_planned(allport_comm comm, allport_plan_handle plan, float* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* info);
int allport_dpotrf_planned(allport_comm comm, allport_plan_handle plan, double* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* info);
int allport_cpotrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* info);
int allport_zpotrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, int64_t* info);

/* A = Q R as planned; else as allport_sgeqrf() and its like. */
int allport_sgeqrf_planned(allport_comm comm, allport_plan_handle plan, float* a, int64_t lda,
                           allport_distribution a_distribution, float* tau);
int allport_dgeqrf_planned(allport_comm comm, allport_plan_handle plan, double* a, int64_t lda,
                           allport_distribution a_distribution, double* tau);
int allport_cgeqrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, void* tau);
int allport_zgeqrf_planned(allport_comm comm, allport_plan_handle plan, void* a, int64_t lda,
                           allport_distribution a_distribution, void* tau);

#ifdef __cplusplus
}
#endif

#endif
