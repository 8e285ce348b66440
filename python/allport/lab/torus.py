"""The lab: bringing it up, taking it down, and cutting, restoring and throttling its links."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from types import TracebackType
from typing import TypedDict

from allport.errors import failure
from allport.lab import files, mpiexec, namespaces, state, wires
from allport.lab.plan import Cable, Plan, cut_off, make_plan, parse_bits
from allport.machine import Machine, as_machine
from allport.run.launch import ended_by_signals, start_time
from allport.units import short

__all__ = ["Lab"]


def _need_root() -> None:
    if os.geteuid() != 0:
        raise failure("lab: only root can make network namespaces; run it as root, or with sudo", "io")
    wires.need_tools()


class TakenDown(TypedDict):
    """Result of taking a lab down."""

    name: str
    spec: str  #: as passed to `Lab.up`
    ended_processes: int
    left_alone: list[str]  #: network namespaces of these names that belong to others by now


class Lab:
    """An emulated torus: network namespaces are nodes, rate-limited veth pairs are links.

    Created by `Lab.up(...)` or found by `Lab.attach(...)`. A context manager takes it down at the end:

        with ap.lab.Lab.up("torus:4x4", rate="40mbit") as lab:
            argv, env = lab.mpiexec_command()
    """

    def __init__(self, plan: Plan, born: str = "") -> None:
        self.plan, self.born = plan, born

    @classmethod
    def up(
        cls,
        machine: Machine | str,
        rate: str | None = None,
        name: str = "lab",
        burst: int | None = None,
        limit: int | None = None,
        tcp: str | None = None,
    ) -> Lab:
        """Brings up a lab of the machine's shape.

        rate: '40mbit' for all links or 'x=40mbit,y=20mbit'; None: the rates of a machine file, else 40mbit.
        burst, limit: bytes of each link's token bucket (None: 32 KiB, or 2 ms of a faster link) and of its queue (None:
        128 KiB, or four bursts). tcp: congestion control; None: cubic if namespaces may choose it, else reno, else the
        namespace's default; `lab.plan.links()` says which it is.
        Raises Error on failure, and leaves nothing behind.
        """
        _need_root()
        wires.need_mounts()
        plan = make_plan(name, as_machine(machine), rate, burst, limit, tcp)
        with state.locked(name), ended_by_signals():
            _clear_place(name)
            made = state.State(plan, "starting", os.getpid(), start_time(os.getpid()))
            _refuse_strangers(plan)
            made.path.mkdir(mode=0o755)
            try:
                made.save()
                namespaces.prepare()
                namespaces.make(made)
                wires.lay(made)
                files.write_all(made)
                made.phase = "up"
                made.save()
            except BaseException:
                _destroy(made)
                raise
        return cls(plan, made.born)

    @classmethod
    def attach(cls, name: str = "lab") -> Lab:
        """A lab that is up. Raises Error if there is none, or only remains of a crash."""
        found = state.load(name)
        if found.phase != "up":
            doing = "is being made or taken down" if not found.abandoned else "was left half made"
            raise failure(f"lab '{name}' {doing} (by process {found.maker}): allport lab down clears it", "io")
        return cls(found.plan, found.born)

    def down(self) -> TakenDown:
        """Takes the lab down and ends all processes inside.

        Raises Error if it is already down. Another lab that has its name by now is not touched.
        """
        return _take_down(self.plan.name, self.born)

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Takes the lab down, if it is still up."""
        with state.locked(self.name):
            there = self.name in state.names() and state.load(self.name).born == self.born
        if there:
            self.down()

    @property
    def name(self) -> str:
        """Its name."""
        return self.plan.name

    @property
    def ranks(self) -> int:
        """Number of places for ranks: nodes x ranks per node."""
        return self.plan.ranks

    @property
    def machine_file(self) -> str:
        """Path of the lab's machine file: its rates as TCP sees them, and its dead links."""
        return str(state.folder(self.name) / "machine.toml")

    def mpiexec_command(
        self,
        ranks: int | None = None,
        mpi: str | None = None,
        extra: Sequence[str] = (),
        exports: Sequence[tuple[str, str]] = (),
    ) -> tuple[list[str], dict[str, str]]:
        """(argv, environment) that starts `ranks` ranks in rank order, x-fastest; append the program to argv.

        mpi: 'openmpi', 'mpich' or None, the one that Allport was built for. extra: more arguments for mpiexec. exports:
        environment variables of the ranks only (LD_PRELOAD is always one of them).
        """
        return mpiexec.command(self.plan, ranks, mpi, extra, exports)

    def node_command(self, node: int) -> list[str]:
        """argv that runs a command inside a node; append the command."""
        if not 0 <= node < self.plan.nodes:
            raise failure(f"node = {node}: lab '{self.name}' has nodes 0 to {self.plan.nodes - 1}")
        return [str(state.folder(self.name) / "enter"), str(node)]

    def cut(self, link: str, reroute: bool = False) -> Cable:
        """Sets both ends of a cable down and withdraws its routes; reroute: installs routes that avoid it."""
        with self._changed() as now:
            cable = find_cable(now.plan, link)
            if cable.cut and cable.rerouted == reroute:
                raise failure(f"link = '{link}': is cut already; allport lab restore {link}")
            before = wires.routes(now.plan)
            cable.cut, cable.rerouted = True, reroute
            if reroute and cut_off(now.plan):
                lost = ", ".join(map(str, cut_off(now.plan)[:8]))
                raise failure(f"link = '{link}': no route around it: node {lost} would be cut off; nothing was changed")
            now.save()  # first, so that a watching run knows the reason
            if reroute:  # new routes first: neighbours must stay reachable
                wires.set_routes(now, before, ())
                wires.set_links(now, cable, "down")
            else:
                wires.set_links(now, cable, "down")
                wires.set_routes(now, before, {cable.low, cable.high})
        return cable

    def restore(self, link: str) -> Cable:
        """Restores a cut cable, or the rate of a throttled one."""
        with self._changed() as now:
            cable = find_cable(now.plan, link)
            bits = now.plan.bits[cable.axis]
            if not cable.cut and cable.bits == bits:
                raise failure(f"link = '{link}': is neither cut nor throttled")
            if cable.bits != bits:
                cable.bits = bits
                wires.set_rate(now, cable)
            if cable.cut:
                before = wires.routes(now.plan)
                cable.cut = cable.rerouted = False
                wires.set_links(now, cable, "up")
                wires.set_routes(now, before, {cable.low, cable.high})
        return cable

    def throttle(self, link: str, rate: str) -> Cable:
        """Sets another rate for both directions of a cable."""
        bits = parse_bits(rate)
        with self._changed() as now:
            cable = find_cable(now.plan, link)
            cable.bits = bits
            wires.set_rate(now, cable)
        return cable

    def _changed(self) -> _Change:
        return _Change(self)


