"""docs/reference/interfaces.md: what is where in C++, C, Fortran and Python, each name looked up in the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import make_fortran
from interface_table import TABLE

ROOT = Path(__file__).resolve().parent.parent
NONE = "–"

# What it is; C++ header and name; C (? stands for s, d, c, z); Python. Fortran has what C has.
OTHERS = [
    ("a communicator that knows its machine", "comm/communicator", "Communicator", "comm_create", "Communicator"),
    ("rank and size", "comm/communicator", "Communicator::rank", "comm_rank", "Communicator.Get_rank"),
    ("parts of a communicator", "comm/communicator", "Communicator::sub", "comm_part", "Communicator.sub"),
    ("the end of one", "comm/communicator", "Communicator", "comm_free", "Communicator.Free"),
    ("a machine, by spec or file", "machine/machine", "Machine::parse", "machine_create machine_from_toml", "Machine"),
    ("a communicator's machine", "comm/communicator", "Communicator::machine", "comm_machine", "Communicator.machine"),
    ("where its ranks are", "mapping/mapping", "Mapping::from_list", "machine_placed", "Communicator.mapping"),
    ("what a machine has", "machine/machine", "Machine::axis",
     "machine_name machine_size machine_extents machine_link machine_hops", "Machine"),
    ("a machine as text", "machine/machine", "Machine::to_toml", "machine_json machine_toml", "Machine"),
    ("a machine's end", "machine/machine", "Machine", "machine_free", "Machine"),
    ("built-in machines", "machine/machine", "preset_names", "machine_preset", "machine.preset_names"),
    ("a reduction's operator of the program's own", "schedule/interpreter", "Combine", "op_create", ""),
    ("a sum, by its older name", "comm/communicator", "Communicator::reduce", "reduce_sum", "Communicator.Reduce"),
    ("what is in flight: wait", "comm/transfer", "Transfer::wait", "wait", "Transfer.Wait"),
    ("what is in flight: test", "comm/transfer", "Transfer::test", "test", "Transfer.Test"),
    ("what was prepared: start", "comm/transfer", "Persistent::start", "start", "Persistent.Start"),
    ("what was prepared: its end", "comm/transfer", "Persistent", "persistent_free", "Persistent.Free"),
    ("registered algorithms", "collectives/registry", "algorithms", "algorithm_name algorithm_summary",
     "collectives.algorithms"),
    ("a schedule on a machine, chosen or by name", "select/select", "choose", "schedule_create", "make_schedule"),
    ("ranks of a machine, for schedules", "select/machine_part", "MachinePart", "machine_part", "explain"),
    ("a schedule of blocks of different lengths", "schedule/schedule", "with_blocks", "schedule_create_v", ""),
    ("why it was chosen, what it will take", "select/select", "Choice",
     "schedule_reason schedule_choice schedule_seconds", "explain"),
    ("what a schedule has", "schedule/schedule", "Schedule",
     "schedule_collective schedule_algorithm schedule_shape schedule_traffic", "Schedule"),
    ("a schedule as JSON", "schedule/json", "schedule_from_json", "schedule_json schedule_from_json", "Schedule"),
    ("a schedule's run", "comm/communicator", "Communicator::prepare",
     "schedule_run schedule_start schedule_prepare", "Communicator.prepare"),
    ("a schedule's end", "schedule/schedule", "Schedule", "schedule_free", "Schedule"),
    ("a schedule of a communicator's", "comm/communicator", "Communicator::schedule_for", "",
     "Communicator.schedule_for"),
    ("an algorithm of the program's own", "collectives/registry", "register_algorithm", "",
     "collectives.register_algorithm"),
    ("a schedule's proof", "verify/verify", "prove", "schedule_verify", "verify.prove"),
    ("a schedule's simulation", "sim/simulate", "simulate", "schedule_simulate", "simulate"),
    ("a block-cyclic distribution", "linalg/distribution", "AxisDistribution::cyclic", "distribution_cyclic",
     "Distribution"),
    ("extents of a local part", "linalg/distribution", "Distribution::local_rows", "distribution_local",
     "Distribution"),
    ("a distribution's end", "linalg/distribution", "Distribution", "distribution_free", "Distribution"),
    ("a plan of gemm", "linalg/gemm", "plan_gemm", "plan_gemm gemm_distribution", "plan.gemm"),
    ("what a plan says", "linalg/gemm", "GemmPlan",
     "plan_algorithm plan_seconds plan_grid plan_block plan_traffic plan_memory plan_distribution plan_json",
     "plan.GemmPlan"),
    ("what its run takes, simulated", "graph/simulate", "simulate", "plan_simulate", "graph.simulate"),
    ("a plan's end", "linalg/gemm", "GemmPlan", "plan_free", "plan.GemmPlan"),
    ("gemm as planned", "linalg/gemm", "gemm", "?gemm_planned", "gemm"),
    ("C = alpha op(A) op(B) + beta C", "linalg/gemm", "gemm", "?gemm", "gemm"),
    ("what gemm took", "linalg/gemm", "GemmReport", "gemm_report", "linalg.GemmReport"),
    ("a plan of LU", "linalg/lu", "plan_lu", "plan_getrf", "plan.lu"),
    ("LU as planned", "linalg/lu", "lu", "?getrf_planned", "lu"),
    ("P A = L U", "linalg/lu", "lu", "?getrf", "lu"),
    ("solve with its factors", "linalg/solve", "lu_solve", "?getrs", "linalg.LU.solve"),
    ("both", "linalg/solve", "solve_refined", "?gesv", "solve"),
    ("a plan of Cholesky", "linalg/cholesky_plan", "plan_cholesky", "plan_potrf", "plan.cholesky"),
    ("Cholesky as planned", "linalg/cholesky_plan", "cholesky", "?potrf_planned", "cholesky"),
    ("A = L L^H", "linalg/cholesky", "cholesky", "?potrf", "cholesky"),
    ("solve with its factor", "linalg/cholesky", "cholesky_solve", "?potrs", "linalg.Cholesky.solve"),
    ("both", "linalg/cholesky", "solve_positive_definite", "?posv", "solve"),
    ("a plan of QR", "linalg/qr_plan", "plan_qr", "plan_geqrf", "plan.qr"),
    ("QR as planned", "linalg/qr_plan", "geqrf", "?geqrf_planned", ""),
    ("A = Q R", "linalg/householder", "geqrf", "?geqrf", "qr"),
    ("products with Q", "linalg/householder", "apply_householder", "?ormqr ?unmqr", "linalg.QRResult"),
    ("Q's columns", "linalg/householder", "form_householder_q", "?orgqr ?ungqr", "linalg.QRResult"),
    ("least squares, least norm", "linalg/least_squares", "least_squares", "?gels", "lstsq"),
    ("tensors", "", "", "", "einsum"),
    ("a loop by a team of threads", "tasks/team", "Team::parallel_for", "parallel_for", ""),
    ("a team", "tasks/team", "Team", "team_create team_size team_free", ""),
    ("where ranks should go", "select/rank_order", "choose_order", "map_ranks", "mapping.RankOrder"),
    ("a task graph", "graph/task_graph", "TaskGraph", "graph_create graph_free", "TaskGraph"),
    ("its functions", "graph/task_graph", "TaskGraph::entries",
     "graph_set_entries graph_set_exits graph_set_count graph_set_owner graph_set_parents graph_set_children "
     "graph_set_contributors graph_set_output graph_set_priority graph_set_flops graph_set_body visit_task visit_edge",
     "TaskGraph.entries"),
    ("outputs that are parts of one thing", "graph/task_graph", "TaskGraph::parts",
     "graph_set_parts", "TaskGraph.parts"),
    ("tiles that tasks overwrite", "graph/task_graph", "TaskGraph::writes",
     "graph_set_writes graph_set_in_place graph_set_memory", "TaskGraph.writes"),
    ("outputs that are inputs", "graph/task_graph", "TaskGraph::forwards", "graph_set_forwards", "TaskGraph.forwards"),
    ("its steps", "graph/task_graph", "TaskGraph::steps", "graph_set_steps", "TaskGraph.steps"),
    ("gangs, whose bodies talk", "graph/task_graph", "TaskGraph::gang", "graph_set_gang visit_talk", "TaskGraph.gang"),
    ("what a gang's member says", "graph/task_graph", "GangContext",
     "body_gang body_send body_receive body_bcast body_reduce body_allreduce", "graph.GangContext"),
    ("what a body sees", "graph/task_graph", "TaskContext", "body_input body_output body_progress", "TaskGraph.run"),
    ("whether a graph holds together", "graph/check", "check", "graph_check", "graph.check"),
    ("what it takes, simulated", "graph/simulate", "simulate", "graph_simulate", "graph.simulate"),
    ("running it", "tasks/run", "run", "graph_run", "graph.run"),
    ("the last error's text", "base/error", "Error", "error", "Error"),
    ("the version", "", "", "version", "__version__"),
]  # fmt: skip

TEXT = """\
# Interfaces: what is where

