"""Every parser on mutated inputs: each must end in a result or in Error, within bounds of time and memory.

`python mutated_inputs.py [--inputs N] [--seed S] [--parser NAME] [--only I] [--keep FOLDER]` runs N inputs a parser.
An input depends on nothing but (seed, parser, number), so a finding names what makes it again. Children do the work,
many inputs each; one that dies or hangs has noted which input it was at, and the next child goes on behind it.

Not here: HDF5, whose parser is the HDF5 library's; Chrome traces and MSCCL XML, which Allport only writes.
"""

from __future__ import annotations

import argparse
import functools
import io
import itertools
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import network_samples
import numpy as np

PROGRAM = [__file__]  # what a child is
CPU_SECONDS = 20  # of one input
SILENT_SECONDS = 300  # without a finished input: far beyond what a loaded computer explains
MEMORY = 2 << 30  # bytes of address space beyond what a child has at the start
NUMBERS = ["0", "-1", "1", "2", "255", "65536", "2147483647", "2147483648", "4294967296", "9223372036854775807"]
NUMBERS += ["18446744073709551616", "1e308", "1e-320", "1e999", "nan", "inf", "-inf", "0x10", "1_000", "", "3.5"]
BYTES = [b"\x00", b"\xff", b"\xc3", b"\xf0\x9f\x98\x80", b"\n", b"\r\n", b" ", b'"', b"'", b"[", b"{", b"(", b",", b":"]


def numbers_in(data: bytes) -> list[re.Match[bytes]]:
    return list(re.finditer(rb"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", data[:65536]))


