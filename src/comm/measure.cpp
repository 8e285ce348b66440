#include "measure.h"

#include <algorithm>
#include <cstring>

#include "calibrate_clock.h"
#include "mpi_errors.h"

namespace allport {

namespace {

std::byte byte_of(Rank source, Rank destination, std::int64_t i, int round) {
  return static_cast<std::byte>((source * 131 + destination * 29 + i * 7 + (i >> 8) * 13 + round * 17 + 5) & 0xff);
}

/// Small whole numbers, so that sums are exact in any order.
double term(std::int64_t i, int round) { return static_cast<double>((i * 7 + round * 3) % 1021); }

/// One position's buffers and their expected contents.
class Data {
 public:
  Data(Contract const& contract, Rank position)
      : c_(contract),
        me_(position),
        in_(static_cast<std::size_t>(contract.input_bytes(position))),
        out_(static_cast<std::size_t>(contract.output_bytes(position))) {}

  [[nodiscard]] Buffers spans() { return {in_, out_}; }

  void fill(int round) {
    std::fill(out_.begin(), out_.end(), std::byte{0xee});
    if (combines(c_.what)) {
      for (std::size_t at = 0; at + 8 <= in_.size(); at += 8) {
        auto const value = (me_ + 1.0) * term(static_cast<std::int64_t>(at / 8), round);
        std::memcpy(in_.data() + at, &value, 8);
      }
      return;
    }
    switch (c_.what) {
      case Collective::broadcast:
        if (me_ == c_.root) write(out_, 0, me_, 0, c_.bytes, round);
        break;
      case Collective::scatter:
        for (Rank r = 0; me_ == c_.root && r < c_.ranks; ++r) {
          write(in_, c_.input_offset(me_, r), me_, r, c_.block(me_, r), round);
        }
        break;
      case Collective::alltoall:
        for (Rank r = 0; r < c_.ranks; ++r) write(in_, c_.input_offset(me_, r), me_, r, c_.block(me_, r), round);
        break;
      default:
        write(in_, 0, me_, 0, static_cast<std::int64_t>(in_.size()), round);
    }
  }

  [[nodiscard]] std::int64_t wrong(int round) const {
    switch (c_.what) {
      case Collective::reduce:
        return me_ == c_.root ? wrong_sums(0, round) : 0;
      case Collective::allreduce:
        return wrong_sums(0, round);
      case Collective::reduce_scatter:
        return wrong_sums(c_.input_offset(me_, me_) / 8, round);
      case Collective::broadcast:
        return wrong_bytes(0, c_.root, 0, c_.bytes, round);
      case Collective::scatter:
        return wrong_bytes(0, c_.root, me_, c_.block(c_.root, me_), round);
      case Collective::barrier:
      case Collective::none:
        return 0;
      default:
        break;
    }
    if (c_.what == Collective::gather && me_ != c_.root) return 0;
    std::int64_t sum = 0;
    auto const to = c_.what == Collective::alltoall ? me_ : 0;
    for (Rank r = 0; r < c_.ranks; ++r) {
      sum += wrong_bytes(c_.output_offset(me_, r), r, to, c_.block(r, me_), round);
    }
    return sum;
  }

 private:
  static void write(std::vector<std::byte>& into, std::int64_t at, Rank from, Rank to, std::int64_t bytes, int round) {
    for (std::int64_t i = 0; i < bytes; ++i) into[static_cast<std::size_t>(at + i)] = byte_of(from, to, i, round);
  }
  [[nodiscard]] std::int64_t wrong_bytes(std::int64_t at, Rank from, Rank to, std::int64_t bytes, int round) const {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < bytes; ++i) {
      sum += out_[static_cast<std::size_t>(at + i)] != byte_of(from, to, i, round) ? 1 : 0;
    }
    return sum;
  }
  [[nodiscard]] std::int64_t wrong_sums(std::int64_t first, int round) const {
    auto const all = 0.5 * c_.ranks * (c_.ranks + 1.0);
    std::int64_t sum = 0;
    for (std::size_t at = 0; at + 8 <= out_.size(); at += 8) {
      auto value = 0.0;
      std::memcpy(&value, out_.data() + at, 8);
      sum += value != all * term(first + static_cast<std::int64_t>(at / 8), round) ? 1 : 0;
    }
    return sum;
  }

  Contract const& c_;
  Rank me_;
  std::vector<std::byte> in_;
  std::vector<std::byte> out_;
};

}  // namespace

Measured measure(Communicator const& comm, Schedule const& schedule, int iterations, double budget) {
  ensure(iterations >= 1, "iterations", iterations, "at least 1");
  auto const& contract = schedule.contract();
  auto const sums = combines(contract.what);
  ensure(!sums || contract.element == 8, "element", contract.element, "8 bytes, for doubles are added");
  auto const clock = engine::Clock(comm.mpi());
  auto data = Data(contract, comm.position(comm.rank()));
  auto const combine = sums ? sum_of<double>() : Combine{};
  Measured result;
  auto spent = 0.0;
  std::int64_t wrong = 0;
  for (int i = -1; i < iterations && (i < std::min(iterations, 3) || spent < budget); ++i) {  // -1: to warm up
    data.fill(i);
    comm.barrier();
    auto const began = MPI_Wtime();
    comm.run(schedule, data.spans(), combine);
    auto const took = clock.slowest(MPI_Wtime() - began);
    wrong += data.wrong(i);
    spent += took;
    if (i >= 0) result.seconds.push_back(took);
  }
  for (auto const other : comm.all_gather({&wrong, 1})) result.wrong += other;
  return result;
}

}  // namespace allport