Written by `tools/make_interfaces.py` from the table of collectives, the headers and the modules; `make check` compares.
Every form takes the name of a registered algorithm; without one it is chosen by price. C and Fortran return codes
([c.md](c.md)); C++ and Python throw `Error` and raise `Error`, which have the same kinds.

## Collectives

Three forms each: blocking, started (a handle to wait for), prepared (started again and again).
C++'s are methods of `Communicator`, on bytes; C's and Fortran's have `allport_` before them; Python's are methods of
`Communicator` with mpi4py's names, on numpy arrays, and on whatever has the buffer protocol or DLPack in the CPU's
memory. Blocks are in the order of ranks everywhere, wherever in the machine these are.

| does | C++ | C and Fortran | Python |
|---|---|---|---|
"""
MORE = """
## The rest

`?` stands for s, d, c and z: float, double and complex of either. In Fortran these have one name without the letter.

| | C++ | C and Fortran | Python |
|---|---|---|---|
"""


class Code:
    """The names that the code has."""

    def __init__(self) -> None:
        header = make_fortran.header()
        self.c = {f.name for f in make_fortran.parse(header)[2]} | {"allport_comm_create"}
        module = (ROOT / "src/fortran/allport.f90").read_text().replace("&\n", "")
        self.fortran = set(re.findall(r"\w+", " ".join(re.findall(r"public :: (.*)", module))))
        self.python = self.classes_of(ROOT / "python/allport")

    @staticmethod
    def classes_of(where: Path) -> dict[str, set[str]]:
        """Names at the top of a module, or of all of a package; of classes their methods too, also inherited ones."""
        found: dict[str, set[str]] = {}
        bases: dict[str, list[str]] = {}
        for path in sorted(where.rglob("*.py")) if where.is_dir() else [where]:
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, ast.ClassDef):
                    inner = {n.name for n in node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))}
                    found.setdefault(node.name, set()).update(inner)
                    bases[node.name] = [base.id for base in node.bases if isinstance(base, ast.Name)]
                elif isinstance(node, ast.FunctionDef):
                    found.setdefault(node.name, set())
                elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("allport."):
                    for alias in node.names:
                        found.setdefault(alias.asname or alias.name, set())
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    found.setdefault(node.target.id, set())
        for name in list(bases):
            for base in bases[name]:
                found[name] |= found.get(base, set()) | {
                    inner for over in bases.get(base, []) for inner in found.get(over, set())
                }
        return found

    def has_cpp(self, header: str, name: str) -> bool:
        text = (ROOT / "include/allport" / f"{header}.h").read_text()
        if header == "comm/communicator":
            text += (ROOT / "include/allport/comm/collective_calls.h").read_text()
        return all(re.search(rf"\b{part}\b", text) for part in name.split("::"))

    def has_python(self, name: str) -> bool:
        whole, _, part = name.partition(".")
        for module in (ROOT / f"python/allport/{whole}.py", ROOT / f"python/allport/{whole}"):
            if module.exists():
                there, (inside, _, member) = self.classes_of(module), part.partition(".")
                return not part or (inside in there and (not member or member in there[inside]))
        return whole in self.python and (not part or part in self.python[whole])

    def c_names(self, name: str) -> list[str]:
        """All that a name with ? stands for: LAPACK's of real and complex numbers differ."""
        letters = [""] if "?" not in name else [x for x in "sdcz" if f"allport_{name.replace('?', x)}" in self.c]
        return [f"allport_{name.replace('?', x)}" for x in letters or ["?"]]


