#include "start_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "mpi_errors.h"

namespace allport::engine {
namespace {

template <std::size_t size>
void write(std::array<char, size>& into, std::string_view text) {
  text.copy(into.data(), size - 1);
}

}  // namespace

void StartCheck::RankGroup::join(RankGroup const& other, bool other_wins) {
  if (other.fingerprint == fingerprint) {
    ranks += other.ranks;
    if (other.first < first) {
      first = other.first;
      what = other.what;
    }
  } else if (other_wins) {
    *this = other;
  }
}

std::string StartCheck::RankGroup::text() const {
  return ranks == 1 ? fmt::format("{} on rank {}", what.data(), first)
                    : fmt::format("{} on {} ranks, first on rank {}", what.data(), ranks, first);
}

/// A rank that starts no schedule is in the empty group, which any other group replaces.
void StartCheck::join(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    auto const& a = static_cast<Agreement const*>(in)[i];
    auto& b = static_cast<Agreement*>(inout)[i];
    b.least.join(a.least, b.least.ranks == 0 || (a.least.ranks > 0 && a.least.fingerprint < b.least.fingerprint));
    b.most.join(a.most, b.most.ranks == 0 || (a.most.ranks > 0 && a.most.fingerprint > b.most.fingerprint));
    if (a.failed < b.failed) {
      b.failed = a.failed;
      b.kind = a.kind;
      b.trouble = a.trouble;
    }
  }
}

StartCheck::StartCheck(MPI_Comm comm) : comm_(comm) {
  check(MPI_Comm_rank(comm, &rank_), "MPI_Comm_rank", 0);
  check(MPI_Comm_size(comm, &size_), "MPI_Comm_size", rank_);
  // One element, so that no algorithm of the MPI library splits it.
  check(MPI_Type_contiguous(sizeof(Agreement), MPI_BYTE, &type_), "MPI_Type_contiguous", rank_);
  check(MPI_Type_commit(&type_), "MPI_Type_commit", rank_);
  check(MPI_Op_create(&StartCheck::join, 1, &join_), "MPI_Op_create", rank_);
}

StartCheck::StartCheck(MPI_Comm comm, std::uint64_t fingerprint, std::string_view what) : StartCheck(comm) {
  mine_.least = {fingerprint, rank_, 1, {}};
  write(mine_.least.what, what);
  mine_.most = mine_.least;
}

StartCheck::StartCheck(MPI_Comm comm, Error const& trouble) : StartCheck(comm) {
  mine_.failed = rank_;
  mine_.kind = static_cast<std::int32_t>(trouble.kind());
  write(mine_.trouble, trouble.what());
}

StartCheck::~StartCheck() {
  if (!mpi_is_up()) return;
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  if (join_ != MPI_OP_NULL) MPI_Op_free(&join_);
}

MPI_Request StartCheck::start() {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&mine_, &all_, 1, type_, join_, comm_, &request), "MPI_Iallreduce", rank_);
  return request;
}

void StartCheck::ensure_agreement() const {
  if (all_.failed < size_) {
    throw Error(static_cast<ErrorKind>(all_.kind),
                size_ == 1 ? std::string(all_.trouble.data())
                           : fmt::format("{} (on rank {})", all_.trouble.data(), all_.failed));
  }
  if (all_.least.fingerprint == all_.most.fingerprint) return;
  throw Error(ErrorKind::mismatch,
              fmt::format("schedule: {}, but {}; pass the same on all ranks", all_.least.text(), all_.most.text()));
}

}  // namespace allport::engine
