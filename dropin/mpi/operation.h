// A collective that we run: the caller's data brought into the form of a schedule's buffers, its steps, and back.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "allport/comm/communicator.h"
#include "call.h"
#include "datatypes.h"
#include "decision.h"
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
  Block one{};                     ///< all blocks, where they lie one behind the other
  std::vector<Block> blocks{};     ///< else each of them
  std::vector<BlockType> types{};  ///< of each of `blocks`; none: all are of `type`
  bool anywhere = false;           ///< plain `blocks` are sent from and received where they lie

  [[nodiscard]] std::span<Block const> parts() const {
    return blocks.empty() ? std::span<Block const>(&one, 1) : std::span<Block const>(blocks);
  }
  [[nodiscard]] MPI_Datatype type_of(std::size_t part) const { return types.empty() ? type : types[part].type; }
  [[nodiscard]] TypeLayout const& layout_of(std::size_t part) const {
    return types.empty() ? layout : types[part].layout;
  }
  [[nodiscard]] std::int64_t bytes(std::size_t part) const { return parts()[part].count * layout_of(part).size; }
  [[nodiscard]] std::int64_t bytes() const;
  /// The memory from the first to the last byte of parts that are all plain; none where some is not, or all are empty.
  [[nodiscard]] std::span<std::byte> whole() const;
  /// Where each of `blocks` begins, from the first byte of `memory`: in place, or packed in `store`.
  template <class F>
  void each_offset(std::span<std::byte const> memory, std::vector<std::byte> const& store, F const& f) const {
    bool const packed = !memory.empty() && memory.data() == store.data();
    std::int64_t next = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      f(b, packed ? next : bytes(b) > 0 ? blocks[b].at - memory.data() : 0);
      next += bytes(b);
    }
  }
  /// The same of the blocks themselves: f(number, block).
  template <class Byte, class F>
  void each_block(std::span<Byte> memory, std::vector<std::byte> const& store, F const& f) const {
    each_offset(memory, store, [&](std::size_t b, std::int64_t offset) {
      f(b, memory.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes(b))));
    });
  }
};

/// May be started again when done, for persistent requests.
class Operation {
 public:
  /// @pre why_not(call, shape) is empty
  /// @param variant  used where it can serve
  /// @param straight blocks whose lengths only some ranks know go from rank to rank; for run() alone
  Operation(Call const& call, CallShape const& shape, Variant const& variant = {}, bool straight = false);
  Operation(Operation const&) = delete;
  Operation& operator=(Operation const&) = delete;

  /// For an operation that goes on after the call: what the caller, or its Fortran face, may free meanwhile lives as
  /// long as this.
  void keep_handles();

  // The rest under the Lock; errors are thrown as Error.
  void start();
  /// Goes on with the next step where one is done; true when all are.
  bool advance();
  /// From start to end, letting other threads in; short steps are run at once.
  void run();
  /// Builds what run() caches for short calls like this one, for every root: where the root goes round, so many calls
  /// in a row would be timed with the building. More roots than are cached would be built for nothing. Sends nothing.
  void prepare_for_all_roots() const;
  /// To be started again and again, in any order with others: takes its tags, in which all ranks follow one order.
  /// False on all of them where none are left.
  [[nodiscard]] bool make_lasting();

  [[nodiscard]] Call const& call() const { return call_; }
  [[nodiscard]] Record& record() const { return *record_; }
  /// @pre keep_handles()
  [[nodiscard]] std::shared_ptr<Record> const& shared_record() const { return own_record_; }
  /// What it comes to on the machine's positions; not yet known where lengths must be told first.
  [[nodiscard]] std::optional<Contract> const& contract() const { return contract_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// By what it was done, where reports tell; else empty.
  [[nodiscard]] std::string_view how() const { return how_; }
  [[nodiscard]] double started() const { return started_; }
  /// Bytes of every block, where ranks had to be told them first; the same on all ranks once done.
  [[nodiscard]] std::vector<std::int64_t> const& lengths() const { return lengths_; }

 private:
  using Step = Transfer (Operation::*)();

  void plan_sides();
  void plan_steps(Site& site);
  void plan_blocks(Site& site);
  void plan_neighbours();
  void bring_in();
  void bring_out();
  Transfer run(Contract const& contract);
  Transfer run(Contract const& contract, Buffers buffers, Variant const& variant = {});
  [[nodiscard]] Schedule schedule_for(Contract const& contract) const;
  // Steps:
  Transfer run_contract() { return run(*contract_); }
  Transfer reduce_in_order();
  Transfer distribute_result();
  Transfer send_lengths();
  Transfer run_by_lengths();
  Transfer run_straight();
  Transfer gather_lengths();
  Transfer run_neighbours();
  [[nodiscard]] std::int64_t sent_by(NeighbourEdge const& edge) const;
  [[nodiscard]] std::int64_t taken_by(NeighbourEdge const& edge) const;
  void check_blocks(NeighbourRoutes::Length const& bytes) const;
  void check_length(Contract const& contract) const;

  [[nodiscard]] Side many(Operand const& operand, TypeLayout const& layout) const;
  [[nodiscard]] Side own_block(Operand const& operand, TypeLayout const& layout) const;

  Call call_;
  Record* record_;
  std::shared_ptr<Record> own_record_;  ///< of an operation that goes on after the call
  Variant variant_;
  bool straight_ = false;
  Rank position_ = 0;  ///< of this rank
  Rank root_ = 0;      ///< position of the root
  std::shared_ptr<Form const> form_;
  Side in_;
  Side out_;
  bool copy_in_ = false;      ///< the input lies where output will be written
  bool discard_out_ = false;  ///< the caller has the output already (MPI_IN_PLACE of a scatter)
  std::vector<std::byte> in_store_;
  std::vector<std::byte> out_store_;
  Buffers buffers_;
  std::vector<std::byte> whole_;       ///< the result of operands that may not be exchanged, on position 0
  std::vector<std::int64_t> lengths_;  ///< of the blocks, told by the root or by all
  std::vector<std::int64_t> row_;      ///< of this rank's blocks for the others
  std::optional<Contract> contract_;
  std::array<Step, 2> steps_{};  ///< the second may be null
  int step_ = 0;
  bool blocks_ = false;       ///< short steps may be run at once
  std::optional<Turn> turn_;  ///< for all steps, where there are several, and all starts, where there will be
  bool lasts_ = false;
  Transfer transfer_;
  std::int64_t bytes_ = 0;
  std::string_view how_;
  std::vector<std::int64_t> all_lengths_;  ///< of blocks for neighbours, every rank's, as they came
  double started_ = 0;
  std::vector<OwnType> own_types_;
  std::vector<std::unique_ptr<Retained<Datatypes>>> types_;
  std::unique_ptr<Retained<Operators>> op_;
};

/// What a call's types and operator are. @pre why_not_possible(call, shape) is empty
[[nodiscard]] std::shared_ptr<Form const> form_of(Call const& call, Site& site);

/// Combine by the MPI library. `commutative` lets the operands be exchanged where that saves a copy.
[[nodiscard]] Combine combine_by(MPI_Op op, MPI_Datatype type, TypeLayout const& layout, bool commutative);

/// Bytes of one element as a reduction's schedule moves it.
[[nodiscard]] inline std::int64_t element_of(TypeLayout const& layout) { return layout.size > 0 ? layout.size : 1; }

}  // namespace allport::dropin
