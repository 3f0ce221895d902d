# SPDX-License-Identifier: Apache-2.0
"""rooftune from Python: runs the program, and reads the JSON that it writes (docs/installing.md).

    import rooftune
    run = rooftune.run("saxpy.lua", at=["n=1048576"], no_race=True)
    run.best()[0]["configuration"]
    run.points()             # a pandas.DataFrame where pandas is installed
    run.plot_roofline()      # where matplotlib is

    rooftune.Run("RUN.db").points()   # a run file or a recording that is there
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import Any, Mapping, Sequence, Union

__all__ = ["Error", "Run", "program", "run"]

Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """The program failed; the text is its message, with the place and the remedy.

    `status` is its exit status (docs/exit-codes.md), negative for a signal; `message` and `remedy` are its parts.
    """

    def __init__(self, status: int, message: str, remedy: str = "") -> None:
        super().__init__(f"{message}\n  remedy: {remedy}" if remedy else message)
        self.status = status
        self.message = message
        self.remedy = remedy


def _is_program(path: str) -> bool:
    """A compiled program: not the script of the same name that pip puts on PATH."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def program() -> str:
    """The program's path: the one of this package, else the first on PATH."""
    folders = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")]
    folders += [os.path.abspath(folder) for folder in os.get_exec_path()]
    for folder in folders:
        path = os.path.join(folder, "rooftune")
        if _is_program(path):
            return path
    raise Error(127, "the program rooftune is neither in this package nor on PATH", "install the wheel again")


def _main() -> None:
    """`rooftune` on PATH: becomes the program, which is called by the name that was typed."""
    name = sys.argv[0]
    if shutil.which("rooftune") == name:
        name = "rooftune"
    try:
        os.execv(program(), [name, *sys.argv[1:]])
    except Error as error:
        sys.exit(f"rooftune: {error}")


def _words(option: str, value: Any) -> list[str]:
    """An option by its --help name, as words of the command line; no words for None and False."""
    name = "--" + option.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [name]
    if isinstance(value, Mapping):
        return [f"{name}={key}={_text(one)}" for key, item in value.items() for one in _several(item)]
    return [f"{name}={_text(item)}" for item in _several(value)]


def _several(value: Any) -> Sequence[Any]:
    """The items of a list; a list of the value itself where it is none. A text is one value."""
    return value if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else [value]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return os.fsdecode(value) if isinstance(value, (str, bytes, os.PathLike)) else str(value)


def _file(path: Path) -> str:
    """A name that begins with "-" is no option."""
    text = os.fsdecode(path)
    return os.path.join(".", text) if text.startswith("-") else text


class _Talk(threading.Thread):
    """Reads what the program says, hands it on to sys.stderr line by line, and keeps the last message."""

    def __init__(self, stream: Any, quiet: bool) -> None:
        super().__init__(daemon=True)
        self.stream, self.quiet = stream, quiet
        self.lines: list[str] = []
        self.stopping = threading.Event()
        self.start()

    def run(self) -> None:
        for raw in self.stream:
            line = raw.decode("utf-8", "replace")
            if line.startswith("rooftune: "):
                self.lines.clear()
            self.lines.append(line)
            del self.lines[:-200]
            if line.startswith(("stopping: ", "rooftune: interrupted")):
                self.stopping.set()
            if not self.quiet:
                sys.stderr.write(line)
                sys.stderr.flush()

    def error(self, status: int) -> Error:
        """What the program said last."""
        self.join()
        text = "".join(self.lines).strip()
        message, _, remedy = text.rpartition("\n  remedy: ")
        if not message:
            message, remedy = text, ""
        if status < 0:
            message = f"the program was ended by {signal.Signals(-status).name}\n{message}".strip()
        return Error(status, message.removeprefix("rooftune: ") or f"exit status {status}", remedy)


def _stop(child: subprocess.Popen[bytes], talk: _Talk) -> None:
    """After a Ctrl-C. A terminal has sent it to the child as well: it is passed on only where it did not come there."""
    if not talk.stopping.wait(1) and child.poll() is None:
        child.send_signal(signal.SIGINT)


def _call(words: Sequence[str], quiet: bool, events: bool = False, behind: Sequence[str] = ()) -> bytes:
    """Runs the program; returns its stdout, or its events in its place. Raises Error; KeyboardInterrupt, once it ended."""
    reader, writer = os.pipe() if events else (-1, -1)
    option = [f"--events=/dev/fd/{writer}"] if events else []
    try:
        child = subprocess.Popen(
            [program(), *words, *option, *behind],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if events else subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=[writer] if events else [],
        )
    except BaseException:
        if events:
            os.close(reader)
        raise
    finally:
        if events:
            os.close(writer)
    talk = _Talk(child.stderr, quiet)
    out, interrupted = bytearray(), False
    source: Any = os.fdopen(reader, "rb", 0) if events else child.stdout
    with source as stream:
        try:
            while child.returncode is None:
                try:
                    piece = stream.read(1 << 16)
                    out += piece
                    if not piece:
                        child.wait()
                except KeyboardInterrupt:
                    interrupted = True
                    _stop(child, talk)
        finally:
            if child.returncode is None:
                child.terminate()
    talk.join()
    talk.stream.close()
    if interrupted:
        raise KeyboardInterrupt
    if child.returncode != 0:
        raise talk.error(child.returncode)
    return bytes(out)