def found(what: str, is_there: bool) -> None:
    if not is_there:
        raise SystemExit(f"tools/interface_page.py: {what} is not in the code")


def page() -> str:
    code = Code()
    rows, listed = [], set()
    for c in TABLE:
        for form, python in zip(("", "start_", "prepare_"), c.python_names):
            cpp, name = form + c.cpp, form + c.name
            found(f"C++ {cpp}", code.has_cpp("comm/communicator", cpp))
            found(f"C allport_{name}", f"allport_{name}" in code.c)
            found(f"Fortran allport_{name}", f"allport_{name}" in code.fortran)
            found(f"Python Communicator.{python}", code.has_python(f"Communicator.{python}"))
            listed.add(f"allport_{name}")
        short = c.does.split(". ")[0].rstrip(".")
        forms = [" ".join(f"`{form}{name}`" for form in ("", "start_", "prepare_")) for name in (c.cpp, c.name)]
        forms.append(" ".join(f"`{name}`" for name in c.python_names))
        rows.append(f"| {short} | {' | '.join(forms)} |")
    others = []
    for what, header, cpp, c_names, python in OTHERS:
        if cpp:
            found(f"C++ {cpp} of {header}.h", code.has_cpp(header, cpp))
        for name in c_names.split():
            for one in code.c_names(name):
                found(f"C {one}", one in code.c)
                listed.add(one)
            plain = f"allport_{name.replace('?', '')}"
            found(f"Fortran {plain}", plain in code.fortran)
        if python:
            found(f"Python {python}", code.has_python(python))
        cells = [
            f"`{cpp}` (`{header}.h`)" if cpp else NONE,
            " ".join(f"`allport_{name}`" for name in c_names.split()) or NONE,
            f"`{python}`" if python else NONE,
        ]
        others.append(f"| {what} | {' | '.join(cells)} |")
    missing = {name for name in code.c if name.removesuffix("_fortran") not in listed}
    found(f"a row for {', '.join(sorted(missing))}", not missing)
    return TEXT + "\n".join(rows) + "\n" + MORE + "\n".join(others) + "\n"
