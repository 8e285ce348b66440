"""Pickles of machines, schedules and plans.

A machine is its file's text, a schedule the programs of all its ranks. A plan is what it was planned from: it is
planned again where the pickle is opened, and the same as planning is deterministic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allport import _native
from allport._native import CholeskyPlan, GemmPlan, LuPlan, Machine, QrPlan, Schedule
from allport.errors import Error

__all__ = ["cholesky_plan", "gemm_plan", "lu_plan", "machine", "qr_plan", "reduced", "schedule"]


def machine(text: str) -> Machine:
    """From its file's text."""
    return Machine.from_toml(text)


def schedule(state: dict[str, Any]) -> Schedule:
    """From the programs of its ranks."""
    return _native.schedule_of_state(**state)


def gemm_plan(problem: tuple[Any, ...], on: Machine, options: dict[str, Any]) -> GemmPlan:
    """Planned again."""
    return _native.plan_gemm(_native.GemmProblem(*problem), on, _native.GemmOptions(**options))


def lu_plan(problem: tuple[Any, ...], on: Machine, options: dict[str, Any]) -> LuPlan:
    """Planned again."""
    return _native.plan_lu(_native.LuProblem(*problem), on, _native.LuOptions(**options))


def cholesky_plan(problem: tuple[Any, ...], on: Machine, options: dict[str, Any]) -> CholeskyPlan:
    """Planned again."""
    return _native.plan_cholesky(problem[0], problem[1], problem[2], on, **options)


def qr_plan(problem: tuple[Any, ...], on: Machine, options: dict[str, Any]) -> QrPlan:
    """Planned again."""
    return _native.plan_qr(problem[0], problem[1], problem[2], on, **options)


_PLANS: dict[type, Callable[..., object]] = {
    GemmPlan: gemm_plan,
    LuPlan: lu_plan,
    CholeskyPlan: cholesky_plan,
    QrPlan: qr_plan,
}


def reduced(thing: Any) -> tuple[Callable[..., object], tuple[Any, ...]]:
    """What pickle keeps of a machine, a schedule or a plan: a function of this module, and its arguments."""
    if isinstance(thing, Machine):
        return machine, (thing.to_toml(),)
    if isinstance(thing, Schedule):
        return schedule, (_native.schedule_state(thing),)
    again = _PLANS.get(type(thing))
    if again is not None:
        return again, tuple(_native.planned_from(thing))
    raise Error(f"pickle: expected a machine, a schedule or a plan, got {type(thing).__name__}")
