#include <cstddef>
#include <numeric>
#include <span>
#include <utility>

#include "allport/io/matrix_file.h"
#include "allport/linalg/load.h"
#include "checks.h"

namespace allport {
namespace {

constexpr int count_tag = 4091;
constexpr int entries_tag = 4092;

// Entries sorted by owner: those of rank r are [first[r], first[r + 1]).
template <class T>
struct Sorted {
  std::vector<io::Entry<T>> entries;
  std::vector<std::size_t> first;
  [[nodiscard]] std::span<io::Entry<T> const> of(Rank r) const {
    auto const k = static_cast<std::size_t>(r);
    return std::span(entries).subspan(first[k], first[k + 1] - first[k]);
  }
};

// Global indices become the owners' local ones.
template <class T>
Sorted<T> sorted_by_owner(std::vector<io::Entry<T>> const& entries, Distribution const& distribution, Rank ranks) {
  auto const owner = [&](io::Entry<T> const& e) {
    return static_cast<std::size_t>(
        distribution.rank_at(distribution.rows().owner(e.row), distribution.cols().owner(e.col)));
  };
  Sorted<T> sorted;
  sorted.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  for (auto const& e : entries) {
    ++sorted.first[owner(e) + 1];
  }
  std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
  sorted.entries.resize(entries.size());
  auto next = sorted.first;
  for (auto const& e : entries) {
    sorted.entries[next[owner(e)]++] = {distribution.rows().local(e.row), distribution.cols().local(e.col), e.value};
  }
  return sorted;
}

// Sends every rank the number of entries that it receives from this one; returns the numbers that come from each.
template <class T>
std::vector<std::int64_t> exchange_counts(Communicator const& comm, Sorted<T> const& sorted) {
  auto const size = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> outgoing(size), incoming(size);
  std::vector<Transfer> transfers;
  for (Rank r = 0; r < comm.size(); ++r) {
    auto const k = static_cast<std::size_t>(r);
    outgoing[k] = std::ssize(sorted.of(r));
    if (r == comm.rank()) {
      incoming[k] = outgoing[k];
    } else {
      transfers.push_back(comm.start_receive(std::as_writable_bytes(std::span(&incoming[k], 1)), r, count_tag));
      transfers.push_back(comm.start_send(std::as_bytes(std::span(&outgoing[k], 1)), r, count_tag));
    }
  }
  for (auto& transfer : transfers) {
    transfer.wait();
  }
  return incoming;
}

// All entries that this rank owns, in the order of the ranks that read them.
template <class T>
std::vector<io::Entry<T>> exchange_entries(Communicator const& comm, Sorted<T> const& sorted) {
  auto const counts = exchange_counts(comm, sorted);
  std::vector<io::Entry<T>> incoming;
  detail::on_all(comm, [&] {
    incoming.resize(static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), std::int64_t(0))));
  });
  std::vector<Transfer> transfers;
  std::size_t at = 0;
  for (Rank r = 0; r < comm.size(); ++r) {
    auto const place = std::span(incoming).subspan(at, static_cast<std::size_t>(counts[static_cast<std::size_t>(r)]));
    at += place.size();
    auto const sent = sorted.of(r);
    if (r == comm.rank()) {
      std::ranges::copy(sent, place.begin());
    } else {
      transfers.push_back(comm.start_receive(std::as_writable_bytes(place), r, entries_tag));
      transfers.push_back(comm.start_send(std::as_bytes(sent), r, entries_tag));
    }
  }
  for (auto& transfer : transfers) {
    transfer.wait();
  }
  return incoming;
}

// Data lines in the shares of all earlier ranks of an array file, whose elements are numbered by lines.
std::int64_t lines_before(Communicator const& comm, std::string const& path, io::MtxHeader const& header) {
  std::int64_t mine = 0;
  detail::on_all(comm, [&] {
    mine = io::count_mtx_lines(path, header, static_cast<int>(comm.rank()), static_cast<int>(comm.size()));
  });
  auto const all = comm.all_gather({&mine, 1});
  return std::accumulate(all.begin(), all.begin() + comm.rank(), std::int64_t(0));
}

template <class T>
Sorted<T> read_share(Communicator const& comm, std::string const& path, io::MtxHeader const& header,
                     Distribution const& distribution) {
  auto const before = header.array ? lines_before(comm, path, header) : 0;
  Sorted<T> sorted;
  std::int64_t lines = 0;
  detail::on_all(comm, [&] {
    auto const entries = io::read_mtx_part<T>(path, header, static_cast<int>(comm.rank()),
                                              static_cast<int>(comm.size()), before, &lines);
    sorted = sorted_by_owner(entries, distribution, comm.size());
  });
  auto const all = comm.all_gather({&lines, 1});
  auto const total = std::accumulate(all.begin(), all.end(), std::int64_t(0));
  if (total != header.entries) {  // seen by all ranks alike
    throw Error(ErrorKind::io,
                fmt::format("'{}': {} entries: expected the {} that its size line says", path, total, header.entries));
  }
  return sorted;
}

}  // namespace

template <class T>
void load_mtx(std::string const& path, Matrix<T> const& matrix) {
  auto const& comm = matrix.comm();
  io::MtxHeader header;
  detail::on_all(comm, [&] {
    matrix.check("matrix");
    header = io::read_mtx_header(path);
    detail::check_like_file(path, matrix, header.rows, header.cols);
  });
  comm.ensure_agreement(fmt::format("bytes of '{}'", path), header.file_bytes);
  auto const mine = exchange_entries(comm, read_share<T>(comm, path, header, matrix.distribution()));
  for (Index j = 0; j < matrix.local_cols(); ++j) {
    std::fill_n(matrix.data() + j * matrix.ld(), matrix.local_rows(), T(0));
  }
  for (auto const& e : mine) {
    matrix.data()[e.row + e.col * matrix.ld()] += e.value;
  }
}

template void load_mtx(std::string const&, Matrix<float> const&);
template void load_mtx(std::string const&, Matrix<double> const&);
template void load_mtx(std::string const&, Matrix<std::complex<float>> const&);
template void load_mtx(std::string const&, Matrix<std::complex<double>> const&);

}  // namespace allport
