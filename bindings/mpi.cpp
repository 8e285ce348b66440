// Which MPI and BLAS this build uses. Nothing in here initialises MPI.
#include <dlfcn.h>
#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdlib>
#include <string>

#include "base/output.h"
#include "bindings.h"

namespace allport::python {
namespace {

/// Path of the shared object that MPI_Init comes from.
std::string libmpi_path() {
  auto info = Dl_info();
  if (dladdr(reinterpret_cast<void*>(&MPI_Get_library_version), &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  auto* real = realpath(info.dli_fname, nullptr);
  auto path = std::string(real != nullptr ? real : info.dli_fname);
  std::free(real);
  return path;
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {};
  int length = 0;
  if (MPI_Get_library_version(text, &length) != MPI_SUCCESS) {
    return {};
  }
  return text;  // MPICH's length counts the zero at the end, too
}

/// The family of the MPI library. If compiled for the standard MPI ABI, it is read from the library's version at run
/// time.
char const* family() {
#if defined(OPEN_MPI)
  return "openmpi";
#elif defined(MPICH_VERSION) || defined(MPICH)
  return "mpich";
#elif defined(MPI_ABI)
  auto const version = library_version();
  return version.starts_with("Open MPI") ? "openmpi" : "mpich";  // and MPICH's derivatives
#else
  return "";
#endif
}

/// The MPI ABI that this was compiled for, by mpi4py's names.
char const* interface_of_mpi() {
#if defined(MPI_ABI)
  return "mpiabi";
#else
  return family();
#endif
}

nb::dict build_info() {
  auto info = nb::dict();
  info["version"] = ALLPORT_VERSION;
  info["compiler"] = ALLPORT_COMPILER;
  info["build_type"] = ALLPORT_BUILD_TYPE;
  info["blas"] = ALLPORT_BLAS;
  info["mpiexec"] = ALLPORT_MPIEXEC;
  info["mpi_family"] = family();
  info["mpi_abi"] = interface_of_mpi();
  auto version = nb::list();
  version.append(MPI_VERSION);
  version.append(MPI_SUBVERSION);
  info["mpi_standard"] = version;
  return info;
}

/// The MPI library's own plug-ins, and mpi4py, look its symbols up globally; Python loads extensions locally.
void make_mpi_global() {
  auto const path = libmpi_path();
  if (!path.empty()) {
    dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  }
}

}  // namespace

void bind_mpi(nb::module_& m) {
  make_mpi_global();
  m.def("build_info", build_info, nb::sig("def build_info() -> dict[str, object]"),
        "The build: version, compiler, BLAS, and the MPI library with its launcher.");
  m.def("mpi_library_version", library_version, "MPI_Get_library_version of the MPI that Allport is linked with.");
  m.def(
      "drain_output", [] { drain_output(); }, nb::call_guard<nb::gil_scoped_release>(),
      "Waits until the readers of stdout and stderr have read everything that was written, at most a second.");
  m.def("libmpi_path", libmpi_path, "Path of the MPI library that Allport is linked with.");
}

}  // namespace allport::python
