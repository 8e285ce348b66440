"""`python -m allport.run.jobs JSON` is one of a job's ranks."""

from __future__ import annotations

import json
import sys
from typing import Any

from allport.run.job import join
from allport.run.jobs import KINDS
from allport.run.rank import as_rank, emit


def _work(text: str) -> dict[str, Any]:
    values = json.loads(text)
    job = KINDS[values.pop("kind")](**values)
    _, result = join(job, lambda done, total: emit(rank=0, done=done, total=total))
    return result


sys.exit(as_rank(lambda: _work(sys.argv[1])))
