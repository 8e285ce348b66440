#include "straight.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "datatypes.h"
#include "decision.h"
#include "operation.h"
#include "requests.h"

namespace allport::dropin {
namespace {

/// What one rank sends and takes, and what stays with it.
class Blocks {
 public:
  Blocks(Rank me, Rank ranks) : me_(me) {
    out_.reserve(static_cast<std::size_t>(ranks));
    in_.reserve(static_cast<std::size_t>(ranks));
  }
  void send(std::span<std::byte const> data, Rank to) {
    sent_ += data.size();
    if (to == me_) {
      own_ = data;
    } else {
      out_.push_back({data, to});
    }
  }
  void take(std::span<std::byte> data, Rank from) {
    taken_ += data.size();
    if (from == me_) {
      own_place_ = data;
    } else {
      in_.push_back({data, from});
    }
  }
  [[nodiscard]] std::int64_t bytes() const { return static_cast<std::int64_t>(std::max(sent_, taken_)); }
  void run(Communicator const& ours) const {
    if (own_.size() != own_place_.size()) {
      throw Error(ErrorKind::mismatch,
                  fmt::format("rank {} sends {} bytes to itself, but expects {}; counts times datatypes must agree",
                              me_, own_.size(), own_place_.size()));
    }
    if (own_.data() != own_place_.data()) std::ranges::copy(own_, own_place_.begin());
    ours.exchange(out_, in_, [] { move_others(); });
  }

 private:
  Rank me_;
  std::vector<Outgoing> out_;
  std::vector<Incoming> in_;
  std::span<std::byte const> own_;
  std::span<std::byte> own_place_;
  std::size_t sent_ = 0;
  std::size_t taken_ = 0;
};

/// Bytes of an element of a type of MPI's own whose bytes lie as they travel; else 0.
std::int64_t plain_element(MPI_Datatype type) {
  struct Known {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    std::int64_t bytes = 0;
  };
  static thread_local Known last;  // predefined types never go
  if (type == MPI_DATATYPE_NULL) return 0;
  if (type == last.type) return last.bytes;
  if (!is_predefined(type)) return 0;
  auto const layout = layout_of(type);
  last = {type, layout.plain ? layout.size : 0};
  return last.bytes;
}

/// Blocks of a caller's buffer as they lie there.
class PlainBlocks {
 public:
  PlainBlocks(Operand const& operand, Rank ranks) : operand_(operand), element_(plain_element(operand.type)) {
    good_ = element_ > 0 && !operand.in_place();
    for (Rank r = 0; good_ && r < (operand.counts.given() ? ranks : 1); ++r) {
      auto const count = operand.count_of(r);
      good_ = count >= 0 && (count == 0 || operand.buffer != nullptr);
    }
  }
  [[nodiscard]] bool good() const { return good_; }
  /// The one block, or that of rank r.
  [[nodiscard]] std::span<std::byte> block(Rank r = 0) const {
    auto const begin = operand_.displacements.given() ? operand_.displacements[r] : 0;
    auto* const at = static_cast<std::byte*>(operand_.buffer) + begin * element_;
    return {at, static_cast<std::size_t>(operand_.count_of(r) * element_)};
  }

 private:
  Operand const& operand_;
  std::int64_t element_;
  bool good_;
};

/// The blocks of `side` in `memory`, one behind the other: f(position, block).
template <class Byte, class F>
void each_block(Side const& side, std::span<Byte> memory, F const& f) {
  std::size_t at = 0;
  for (std::size_t b = 0; side.used && b < side.blocks.size(); ++b) {
    auto const bytes = static_cast<std::size_t>(side.bytes(b));
    f(static_cast<Rank>(b), memory.subspan(at, bytes));
    at += bytes;
  }
}

}  // namespace

std::optional<std::int64_t> run_straight(Call const& call, Record& record) {
  if (has_root(call.what) && (call.root < 0 || call.root >= record.size)) return std::nullopt;
  auto const [sends, receives] = uses_of(call.what, call.root == record.rank);
  PlainBlocks const from(call.send, record.size);
  PlainBlocks const into(call.receive, record.size);
  if ((sends && !from.good()) || (receives && !into.good())) return std::nullopt;
  Blocks blocks(record.rank, record.size);
  if (call.what == Function::gatherv) {
    blocks.send(from.block(), call.root);
  } else if (sends) {
    for (Rank r = 0; r < record.size; ++r) blocks.send(from.block(r), r);
  }
  if (call.what == Function::scatterv) {
    blocks.take(into.block(), call.root);
  } else if (receives) {
    for (Rank r = 0; r < record.size; ++r) blocks.take(into.block(r), r);
  }
  blocks.run(*record.ours);
  return blocks.bytes();
}

Transfer Operation::run_straight() {
  auto const& ours = *record_->ours;
  Blocks blocks(record_->rank, record_->size);
  if (call_.what == Function::gatherv) {
    blocks.send(buffers_.input, ours.at_position(root_));
  } else {
    each_block(in_, buffers_.input, [&](Rank p, auto block) { blocks.send(block, ours.at_position(p)); });
  }
  if (call_.what == Function::scatterv) {
    blocks.take(buffers_.output, ours.at_position(root_));
  } else {
    each_block(out_, buffers_.output, [&](Rank p, auto block) { blocks.take(block, ours.at_position(p)); });
  }
  blocks.run(ours);
  return {};
}

}  // namespace allport::dropin
