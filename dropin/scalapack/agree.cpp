#include "agree.h"

#include <algorithm>

namespace allport::scalapack {

void share(std::vector<Shared>& values, Operand const& x, Given const& given) {
  auto const& d = x.desc;
  auto const desc_at = given.desc_at;
  values.insert(values.end(), {{x.rows, 100 * given.rows_at},
                               {x.cols, 100 * given.cols_at},
                               {x.i, 100 * (desc_at - 2)},
                               {x.j, 100 * (desc_at - 1)},
                               {d.type, 100 * desc_at + 1},
                               {d.m, 100 * desc_at + 3},
                               {d.n, 100 * desc_at + 4},
                               {d.mb, 100 * desc_at + 5},
                               {d.nb, 100 * desc_at + 6},
                               {d.rsrc, 100 * desc_at + 7},
                               {d.csrc, 100 * desc_at + 8}});
}

bool all_well(Record const& record, std::vector<Shared> const& values, Wrong const& wrong) {
  // The largest and, negated, the smallest of each.
  std::vector<std::int64_t> words{wrong.any() ? 1 : 0};
  for (auto const& v : values) words.insert(words.end(), {v.value, -v.value});
  MPI_Allreduce(MPI_IN_PLACE, words.data(), static_cast<int>(words.size()), MPI_INT64_T, MPI_MAX, record.caller());
  if (words.front() != 0) return false;
  for (std::size_t w = 1; w < words.size(); w += 2) {
    if (words[w] != -words[w + 1]) return false;
  }
  return true;
}

Int common_info(Record const& record, std::vector<Shared> const& values, Wrong const& wrong) {
  std::vector<std::int64_t> first;
  for (auto const& v : values) first.push_back(v.value);
  MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_INT64_T, record.first(), record.caller());
  auto least = wrong;
  for (std::size_t v = 0; v < values.size(); ++v) {
    if (values[v].value != first[v]) least.entry(values[v].position / 100, values[v].position % 100);
  }
  // Compared as positions, because INFO divided by 100 has another order.
  std::int64_t position = least.position();
  MPI_Allreduce(MPI_IN_PLACE, &position, 1, MPI_INT64_T, MPI_MIN, record.caller());
  return Wrong::info_of(static_cast<Int>(position));
}

}  // namespace allport::scalapack
