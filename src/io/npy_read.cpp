#include <fmt/format.h>

#include <memory>

#include "allport/io.h"
#include "file.h"
#include "npy_convert.h"
#include "npy_tiles.h"

namespace allport::io {
namespace {

constexpr std::int64_t read_alone = 64 << 10;   // bytes of a piece from which it is read by a call of its own
constexpr std::int64_t read_through = 8 << 10;  // bytes of a gap up to which reading it costs less than another call
constexpr std::int64_t longest_chunk = 1 << 20;

// Reads pieces of a tile, in ascending order; memory has the file's direction.
template <class T>
class PieceReader {
 public:
  PieceReader(File const& file, NpyHeader const& header)
      : file_(file),
        header_(header),
        element_(bytes_of(header.type)),
        as_is_(header.type == file_type_of<T> && !header.swapped) {}

  void start(T* memory) { memory_ = memory; }

  void add(FilePiece piece) {
    if (as_is_ && piece.count * element_ >= read_alone) {
      finish();
      read_directly(piece);
      return;
    }
    for (std::int64_t done = 0; done < piece.count;) {  // a long piece that must be converted is read in chunks
      auto const count = std::min(piece.count - done, longest_chunk / element_);
      gather({piece.offset + done * element_, piece.memory + done, count});
      done += count;
    }
  }

  // Reads the gathered pieces.
  void finish() {
    if (pieces_.empty()) {
      return;
    }
    if (as_is_ && pieces_.size() == 1) {
      read_directly(pieces_.front());
    } else {
      auto const begin = pieces_.front().offset;
      auto const bytes = static_cast<std::size_t>(end_of(pieces_.back()) - begin);
      if (!chunk_) {
        chunk_ = std::make_unique_for_overwrite<std::byte[]>(longest_chunk);
      }
      file_.read(std::span(chunk_.get(), bytes), begin);
      for (auto const& piece : pieces_) {
        from_file(header_.type, header_.swapped, chunk_.get() + (piece.offset - begin), piece.count,
                  memory_ + piece.memory);
      }
    }
    pieces_.clear();
  }

 private:
  std::int64_t end_of(FilePiece const& piece) const { return piece.offset + piece.count * element_; }

  void gather(FilePiece const& piece) {
    if (!pieces_.empty() && (piece.offset - end_of(pieces_.back()) > read_through ||
                             end_of(piece) - pieces_.front().offset > longest_chunk)) {
      finish();
    }
    pieces_.push_back(piece);
  }

  void read_directly(FilePiece const& piece) {
    file_.read(std::as_writable_bytes(std::span(memory_ + piece.memory, static_cast<std::size_t>(piece.count))),
               piece.offset);
  }

  File const& file_;
  NpyHeader const& header_;
  std::int64_t element_;
  bool as_is_;
  T* memory_ = nullptr;
  std::vector<FilePiece> pieces_;
  std::unique_ptr<std::byte[]> chunk_;
};

template <class T>
void ensure_fits(std::string const& path, NpyHeader const& header) {
  auto const complex_file = header.type == FileType::c8 || header.type == FileType::c16;
  if (complex_file && std::is_floating_point_v<T>) {
    throw Error(ErrorKind::argument,
                fmt::format("'{}' holds complex numbers: expected a complex matrix to read them into", path));
  }
}

}  // namespace

template <class T>
void read_npy_boxes(std::string const& path, NpyHeader const& header, std::span<Range const> rows,
                    std::span<Range const> cols, T* out, std::int64_t ld, bool transposed) {
  ensure_fits<T>(path, header);
  FileBox const box(header, rows, cols, ld, transposed);
  if (box.lines.count() == 0 || box.fast.count() == 0) {
    return;
  }
  auto const file = File::open(path);
  PieceReader<T> reader(file, header);
  if (box.straight) {
    reader.start(out);
    for_pieces(box, {{0, box.lines.count()}, {0, box.fast.count()}}, ld,
               [&](FilePiece const& piece) { reader.add(piece); });
    reader.finish();
    return;
  }
  std::unique_ptr<T[]> stage;
  for_tiles(box, sizeof(T), [&](Tile const& tile) {
    auto const lines = tile.line.end - tile.line.begin;
    auto const fast = tile.fast.end - tile.fast.begin;
    if (!stage) {  // the first tile is the largest
      stage = std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(lines * fast));
    }
    reader.start(stage.get());
    for_pieces(box, tile, fast, [&](FilePiece const& piece) { reader.add(piece); });
    reader.finish();
    transpose(stage.get(), fast, lines, fast, out + tile.line.begin + tile.fast.begin * ld, ld);
  });
}

template <class T>
void read_npy_box(std::string const& path, NpyHeader const& header, Range rows, Range cols, T* out, std::int64_t ld,
                  bool transposed) {
  read_npy_boxes<T>(path, header, {&rows, 1}, {&cols, 1}, out, ld, transposed);
}

#define ALLPORT_READ(T)                                                                                              \
  template void read_npy_box(std::string const&, NpyHeader const&, Range, Range, T*, std::int64_t, bool);            \
  template void read_npy_boxes(std::string const&, NpyHeader const&, std::span<Range const>, std::span<Range const>, \
                               T*, std::int64_t, bool)
ALLPORT_READ(float);
ALLPORT_READ(double);
ALLPORT_READ(std::complex<float>);
ALLPORT_READ(std::complex<double>);
#undef ALLPORT_READ

}  // namespace allport::io
