#include <fmt/format.h>

#include <memory>

#include "allport/io.h"
#include "file.h"
#include "npy_convert.h"
#include "npy_tiles.h"

namespace allport::io {
namespace {

template <class T>
void ensure_writable(std::string const& path, NpyHeader const& header) {
  auto const complex_file = header.type == FileType::c8 || header.type == FileType::c16;
  auto const real_file = header.type == FileType::f4 || header.type == FileType::f8;
  if (!complex_file && !real_file) {
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' holds integers, bools or halves: expected f4, f8, c8 or c16 to write to", path));
  }
  if (header.swapped) {
    throw Error(ErrorKind::unsupported,
                fmt::format("'{}' has the other byte order: expected this machine's to write to", path));
  }
  if (real_file && !std::is_floating_point_v<T>) {
    throw Error(ErrorKind::argument,
                fmt::format("'{}' holds real numbers: expected a real matrix to write to it", path));
  }
}

// Writes pieces from memory with the file's direction, converted in `raw` if the file has another type.
template <class T>
class PieceWriter {
 public:
  PieceWriter(File const& file, FileType type) : file_(file), type_(type), element_(bytes_of(type)) {}

  void write(T const* memory, FilePiece const& piece) {
    auto const* values = memory + piece.memory;
    if (type_ == file_type_of<T>) {
      file_.write(std::as_bytes(std::span(values, static_cast<std::size_t>(piece.count))), piece.offset);
      return;
    }
    constexpr std::int64_t most = 1 << 16;
    raw_.resize(static_cast<std::size_t>(std::min(most, piece.count) * element_));
    for (std::int64_t done = 0; done < piece.count;) {
      auto const count = std::min(most, piece.count - done);
      to_file(type_, values + done, count, raw_.data());
      file_.write(std::span(raw_).first(static_cast<std::size_t>(count * element_)), piece.offset + done * element_);
      done += count;
    }
  }

 private:
  File const& file_;
  FileType type_;
  std::int64_t element_;
  std::vector<std::byte> raw_;
};

}  // namespace

template <class T>
void write_npy_boxes(std::string const& path, NpyHeader const& header, std::span<Range const> rows,
                     std::span<Range const> cols, T const* in, std::int64_t ld, bool transposed) {
  ensure_writable<T>(path, header);
  FileBox const box(header, rows, cols, ld, transposed);
  if (box.lines.count() == 0 || box.fast.count() == 0) {
    return;
  }
  auto file = File::open_to_write(path);
  PieceWriter<T> writer(file, header.type);
  if (box.straight) {
    for_pieces(box, {{0, box.lines.count()}, {0, box.fast.count()}}, ld,
               [&](FilePiece const& piece) { writer.write(in, piece); });
  } else {
    std::unique_ptr<T[]> stage;
    for_tiles(box, sizeof(T), [&](Tile const& tile) {
      auto const lines = tile.line.end - tile.line.begin;
      auto const fast = tile.fast.end - tile.fast.begin;
      if (!stage) {  // the first tile is the largest
        stage = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(lines * fast));
      }
      transpose(in + tile.line.begin + tile.fast.begin * ld, ld, fast, lines, stage.get(), fast);
      for_pieces(box, tile, fast, [&](FilePiece const& piece) { writer.write(stage.get(), piece); });
    });
  }
  file.close();
}

template <class T>
void write_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T const* in,
                   std::int64_t ld, bool transposed) {
  write_npy_boxes<T>(path, header, {&rows, 1}, {&cols, 1}, in, ld, transposed);
}

#define ALLPORT_WRITE(T)                                                                                              \
  template void write_npy_box(std::string const&, NpyHeader const&, Range, Range, T const*, std::int64_t, bool);      \
  template void write_npy_boxes(std::string const&, NpyHeader const&, std::span<Range const>, std::span<Range const>, \
                                T const*, std::int64_t, bool)
ALLPORT_WRITE(float);
ALLPORT_WRITE(double);
ALLPORT_WRITE(std::complex<float>);
ALLPORT_WRITE(std::complex<double>);
#undef ALLPORT_WRITE

}  // namespace allport::io
