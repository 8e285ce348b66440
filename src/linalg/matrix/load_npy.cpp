#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "allport/io.h"
#include "allport/linalg/load.h"
#include "allport/linalg/redistribute.h"
#include "checks.h"

namespace allport {
namespace {

// Shorter runs are not written one by one: a call costs more than sending them to another rank.
constexpr std::int64_t shortest_written = 64 << 10;

std::vector<io::Range> ranges_of(AxisDistribution const& distribution, int part) {
  std::vector<io::Range> ranges;
  for (auto const& run : distribution.runs(part)) {
    ranges.push_back({run.global, run.global + run.length});
  }
  return ranges;
}

// A rank's rows and columns of the file; the columns of a transposed part are rows of the file.
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

// Whether lines of the file are columns of the part, which are contiguous in memory.
bool lines_are_columns(bool fortran_order, bool transposed) { return fortran_order != transposed; }

// Whole lines of the file, a range for each rank.
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

// Whether any owner has short runs along the file's lines that are not whole lines. Equal on all ranks.
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

// A number for the name of the temporary file, equal on all ranks: rank 0's process id.
std::int64_t temporary_number(Communicator const& comm) {
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

// Writes the part to a new temporary file; throws on all ranks if any failed.
template <class T>
void write_temporary(std::string const& temporary, Matrix<T const> const& matrix, bool fortran_order, bool transposed) {
  auto const& comm = matrix.comm();
  auto rows = matrix.rows();
  auto cols = matrix.cols();
  if (transposed) {
    std::swap(rows, cols);
  }
  detail::on_all(comm, [&] {
    if (comm.rank() == 0) {
      io::create_npy(temporary, rows, cols, file_type<T>(), fortran_order);
    }
  });
  detail::on_all(comm, [&] {
    auto const ranges = file_ranges(matrix.distribution(), comm.rank(), transposed);
    auto const header = io::read_npy_header(temporary);
    io::write_npy_boxes<T>(temporary, header, ranges.rows, ranges.cols, matrix.data(), matrix.ld(), transposed);
  });
}

}  // namespace

template <class T>
void load_npy(std::string const& path, Matrix<T> const& matrix, bool transposed) {
  detail::on_all(matrix.comm(), [&] {
    matrix.check("matrix");
    auto const header = io::read_npy_header(path);
    detail::check_like_file(path, matrix, transposed ? header.cols : header.rows,
                            transposed ? header.rows : header.cols);
    auto const ranges = file_ranges(matrix.distribution(), matrix.comm().rank(), transposed);
    io::read_npy_boxes<T>(path, header, ranges.rows, ranges.cols, matrix.data(), matrix.ld(), transposed);
  });
}

template <class T>
void save_npy(std::string const& path, Matrix<T const> const& matrix, bool fortran_order, bool transposed) {
  auto const& comm = matrix.comm();
  detail::on_all(comm, [&] { matrix.check("matrix"); });
  auto const columns = lines_are_columns(fortran_order, transposed);
  auto const& distribution = matrix.distribution();
  if (has_short_runs(columns ? distribution.rows() : distribution.cols(), sizeof(T))) {
    std::optional<Matrix<T>> lines;
    detail::on_all(comm, [&] { lines = Matrix<T>::allocate(comm, by_lines(distribution, comm.size(), columns)); });
    redistribute(matrix, *lines);
    save_npy<T>(path, *lines, fortran_order, transposed);
    return;
  }
  auto const temporary = fmt::format("{}.part-{}", path, temporary_number(comm));
  try {
    write_temporary(temporary, matrix, fortran_order, transposed);
    detail::on_all(comm, [&] {
      if (comm.rank() == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) {
        throw Error(ErrorKind::io, fmt::format("'{}' cannot take its name: {}", path, std::strerror(errno)));
      }
    });
  } catch (...) {
    if (comm.rank() == 0) {
      std::remove(temporary.c_str());
    }
    throw;
  }
}

#define ALLPORT_NPY(T)                                                   \
  template void load_npy<T>(std::string const&, Matrix<T> const&, bool); \
  template void save_npy<T>(std::string const&, Matrix<T const> const&, bool, bool);
ALLPORT_FOR_SCALARS(ALLPORT_NPY)

}  // namespace allport
