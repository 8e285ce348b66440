#include "original.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cctype>

namespace allport::scalapack {
namespace {

/// Addresses of a loaded object's segments.
struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  [[nodiscard]] bool has(std::uintptr_t at) const { return at >= begin && at < end; }
};

Range range_of(dl_phdr_info const& object) {
  Range range{UINTPTR_MAX, 0};
  for (int s = 0; s < object.dlpi_phnum; ++s) {
    auto const& segment = object.dlpi_phdr[s];
    if (segment.p_type != PT_LOAD) continue;
    range.begin = std::min<std::uintptr_t>(range.begin, object.dlpi_addr + segment.p_vaddr);
    range.end = std::max<std::uintptr_t>(range.end, object.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  return range;
}

struct Search {
  std::uintptr_t at = 0;
  Range found;
};

/// The object that contains an address; an empty range if none.
Range object_of(void const* address) {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* wanted) {
        auto& s = *static_cast<Search*>(wanted);
        auto const range = range_of(*object);
        if (!range.has(s.at)) return 0;
        s.found = range;
        return 1;
      },
      &search);
  return search.found;
}

/// Searches each loaded library: Python and others load ScaLAPACK with local symbols, which the ordinary lookup does
/// not find.
void* find_anywhere(char const* name, Range const& ours) {
  struct Wanted {
    char const* name;
    Range ours;
    void* found;
  } wanted{name, ours, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& w = *static_cast<Wanted*>(data);
        if (object->dlpi_name == nullptr || *object->dlpi_name == '\0') return 0;
        auto* const handle = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) return 0;
        auto* const found = dlsym(handle, w.name);
        dlclose(handle);
        if (found == nullptr || w.ours.has(reinterpret_cast<std::uintptr_t>(found))) return 0;
        w.found = found;
        return 1;
      },
      &wanted);
  return wanted.found;
}

}  // namespace

thread_local int Within::depth_ = 0;

void* find_behind(char const* name) {
  auto const ours = object_of(reinterpret_cast<void const*>(&find_behind));
  // First the libraries behind this one; the program itself precedes all, and may define BLACS.
  for (auto* const place : {RTLD_NEXT, RTLD_DEFAULT}) {
    auto* const found = dlsym(place, name);
    if (found != nullptr && !ours.has(reinterpret_cast<std::uintptr_t>(found))) return found;
  }
  return find_anywhere(name, ours);
}

Original::Original(std::string symbol) : symbol_(std::move(symbol)), address_(find_behind(symbol_.c_str())) {
  for (auto const c : symbol_) {
    if (c != '_') name_ += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  if (address_ == nullptr) return;
  auto const home = object_of(address_);
  begin_ = home.begin;
  end_ = home.end;
}

}  // namespace allport::scalapack
