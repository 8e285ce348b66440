// Shared by tests on several ranks: machines for the number of ranks, data that differ by rank, the reference.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "allport/collectives/registry.h"
#include "allport/comm/communicator.h"
#include "allport/schedule/interpreter.h"

namespace allport::testing {

inline int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// A communicator of all ranks, on a machine about whose links nothing is known.
inline Communicator flat() { return Communicator(MPI_COMM_WORLD, Machine::flat(world_size())); }

/// Specs of machines with as many ranks as the world has: a ring, a line, and rectangles and boxes where n factors.
inline std::vector<std::string> fitting_specs() {
  auto const n = world_size();
  std::vector<std::string> specs{fmt::format("torus:{}", n), fmt::format("mesh:{}", n)};
  for (int a = 2; a * a <= n; ++a) {
    if (n % a != 0) continue;
    specs.push_back(fmt::format("torus:{}x{}", n / a, a));
    specs.push_back(fmt::format("mesh:{}x{}", a, n / a));
  }
  if (n == 12) specs.emplace_back("torus:3x2x2m");
  if (n == 16) specs.emplace_back("torus:4x2x2");
  if (n % 2 == 0) specs.push_back(fmt::format("torus:{}/ppn=2", n / 2));
  return specs;
}

/// Sets an environment variable for one scope. Communicators read the environment when they are made.
class Environment {
 public:
  Environment(char const* name, char const* value) : name_(name) {
    if (auto const* old = std::getenv(name)) {
      had_ = true;
      old_ = old;
    }
    setenv(name, value, 1);
  }
  ~Environment() { had_ ? setenv(name_.c_str(), old_.c_str(), 1) : unsetenv(name_.c_str()); }
  Environment(Environment const&) = delete;
  Environment& operator=(Environment const&) = delete;

 private:
  std::string name_;
  std::string old_;
  bool had_ = false;
};

inline std::byte pattern(Rank r, std::size_t i) {
  return static_cast<std::byte>((static_cast<std::size_t>(r) * 131 + i * 7 + (i >> 8) * 13 + 5) & 0xffU);
}

/// A position's buffers before a schedule runs: distinct bytes in the input, the message on a broadcast's root, and
/// rubbish wherever a result is due.
inline RankBuffers filled(Contract const& contract, Rank position) {
  RankBuffers b;
  b.input.resize(static_cast<std::size_t>(contract.input_bytes(position)));
  b.output.assign(static_cast<std::size_t>(contract.output_bytes(position)), std::byte{0xee});
  for (std::size_t i = 0; i < b.input.size(); ++i) b.input[i] = pattern(position, i);
  if (contract.what == Collective::broadcast && position == contract.root) {
    for (std::size_t i = 0; i < b.output.size(); ++i) b.output[i] = pattern(position, i);
  }
  return b;
}

/// All positions' buffers.
inline std::vector<RankBuffers> filled(Contract const& contract) {
  std::vector<RankBuffers> all;
  for (Rank r = 0; r < contract.ranks; ++r) all.push_back(filled(contract, r));
  return all;
}

/// Bytewise sum over all positions of `size` bytes of their inputs, each from `offset(position)` on.
template <class Offset>
void add_inputs(Contract const& contract, std::int64_t size, std::byte* out, Offset&& offset) {
  for (std::int64_t i = 0; i < size; ++i) {
    unsigned sum = 0;
    for (Rank r = 0; r < contract.ranks; ++r) {
      sum += std::to_integer<unsigned>(pattern(r, static_cast<std::size_t>(offset(r) + i)));
    }
    out[i] = static_cast<std::byte>(sum & 0xffU);
  }
}

inline Combine add_bytes() { return sum_of<std::uint8_t>(); }

/// What each position's output must be, straight from the collective's definition; only for `add_bytes`.
inline std::vector<std::byte> expected_output(Contract const& contract, Rank position) {
  std::vector<std::byte> out(static_cast<std::size_t>(contract.output_bytes(position)));
  auto const size = static_cast<std::int64_t>(out.size());
  auto const take = [&](Rank source, std::int64_t from, std::int64_t bytes, std::int64_t at) {
    for (std::int64_t i = 0; i < bytes; ++i) {
      out[static_cast<std::size_t>(at + i)] = pattern(source, static_cast<std::size_t>(from + i));
    }
  };
  switch (contract.what) {
    case Collective::broadcast:
      take(contract.root, 0, size, 0);
      break;
    case Collective::scatter:
      take(contract.root, contract.input_offset(contract.root, position), size, 0);
      break;
    case Collective::reduce_scatter:
      add_inputs(contract, size, out.data(), [&](Rank r) { return contract.input_offset(r, position); });
      break;
    case Collective::reduce:
    case Collective::allreduce:
      add_inputs(contract, size, out.data(), [](Rank) { return std::int64_t{0}; });
      break;
    default:
      for (Rank s = 0; size > 0 && s < contract.ranks; ++s) {
        take(s, contract.input_offset(s, position), contract.block(s, position), contract.output_offset(position, s));
      }
  }
  return out;
}

inline Buffers spans(RankBuffers& b) { return {b.input, b.output}; }

/// Compares bytes without printing megabytes.
inline ::testing::AssertionResult same_bytes(std::span<std::byte const> got, std::span<std::byte const> wanted) {
  if (got.size() != wanted.size()) {
    return ::testing::AssertionFailure() << got.size() << " bytes, not " << wanted.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != wanted[i]) {
      return ::testing::AssertionFailure()
             << "byte " << i << " of " << got.size() << " is " << int(got[i]) << ", not " << int(wanted[i]);
    }
  }
  return ::testing::AssertionSuccess();
}

