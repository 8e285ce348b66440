"""The cluster of deck 5: 64 nodes with two processors each behind a switch."""

from __future__ import annotations

from allport.machine import Machine

__all__ = ["DGEMM", "PEAK", "grig"]

PEAK = 6.4e9  # flop/s of a processor (deck 5 slide 15)
DGEMM = 5.57e9  # what dgemm reaches, 87 % of it

# A node's one link is its injection; the switch behind it is never the narrow place, which links of four times as much
# stand for. Myrinet's rate, latency and overhead are typical of MX 1.0; slide 15 has the rest.
TEXT = """
name = "grig"
ranks_per_node = {processors}
flops = {flops}
overhead = "0.6 us"
injection = "248 MB/s"
memory_bandwidth = "3.2 GB/s"
axes = [
  {{ length = {x}, wraps = true, bandwidth = "992 MB/s", latency = "1.2 us" }},
  {{ length = {y}, wraps = true, bandwidth = "992 MB/s", latency = "1.2 us" }},
]
"""


def grig(processors: int) -> Machine:
    """So many processors of it, both of a node where there are two. A power of two up to 128."""
    each = min(processors, 2)
    nodes = processors // each
    x = 1
    while x * x < nodes:
        x *= 2
    return Machine.from_toml(TEXT.format(processors=each, flops=each * DGEMM, x=x, y=nodes // x))
