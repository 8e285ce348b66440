"""Diagnoses this computer, a job on it, or a program, and says what to change.

for finding in ap.doctor.examine(ranks=4):
    print(finding.subject, finding.state, finding.found, finding.remedy)
"""

from __future__ import annotations

import os

from allport import _native
from allport.doctor import lab_needs, load, processors, program, starts, transports
from allport.doctor.finding import Finding
from allport.errors import failure

__all__ = ["Finding", "examine"]


def examine(program_path: str | None = None, ranks: int | None = None, select_file: str | None = None) -> list[Finding]:
    """Examines processors, a job's load, MPI, the lab's requirements and, if given, a program and a file of stored
    tuning results.

    ranks: number of the job's ranks on this computer; None: one per core. select_file: a file that runs wrote as
    ALLPORT_SELECT_FILE; runs with different numbers of ranks and threads are compared. None: the file that the variable
    names, if it exists. Takes about a second: it starts two processes, and creates a network namespace if that is
    allowed. Raises Error for ranks < 1, and for a program or file that does not exist.
    """
    if ranks is not None and ranks < 1:
        raise failure(f"ranks = {ranks}: expected at least 1")
    found = program.examine(program_path) if program_path is not None else []
    if select_file is None and os.path.exists(os.environ.get("ALLPORT_SELECT_FILE", "")):
        select_file = os.environ["ALLPORT_SELECT_FILE"]
    found += starts.examine(select_file) if select_file is not None else []
    here = processors.read()
    job = load.examine(here, ranks, str(_native.build_info()["blas"]), os.environ)
    return [*processors.examine(here), job, *transports.examine(), *lab_needs.examine(), *found]
