"""What is wrong with this computer, a job on it, or a program, and what to change.

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
    """Looks at processors, a job's load, MPI, what the lab needs and, where given, a program and a select file.

    ranks: of the job on this computer; None: one a core. select_file: what runs wrote as ALLPORT_SELECT_FILE; those
    that were started with other numbers of ranks and threads are compared. None: what that variable names now, if it is
    there. Takes about a second: two processes are started, and a network namespace is made where that is allowed.
    Raises Error for ranks < 1 and for a program or a file that is not there.
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
