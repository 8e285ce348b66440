"""Pages of benchmarks: Allport beside the MPI library over sizes, many short calls, and Jacobi's iteration."""

from __future__ import annotations

import statistics
from typing import Any

from allport.bench.job import contract_name, element_of
from allport.lab.plan import format_links
from allport.report.pages.objects import known_machine
from allport.report.pages.page import Advice, Page, bars, drawing, fold, legend, paragraph, table
from allport.report.pages.simulations import add_sections, again
from allport.report.pages.style import KINDS
from allport.report.pages.svg import Curve, curves
from allport.units import format_bytes, format_rate, format_seconds

__all__ = ["of_bench"]

FAR = 1.5  # ratio of measured and predicted time, or its inverse
CLEARLY = 1.1  # speedup from which a measurement counts as faster


def of_bench(result: dict[str, Any]) -> Page:
    """The page of a result of `allport bench` (a collective, calls in a row, or Jacobi) or of `allport compare`."""
    if "variants" in result:
        return _of_jacobi(result)
    if "rows" in result and "modes" not in result:
        return _of_comparison(result)
    return _of_calls(result) if "modes" in result else _of_collective(result)


def _where(result: dict[str, Any]) -> str:
    return f"lab {result['lab']}" if result.get("lab") else result["machine"]


def _times(t: dict[str, Any] | None) -> str:
    if t is None:
        return ""
    return f"{format_seconds(t['median'])} [{format_seconds(t['least'])} .. {format_seconds(t['most'])}]"


def _curve(rows: list[dict[str, Any]], side: str, name: str | None, label: str) -> Curve:
    found = [(r, r[side][name or r[f"{side}_best"]]) for r in rows if (name or r[f"{side}_best"]) in r[side]]
    x = [float(r["size"]) for r, _ in found]
    middle, low, high = ([r["size"] / t[k] for r, t in found] for k in ("median", "most", "least"))
    return Curve(label, x, middle, low, high)


def _rates(result: dict[str, Any]) -> list[str]:
    rows = [r for r in result["sizes"] if r["size"] > 0]
    if not rows:
        return []
    how = "preloaded" if result["through"] == "preload" else "direct"
    found = [
        _curve(rows, "ours", None, f"Allport, {how}"),
        _curve(rows, "mpi", None, f"{result['library']}, best setting of each size"),
        _curve(rows, "mpi", "default", f"{result['library']}, default"),
    ]
    bounds = [(float(r["size"]), r["size"] / r["bound"]) for r in rows if r["bound"] > 0]
    if bounds:
        found.append(Curve("bound of the links", [b[0] for b in bounds], [b[1] for b in bounds], dashed=True))
    drawn, keys = curves(
        "Rate over size", found, ("bytes of the whole vector", "bytes per second"), (format_bytes, format_rate),
        log=(True, True),
    )  # fmt: skip
    return [drawing(drawn, "Rate over size: medians, and all samples as a band"), legend(keys)]


def _predicted(rows: list[dict[str, Any]]) -> list[str]:
    """Predicted, simulated and measured time of each size."""
    found = [r for r in rows if r["ours_best"] is not None]
    cells = []
    for r in found:
        least = r["ours"][r["ours_best"]]["least"]
        ratio = f"{least / r['simulated']:.2f}" if r["simulated"] > 0 else ""
        predicted = r["chosen"].get("predicted")
        cells.append(
            [
                format_bytes(r["size"]),
                r["chosen"]["algorithm"],
                "" if predicted is None else format_seconds(float(predicted)),
                format_seconds(r["simulated"]),
                format_seconds(least),
                ratio,
                f"{r['of_bound']:.2f}" if r.get("of_bound") else "",
            ]
        )
    head = ["size", "algorithm", "price", "simulated", "measured, best", "measured / simulated", "of bound"]
    sizes = [float(r["size"]) for r in found]
    lines = [
        Curve("measured, best", sizes, [r["ours"][r["ours_best"]]["least"] for r in found]),
        Curve("simulated", sizes, [r["simulated"] for r in found]),
        Curve("bound of the links", sizes, [r["bound"] for r in found], dashed=True),
    ]
    axes = ("bytes of the whole vector", "seconds")
    drawn, keys = curves("Seconds over size", lines, axes, (format_bytes, format_seconds), log=(True, True))
    shown = [drawing(drawn, "Predicted and measured time over size"), legend(keys)] if drawn else []
    return [*shown, table("Predicted beside measured", head, cells, words=("algorithm",))]


