// The calls of one function and size class on a communicator: who does them, why, and what speeds them up.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "allport/comm/communicator.h"
#include "call.h"
#include "tuning.h"

namespace allport::dropin {

/// Who does the calls of a site; the same on all ranks of their communicator.
enum class Decision : std::uint8_t {
  library,
  ours,
  tuned,  ///< each call is timed, and done as its Tuning says
};

/// What a collective whose lengths only some ranks know was last seen to move. Every rank learns it from a call that
/// we ran, but not from one of the library's, so that now and then one is run to look.
struct Sampled {
  std::int64_t bytes = -1;  ///< mean block; negative: not seen yet
  int passed = 0;           ///< calls that the library does until the next look
  int straight = 0;         ///< calls of ours that send from rank to rank until the next look: blocks were short
};

/// Arguments that were checked before: MPI's own types, of one length, and operator.
struct Form {
  bool known = false;
  MPI_Datatype send = MPI_DATATYPE_NULL;
  MPI_Datatype receive = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
  std::int64_t element = 1;  ///< bytes
  Combine combine{};
};

/// Made by the first call. Used under the Lock but for what is said.
struct Site {
  std::atomic<Decision> decision{Decision::library};  ///< read without the lock
  std::int32_t untimed = 0;  ///< calls done as `decision` says before calls are timed again; 0: all. Without the lock
  Sampled sampled{};         ///< where only some ranks know the lengths. Without the lock
  Form form{};               ///< of the latest call of ours
  std::shared_ptr<BlockTable const> blocks{};  ///< of the latest call of ours whose blocks differed
  std::unique_ptr<Tuning> tuning{};            ///< none: calls are not timed
  std::string why_not{};                       ///< reason why the library does the calls

  /// Of a call that is not timed.
  [[nodiscard]] bool is_ours() const {
    return decision == Decision::tuned ? tuning->prefers_ours() : decision == Decision::ours;
  }
  /// A call was done as `decision` says.
  void count_untimed() {
    if (untimed > 0 && --untimed == 0) decision = Decision::tuned;
  }
  void follow_tuning() {
    untimed = tuning->is_over() ? 0 : tuning->untimed();
    bool const times = untimed == 0 && !tuning->is_over();
    decision = times ? Decision::tuned : tuning->prefers_ours() ? Decision::ours : Decision::library;
  }
};

/// The size class of a length: all of one power of two.
[[nodiscard]] constexpr int size_class(std::int64_t bytes) { return std::bit_width(static_cast<std::uint64_t>(bytes)); }
/// The least length of a size class, which stands for all of them.
[[nodiscard]] constexpr std::int64_t least_bytes(int size_class) {
  return size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
}

/// Those of a communicator.
class Sites {
 public:
  /// Null: there was no such call yet. Without the lock.
  [[nodiscard]] Site* find(Function what, std::int64_t bytes) const {
    return table_[index(what, bytes)].load(std::memory_order_acquire);
  }
  Site& add(Function what, std::int64_t bytes, std::unique_ptr<Site> site) {
    sites_.push_back(std::move(site));
    table_[index(what, bytes)].store(sites_.back().get(), std::memory_order_release);
    return *sites_.back();
  }
  void clear() {
    for (auto& entry : table_) entry = nullptr;
    sites_.clear();
  }

 private:
  static constexpr std::size_t size_classes = 65;
  static std::size_t index(Function what, std::int64_t bytes) {
    return static_cast<std::size_t>(what) * size_classes + static_cast<std::size_t>(size_class(bytes));
  }

  std::array<std::atomic<Site*>, functions * size_classes> table_{};
  std::vector<std::unique_ptr<Site>> sites_;
};

}  // namespace allport::dropin
