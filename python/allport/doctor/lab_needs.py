"""Checks whether `allport lab up` works here, in a temporary network namespace."""

from __future__ import annotations

import os
import shutil
import subprocess

from allport.doctor.finding import Finding
from allport.errors import Error
from allport.lab import tcp, wires

__all__ = ["examine"]

_TRIAL = "ip link add name a type veth peer name b && tc qdisc add dev a root tbf rate 40mbit burst 32kb limit 128kb"


def examine() -> list[Finding]:
    """Examines rights, tools, the kernel's devices, and TCP."""
    try:
        wires.need_tools()
    except Error as error:
        return [Finding("lab", "note", str(error), "apt-get install iproute2 util-linux")]
    if os.geteuid() != 0:
        return [Finding("lab", "note", "needs root: network namespaces are root's", "sudo allport lab up torus:4x4")]
    try:
        wires.need_mounts()
    except Error as error:
        finding, _, remedy = str(error).removeprefix("lab: ").rpartition("; in a chroot ")
        return [Finding("lab", "note", finding, f"in a chroot {remedy}")]
    shell = shutil.which("sh") or "/bin/sh"
    done = subprocess.run(["unshare", "--net", shell, "-c", _TRIAL], capture_output=True, text=True)
    if done.returncode != 0:
        reason = " ".join(done.stderr.split())
        remedy = "modprobe veth sch_tbf; in a container: --cap-add=NET_ADMIN --cap-add=SYS_ADMIN, or --privileged"
        return [Finding("lab", "note", f"no namespace with a rate-limited link can be made: {reason}", remedy)]
    names = [name for name in tcp.PREFERRED if name in tcp.allowed()]
    if names:
        return [Finding("lab", "good", f"namespaces, veth, tbf; TCP's {names[0]}")]
    return [
        Finding(
            "lab",
            "note",
            "a namespace may choose neither of TCP's " + ", ".join(tcp.PREFERRED) + ": the kernel's own counts",
            "sysctl net.ipv4.tcp_allowed_congestion_control=" + '"cubic reno"',
        )
    ]
