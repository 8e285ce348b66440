"""Spack's recipe. In a repository of one's own: packages/allport/package.py."""

from spack.package import CMakePackage, depends_on, license, variant, version


class Allport(CMakePackage):
    """Dense linear algebra and collectives that use all links of a torus machine at once."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("fortran", default=True, description="The Fortran module")
    variant("hwloc", default=True, description="Teams of threads by hwloc, else by Linux's /sys")
    variant("scotch", default=True, description="Ranks mapped by Scotch's order, too")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("python@3.9:", type="build", when="+fortran")  # writes the module
    depends_on("cmake@3.24:", type="build")
    depends_on("ninja", type="build")
    depends_on("mpi@3.1:")
    depends_on("blas")
    depends_on("lapack")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("tomlplusplus")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("scotch~mpi", when="+scotch")

    generator("ninja")  # noqa: F821  of the class's own

    def cmake_args(self):
        return [
            self.define("ALLPORT_TESTS", False),
            self.define("ALLPORT_MERGE", True),
            self.define_from_variant("ALLPORT_FORTRAN", "fortran"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Hwloc", self.spec.satisfies("~hwloc")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Scotch", self.spec.satisfies("~scotch")),
        ]
