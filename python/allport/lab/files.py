"""The files of a lab that programs read: the script that enters a node, host files, and the machine file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from allport.lab.plan import Plan, format_links
from allport.lab.shape import Grid
from allport.lab.state import NETNS, State
from allport.machine import axis_letter
from allport.run.launch import cores

__all__ = ["TCP_SHARE", "machine_toml", "write_all", "write_machine"]

# TCP's share of a link's rate: 1448 bytes of data in a packet of 1514.
TCP_SHARE = 0.956
# Typical seconds for small messages between neighbours in the lab, on a few busy cores; calibrate for better values.
LATENCY = 60e-6
# Seconds of CPU time per message end if each node has a core; more if nodes share cores.
OVERHEAD = 20e-6
# Flop/s of dgemm on one core; nodes that share a core share its rate.
FLOPS = 60e9

ENTER = """\
#!/bin/sh
# Runs a command inside a node: enter NODE COMMAND [ARG ...]. Made by allport lab up.
lab={folder}
node=$1
shift
exec nsenter --net={netns}/allport-{name}-"$node" --uts="$lab/uts/$node" \\
  unshare --mount --propagation slave /bin/sh -c '
    mount --bind "$0/hosts" /etc/hosts
    mount -t sysfs sysfs /sys # shows the interfaces of the namespace that mounts it
    if [ -r "$0/env/$1" ]; then . "$0/env/$1"; fi
    shift
    exec "$@"' "$lab" "$node" "$@"
"""

# Called like ssh: options, host, and a command line for the host's shell.
AGENT = """\
#!/bin/sh
# The remote shell of mpiexec: agent [OPTION ...] HOST COMMAND LINE. Made by allport lab up.
while :; do
  case $1 in -*) shift ;; *) break ;; esac
done
host=$1
shift
exec {folder}/enter "${{host#{name}-}}" /bin/sh -c "$*"
"""


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _environment(plan: Plan, node: int) -> str:
    """Variables of a node's ranks. ALLPORT_LINKS: `INTERFACE NEIGHBOUR'S-ADDRESS LINK'S NAME`, separated by ;"""
    links = ";".join(
        f"{plan.port_name(port)} {plan.address(other, plan.rail(node, port))} {plan.link_name(node, port)}"
        for port, other in plan.ports(node)
    )
    values = {"ALLPORT_NODE": plan.title(node), "ALLPORT_LINKS": links}
    return "".join(f"export {key}={shlex.quote(value)}\n" for key, value in values.items())


def write_all(state: State) -> None:
    """Writes all files of a lab."""
    plan, folder = state.plan, state.path
    names = {"folder": folder, "name": plan.name, "netns": NETNS}
    _script(folder / "enter", ENTER.format(**names))
    _script(folder / "agent", AGENT.format(**names))
    lines = ["127.0.0.1 localhost", f"{plan.control('front')} {plan.host('front')}"]
    lines += [f"{plan.address(vertex)} {plan.host(vertex)}" for vertex in range(plan.vertices)]
    (folder / "hosts").write_text("\n".join(lines) + "\n")
    hosts = [plan.host(node) for node in range(plan.nodes)]
    (folder / "hosts.openmpi").write_text("".join(f"{h} slots={plan.ranks_per_node}\n" for h in hosts))
    (folder / "hosts.mpich").write_text("".join(f"{h}:{plan.ranks_per_node}\n" for h in hosts))
    (folder / "env").mkdir(exist_ok=True)
    for node in range(plan.nodes):
        (folder / "env" / str(node)).write_text(_environment(plan, node))
    write_machine(state)


def _fits(plan: Plan) -> dict[str, float]:
    fits: dict[str, float] = {"burst": min(plan.burst_of(bits) for bits in plan.bits)}
    return fits | ({"cores": cores()} if plan.ranks > cores() else {})


def machine_toml(plan: Plan, fits: Mapping[str, float] | None = None) -> str:
    """The lab of a grid as a machine file: rates as TCP sees them, cut cables as dead links, throttled ones with their
    rate.

    fits: entries of its calibration, which has no date because nothing was measured. Default: the bytes that a burst
    passes at once, and the number of cores that its ranks share.
    """
    grid, sharing = plan.shape, max(1.0, plan.ranks / cores())
    assert isinstance(grid, Grid)
    lines = [
        f"# allport lab '{plan.name}': link rates x {TCP_SHARE}, which TCP leaves; latency and overhead are typical,",
        "# calibrate for your own (allport machine calibrate).",
        f"# {format_links(plan.links())}.",
        f'name = "lab {plan.spec}"',
        f"ranks_per_node = {plan.ranks_per_node}",
        f"overhead = {OVERHEAD * sharing:g}",
        f"flops = {plan.ranks_per_node * FLOPS / sharing:g}",
        "adds = 500e6",
        "memory_bandwidth = 5e9",
        "axes = [",
    ]
    for length, wraps, bits in zip(grid.lengths, grid.wraps, plan.bits):
        rate = bits / 8 * TCP_SHARE
        lines.append(
            f"  {{ length = {length}, wraps = {str(wraps).lower()}, bandwidth = {rate!r}, latency = {LATENCY:g} }},"
        )
    lines.append("]")
    for c in plan.cables:
        if not c.works or c.bits != plan.bits[c.group]:
            lines += ["", "[[link]]", f"from = {grid.coordinates(c.low)}", f'axis = "{axis_letter(c.group)}"']
            lines += ['direction = "+"', f"bandwidth = {c.bits / 8 * TCP_SHARE!r}" if c.works else "dead = true"]
    fits = _fits(plan) if fits is None else fits
    if fits:
        said = ", ".join(f'{{ what = "{what}", value = {value:g}, error = 0 }}' for what, value in fits.items())
        lines += ["", "[calibration]", f"fit = [{said}] # by how the lab is made"]
    return "\n".join(lines) + "\n"


def write_machine(state: State) -> None:
    """Writes the machine file of a grid, whole or not at all."""
    if not isinstance(state.plan.shape, Grid):
        return
    fresh = state.path / "machine.new"
    fresh.write_text(machine_toml(state.plan))
    fresh.replace(state.path / "machine.toml")
