// Addresses for all bytes that a collective moves.
#pragma once

#include <array>
#include <string>

#include "allport/machine/machine.h"
#include "allport/schedule/schedule.h"

namespace allport::verify {

/// Boxes of ranks over dimensions(machine).
class Boxes {
 public:
  explicit Boxes(Machine const& machine);

  [[nodiscard]] std::int64_t size(RankBox box) const;
  /// The k-th rank of a box, in rank order from its low corner, upwards with wrap-around on every axis.
  [[nodiscard]] Rank nth(RankBox box, std::int64_t k) const;
  [[nodiscard]] std::string text(RankBox box) const;

 private:
  [[nodiscard]] std::int32_t extent(RankBox box, int a) const;

  int axes_ = 0;
  std::array<std::int32_t, max_axes + 1> length_{};
  std::array<std::int32_t, max_axes + 1> stride_{};
};

/// Origin of a byte: offset in the block from `source` to `destination`. Source or destination is 0 if the collective
/// does not distinguish them.
struct Origin {
  Rank source = 0;
  Rank destination = 0;
  std::int64_t offset = 0;
};

/// The bytes of a collective in one address space, in the order of MPI's buffers (sources slowest), so that
/// neighbouring bytes of a buffer have neighbouring addresses.
/// In a reduction the address names the element; the contributing ranks are recorded in Value.
class Space {
 public:
  Space(Contract const& contract, Machine const& machine);

  [[nodiscard]] bool reduces() const { return reduces_; }
  [[nodiscard]] Contract const& contract() const { return contract_; }
  [[nodiscard]] Boxes const& boxes() const { return boxes_; }

  [[nodiscard]] std::int64_t address(Origin const& o) const {
    auto const s = by_source_ ? o.source : 0;
    auto const d = by_destination_ ? o.destination : 0;
    auto const block = s * (by_destination_ ? contract_.ranks : std::int64_t{1}) + d;
    return (contract_.blocks ? contract_.blocks->begin(block) : block * contract_.bytes) + o.offset;
  }
  [[nodiscard]] Origin origin(std::int64_t address) const;

  /// Blocks that are concatenated in a stream of this piece.
  [[nodiscard]] std::int64_t blocks(Piece const& piece) const;
  /// Bytes of a stream of this piece: the interval of every block, clipped to the block.
  [[nodiscard]] std::int64_t length(Piece const& piece) const;
  /// Origin of byte `p` of a stream of this piece.
  [[nodiscard]] Origin at(Piece const& piece, std::int64_t p) const { return find(piece, p).origin; }
  /// The origin, and the number of bytes left in the block's interval.
  struct Found {
    Origin origin;
    std::int64_t left = 0;
  };
  [[nodiscard]] Found find(Piece const& piece, std::int64_t p) const;

  /// Description of bytes [begin, end) of a stream of this piece.
  [[nodiscard]] std::string text(Piece const& piece, std::int64_t begin, std::int64_t end) const;
  [[nodiscard]] std::string text(Piece const& piece) const;
  /// Description of the bytes at addresses [begin, end).
  [[nodiscard]] std::string text(std::int64_t begin, std::int64_t end) const;

 private:
  [[nodiscard]] bool lists_sources(Piece const& piece) const { return by_source_ || (reduces_ && !piece.combined); }
  /// The k-th block of a stream of this piece, and its interval.
  [[nodiscard]] Origin nth(Piece const& piece, std::int64_t k) const;
  [[nodiscard]] std::int64_t size(Piece const& piece, Origin const& block) const;
  [[nodiscard]] std::string block_text(Origin const& o, std::int64_t bytes) const;

  Contract contract_;
  Boxes boxes_;
  bool by_source_ = false;
  bool by_destination_ = false;
  bool reduces_ = false;
};

}  // namespace allport::verify