class _Change:
    """A change of a lab's links: it locks the lab, reads its current state, and records the new one."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.lock = lab, state.locked(lab.name)

    def __enter__(self) -> state.State:
        _need_root()
        self.lock.__enter__()
        try:
            ensure_same(Lab.attach(self.lab.name), self.lab.born)
            self.now = state.load(self.lab.name)
        except BaseException:
            self.lock.__exit__(None, None, None)
            raise
        self.now.changes += 1
        return self.now

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.now.save()
                files.write_machine(self.now)
                self.lab.plan = self.now.plan
        finally:
            self.lock.__exit__(None, None, None)


def find_cable(plan: Plan, link: str) -> Cable:
    """The cable that '3-4' (two neighbours) or '3+x' (a node and its port) names. Raises Error."""
    letters = "".join(plan.port_name(axis, 1)[0] for axis in range(len(plan.lengths)))
    found = re.fullmatch(rf"\s*(\d+)(?:-(\d+)|([+-])([{letters}]))\s*", short(link))
    if found is None or int(found.group(1)) >= plan.nodes:
        raise failure(
            f"link = '{short(link)}': expected two neighbours such as 3-4 or a node and a port such as 3+x; "
            f"nodes are 0 to {plan.nodes - 1}, axes {', '.join(letters)}"
        )
    node = int(found.group(1))
    ends = plan.ends[node]
    if found.group(4):
        axis, sign = letters.index(found.group(4)), 1 if found.group(3) == "+" else -1
        cables = [ends[axis, sign][0]] if (axis, sign) in ends else []
    else:
        cables = [cable for cable, other in ends.values() if other == int(found.group(2))]
    cables = [c for c in cables if not c.absent]
    if not cables:
        there = ", ".join(f"{node}-{other} ({plan.port_name(*port)})" for port, (_, other) in ends.items())
        raise failure(f"link = '{link}': there is none; node {node} has {there or 'no links'}")
    if len(cables) > 1:
        raise failure(
            f"link = '{link}': two cables join these nodes; write {node}+AXIS or {node}-AXIS, such as {node}+x"
        )
    return cables[0]


def _refuse_strangers(plan: Plan) -> None:
    for place in plan.places():
        path = state.NETNS / plan.namespace(place)
        if path.exists():
            raise failure(
                f"name = '{plan.name}': network namespace {path.name} is there and not from a lab; it is left alone. "
                f"Choose another --name, or remove it: ip netns delete {path.name}",
                "io",
            )


def _clear_place(name: str) -> None:
    """Removes the remains of a crashed `up` or `down` of this name. Raises Error if a lab of this name is up."""
    if name not in state.names():
        if state.folder(name).is_dir() and not any(state.folder(name).iterdir()):
            state.folder(name).rmdir()  # it died between two steps
        return
    old = state.load(name)
    if not old.abandoned:
        raise failure(
            f"lab '{name}' is up ({old.plan.spec}): allport lab down --name {name}, or choose another --name", "io"
        )
    _destroy(old)


def _destroy(old: state.State) -> TakenDown:
    old.phase, old.maker, old.maker_start = "going", os.getpid(), start_time(os.getpid())
    old.save()
    ended = namespaces.end_processes(old)
    foreign = namespaces.remove(old)
    state.forget(old)
    return {"name": old.plan.name, "spec": old.plan.spec, "ended_processes": ended, "left_alone": foreign}


def ensure_same(found: Lab | state.State, born: str) -> None:
    """Raises Error if a lab is not the one that was recorded as `born`."""
    if found.born != born:
        raise failure(
            f"lab '{found.plan.name}' was taken down, and what has its name now is another; it is left alone", "io"
        )


def _take_down(name: str, born: str | None) -> TakenDown:
    _need_root()
    with state.locked(name):
        found = state.load(name)
        if born is not None:
            ensure_same(found, born)
        return _destroy(found)


def take_down(name: str = "lab") -> TakenDown:
    """Takes a lab down, or removes the remains of a crash. Returns what was done.

    Raises Error if there is no lab of that name.
    """
    return _take_down(name, None)
