// Reads the pages of this library when it is loaded, so that the first call has no page faults for its code.
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace {

#ifdef MADV_POPULATE_READ
int populate(dl_phdr_info* object, std::size_t, void* here) {
  for (int h = 0; h < object->dlpi_phnum; ++h) {
    auto const& header = object->dlpi_phdr[h];
    if (header.p_type != PT_LOAD) continue;
    auto const from = object->dlpi_addr + header.p_vaddr;
    if (reinterpret_cast<std::uintptr_t>(here) < from ||
        reinterpret_cast<std::uintptr_t>(here) >= from + header.p_memsz)
      continue;
    auto const page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    auto const first = from / page * page;
    madvise(reinterpret_cast<void*>(first), from + header.p_memsz - first, MADV_POPULATE_READ);  // older kernels: no
    return 1;
  }
  return 0;
}

[[gnu::constructor]] void prepare() { dl_iterate_phdr(&populate, reinterpret_cast<void*>(&prepare)); }
#endif

}  // namespace
