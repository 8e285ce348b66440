"""An emulated network on one computer: network namespaces are nodes and switches, rate-limited veth pairs are links.

    with ap.lab.Lab.up("torus:4x4", rate="40mbit") as lab:
        argv, env = lab.mpiexec_command()
        subprocess.run([*argv, "./program"], env=env)

Needs Linux, root, iproute2 and util-linux.
"""

from __future__ import annotations

from allport.lab.counters import status
from allport.lab.lab import Lab, take_down
from allport.lab.plan import Plan, format_links, make_plan
from allport.lab.rates import format_bits, parse_bits
from allport.lab.routes import joined_pairs
from allport.lab.shape import Cable
from allport.lab.state import names
from allport.lab.watch import run, run_on

__all__ = [
    "Cable",
    "Lab",
    "Plan",
    "format_bits",
    "format_links",
    "joined_pairs",
    "make_plan",
    "names",
    "parse_bits",
    "run",
    "run_on",
    "status",
    "take_down",
]
