"""Pages of results: complete, well-formed HTML with the right numbers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import allport as ap
import numpy as np
import pytest
from page_reader import PageReader

MACHINE = "bgp:4x4"


def read(thing: Any) -> PageReader:
    """The page of something, which must be a good page, and so must what a notebook shows of it."""
    found = PageReader(ap.report.pages.of(thing).html())
    assert found.wrong == []
    cell = PageReader(ap.report.pages.html(thing))
    assert cell.wrong == [] and all(name.startswith("tip-") for name in cell.ids), "cells have one namespace"
    return found


def bcast(algorithm: str, machine: str = MACHINE, size: int = 1 << 17, **how: Any) -> ap.sim.Simulation:
    schedule = ap.make_schedule("bcast", machine, algorithm=algorithm, bytes=size, **how)
    return ap.simulate(schedule, machine, trace=True)


class Chain(ap.TaskGraph):
    """Tasks that wait for each other, round the ranks."""

    def entries(self, rank: int) -> list[ap.graph.Task]:
        return [ap.graph.Task(0, 0)] if rank == 0 else []

    def owner(self, task: ap.graph.Task) -> int:
        return task.i % self.ranks

    def num_parents(self, task: ap.graph.Task) -> int:
        return int(task.i > 0)

    def children(self, task: ap.graph.Task) -> list[ap.graph.Edge]:
        return [ap.graph.Edge(ap.graph.Task(0, task.i + 1))] if task.i < 7 else []

    def count(self, rank: int) -> int:
        return len(range(rank, 8, self.ranks))


def things() -> dict[str, Any]:
    machine = ap.Machine.parse(MACHINE)
    graph = ap.graph.cholesky(1024, 128, "4x4")
    return {
        "machine": machine,
        "plan_gemm": ap.plan.gemm(1000, 900, 800, machine),
        "plan_gemm_cannon": ap.plan.gemm(1000, 1000, 1000, machine, options=ap.Options(algorithm="cannon")),
        "plan_lu": ap.plan.lu(1500, 1000, machine),
        "plan_cholesky": ap.plan.cholesky(1500, machine),
        "plan_qr": ap.plan.qr(2000, 400, machine),
        "schedule": ap.make_schedule("allgather", machine, bytes=4096),
        "simulation": bcast("rectangular"),
        "reduction": ap.simulate(ap.make_schedule("reduce", machine, bytes=1 << 16, element=8), machine, trace=True),
        "choice": ap.explain("allreduce", machine, bytes=1 << 20, element=8),
        "order": ap.mapping.choose("torus:4x4", ap.pattern.halo([8, 2], local=64)),
        "pattern": ap.pattern.alltoall([4, 4], [0], 4096),
        "graph": graph,
        "own_graph": Chain(4),
        "tasks": ap.graph.simulate(graph, machine, model=ap.graph.Model(workers=2), trace=True),
        "timeline": ap.graph.simulate(graph, machine, trace=True).timeline,
        "proof": ap.verify.prove(ap.make_schedule("bcast", machine, bytes=4096), machine),
    }


THINGS = things()


@pytest.mark.parametrize("name", THINGS)
def test_every_object_has_a_page_and_shows_itself(name: str) -> None:
    found = read(THINGS[name])
    assert len(found.headings) > 1 and found.facts
    assert THINGS[name]._repr_html_() == ap.report.pages.html(THINGS[name])


@pytest.mark.parametrize("name", ["plan_gemm", "plan_lu", "plan_cholesky", "plan_qr"])
def test_a_plan_has_its_candidates_and_its_graph_over_time(name: str) -> None:
    plan = THINGS[name]
    found = read(plan)
    chosen = plan.to_dict()["chosen"]
    assert found.facts["predicted time"] == ap.units.format_seconds(chosen["seconds"]["total"])
    for title in ("Candidates by predicted time", "Over time", "Links", "Predicted against simulated"):
        assert title in found.headings
    assert "critical path" in found.words and "x".join(str(g) for g in chosen["grid"]) in found.words
    assert found.drawings >= 2


def test_where_a_graph_is_not_simulated_the_page_says_why() -> None:
    assert "Over time" in read(THINGS["plan_gemm_cannon"]).headings
    large = ap.plan.cholesky(20_000, MACHINE, options=ap.Options(nb=128))
    assert "Not simulated for this page: 657,359 tasks; at most 60,000 are" in read(large).words


def test_link_loads_are_those_of_the_simulation() -> None:
    run = bcast("rectangular")
    text = ap.report.pages.of(run).html()
    told = {}
    for name, share in re.findall(r"<title>(\([\d,]+\)[+-]\w -> [^:]*): ([\d.]+) %</title>", text):
        told[name.replace("&gt;", ">")] = float(share)
    told |= {
        n.replace("&gt;", ">"): float(s)
        for n, s in re.findall(r"<title>(\([\d,]+\)[+-]\w -&gt; [^:]*): ([\d.]+) %</title>", text)
    }
    machine, busy = run.machine, run.utilisation
    wanted = {machine.link_name(link): 100 * busy[link] for link in range(machine.links) if busy[link] > 0}
    assert told.keys() == wanted.keys() and len(wanted) == int((run.link_bytes > 0).sum())
    assert [told[k] for k in wanted] == pytest.approx(list(wanted.values()), abs=0.051)


def test_orders_of_ranks_are_drawn_on_one_scale() -> None:
    chosen = ap.mapping.choose("torus:4x4", ap.pattern.halo([8, 2], local=64))
    assert chosen.order != "given"
    loads = {o: ap.pattern.link_bytes("torus:4x4", chosen.pattern, places) for o, places in
             ((chosen.order, chosen.places), ("given", chosen.given["places"]))}  # fmt: skip
    assert max(loads[chosen.order]) != max(loads["given"])
    text = ap.report.pages.of(chosen).html()
    assert text.count(f"</i>{ap.units.format_bytes(max(loads['given']))}</span>") == 2


def test_bars_of_a_gantt_chart_cover_the_time_of_the_tasks() -> None:
    run = ap.graph.simulate(ap.graph.cholesky(512, 128, "2x2"), "bgp:2x2", trace=True)
    text = ap.report.pages.of(run).html()
    chart = next(s for s in re.findall(r"<svg.*?</svg>", text, re.S) if "simulated" in s)
    ink = {"potrf": "#d55e00", "trsm": "#e69f00", "syrk": "#009e73", "gemm": "#56b4e9"}
    c = run.timeline.columns
    seconds = float(np.max(c["end"]))
    for kernel, colour in ink.items():
        drawn = sum(
            float(w)
            for d in re.findall(rf'<path d="([^"]*)" fill="{colour}"/>', chart)
            for w in re.findall(r"h([\d.]+)V", d)
        )
        here = (c["to"] < 0) & (np.asarray(c["kernel"]) == kernel)
        spent = float((c["end"] - c["begin"])[here].sum())
        assert drawn / (900 - 56 - 8) == pytest.approx(spent / seconds, rel=0.02, abs=0.004), kernel


def test_another_algorithm_is_told_only_where_it_is_quicker(allport) -> None:
    slow = bcast("binomial")
    found = read(slow)
    assert len(found.advice) >= 1 and "rectangular" in found.advice[0]
    seconds = re.search(r"simulated: ([\d.]+ \w+),", found.advice[0])[1]
    again = allport(*shlex.split(found.commands[0])[1:], "--json")
    assert again.returncode == 0, again.stderr
    assert ap.units.format_seconds(json.loads(again.stdout)["seconds"]) == seconds
    best = ap.make_schedule("bcast", MACHINE, bytes=1 << 17)
    assert read(ap.simulate(best, MACHINE, trace=True)).advice == []


def test_an_open_choice_is_told_where_a_fixed_one_is_predicted_to_take_longer() -> None:
    fixed, free = (
        ap.plan.gemm(512, 512, 4096, MACHINE, options=ap.Options(grid="16x1")),
        ap.plan.gemm(512, 512, 4096, MACHINE),
    )
    assert fixed.predicted > 1.05 * free.predicted
    told = ap.report.pages.of_plan(fixed, free).advice
    assert "Leave the choice open" in told[0].what and ap.units.format_seconds(free.predicted) in told[0].why
    assert not any("open" in a.what for a in ap.report.pages.of_plan(free, free).advice)


def test_a_candidate_that_is_simulated_to_be_quicker_is_told() -> None:
    plan = ap.plan.cholesky(3000, MACHINE)
    simulated = ap.sim.simulate_candidates(ap.plan.cholesky, 3000, MACHINE, most=4)
    chosen = next(one for one in simulated if one.candidate["grid"] == plan.to_dict()["chosen"]["grid"])
    page = ap.report.pages.of_plan(plan, simulated=simulated)
    assert PageReader(page.html()).wrong == [] and "Candidates, simulated" in PageReader(page.html()).headings
    told = [a for a in page.advice if a.command.startswith("--grid")]
    assert len(told) == (simulated[0].seconds * 1.05 < chosen.seconds)
    assert all(ap.units.format_seconds(simulated[0].seconds) in a.why for a in told)


def test_tiles_and_trees_are_tried() -> None:
    run = ap.graph.simulate(ap.graph.cholesky(2048, 256, "4x4"), MACHINE, trace=True)
    others = [("Tiles of 128", "again", lambda: ap.graph.cholesky(2048, 128, "4x4"))]
    told = ap.report.pages.of_graph_simulation(run, "cholesky", 1.0, "allport simulate cholesky", others).advice
    smaller = ap.graph.simulate(ap.graph.cholesky(2048, 128, "4x4"), MACHINE).seconds
    assert 1.05 * smaller < run.seconds and told[0].what == "Tiles of 128"
    assert ap.units.format_seconds(smaller) in told[0].why


@pytest.mark.parametrize(
    "machine", ["mesh:1", "torus:2", "torus:1x3/ppn=2", "torus:2x2x2x2", "torus:3x3x3", "mesh:40x40", "bgp:16x16x16"]
)
def test_machines_of_any_shape(machine: str) -> None:
    where = ap.Machine.parse(machine)
    found = read(where)
    assert found.facts["nodes"] == f"{where.nodes:,}"
    for size in (0, 1, 1000):
        run = ap.simulate(ap.make_schedule("bcast", where, bytes=size), where, trace=True)
        assert read(run).facts["time"] == ap.units.format_seconds(run.seconds)


@pytest.mark.parametrize(
    "graph",
    [ap.graph.cholesky(0, 4), ap.graph.cholesky(1, 4), ap.graph.cholesky(7, 3, "2x1"), ap.graph.qr(5, 3, 2, "1x2")],
)
def test_graphs_of_any_size(graph: Any) -> None:
    read(graph)
    read(ap.graph.simulate(graph, f"bgp:{max(graph.ranks, 1)}", trace=True))
    read(ap.graph.simulate(graph, f"bgp:{max(graph.ranks, 1)}"))


def test_plans_of_empty_and_tiny_matrices() -> None:
    for plan in (ap.plan.gemm(0, 5, 3, MACHINE), ap.plan.lu(1, 1, MACHINE), ap.plan.cholesky(0, MACHINE)):
        read(plan)


def test_dead_links_are_left_out_and_told() -> None:
    dead = '\n[[link]]\nfrom = [0, 0]\naxis = "x"\ndirection = "+"\ndead = true\n'
    machine = ap.Machine.from_toml(ap.Machine.parse("torus:4x4").to_toml() + dead)
    assert len(machine.dead_links) == 2
    read(machine)
    run = ap.simulate(ap.make_schedule("bcast", machine, bytes=1 << 16), machine, trace=True)
    found = read(run)
    assert "2 dead links are left out" in found.words
    text = ap.report.pages.of(run).html()
    assert not any(machine.link_name(link).replace(">", "&gt;") + ":" in text for link in machine.dead_links)


def test_text_from_outside_is_text() -> None:
    machine = ap.Machine.from_toml(ap.Machine.parse("torus:2x2").to_toml().replace("torus:2x2", "<b onclick=x>&amp;'"))
    assert machine.name.startswith("<b")
    found = read(machine)
    assert "<b onclick=x>&amp;'" in found.headings[0]


def test_what_has_no_page_is_refused() -> None:
    for thing in (3, [1], object()):
        with pytest.raises(ap.Error, match=f"thing: a {type(thing).__name__} has no page"):
            ap.report.pages.of(thing)
    with pytest.raises(ap.Error, match="expected the JSON of ALLPORT_REPORT"):
        ap.report.pages.of({"a": 1})


def test_a_page_that_cannot_be_written_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ap.Error, match="report '"):
        ap.report.pages.write(THINGS["machine"], tmp_path / "no" / "p.html")
    ap.report.pages.write(THINGS["machine"], tmp_path / "p.html")
    assert [p.name for p in tmp_path.iterdir()] == ["p.html"]
    assert ap.report.pages.of(THINGS["machine"]).html() == (tmp_path / "p.html").read_text(), "the same page again"
