// The C interface: collectives, blocks of different lengths; written by tools/make_interfaces.py from
// tools/interface_table.py.
#include "calls.h"

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_scatterv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins, void* output,
                     int root, char const* algorithm) {
  return called(comm, {.what = Collective::scatter,
                       .input = input,
                       .output = output,
                       .root = root,
                       .lengths = lengths,
                       .begins = begins,
                       .algorithm = algorithm,
                       .varies = true});
}

int allport_start_scatterv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins,
                           void* output, int root, char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::scatter,
                  .input = input,
                  .output = output,
                  .root = root,
                  .lengths = lengths,
                  .begins = begins,
                  .algorithm = algorithm,
                  .varies = true},
                 created);
}

int allport_prepare_scatterv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins,
                             void* output, int root, char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::scatter,
                   .input = input,
                   .output = output,
                   .root = root,
                   .lengths = lengths,
                   .begins = begins,
                   .algorithm = algorithm,
                   .varies = true},
                  created);
}

int allport_gatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths, int64_t const* begins,
                    int root, char const* algorithm) {
  return called(comm, {.what = Collective::gather,
                       .input = input,
                       .output = output,
                       .root = root,
                       .lengths = lengths,
                       .begins = begins,
                       .algorithm = algorithm,
                       .varies = true});
}

int allport_start_gatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                          int64_t const* begins, int root, char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::gather,
                  .input = input,
                  .output = output,
                  .root = root,
                  .lengths = lengths,
                  .begins = begins,
                  .algorithm = algorithm,
                  .varies = true},
                 created);
}

int allport_prepare_gatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                            int64_t const* begins, int root, char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::gather,
                   .input = input,
                   .output = output,
                   .root = root,
                   .lengths = lengths,
                   .begins = begins,
                   .algorithm = algorithm,
                   .varies = true},
                  created);
}

int allport_allgatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                       int64_t const* begins, char const* algorithm) {
  return called(comm, {.what = Collective::allgather,
                       .input = input,
                       .output = output,
                       .lengths = lengths,
                       .begins = begins,
                       .algorithm = algorithm,
                       .varies = true});
}

int allport_start_allgatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                             int64_t const* begins, char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::allgather,
                  .input = input,
                  .output = output,
                  .lengths = lengths,
                  .begins = begins,
                  .algorithm = algorithm,
                  .varies = true},
                 created);
}

int allport_prepare_allgatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                               int64_t const* begins, char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::allgather,
                   .input = input,
                   .output = output,
                   .lengths = lengths,
                   .begins = begins,
                   .algorithm = algorithm,
                   .varies = true},
                  created);
}

int allport_reduce_scatterv(allport_comm comm, int op, char type, void const* input, int64_t const* counts,
                            void* output, char const* algorithm) {
  return called(comm, {.what = Collective::reduce_scatter,
                       .input = input,
                       .output = output,
                       .op = op,
                       .type = type,
                       .lengths = counts,
                       .algorithm = algorithm,
                       .varies = true});
}

int allport_start_reduce_scatterv(allport_comm comm, int op, char type, void const* input, int64_t const* counts,
                                  void* output, char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::reduce_scatter,
                  .input = input,
                  .output = output,
                  .op = op,
                  .type = type,
                  .lengths = counts,
                  .algorithm = algorithm,
                  .varies = true},
                 created);
}

int allport_prepare_reduce_scatterv(allport_comm comm, int op, char type, void const* input, int64_t const* counts,
                                    void* output, char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::reduce_scatter,
                   .input = input,
                   .output = output,
                   .op = op,
                   .type = type,
                   .lengths = counts,
                   .algorithm = algorithm,
                   .varies = true},
                  created);
}

int allport_alltoallv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins, void* output,
                      int64_t const* received, int64_t const* received_begins, char const* algorithm) {
  return called(comm, {.what = Collective::alltoall,
                       .input = input,
                       .output = output,
                       .lengths = lengths,
                       .begins = begins,
                       .received = received,
                       .received_begins = received_begins,
                       .algorithm = algorithm,
                       .varies = true});
}

int allport_start_alltoallv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins,
                            void* output, int64_t const* received, int64_t const* received_begins,
                            char const* algorithm, allport_transfer* created) {
  return started(comm,
                 {.what = Collective::alltoall,
                  .input = input,
                  .output = output,
                  .lengths = lengths,
                  .begins = begins,
                  .received = received,
                  .received_begins = received_begins,
                  .algorithm = algorithm,
                  .varies = true},
                 created);
}

int allport_prepare_alltoallv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins,
                              void* output, int64_t const* received, int64_t const* received_begins,
                              char const* algorithm, allport_persistent* created) {
  return prepared(comm,
                  {.what = Collective::alltoall,
                   .input = input,
                   .output = output,
                   .lengths = lengths,
                   .begins = begins,
                   .received = received,
                   .received_begins = received_begins,
                   .algorithm = algorithm,
                   .varies = true},
                  created);
}

}  // extern "C"
