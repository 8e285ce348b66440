#include "world_ranks.h"

#include <algorithm>
#include <numeric>

namespace allport::interpose {

std::vector<int> world_ranks_of_group(MPI_Group group) {
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> world(ranks.size());
  PMPI_Group_translate_ranks(group, size, ranks.data(), all, world.data());
  PMPI_Group_free(&all);
  return world;
}

std::vector<Rank> world_ranks(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  auto world = world_ranks_of_group(group);
  PMPI_Group_free(&group);
  if (std::ranges::find(world, MPI_UNDEFINED) != world.end()) return {};
  return world;
}

}  // namespace allport::interpose