def run(sweep: Path | Sequence[Path], *, quiet: bool = False, script_args: Sequence[Any] = (), **options: Any) -> Run:
    """Measures a sweep (or several) on one device and returns the run; `rooftune run --help` lists the options.

    `no_race=True` is --no-race, `at=["n=4096"]` or `at={"n": 4096}` is --at n=4096, a list is several, `output="x.db"` is
    -o x.db. `script_args` is what stands behind "--". What the program says goes to sys.stderr, unless `quiet`. Ctrl-C
    stops it as it does on a terminal: what was measured is stored, then KeyboardInterrupt is raised. Raises Error.
    """
    sweeps = [sweep] if isinstance(sweep, (str, bytes, os.PathLike)) else list(sweep)
    for option in ("events", "dry_run", "help"):
        if options.get(option):
            raise ValueError(f"{option} is for the command line: run() returns what was measured")
    device = _text(options.get("device") or "")
    if device == "all" or ("," in device and not device.startswith("replay:")):
        raise ValueError("run() measures on one device: call it once for each, or use the command line")
    words = ["run", *map(_file, sweeps)]
    for option, value in options.items():
        words += _words(option, value)
    behind = ["--", *map(_text, _several(script_args))] if script_args else []
    events = map(json.loads, _call(words, quiet, True, behind).splitlines())
    return Run([event["file"] for event in events if event["event"] == "begin"][-1])


class Run:
    """A run file or a recording. It is read anew at each call, by the program; errors raise Error."""

    def __init__(self, path: Path) -> None:
        self.path = os.fsdecode(path)
        if not os.path.exists(self.path):
            raise FileNotFoundError(f"there is no run {self.path}")

    def __repr__(self) -> str:
        return f"rooftune.Run({self.path!r})"

    def _read(self, command: str, option: str) -> Any:
        return json.loads(_call([command, _file(self.path), option + "=-"], True))

    def findings(self) -> dict[str, Any]:
        """All that `rooftune show --json` tells (docs/show.md#json)."""
        found: dict[str, Any] = self._read("show", "--json")
        return found

    def points(self) -> Any:
        """Every point: a pandas.DataFrame where pandas is installed, else a list of dicts.

        Fields as in docs/show.md#fields-of-a-point, in base units; None (NaN in a frame) is not known. `problem` and
        `configuration` are dicts; a frame has their members as columns, too, by their names.
        """
        points = self._read("show", "--points")["points"]
        try:
            import pandas
        except ImportError:
            return points
        named = ({**point["problem"], **point["configuration"], **point} for point in points)
        return pandas.DataFrame(list(named))

    def best(self) -> list[dict[str, Any]]:
        """The best configuration of every problem: dicts with sweep, problem, variant, configuration, median_s ..."""
        best = self._read("best", "--json")["best"]
        return [{"sweep": sweep, **entry} for sweep, entries in best.items() for entry in entries]

    def plot_roofline(self, pipe: str | None = None, ax: Any = None) -> Any:
        """Draws the roofline of a pipe ("fp32"; default: the first) with every point; returns matplotlib's Axes.

        `ax`: where to draw; default: a new figure. Raises ImportError without matplotlib, ValueError where the run has
        no such roofline.
        """
        rooflines = self.findings()["rooflines"]
        pipes = [roofline["pipe"] for roofline in rooflines]
        if not pipes:
            raise ValueError(f"{self.path} has no roofline: no sweep of it counts operations, or nothing was measured")
        if pipe is not None and pipe not in pipes:
            raise ValueError(f'{self.path} has no roofline of "{pipe}"; it has: {", ".join(pipes)}')
        return _draw(rooflines[pipes.index(pipe) if pipe else 0], ax)


def _draw(roofline: Mapping[str, Any], ax: Any) -> Any:
    """One roofline: slopes of memory and L2, the flat roof of the pipe, all points, the bests over them."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots()[1]
    unit = roofline["unit"]
    ends = roofline["x_low"], roofline["x_high"]
    flat = roofline["ceilings"]["pipe"]["rate"]
    for level, style in (("dram", "-"), ("l2", ":")):
        slope = (roofline["ceilings"].get(level) or {}).get("rate")
        if slope:
            turn = [flat / slope] if flat and ends[0] < flat / slope < ends[1] else []
            xs = [ends[0], *turn, ends[1]]
            label = f'{roofline["ceilings"][level]["name"]}, {slope / 1e12:.3g} TB/s'
            ax.plot(xs, [min(x * slope, flat or x * slope) for x in xs], style, color="black", label=label)
    if flat:
        ax.plot(ends, (flat, flat), "-", color="black", label=f'{roofline["pipe"]}, {flat / 1e12:.3g} T{unit}')
    for points, size, color, label in (
        (roofline["points"], 4, "silver", "measured"),
        (roofline["best"], 25, "tab:red", "best of a problem"),
    ):
        xs = [point["intensity_ops_byte"] for point in points]
        ax.scatter(xs, [point["rate_ops_s"] for point in points], s=size, c=color, label=label, zorder=2)
    operation = unit.split("/")[0]
    ax.set(xscale="log", yscale="log", xlim=ends, ylim=(roofline["y_low"], roofline["y_high"]))
    ax.set(xlabel=f"intensity ({operation}/byte)", ylabel=f"useful rate ({unit})", title=roofline["pipe"])
    ax.legend()
    return ax