/// True on every rank when it is true on all; keeps collective tests in step after a failure.
inline bool everywhere(bool here) {
  int const mine = here ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

/// The text of the Error that `call` throws, or "" when it throws none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (Error const& e) {
    return e.what();
  }
  return {};
}

/// A chain over positions root, root + 1, ... (mod ranks) in one stream: the simplest broadcast that forwards.
inline Schedule chain_broadcast(Rank ranks, Rank root, std::int64_t bytes, Cut cut = {}) {
  Contract const contract{Collective::broadcast, ranks, root, bytes, 1};
  return {"test-chain", contract, cut, 1, [=](Rank r, Program& p) {
            auto const place = (r - root + ranks) % ranks;
            if (bytes == 0 || ranks == 1) return;
            Op op;
            op.length = bytes;
            op.segment = cut.segment;
            op.piece = {{root, root}, {r, r}, {0, bytes}, false};
            if (place > 0) {
              op.kind = OpKind::receive;
              op.peer = (r + ranks - 1) % ranks;
              op.into = {Buffer::output, 0, 0};
              p.ops.push_back(op);
            }
            if (place + 1 < ranks) {
              op.kind = OpKind::send;
              op.peer = (r + 1) % ranks;
              op.into = {};
              op.from = {Buffer::output, 0, 0};
              if (place > 0) op.after.add(0);
              p.ops.push_back(op);
            }
          }};
}

/// A chain that sums towards the root through a ring of `cut.window` scratch segments.
inline Schedule chain_reduce(Rank ranks, Rank root, std::int64_t bytes, std::int64_t element, Cut cut = {}) {
  Contract const contract{Collective::reduce, ranks, root, bytes, element};
  return {"test-chain", contract, cut, 1, [=](Rank r, Program& p) {
            if (bytes == 0) return;
            auto const place = (r - root + ranks) % ranks;  // the last one starts
            bool const first = place == ranks - 1;
            Op op;
            op.length = bytes;
            op.segment = cut.segment;
            if (ranks == 1) {
              op.kind = OpKind::copy;
              op.from = {Buffer::input, 0, 0};
              op.into = {Buffer::output, 0, 0};
              p.ops.push_back(op);
              return;
            }
            auto const ring = Slot{Buffer::scratch, cut.window, 0};
            p.scratch = first ? 0 : cut.window * cut.segment;
            if (!first) {
              op.kind = OpKind::receive;  // 0; a slot is free when what it held has been combined and, if so, sent
              op.peer = (r + 1) % ranks;
              op.into = ring;
              op.after.add(place == 0 ? 1 : 2, cut.window);
              p.ops.push_back(op);
              Op sum = op;  // 1
              sum.kind = OpKind::combine;
              sum.peer = -1;
              sum.with = {Buffer::input, 0, 0};
              sum.from = ring;
              sum.into = place == 0 ? Slot{Buffer::output, 0, 0} : ring;
              sum.after.clear();
              sum.after.add(0);
              p.ops.push_back(sum);
            }
            if (place != 0) {
              Op out = op;  // 2, or 0 on the first
              out.kind = OpKind::send;
              out.peer = (r + ranks - 1) % ranks;
              out.into = {};
              out.from = first ? Slot{Buffer::input, 0, 0} : ring;
              out.after.clear();
              if (!first) out.after.add(1);
              p.ops.push_back(out);
            }
          }};
}

}  // namespace allport::testing
