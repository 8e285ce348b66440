/* What the parts of Allport's C interface share: codes, handles, and the life of transfers. Include allport/allport.h.
 */
#ifndef ALLPORT_HANDLES_H
#define ALLPORT_HANDLES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every function returns. */
enum allport_code {
  ALLPORT_SUCCESS = 0,
  ALLPORT_ARGUMENT = 1,    /* a value is out of its domain */
  ALLPORT_IO = 2,          /* a file is missing, truncated or of the wrong kind */
  ALLPORT_MEMORY = 3,      /* the memory limit would be broken; the message states bytes needed and had */
  ALLPORT_MACHINE = 4,     /* a machine spec or file is wrong */
  ALLPORT_SCHEDULE = 5,    /* a schedule breaks its contract */
  ALLPORT_MPI = 6,         /* the MPI library reported an error */
  ALLPORT_MISMATCH = 7,    /* ranks disagree about something that must be equal */
  ALLPORT_UNSUPPORTED = 8, /* well-formed, but this build cannot do it */
  ALLPORT_INTERNAL = 99    /* anything else, e.g. out of memory in the C++ library */
};

/* The operators of reductions. A NaN is more and less than anything: it stays. Complex numbers have sums and products.
 */
enum allport_op { ALLPORT_SUM = 0, ALLPORT_PROD = 1, ALLPORT_MAX = 2, ALLPORT_MIN = 3 };

/* The last error of the calling thread: argument, value, remedy. Valid until the thread's next call. */
const char* allport_error(void);
const char* allport_version(void);

/* Handles, NULL where nothing is: of a communicator that knows its machine, of where a matrix' blocks lie, of a
 * collective in flight, and of one that can be started again and again. */
typedef struct allport_comm_s* allport_comm;
typedef struct allport_distribution_s* allport_distribution;
typedef struct allport_transfer_s* allport_transfer;
typedef struct allport_persistent_s* allport_persistent;

/* Waits until the transfer is done, frees it and sets it to NULL; at once where it is NULL. After an error, too. */
int allport_wait(allport_transfer* transfer);
/* Moves things along. done: 1 when the transfer is done, which is freed then and set to NULL; else 0. */
int allport_test(allport_transfer* transfer, int* done);
/* One start at a time: the transfer before must be done. */
int allport_start(allport_persistent prepared, allport_transfer* created);
/* Frees and sets to NULL; its transfer must be done. */
int allport_persistent_free(allport_persistent* prepared);

/* out[i] = left[i] op right[i] for count elements; out may be left or right. Called by any thread, with a lock of the
 * communicator's held: it must call nothing of Allport. */
typedef void (*allport_operator)(const void* left, const void* right, void* out, int64_t count, void* context);
/* An operator of the program's own on elements of so many bytes; associative. op: what reductions take. It stays as
 * long as the program runs. */
int allport_op_create(allport_operator function, void* context, int64_t element_bytes, int* op);

#ifdef __cplusplus
}
#endif

#endif
