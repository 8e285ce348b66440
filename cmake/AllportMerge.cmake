# Most of a small file's compile time is the headers that it includes. Where nothing but speed counts they are read once for
# eight files (a unity build): ALLPORT_MERGE is `none`, `tests`, `mpi` (the rooms that speak MPI, too: a second MPI library's
# build takes the others from ccache, as the first one's made them) or `all`. Rooms are compiled file by file at least
# once, or nobody would notice an #include that is missing.
set(ALLPORT_MERGE none CACHE STRING "What is compiled eight files at a time: none, tests, mpi or all")
set_property(CACHE ALLPORT_MERGE PROPERTY STRINGS none tests mpi all)

# allport_merge(TARGET KIND [HEADER ...]): KIND is `tests`, `mpi` or `rooms`.
function(allport_merge target kind)
  set(merged_none)
  set(merged_tests tests)
  set(merged_mpi tests mpi)
  set(merged_all tests mpi rooms)
  if(kind IN_LIST merged_${ALLPORT_MERGE})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# The tests' standard headers and GoogleTest's are read once for all: the first target makes them, the others use them.
function(allport_precompile_tests target)
  if(ALLPORT_MERGE STREQUAL "none")
    return()
  endif()
  get_property(first GLOBAL PROPERTY ALLPORT_PRECOMPILED)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
    return()
  endif()
  set_property(GLOBAL PROPERTY ALLPORT_PRECOMPILED ${target})
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <chrono> <cmath> <complex> <cstdint> <functional> <map>
                            <memory> <optional> <span> <string> <string_view> <utility> <vector> <fmt/format.h>
                            <gtest/gtest.h>)
endfunction()
