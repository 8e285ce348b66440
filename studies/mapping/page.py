"""studies/docs/mapping-study.md: what was measured put into page.md."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from instances import INSTANCES, KINDS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "mapping-study.md"
ABOVE = 1.5  # times the bound: what the default order leaves at least, where means are taken
LINK, LINK_MEAN, SIMULATED_MEAN, HOPS = 1.02, 0.75, 0.85, 1.10
LIMITS = {4096: 10.0, 262144: 300.0}  # seconds to map so many ranks
MEASURES = ("link_s", "hop_bytes", "simulated_s")
Row = dict[str, Any]


def key(name: str, kind: str) -> str:
    return f"{name} | {kind}"


def rows_of(kept: dict[str, Row]) -> dict[str, Row]:
    """What has both sides, in the order of the list."""
    keys = [key(i.name, kind) for i in INSTANCES for kind in KINDS]
    return {k: kept[k] for k in keys if "ours" in kept.get(k, {}) and "rivals" in kept[k]}


def best(row: Row, measure: str) -> float:
    """Of the rivals, each measure by whoever is best at it."""
    return min(r[measure] for r in row["rivals"].values())


def ratio(row: Row, measure: str) -> float:
    """Ours over the best rival's; two that have none of it are equal."""
    ours, theirs = row["ours"][measure], best(row, measure)
    return ours / theirs if theirs else math.inf if ours else 1.0


def counts(row: Row) -> bool:
    """Whether means are taken over it: the default order is far above the bound."""
    return row["rivals"]["default"]["link_s"] >= ABOVE * row["bound_s"]


def mean(values: Iterable[float]) -> float:
    """Geometric; 1 of none."""
    logs = [math.log(v) for v in values]
    return math.exp(sum(logs) / len(logs)) if logs else 1.0


def summary(rows: dict[str, Row]) -> dict[str, float]:
    """What the bars are held against. Where ours has no load at all and the best rival has, the ratio is left out of
    means (a logarithm of 0), against us."""
    means = {
        m: mean(r for r in (ratio(row, m) for row in rows.values() if counts(row)) if r > 0)
        for m in ("link_s", "simulated_s")
    }
    return {
        "instances": len(rows),
        "counted": sum(counts(row) for row in rows.values()),
        "link_worst": max(ratio(row, "link_s") for row in rows.values()),
        "link_mean": means["link_s"],
        "simulated_mean": means["simulated_s"],
        "hops_worst": max(ratio(row, "hop_bytes") for row in rows.values()),
    }


def _part(rows: dict[str, Row], name: str, chosen: Callable[[str], bool]) -> str:
    some = {k: r for k, r in rows.items() if chosen(k)}
    if not some:
        return ""
    s = summary(some)
    return (
        f"| {name} | {s['instances']} | {s['counted']} | {s['link_worst']:.3f} | {s['link_mean']:.3f} | "
        f"{s['simulated_mean']:.3f} | {s['hops_worst']:.3f} |"
    )


def beyond(rows: dict[str, Row]) -> list[str]:
    """Where a bar of single instances is missed."""
    return [k for k, row in rows.items() if ratio(row, "link_s") > LINK or ratio(row, "hop_bytes") > HOPS]


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.4g}"


def _line(name: str, row: Row) -> str:
    rivals, ours = row["rivals"], row["ours"]
    cells = [name, "yes" if counts(row) else "", _us(row["bound_s"])]
    for measure, show in (
        ("link_s", _us),
        ("hop_bytes", lambda v: f"{v / 1e6:.4g}"),
        ("simulated_s", _us),
        ("took_s", lambda v: f"{v:.2f}"),
    ):
        who = ("scotch", "kahip") if measure == "took_s" else ("default", "row-major", "scotch", "kahip")
        cells.append(" / ".join(show(rivals[w][measure]) for w in who))
        cells.append(show(ours[measure]))
    mark = [f"{ratio(row, m):.3f}" for m in MEASURES]
    return "| " + " | ".join([*cells, *mark, ours["order"]]) + " |"


def _verdict(holds: bool) -> str:
    return "holds" if holds else "**does not hold**"


def page(kept: dict[str, Row]) -> str:
    rows = rows_of(kept)
    s = summary(rows)
    families = list(dict.fromkeys(i.family for i in INSTANCES))
    family_of = {key(i.name, kind): i.family for i in INSTANCES for kind in KINDS}
    parts = [_part(rows, "all", lambda k: True)]
    parts += [_part(rows, f, lambda k, f=f: family_of[k] == f) for f in families]
    parts += [_part(rows, kind, lambda k, kind=kind: k.endswith(f"| {kind}")) for kind in KINDS]
    speed = kept.get("speed", {})
    missed = beyond(rows)
    slowest: dict[int, float] = {}
    for r in speed.values():
        slowest[r["ranks"]] = max(r["seconds"], slowest.get(r["ranks"], 0.0))
    values = {
        "count": len(rows),
        "patterns": len(INSTANCES),
        "above": ABOVE,
        "bars": "\n".join(
            f"| {what} | {limit} | {got} | {_verdict(holds)} |"
            for what, limit, got, holds in (
                (
                    "largest link load over the best rival's, the worst",
                    f"{LINK}",
                    f"{s['link_worst']:.3f}",
                    s["link_worst"] <= LINK,
                ),
                (
                    f"the same in the mean, of the {s['counted']} that count",
                    f"{LINK_MEAN}",
                    f"{s['link_mean']:.3f}",
                    s["link_mean"] <= LINK_MEAN,
                ),
                (
                    "simulated time over the best rival's in the mean",
                    f"{SIMULATED_MEAN}",
                    f"{s['simulated_mean']:.3f}",
                    s["simulated_mean"] <= SIMULATED_MEAN,
                ),
                (
                    "hop-bytes over the best rival's, the worst",
                    f"{HOPS}",
                    f"{s['hops_worst']:.3f}",
                    s["hops_worst"] <= HOPS,
                ),
                *(
                    (
                        f"seconds to map {n:,} ranks, the slowest",
                        f"{limit:g}",
                        f"{slowest[n]:.1f}",
                        slowest[n] <= limit,
                    )
                    for n, limit in LIMITS.items()
                    if n in slowest  # measured
                ),
            )
        ),
        "parts": "\n".join(p for p in parts if p),
        "missed": "\n".join(
            f"- {k}: link {ratio(rows[k], 'link_s'):.3f}, hop-bytes {ratio(rows[k], 'hop_bytes'):.3f}" for k in missed
        )
        or "None.",
        "speed": "\n".join(
            f"| {name} | {r['machine']} | {r['ranks']:,} | {r['seconds']:.1f} | {r['order']} |"
            for name, r in speed.items()
        ),
        "table": "\n".join(_line(k, r) for k, r in rows.items()),
    }
    return (Path(__file__).parent / "page.md").read_text().format(**values)


def write_page(kept: dict[str, Row]) -> None:
    PAGE.write_text(page(kept))
