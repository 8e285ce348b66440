# cmake -DNM=... -DOBJCOPY=... -DARCHIVE=archive.a -P AllportRenameBlas.cmake: calls of BLAS and LAPACK, and of OpenBLAS's
# own functions, go to the names of scipy-openblas32, which begin with scipy_. Every name that the objects call, so that
# none is forgotten.
execute_process(COMMAND ${NM} -P -u ${ARCHIVE} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)([sdcz][a-z][a-z0-9]+_|openblas_[a-z_]+) " names "${undefined}")
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)
if(NOT names MATCHES "dgemm_")
  message(FATAL_ERROR "${ARCHIVE} calls no BLAS; expected module linalg")
endif()
list(TRANSFORM names REPLACE "(.+)" "\\1 scipy_\\1")
list(JOIN names "\n" lines)
file(WRITE ${ARCHIVE}.names "${lines}\n")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${ARCHIVE}.names ${ARCHIVE} COMMAND_ERROR_IS_FATAL ANY)
