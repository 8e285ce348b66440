"""Song09, slide 4: the graph of Cholesky in 4 x 4 tiles."""

from __future__ import annotations

from collections import Counter

from allport import graph

from studies.figures.drawings import drawn, task_graph
from studies.figures.figure import Figure, Number, Picture, Result, Run, Table, agrees

TILES = 4  # Song09, slide 4
TASKS = 20  # of the graph on Song09, slide 4: 10, 6, 3 and 1 in its four steps
GRID = (2, 2)  # of our runs: where the tasks are, which the talk leaves open
LEGEND = (("#d00000", "the longest path"), ("#0072b2", "from one step k to the next"), ("#555555", "within a step"))


def _make(run: Run) -> Result:
    made = graph.cholesky(100 * TILES, 100, GRID, lower=True)
    checked = graph.check(made)
    picture = drawn(made)
    step: Counter[int] = Counter()
    for name, _, _ in picture.tasks:
        step[int(name.rstrip(")").replace("(", ",").split(",")[-1])] += 1
    counts = [step[k] for k in sorted(step)]
    rows = [[name, said.partition(": ")[2].partition(",")[0], said.partition(" on ")[2].partition(":")[0]]
            for name, said, _ in picture.tasks]  # fmt: skip
    words = ", ".join(map(str, counts))
    return Result(
        panels=[Picture(lambda path: task_graph(picture, path, LEGEND), Table(["task", "kernel", "where"], rows))],
        got=f"{checked.tasks} tasks in steps of {words}; {checked.edges} edges; the longest path has {checked.longest} "
        f"tasks, 3 x {TILES} - 2. Dashed edges lead to another rank of a {GRID[0]} x {GRID[1]} grid.",
        obtained="Exact: the graph that cholesky() runs, visited by its own functions of parents and children, checked "
        "from end to end, and drawn as `allport graph show cholesky -o` draws it.",
        why="They do not; the talk draws no ranks. P factors a tile, T solves with it, G updates.",
        numbers=[
            Number(
                f"tasks of Cholesky in {TILES} x {TILES} tiles",
                f"{TASKS}: 10 + 6 + 3 + 1",
                f"{checked.tasks}: {' + '.join(map(str, counts))}",
                how="counted",
                holds=agrees(checked.tasks == TASKS == len(picture.tasks), counts == [10, 6, 3, 1]),
            )
        ],
    )


FIGURE = Figure(
    id="song09-slide4",
    title="The graph of Cholesky in 4 x 4 tiles",
    claim="A symbolic graph: a task is named by its kind and indices, and parents and children follow from the name.",
    how=("exact",),
    make=_make,
)
