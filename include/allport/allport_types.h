/* Codes, element types, operators, handles and requests, which all parts of Allport's C interface share. Include
 * allport/allport.h. */
#ifndef ALLPORT_TYPES_H
#define ALLPORT_TYPES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What every function returns. */
enum allport_code {
  ALLPORT_SUCCESS = 0,
  ALLPORT_ERR_ARGUMENT = 1,    /* a value is out of its domain */
  ALLPORT_ERR_IO = 2,          /* a file is missing, truncated or of the wrong kind */
  ALLPORT_ERR_MEMORY = 3,      /* the memory limit would be exceeded; the message states bytes needed and available */
  ALLPORT_ERR_MACHINE = 4,     /* a machine spec or file is wrong */
  ALLPORT_ERR_SCHEDULE = 5,    /* a schedule breaks its contract */
  ALLPORT_ERR_MPI = 6,         /* the MPI library reported an error */
  ALLPORT_ERR_MISMATCH = 7,    /* ranks disagree about something that must be equal */
  ALLPORT_ERR_UNSUPPORTED = 8, /* well-formed, but this build cannot do it */
  ALLPORT_ERR_INTERNAL = 99    /* anything else, e.g. out of memory in the C++ library */
};

/* The last error of the calling thread: argument, value, remedy. Valid until the thread's next call. */
const char* allport_error(void);
const char* allport_version(void);

/* The type of elements, as an argument in MPI's manner: one function serves all types. The names are MPI's (MPI_FLOAT,
 * MPI_C_FLOAT_COMPLEX, MPI_INT8_T) without "C_". Matrices are of the first four, LAPACK's s, d, c and z. Complex
 * numbers are two reals, real part first: float _Complex, std::complex<float> and Fortran's complex have this layout.
 * Buffers, alpha and beta are pointers to elements of the type. An int, so that any value may come in, and wrong ones
 * are named. */
typedef int allport_type;
enum {
  ALLPORT_TYPE_NULL = 0, /* no type: of an operator from allport_op_create(), or of what combines nothing */
  ALLPORT_FLOAT = 1,
  ALLPORT_DOUBLE = 2,
  ALLPORT_FLOAT_COMPLEX = 3,
  ALLPORT_DOUBLE_COMPLEX = 4,
  ALLPORT_INT8_T = 5,
  ALLPORT_INT16_T = 6,
  ALLPORT_INT32_T = 7,
  ALLPORT_INT64_T = 8,
  ALLPORT_UINT8_T = 9,
  ALLPORT_UINT16_T = 10,
  ALLPORT_UINT32_T = 11,
  ALLPORT_UINT64_T = 12
};

/* The operators of reductions. Maximum and minimum with a NaN are NaN. Complex numbers have sums and products. */
enum allport_op { ALLPORT_SUM = 0, ALLPORT_PROD = 1, ALLPORT_MAX = 2, ALLPORT_MIN = 3 };

/* out[i] = left[i] op right[i] for count elements; out may be left or right. Any thread may call it, with a lock of the
 * communicator held: it must call no function of Allport. */
typedef void (*allport_operator)(const void* left, const void* right, void* out, int64_t count, void* context);
/* An associative operator of the program's own on elements of element_bytes bytes. op: the number that reductions take.
 * It exists until the program ends. */
int allport_op_create(allport_operator function, void* context, int64_t element_bytes, int* op);

/* Handles; NULL: none. A communicator that knows its machine, the distribution of a matrix, and a request: a collective
 * in flight, or a persistent one. */
typedef struct allport_comm_s* allport_comm;
typedef struct allport_distribution_s* allport_distribution;
typedef struct allport_request_s* allport_request;

/* Waits until the collective is done, then frees the request and sets it to NULL, also after an error. A persistent
 * request stays, and can be started again. Returns at once where the request is NULL or not started. */
int allport_wait(allport_request* request);
/* Progresses communication. done: 1 if the collective is done, and then as allport_wait(); else 0. */
int allport_test(allport_request* request, int* done);
/* Starts a persistent request. The collective that it started before must be done. */
int allport_start(allport_request* request);
/* Frees a request and sets it to NULL; waits for a collective that is in flight. */
int allport_request_free(allport_request* request);

#ifdef __cplusplus
}
#endif

#endif
