// Translates a call by rank into a contract over positions, and finds the blocks that must be copied.
#include "collective_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "comm_state.h"

namespace allport::engine {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Where blocks lie in a caller's buffer, by position.
struct Blocks {
  std::vector<std::int64_t> bytes;
  std::vector<std::int64_t> begins;

  [[nodiscard]] bool packed() const {
    std::int64_t next = 0;
    for (std::size_t b = 0; b < bytes.size(); ++b) {
      if (bytes[b] > 0 && begins[b] != next) return false;
      next += bytes[b];
    }
    return true;
  }
  [[nodiscard]] std::int64_t total() const {
    std::int64_t sum = 0;
    for (auto const b : bytes) sum += b;
    return sum;
  }
};

/// Blocks of one length. @param name  of the buffer
Blocks even(CommState const& comm, std::int64_t block, std::int64_t has, char const* name) {
  if (has != block * comm.size) {
    throw Error::argument(name, fmt::format("{} bytes", has),
                          fmt::format("{} blocks of {} bytes, one a rank", comm.size, block));
  }
  Blocks blocks;
  for (Rank p = 0; p < comm.size; ++p) {
    blocks.bytes.push_back(block);
    blocks.begins.push_back(comm.rank_at(p) * block);
  }
  return blocks;
}

/// Blocks of a v-variant. @param has  bytes of the buffer; none: only the lengths are asked for
Blocks listed(CommState const& comm, BlockList const& list, std::optional<std::int64_t> has, char const* name) {
  auto const n = at(comm.size);
  auto const one_a_rank = fmt::format("{}, one a rank", n);
  ensure(list.bytes.size() == n, "lengths of blocks", list.bytes.size(), one_a_rank);
  ensure(list.begins.empty() || list.begins.size() == n, "begins of blocks", list.begins.size(), one_a_rank);
  std::vector<std::int64_t> begins(n);
  std::int64_t next = 0;
  for (std::size_t r = 0; r < n; ++r) {
    auto const bytes = list.bytes[r];
    ensure(bytes >= 0, "lengths of blocks", fmt::format("{} for rank {}", bytes, r), "bytes >= 0");
    ensure(bytes <= std::numeric_limits<std::int64_t>::max() - next, "lengths of blocks", "a sum beyond 63 bits",
           "a sum within them");
    begins[r] = list.begins.empty() ? next : list.begins[r];
    next += bytes;
    if (!has || bytes == 0) continue;
    if (begins[r] < 0 || bytes > *has || begins[r] > *has - bytes) {
      throw Error::argument(name, fmt::format("{} bytes", *has),
                            fmt::format("rank {}'s block of {} bytes at byte {} in it", r, bytes, begins[r]));
    }
  }
  Blocks blocks;
  for (Rank p = 0; p < comm.size; ++p) {
    blocks.bytes.push_back(list.bytes[at(comm.rank_at(p))]);
    blocks.begins.push_back(begins[at(comm.rank_at(p))]);
  }
  return blocks;
}

std::int64_t length(auto const& buffer) { return static_cast<std::int64_t>(buffer.size()); }

void ensure_length(char const* name, std::int64_t has, std::int64_t wanted) {
  if (has != wanted) throw Error::argument(name, fmt::format("{} bytes", has), fmt::format("{} bytes", wanted));
}

void ensure_apart(CollectiveCall const& call) {
  auto const* const in = call.input.data();
  auto const* const out = call.output.data();
  if (call.input.empty() || call.output.empty()) return;
  if (std::less<>()(in, out + call.output.size()) && std::less<>()(out, in + call.input.size())) {
    throw Error::argument("output", "memory of the input", "memory of its own", "copy the input first");
  }
}

Contract contract_of(CommState const& comm, CollectiveCall const& call, std::int64_t bytes) {
  auto const combined = combines(call.what);
  return {call.what, comm.size, has_root(call.what) ? comm.position_of(call.root) : 0, bytes,
          combined ? call.element : 1};
}

Contract contract_of(CommState const& comm, CollectiveCall const& call, std::vector<std::int64_t> const& bytes) {
  if (std::ranges::all_of(bytes, [&](auto b) { return b == bytes.front(); })) {
    return contract_of(comm, call, bytes.front());
  }
  auto table = call.what == Collective::alltoall ? BlockTable::per_pair(bytes, comm.size) : BlockTable::per_rank(bytes);
  auto const plain = contract_of(comm, call, 0);
  return with_blocks(call.what, comm.size, plain.root, std::move(table), plain.element);
}

/// A direct message for every pair: a rank needs to know its own blocks only.
Schedule straight(CommState const& comm, Blocks const& sent, Blocks const& received, Extents mine) {
  auto const me = comm.position_of(comm.rank);
  Contract contract{.what = Collective::none, .ranks = comm.size};
  std::vector<Extents> buffers(at(comm.size));
  buffers[at(me)] = mine;
  contract.buffers = std::make_shared<std::vector<Extents> const>(std::move(buffers));
  Cut const cut{1 << 20, 4};
  auto const segment = cut.segment;
  return {"straight", contract, cut, 1, [=](Rank r, Program& program) {
            if (r != me) return;  // nobody else's blocks are known here
            auto const add = [&](OpKind kind, Rank peer, std::int64_t bytes, Slot from, Slot into) {
              if (bytes == 0) return;
              Op op;
              op.kind = kind;
              op.peer = peer;
              op.length = bytes;
              op.segment = std::min(segment, bytes);
              op.piece.bytes = {0, bytes};
              op.from = from;
              op.into = into;
              program.ops.push_back(op);
            };
            auto const n = static_cast<Rank>(sent.bytes.size());
            for (Rank step = 1; step < n; ++step) {
              auto const to = (me + step) % n;
              auto const from = (me + n - step) % n;
              add(OpKind::receive, from, received.bytes[at(from)], {}, {Buffer::output, 0, received.begins[at(from)]});
              add(OpKind::send, to, sent.bytes[at(to)], {Buffer::input, 0, sent.begins[at(to)]}, {});
            }
            add(OpKind::copy, -1, sent.bytes[at(me)], {Buffer::input, 0, sent.begins[at(me)]},
                {Buffer::output, 0, received.begins[at(me)]});
          }};
}

}  // namespace

