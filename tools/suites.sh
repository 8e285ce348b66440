# Sourced by the tools that run other people's suites under the preloaded drop-in.
# shellcheck shell=bash

suites=$ROOT/build/suites
mkdir -p "$suites"

# Programs that were built elsewhere ask for MPICH by the name of its ABI, which Debian's library does not have.
bridge() {
  local folder=$suites/mpich-abi
  mkdir -p "$folder"
  quietly "$suites/bridge.log" "$MPICC" -shared -o "$folder/libmpi.so.12" -x c /dev/null \
    "-Wl,-soname,libmpi.so.12,--no-as-needed" || die "no bridge to MPICH"
  echo "$folder/libmpi.so.12"
}

# Ranks that wait give their core away, as they do in the other tests.
yield_library() {
  quietly "$suites/yield.log" cc -shared -fPIC -O1 -o "$suites/libmpich_yield.so" tests/mpich_yield.c -ldl ||
    die "tests/mpich_yield.c does not build"
  echo "$suites/libmpich_yield.so"
}

# A machine of so many ranks, with more than one axis where there can be.
machine_of() {
  case $1 in
  4) echo mesh:2x2 ;;
  9) echo torus:3x3 ;;
  *) echo "torus:$1" ;;
  esac
}
