"""Pages in a real headless browser: small and large windows, light and dark themes, and a notebook's cell."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from browser import browse

# The page, or a notebook's cell, stands in a frame as wide as what it is read on; the probe looks at it from outside.
FRAME = """<!doctype html><html><body style="margin:0">
{frames}
<script>
const colour = text => (text.match(/[\\d.]+/g) || []).slice(0, 3).map(Number);
const light = c => {{
  const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}};
const contrast = (a, b) => {{
  const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}};
const look = frame => {{
  const d = frame.contentDocument, w = frame.contentWindow;
  const top = d.querySelector('.allport'), style = e => w.getComputedStyle(e);
  const paper = e => {{
    for (let at = e; at; at = at.parentElement) {{
      const c = style(at).backgroundColor;
      if (c !== 'rgba(0, 0, 0, 0)' && c !== 'transparent') return colour(c);
    }}
    return [255, 255, 255];
  }};
  for (const e of d.querySelectorAll('details')) e.open = true;
  const words = [...d.querySelectorAll('p, dt, dd, th, td, li, h1, h2, h4, summary, figcaption, caption, a')]
    .filter(e => e.textContent.trim() && e.getClientRects().length);
  const faint = words.filter(e => contrast(colour(style(e).color), paper(e)) < 4.5).map(e => e.outerHTML.slice(0, 120));
  const svgs = [...d.querySelectorAll('svg')].map(e => e.getBoundingClientRect());
  const names = [...d.querySelectorAll('svg text')].filter(e => contrast(colour(style(e).fill), paper(e)) < 3
    && !e.classList.contains('on-dark')).map(e => e.outerHTML.slice(0, 120));
  const small = [...d.querySelectorAll('p, dd, td, th, li')].filter(e => parseFloat(style(e).fontSize) < 11).length;
  return {{
    wide: d.documentElement.scrollWidth, seen: w.innerWidth, drawings: svgs.length,
    empty: svgs.filter(r => r.width < 100 || r.height < 20).length,
    bars: [...d.querySelectorAll('.bar span')].filter(e => e.getBoundingClientRect().width > 0).length,
    spans: d.querySelectorAll('.bar span').length, paper: paper(top), ink: colour(style(top).color),
    faint, names, small,
    missing: [...d.querySelectorAll('nav a')].filter(a => !d.querySelector(a.getAttribute('href'))).length,
    words: words.length, open: top.textContent.length
  }};
}};
addEventListener('load', () => {{
  document.body.dataset.found = JSON.stringify([...document.querySelectorAll('iframe')].map(look));
}});
</script></body></html>"""
NIGHT = ("--blink-settings=preferredColorScheme=0",)
DAY = ("--blink-settings=preferredColorScheme=1",)


FRAME_OF = '<iframe width="{width}" height="900" style="border:0" srcdoc="{page}"></iframe>'


def seen(text: str, folder: Path, widths: tuple[int, ...], more: tuple[str, ...] = DAY) -> list[dict[str, Any]]:
    """What the probe sees of a page in frames of so many pixels."""
    frames = "\n".join(FRAME_OF.format(width=width, page=escape(text)) for width in widths)
    (folder / "frame.html").write_text(FRAME.format(frames=frames))
    found: Any = browse(folder / "frame.html", folder, size="1300,1000", more=more)
    return found


def things() -> dict[str, Any]:
    machine = ap.Machine.parse("bgp:4x4")
    bcast = ap.make_schedule("bcast", machine, algorithm="binomial", bytes=1 << 17)
    cube = ap.make_schedule("bcast", "bgp:3x3x3", bytes=1 << 15)
    return {
        "plan": ap.plan.lu(1500, 1500, machine),
        "simulation": ap.simulate(bcast, machine, trace=True),
        "cube": ap.simulate(cube, "bgp:3x3x3", trace=True),
        "tasks": ap.graph.simulate(
            ap.graph.cholesky(1024, 128, "4x4"), machine, model=ap.graph.Model(workers=2), trace=True
        ),
        "small_graph": ap.graph.cholesky(4, 1, "2x2"),
        "order": ap.mapping.choose("torus:4x4", ap.pattern.halo([8, 2], local=64)),
        "choice": ap.explain("bcast", machine, bytes=1 << 20),
        "compared": ap.bench.compare.compare("bcast", "bgp:2x2", sizes=["1KiB:64KiB"]),
        "large": ap.simulate(ap.make_schedule("bcast", "bgp:16x16x8", bytes=4096), "bgp:16x16x8", trace=True),
    }


THINGS = things()


@pytest.mark.parametrize("name", THINGS)
def test_pages_fit_a_phone_and_a_desk(name: str, tmp_path: Path) -> None:
    text = ap.report.pages.of(THINGS[name]).html()
    widths = (360, 1200)
    for width, found in zip(widths, seen(text, tmp_path, widths, NIGHT if len(name) % 2 else DAY), strict=True):
        assert found["wide"] <= found["seen"] == width, "nothing is wider than what it is read on"
        assert found["empty"] == 0 and found["drawings"] == text.count("<svg"), "every drawing can be seen"
        assert found["bars"] == found["spans"], "every bar can be seen"
        assert found["missing"] == 0 and found["words"] > 10 and found["small"] == 0
        assert found["faint"] == [] and found["names"] == [], "words stand out from what is behind them"


def test_pages_are_light_by_day_and_dark_by_night(tmp_path: Path) -> None:
    text = ap.report.pages.of(THINGS["simulation"]).html()
    day, night = (seen(text, tmp_path, (800,), more)[0] for more in (DAY, NIGHT))
    assert min(day["paper"]) > 240 and max(day["ink"]) < 80
    assert max(night["paper"]) < 60 and min(night["ink"]) > 200


@pytest.mark.parametrize("dark", [False, True])
def test_a_cell_of_a_notebook_has_the_notebook_s_colours(dark: bool, tmp_path: Path) -> None:
    cell = ap.report.pages.html(THINGS["tasks"])
    paper = "#111111" if dark else "#ffffff"
    theme = f'data-jp-theme-light="{str(not dark).lower()}" style="background:{paper};margin:0"'
    # Two of them, as in a notebook; what the system prefers does not matter there.
    text = f"<!doctype html><html><body {theme}><div>{cell}</div><div>{cell}</div></body></html>"
    (found,) = seen(text, tmp_path, (700,), DAY if dark else NIGHT)
    assert found["wide"] <= found["seen"] and found["empty"] == 0 and found["bars"] == found["spans"]
    assert found["faint"] == [] and found["names"] == []
    assert (min(found["ink"]) > 200) == dark


def test_a_page_that_is_too_wide_or_faint_is_told(tmp_path: Path) -> None:
    """The probe sees what is wrong: this test of the test needs a browser, too."""
    text = ap.report.pages.of(THINGS["choice"]).html()
    wide = text.replace("</main>", '<p style="width:2000px">wide</p></main>')
    assert seen(wide, tmp_path, (360,))[0]["wide"] > 360
    faint = text.replace("</main>", '<p style="color:#dddddd">faint</p></main>')
    assert len(seen(faint, tmp_path, (360,))[0]["faint"]) == 1
