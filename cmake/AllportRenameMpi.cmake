# cmake -DNM=... -DOBJCOPY=... -DFROM=archive.a -DTO=archive.a -P AllportRenameMpi.cmake: the same objects, whose calls of
# MPI_Name go to PMPI_Name. Every name that they call, so that none is forgotten.
execute_process(COMMAND ${NM} -P -u ${FROM} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)MPI_[A-Z][a-z][A-Za-z0-9_]*" names "${undefined}")
if(NOT names)
  message(FATAL_ERROR "${FROM} calls no MPI; expected module comm")
endif()
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "\\1 P\\1")
list(JOIN names "\n" lines)
file(WRITE ${TO}.names "${lines}\n")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${TO}.names ${FROM} ${TO} COMMAND_ERROR_IS_FATAL ANY)
