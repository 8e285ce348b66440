"""The page of interfaces, docs/reference/interfaces.md, which `make docs` makes: what is where in C++, C, Fortran and
Python, each name looked up in the code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import make_fortran
from interface_table import TABLE

ROOT = Path(__file__).resolve().parent.parent
NONE = "–"

# What it is; C++ header and name; C; Python. Fortran has what C has.
OTHERS = [
    ("a communicator that knows its machine", "comm/communicator", "Communicator", "comm_create", "Communicator"),
    ("rank and size", "comm/communicator", "Communicator::rank", "comm_rank", "Communicator.Get_rank"),
    ("parts of a communicator", "comm/communicator", "Communicator::sub", "comm_part", "Communicator.sub"),
    ("the end of one", "comm/communicator", "Communicator", "comm_free", "Communicator.Free"),
    ("a machine, by spec or file", "machine/machine", "Machine::parse", "machine_create", "Machine"),
    ("a communicator's machine", "comm/communicator", "Communicator::machine", "comm_machine", "Communicator.machine"),
    ("where its ranks are", "mapping/mapping", "Mapping::from_list", "machine_placed", "Communicator.mapping"),
    ("what a machine has", "machine/machine", "Machine::axis",
     "machine_query machine_link machine_hops", "Machine"),
    ("a machine as text", "machine/machine", "Machine::to_toml", "machine_text", "Machine"),
    ("a machine's end", "machine/machine", "Machine", "machine_free", "Machine"),
    ("built-in machines", "machine/machine", "preset_names", "algorithm_text", "machine.preset_names"),
    ("a reduction's operator of the program's own", "schedule/interpreter", "Combine", "op_create", ""),
    ("what is in flight: wait", "comm/transfer", "Transfer::wait", "wait", "Transfer.Wait"),
    ("what is in flight: test", "comm/transfer", "Transfer::test", "test", "Transfer.Test"),
    ("what was prepared: start", "comm/transfer", "Persistent::start", "start", "Persistent.Start"),
    ("what was prepared: its end", "comm/transfer", "Persistent", "request_free", "Persistent.Free"),
    ("registered algorithms", "collectives/registry", "algorithms", "algorithm_text",
     "collectives.algorithms"),
    ("a schedule on a machine, chosen or by name", "select/select", "choose", "schedule_create", "make_schedule"),
    ("ranks of a machine, for schedules", "select/machine_part", "MachinePart", "machine_part", "explain"),
    ("a schedule of blocks of different lengths", "schedule/schedule", "with_blocks", "schedule_create", ""),
    ("why it was chosen, what it will take", "select/select", "Choice",
     "schedule_text schedule_query", "explain"),
    ("what a schedule has", "schedule/schedule", "Schedule",
     "schedule_query", "Schedule"),
    ("a schedule as JSON", "schedule/json", "schedule_from_json", "schedule_text schedule_from_json", "Schedule"),
    ("a schedule's run", "comm/communicator", "Communicator::prepare",
     "schedule_run", "Communicator.prepare"),
    ("a schedule's end", "schedule/schedule", "Schedule", "schedule_free", "Schedule"),
    ("a schedule of a communicator's", "comm/communicator", "Communicator::schedule_for", "",
     "Communicator.schedule_for"),
    ("an algorithm of the program's own", "collectives/registry", "register_algorithm", "",
     "collectives.register_algorithm"),
    ("a schedule's proof", "verify/verify", "prove", "schedule_verify", "verify.prove"),
    ("a schedule's simulation", "sim", "simulate", "schedule_simulate", "simulate"),
    ("a block-cyclic distribution", "linalg/distribution", "AxisDistribution::cyclic", "distribution_cyclic",
     "Distribution"),
    ("extents of a local part", "linalg/distribution", "Distribution::local_rows", "distribution_local",
     "Distribution"),
    ("a distribution's end", "linalg/distribution", "Distribution", "distribution_free", "Distribution"),
    ("a plan of gemm", "linalg/gemm", "plan_gemm", "plan_create", "plan.gemm"),
    ("what a plan says", "linalg/gemm", "GemmPlan",
     "plan_query plan_text plan_distribution",
     "plan.GemmPlan"),
    ("what its run takes, simulated", "graph/simulate", "simulate", "plan_simulate", "graph.simulate"),
    ("a plan's end", "linalg/gemm", "GemmPlan", "plan_free", "plan.GemmPlan"),
    ("gemm as planned", "linalg/gemm", "gemm", "gemm", "gemm"),
    ("C = alpha op(A) op(B) + beta C", "linalg/gemm", "gemm", "gemm", "gemm"),
    ("what gemm took", "linalg/gemm", "GemmReport", "gemm_report", "linalg.GemmReport"),
    ("a plan of LU", "linalg/lu", "plan_lu", "plan_create", "plan.lu"),
    ("LU as planned", "linalg/lu", "lu", "getrf", "lu"),
    ("P A = L U", "linalg/lu", "lu", "getrf", "lu"),
    ("solve with its factors", "linalg/solve", "lu_solve", "getrs", "linalg.LU.solve"),
    ("both", "linalg/solve", "solve", "gesv", "solve"),
    ("a plan of Cholesky", "linalg/cholesky_plan", "plan_cholesky", "plan_create", "plan.cholesky"),
    ("Cholesky as planned", "linalg/cholesky_plan", "cholesky", "potrf", "cholesky"),
    ("A = L L^H", "linalg/cholesky", "cholesky", "potrf", "cholesky"),
    ("solve with its factor", "linalg/cholesky", "cholesky_solve", "potrs", "linalg.Cholesky.solve"),
    ("both", "linalg/cholesky", "solve_positive_definite", "posv", "solve"),
    ("a plan of QR", "linalg/qr_plan", "plan_qr", "plan_create", "plan.qr"),
    ("QR as planned", "linalg/qr_plan", "geqrf", "geqrf", ""),
    ("A = Q R", "linalg/householder", "geqrf", "geqrf", "qr"),
    ("products with Q", "linalg/householder", "apply_householder", "unmqr", "linalg.QRResult"),
    ("Q's columns", "linalg/householder", "form_householder_q", "ungqr", "linalg.QRResult"),
    ("least squares, least norm", "linalg/least_squares", "least_squares", "gels", "lstsq"),
    ("eigenvalues and vectors", "linalg/eigh", "eigh", "", "eigh"),
    ("tensors", "", "", "", "einsum"),
    ("a loop by a team of threads", "loops/team", "Team::parallel_for", "parallel_for", "loops.Team.parallel_for"),
    ("a team", "loops/team", "Team", "team_create team_free", "loops.Team"),
    ("all cores as teams", "loops/teams", "Teams::configure", "blocks_configure", "loops.Teams.configure"),
    ("a grid in blocks", "loops/blocks", "Blocks", "blocks_create blocks_free", "loops.Blocks"),
    ("its cells", "loops/blocks", "Blocks::fill", "blocks_visit", "loops.Blocks.fill"),
    ("its iterations", "loops/blocks", "Blocks::iterate", "blocks_iterate", "loops.Blocks.iterate"),
    ("blocks to other ranks", "loops/blocks", "Blocks::balance", "blocks_balance", "loops.Blocks.balance"),
    ("blocks of another size", "loops/blocks", "Blocks::recut", "blocks_configure", "loops.Blocks.recut"),
    ("configurations by measured times", "loops/loop_selector", "LoopSelector", "blocks_select blocks_text",
     "loops.Blocks.select"),
    ("where ranks should go", "select/rank_order", "choose_order", "map_ranks", "mapping.RankOrder"),
    ("messages to any ranks at any time", "comm/channel", "Channel", "channel_create", "multicast.Channel"),
    ("to a set of ranks", "comm/channel", "Channel::send", "channel_send", "multicast.Channel.Send"),
    ("the next one from a rank", "comm/channel", "Channel::receive", "channel_receive", "multicast.Channel.Recv"),
    ("whether one is here", "comm/channel", "Channel::probe", "channel_probe", "multicast.Channel.iprobe"),
    ("a channel's end", "comm/channel", "Channel::close", "channel_free", "multicast.Channel.close"),
    ("a task graph", "graph/task_graph", "TaskGraph", "graph_create graph_free", "TaskGraph"),
    ("a task graph of kinds of tasks", "graph/kinds", "GraphOfKinds", "", ""),
    ("its functions", "graph/task_graph", "TaskGraph::entries",
     "graph_create visit_task visit_edge",
     "TaskGraph.entries"),
    ("outputs that are parts of one thing", "graph/task_graph", "TaskGraph::parts",
     "graph_create", "TaskGraph.parts"),
    ("tiles that tasks overwrite", "graph/task_graph", "TaskGraph::writes",
     "graph_create", "TaskGraph.writes"),
    ("outputs that are inputs", "graph/task_graph", "TaskGraph::forwards", "graph_create", "TaskGraph.forwards"),
    ("its steps", "graph/task_graph", "TaskGraph::steps", "graph_create", "TaskGraph.steps"),
    ("gangs: bodies communicate", "graph/task_graph", "TaskGraph::gang",
     "graph_create visit_traffic", "TaskGraph.gang"),
    ("communication within a gang", "graph/task_graph", "GangContext",
     "body_gang body_send body_receive body_bcast body_reduce", "graph.GangContext"),
    ("what a body sees", "graph/task_graph", "TaskContext", "body_input body_output body_progress", "TaskGraph.run"),
    ("whether a graph holds together", "graph/check", "check", "graph_check", "graph.check"),
    ("what it takes, simulated", "graph/simulate", "simulate", "graph_simulate", "graph.simulate"),
    ("running it", "tasks/run", "run", "graph_run", "graph.run"),
    ("the last error's text", "base/error", "Error", "error", "Error"),
    ("the version", "", "", "version", "__version__"),
]  # fmt: skip

TEXT = """\
# Interfaces: what is where

