"""tools/pack_wheel.py BUILD DIST: one wheel from the Python sources, the parts under BUILD/tree and the metadata of
pyproject.toml; tools/wheel has built the parts, and runs this in its environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the parts load at run time, beside what pyproject.toml names for every build.
NEEDED = {"scipy-openblas32": "0.3.30", "nanobind-backend": "1"}
# Theirs: MPI is whichever is there, and BLAS has a wheel of its own.
FOREIGN = ("libscipy_openblas.so", "libmpich.so.12", "libmpi.so.*", "libmpi_abi.so.*")


def run(*command: str, **settings: object) -> str:
    done = subprocess.run(command, check=False, capture_output=True, text=True, **settings)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def only(folder: Path, pattern: str) -> Path:
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"{folder}/{pattern}: {len(found)} files, expected one")
    return found[0]


def sources(build: Path) -> Path:
    """The wheel of Python's sources alone, unpacked."""
    for name in ("plain", "unpacked"):
        shutil.rmtree(build / name, ignore_errors=True)
    python = sys.executable
    run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(build / "plain"),
        "-Cwheel.cmake=false", "-Cbuild-dir=", str(ROOT))  # fmt: skip
    run(python, "-m", "wheel", "unpack", "-d", str(build / "unpacked"), str(only(build / "plain", "*.whl")))
    return only(build / "unpacked", "allport-*")


def write_stub(build: Path, package: Path) -> None:
    """_native.pyi, read out of one of the cores."""
    core = next(iter(sorted(package.glob("_native.*.abi3.so"))))
    folder = build / "stub"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(package, folder / "allport", ignore=shutil.ignore_patterns("*.py", "dropin"))
    shutil.copy(core, folder / "allport" / "_native.abi3.so")
    library = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12", "mpiabi": "libmpi_abi.so.1"}[core.name.split(".")[1]]
    blas = Path(str(metadata.distribution("scipy-openblas32").locate_file("scipy_openblas32/lib")))
    paths = [str(blas), str(Path(sysconfig.get_path("data")) / "lib")]
    environment = {**os.environ, "LD_PRELOAD": library, "LD_LIBRARY_PATH": ":".join(paths)}
    run(sys.executable, "-m", "nanobind.stubgen", "-m", "_native", "-i", str(folder / "allport"),
        "-o", str(package / "_native.pyi"), env=environment)  # fmt: skip


def tell_metadata(folder: Path) -> None:
    info = only(folder, "*.dist-info")
    text = (info / "METADATA").read_text()
    lines = "".join(f"Requires-Dist: {name}>={version}\n" for name, version in NEEDED.items())
    head, blank, rest = text.partition("\n\n")
    (info / "METADATA").write_text(f"{head}\n{lines.rstrip()}{blank}{rest}")
    wheel = (info / "WHEEL").read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    wheel = re.sub(r"^Tag: .*$", f"Tag: cp310-abi3-{platform}", wheel, flags=re.MULTILINE)
    (info / "WHEEL").write_text(wheel)


def main() -> int:
    build, dist = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    folder = sources(build)
    package = folder / "allport"
    shutil.copytree(build / "tree" / "allport", package, dirs_exist_ok=True)
    write_stub(build, package)
    shutil.copytree(
        ROOT / "include" / "allport", package / "include" / "allport", ignore=shutil.ignore_patterns("*.hpp")
    )
    run(sys.executable, "-B", str(ROOT / "tools" / "make_fortran.py"), str(package / "fortran" / "allport.f90"))
    tell_metadata(folder)
    packed = build / "packed"
    shutil.rmtree(packed, ignore_errors=True)
    packed.mkdir()
    run(sys.executable, "-m", "wheel", "pack", "-d", str(packed), str(folder))
    repaired = build / "repaired"
    shutil.rmtree(repaired, ignore_errors=True)
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    excluded = [word for name in FOREIGN for word in ("--exclude", name)]
    run(
        sys.executable,
        "-m",
        "auditwheel",
        "repair",
        *excluded,
        "-w",
        str(repaired),
        str(only(packed, "*.whl")),
        env=environment,
    )
    dist.mkdir(exist_ok=True)
    for old in dist.glob("allport-*.whl"):
        old.unlink()
    done = Path(shutil.copy(only(repaired, "*.whl"), dist))
    print(f"{done}: {done.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