def _sizes(rows: list[dict[str, Any]]) -> str:
    """'8 B, 64 KiB to 1 MiB'."""
    named = [format_bytes(r["size"]) for r in rows]
    return ", ".join(named) if len(named) <= 4 else f"{named[0]} to {named[-1]}, {len(named)} sizes"


def _of_prediction(result: dict[str, Any], rows: list[dict[str, Any]]) -> list[Advice]:
    off = [
        (r, r["ours"][r["ours_best"]]["least"] / r["simulated"]) for r in rows if r["ours_best"] and r["simulated"] > 0
    ]
    above = [r for r, _ in off if r.get("of_bound", 0) > 1.05]
    far = [(r, ratio) for r, ratio in off if not 1 / FAR < ratio < FAR]
    if not far and not above:
        return []
    if above:
        most = max(r["of_bound"] for r in above)
        why = f"{_sizes(above)}: {most:.2f} of the lower bound: the links are faster than {_where(result)} says"
    else:
        least, most = min(ratio for _, ratio in far), max(ratio for _, ratio in far)
        why = f"{_sizes([r for r, _ in far])}: measured over simulated time is {least:.2f} to {most:.2f}: the rates "
        why += "behind the prices are wrong"
    spec = result["machine"]
    return [Advice("Measure the machine", why, f"allport machine calibrate -m {spec} -o measured.toml")]


def _advice(result: dict[str, Any]) -> list[Advice]:
    rows, found = result["sizes"], []
    worse = [r for r in rows if r.get("ratio", 1.0) * CLEARLY < 1.0]
    if worse:
        least = min(r["ratio"] for r in worse)
        why = f"{_sizes(worse)}: MPI's best setting is up to {1 / least:.2f} times as fast as ours"
        found.append(
            Advice("Leave these sizes to MPI", why + "; the drop-in times both and uses the faster one",
                   "ALLPORT_DROPIN=auto ALLPORT_SELECT=on")
        )  # fmt: skip
    tuned = [
        (r, r["mpi"]["default"]["least"] / r["mpi"][r["mpi_best"]]["least"])
        for r in rows
        if r["mpi_best"] not in (None, "default") and "default" in r["mpi"]
    ]
    better = [(r, ratio) for r, ratio in tuned if ratio >= 1.2]
    if better:
        best = max(better, key=lambda pair: pair[1])
        why = f"{format_bytes(best[0]['size'])}: its setting '{best[0]['mpi_best']}' is {best[1]:.2f} times as fast as "
        why += f"its default; {len(better)} of {len(rows)} sizes gain at least 1.2 times"
        found.append(Advice(f"Other settings of {result['library']}, where it is used without Allport", why))
    others = [
        r
        for r in rows
        if r["ours_best"] not in (None, "drop-in", r["chosen"]["algorithm"]) and r["chosen"]["algorithm"] in r["ours"]
        and r["ours"][r["chosen"]["algorithm"]]["least"] > CLEARLY * r["ours"][r["ours_best"]]["least"]
    ]  # fmt: skip
    if others:
        r = others[0]
        why = (
            f"{format_bytes(r['size'])}: '{r['ours_best']}' took {format_seconds(r['ours'][r['ours_best']]['least'])}, "
        )
        why += f"'{r['chosen']['algorithm']}', which price chooses, "
        why += format_seconds(r["ours"][r["chosen"]["algorithm"]]["least"])
        found.append(Advice("Another algorithm than by price", why, f"algorithm='{r['ours_best']}'"))
    return found + _of_prediction(result, rows)


def _add_schedule(page: Page, result: dict[str, Any]) -> None:
    """Adds a simulation of the run at the largest size: trees, links over time, link loads."""
    row = max(result["sizes"], key=lambda r: r["size"], default=None)
    where = known_machine(result["machine"])
    if row is None or where is None or where.ranks != result["ranks"]:
        return
    chosen, what = row["chosen"], contract_name(result["collective"])
    how = {"algorithm": chosen["algorithm"], "segment": chosen["segment"] or None}
    run = again(what, where, row["bytes"], element_of(result["collective"]), **how)
    if run is not None:
        add_sections(page, run, f", {format_bytes(row['size'])} simulated")


