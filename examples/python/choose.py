"""What would be chosen on machines that are not at hand. Run it as: python choose.py"""

import allport as ap

for size in ("1KiB", "64KiB", "4MiB"):
    choice = ap.explain("bcast", "bgp:8x8x8", bytes=size)
    print(f"broadcast of {size}: {choice.algorithm}, {ap.units.format_seconds(choice.predicted)}")

for spec in ("torus:2x2", "torus:4x3", "torus:4x4"):
    plan = ap.plan.gemm(8000, 8000, 8000, spec, options=ap.Options(candidates=3))
    memory = ap.units.format_bytes(plan.memory)
    print(f"multiply on {spec}: {plan.algorithm} on {plan.grid}, {plan.predicted:.3g} s, {memory} per rank")
