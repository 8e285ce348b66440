# Most of a small file's compile time is the headers that it includes. With ALLPORT_MERGE they are read once for eight
# files. An #include that is missing shows only where files are compiled by themselves: preset debug, and `tools/test apart`.
option(ALLPORT_MERGE "Compile eight files at a time" OFF)

# The files that include a target's own stand in the build folder under the same names whichever folder that is, and
# name them from there: with CCACHE_BASEDIR as in the top CMakeLists.txt one build has its objects from another's. For
# that no header is precompiled, either: ccache would take none of those that use it.
#
# allport_merge(TARGET [BY_FOLDER]): BY_FOLDER compiles files of different folders apart, so that only names of one folder
# must differ.
function(allport_merge target)
  if(NOT ALLPORT_MERGE)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  set(merged)
  set(text)
  set(inside 0)
  set(files 0)
  set(last)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$" OR source MATCHES "_openmp\\.cpp$")  # this has options of its own
      list(APPEND merged ${source})
      continue()
    endif()
    get_filename_component(source ${source} ABSOLUTE BASE_DIR ${folder})
    get_filename_component(where ${source} DIRECTORY)
    if("BY_FOLDER" IN_LIST ARGN AND text AND NOT where STREQUAL last)
      allport_merged_file(${target} ${files} "${text}" merged)
      math(EXPR files "${files} + 1")
      set(text)
      set(inside 0)
    endif()
    set(last ${where})
    file(RELATIVE_PATH source ${CMAKE_BINARY_DIR}/merged ${source})
    string(APPEND text "#include \"${source}\"\n")
    math(EXPR inside "${inside} + 1")
    if(inside EQUAL 8)
      allport_merged_file(${target} ${files} "${text}" merged)
      math(EXPR files "${files} + 1")
      set(text)
      set(inside 0)
    endif()
  endforeach()
  if(text)
    allport_merged_file(${target} ${files} "${text}" merged)
  endif()
  set_property(TARGET ${target} PROPERTY SOURCES ${merged})
  # GCC takes what is included for a header, whose unnamed namespaces it warns of.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

function(allport_merged_file target number text files)
  set(file ${CMAKE_BINARY_DIR}/merged/${target}_${number}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  set(${files} ${${files}} ${file} PARENT_SCOPE)
endfunction()
