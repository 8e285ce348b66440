"""The lab touches what is its own and nothing else: processes, namespaces, files, settings of the caller."""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import allport as ap
import pytest
from allport.lab import Lab
from allport.run.launch import JobFailed
from lab_rig import NAME, later, namespaces, why_not

if WHY := why_not():
    pytest.skip(f"the lab {WHY}", allow_module_level=True)


@pytest.fixture
def strangers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Children of this process that no lab has started, to which more may be added."""
    children = [subprocess.Popen(["sh", "-c", "read x; exit 5"], stdin=subprocess.PIPE) for _ in range(2)]
    yield children
    for child in children:
        child.communicate(b"\n", timeout=10)
        assert child.returncode == 5, "another's child was ended, or its exit code was taken"


def subreaper() -> int:
    """This process's PR_GET_CHILD_SUBREAPER."""
    found = ctypes.c_int(-1)
    assert ctypes.CDLL(None).prctl(37, ctypes.byref(found), 0, 0, 0) == 0
    return found.value


def test_a_run_leaves_the_callers_children_and_settings_alone(
    up: Callable[..., Lab], strangers: list[subprocess.Popen[bytes]], capfd: pytest.CaptureFixture[str]
) -> None:
    lab, ended = up("torus:2"), subprocess.Popen(["sh", "-c", "exit 6"])
    begun = threading.Event()

    def one_more() -> None:
        begun.wait(60)
        strangers.append(subprocess.Popen(["sh", "-c", "read x; exit 5"], stdin=subprocess.PIPE))

    during = threading.Thread(target=one_more)
    during.start()
    threading.Timer(0.7, begun.set).start()
    leave = "setsid sleep 600 >/dev/null 2>&1 & echo $!; sleep 2; exit 3"  # a child that leaves its parent
    assert ap.lab.run_on(lab, 1, ["sh", "-c", leave]) == 3
    during.join()
    left = int(capfd.readouterr().out)
    assert ap.run.launch.start_time(left) == 0 and ap.lab.status(NAME)["processes"] == 0
    assert len(strangers) == 3 and all(child.poll() is None for child in strangers)
    assert ended.wait() == 6 and subreaper() == 0
    fault = later(1, lambda: ap.lab.take_down(NAME))
    with pytest.raises(JobFailed, match="was taken down while the program ran"):
        ap.lab.run_on(lab, 0, ["sleep", "600"])
    fault.join()
    assert all(child.poll() is None for child in strangers) and subreaper() == 0


class Notebook:
    """What IPython puts in the place of sys.stdout: text, no file number, no buffer below, no name."""

    def __init__(self, breaks: bool = False) -> None:
        self.text, self.breaks = "", breaks

    def write(self, text: str) -> int:
        if self.breaks:
            raise ValueError("I/O operation on closed file")
        self.text += text
        return len(text)


@pytest.mark.parametrize("breaks", [False, True])
def test_a_run_in_a_notebook(
    up: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch, strangers: list[subprocess.Popen[bytes]], breaks: bool
) -> None:
    lab, out, err = up("torus:2"), Notebook(breaks), Notebook()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    code = "import sys; sys.stdout.write('\u00e4' * 500_000 + 'end'); sys.stderr.write('told')"

    async def cell() -> tuple[int, int]:
        other = await asyncio.create_subprocess_exec("sh", "-c", "exit 4")
        done = ap.lab.run_on(lab, 1, [sys.executable, "-X", "utf8", "-c", code])
        return done, await other.wait()

    assert asyncio.run(cell()) == (0, 4)
    assert out.text == ("" if breaks else "\u00e4" * 500_000 + "end") and err.text == "told"