def change(rng: random.Random, data: bytes, samples: list[bytes]) -> bytes:
    """One mutation."""
    at = rng.randrange(len(data) + 1)
    end = min(len(data), at + int(2 ** rng.uniform(0, 7)))
    mutation = rng.randrange(11)
    if mutation == 0 and data:
        at = rng.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    if mutation == 1:
        return data[:at] + bytes(rng.randrange(256) for _ in range(rng.randint(1, 4))) + data[end:]
    if mutation == 2:
        return data[:at] + data[end:]
    if mutation == 3:
        return data[:at] + data[at:end] * rng.choice([2, 3, 50]) + data[end:]
    if mutation == 4:
        return data[:at] + rng.choice(BYTES) * rng.choice([1, 1, 2, 20000]) + data[at:]
    if mutation == 5:
        return data[:at]
    if mutation == 6:
        other = rng.choice(samples)
        return data[:at] + other[rng.randrange(len(other) + 1) :]
    if mutation == 7:
        lines = data.split(b"\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[i], lines[j] = lines[j], lines[i] if rng.random() < 0.5 else lines[j]
        return b"\n".join(lines)
    found = numbers_in(data)
    if not found:
        return data[:at] + rng.choice(NUMBERS).encode() + data[at:]
    number = rng.choice(found)
    if mutation == 8:
        whole = re.match(rb"\d{1,40}", number.group())
        value = str(int(whole.group() if whole else 0) + rng.choice([-1, 1]))
    else:
        value = rng.choice(NUMBERS) if mutation == 9 else rng.choice(found).group().decode()
    return data[: number.start()] + value.encode() + data[number.end() :]


def mutate(rng: random.Random, samples: list[bytes]) -> bytes:
    """A sample with a few mutations."""
    data = rng.choice(samples)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        data = change(rng, data, samples)
    return data


def mutate_zip(rng: random.Random, samples: list[bytes]) -> bytes:
    """As mutate(), or with the mutations inside of one member and everything around it sound."""
    if rng.random() < 0.4:
        return mutate(rng, samples)
    with zipfile.ZipFile(io.BytesIO(rng.choice(samples))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    mutation = rng.random()
    if mutation < 0.1:
        del members[name]
    elif mutation < 0.2:
        members[name] = rng.choice(list(members.values()))
    else:
        members[name] = mutate(rng, [members[name]])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for key, data in members.items():
            archive.writestr(key, data)
    return out.getvalue()


@dataclass
class Parser:
    """run(data, path): reads an input, which is also the contents of the file `path`."""

    samples: list[bytes]
    run: Callable[[bytes, Path], None]
    suffix: str = ""
    mutate: Callable[[random.Random, list[bytes]], bytes] = mutate


def parsers(folder: Path) -> dict[str, Parser]:
    """All of them, with sound samples made in a folder."""
    import allport as ap
    from allport import units
    from allport.bench import measured
    from allport.lab.rates import parse_bits

    comm = ap.Communicator()
    text = lambda data: data.decode(errors="surrogateescape")  # noqa: E731  as Python has arguments

    def machine(made: ap.Machine) -> None:
        assert ap.Machine.from_toml(made.to_toml()) == made
        ap.machine.describe(made)

    def goal(_: bytes, path: Path) -> None:
        schedule = ap.schedule.import_goal(path)
        for rank in range(min(schedule.ranks, 3)):
            schedule.traffic(rank)

    def matrix(_: bytes, path: Path) -> None:
        file = ap.io.inspect(path)
        if file.shape[0] * file.shape[1] < 1 << 20:
            ap.load(path, comm)

    def times(_: bytes, path: Path) -> None:
        measured.find(small, "bcast", 64, str(path))

    def network(data: bytes, path: Path, **how: str) -> None:
        found = ap.network.parse(data.decode(errors="replace"), path.name, **how).topology
        if len(found.links) < 10000:
            assert ap.network.Topology.from_toml(found.to_toml()).links == found.links

    def numbers(data: bytes, _: Path) -> None:
        for read in (units.parse_bytes, ap.plan.parse_grid, units.parse_memory, parse_bits):
            with suppress(ap.Error):
                read(text(data))

    small = ap.Machine.parse("torus:3x2")
    specs = ["torus:4x4", "mesh:3x2x5", "torus:3x2m/ppn=2", "bgp:8x8x8", "torus:2x3m", "xe6", "exascale", "laptop"]
    cut = '\n[[link]]\nfrom = [1, 1]\naxis = "x"\ndirection = "+"\ndead = true\n'
    cut += '[calibration]\ndate = "2024-05-06"\nlibrary = "Some MPI"\nranks = 6\n'
    files = [toml.encode() for toml in [ap.Machine.parse(s).to_toml() for s in specs[:4]] + [small.to_toml() + cut]]
    goals = []
    for what, name in (("bcast", "binomial"), ("reduce", "ring"), ("allgather", "bucket")):
        schedule = ap.make_schedule(what, small, algorithm=name, bytes=192, element=8, segment=40, window=2)
        ap.schedule.export_goal(schedule, folder / "sample.goal", machine=small)
        written = (folder / "sample.goal").read_bytes()
        goals += [written, b"\n".join(line for line in written.split(b"\n") if not line.startswith(b"//@"))]
    matrices = [np.arange(6.0).reshape(2, 3), np.ones((3, 1), "c8"), np.zeros(4, ">i4"), np.eye(2, dtype="f2")]
    arrays, factors = [], []
    for a in matrices:
        out = io.BytesIO()
        np.save(out, np.asfortranarray(a) if a.dtype == np.complex64 else a)
        arrays.append(out.getvalue())
    for dtype in ("f8", "c8"):
        ap.lu(np.array([[4, 1, 2], [1, 5, 3], [2, 1, 6]], dtype=dtype), comm=comm).save(folder / "sample.npz")
        factors.append((folder / "sample.npz").read_bytes())
    market = [
        b"%%MatrixMarket matrix coordinate real general\n% some\n3 4 3\n1 1 1.5\n3 4 -2e3\n2 2 7\n",
        b"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 -1\n3 0\n",
        b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
        b"%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n",
    ]
    sizes = [b"2GiB", b"40mbit", b"1024", b"4x4x1", b"12 kB", b"0", b"3x5"]
    foreign = {
        f"network-{format_}": Parser(
            [text_.encode() for name, text_ in network_samples.ALL.items() if network_samples.FORMAT[name] == format_],
            functools.partial(network, format=format_),
        )
        for format_ in sorted(set(network_samples.FORMAT.values()))
    }
    links = [ap.network.as_topology(spec).to_toml().encode() for spec in ("fattree:2x2", "rails:2x2", "ring:3")]
    links.append(b'network = "torus:3x2"\nnodes = [1, "(2,0)"]\n')
    kept = b'{"torus 3x2|[3, 2]/ppn=1": [{"collective": "bcast", "bytes": 64, "seconds": 1e-5}]}'
    kept_here = kept.replace(b"torus 3x2|[3, 2]/ppn=1", measured.key_of(small).encode())
    return {
        "machine-spec": Parser([s.encode() for s in specs], lambda data, _: machine(ap.Machine.parse(text(data)))),
        "machine-file": Parser(files, lambda _, path: machine(ap.Machine.from_file(str(path))), ".toml"),
        "machine-text": Parser(files, lambda data, _: machine(ap.Machine.from_toml(text(data)))),
        "network-toml": Parser(links, functools.partial(network, format="toml")),
        **foreign,
        "goal": Parser(goals, goal, ".goal"),
        "npy": Parser(arrays, matrix, ".npy"),
        "mtx": Parser(market, matrix, ".mtx"),
        "factors": Parser(factors, lambda _, path: ap.linalg.LU.load(path, comm) and None, ".npz", mutate_zip),
        "measured": Parser([kept, kept_here], times, ".json"),
        "sizes": Parser(sizes, numbers),
    }


def make(parser: Parser, name: str, seed: int, number: int) -> bytes:
    return parser.mutate(random.Random(f"{seed} {name} {number}"), parser.samples)


def work(seed: int, todo: list[tuple[str, int, int]], notes: Path) -> None:
    """A child: the inputs [begin, end) of parsers. `notes` gets a line before each, and one for each finding."""
    import allport as ap

    with tempfile.TemporaryDirectory() as name, open(notes, "a", buffering=1) as out:
        folder = Path(name)
        known = parsers(folder)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        for key, begin, end in todo:
            parser = known[key]
            path = folder / f"input{parser.suffix}"
            for number in range(begin, end):
                data = make(parser, key, seed, number)
                path.write_bytes(data)
                out.write(f"at {key} {number}\n")
                signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)  # a child that uses them up dies of SIGPROF
                try:
                    parser.run(data, path)
                except ap.Error as error:
                    assert str(error)
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                    out.write(f"finding {key} {number} {told} ({Path(where.filename).name}:{where.lineno})\n")
                signal.setitimer(signal.ITIMER_PROF, 0)
        out.write("done\n")


def last_input(notes: Path) -> tuple[str, int] | None:
    lines = [line.split() for line in notes.read_text().splitlines() if line.startswith("at ")]
    return (lines[-1][1], int(lines[-1][2])) if lines else None


def watch(child: subprocess.Popen[bytes], notes: Path) -> str:
    """How a child ended; one that finishes no input for long is ended."""
    size = -1
    while True:
        try:
            code = child.wait(SILENT_SECONDS)
            return f"died of {signal.Signals(-code).name}" if code < 0 else f"left with exit code {code}"
        except subprocess.TimeoutExpired:
            if size == (now := notes.stat().st_size):
                child.kill()
                child.wait()
                return f"no input finished in {SILENT_SECONDS} s"
            size = now


def run(names: list[str], inputs: int, seed: int, first: int = 0) -> list[str]:
    """Findings of so many inputs a parser, each a line that says how to make the input again."""
    todo = [(name, first, first + inputs) for name in names]
    findings: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for attempt in itertools.count():
            notes = Path(folder) / f"notes-{attempt}"
            notes.touch()
            command = [sys.executable, *PROGRAM, "--child", repr(todo), "--seed", str(seed), "--notes", str(notes)]
            with open(Path(folder) / "errors", "w+") as errors:
                how = watch(subprocess.Popen(command, stdout=errors, stderr=errors), notes)
                errors.seek(0)
                said = errors.read()[-2000:]
            lines = notes.read_text().splitlines()
            findings += [line.removeprefix("finding ") for line in lines if line.startswith("finding ")]
            if lines and lines[-1] == "done":
                return findings
            at = last_input(notes)
            if at is None:
                return [*findings, f"a child {how} before its first input: {said}"]
            findings.append(f"{at[0]} {at[1]} the child {how}: {said[-300:]!r}")
            place = [t[0] for t in todo].index(at[0])
            todo = [(at[0], at[1] + 1, todo[place][2]), *todo[place + 1 :]]


NAMES = ["machine-spec", "machine-file", "machine-text", "network-toml"]
NAMES += [f"network-{name}" for name in ("ibnetdiscover", "mesh-graph", "nccl", "slurm-conf", "slurm-yaml")]
NAMES += ["goal", "npy", "mtx", "factors", "measured", "sizes"]


def main() -> int:
    asks = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asks.add_argument("--inputs", type=int, default=2000, help="a parser")
    asks.add_argument("--seed", type=int, default=1)
    asks.add_argument("--parser", choices=NAMES, action="append")
    asks.add_argument("--only", type=int, help="the number of one input")
    asks.add_argument("--keep", type=Path, help="writes that input there")
    asks.add_argument("--child", help=argparse.SUPPRESS)
    asks.add_argument("--notes", type=Path, help=argparse.SUPPRESS)
    told = asks.parse_args()
    if told.child:
        import ast

        work(told.seed, ast.literal_eval(told.child), told.notes)
        return 0
    if told.only is not None and told.keep is not None:
        told.keep.mkdir(parents=True, exist_ok=True)
        for name in told.parser or NAMES:
            made = parsers(told.keep)[name]
            (told.keep / f"{name}-{told.only}{made.suffix}").write_bytes(make(made, name, told.seed, told.only))
        return 0
    inputs, first = (told.inputs, 0) if told.only is None else (1, told.only)
    findings = []
    for name in told.parser or NAMES:
        began = time.monotonic()
        found = run([name], inputs, told.seed, first)
        print(*found, f"{name}: {len(found)} findings, {time.monotonic() - began:.0f} s", sep="\n", flush=True)
        findings += found
    print(f"{inputs} inputs a parser, seed {told.seed}: {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
