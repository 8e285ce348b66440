# Most of a small file's compile time is the standard headers. Where nothing but speed counts they are read once:
# ALLPORT_PRECOMPILE is `none`, `tests` (tests and libraries to preload) or `all` (the rooms, too). Rooms are compiled
# without at least once, or nobody would notice an #include that is missing.
set(ALLPORT_PRECOMPILE none CACHE STRING "What is compiled with precompiled headers: none, tests or all")
set_property(CACHE ALLPORT_PRECOMPILE PROPERTY STRINGS none tests all)

# allport_precompile(TARGET KIND [HEADER ...]): KIND is `rooms` or what else shares its compile options; the first target
# of a kind makes the headers, the others use them.
function(allport_precompile target kind)
  if(ALLPORT_PRECOMPILE STREQUAL "none" OR (kind STREQUAL "rooms" AND NOT ALLPORT_PRECOMPILE STREQUAL "all"))
    return()
  endif()
  get_property(first GLOBAL PROPERTY ALLPORT_PRECOMPILED_${kind})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY ALLPORT_PRECOMPILED_${kind} ${target})
  set(headers <algorithm> <array> <chrono> <cmath> <complex> <cstdint> <functional> <map> <memory> <optional> <span>
      <string> <string_view> <utility> <vector> <fmt/format.h> ${ARGN})
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
