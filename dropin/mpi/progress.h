// Who moves our operations along while the program is inside other MPI calls.
#pragma once

#include <memory>

namespace allport::dropin {

struct Record;

/// The thread level to ask the library for where the program asks for `wanted`: one at which somebody will move our
/// operations.
[[nodiscard]] int level_for(int wanted);

/// Who moves our operations: the library's own progress engine, on each of its turns (Open MPI: opal_progress_register;
/// MPICH over UCX: its calls of ucp_worker_progress, which are ours first), or a thread of ours, where the engine
/// cannot be told and the library serves several threads. False: nobody; operations may not outlive their calls then.
/// Collective over MPI_COMM_WORLD, whose ranks all get the same answer.
[[nodiscard]] bool start_progressing();
void stop_progressing();

/// An operation goes on after its call.
void operation_flies();

/// True where a call of the program's had better move ours on itself while it waits: ours are in flight. Our thread is
/// slow to wake, and MPICH's own MPI_Waitall fails on a generalized request that is not done.
[[nodiscard]] bool should_poll();
/// One step of ours, for a thread that waits.
void poll_once();

/// The record of a communicator that lives.
void enlist(std::shared_ptr<Record> const& record);
/// A record whose communicator is being freed; what it holds goes in release_retired().
void retire(std::shared_ptr<Record>* record);
void release_retired();
/// Frees what is ours on communicators that the program has not freed: it may do so as late as inside MPI_Finalize,
/// from callbacks on MPI_COMM_SELF, when we are gone. Nothing of ours is in flight.
void release_living();

}  // namespace allport::dropin
