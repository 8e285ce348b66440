#include "blacs.h"

#include <fmt/format.h>

#include <cstdio>

#include "allport/base/output.h"
#include "original.h"

namespace allport::scalapack {
namespace {

template <class F>
class Found {
 public:
  Found(char const* name, std::string& missing) : at_(reinterpret_cast<F*>(find_behind(name))) {
    if (at_ == nullptr && missing.empty()) missing = name;
  }
  template <class... A>
  auto operator()(A... arguments) const {
    return at_(arguments...);
  }

 private:
  F* at_;
};

struct Blacs {
  std::string missing;
  Found<void(Int, Int*, Int*, Int*, Int*)> gridinfo{"Cblacs_gridinfo", missing};
  Found<void(Int, Int, Int*)> get{"Cblacs_get", missing};
  Found<MPI_Comm(Int)> communicator{"Cblacs2sys_handle", missing};
  Found<Int(Int, Int, Int)> pnum{"Cblacs_pnum", missing};
};

Blacs const& blacs() {
  static Blacs const found;
  return found;
}

}  // namespace

std::string const& what_blacs_lacks() { return blacs().missing; }

Grid grid_of(Int context) {
  Int rows = -1;
  Int cols = -1;
  Int row = -1;
  Int col = -1;
  blacs().gridinfo(context, &rows, &cols, &row, &col);
  return {context, static_cast<int>(rows), static_cast<int>(cols), static_cast<int>(row), static_cast<int>(col)};
}

MPI_Comm comm_of(Int context) {
  constexpr Int handle_of_context = 10;
  Int handle = 0;
  blacs().get(context, handle_of_context, &handle);
  return blacs().communicator(handle);
}

int rank_of(Int context, int row, int col) { return static_cast<int>(blacs().pnum(context, row, col)); }

void abort_job(Int context, Int code) {
  drain_output();
  if (auto* const abort = reinterpret_cast<void (*)(Int, Int)>(find_behind("Cblacs_abort"))) abort(context, code);
  MPI_Abort(MPI_COMM_WORLD, code == 0 ? 1 : static_cast<int>(code));
}

void report_wrong_argument(Int context, std::string const& routine, Int info) {
  auto number = -info;
  if (auto* const pxerbla = reinterpret_cast<void (*)(Int*, char const*, Int*, std::size_t)>(find_behind("pxerbla_"))) {
    pxerbla(&context, routine.c_str(), &number, routine.size());
    return;
  }
  auto const grid = grid_of(context);
  fmt::print(stderr, "{{{:5},{:5}}}:  On entry to {} parameter number {:4} had an illegal value\n", grid.row, grid.col,
             routine, number);
  std::fflush(stderr);
}

}  // namespace allport::scalapack
