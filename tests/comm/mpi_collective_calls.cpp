// Every collective as a method, in its three forms, on ranks in their machine's order and in others, against what each
// is defined to give.
#include <functional>
#include <numeric>

#include "comm/world.h"

namespace allport::testing {
namespace {

using Numbers = std::vector<std::int64_t>;
using Data = std::vector<std::byte>;

/// Rank r at place (r * step + 1) mod n.
Mapping elsewhere(Rank n) {
  std::vector<Rank> places;
  Rank step = n > 3 ? 3 : 1;
  while (std::gcd(step, n) != 1) ++step;
  for (Rank r = 0; r < n; ++r) places.push_back((r * step + 1) % n);
  return Mapping::from_list(places);
}

std::vector<Communicator> communicators() {
  auto const n = world_size();
  std::vector<Communicator> all;
  for (auto const& spec : fitting_specs()) {
    all.emplace_back(MPI_COMM_WORLD, Machine::parse(spec));
    all.emplace_back(MPI_COMM_WORLD, Machine::parse(spec), elsewhere(n));
  }
  return all;
}

/// What rank `from` has for rank `to`.
Data block(Rank from, Rank to, std::int64_t bytes) {
  Data data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = pattern(from * 37 + to, i);
  return data;
}

void append(Data& data, Data const& more) { data.insert(data.end(), more.begin(), more.end()); }

/// Blocks between all pairs, their lengths given by `bytes(from, to)`.
struct Pairs {
  std::function<std::int64_t(Rank from, Rank to)> bytes;
  Rank n = world_size();

  [[nodiscard]] Data row(Rank from) const {
    Data data;
    for (Rank to = 0; to < n; ++to) append(data, block(from, to, bytes(from, to)));
    return data;
  }
  [[nodiscard]] Data column(Rank to) const {
    Data data;
    for (Rank from = 0; from < n; ++from) append(data, block(from, to, bytes(from, to)));
    return data;
  }
  [[nodiscard]] Numbers lengths_of_row(Rank from) const {
    Numbers lengths;
    for (Rank to = 0; to < n; ++to) lengths.push_back(bytes(from, to));
    return lengths;
  }
  [[nodiscard]] Numbers lengths_of_column(Rank to) const {
    Numbers lengths;
    for (Rank from = 0; from < n; ++from) lengths.push_back(bytes(from, to));
    return lengths;
  }
};

/// The sum of all ranks' rows of `pairs`, byte by byte.
Data summed(Pairs const& pairs) {
  Data sum = pairs.row(0);
  for (Rank r = 1; r < pairs.n; ++r) {
    auto const row = pairs.row(r);
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = static_cast<std::byte>(std::to_integer<unsigned>(sum[i]) + std::to_integer<unsigned>(row[i]));
    }
  }
  return sum;
}

Data cut(Data const& all, Numbers const& lengths, Rank r) {
  auto const begin = std::accumulate(lengths.begin(), lengths.begin() + r, std::int64_t{0});
  return {all.begin() + begin, all.begin() + begin + lengths[static_cast<std::size_t>(r)]};
}

/// Blocks spread over a buffer in reverse, with a gap of 3 bytes between them.
struct Spread {
  Numbers begins;
  Data data;

