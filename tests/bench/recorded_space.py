# SPDX-License-Identifier: Apache-2.0
"""Recorded spaces for searches written in Python, and the trace that `build/bench/search --traces` scores.

A trace is one line of JSON: {"space": NAME, "strategy": NAME, "seconds": S, "runs": [[[ORDINAL, ...], ...], ...]}. A run
is its batches: what a strategy asks for before it hears of any of it. Ordinals count from 0 in the recording's order;
each is named once in a run.
"""
import gzip
import json
import math
import os
import re


def read_text(path):
    with open(path, "rb") as file:
        data = file.read()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def sum_ms(value):
    return sum(value) if isinstance(value, list) else (value or 0.0)


def rows_of_t4(root):
    for result in root["results"]:
        row = dict(result["configuration"])
        times = result["times"]
        row["compile_time"] = times.get("compilation", times.get("compilation_time")) or 0.0
        row["verification_time"] = times.get("validation") or 0.0
        row["benchmark_time"] = sum_ms(times.get("runtimes"))
        found = [m["value"] for m in result["measurements"] if m["name"] == "time"]
        if result["invalidity"] == "correct" and found and isinstance(found[0], (int, float)) and found[0] > 0:
            row["time"] = found[0]
        yield row, list(result["configuration"])


def rows_of_cache(root):
    for result in root["cache"].values():
        row = {key: result[key] for key in root["tune_params_keys"]}
        for name in ("compile_time", "verification_time", "benchmark_time"):
            row[name] = result.get(name) or 0.0
        value = result.get("time")
        if isinstance(value, (int, float)) and value > 0 and "__error__" not in result:
            row["time"] = value
        yield row, root["tune_params_keys"]


def load(path):
    """[row], [parameter], {parameter: [value]}: a row without a "time" failed."""
    text = read_text(path).rstrip().rstrip(",")
    try:
        root = json.loads(text)
    except json.JSONDecodeError:
        root = json.loads(text + "}}")  # of an unfinished run
    pairs = list(rows_of_t4(root) if "results" in root else rows_of_cache(root))
    rows, names = [row for row, _ in pairs], pairs[0][1]
    values = {name: sorted({row[name] for row in rows}, key=lambda v: (isinstance(v, str), v)) for name in names}
    return rows, names, values


def name_of(path):
    return re.sub(r"(\.(t4|kt))?\.json(\.gz)?$", "", os.path.basename(path))


def cost_s(row):
    return 1e-3 * (row["compile_time"] + row["verification_time"] + row["benchmark_time"])


def budget_s(rows):
    """What random search takes for 95 % of the way from the median to the optimum (search_scoring.h)."""
    times = sorted((row["time"] for row in rows if "time" in row), reverse=True)
    n, best = len(times), times[-1]
    median = (times[(n - 1) // 2] + times[n // 2]) / 2
    enough = median - 0.95 * (median - best)
    place = next(i for i, t in enumerate(times) if t <= enough or i + 1 == n)
    draws = max(1, math.ceil(place / (n + 1 - place)))
    return draws * sum(map(cost_s, rows)) / n


def print_trace(path, strategy, seconds, runs):
    print(json.dumps({"space": name_of(path), "strategy": strategy, "seconds": seconds, "runs": runs},
                     separators=(",", ":")), flush=True)
