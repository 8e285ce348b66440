/* Collectives of Allport's C interface. Include allport/allport.h.
 *
 * Every rank of comm calls the same functions in the same order. Buffers hold blocks in the order of ranks; input and
 * output may not overlap, and may be NULL where they are empty. Data movers count bytes, reductions elements of type.
 * op: of enum allport_op, or from allport_op_create(), then with ALLPORT_TYPE_NULL.
 *
 * request: NULL: the call returns when this rank's part is done. Else the call starts the collective and returns at
 * once; allport_wait() or allport_test() completes it. With the option "persistent" it starts nothing: allport_start()
 * starts the collective as often as wanted, with what the buffers contain then, until allport_request_free().
 *
 * options: NULL, or words such as "algorithm=rectangular persistent". algorithm: a registered name, see
 * allport_algorithm_text(); chosen by predicted time where it is not given. */
#ifndef ALLPORT_COLLECTIVES_H
#define ALLPORT_COLLECTIVES_H

#include <stdint.h>

#include "allport/allport_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits until all ranks have called it. */
int allport_barrier(allport_comm comm, const char* options, allport_request* request);

/* Sends the root's data to every rank. buffer: bytes on every rank. */
int allport_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, const char* options,
                  allport_request* request);

/* Combines the elements of every rank, one by one, on the root. count elements; output matters on the root only. */
int allport_reduce(allport_comm comm, int op, allport_type type, const void* input, void* output, int64_t count,
                   int root, const char* options, allport_request* request);

/* Combines the elements of every rank, one by one, on every rank, with the same bits. count elements. */
int allport_allreduce(allport_comm comm, int op, allport_type type, const void* input, void* output, int64_t count,
                      const char* options, allport_request* request);

/* Combines the elements of every rank, one by one; rank r gets block r of the result. count: elements of one block. */
int allport_reduce_scatter(allport_comm comm, int op, allport_type type, const void* input, void* output, int64_t count,
                           const char* options, allport_request* request);

/* Sends block r of the root's data to rank r. bytes: of one block; input matters on the root only. */
int allport_scatter(allport_comm comm, const void* input, void* output, int64_t bytes, int root, const char* options,
                    allport_request* request);

/* Collects the block of every rank on the root, by rank. bytes: of one block; output matters on the root only. */
int allport_gather(allport_comm comm, const void* input, void* output, int64_t bytes, int root, const char* options,
                   allport_request* request);

/* Collects the block of every rank on every rank, by rank. bytes: of one block. */
int allport_allgather(allport_comm comm, const void* input, void* output, int64_t bytes, const char* options,
                      allport_request* request);

/* Sends block r to rank r, and receives block s from rank s. bytes: of one block. */
int allport_alltoall(allport_comm comm, const void* input, void* output, int64_t bytes, const char* options,
                     allport_request* request);

/* The same with blocks of different lengths. lengths: bytes of each rank's block, the same on every rank. begins: where
 * each block begins in the buffer that has all of them, in bytes; NULL: one behind the other. */
int allport_scatterv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins, void* output,
                     int root, const char* options, allport_request* request);
int allport_gatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths, const int64_t* begins,
                    int root, const char* options, allport_request* request);
int allport_allgatherv(allport_comm comm, const void* input, void* output, const int64_t* lengths,
                       const int64_t* begins, const char* options, allport_request* request);

/* counts: elements of each rank's block, the same on every rank; blocks are one behind the other. */
int allport_reduce_scatterv(allport_comm comm, int op, allport_type type, const void* input, const int64_t* counts,
                            void* output, const char* options, allport_request* request);

/* lengths: bytes for each rank. received: bytes from each. begins, received_begins: in input and output, or NULL: one
 * behind the other. A start sends each block at once to its rank; the other forms first exchange all lengths, choose an
 * algorithm by predicted time, and fail on every rank where lengths do not match. */
int allport_alltoallv(allport_comm comm, const void* input, const int64_t* lengths, const int64_t* begins, void* output,
                      const int64_t* received, const int64_t* received_begins, const char* options,
                      allport_request* request);

/* Messages from any rank at any time to any set of ranks, which need not expect them: no communicator is made for a
 * set. Ranks on the way of a message forward it whenever they call a function of the channel. */
typedef struct allport_channel_s* allport_channel;

/* What a message has. number: 0, 1, ... in the order in which its source has sent; messages of one source can overtake
 * each other. */
typedef struct allport_message {
  int64_t tag;
  int64_t bytes;
  int64_t number;
  int32_t source;
} allport_message;

enum { ALLPORT_ANY = -1 };

/* Called by all ranks of comm. options: NULL, or "tree=kary segment=65536" (either): how every message goes (flat,
 * chain, prefix, segmented, kary or axes) and in segments of how many bytes; by predicted time where not given. */
int allport_channel_create(allport_comm comm, const char* options, allport_channel* created);
/* Sends data to so many ranks, the sender too if it is one of them, each once. Returns when the message has left this
 * rank; what arrives meanwhile is stored. 0 <= tag < 2^31. */
int allport_channel_send(allport_channel channel, int ranks, const int* members, int64_t tag, const void* data,
                         int64_t bytes);
/* Progresses communication. there: 1 if a message from source (ALLPORT_ANY: any) with tag (ALLPORT_ANY: any) has come,
 * which message then describes, else 0. */
int allport_channel_probe(allport_channel channel, int source, int64_t tag, int* there, allport_message* message);
/* Waits for such a message of at most so many bytes, and until this rank has forwarded it. ALLPORT_ERR_ARGUMENT if it
 * is longer: a later call receives it. ALLPORT_ERR_MISMATCH, on every rank, if none can come: every other rank waits or
 * has freed its channel. */
int allport_channel_receive(allport_channel channel, int source, int64_t tag, void* data, int64_t bytes,
                            allport_message* message);
/* Called by all ranks: waits until every message has reached its destinations, frees the channel and sets it to NULL.
 * ALLPORT_ERR_MISMATCH, on every rank, if any waits for a message that nobody sends, or has not received all of its
 * messages. */
int allport_channel_free(allport_channel* channel);

#ifdef __cplusplus
}
#endif

#endif