def _of_collective(result: dict[str, Any]) -> Page:
    rows = result["sizes"]
    through = "through the preloaded drop-in" if result["through"] == "preload" else "called directly"
    page = Page(
        f"{result['collective']} on {_where(result)}: Allport beside {result['library']}",
        f"{result['ranks']} ranks, Allport {through}, {result['rounds']} rounds by turns; seconds of the slowest rank.",
    )
    ratios = [r["ratio"] for r in rows if "ratio" in r]
    wrong = sum(r["wrong"] for r in rows)
    bound = [r["of_bound"] for r in rows if r.get("of_bound")]
    page.facts = [
        ("sizes", str(len(rows))),
        ("ours over MPI's best", f"{min(ratios):.2f} to {max(ratios):.2f} times" if ratios else ""),
        ("of the bound, at most", f"{max(bound):.2f}" if bound else ""),
        ("wrong bytes", f"{wrong:,}"),
        ("links", format_links(result["links"]) if result.get("links") else ""),
    ]
    page.advice = _advice(result)
    cells = [
        [
            format_bytes(r["size"]),
            _times(r["mpi"].get("default")),
            _times(r["mpi"].get(r["mpi_best"])),
            r["mpi_best"] or "",
            _times(r["ours"].get(r["ours_best"])),
            r["chosen"]["algorithm"] if r["ours_best"] == "drop-in" else r["ours_best"] or "",
            f"{r['ratio']:.2f}" if "ratio" in r else "",
        ]
        for r in rows
    ]
    head = ["size", "MPI default", "MPI best", "its setting", "ours", "by", "times"]
    page.add("Measured", *_rates(result), table("Median, least and most", head, cells, words=("its setting", "by")))
    page.add("Predicted against measured", *_predicted(rows))
    _add_schedule(page, result)
    others = [
        [format_bytes(r["size"]), name, _times(t)] for r in rows for name, t in r["ours"].items() if len(r["ours"]) > 1
    ]
    page.add(
        "Every algorithm", fold("Times", table("Of ours", ["size", "algorithm", "time"], others, words=("algorithm",)))
    )
    return page


def _of_calls(result: dict[str, Any]) -> Page:
    modes = result["modes"]
    page = Page(
        f"{result['calls']} calls in a row on {_where(result)}",
        f"{result['ranks']} ranks on {result['cores']} cores, {result['mpi']}, roots going round; medians of "
        f"{result['rounds']} rounds by turns until the slowest rank has made all calls.",
    )
    page.facts = [
        ("machine", "calibrated" if result["calibrated"] else "not calibrated"),
        ("wrong bytes", f"{sum(r['wrong'] for r in result['rows']):,}"),
    ]
    cells, slower, quicker = [], [], []
    for r in result["rows"]:
        plain = r["plain"]["median"]
        times = [format_seconds(r[m]["median"]) for m in modes]
        ratios = [f"{r[m]['median'] / plain:.2f}" for m in modes[1:]]
        cells.append([r["collective"], format_bytes(r["size"]), *times, *ratios])
        if "auto" in modes and r["auto"]["median"] > 1.1 * plain:
            slower.append(f"{r['collective']} of {format_bytes(r['size'])}")
        if "auto" in modes and "always" in modes and r["always"]["median"] * 1.1 < min(plain, r["auto"]["median"]):
            quicker.append(f"{r['collective']} of {format_bytes(r['size'])}")
    head = ["collective", "size", *modes, *(f"{m} / plain" for m in modes[1:])]
    page.add("Times", table("A call, and beside the plain one", head, cells))
    command = f"allport machine calibrate -m {result['machine']} -o measured.toml"
    for names, what in ((slower, "slower under the drop-in than plain"), (quicker, "quicker when always taken")):
        if names and not result["calibrated"]:
            some = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
            why = f"{some}: {what}, and the drop-in decides by rates that were not measured"
            page.advice.append(Advice("Measure the machine", why, command))
            break
    return page


