// The C interface: collectives.
#include "allport/comm/communicator.h"

#include <limits>
#include <vector>

#include "requests.h"

namespace {

using namespace allport;
using namespace allport::c_interface;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

/// The arguments of one function; those that it does not have are as here.
struct Arguments {
  Collective what = Collective::barrier;
  void const* input = nullptr;
  void* output = nullptr;
  std::int64_t length = 0;  ///< of one block: bytes, or elements of a reduction
  int root = 0;
  int op = -1;  ///< of a reduction
  allport_type type = ALLPORT_TYPE_NULL;
  std::int64_t const* lengths = nullptr;  ///< one a rank: bytes, or elements of a reduction
  std::int64_t const* begins = nullptr;
  std::int64_t const* received = nullptr;
  std::int64_t const* received_begins = nullptr;
  bool varies = false;
};

/// Whether a buffer has a block for every rank.
bool has_all(Collective what, bool output) {
  return what == Collective::alltoall || what == (output ? Collective::gather : Collective::scatter) ||
         what == (output ? Collective::allgather : Collective::reduce_scatter);
}

/// A call, and the lists that it refers to.
class CallOf {
 public:
  CallOf(Communicator const& on, Arguments const& given, std::string const& algorithm) : on_(on), given_(given) {
    call_.what = given.what;
    call_.root = given.root;
    call_.varies = given.varies;
    call_.algorithm = algorithm;
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
  Arguments const& given_;
  CollectiveCall call_;
  std::vector<std::int64_t> lengths_, begins_, received_, received_begins_;
};

int perform(allport_comm comm, Arguments const& given, char const* options, allport_request* request) noexcept {
  return guarded([&] {
    no_request_yet(request);
    auto const& on = the(comm, "comm").comm;
    auto const wanted = call_options(options);
    CallOf const made(on, given, wanted.algorithm);
    auto const& call = made.call();
    c_interface::perform(
        wanted, request, [&] { on.run(call); }, [&] { return on.start(call); }, [&] { return on.prepare(call); });
  });
}

}  // namespace

extern "C" {

int allport_barrier(allport_comm comm, char const* options, allport_request* request) {
  return perform(comm, {.what = Collective::barrier}, options, request);
}

int allport_bcast(allport_comm comm, void* buffer, int64_t bytes, int root, char const* options,
                  allport_request* request) {
  return perform(comm, {.what = Collective::broadcast, .output = buffer, .length = bytes, .root = root}, options,
                 request);
}

int allport_reduce(allport_comm comm, int op, allport_type type, void const* input, void* output, int64_t count,
                   int root, char const* options, allport_request* request) {
  Arguments const given{Collective::reduce, input, output, count, root, op, type};
  return perform(comm, given, options, request);
}

int allport_allreduce(allport_comm comm, int op, allport_type type, void const* input, void* output, int64_t count,
                      char const* options, allport_request* request) {
  Arguments const given{Collective::allreduce, input, output, count, 0, op, type};
  return perform(comm, given, options, request);
}

int allport_reduce_scatter(allport_comm comm, int op, allport_type type, void const* input, void* output, int64_t count,
                           char const* options, allport_request* request) {
  Arguments const given{Collective::reduce_scatter, input, output, count, 0, op, type};
  return perform(comm, given, options, request);
}

int allport_scatter(allport_comm comm, void const* input, void* output, int64_t bytes, int root, char const* options,
                    allport_request* request) {
  return perform(comm, {Collective::scatter, input, output, bytes, root}, options, request);
}

int allport_gather(allport_comm comm, void const* input, void* output, int64_t bytes, int root, char const* options,
                   allport_request* request) {
  return perform(comm, {Collective::gather, input, output, bytes, root}, options, request);
}

int allport_allgather(allport_comm comm, void const* input, void* output, int64_t bytes, char const* options,
                      allport_request* request) {
  return perform(comm, {Collective::allgather, input, output, bytes}, options, request);
}

int allport_alltoall(allport_comm comm, void const* input, void* output, int64_t bytes, char const* options,
                     allport_request* request) {
  return perform(comm, {Collective::alltoall, input, output, bytes}, options, request);
}

int allport_scatterv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins, void* output,
                     int root, char const* options, allport_request* request) {
  return perform(comm,
                 {.what = Collective::scatter,
                  .input = input,
                  .output = output,
                  .root = root,
                  .lengths = lengths,
                  .begins = begins,
                  .varies = true},
                 options, request);
}

int allport_gatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths, int64_t const* begins,
                    int root, char const* options, allport_request* request) {
  return perform(comm,
                 {.what = Collective::gather,
                  .input = input,
                  .output = output,
                  .root = root,
                  .lengths = lengths,
                  .begins = begins,
                  .varies = true},
                 options, request);
}

int allport_allgatherv(allport_comm comm, void const* input, void* output, int64_t const* lengths,
                       int64_t const* begins, char const* options, allport_request* request) {
  return perform(comm,
                 {.what = Collective::allgather,
                  .input = input,
                  .output = output,
                  .lengths = lengths,
                  .begins = begins,
                  .varies = true},
                 options, request);
}

int allport_reduce_scatterv(allport_comm comm, int op, allport_type type, void const* input, int64_t const* counts,
                            void* output, char const* options, allport_request* request) {
  return perform(comm,
                 {.what = Collective::reduce_scatter,
                  .input = input,
                  .output = output,
                  .op = op,
                  .type = type,
                  .lengths = counts,
                  .varies = true},
                 options, request);
}

int allport_alltoallv(allport_comm comm, void const* input, int64_t const* lengths, int64_t const* begins, void* output,
                      int64_t const* received, int64_t const* received_begins, char const* options,
                      allport_request* request) {
  return perform(comm,
                 {.what = Collective::alltoall,
                  .input = input,
                  .output = output,
                  .lengths = lengths,
                  .begins = begins,
                  .received = received,
                  .received_begins = received_begins,
                  .varies = true},
                 options, request);
}

}  // extern "C"
