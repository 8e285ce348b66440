// A communication: who sends which piece of which buffer to whom, after what.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "allport/schedule/program.h"

namespace allport {

enum class Collective : std::uint8_t {
  broadcast,
  reduce,
  scatter,
  gather,
  allgather,
  reduce_scatter,
  allreduce,
  alltoall,
  barrier,
};
[[nodiscard]] std::string_view name(Collective what);         ///< MPI's name in lower case: "bcast", "reduce", ...
[[nodiscard]] Collective parse_collective(std::string_view);  ///< also "broadcast"; throws Error

/// What a schedule promises: who holds what before, and who must hold what after.
///   broadcast: `bytes` of root's output reach everyone's output.
///   reduce:    input of `bytes` on every rank, combined over all ranks element by element into root's output.
/// The block collectives follow the same lines with `bytes` per (source, destination) block.
struct Contract {
  Collective what = Collective::broadcast;
  Rank ranks = 1;
  Rank root = 0;
  std::int64_t bytes = 0;
  std::int64_t element = 1;  ///< bytes that must not be cut apart (an element of the datatype); 1 for data movers

  /// Throws Error naming the argument: ranks >= 1, 0 <= root < ranks, bytes >= 0, element >= 1, bytes % element == 0.
  void check() const;
  /// Bytes that the caller's buffers have on a rank.
  [[nodiscard]] std::int64_t input_bytes(Rank r) const;
  [[nodiscard]] std::int64_t output_bytes(Rank r) const;

  friend bool operator==(Contract const&, Contract const&) = default;
};

/// How a schedule was cut; carried along for reports.
struct Cut {
  std::int64_t segment = 64 * 1024;  ///< bytes at most
  std::int32_t window = 2;           ///< segments in flight per stream, >= 1

  friend bool operator==(Cut const&, Cut const&) = default;
};

/// A schedule is a function from rank to program, computed on demand and storing nothing per rank; or a shared,
/// immutable table. Copies are cheap. program() may be called from several threads at once.
class Schedule {
 public:
  using Maker = std::function<void(Rank, Program&)>;

  /// `trees`: number of spanning trees (or other parallel parts); channel t belongs to tree t % trees.
  Schedule(std::string algorithm, Contract contract, Cut cut, int trees, Maker maker)
      : algorithm_(std::move(algorithm)), contract_(contract), cut_(cut), trees_(trees), maker_(std::move(maker)) {}

  [[nodiscard]] std::string const& algorithm() const { return algorithm_; }
  [[nodiscard]] Contract const& contract() const { return contract_; }
  [[nodiscard]] Cut const& cut() const { return cut_; }
  [[nodiscard]] int trees() const { return trees_; }
  [[nodiscard]] Rank ranks() const { return contract_.ranks; }

  /// @pre 0 <= r < ranks()
  void program(Rank r, Program& into) const {
    into.clear();
    maker_(r, into);
  }
  [[nodiscard]] Program program(Rank r) const {
    Program p;
    program(r, p);
    return p;
  }

 private:
  std::string algorithm_;
  Contract contract_;
  Cut cut_;
  int trees_ = 1;
  Maker maker_;
};

/// Messages and bytes that a rank sends and receives, read off its program.
struct Traffic {
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;

  Traffic& operator+=(Traffic const& o);
  friend bool operator==(Traffic const&, Traffic const&) = default;
};
[[nodiscard]] Traffic traffic(Program const& program);

}  // namespace allport