/// Allocates staging buffers for the sides that need them.
class Placing {
 public:
  explicit Placing(PlacedCall& placed) : placed_(placed) {}

  void input(std::span<std::byte const> buffer, Blocks const& blocks) {
    placed_.buffers.input = buffer;
    if (blocks.packed()) return;
    auto& s = staging();
    s.input_.resize(at(blocks.total()));
    auto* to = s.input_.data();
    each(blocks, [&](std::int64_t begin, std::size_t bytes) {
      s.in_.push_back({to, buffer.data() + begin, bytes});
      to += bytes;
    });
    placed_.buffers.input = s.input_;
  }
  void output(std::span<std::byte> buffer, Blocks const& blocks) {
    placed_.buffers.output = buffer;
    if (blocks.packed()) return;
    auto& s = staging();
    s.output_.resize(at(blocks.total()));
    auto const* from = s.output_.data();
    each(blocks, [&](std::int64_t begin, std::size_t bytes) {
      s.out_.push_back({buffer.data() + begin, from, bytes});
      from += bytes;
    });
    placed_.buffers.output = s.output_;
  }

 private:
  Staging& staging() {
    if (!placed_.staging) placed_.staging = std::make_unique<Staging>();
    return *placed_.staging;
  }
  static void each(Blocks const& blocks, FunctionRef<void(std::int64_t, std::size_t)> visit) {
    for (std::size_t b = 0; b < blocks.bytes.size(); ++b) {
      if (blocks.bytes[b] > 0) visit(blocks.begins[b], at(blocks.bytes[b]));
    }
  }

  PlacedCall& placed_;
};

