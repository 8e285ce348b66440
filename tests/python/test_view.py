"""The page of `allport simulate --view`, in a real headless browser: its slider moves, links light up."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from browser import browse

# Before the page's own script: errors are kept; a frame comes 16 ms after it was asked for, whatever this browser does
# about frames of a window that nobody sees.
CATCH = """<script>let frames = 0;
window.requestAnimationFrame = draw => setTimeout(() => draw(frames += 16), 16);
window.cancelAnimationFrame = clearTimeout;
window.wrong = []; addEventListener('error', e => wrong.push(e.message + ' line ' + e.lineno));
const told = console.error; console.error = (...a) => { wrong.push(a.join(' ')); told(...a); };</script>"""

# Moves the slider as a hand does, and reads pixels of the picture: how many are as warm as busy links, and green ones.
PROBE = """<script>
addEventListener('load', () => {
  const slider = document.getElementById('time'), mode = document.getElementById('mode');
  const canvas = document.getElementById('view');
  const look = () => {
    const p = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    let warm = 0, green = 0, drawn = 0, sum = 0;
    for (let i = 0; i < p.length; i += 4) {
      if (p[i + 3] < 128) continue;
      drawn++;
      if (p[i] > p[i + 2] + 60 && p[i] > p[i + 1]) warm++;
      if (p[i + 1] > p[i] + 60 && p[i + 1] > p[i + 2] + 30) green++;
      sum = (sum * 31 + p[i] + 7 * p[i + 1] + 49 * p[i + 2]) % 1000000007;
    }
    return {warm, green, drawn, sum, clock: document.getElementById('clock').textContent, at: +slider.value};
  };
  const move = value => {
    slider.value = value;
    slider.dispatchEvent(new Event('input', {bubbles: true}));
    return look();
  };
  const found = {start: look(), begin: move(0), middle: move(500), end: move(1000), again: move(500)};
  mode.value = 'sum';
  mode.dispatchEvent(new Event('change', {bubbles: true}));
  found.sum = look();
  found.sum_end = move(1000);
  mode.value = 'now';
  mode.dispatchEvent(new Event('change', {bubbles: true}));
  move(0);
  document.getElementById('play').click();
  const playing = document.getElementById('play').textContent;
  const finish = () => {
    document.getElementById('play').click();
    found.played = {...look(), playing, stopped: document.getElementById('play').textContent};
    found.wrong = wrong;
    found.size = [canvas.clientWidth, canvas.clientHeight, document.documentElement.scrollWidth, innerWidth];
    found.title = document.getElementById('title').textContent;
    document.body.dataset.found = JSON.stringify(found);
  };
  const wait = left => +slider.value > 0 || left === 0 ? finish() : setTimeout(wait, 40, left - 1);
  wait(400);
});
</script></body>"""


def opened(page: Path, folder: Path) -> dict[str, Any]:
    """What the probe found in the page in a browser."""
    text = page.read_text()
    assert text.count("<script>") == 1 and "</body>" in text
    (folder / "probed.html").write_text(text.replace("<script>", CATCH + "<script>", 1).replace("</body>", PROBE))
    return browse(folder / "probed.html", folder)


@pytest.mark.parametrize(
    ("machine", "collective", "algorithm"),
    [
        ("bgp:4x4", "bcast", "rectangular"),
        ("bgp:3x4x2", "allgather", "rotated"),
    ],
)
def test_links_light_up_as_the_slider_moves(machine: str, collective: str, algorithm: str, tmp_path: Path) -> None:
    schedule = ap.make_schedule(collective, machine, algorithm=algorithm, bytes=20_000, segment=4096)
    run = ap.simulate(schedule, machine, trace=True)
    ap.report.trace.animate(run, str(tmp_path / "v.html"))
    found = opened(tmp_path / "v.html", tmp_path)
    assert found["wrong"] == []
    assert found["title"].startswith(f"{collective} by {algorithm}")
    start, begin, middle, end = (found[k] for k in ("start", "begin", "middle", "end"))
    assert start["at"] == 0 and start["drawn"] > 500, "the machine is there before anything is touched"
    assert begin["green"] == 0, "nothing has arrived at the beginning"
    assert middle["at"] == 500 and middle["warm"] > 50, "busy links are warm in the middle"
    assert end["green"] > middle["green"] > 0, "nodes fill"
    assert len({begin["sum"], middle["sum"], end["sum"]}) == 3, "the picture changes with the slider"
    assert found["again"]["sum"] == middle["sum"], "and goes back with it"
    microseconds = [float(found[k]["clock"].split()[0]) for k in ("begin", "middle", "end")]
    total = float(re.search(r"of ([\d.e+]+)", end["clock"])[1])
    assert microseconds == pytest.approx([0.0, total / 2, total], rel=1e-2)
    assert total == pytest.approx(run.seconds * 1e6, rel=1e-3)
    assert found["sum"]["sum"] != middle["sum"], "load so far is another picture than load now"
    assert found["sum_end"]["sum"] != end["sum"]
    assert found["played"]["playing"] == "Pause" and found["played"]["stopped"] == "Play"
    assert 0 < found["played"]["at"] < 1000
    width, height, wide, seen = found["size"]
    assert width > 300 and height > 30 and wide <= seen


def test_a_page_in_which_nothing_moves_is_told(tmp_path: Path) -> None:
    """The probe sees a broken page: this test of the test needs a browser, too."""
    schedule = ap.make_schedule("bcast", "bgp:4x4", bytes=20_000)
    ap.report.trace.animate(ap.simulate(schedule, "bgp:4x4", trace=True), str(tmp_path / "v.html"))
    text = (tmp_path / "v.html").read_text()
    (tmp_path / "v.html").write_text(text.replace("function busy(list, from, to) {", "function busy() { nothing();"))
    wrong = opened(tmp_path / "v.html", tmp_path)["wrong"]
    assert any("nothing is not defined" in w for w in wrong)