def test_a_lab_object_means_its_own_lab(up: Callable[..., Lab]) -> None:
    first = up("torus:2")
    first.down()
    second = up("torus:2")
    for act in (first.down, lambda: first.cut("0+x"), lambda: ap.lab.run_on(first, 0, ["sleep", "600"])):
        with pytest.raises((ap.Error, JobFailed), match="was taken down"):
            act()
    with first:
        pass  # leaves the second alone
    assert Lab.attach(NAME).born == second.born
    second.down()
    with second:
        pass


def bad_records(good: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """(text of lab.json, what is to be said of it)."""
    yield "{", "cannot be read"
    yield "[]", "not made by allport lab"
    yield "\udcff", "cannot be read"

    def changed(what: str, **values: Any) -> tuple[str, str]:
        return json.dumps({**good, **values}), what

    yield changed("'inodes': 'allport-other-1' is no namespace of lab", inodes={**good["inodes"], "allport-other-1": 4})
    yield changed("'inodes': .* is missing", inodes={})
    yield changed("'maker' = '7': expected int", maker="7")
    yield changed("'phase' = 'down': expected starting, up, going", phase="down")
    yield changed("'more' is not known", more=1)
    yield json.dumps({key: value for key, value in good.items() if key != "plan"}), "'plan' is missing"
    plan = good["plan"]
    for what, values in {
        r"'name' = '\.\./x': expected": {"name": "../x"},
        "'name' = 'other': expected": {"name": "other"},
        r"'lengths' = \['2'\]": {"shape": {**plan["shape"], "lengths": ["2"]}},
        "1000000 nodes; a lab has 1000": {"shape": {"lengths": [1000, 1000], "wraps": [True] * 2}, "bits": [8000] * 2},
        "65 nodes and 0 switches; a lab has": {"shape": {"nodes": 65, "switches": 0, "names": []}},
        "'names' = .*: expected one a vertex": {"shape": {"nodes": 2, "switches": 0, "names": ["a", "b;c"]}},
        "'forwarding' = 1: expected bool": {"forwarding": 1},
        "cable 0-1: no such ends": {
            "shape": {"nodes": 1, "switches": 0, "names": []},
            "cables": [{**plan["cables"][0], "low_port": 0, "high_port": 0}],
        },
        "'cables' are not those of its shape": {"cables": plan["cables"][:1]},
        "cable: 'cut' = 'no': expected bool": {"cables": [{**plan["cables"][0], "cut": "no"}, plan["cables"][1]]},
        "'tcp' = '; rm'": {"tcp": "; rm"},
        "'burst' = 1": {"burst": 1},
    }.items():
        yield changed(what, plan={**plan, **values})


def test_a_bad_record_is_refused_with_the_remedy_and_nothing_is_touched(
    up: Callable[..., Lab], allport: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    lab = up("torus:2")
    path = Path(f"/run/allport-lab/{NAME}/lab.json")
    good, before = path.read_text(), namespaces()
    inside = subprocess.Popen([*lab.node_command(1), "sleep", "600"])
    try:
        for text, what in bad_records(json.loads(good)):
            path.write_text(text, errors="surrogateescape")
            for act in (lambda: ap.lab.take_down(NAME), lambda: ap.lab.status(NAME), lambda: Lab.attach(NAME)):
                with pytest.raises(ap.Error, match=what) as error:
                    act()
                assert str(path) in str(error.value)
                assert f"ip netns delete those of its namespaces allport-{NAME}-" in str(error.value)
            with pytest.raises(ap.Error, match=what):
                Lab.up("torus:2", name=NAME)
        shown = allport("lab", "status")
        assert shown.returncode == 0 and f"lab '{NAME}': {path}: plan: 'burst' = 1" in " ".join(shown.stdout.split())
        assert namespaces() == before and inside.poll() is None
    finally:
        path.write_text(good)  # a bad one would stand in every later lab's way
    assert ap.lab.take_down(NAME)["ended_processes"] == 1
    inside.wait()


def test_without_handles_of_processes_nothing_is_signalled_and_that_is_said(
    up: Callable[..., Lab], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lab = up("torus:2")
    inside = subprocess.Popen([*lab.node_command(1), "sleep", "600"])
    # Whatever brought it there has gone when it runs under its own name, alone.
    while Path(f"/proc/{inside.pid}/comm").read_text() != "sleep\n" or ap.lab.status(NAME)["processes"] != 1:
        time.sleep(0.01)
    monkeypatch.delattr(os, "pidfd_open")  # Linux before 5.3
    assert ap.lab.take_down(NAME)["ended_processes"] == 0
    told = capsys.readouterr().err
    assert "this system has no handles of processes" in told and told.split()[-1] == str(inside.pid)
    assert inside.poll() is None
    inside.kill()
    inside.wait()


# A lab whose record and whose mount have been made to name the namespace that everything else runs in. It runs in a
# machine of its own (network, processes, mounts), so that a fault here ends nothing outside.
MACHINE = """
import json, os, subprocess, sys
from pathlib import Path
import allport as ap
name = sys.argv[1]
assert os.getpid() == 1 and len([p for p in os.listdir("/proc") if p.isdigit()]) == 1, "not alone"
bystander = subprocess.Popen(["sh", "-c", "read x; exit 5"], stdin=subprocess.PIPE)
ap.lab.Lab.up("torus:2", name=name)
mine, path = f"/run/netns/allport-{name}-1", Path(f"/run/allport-lab/{name}/lab.json")
subprocess.run(["umount", mine], check=True)
subprocess.run(["mount", "--bind", "/proc/self/ns/net", mine], check=True)
data = json.loads(path.read_text())
data["inodes"][f"allport-{name}-1"] = os.stat(mine).st_ino
path.write_text(json.dumps(data))
done = ap.lab.take_down(name)
bystander.communicate(b"")
subprocess.run(["umount", mine], check=True)
os.unlink(mine)
print(json.dumps({**done, "bystander": bystander.returncode}))
"""


def test_the_namespace_of_everything_else_is_never_a_labs() -> None:
    own = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    ran = subprocess.run([*own, sys.executable, "-c", MACHINE, NAME], capture_output=True, text=True, timeout=120)
    told = json.loads(ran.stdout or "{}")
    expected = {"ended_processes": 0, "left_alone": [f"allport-{NAME}-1"], "bystander": 5}
    assert told == {"name": NAME, "spec": "torus:2", **expected}, ran.stderr


# All of this root in a folder that is no mount point, and a command with that for its root.
CHROOT = """
set -e
cd "$1"
for each in /*; do
  if [ -L "$each" ]; then
    cp -P "$each" .
  elif [ -d "$each" ]; then
    mkdir ".$each"
    mount --rbind "$each" ".$each"
  fi
done
shift
exec chroot . "$@"
"""


def test_a_root_that_is_no_mount_point_is_told(tmp_path: Path) -> None:
    own = ["unshare", "--mount", "sh", "-c", CHROOT, "sh", str(tmp_path)]
    told = [sys.executable, "-m", "allport", "lab", "up", "torus:2", "--name", NAME]
    done = subprocess.run([*own, *told], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and NAME not in ap.lab.names(), done.stderr
    assert "cannot change root filesystem propagation" in done.stderr and "mount --bind ROOT ROOT" in done.stderr


def test_every_command_checks_the_name(allport: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    name, victim = "../../X", Path("/X.lock")  # what a lock of that name would be, in /run/allport-lab
    victim.write_text("somebody's")
    try:
        for words in (
            ["up", "torus:2"],
            ["down"],
            ["status"],
            ["run", "--", "true"],
            ["cut", "0+x"],
            ["restore", "0+x"],
            ["throttle", "0+x", "1mbit"],
        ):
            done = allport("lab", words[0], "--name", name, *words[1:])
            assert done.returncode == 1
            assert f"name = '{name}': expected up to 12 letters and digits" in " ".join(done.stderr.split())
        assert victim.read_text() == "somebody's"
    finally:
        victim.unlink()
