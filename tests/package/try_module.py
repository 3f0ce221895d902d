# SPDX-License-Identifier: Apache-2.0
"""The installed module, in an empty folder: `python try_module.py`. Needs neither GPU nor pandas nor matplotlib."""

import os
import pathlib
import signal
import subprocess
import sys
import time
import types

import rooftune

RECORDING = "sweeps/recorded/nvidia-h200/quick.json.gz"
os.environ["RFT_NVRTC"] = "off"  # a replay then compiles nothing


def expect_error(call, status, *words):
    try:
        call()
    except rooftune.Error as error:
        assert error.status == status, error.status
        for word in words:
            assert word in str(error), (word, str(error))
        assert error.remedy and error.remedy in str(error)
        return
    raise AssertionError(f"no error with {words}")


def shipped(name):
    return os.path.join(os.path.dirname(rooftune.program()), "..", "share", "rooftune", name)


def test_program_is_the_package_s():
    assert os.path.dirname(rooftune.__file__) in rooftune.program()


def test_run():
    os.mkdir("a folder")
    run = rooftune.run("sweeps/quick.lua", device="replay:" + RECORDING, output="a folder/-x.db", no_report=True,
                       quiet=True, at=["n=4096"], variant="vectorised")
    assert run.path == os.path.abspath("a folder/-x.db") or run.path == "a folder/-x.db", run.path
    best = run.best()
    assert {entry["problem"]["n"] for entry in best} == {4096}, best
    assert best[0]["sweep"] == "gemv_fp16" and best[0]["median_s"] > 0
    points = run.points()
    assert {point["variant"] for point in points} == {"vectorised"}
    assert all(isinstance(point["configuration"], dict) for point in points)
    again = rooftune.run("sweeps/quick.lua", device="replay:" + RECORDING, output=pathlib.Path("b.db"), no_report=True,
                         quiet=True, at={"n": [4096]}, variant=["vectorised"], no_race=True, fresh=False, seed=None)
    assert len(again.points()) == len(points)


def test_begins_with_a_hyphen():
    os.link("b.db", "-b.db")
    assert rooftune.Run("-b.db").best()


def test_recording():
    run = rooftune.Run(shipped(RECORDING))
    points = run.points()
    assert len(points) > 100 and {"median_s", "outcome", "registers"} <= set(points[0])
    assert run.findings()["device"] == "NVIDIA H200"


def test_frame():
    sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: ("frame", rows))
    try:
        kind, rows = rooftune.Run("b.db").points()
    finally:
        del sys.modules["pandas"]
    assert kind == "frame" and rows[-1]["n"] == 4096 and rows[-1]["configuration"]["BLOCK"] == rows[-1]["BLOCK"]


class Axes:
    """Stands in for matplotlib's, and keeps what was drawn."""

    def __init__(self):
        self.lines, self.clouds, self.settings = [], [], {}

    def plot(self, xs, ys, *_, **__):
        self.lines.append((xs, ys))

    def scatter(self, xs, ys, **__):
        self.clouds.append((list(xs), list(ys)))

    def set(self, **settings):
        self.settings.update(settings)

    def legend(self):
        pass


def test_roofline():
    run = rooftune.Run(shipped(RECORDING))
    ax = Axes()
    assert run.plot_roofline("fp32", ax=ax) is ax
    assert len(ax.lines) == 3 and len(ax.clouds[0][0]) >= len(ax.clouds[1][0]) > 0
    for xs, ys in ax.lines:
        assert len(xs) == len(ys) and list(ys) == sorted(ys) and ys[-1] == ax.lines[-1][1][-1]
    try:
        run.plot_roofline("fp23", ax=ax)
    except ValueError as error:
        assert "fp32" in str(error)
    else:
        raise AssertionError("there is no such pipe")


def test_errors():
    expect_error(lambda: rooftune.run("missing.lua", device="replay:" + RECORDING, quiet=True), 11, "missing.lua")
    expect_error(lambda: rooftune.run("sweeps/quick.lua", no_rase=True, quiet=True), 2, 'did you mean "--no-race"')
    pathlib.Path("no run.db").write_text("nothing of a run")
    expect_error(lambda: rooftune.Run("no run.db").best(), 9, "no run.db")
    for options in ({"dry_run": True}, {"device": "0,1"}, {"device": "all"}, {"events": "-"}):
        try:
            rooftune.run("sweeps/quick.lua", quiet=True, **options)
        except ValueError:
            continue
        raise AssertionError(f"{options} was taken")
    try:
        rooftune.Run("none.db")
    except FileNotFoundError:
        return
    raise AssertionError("a run that is not there was opened")


def test_interrupt():
    """Ctrl-C from a terminal goes to both processes, from a notebook or kill to Python's alone: the child ends in both."""
    pathlib.Path("endless.lua").write_text("while true do end\n")
    script = f"import rooftune\ntry: rooftune.run('endless.lua', device='replay:{RECORDING}')\nexcept KeyboardInterrupt: print('interrupted')\n"
    for to_both in (False, True):
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until = time.monotonic() + 20
        while not any("endless.lua" in pathlib.Path(f"/proc/{child}/cmdline").read_text()
                      for child in children.read_text().split()):
            assert time.monotonic() < until and process.poll() is None
            time.sleep(0.02)
        time.sleep(0.2)  # the child waits for signals from its first lines on
        child = int(children.read_text().split()[0])
        (os.killpg if to_both else os.kill)(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=30)
        assert out == b"interrupted\n" and process.returncode == 0, (out, process.returncode)
        assert not os.path.exists(f"/proc/{child}"), "the program was left behind"


for name, test in list(globals().items()):
    if name.startswith("test_"):
        test()
        print(name)
