"""Proves the rectangular broadcast of a torus and draws its trees (Solomonik11, slide 5). Run it as: python trees.py"""

import allport as ap

machine = ap.Machine.parse("torus:4x4")
schedule = ap.make_schedule("bcast", machine, algorithm="rectangular", root=0, bytes="1MiB")

report = ap.verify.prove(schedule, machine, disjoint=True)
assert report.ok and report.links["used"] == 60
print(report)

ap.report.draw.trees(schedule, machine, "trees.svg")
print("drawn: trees.svg")
