"""The lab: bringing it up, taking it down, and cutting, restoring and throttling its links."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from types import TracebackType
from typing import TypedDict

from allport.errors import failure
from allport.lab import files, mpiexec, namespaces, state, wires
from allport.lab.plan import Plan, as_network, make_plan
from allport.lab.rates import parse_bits
from allport.lab.routes import cut_off, routes
from allport.lab.shape import Cable, Grid
from allport.machine import Machine
from allport.network import Topology
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
    """An emulated network: network namespaces are nodes and switches, rate-limited veth pairs are links.

    Created by `Lab.up(...)` or found by `Lab.attach(...)`. A context manager takes it down at the end:

        with ap.lab.Lab.up("torus:4x4", rate="40mbit") as lab:
            argv, env = lab.mpiexec_command()
    """

    def __init__(self, plan: Plan, born: str = "") -> None:
        self.plan, self.born = plan, born

    @classmethod
    def up(
        cls,
        network: Machine | Topology | str,
        rate: str | None = None,
        name: str = "lab",
        burst: int | None = None,
        limit: int | None = None,
        tcp: str | None = None,
        forwarding: bool = True,
    ) -> Lab:
        """Brings up a lab of the network's shape: a machine's grid, or a graph of up to 64 nodes and 32 switches.

        rate: '40mbit' for all links of a grid, or 'x=40mbit,y=20mbit'; for the slowest links of a graph, the others in
        proportion. None: the rates of a file, else 40mbit. forwarding: False: nodes do not forward packets of others,
        so that only those reach each other over the links that share a cable or have switches alone between them.
        burst, limit: bytes of each link's token bucket (None: 32 KiB, or 2 ms of a faster link) and of its queue (None:
        128 KiB, or four bursts). tcp: congestion control; None: cubic if namespaces may choose it, else reno, else the
        namespace's default; `lab.plan.links()` says which it is.
        Raises Error on failure, and leaves nothing behind.
        """
        _need_root()
        wires.need_mounts()
        plan = make_plan(name, as_network(network), rate, burst, limit, tcp, forwarding)
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
        """Path of the machine file of a grid's lab: its rates as TCP sees them, and its dead links.

        Raises Error if the network is no grid.
        """
        if not isinstance(self.plan.shape, Grid):
            raise failure(
                f"lab '{self.name}' ({self.plan.spec}): its network is no grid of axes, so it has no machine file; "
                "name a machine, or bring up a torus or a mesh"
            )
        return str(state.folder(self.name) / "machine.toml")

    def mpiexec_command(
        self,
        ranks: int | None = None,
        mpi: str | None = None,
        extra: Sequence[str] = (),
        exports: Sequence[tuple[str, str]] = (),
    ) -> tuple[list[str], dict[str, str]]:
        """(argv, environment) that starts `ranks` ranks in the order of nodes; append the program to argv.

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
            before = routes(now.plan)
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
            bits = now.plan.bits[cable.group]
            if not cable.cut and cable.bits == bits:
                raise failure(f"link = '{link}': is neither cut nor throttled")
            if cable.bits != bits:
                cable.bits = bits
                wires.set_rate(now, cable)
            if cable.cut:
                before = routes(now.plan)
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
    """The cable that '3-4' (two neighbours) or '3+x' (a node and its port; '3:p1' where the network is no grid) names.

    Raises Error.
    """
    found = re.fullmatch(r"\s*(s?\d+)(?:-(s?\d+)|(\W\w+))\s*", short(link))
    vertex = plan.vertex(found[1]) if found else None
    port = plan.shape.parse_port(found[3]) if found and found[3] else None
    if found is None or vertex is None or (found[3] and port is None):
        raise failure(f"link = '{short(link)}': {plan.shape.link_help}")
    ends = plan.ends[vertex]
    if port is not None:
        ports = [port] if port in ends else []
    else:
        ports = [p for p, (_, other) in ends.items() if other == plan.vertex(found[2])]
    ports = [p for p in ports if not ends[p][0].absent]
    here = plan.label(vertex)
    if not ports:
        there = ", ".join(f"{here}-{plan.label(other)} ({plan.port_name(p)})" for p, (_, other) in ends.items())
        what = "node" if vertex < plan.nodes else "switch"
        raise failure(f"link = '{link}': there is none; {what} {here} has {there or 'no links'}")
    if len(ports) > 1:
        texts = " or ".join(plan.port_text(vertex, p) for p in ports)
        raise failure(f"link = '{link}': {len(ports)} cables join these; write {texts}")
    return ends[ports[0]][0]


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