namespace {

/// One block here, all ranks' blocks in the other buffer, on the root or on every rank.
PlacedCall place_blocks(CommState const& comm, CollectiveCall const& call) {
  bool const many_in = call.what == Collective::scatter || call.what == Collective::reduce_scatter;
  bool const here = !has_root(call.what) || comm.rank == call.root;
  auto const many = many_in ? length(call.input) : length(call.output);
  auto const one = many_in ? length(call.output) : length(call.input);
  auto const* const name = many_in ? "input" : "output";
  PlacedCall placed{.buffers = {call.input, call.output}};
  Placing placing(placed);
  auto const with = [&](Blocks const& blocks) {
    if (many_in) {
      placing.input(call.input, blocks);
    } else {
      placing.output(call.output, blocks);
    }
  };
  if (call.varies) {
    auto const blocks = listed(comm, call.blocks, here ? std::optional(many) : std::nullopt, name);
    ensure_length(many_in ? "output" : "input", one, blocks.bytes[at(comm.position_of(comm.rank))]);
    placed.contract = contract_of(comm, call, blocks.bytes);
    if (here) with(blocks);
  } else {
    if (here) with(even(comm, one, many, name));
    placed.contract = contract_of(comm, call, one);
  }
  return placed;
}

PlacedCall place_pairs(CommState const& comm, CollectiveCall const& call, PairTable const* pairs) {
  PlacedCall placed;
  Placing placing(placed);
  if (!call.varies) {
    ensure_length("output", length(call.output), length(call.input));
    auto const block = length(call.input) / comm.size;
    auto const blocks = even(comm, block, length(call.input), "input");
    placing.input(call.input, blocks);
    placing.output(call.output, blocks);
    placed.contract = contract_of(comm, call, block);
    return placed;
  }
  auto const sent = listed(comm, call.blocks, length(call.input), "input");
  auto const received = listed(comm, call.received, length(call.output), "output");
  if (pairs != nullptr) {
    placing.input(call.input, sent);
    placing.output(call.output, received);
    placed.contract = contract_of(comm, call, *pairs);
    return placed;
  }
  if (!call.algorithm.empty()) {
    throw Error::argument("algorithm", show(call.algorithm), "none for a non-blocking alltoallv",
                          "alltoallv() and prepare_alltoallv() accept one, since they exchange all lengths");
  }
  auto const me = at(comm.position_of(comm.rank));
  if (sent.bytes[me] != received.bytes[me]) {
    throw Error::argument("lengths of blocks", fmt::format("{} bytes from itself", received.bytes[me]),
                          fmt::format("the {} bytes that rank {} has for itself", sent.bytes[me], comm.rank));
  }
  placed.buffers = {call.input, call.output};
  placed.schedule = straight(comm, sent, received, {length(call.input), length(call.output)});
  placed.contract = placed.schedule->contract();
  return placed;
}

}  // namespace

PlacedCall place(CommState const& comm, CollectiveCall const& call, PairTable const* pairs) {
  ensure(call.what <= Collective::barrier, "collective", name(call.what), "one that has a name");
  if (has_root(call.what)) comm.ensure_rank("root", call.root);
  ensure_apart(call);
  switch (call.what) {
    case Collective::barrier:
      return {.contract = contract_of(comm, call, 0)};
    case Collective::broadcast:
      return {.contract = contract_of(comm, call, length(call.output)), .buffers = {{}, call.output}};
    case Collective::reduce:
    case Collective::allreduce: {
      bool const gets = call.what == Collective::allreduce || comm.rank == call.root;
      if (gets) ensure_length("output", length(call.output), length(call.input));
      return {.contract = contract_of(comm, call, length(call.input)),
              .buffers = {call.input, gets ? call.output : std::span<std::byte>()}};
    }
    case Collective::alltoall:
      return place_pairs(comm, call, pairs);
    default:
      return place_blocks(comm, call);
  }
}

std::vector<std::int64_t> pairs_of(CommState const& comm, CollectiveCall const& call, std::string& trouble) {
  auto const n = at(comm.size);
  try {
    ensure_apart(call);
    auto row = listed(comm, call.blocks, length(call.input), "input").bytes;
    auto const column = listed(comm, call.received, length(call.output), "output").bytes;
    row.insert(row.end(), column.begin(), column.end());
    return row;
  } catch (Error const& e) {
    trouble = e.what();
    return std::vector<std::int64_t>(2 * n, -1);
  }
}

PairTable agreed_pairs(CommState const& comm, std::vector<std::int64_t> const& reported) {
  auto const n = at(comm.size);
  PairTable pairs(n * n);
  for (std::size_t s = 0; s < n; ++s) {
    auto const* const row = &reported[s * 2 * n];
    if (row[0] < 0) {
      throw Error(ErrorKind::mismatch, fmt::format("alltoallv: {} has refused its arguments; its own error says which",
                                                   comm.rank_text(comm.rank_at(static_cast<Rank>(s)))));
    }
    std::copy_n(row, n, &pairs[s * n]);
  }
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t d = 0; d < n; ++d) {
      auto const expected = reported[d * 2 * n + n + s];
      if (pairs[s * n + d] == expected) continue;
      throw Error(ErrorKind::mismatch,
                  fmt::format("alltoallv: {} sends {} bytes to {}, which expects {}; both must pass the same count",
                              comm.rank_text(comm.rank_at(static_cast<Rank>(s))), pairs[s * n + d],
                              comm.rank_text(comm.rank_at(static_cast<Rank>(d))), expected));
    }
  }
  return pairs;
}

}  // namespace allport::engine