Made by `make docs` from the table of collectives, the headers and the modules.
Every form takes the name of a registered algorithm; without one it is chosen by price. C and Fortran return codes
([c.md](c.md)); C++ and Python throw `Error` and raise `Error`, which have the same kinds.

## Collectives

Three forms each: blocking, started (a handle to wait for), prepared (started again and again).
C and Fortran have one function for all three: without a request it is blocking, with one it starts, and with
the option `persistent` it prepares.
C++'s are methods of `Communicator`, on bytes; Python's are methods of
`Communicator` with mpi4py's names, on numpy arrays, and on whatever has the buffer protocol or DLPack in the CPU's
memory. Blocks are in the order of ranks everywhere, wherever in the machine these are.

| does | C++ | C and Fortran | Python |
|---|---|---|---|
"""
MORE = """
## The rest

C's functions take the type of elements as an argument; those on matrices are generic in Fortran, without it.

| | C++ | C and Fortran | Python |
|---|---|---|---|
"""


class Code:
    """The names that the code has."""

    def __init__(self) -> None:
        header = make_fortran.header()
        self.c = {f.name for f in make_fortran.parse(header)[2]} | {"allport_comm_create"}
        module = make_fortran.module(header).replace("&\n", "")
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
        inside, _, member = part.partition(".")
        # A class that its module imports late, because it starts MPI, is in a file of its name: multicast.Channel.
        late = ROOT / f"python/allport/{inside.lower()}.py"
        for module in (late, ROOT / f"python/allport/{whole}.py", ROOT / f"python/allport/{whole}"):
            if module.exists() and (module != late or inside in self.classes_of(module)):
                there = self.classes_of(module)
                return not part or (inside in there and (not member or member in there[inside]))
        return whole in self.python and (not part or part in self.python[whole])


def found(what: str, is_there: bool) -> None:
    if not is_there:
        raise SystemExit(f"tools/interface_page.py: {what} is not in the code")


def page() -> str:
    code = Code()
    rows, listed = [], set()
    for c in TABLE:
        forms = [(form + c.cpp, python) for form, python in zip(("", "start_", "prepare_"), c.python_names)]
        for cpp, python in forms:
            found(f"C++ {cpp}", code.has_cpp("comm/communicator", cpp))
            found(f"Python Communicator.{python}", code.has_python(f"Communicator.{python}"))
        found(f"C allport_{c.name}", f"allport_{c.name}" in code.c)
        found(f"Fortran allport_{c.name}", f"allport_{c.name}" in code.fortran)
        listed.add(f"allport_{c.name}")
        cpp, python = (" ".join(f"`{name}`" for name in names) for names in zip(*forms))
        rows.append(f"| {c.does.split('. ')[0].rstrip('.')} | {cpp} | `allport_{c.name}` | {python} |")
    others = []
    for what, header, cpp, c_names, python in OTHERS:
        if cpp:
            found(f"C++ {cpp} of {header}.h", code.has_cpp(header, cpp))
        for name in c_names.split():
            found(f"C allport_{name}", f"allport_{name}" in code.c)
            found(f"Fortran allport_{name}", f"allport_{name}" in code.fortran)
            listed.add(f"allport_{name}")
        if python:
            found(f"Python {python}", code.has_python(python))
        cells = [
            f"`{cpp}` (`allport/{header.partition('/')[0]}.h`)" if cpp else NONE,
            " ".join(f"`allport_{name}`" for name in c_names.split()) or NONE,
            f"`{python}`" if python else NONE,
        ]
        others.append(f"| {what} | {' | '.join(cells)} |")
    missing = {name for name in code.c if name.removesuffix("_fortran") not in listed}
    found(f"a row for {', '.join(sorted(missing))}", not missing)
    return TEXT + "\n".join(rows) + "\n" + MORE + "\n".join(others) + "\n"
