// The C interface: communicators and distributions.
#include <vector>

#include "plan_handles.h"

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_comm_create(MPI_Comm comm, char const* machine, allport_comm* created) {
  return made(created, [&] {
    return machine == nullptr ? new allport_comm_s{Communicator(comm), {}}
                              : new allport_comm_s{Communicator(comm, machine), {}};
  });
}

int allport_comm_create_fortran(MPI_Fint comm, char const* machine, allport_comm* created) {
  return allport_comm_create(MPI_Comm_f2c(comm), machine, created);
}

int allport_comm_part(allport_comm comm, int ranks, int const* members, allport_comm* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    ensure(members != nullptr, "members", "NULL", "ranks of the communicator");
    ensure(ranks >= 1 && ranks <= on.size(), "ranks", ranks, "1 to " + std::to_string(on.size()));
    return new allport_comm_s{on.sub({members, static_cast<std::size_t>(ranks)}), {}};
  });
}

int allport_comm_free(allport_comm* comm) { return freed(comm, "comm"); }

int allport_comm_rank(allport_comm comm, int* rank, int* size) {
  return guarded([&] {
    auto const& on = the(comm, "comm").comm;
    place(rank, "rank") = on.rank();
    place(size, "size") = on.size();
  });
}

int allport_comm_machine(allport_comm comm, allport_machine* created) {
  return made(created, [&] {
    auto const& on = the(comm, "comm").comm;
    return new_machine(on.machine(), on.mapping());
  });
}

int allport_distribution_cyclic(int64_t rows, int64_t cols, int64_t row_block, int64_t col_block, int grid_rows,
                                int grid_cols, int first_row, int first_col, char order,
                                allport_distribution* created) {
  return made(created, [&] {
    ensure(order == 'C' || order == 'R', "order", std::string(1, order), "'C' or 'R'");
    ensure(grid_rows >= 1, "grid_rows", grid_rows, "at least 1");
    ensure(grid_cols >= 1, "grid_cols", grid_cols, "at least 1");
    std::vector<Rank> grid;
    for (int c = 0; c < grid_cols; ++c) {
      for (int r = 0; r < grid_rows; ++r) grid.push_back(order == 'C' ? r + c * grid_rows : r * grid_cols + c);
    }
    return new allport_distribution_s{Distribution(AxisDistribution::cyclic(rows, grid_rows, row_block, first_row),
                                                   AxisDistribution::cyclic(cols, grid_cols, col_block, first_col),
                                                   std::move(grid))};
  });
}

int allport_distribution_local(allport_distribution distribution, int rank, int64_t* rows, int64_t* cols) {
  return guarded([&] {
    auto const& of = the(distribution, "distribution").distribution;
    place(rows, "rows") = of.local_rows(rank);
    place(cols, "cols") = of.local_cols(rank);
  });
}

int allport_distribution_free(allport_distribution* distribution) { return freed(distribution, "distribution"); }

}  // extern "C"
