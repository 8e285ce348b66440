#include "end_job.h"

#include <cstdio>

#include "base/output.h"

namespace allport {

void end_job(MPI_Comm comm, int code, std::string_view reason) {
  std::fwrite(reason.data(), 1, reason.size(), stderr);
  drain_output();
  MPI_Abort(comm, code);
}

}  // namespace allport
