"""What `import allport as ap` offers: few names, each said once, and functions of few parameters."""

import ast
import importlib
import inspect
from pathlib import Path
from typing import Any

import allport as ap
import pytest

MOST_NAMES = 50  # of 60, so that there is room
MOST_PARAMETERS = 8
NAMES = """
Communicator DistributedMatrix DistributedTensor Distribution Error Machine NotPositiveDefinite Options RankDeficient
Schedule SingularMatrix TaskGraph bench cholesky collectives discover distribute doctor einsum explain gemm graph io
lab last_report linalg load loops lstsq lu machine make_schedule mapping model mpi multicast network pattern plan qr
report run schedule sim simulate solve tensordot tensors units verify
""".split()


def test_the_names_are_these() -> None:
    assert ap.__all__ == NAMES
    assert len(NAMES) <= MOST_NAMES


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(ap.__file__).read_text())
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    seen: dict[str, str] = {}
    for node in block.body:
        assert isinstance(node, ast.ImportFrom) and all(a.name == a.asname for a in node.names), ast.unparse(node)
        seen |= {a.name: str(node.module).removeprefix("allport").removeprefix(".") for a in node.names}
    # Those two are there from the start.
    wanted = {**{n: h for n, h in ap._HOMES.items() if n != "Error"}, **{n: "" for n in ap._MODULES if n != "mpi"}}
    assert seen == wanted


def test_what_is_not_offered_is_not_there() -> None:
    assert not hasattr(ap, "trace") and not hasattr(ap, "plan_gemm")
    with pytest.raises(AttributeError, match="module 'allport' has no attribute 'teleport'"):
        ap.teleport  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'allport\.report' has no attribute 'teleport'"):
        ap.report.teleport  # noqa: B018


def test_errors_are_shown_by_their_public_name() -> None:
    assert f"{ap.Error.__module__}.{ap.Error.__qualname__}" == "allport.Error"
    assert importlib.import_module("allport.errors").Error is ap.Error


def functions() -> dict[str, Any]:
    """Public functions, and methods of public classes but their constructors, which may be tables of settings."""
    found: dict[str, Any] = {}
    for name in ap.__all__:
        thing = getattr(ap, name)
        inner = {f"ap.{name}": thing}
        if inspect.ismodule(thing):
            inner = {f"ap.{name}.{n}": getattr(thing, n) for n in getattr(thing, "__all__", [])}
        for where, one in inner.items():
            if inspect.isclass(one):
                found |= {f"{where}.{n}": m for n, m in vars(one).items() if inspect.isfunction(m) and n[0] != "_"}
            elif inspect.isfunction(one):
                found[where] = one
    return found


def test_no_function_has_more_than_eight_parameters() -> None:
    counts = {name: len([p for p in inspect.signature(f).parameters if p != "self"]) for name, f in functions().items()}
    assert len(counts) > 150
    assert not {name: count for name, count in counts.items() if count > MOST_PARAMETERS}


def test_options_that_do_not_apply_are_refused() -> None:
    with pytest.raises(ap.Error, match=r"options.pivoting = 'partial': plan.qr has no such option"):
        ap.plan.qr(9, 9, "torus:2", options=ap.Options(pivoting="partial"))
    with pytest.raises(ap.Error, match=r"options.panel = -1: expected 0 or more"):
        ap.Options(panel=-1)
    with pytest.raises(ap.Error, match=r"options.pivoting = 'full': expected one of tournament, partial, none"):
        ap.Options(pivoting="full")
