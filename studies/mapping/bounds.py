"""What no mapping can beat on its busiest link: bytes over cuts of the machine, against what their links carry."""

from __future__ import annotations

import itertools

import allport as ap
import numpy as np
from scipy.sparse import coo_matrix, csr_matrix, diags
from scipy.sparse.linalg import eigsh

DENSE_UP_TO = 600  # ranks; beyond, the eigenvalue is found by shift and invert


def graph_of(pattern: ap.pattern.Pattern) -> csr_matrix:
    """Bytes between two ranks, both directions together."""
    source, target, size = np.array(pattern.messages, dtype=float).T
    one_way = coo_matrix((size, (source.astype(int), target.astype(int))), shape=(pattern.ranks, pattern.ranks))
    return (one_way + one_way.T).tocsr()


def connectivity(graph: csr_matrix) -> float:
    """The second eigenvalue of the graph's Laplacian (Fiedler): any k of n ranks have k (n - k) / n times as many bytes
    with the others, at least."""
    laplacian = (diags(np.asarray(graph.sum(axis=1)).ravel()) - graph).tocsc()
    if graph.shape[0] <= DENSE_UP_TO:
        return max(0.0, float(np.linalg.eigvalsh(laplacian.toarray())[1]))
    scale = float(laplacian.diagonal().mean())
    values = eigsh(laplacian / scale, k=2, sigma=-1e-3, which="LM", return_eigenvectors=False, tol=1e-9)
    return max(0.0, float(np.sort(values)[1]) * scale * (1 - 1e-6))


def boxes(machine: ap.Machine) -> list[tuple[int, ...]]:
    """Extents of boxes in a corner of the machine, but the whole machine itself."""
    lengths = [a.length for a in machine.axes]
    return [b for b in itertools.product(*(range(1, n + 1) for n in lengths)) if list(b) != lengths]


def crossing(machine: ap.Machine, box: tuple[int, ...]) -> float:
    """Bytes a second over the links between such a box in the corner and the rest, both directions together."""
    rate, volume = 0.0, int(np.prod(box))
    for extent, axis in zip(box, machine.axes, strict=True):
        if extent < axis.length:
            rate += 2 * (2 if axis.wraps else 1) * (volume // extent) * axis.bandwidth
    return rate


def spectral(machine: ap.Machine, pattern: ap.pattern.Pattern) -> float:
    """Seconds: the fewest bytes that can leave any box in the corner of the machine, half of it among them."""
    second, n, a_node = connectivity(graph_of(pattern)), pattern.ranks, machine.ranks_per_node
    found = 0.0
    for box in boxes(machine):
        k = int(np.prod(box)) * a_node
        found = max(found, second * k * (n - k) / n / crossing(machine, box))
    return found


def by_degree(machine: ap.Machine, pattern: ap.pattern.Pattern) -> float:
    """Seconds: of k ranks in a box each keeps at most its k - 1 heaviest neighbours inside. Boxes that tile the machine
    are taken together, and single nodes one by one."""
    graph, n, a_node = graph_of(pattern), pattern.ranks, machine.ranks_per_node
    rows = [np.sort(graph.data[graph.indptr[r] : graph.indptr[r + 1]])[::-1].cumsum() for r in range(n)]

    def leaves(row: np.ndarray, k: int) -> float:
        if row.size == 0 or k > row.size:
            return 0.0
        return float(row[-1] - (row[k - 2] if k > 1 else 0.0))

    lengths = [a.length for a in machine.axes]
    heaviest = max(leaves(row, a_node) for row in rows)
    ports = sum(2 * (2 if a.wraps else min(2, a.length - 1)) * a.bandwidth for a in machine.axes if a.length > 1)
    found = heaviest / ports
    for box in boxes(machine):
        if any(length % extent for extent, length in zip(box, lengths, strict=True)):
            continue
        k = int(np.prod(box)) * a_node
        out = sum(leaves(row, k) for row in rows)
        if out == 0.0:
            continue
        tiles = machine.nodes // int(np.prod(box))
        rate = 0.0  # of all links between tiles, each counted at both of them
        for extent, axis in zip(box, machine.axes, strict=True):
            cuts = axis.length // extent - (0 if axis.wraps else 1)
            if extent < axis.length:
                rate += 4 * cuts * (machine.nodes // axis.length) * axis.bandwidth
        found = max(found, out / rate)
        assert tiles > 1
    return found


def cut_bound(machine: ap.Machine, pattern: ap.pattern.Pattern) -> float:
    """Seconds that the busiest link takes under any mapping, at least. 0 where ranks that talk fit into a node."""
    return max(spectral(machine, pattern), by_degree(machine, pattern))
