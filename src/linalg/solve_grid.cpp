#include "solve_grid.h"

namespace allport::lu_detail {

Seats seats_of(Distribution const& distribution) {
  LuCandidate as_it_lies;
  as_it_lies.grid = {distribution.rows().parts(), distribution.cols().parts(), 1};
  as_it_lies.in_place = true;
  LuOptions options;
  options.given = distribution;
  return {as_it_lies, options};
}

LayoutGrid::LayoutGrid(Communicator const& comm, Distribution const& distribution)
    : schedules_(std::static_pointer_cast<PlannedSchedules>(comm.keep(
          "schedules of solves", [&] { return std::make_shared<PlannedSchedules>(comm.machine(), comm.mapping()); }))),
      seats_(seats_of(distribution)) {
  auto const place = seats_.place(comm.rank());
  lines_ = lines_of(comm, seats_, place, schedules_->pricer);
  if (place) {
    team_ = std::make_unique<Team>(seats_, *place, schedules_->pricer, lines_.get());
  }
}

std::shared_ptr<LineComms> lines_of(Communicator const& comm, Seats const& seats, std::optional<Place> const& place,
                                    Pricer& pricer) {
  auto const& grid = seats.grid();
  std::string key = fmt::format("lu lines {}x{}x{}:", grid.rows, grid.cols, grid.layers);
  for (int l = 0; l < grid.layers; ++l) {
    for (int j = 0; j < grid.cols; ++j) {
      for (int i = 0; i < grid.rows; ++i) key += fmt::format(" {}", seats.rank({i, j, l}));
    }
  }
  return std::static_pointer_cast<LineComms>(comm.keep(key, [&] {
    auto lines = std::make_shared<LineComms>();
    for (auto const way : all_ways) {
      if (place && seats.length(way) > 1) {
        (*lines)[static_cast<std::size_t>(way)] = pricer.line(comm, seats.members(*place, way));
      }
    }
    return lines;
  }));
}

template <class T>
void sum_over_all(Communicator const& comm, std::span<T> values) {
  if (comm.size() == 1 || values.empty()) {
    return;
  }
  std::vector<T> const mine(values.begin(), values.end());
  auto const element = static_cast<std::int64_t>(sizeof(T));
  auto const bytes = Bytes(static_cast<std::int64_t>(values.size()) * element);
  comm.run(comm.schedule_for(Collective::allreduce, 0, bytes, element),
           {std::as_bytes(std::span<T const>(mine)), std::as_writable_bytes(values)}, sum_of<T>());
}

template <class T>
void apply(Trans trans, Matrix<T const> const& a, T const* x, Index count, std::span<T> y) {
  std::fill(y.begin(), y.end(), T(0));
  auto const& distribution = a.distribution();
  auto const tall = trans == Trans::none ? a.rows() : a.cols();
  auto const deep = trans == Trans::none ? a.cols() : a.rows();
  auto const place = distribution.position(a.comm().rank());
  if (place.row >= 0) {
    for (auto const& r : distribution.rows().runs(place.row)) {
      for (auto const& c : distribution.cols().runs(place.col)) {
        auto const& out = trans == Trans::none ? r : c;
        auto const& in = trans == Trans::none ? c : r;
        blas::gemm(trans, Trans::none, out.length, count, in.length, T(1), a.data() + r.local + c.local * a.ld(),
                   a.ld(), x + in.global, std::max<Index>(deep, 1), T(1), y.data() + out.global,
                   std::max<Index>(tall, 1));
      }
    }
  }
  sum_over_all(a.comm(), y);
}

#define ALLPORT_GRID(T)                                          \
  template void sum_over_all(Communicator const&, std::span<T>); \
  template void apply(Trans, Matrix<T const> const&, T const*, Index, std::span<T>);
ALLPORT_FOR_SCALARS(ALLPORT_GRID)

}  // namespace allport::lu_detail
