#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "allport/io/matrix_file.h"
#include "allport/linalg/load.h"
#include "allport/linalg/redistribute.h"
#include "load_checks.h"

namespace allport {
namespace {

// Runs of fewer bytes are not written one by one: a call costs more than moving them to another rank.
constexpr std::int64_t shortest_written = 64 << 10;

std::vector<io::Range> ranges_of(AxisDistribution const& distribution, int part) {
  std::vector<io::Range> ranges;
  for (auto const& run : distribution.runs(part)) {
    ranges.push_back({run.global, run.global + run.length});
  }
  return ranges;
}

// Rows and columns of the file that a rank's part is; a transposed part's columns are the file's rows.
struct FileRanges {
  std::vector<io::Range> rows;
  std::vector<io::Range> cols;
};

FileRanges file_ranges(Distribution const& distribution, Rank rank, bool transposed) {
  auto const at = distribution.position(rank);
  if (at.row < 0) {
    return {};
  }
  FileRanges ranges{ranges_of(distribution.rows(), at.row), ranges_of(distribution.cols(), at.col)};
  if (transposed) {
    std::swap(ranges.rows, ranges.cols);
  }
  return ranges;
}

// Whether whole lines of the file are columns of the part, so that lines run along its memory.
bool lines_are_columns(bool fortran_order, bool transposed) { return fortran_order != transposed; }

// All lines of the file in ranges, one for each rank.
Distribution by_lines(Distribution const& distribution, Rank ranks, bool columns) {
  std::vector<Rank> grid(static_cast<std::size_t>(ranks));
  for (Rank r = 0; r < ranks; ++r) {
    grid[static_cast<std::size_t>(r)] = r;
  }
  auto const rows = distribution.rows().extent();
  auto const cols = distribution.cols().extent();
  return columns ? Distribution(AxisDistribution::cuts({0, rows}), AxisDistribution::balanced(cols, ranks), grid)
                 : Distribution(AxisDistribution::balanced(rows, ranks), AxisDistribution::cuts({0, cols}), grid);
}

// Whether any owner's runs along the file's lines are short, though not whole lines. The same on all ranks.
bool has_short_runs(AxisDistribution const& along_lines, std::int64_t element) {
  for (int p = 0; p < along_lines.parts(); ++p) {
    auto const runs = along_lines.runs(p);
    auto const whole = runs.size() == 1 && runs[0].length == along_lines.extent();
    if (!whole && !runs.empty() && along_lines.count(p) * element < shortest_written * std::ssize(runs)) {
      return true;
    }
  }
  return false;
}

// A number for the name of the file aside: rank 0's process, told to all.
std::int64_t number_aside(Communicator const& comm) {
  std::int64_t number = comm.rank() == 0 ? ::getpid() : 0;
  comm.start_broadcast(std::as_writable_bytes(std::span(&number, 1)), 0).wait();
  return number;
}

template <class T>
constexpr io::FileType file_type() {
  switch (scalar_of<T>) {
    case Scalar::s:
      return io::FileType::f4;
    case Scalar::c:
      return io::FileType::c8;
    case Scalar::z:
      return io::FileType::c16;
    default:
      return io::FileType::f8;
  }
}

// Writes the part into a new file aside; then all ranks know whether all have.
template <class T>
void write_aside(Communicator const& comm, std::string const& aside, Distribution const& distribution,
                 Part<T const> part, bool fortran_order, bool transposed) {
  auto rows = distribution.rows().extent();
  auto cols = distribution.cols().extent();
  if (transposed) {
    std::swap(rows, cols);
  }
  detail::on_all(comm, [&] {
    if (comm.rank() == 0) {
      io::create_npy(aside, rows, cols, file_type<T>(), fortran_order);
    }
  });
  detail::on_all(comm, [&] {
    auto const ranges = file_ranges(distribution, comm.rank(), transposed);
    auto const header = io::read_npy_header(aside);
    io::write_npy_boxes<T>(aside, header, ranges.rows, ranges.cols, part.data, part.ld, transposed);
  });
}

}  // namespace

template <class T>
void load_npy(Communicator const& comm, std::string const& path, Distribution const& distribution, Part<T> part,
              bool transposed) {
  detail::on_all(comm, [&] {
    detail::ensure_part(comm, distribution, part);
    auto const header = io::read_npy_header(path);
    detail::ensure_extents(path, distribution, transposed ? header.cols : header.rows,
                           transposed ? header.rows : header.cols);
    auto const ranges = file_ranges(distribution, comm.rank(), transposed);
    io::read_npy_boxes<T>(path, header, ranges.rows, ranges.cols, part.data, part.ld, transposed);
  });
}

template <class T>
void save_npy(Communicator const& comm, std::string const& path, Distribution const& distribution, Part<T const> part,
              bool fortran_order, bool transposed) {
  detail::on_all(comm, [&] { detail::ensure_part(comm, distribution, part); });
  auto const columns = lines_are_columns(fortran_order, transposed);
  if (has_short_runs(columns ? distribution.rows() : distribution.cols(), sizeof(T))) {
    auto const lines = by_lines(distribution, comm.size(), columns);
    auto const rows = lines.local_rows(comm.rank());
    auto const ld = std::max<Index>(1, rows);
    std::vector<T> moved;
    detail::on_all(comm, [&] { moved.resize(static_cast<std::size_t>(rows * lines.local_cols(comm.rank()))); });
    redistribute<T>(comm, distribution, part, lines, {moved.data(), ld});
    save_npy<T>(comm, path, lines, {moved.data(), ld}, fortran_order, transposed);
    return;
  }
  auto const aside = fmt::format("{}.part-{}", path, number_aside(comm));
  try {
    write_aside(comm, aside, distribution, part, fortran_order, transposed);
    detail::on_all(comm, [&] {
      if (comm.rank() == 0 && std::rename(aside.c_str(), path.c_str()) != 0) {
        throw Error(ErrorKind::io, fmt::format("'{}' cannot take its name: {}", path, std::strerror(errno)));
      }
    });
  } catch (...) {
    if (comm.rank() == 0) {
      std::remove(aside.c_str());
    }
    throw;
  }
}

#define ALLPORT_NPY(T)                                                                                 \
  template void load_npy(Communicator const&, std::string const&, Distribution const&, Part<T>, bool); \
  template void save_npy(Communicator const&, std::string const&, Distribution const&, Part<T const>, bool, bool)
ALLPORT_NPY(float);
ALLPORT_NPY(double);
ALLPORT_NPY(std::complex<float>);
ALLPORT_NPY(std::complex<double>);
#undef ALLPORT_NPY

}  // namespace allport
