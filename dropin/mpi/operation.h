// A collective that we run: the caller's data brought into the form of a schedule's buffers, its steps, and back.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "allport/comm/communicator.h"
#include "call.h"
#include "datatypes.h"
#include "retained.h"
#include "state.h"

namespace allport::dropin {

/// One buffer of the caller's as blocks, in the order of the machine's positions.
struct Side {
  struct Block {
    std::byte* at = nullptr;
    std::int64_t count = 0;
  };
  struct BlockType {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    TypeLayout layout{};
  };

  bool used = false;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TypeLayout layout{};
  std::vector<Block> blocks;
  std::vector<BlockType> types{};  ///< of each block; none: all are of `type`
  bool anywhere = false;           ///< the schedule finds blocks of plain data where they lie

  [[nodiscard]] MPI_Datatype type_of(std::size_t block) const { return types.empty() ? type : types[block].type; }
  [[nodiscard]] TypeLayout const& layout_of(std::size_t block) const {
    return types.empty() ? layout : types[block].layout;
  }
  [[nodiscard]] std::int64_t bytes(std::size_t block) const { return blocks[block].count * layout_of(block).size; }
  [[nodiscard]] std::int64_t bytes() const;
  /// Where the bytes lie one behind the other, in order.
  [[nodiscard]] bool is_contiguous() const;
  /// The memory from the first to the last byte of blocks that are all plain; none where some is not, or all are empty.
  [[nodiscard]] std::span<std::byte> whole() const;
};

/// May be started again when done, for persistent requests.
class Operation {
 public:
  /// @pre acceptable(call), and decide() says that it is taken
  /// @param variant  used where it can serve
  /// @param straight blocks whose lengths only some ranks know go from rank to rank; for start_blocking() alone
  Operation(Call const& call, std::shared_ptr<Record> record, Variant const& variant = {}, bool straight = false);
  Operation(Operation const&) = delete;
  Operation& operator=(Operation const&) = delete;

  /// For an operation that goes on after the call: what the caller, or its Fortran face, may free meanwhile lives as
  /// long as this.
  void keep_handles();

  // The rest under the Lock; errors are thrown as Error.
  void start();
  /// As start(), for a caller that waits next: short steps are run at once.
  void start_blocking();
  /// Goes on with the next step where one is done; true when all are.
  bool advance();
  /// Until done, letting other threads in.
  void wait();
  /// To be started again and again, in any order with others: takes its tags, in which all ranks follow one order.
  /// False on all of them where none are left.
  [[nodiscard]] bool make_lasting();

  [[nodiscard]] Call const& call() const { return call_; }
  [[nodiscard]] Record& record() const { return *record_; }
  [[nodiscard]] std::shared_ptr<Record> const& shared_record() const { return record_; }
  /// What it comes to on the machine's positions; not yet known where lengths must be told first.
  [[nodiscard]] std::optional<Contract> const& contract() const { return contract_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// By what it was done, where reports tell; else empty.
  [[nodiscard]] std::string_view how() const { return how_; }
  [[nodiscard]] double started() const { return started_; }
  /// Bytes of every block, where ranks had to be told them first; the same on all ranks once done.
  [[nodiscard]] std::vector<std::int64_t> const& lengths() const { return lengths_; }

 private:
  void plan_sides();
  void plan_reduction();
  void plan_steps();
  void bring_in();
  void bring_out();
  void plan_one(Contract const& contract);
  void plan_in_order(Contract const& contract);
  Transfer run(Contract const& contract);
  Transfer run(Contract const& contract, Buffers buffers, Variant const& variant = {});
  bool run_short(Contract const& contract, Buffers const& buffers);
  [[nodiscard]] Schedule schedule_for(Contract const& contract) const;
  Transfer send_lengths();
  Transfer run_by_lengths();
  Transfer run_straight();
  void plan_neighbours();
  Transfer gather_lengths();
  Transfer run_neighbours();
  [[nodiscard]] std::int64_t sent_by(NeighbourEdge const& edge) const;
  [[nodiscard]] std::int64_t taken_by(NeighbourEdge const& edge) const;
  void check_blocks(NeighbourRoutes::Length const& bytes) const;
  void check_length(Contract const& contract) const;

  Side one(void* buffer, std::int64_t count, MPI_Datatype type) const;
  Side many(Operand const& operand) const;
  [[nodiscard]] Side own_block(Side const& all) const;

  Call call_;
  std::shared_ptr<Record> record_;
  Variant variant_;
  bool straight_ = false;
  Rank position_ = 0;  ///< of this rank
  Rank root_ = 0;      ///< position of the root
  Side in_;
  Side out_;
  bool copy_in_ = false;      ///< the input lies where output will be written
  bool discard_out_ = false;  ///< the caller has the output already (MPI_IN_PLACE of a scatter)
  std::vector<std::byte> in_store_;
  std::vector<std::byte> out_store_;
  Buffers buffers_;
  std::int64_t element_ = 1;
  Combine combine_;
  bool in_order_ = false;              ///< operands may not be exchanged
  std::vector<std::byte> whole_;       ///< the result of such an operation on position 0
  std::vector<std::int64_t> lengths_;  ///< of the blocks, told by the root or by all
  std::vector<std::int64_t> row_;      ///< of this rank's blocks for the others
  std::optional<Contract> contract_;
  std::vector<std::function<Transfer()>> steps_;
  std::size_t step_ = 0;
  bool blocks_ = false;       ///< short steps may be run at once
  std::optional<Turn> turn_;  ///< for all steps, where there are several, and all starts, where there will be
  bool lasts_ = false;
  Transfer transfer_;
  std::int64_t bytes_ = 0;
  std::string_view how_;
  bool gathers_lengths_ = false;           ///< of blocks for neighbours, to all ranks
  std::vector<std::int64_t> all_lengths_;  ///< every rank's, as they came
  double started_ = 0;
  std::vector<OwnType> own_types_;
  std::vector<std::unique_ptr<Retained<Datatypes>>> types_;
  std::unique_ptr<Retained<Operators>> op_;
};

/// Combine by the MPI library. `commutative` lets the operands be exchanged where that saves a copy.
[[nodiscard]] Combine combine_by(MPI_Op op, MPI_Datatype type, TypeLayout const& layout, bool commutative);

/// Bytes of one element as a reduction's schedule moves it.
[[nodiscard]] inline std::int64_t element_of(TypeLayout const& layout) { return layout.size > 0 ? layout.size : 1; }

}  // namespace allport::dropin
