#include "allport/linalg/kernel_measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <string>

#include "allport/graph/rates.h"
#include "blas.h"
#include "qr_kernels.h"
#include "qr_order.h"

namespace allport {

namespace {

/// Tiles of size x size with a dominant diagonal, so that nothing overflows however often a kernel is applied.
template <class T>
std::vector<T> tiles_of(Index size, Index count) {
  std::vector<T> tiles(static_cast<std::size_t>(size * size * count));
  unsigned state = 1;
  for (auto& x : tiles) {
    state = state * 1664525U + 1013904223U;
    x = T(static_cast<float>(state >> 16) / 65536.0F / static_cast<float>(size));
  }
  for (Index t = 0; t < count; ++t) {
    for (Index d = 0; d < size; ++d) tiles[static_cast<std::size_t>(t * size * size + d * (size + 1))] = T(2);
  }
  return tiles;
}

/// The tiles of a kernel. Tiles that it overwrites are restored before each call; that time is subtracted.
template <class T>
struct KernelTiles {
  KernelTiles(Index tile, Index height)
      : size(tile),
        a(tiles_of<T>(tile, 1)),
        b(tiles_of<T>(tile, height)),
        fresh(b),
        t(static_cast<std::size_t>(qr_inner_block * tile)),
        pivots(static_cast<std::size_t>(tile)) {
    reflectors = tiles_of<T>(size, 2);
    reflectors.resize(reflectors.size() + t.size());
  }

  void restore() { std::copy(fresh.begin(), fresh.end(), b.begin()); }
  /// V and T of a factored tile.
  [[nodiscard]] blas::Block<T> block() { return {reflectors.data(), size, qr_inner_block}; }

  Index size;
  std::vector<T> a;
  std::vector<T> b;
  std::vector<T> fresh;
  std::vector<T> t;
  std::vector<T> reflectors;
  std::vector<int> pivots;
};

template <class T>
void call(Kernel kernel, KernelTiles<T>& w) {
  using enum blas::Side;
  auto const s = w.size;
  auto* const a = w.a.data();
  auto* const b = w.b.data();
  switch (kernel) {
    case Kernel::gemm:
      blas::gemm(Trans::none, Trans::conjugate, s, s, s, T(-1), a, s, w.fresh.data(), s, T(1), b, s);
      break;
    case Kernel::syrk:
      blas::herk_subtract(blas::Triangle::lower, Trans::none, s, s, a, s, b, s);
      break;
    case Kernel::trsm:
      blas::trsm(right, blas::Triangle::lower, Trans::conjugate, blas::Diagonal::stored, s, s, a, s, b, s);
      break;
    case Kernel::potrf:
      blas::potrf(blas::Triangle::lower, s, b, s);
      break;
    case Kernel::panel:
      blas::getrf(4 * s, s, b, 4 * s, w.pivots.data());
      break;
    case Kernel::gemqrt:
      blas::gemqrt<T>(true, {w.block().v, s, qr_inner_block}, s, s, b, s);
      break;
    case Kernel::tpmqrt:
      blas::tpmqrt<T>(true, {w.block().v, s, qr_inner_block}, s, false, s, a, s, b, s);
      break;
    default:
      break;
  }
}

/// Kernels of QR that compute reflectors: V in the tile, T behind it.
template <class T>
void call_factoring(Kernel kernel, KernelTiles<T>& w) {
  std::copy(w.fresh.begin(), w.fresh.begin() + w.size * w.size, w.reflectors.begin());
  if (kernel == Kernel::geqrt) {
    blas::geqrt(w.block(), w.size);
  } else {
    std::copy(w.fresh.begin(), w.fresh.begin() + w.size * w.size, w.a.begin());
    blas::tpqrt(w.size, w.a.data(), w.size, w.block(), false);
  }
}

template <class T>
Measurement of_kernel(std::string what, Kernel kernel, Index size) {
  bool const factors = kernel == Kernel::geqrt || kernel == Kernel::tpqrt;
  auto const flops = graph::flops_of_unit_tile(kernel) * static_cast<double>(size * size * size);
  return {std::move(what), flops, [=]() -> Measurement::Calls {
            auto const place = std::make_shared<KernelTiles<T>>(size, kernel == Kernel::panel ? 4 : 1);
            if (factors) return {[=] { call_factoring(kernel, *place); }, {}};
            if (kernel == Kernel::gemqrt) blas::geqrt(place->block(), size);
            if (kernel == Kernel::tpmqrt) blas::tpqrt(size, place->a.data(), size, place->block(), false);
            return {[=] {
                      place->restore();
                      call(kernel, *place);
                    },
                    [=] { place->restore(); }};
          }};
}

Measurement of_kernel(std::string what, Kernel kernel, Index size, char type) {
  switch (type) {
    case 's':
      return of_kernel<float>(std::move(what), kernel, size);
    case 'c':
      return of_kernel<std::complex<float>>(std::move(what), kernel, size);
    case 'z':
      return of_kernel<std::complex<double>>(std::move(what), kernel, size);
    default:
      return of_kernel<double>(std::move(what), kernel, size);
  }
}

/// Over more tiles than caches hold; bytes read and written, as graphs count them.
Measurement of_memory(Kernel kernel) {
  constexpr Index tile = graph::default_tile;
  constexpr Index count = 16;
  bool const adds = kernel == Kernel::add;
  auto const bytes = static_cast<double>(sizeof(double) * tile * tile * count) * (adds ? 3 : 2);
  return {fmt::format("bytes {}", name(kernel)), bytes, [=]() -> Measurement::Calls {
            auto const from = std::make_shared<std::vector<double>>(tiles_of<double>(tile, count));
            auto const to = std::make_shared<std::vector<double>>(from->size());
            if (!adds) return {[=] { std::copy(from->begin(), from->end(), to->begin()); }, {}};
            return {[=] { std::ranges::transform(*from, *to, to->begin(), std::plus<>()); }, {}};
          }};
}

}  // namespace

std::vector<Measurement> kernel_measurements(bool quick) {
  constexpr std::array measured{Kernel::gemm,  Kernel::syrk,  Kernel::trsm,   Kernel::potrf, Kernel::panel,
                                Kernel::geqrt, Kernel::tpqrt, Kernel::gemqrt, Kernel::tpmqrt};
  std::vector<Index> sizes{64};
  std::string types;
  if (!quick) {
    sizes.insert(sizes.end(), {128, 512});
    types = "scz";
  }
  std::vector<Measurement> all;
  for (auto const kernel : measured) {
    auto const usual = fmt::format("flops {}", name(kernel));
    all.push_back(of_kernel(usual, kernel, graph::default_tile, 'd'));
    for (auto const size : sizes) all.push_back(of_kernel(fmt::format("{} {}", usual, size), kernel, size, 'd'));
    for (char const type : types) {
      all.push_back(of_kernel(fmt::format("{} {}", usual, type), kernel, graph::default_tile, type));
    }
  }
  for (auto const kernel : {Kernel::add, Kernel::copy}) all.push_back(of_memory(kernel));
  return all;
}

}  // namespace allport