  Spread(Data const& packed, Numbers const& lengths) : begins(lengths.size()) {
    std::int64_t end = 0;
    for (std::size_t b = lengths.size(); b-- > 0;) {
      begins[b] = end;
      end += lengths[b] + 3;
    }
    data.assign(static_cast<std::size_t>(end), std::byte{0xcc});
    for (Rank b = 0; b < static_cast<Rank>(lengths.size()); ++b) {
      auto const one = cut(packed, lengths, b);
      std::copy(one.begin(), one.end(), data.begin() + begins[static_cast<std::size_t>(b)]);
    }
  }
};

/// The three forms of one call; each must give `wanted` in `output`, the prepared one twice.
void all_forms(std::string const& where, Data& output, Data const& wanted, std::function<void()> const& blocking,
               std::function<Transfer()> const& starting, std::function<Persistent()> const& preparing) {
  auto const before = output;
  blocking();
  EXPECT_TRUE(same_bytes(output, wanted)) << where;
  output = before;
  auto transfer = starting();
  while (!transfer.test()) {
  }
  EXPECT_TRUE(same_bytes(output, wanted)) << where << ", started";
  auto prepared = preparing();
  for (int time = 0; time < 2; ++time) {
    std::copy(before.begin(), before.end(), output.begin());
    prepared.start().wait();
    EXPECT_TRUE(same_bytes(output, wanted)) << where << ", prepared, time " << time;
  }
}

#define ALL_FORMS(where, output, wanted, name, ...)                                                           \
  all_forms(                                                                                                  \
      where, output, wanted, [&] { comm.name(__VA_ARGS__); }, [&] { return comm.start_##name(__VA_ARGS__); }, \
      [&] { return comm.prepare_##name(__VA_ARGS__); })

void one_length(Communicator const& comm, std::int64_t bytes, Rank root, std::string const& where) {
  auto const n = comm.size();
  auto const me = comm.rank();
  bool const here = me == root;
  Pairs const pairs{[=](Rank, Rank) { return bytes; }};
  Data const one = block(me, 0, bytes);
  auto const rubbish = [](std::int64_t size) { return Data(static_cast<std::size_t>(size), std::byte{0xee}); };
  Data from_root = block(root, 0, bytes);
  Data data = here ? from_root : rubbish(bytes);
  ALL_FORMS("broadcast " + where, data, from_root, broadcast, data, root);
  Data gathered;
  for (Rank r = 0; r < n; ++r) append(gathered, block(r, 0, bytes));
  Data const row = pairs.row(me);
  Data const sent = here ? row : Data();
  Data const sum = summed(pairs);
  Data const first(sum.begin(), sum.begin() + bytes);
  Data const mine(sum.begin() + me * bytes, sum.begin() + (me + 1) * bytes);
  Data out = rubbish(bytes);
  ALL_FORMS("reduce " + where, out, here ? first : out, reduce, std::span(row).first(out.size()), out, 1, add_bytes(),
            root);
  out = rubbish(bytes);
  ALL_FORMS("allreduce " + where, out, first, allreduce, std::span(row).first(out.size()), out, 1, add_bytes());
  out = rubbish(bytes);
  ALL_FORMS("reduce_scatter " + where, out, mine, reduce_scatter, row, out, 1, add_bytes());
  out = rubbish(bytes);
  ALL_FORMS("scatter " + where, out, block(root, me, bytes), scatter, sent, out, root);
  Data many = rubbish(here ? n * bytes : 0);
  ALL_FORMS("gather " + where, many, here ? gathered : Data(), gather, one, many, root);
  many = rubbish(n * bytes);
  ALL_FORMS("allgather " + where, many, gathered, allgather, one, many);
  many = rubbish(n * bytes);
  ALL_FORMS("alltoall " + where, many, pairs.column(me), alltoall, row, many);
}

void many_lengths(Communicator const& comm, std::int64_t scale, Rank root, std::string const& where) {
  auto const me = comm.rank();
  bool const here = me == root;
  // Of each rank: some none, no two neighbours' alike.
  Pairs const each{[=](Rank, Rank r) { return r % 3 == 1 ? 0 : scale * (r + 1) + r; }};
  auto const lengths = each.lengths_of_row(0);
  auto const row = each.row(me);
  auto const length = lengths[static_cast<std::size_t>(me)];
  auto const rubbish = [](std::size_t size) { return Data(size, std::byte{0xee}); };
  Data out = rubbish(static_cast<std::size_t>(length));
  Spread const sent(row, lengths);
  for (bool const spread : {false, true}) {
    BlockList const list{lengths,
                         spread ? std::span<std::int64_t const>(sent.begins) : std::span<std::int64_t const>()};
    auto const from = spread ? sent.data : row;
    auto const at_root = here ? from : Data();
    auto const also = where + (spread ? ", spread" : "");
    std::fill(out.begin(), out.end(), std::byte{0xee});
    ALL_FORMS("scatterv " + also, out, block(root, me, length), scatterv, at_root, list, out, root);
    std::fill(out.begin(), out.end(), std::byte{0xee});
    ALL_FORMS("reduce_scatterv " + also, out, cut(summed(each), lengths, me), reduce_scatterv, from, list, out, 1,
              add_bytes());
    Data gathered;
    for (Rank r = 0; r < comm.size(); ++r) append(gathered, block(r, 0, lengths[static_cast<std::size_t>(r)]));
    auto const one = block(me, 0, length);
    Data const wanted = spread ? Spread(gathered, lengths).data : gathered;
    Data many = spread ? Data(wanted.size(), std::byte{0xcc}) : rubbish(wanted.size());
    ALL_FORMS("allgatherv " + also, many, wanted, allgatherv, one, many, list);
    many = here ? Data(wanted.size(), std::byte{0xcc}) : Data();
    ALL_FORMS("gatherv " + also, many, here ? wanted : Data(), gatherv, one, many, list, root);
  }
  Pairs const pairs{[=](Rank from, Rank to) { return (from + to) % 4 == 3 ? 0 : scale * (from + 2 * to) + from % 2; }};
  auto const counts = pairs.lengths_of_row(me);
  auto const received = pairs.lengths_of_column(me);
  auto const blocks = pairs.row(me);
  auto const column = pairs.column(me);
  Data many = rubbish(column.size());
  ALL_FORMS("alltoallv " + where, many, column, alltoallv, blocks, {counts}, many, {received});
  Spread const from(blocks, counts);
  Spread const to(column, received);
  many.assign(to.data.size(), std::byte{0xcc});
  ALL_FORMS("alltoallv spread " + where, many, to.data, alltoallv, from.data, (BlockList{counts, from.begins}), many,
            (BlockList{received, to.begins}));
}

TEST(MpiCollectiveCalls, GiveWhatTheyAreDefinedToGive) {
  for (auto const& comm : communicators()) {
    for (Rank const root : {0, world_size() - 1}) {
      auto const where =
          fmt::format("on {}{}, root {}", comm.machine().name(), comm.mapping().is_identity() ? "" : " shuffled", root);
      for (std::int64_t const bytes : {0, 1, 7, 1000, 40001}) {
        one_length(comm, bytes, root, fmt::format("of {} bytes {}", bytes, where));
      }
      for (std::int64_t const scale : {0, 1, 300}) {
        many_lengths(comm, scale, root, fmt::format("of {} bytes a rank {}", scale, where));
      }
    }
  }
}

TEST(MpiCollectiveCalls, ManyInFlightAndBarriers) {
  Communicator const comm(MPI_COMM_WORLD, Machine::flat(world_size()), elsewhere(world_size()));
  auto const n = static_cast<std::size_t>(world_size());
  std::vector<Data> outputs(5, Data(n * 11));
  Pairs const pairs{[](Rank, Rank) { return 11; }};
  auto const row = pairs.row(comm.rank());
  std::vector<Transfer> all;
  all.push_back(comm.start_barrier());
  for (auto& out : outputs) all.push_back(comm.start_alltoall(row, out));
  auto barrier = comm.prepare_barrier();
  barrier.start().wait();
  barrier.start();  // waits where it ends
  for (auto t = all.rbegin(); t != all.rend(); ++t) t->wait();
  for (auto const& out : outputs) EXPECT_TRUE(same_bytes(out, pairs.column(comm.rank())));
  Data dropped(n * 11);
  comm.start_alltoall(row, dropped);  // its end is awaited, and hands over what has come
  EXPECT_TRUE(same_bytes(dropped, pairs.column(comm.rank())));
}

TEST(MpiCollectiveCalls, AreErrorsWhereArgumentsAreWrong) {
  auto const comm = flat();
  auto const n = static_cast<std::size_t>(world_size());
  Data one(4), many(n * 4), other(n * 4 + 1);
  Numbers const lengths(n, 4), fewer(n - 1, 4), negative(n, -1), long_ones(n, 5);
  auto const refused = [](std::string const& words, auto&& call) {
    auto const error = error_of(call);
    EXPECT_NE(error.find(words), std::string::npos) << words << ": " << error;
  };
  refused("root", [&] { comm.broadcast(one, world_size()); });
  refused("root", [&] { comm.start_gather(one, many, -1); });
  refused("algorithm", [&] { comm.broadcast(one, 0, "osmosis"); });
  refused("output = 4 bytes", [&] { comm.allreduce(std::span(many).first(3), one, 1, add_bytes()); });
  refused("combine", [&] {
    if (n > 1) return comm.allreduce(std::span<std::byte const>(many).first(4), one, 1, {});
    throw Error(ErrorKind::argument, "combine");
  });
  refused("output = ", [&] { comm.allgather(one, other); });
  refused("input = ", [&] { comm.reduce_scatter(other, one, 1, add_bytes()); });
  refused("output = memory of the input", [&] { comm.alltoall(many, many); });
  refused("lengths of blocks", [&] { comm.allgatherv(one, many, {fewer}); });
  refused("lengths of blocks", [&] { comm.allgatherv(one, many, {negative}); });
  if (n > 1) refused("begins of blocks", [&] { comm.allgatherv(one, many, {lengths, fewer}); });
  refused("rank ", [&] { comm.allgatherv(Data(5), many, {long_ones}); });
  refused("lengths of blocks", [&] { comm.alltoallv(many, {fewer}, other, {lengths}); });
  refused("lengths of blocks", [&] { comm.start_alltoallv(many, {lengths}, other, {negative}); });
  refused("algorithm", [&] { comm.start_alltoallv(many, {lengths}, other, {lengths}, "mst"); });
  // What only one rank has wrong is an error on all, where all lengths are told.
  bool const last = comm.rank() + 1 == comm.size();
  refused(last ? "lengths of blocks" : "refused",
          [&] { comm.alltoallv(many, {last ? negative : lengths}, other, {lengths}); });
  if (n > 1) {
    Numbers three = lengths;
    if (last) three[0] = 3;
    refused("expects 3", [&] { comm.alltoallv(many, {lengths}, other, {three}); });
  }
  // The next calls are met by all.
  comm.allgather(one, many);
  comm.barrier();
}

}  // namespace
}  // namespace allport::testing
