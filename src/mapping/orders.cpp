// The table of orders. A new order is a function in a file of its own and a row here.
#include "allport/mapping/orders.h"

#include <fmt/format.h>

#include <utility>

#include "allport/pattern/loads.h"
#include "rows.h"

namespace allport {

std::vector<Order> const& orders() {
  static auto const table = std::vector<Order>{
      {"given", "rank r on the r-th place of the job: what a launcher does that knows nothing", mapping::given},
      {"x-fastest", "nodes by the machine's own count, x fastest (Pena13, slide 16: X-Y-Z)", mapping::x_fastest},
      {"y-fastest", "nodes counted with y fastest, then x and the others", mapping::y_fastest},
      {"row-major", "nodes counted with the last axis fastest (Pena13, slide 16: Z-Y-X)", mapping::row_major},
      {"zigzag", "nodes along a snake, x fastest, so that those that follow each other are neighbours",
       mapping::zigzag},
      {"blocks",
       "the scheduler's blocks of 4x2x8 nodes along a cycle: ranks that follow each other are neighbours, and so are "
       "the last and the first (Pena13, slide 7)",
       mapping::blocks},
      {"hilbert", "nodes, and the process grid's cells where there is one, along Hilbert's curve (Skilling 2004)",
       mapping::hilbert},
      {"paired", "the hosts of a router beside each other along the axis with the slowest links (Pena13, slide 12)",
       mapping::paired},
      {"matched",
       "axes of the process grid laid along axes of the machine, folded where they are longer (Pena13, slide 16)",
       mapping::matched},
      {"k-d",
       "ranks and nodes halved again and again, where fewest bytes meet the thinnest cut (Berger and Bokhari 1987)",
       mapping::k_d},
      {"scotch", "static mapping of the communication graph by Scotch (Pellegrini 1994)", mapping::scotch},
  };
  return table;
}

Order const& order(std::string_view name) {
  std::string all;
  for (auto const& o : orders()) {
    if (o.name == name) return o;
    all += (all.empty() ? "" : ", ") + o.name;
  }
  throw Error::argument("order", show(name), all);
}

MappingTask::MappingTask(Machine machine, Pattern pattern, std::vector<Rank> allocation)
    : machine_(std::move(machine)), pattern_(std::move(pattern)), allocation_(std::move(allocation)) {
  for (int a = 0; a < machine_.axes(); ++a) {
    auto const& axis = machine_.axis(a);
    ensure(axis.length == 1 || axis.bandwidth.value() > 0.0, "machine's bandwidth", axis.bandwidth.value(),
           "more than 0 on every axis", "name a machine file or a preset that has one", ErrorKind::machine);
  }
  if (allocation_.empty()) {
    ensure(ranks() <= machine_.ranks(), "ranks", ranks(),
           fmt::format("at most the {} of machine {}", machine_.ranks(), machine_.name()), "name a larger machine");
    for (Rank r = 0; r < ranks(); ++r) allocation_.push_back(r);
  }
  ensure(static_cast<Rank>(allocation_.size()) == ranks(), "allocation", static_cast<std::int64_t>(allocation_.size()),
         fmt::format("as many places as the pattern has ranks, {}", ranks()));
  check_places(machine_, ranks(), allocation_);
}

namespace mapping {

std::vector<Rank> laid(std::vector<Rank> const& ranks, std::vector<Rank> const& places) {
  std::vector<Rank> found(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) found[at(ranks[i])] = places[i];
  return found;
}

std::int64_t number(Machine const& machine, Node node, std::vector<int> const& axes) {
  std::int64_t n = 0;
  std::int64_t stride = 1;
  for (auto const a : axes) {
    n += machine.coord(node, a) * stride;
    stride *= machine.axis(a).length;
  }
  return n;
}

std::vector<int> axes_of(Machine const& machine) {
  std::vector<int> axes;
  for (int a = 0; a < machine.axes(); ++a) axes.push_back(a);
  return axes;
}

std::int64_t x_fastest_number(CartGrid const& grid, Rank rank) {
  std::int64_t n = 0;
  std::int64_t stride = 1;
  for (int a = 0; a < grid.axes(); ++a) {
    n += grid.coord(rank, a) * stride;
    stride *= grid.length(a);
  }
  return n;
}

int slowest_axis(Machine const& machine) {
  int slowest = -1;
  for (int a = 0; a < machine.axes(); ++a) {
    if (machine.axis(a).length == 1) continue;
    if (slowest < 0 || machine.axis(a).bandwidth < machine.axis(slowest).bandwidth) slowest = a;
  }
  return slowest;
}

}  // namespace mapping

}  // namespace allport