def _of_jacobi(result: dict[str, Any]) -> Page:
    grid, block = ("x".join(str(n) for n in result[key][3 - result["axes"] :]) for key in ("grid", "block"))
    page = Page(
        f"Jacobi's iteration on {grid} doubles in blocks of {block}",
        f"{result['ranks']} ranks of {result['threads']} threads; every variant computed the same cells.",
    )
    medians = {name: statistics.median(found["seconds"]) for name, found in result["variants"].items()}
    order = sorted(medians, key=lambda name: medians[name])
    rows = [(name, [(medians[name], KINDS[0])], format_seconds(medians[name])) for name in order]
    page.add("Seconds of an iteration", bars("Medians over rounds, the quickest first", rows, mark=0))
    cells = []
    for name in order:
        found = result["variants"][name]
        uneven = statistics.median(found["imbalance"]) if found.get("imbalance") else None
        peak = statistics.median(found["peak_to_mean"])
        cells.append(
            [
                name,
                format_seconds(min(found["seconds"])),
                format_seconds(max(found["seconds"])),
                f"{peak:.1f}" if peak else "",
                "" if uneven is None else f"{uneven:.2f}",
            ]
        )
        alone = name == order[0] and not any(balancer in name for balancer in ("greedy", "refine"))
        if uneven is not None and uneven > 1.2 and alone:
            why = f"'{name}': the rank with most work has {uneven:.2f} times the mean, and no block moves"
            page.advice.append(Advice("Move blocks between ranks", why, "--balance greedy,refine"))
    page.add(
        "More of each",
        table("Rounds", ["variant", "least", "most", "received: peak / mean", "work: most / mean"], cells),
    )
    page.facts = [("quickest", order[0]), ("its iteration", format_seconds(medians[order[0]]))]
    if len(order) > 1:
        page.facts = [*page.facts, ("next", f"{order[1]}: {medians[order[1]] / medians[order[0]]:.2f} times as long")]
    if not result.get("sends", True):
        page.add("No faces travel", paragraph("Cells then differ between variants, and times have no communication."))
    return page


def _of_comparison(result: dict[str, Any]) -> Page:
    rows = result["rows"]
    page = Page(
        f"{result['collective']} on {result['machine']}: algorithms side by side",
        f"{result['ranks']} ranks, simulated.",
    )
    names = list(dict.fromkeys(a for r in rows for a, found in r["algorithms"].items() if "seconds" in found))
    lines = []
    for name in names:
        points = [
            (float(r["size"]), r["algorithms"][name]["seconds"]) for r in rows if "seconds" in r["algorithms"][name]
        ]
        lines.append(Curve(name, [p[0] for p in points], [p[1] for p in points]))
    lines.append(Curve("lower bound", [float(r["size"]) for r in rows], [r["bound"] for r in rows], dashed=True))
    axes = ("bytes of the whole vector", "seconds, simulated")
    drawn, keys = curves("Simulated seconds over size", lines, axes, (format_bytes, format_seconds), log=(True, True))
    cells = []
    for r in rows:
        found = [r["algorithms"][n] for n in names]
        times = [format_seconds(f["seconds"]) if "seconds" in f else "" for f in found]
        cells.append([format_bytes(r["size"]), format_seconds(r["bound"]), *times, r["fastest"], r["chosen"]])
    head = ["size", "bound", *names, "fastest", "by price"]
    page.add("Simulated", drawing(drawn, "Simulated time over size"), legend(keys),
             table("Seconds", head, cells, words=("fastest", "by price")))  # fmt: skip
    reasons = {a: f["reason"] for r in rows for a, f in r["algorithms"].items() if "reason" in f}
    page.add("Cannot serve", table("Why not", ["algorithm", "why"], [list(p) for p in reasons.items()], words=("why",)))
    page.facts = [("sizes", str(len(rows))), ("algorithms", str(len(names)))]
    lost = [
        (r, r["algorithms"][r["chosen"]]["seconds"] / r["algorithms"][r["fastest"]]["seconds"])
        for r in rows
        if "seconds" in r["algorithms"].get(r["chosen"], {}) and r["algorithms"][r["fastest"]]["seconds"] > 0
    ]
    clear = [(r, times) for r, times in lost if times > CLEARLY]
    if clear:
        r, times = max(clear, key=lambda pair: pair[1])
        why = f"{_sizes([r for r, _ in clear])}: price chooses '{r['chosen']}', which is simulated to take up to "
        why += f"{times:.2f} times as long as '{r['fastest']}'"
        page.advice.append(Advice("Another algorithm than by price", why, f"algorithm='{r['fastest']}'"))
    return page
