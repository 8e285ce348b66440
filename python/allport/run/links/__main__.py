"""One rank of a measurement of links."""

from __future__ import annotations

import sys

from allport.run.links.measure import work
from allport.run.rank import as_rank

sys.exit(as_rank(lambda: work(sys.argv[1])))
