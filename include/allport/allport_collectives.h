/* Collectives of the C interface; written by tools/make_interfaces.py from tools/interface_table.py.
 *
 * Every rank of comm calls alike, in one order. allport_NAME() returns when this rank's part is done;
 * allport_start_NAME() at once: the result is there after allport_wait(), or when allport_test() says so;
 * allport_prepare_NAME() makes what allport_start() starts again and again, with the buffers as they are then. Buffers
 * hold blocks in the order of ranks; input and output may not overlap, and may be NULL where they are empty. type of
 * elements: 's', 'd' real, 'c', 'z' complex, 'b', 'h', 'i', 'l' integers of 8, 16, 32 and 64 bits, in capitals without
 * sign. op: of enum allport_op, or of allport_op_create(), whose elements have no type: pass ' '. algorithm: a
 * registered name; NULL: by price. */
#ifndef ALLPORT_COLLECTIVES_H
#define ALLPORT_COLLECTIVES_H

#include <stdint.h>

#include "allport/allport_handles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits until all ranks are here. */
int allport_barrier(allport_comm comm, const char* algorithm);
int allport_start_barrier(allport_comm comm, const char* algorithm, allport_transfer* created);
int allport_prepare_barrier(allport_comm comm, const char* algorithm, allport_persistent* created);

/* Sends the root's data to every rank. buffer: bytes on every rank. */
int allport_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, const char* algorithm);
int allport_start_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, const char* algorithm,
                        allport_transfer* created);
int allport_prepare_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, const char* algorithm,
                          allport_persistent* created);

/* Combines every rank's elements, one by one, on the root. count elements; output matters on the root only. */
int allport_reduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count, int root,
                   const char* algorithm);
int allport_start_reduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count, int root,
                         const char* algorithm, allport_transfer* created);
int allport_prepare_reduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                           int root, const char* algorithm, allport_persistent* created);

/* Combines every rank's elements, one by one, on every rank, with the same bits. count elements. */
int allport_allreduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                      const char* algorithm);
int allport_start_allreduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                            const char* algorithm, allport_transfer* created);
int allport_prepare_allreduce(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                              const char* algorithm, allport_persistent* created);

/* Sends block r of the root's data to rank r. bytes: of one block; input matters on the root only. */
int allport_scatter(allport_comm comm, const void* input, void* output, int64_t bytes, int root, const char* algorithm);
int allport_start_scatter(allport_comm comm, const void* input, void* output, int64_t bytes, int root,
                          const char* algorithm, allport_transfer* created);
int allport_prepare_scatter(allport_comm comm, const void* input, void* output, int64_t bytes, int root,
                            const char* algorithm, allport_persistent* created);

/* Collects every rank's block on the root, by rank. bytes: of one block; output matters on the root only. */
int allport_gather(allport_comm comm, const void* input, void* output, int64_t bytes, int root, const char* algorithm);
int allport_start_gather(allport_comm comm, const void* input, void* output, int64_t bytes, int root,
                         const char* algorithm, allport_transfer* created);
int allport_prepare_gather(allport_comm comm, const void* input, void* output, int64_t bytes, int root,
                           const char* algorithm, allport_persistent* created);

/* Collects every rank's block on every rank, by rank. bytes: of one block. */
int allport_allgather(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm);
int allport_start_allgather(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm,
                            allport_transfer* created);
int allport_prepare_allgather(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm,
                              allport_persistent* created);

/* Combines every rank's elements, one by one; rank r gets block r of the result. count: elements of one block. */
int allport_reduce_scatter(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                           const char* algorithm);
int allport_start_reduce_scatter(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                                 const char* algorithm, allport_transfer* created);
int allport_prepare_reduce_scatter(allport_comm comm, int op, char type, const void* input, void* output, int64_t count,
                                   const char* algorithm, allport_persistent* created);

/* Sends block r to rank r, and gets block s from rank s. bytes: of one block. */
int allport_alltoall(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm);
int allport_start_alltoall(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm,
                           allport_transfer* created);
int allport_prepare_alltoall(allport_comm comm, const void* input, void* output, int64_t bytes, const char* algorithm,
                             allport_persistent* created);

/* Sends blocks of different lengths from the root. lengths: bytes of each rank's block, the same on every rank. begins:
 * in input, or NULL: one behind the other. */
int allport_scatterv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins, void* output,
                     int root, const char* algorithm);
int allport_start_scatterv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins,
                           void* output, int root, const char* algorithm, allport_transfer* created);
int allport_prepare_scatterv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins,
                             void* output, int root, const char* algorithm, allport_persistent* created);

/* Collects blocks of different lengths on the root. lengths: bytes of each rank's block, the same on every rank.
 * begins: in output, or NULL: one behind the other. */
int allport_gatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths, const int64_t* begins,
                    int root, const char* algorithm);
int allport_start_gatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                          const int64_t* begins, int root, const char* algorithm, allport_transfer* created);
int allport_prepare_gatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                            const int64_t* begins, int root, const char* algorithm, allport_persistent* created);

/* Collects blocks of different lengths on every rank. lengths: bytes of each rank's block, the same on every rank.
 * begins: in output, or NULL: one behind the other. */
int allport_allgatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                       const int64_t* begins, const char* algorithm);
int allport_start_allgatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                             const int64_t* begins, const char* algorithm, allport_transfer* created);
int allport_prepare_allgatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                               const int64_t* begins, const char* algorithm, allport_persistent* created);

/* Combines every rank's elements, one by one; rank r gets its block of the result. counts: elements of each rank's
 * block, the same on every rank; they lie one behind the other. */
int allport_reduce_scatterv(allport_comm comm, int op, char type, const void* input, const int64_t* counts,
                            void* output, const char* algorithm);
int allport_start_reduce_scatterv(allport_comm comm, int op, char type, const void* input, const int64_t* counts,
                                  void* output, const char* algorithm, allport_transfer* created);
int allport_prepare_reduce_scatterv(allport_comm comm, int op, char type, const void* input, const int64_t* counts,
                                    void* output, const char* algorithm, allport_persistent* created);

/* Sends a block to every rank and gets one from each. A start sends each at once to its rank; the other forms first
 * tell all ranks all lengths, choose by price, and refuse on every rank what does not fit. lengths: bytes for each
 * rank. received: bytes from each. begins: in input and output, or NULL: one behind the other. */
int allport_alltoallv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins, void* output,
                      const int64_t* received, const int64_t* received_begins, const char* algorithm);
int allport_start_alltoallv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins,
                            void* output, const int64_t* received, const int64_t* received_begins,
                            const char* algorithm, allport_transfer* created);
int allport_prepare_alltoallv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins,
                              void* output, const int64_t* received, const int64_t* received_begins,
                              const char* algorithm, allport_persistent* created);

#ifdef __cplusplus
}
#endif

#endif
