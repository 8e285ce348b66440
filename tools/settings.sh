# Sourced by the other tools: where the tree is, how many jobs to use, and which MPI library was chosen.
#
#   MPI=auto      Open MPI if it is there, else MPICH, else the mpicc in PATH (an mpicc outside /usr wins over both)
#   MPI=openmpi   the library behind mpicc.openmpi, or an Open MPI mpicc in PATH
#   MPI=mpich     the library behind mpicc.mpich, or another mpicc in PATH
#   MPI=path      whatever mpicc, mpicxx and mpiexec in PATH are
#   JOBS=N        parallel compile and test jobs; all cores unless told

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=$ROOT/.venv
PATH=$VENV/bin:$PATH
JOBS=${JOBS:-$(nproc 2>/dev/null || echo 2)}
# The same source in another folder is the same source: a fresh clone reuses what was compiled before.
export PATH CCACHE_BASEDIR="$ROOT" CCACHE_NOHASHDIR=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

say() { printf '==> [%s] %s\n' "$TOOL" "$*"; }
die() {
  printf '==> [%s] FAILED: %s\n' "$TOOL" "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# quietly LOG COMMAND...: runs the command with its output in the file LOG, and shows the end of it if it fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 && return 0
  local code=$?
  tail -n 40 "$log" >&2
  printf '==> [%s] %s: exit code %s; the whole log is in %s\n' "$TOOL" "$*" "$code" "$log" >&2
  return "$code"
}

is_openmpi() { have "$1" && "$1" --showme:version 2>/dev/null | grep -q 'Open MPI'; }

use_mpi() { # NAME SUFFIX
  MPI_NAME=$1 MPICC=mpicc$2 MPICXX=mpicxx$2 MPIFORT=mpifort$2 MPIEXEC=mpiexec$2
  have "$MPIEXEC" || MPIEXEC=mpirun$2
  have "$MPIFORT" || MPIFORT=mpif90$2
  local tool
  for tool in "$MPICC" "$MPICXX" "$MPIEXEC"; do
    have "$tool" || return 1
  done
  MPICC=$(command -v "$MPICC") MPICXX=$(command -v "$MPICXX") MPIEXEC=$(command -v "$MPIEXEC")
  MPIFORT=$(command -v "$MPIFORT" || true)
  MPI_LIBRARY=$(mpi_library)
}

# Sets MPI_NAME, MPICC, MPICXX, MPIFORT, MPIEXEC and MPI_LIBRARY to one consistent set; returns 1 if there is none.
choose_mpi() {
  case ${1:-${MPI:-auto}} in
  openmpi) { have mpicc.openmpi && use_mpi openmpi .openmpi; } || { is_openmpi mpicc && use_mpi openmpi ""; } ;;
  mpich) { have mpicc.mpich && use_mpi mpich .mpich; } || { have mpicc && ! is_openmpi mpicc && use_mpi mpich ""; } ;;
  path) use_mpi path "" ;;
  auto)
    case "$(command -v mpicc || true)" in
    "" | /usr/bin/* | /bin/*) choose_mpi openmpi || choose_mpi mpich ;;
    *) choose_mpi path ;;
    esac
    ;;
  *) die "MPI=${1:-${MPI:-}}: expected auto, openmpi, mpich or path" ;;
  esac
}

# The shared library that programs of MPICC load; fails if there are wrappers but no headers or library behind them.
mpi_library() {
  local folder code=0
  folder=$(mktemp -d)
  echo '#include <mpi.h>
int main(void) { int flag; return MPI_Initialized(&flag); }' >"$folder/probe.c"
  "$MPICC" "$folder/probe.c" -o "$folder/probe" 2>/dev/null || code=1
  [ $code != 0 ] || ldd "$folder/probe" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3; exit }'
  rm -rf "$folder"
  return $code
}

# configure PRESET [-DNAME=VALUE ...]: configures build/PRESET, from scratch if it was made with other settings.
configure() {
  local preset=$1 build=$ROOT/build/$1 wanted fresh=
  shift
  wanted="$preset $(cmake --version | head -n 1) $*"
  if [ -f "$build/CMakeCache.txt" ] && [ "$(cat "$build/settings.txt" 2>/dev/null)" = "$wanted" ]; then
    return 0 # ninja reconfigures by itself when a CMake file changed
  fi
  [ -f "$build/CMakeCache.txt" ] && fresh=--fresh
  quietly "$build.log" cmake $fresh --preset "$preset" "$@" || return
  printf '%s\n' "$wanted" >"$build/settings.txt"
}

mpi_settings() {
  printf -- '-DMPI_C_COMPILER=%s\n-DMPI_CXX_COMPILER=%s\n-DMPIEXEC_EXECUTABLE=%s\n' "$MPICC" "$MPICXX" "$MPIEXEC"
  if [ -n "$MPIFORT" ]; then printf -- '-DMPI_Fortran_COMPILER=%s\n' "$MPIFORT"; fi
}
