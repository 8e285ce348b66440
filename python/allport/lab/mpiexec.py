"""The mpiexec command that starts ranks in a lab: argv and environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from allport import _native
from allport.errors import failure
from allport.lab.plan import CONTROL_SUBNET, FRONT, Plan
from allport.lab.shape import Grid
from allport.lab.state import folder
from allport.run.mpiexec import find

__all__ = ["command"]


def command(
    plan: Plan,
    ranks: int | None = None,
    mpi: str | None = None,
    extra: Sequence[str] = (),
    exports: Sequence[tuple[str, str]] = (),
) -> tuple[list[str], dict[str, str]]:
    """(argv, environment) of a job of `ranks` ranks on the lab; the caller appends the program.

    Ranks fill the nodes in their order (of a grid x-fastest), `ranks_per_node` on each. `extra` is passed to mpiexec
    unchanged; `exports` and LD_PRELOAD are set for the ranks only, not for mpiexec and its helpers.
    """
    ranks = plan.ranks if ranks is None else ranks
    if not 1 <= ranks <= plan.ranks:
        raise failure(f"ranks = {ranks}: lab '{plan.name}' ({plan.spec}) has places for 1 to {plan.ranks}")
    family, launcher = find(mpi)
    env = dict(os.environ)
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        env.setdefault(name, "1")
    env["PYTHONUNBUFFERED"] = "1"
    if isinstance(plan.shape, Grid):
        machine = str(folder(plan.name) / "machine.toml")
        env.setdefault("ALLPORT_MACHINE", machine)
        env["ALLPORT_RATES"] = machine
    env["ALLPORT_LAB"] = plan.name
    env.setdefault("MPI4PY_MPIABI", family)
    given = [*exports]
    if "LD_PRELOAD" in env and not any(name == "LD_PRELOAD" for name, _ in given):
        given.append(("LD_PRELOAD", env["LD_PRELOAD"]))
    env.pop("LD_PRELOAD", None)
    enter = [str(folder(plan.name) / "enter"), FRONT]
    make = _openmpi if family == "openmpi" else _mpich
    return [*enter, launcher, *make(plan, ranks, env, given), *extra], env


def _openmpi(plan: Plan, ranks: int, env: dict[str, str], exports: Sequence[tuple[str, str]]) -> list[str]:
    for prefix in ("OMPI", "PRTE"):
        env[f"{prefix}_ALLOW_RUN_AS_ROOT"] = env[f"{prefix}_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
    nodes = ",".join(plan.subnet(rail) for rail in range(plan.rails))
    settings = {
        "plm_rsh_agent": str(folder(plan.name) / "agent"),
        "plm_rsh_no_tree_spawn": "1",
        "plm_rsh_num_concurrent": "128",
        "oob_tcp_if_include": CONTROL_SUBNET,
        "pml": "ob1",
        "btl": "self,tcp" + (",vader" if plan.ranks_per_node > 1 else ""),
        "btl_tcp_if_include": nodes,
        "btl_vader_single_copy_mechanism": "none",
        "btl_base_warn_component_unused": "0",
        "orte_keep_fqdn_hostnames": "1",
        "mpi_yield_when_idle": "1",
    }
    for key, value in settings.items():
        env.setdefault(f"OMPI_MCA_{key}", value)
    argv = ["--hostfile", str(folder(plan.name) / "hosts.openmpi"), "-n", str(ranks), "--map-by", "slot"]
    argv += ["--bind-to", "none"]
    for name, value in exports:
        argv += ["-x", f"{name}={value}"]
    return argv


def _mpich(plan: Plan, ranks: int, env: dict[str, str], exports: Sequence[tuple[str, str]]) -> list[str]:
    env.setdefault("UCX_TLS", "tcp,self" + (",sysv,posix" if plan.ranks_per_node > 1 else ""))
    env.setdefault("UCX_NET_DEVICES", "node+")
    env.setdefault("FI_PROVIDER", "tcp")
    env.setdefault("FI_TCP_IFACE", "node+")
    argv = ["-launcher", "ssh", "-launcher-exec", str(folder(plan.name) / "agent")]
    argv += ["-f", str(folder(plan.name) / "hosts.mpich"), "-iface", "n0", "-n", str(ranks)]
    preload = Path(str(_native.__file__)).parent / "mpich" / "mpich_ranks.so"
    values = dict(exports)
    if preload.exists():  # makes idle ranks yield, and keeps MPI_Finalize from hanging (lab/mpich_ranks.c)
        values["LD_PRELOAD"] = ":".join(filter(None, [values.get("LD_PRELOAD"), str(preload)]))
    for name, value in values.items():
        argv += ["-genv", name, value]
    return argv
