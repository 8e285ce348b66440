// The C interface: the error text, the version, and arguments that are letters or types.
#include "handles.h"

namespace allport::c_interface {

std::string& last_error() noexcept {
  thread_local std::string text;
  return text;
}

Trans trans_of(char c, char const* name) {
  switch (c) {
    case 'N':
    case 'n':
      return Trans::none;
    case 'T':
    case 't':
      return Trans::transpose;
    case 'C':
    case 'c':
      return Trans::conjugate;
    default:
      throw Error::argument(name, show(std::string(1, c)), "'N', 'T' or 'C'");
  }
}

Uplo uplo_of(char c) {
  switch (c) {
    case 'L':
    case 'l':
      return Uplo::lower;
    case 'U':
    case 'u':
      return Uplo::upper;
    default:
      throw Error::argument("uplo", show(std::string(1, c)), "'L' or 'U'");
  }
}

Scalar scalar_of_type(allport_type type) {
  switch (type) {
    case ALLPORT_FLOAT:
      return Scalar::s;
    case ALLPORT_DOUBLE:
      return Scalar::d;
    case ALLPORT_FLOAT_COMPLEX:
      return Scalar::c;
    case ALLPORT_DOUBLE_COMPLEX:
      return Scalar::z;
    default:
      throw Error::argument("type", show(static_cast<int>(type)),
                            "ALLPORT_FLOAT, ALLPORT_DOUBLE, ALLPORT_FLOAT_COMPLEX or ALLPORT_DOUBLE_COMPLEX");
  }
}

}  // namespace allport::c_interface

extern "C" {

char const* allport_error(void) { return allport::c_interface::last_error().c_str(); }
char const* allport_version(void) { return ALLPORT_VERSION; }

}  // extern "C"
