// The C interface: calls of collectives, and what is in flight.
#include "calls.h"

#include <limits>
#include <utility>
#include <vector>

namespace allport::c_interface {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// Whether a buffer has a block for every rank.
bool has_all(Collective what, bool output) {
  return what == Collective::alltoall || what == (output ? Collective::gather : Collective::scatter) ||
         what == (output ? Collective::allgather : Collective::reduce_scatter);
}

/// A call, and the lists that it refers to.
class CallOf {
 public:
  CallOf(Communicator const& on, Given const& given) : on_(on), given_(given) {
    call_.what = given.what;
    call_.root = given.root;
    call_.varies = given.varies;
    if (given.algorithm != nullptr) call_.algorithm = given.algorithm;
    if (combines(given.what)) {
      auto op = operator_of(given.op, given.type);
      call_.element = op.element;
      call_.combine = std::move(op.combine);
    }
    ensure(given.length >= 0, combines(given.what) ? "count" : "bytes", given.length, "0 or more");
    if (given.varies) {
      lists();
    } else if (given.what != Collective::barrier) {
      one_length();
    }
  }
  CallOf(CallOf const&) = delete;
  CallOf& operator=(CallOf const&) = delete;

  [[nodiscard]] CollectiveCall const& call() const { return call_; }

 private:
  [[nodiscard]] bool is_root() const { return !has_root(given_.what) || given_.root == on_.rank(); }

  void one_length() {
    ensure(given_.length <= most / call_.element / on_.size(), "count", given_.length, "fewer");
    auto const block = given_.length * call_.element;
    auto const of = [&](bool output) {
      auto const all = has_all(given_.what, output);
      bool const rooted = output ? given_.what == Collective::reduce || given_.what == Collective::gather
                                 : given_.what == Collective::scatter;
      return rooted && !is_root() ? 0 : all ? block * on_.size() : block;
    };
    if (given_.what != Collective::broadcast) input(of(false));
    output(of(true));
  }

  void lists() {
    bool const pairs = given_.what == Collective::alltoall;
    auto const sent = list(lengths_, given_.lengths, begins_, given_.begins, "lengths", call_.blocks);
    if (pairs) {
      input(sent);
      output(list(received_, given_.received, received_begins_, given_.received_begins, "received", call_.received));
      return;
    }
    auto const mine = lengths_[static_cast<std::size_t>(on_.rank())];
    bool const many_in = has_all(given_.what, false);
    input(many_in ? (is_root() ? sent : 0) : mine);
    output(many_in ? mine : (is_root() ? sent : 0));
  }

  /// @return bytes of a buffer that holds all blocks
  std::int64_t list(std::vector<std::int64_t>& bytes, std::int64_t const* given, std::vector<std::int64_t>& begins,
                    std::int64_t const* given_begins, char const* name, BlockList& blocks) {
    ensure(given != nullptr, name, "NULL", "a length for each rank");
    std::int64_t end = 0;
    for (Rank r = 0; r < on_.size(); ++r) {
      ensure(given[r] >= 0 && given[r] <= most / call_.element - end, name, given[r],
             "0 or more, in all less than 2^63 bytes");
      bytes.push_back(given[r] * call_.element);
      if (given_begins == nullptr) {
        end += bytes.back();
        continue;
      }
      ensure(given_begins[r] >= 0 && given_begins[r] <= most - bytes.back(), "begins", given_begins[r], "0 or more");
      begins.push_back(given_begins[r]);
      if (bytes.back() > 0) end = std::max(end, begins.back() + bytes.back());
    }
    blocks = {bytes, begins};
    return end;
  }

  void input(std::int64_t bytes) {
    ensure(given_.input != nullptr || bytes == 0, "input", "NULL", "a buffer of the length given");
    call_.input = {static_cast<std::byte const*>(given_.input), static_cast<std::size_t>(bytes)};
  }
  void output(std::int64_t bytes) {
    ensure(given_.output != nullptr || bytes == 0, given_.what == Collective::broadcast ? "buffer" : "output", "NULL",
           "a buffer of the length given");
    call_.output = {static_cast<std::byte*>(given_.output), static_cast<std::size_t>(bytes)};
  }

  Communicator const& on_;
  Given const& given_;
  CollectiveCall call_;
  std::vector<std::int64_t> lengths_, begins_, received_, received_begins_;
};

}  // namespace

int called(allport_comm comm, Given const& given) noexcept {
  return guarded([&] {
    auto const& on = the(comm, "comm").comm;
    on.run(CallOf(on, given).call());
  });
}

int started(allport_comm comm, Given const& given, allport_transfer* created) noexcept {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    auto const& on = the(comm, "comm").comm;
    *created = new allport_transfer_s{on.start(CallOf(on, given).call())};
  });
}

int prepared(allport_comm comm, Given const& given, allport_persistent* created) noexcept {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    auto const& on = the(comm, "comm").comm;
    *created = new allport_persistent_s{on.prepare(CallOf(on, given).call())};
  });
}

}  // namespace allport::c_interface

using namespace allport;
using namespace allport::c_interface;

extern "C" {

int allport_wait(allport_transfer* transfer) {
  return guarded([&] {
    ensure(transfer != nullptr, "transfer", "NULL", "the place of a handle");
    std::unique_ptr<allport_transfer_s> const owned(std::exchange(*transfer, nullptr));
    if (owned) owned->transfer.wait();
  });
}

int allport_test(allport_transfer* transfer, int* done) {
  return guarded([&] {
    ensure(transfer != nullptr, "transfer", "NULL", "the place of a handle");
    ensure(done != nullptr, "done", "NULL", "a place for 0 or 1");
    *done = 1;
    if (*transfer == nullptr) return;
    std::unique_ptr<allport_transfer_s> owned(*transfer);  // an error ends it, too
    *transfer = nullptr;
    if (owned->transfer.test()) return;
    *done = 0;
    *transfer = owned.release();
  });
}

int allport_start(allport_persistent prepared, allport_transfer* created) {
  return guarded([&] {
    ensure(created != nullptr, "created", "NULL", "a place for the handle");
    *created = nullptr;
    *created = new allport_transfer_s{the(prepared, "prepared").persistent.start()};
  });
}

int allport_persistent_free(allport_persistent* prepared) {
  return guarded([&] {
    ensure(prepared != nullptr, "prepared", "NULL", "the place of a handle");
    delete std::exchange(*prepared, nullptr);
  });
}

}  // extern "C"
