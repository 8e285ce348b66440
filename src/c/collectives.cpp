// The C interface: collectives; written by tools/make_interfaces.py from tools/interface_table.py.
#include "calls.h"

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_barrier(allport_comm comm, char const* algorithm) {
  return called(comm, {.what = Collective::barrier, .algorithm = algorithm});
}

int allport_start_barrier(allport_comm comm, char const* algorithm, allport_transfer* created) {
  return started(comm, {.what = Collective::barrier, .algorithm = algorithm}, created);
}

int allport_prepare_barrier(allport_comm comm, char const* algorithm, allport_persistent* created) {
  return prepared(comm, {.what = Collective::barrier, .algorithm = algorithm}, created);
}

int allport_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, char const* algorithm) {
  return called(
      comm, {.what = Collective::broadcast, .output = buffer, .length = bytes, .root = root, .algorithm = algorithm});
}

int allport_start_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, char const* algorithm,
                        allport_transfer* created) {
  return started(
      comm, {.what = Collective::broadcast, .output = buffer, .length = bytes, .root = root, .algorithm = algorithm},
      created);
}

int allport_prepare_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, char const* algorithm,
                          allport_persistent* created) {
  return prepared(
      comm, {.what = Collective::broadcast, .output = buffer, .length = bytes, .root = root, .algorithm = algorithm},
      created);
}

int allport_reduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count, int root,
                   char const* algorithm) {
  return called(comm, {.what = Collective::reduce,
                       .input = input,
                       .output = output,
                       .length = count,
                       .root = root,
                       .op = op,
                       .type = type,
                       .algorithm = algorithm});
}

int allport_start_reduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count, int root,
                         char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::reduce,
                  .input = input,
                  .output = output,
                  .length = count,
                  .root = root,
                  .op = op,
                  .type = type,
                  .algorithm = algorithm},
                 created);
}

int allport_prepare_reduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                           int root, char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::reduce,
                   .input = input,
                   .output = output,
                   .length = count,
                   .root = root,
                   .op = op,
                   .type = type,
                   .algorithm = algorithm},
                  created);
}

int allport_allreduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                      char const* algorithm) {
  return called(comm, {.what = Collective::allreduce,
                       .input = input,
                       .output = output,
                       .length = count,
                       .op = op,
                       .type = type,
                       .algorithm = algorithm});
}

int allport_start_allreduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                            char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::allreduce,
                  .input = input,
                  .output = output,
                  .length = count,
                  .op = op,
                  .type = type,
                  .algorithm = algorithm},
                 created);
}

int allport_prepare_allreduce(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                              char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::allreduce,
                   .input = input,
                   .output = output,
                   .length = count,
                   .op = op,
                   .type = type,
                   .algorithm = algorithm},
                  created);
}

int allport_scatter(allport_comm comm, void const* input, void* output, int64_t bytes, int root,
                    char const* algorithm) {
  return called(comm, {.what = Collective::scatter,
                       .input = input,
                       .output = output,
                       .length = bytes,
                       .root = root,
                       .algorithm = algorithm});
}

int allport_start_scatter(allport_comm comm, void const* input, void* output, int64_t bytes, int root,
                          char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::scatter,
                  .input = input,
                  .output = output,
                  .length = bytes,
                  .root = root,
                  .algorithm = algorithm},
                 created);
}

int allport_prepare_scatter(allport_comm comm, void const* input, void* output, int64_t bytes, int root,
                            char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::scatter,
                   .input = input,
                   .output = output,
                   .length = bytes,
                   .root = root,
                   .algorithm = algorithm},
                  created);
}

int allport_gather(allport_comm comm, void const* input, void* output, int64_t bytes, int root, char const* algorithm) {
  return called(comm, {.what = Collective::gather,
                       .input = input,
                       .output = output,
                       .length = bytes,
                       .root = root,
                       .algorithm = algorithm});
}

int allport_start_gather(allport_comm comm, void const* input, void* output, int64_t bytes, int root,
                         char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::gather,
                  .input = input,
                  .output = output,
                  .length = bytes,
                  .root = root,
                  .algorithm = algorithm},
                 created);
}

int allport_prepare_gather(allport_comm comm, void const* input, void* output, int64_t bytes, int root,
                           char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::gather,
                   .input = input,
                   .output = output,
                   .length = bytes,
                   .root = root,
                   .algorithm = algorithm},
                  created);
}

int allport_allgather(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm) {
  return called(
      comm, {.what = Collective::allgather, .input = input, .output = output, .length = bytes, .algorithm = algorithm});
}

int allport_start_allgather(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm,
                            allport_transfer* created) {
  return started(
      comm, {.what = Collective::allgather, .input = input, .output = output, .length = bytes, .algorithm = algorithm},
      created);
}

int allport_prepare_allgather(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm,
                              allport_persistent* created) {
  return prepared(
      comm, {.what = Collective::allgather, .input = input, .output = output, .length = bytes, .algorithm = algorithm},
      created);
}

int allport_reduce_scatter(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                           char const* algorithm) {
  return called(comm, {.what = Collective::reduce_scatter,
                       .input = input,
                       .output = output,
                       .length = count,
                       .op = op,
                       .type = type,
                       .algorithm = algorithm});
}

int allport_start_reduce_scatter(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                                 char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::reduce_scatter,
                  .input = input,
                  .output = output,
                  .length = count,
                  .op = op,
                  .type = type,
                  .algorithm = algorithm},
                 created);
}

int allport_prepare_reduce_scatter(allport_comm comm, int op, char type, void const* input, void* output, int64_t count,
                                   char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::reduce_scatter,
                   .input = input,
                   .output = output,
                   .length = count,
                   .op = op,
                   .type = type,
                   .algorithm = algorithm},
                  created);
}

int allport_alltoall(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm) {
  return called(
      comm, {.what = Collective::alltoall, .input = input, .output = output, .length = bytes, .algorithm = algorithm});
}

int allport_start_alltoall(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm,
                           allport_transfer* created) {
  return started(
      comm, {.what = Collective::alltoall, .input = input, .output = output, .length = bytes, .algorithm = algorithm},
      created);
}

int allport_prepare_alltoall(allport_comm comm, void const* input, void* output, int64_t bytes, char const* algorithm,
                             allport_persistent* created) {
  return prepared(
      comm, {.what = Collective::alltoall, .input = input, .output = output, .length = bytes, .algorithm = algorithm},
      created);
}

}  // extern "C"
