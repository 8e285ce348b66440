#include "world_ranks.h"

#include <algorithm>
#include <numeric>

namespace allport::interpose {

std::vector<Rank> world_ranks(MPI_Comm comm) {
  MPI_Group mine = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &mine);
  PMPI_Comm_group(MPI_COMM_WORLD, &all);
  int size = 0;
  PMPI_Group_size(mine, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<Rank> world(ranks.size());
  PMPI_Group_translate_ranks(mine, size, ranks.data(), all, world.data());
  PMPI_Group_free(&mine);
  PMPI_Group_free(&all);
  if (std::ranges::find(world, MPI_UNDEFINED) != world.end()) return {};
  return world;
}

}  // namespace allport::interpose
