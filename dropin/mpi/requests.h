// Operations that nobody waits for yet, and the MPI requests that stand for them.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "failures.h"
#include "operation.h"

namespace allport::dropin {

// Under the Lock:

/// Starts the operation; the request is a generalized one, which the library's own Wait, Test and so on know.
MPI_Request fly(std::shared_ptr<Operation> operation);

/// An inactive persistent request: the library's own, of an empty receive that we complete by an empty message. Errors
/// are raised by whoever completes it (Completion).
/// @pre operation->make_lasting()
MPI_Request keep_persistent(std::shared_ptr<Operation> operation);

/// Moves all of them on; true when one is done.
bool progress_in_flight();
/// The same while a call of ours waits: others wait for our part in what is in flight beside it.
void move_others();

// Without the lock:

/// How often progress_in_flight() was called.
[[nodiscard]] unsigned turns();

/// True when `request` was made by keep_persistent.
[[nodiscard]] bool is_persistent_of_ours(MPI_Request request);
/// How many of them have failed and nobody has completed them since.
[[nodiscard]] int persistent_failures();
/// What went wrong with a request that is one of those and has just been completed: once.
[[nodiscard]] std::optional<Failure> take_persistent_failure(MPI_Request request);
/// MPI_Start of such a request.
int start_persistent(MPI_Request* request);
/// After the library has freed such a request.
void forget_persistent(MPI_Request request);
/// Before MPI_Finalize: ends what the program has started and not waited for, and frees what it has not freed. Where
/// other ranks do not do their part it ends the job with a message, because the library would wait for ever.
void end_requests();

}  // namespace allport::dropin
