#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
kt_strategies.py RECORDING BUDGET_S REPEATS [STRATEGY...]: what Kernel Tuner's strategies evaluate on a recording.

Kernel Tuner 1.4's own strategies with their default options, its Searchspace and its SimulationRunner. Prints one line
of JSON for each strategy, {"strategy": NAME, "seconds": S, "runs": [[ORDINAL, ...], ...]}: the ordinals (from 0, in the
recording's order) of the configurations that a run evaluates, each once, in order. `build/bench/search` scores them
with the scorer of rooftune's own. A run ends when the recording's compile, validation and run times add up to BUDGET_S;
the time that Python itself takes is not charged, and a configuration that was evaluated before is free, as in Kernel
Tuner. Run N of a strategy is seeded with N.
"""
import contextlib
import gzip
import io
import json
import random
import sys
import time
from datetime import timedelta

import numpy as np
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.runners.simulation import SimulationRunner
from kernel_tuner.searchspace import Searchspace

DEFAULT = ["adaptive_tabu_greywolf", "genetic_algorithm"]


class SimulatedBudget(util.TuningBudget):
    """Charges what the recording says, and not the clock of this process."""

    def get_time_spent(self):
        return self.time_spent_extra


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
        else:
            row["__error__"] = util.RuntimeFailedConfig()
        yield row, list(result["configuration"])


def rows_of_cache(root):
    for result in root["cache"].values():
        row = {key: result[key] for key in root["tune_params_keys"]}
        for name in ("compile_time", "verification_time", "benchmark_time"):
            row[name] = result.get(name) or 0.0
        value = result.get("time")
        if isinstance(value, (int, float)) and value > 0 and "__error__" not in result:
            row["time"] = value
        else:
            row["__error__"] = util.RuntimeFailedConfig()
        yield row, root["tune_params_keys"]


def load(path):
    text = read_text(path).rstrip().rstrip(",")
    try:
        root = json.loads(text)
    except json.JSONDecodeError:
        root = json.loads(text + "}}")  # of an unfinished run
    pairs = list(rows_of_t4(root) if "results" in root else rows_of_cache(root))
    rows, names = [row for row, _ in pairs], pairs[0][1]
    values = {name: sorted({row[name] for row in rows}, key=lambda v: (isinstance(v, str), v)) for name in names}
    return {",".join(str(row[name]) for name in names): row for row in rows}, values


def one_run(strategy, cache, values, space, budget_s, seed):
    random.seed(seed)
    np.random.seed(seed)
    options = Options(kernel_name="recorded", problem_size=(1,), quiet=True)
    runner = SimulationRunner(None, options, options, 1, [])
    tuning = Options(
        strategy_options=Options({}), objective=["time"], objective_higher_is_better=[False], verbose=False,
        tune_params=values, cache=cache, cachefile=None, metrics=None, restrictions=[], simulated_time=0,
        budget=SimulatedBudget(time_limit=timedelta(seconds=budget_s), max_fevals=space.size))
    order = []
    add = tuning.budget.add_evaluations
    ordinal = {key: at for at, key in enumerate(cache)}
    run = runner.run

    def noting_run(configs, tuning_options):
        before = set(runner.visited_results)
        results = run(configs, tuning_options)
        for config in configs:
            key = ",".join(str(value) for value in config)
            if key in runner.visited_results and key not in before:
                before.add(key)
                order.append(ordinal[key])
        return results

    runner.run = noting_run
    try:
        strategy.tune(space, runner, tuning)
    except util.StopCriterionReached:
        pass
    assert add is not None and len(order) == tuning.budget.num_fevals, "an evaluation was not noted"
    return order


def main():
    path, budget_s, repeats = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    cache, values = load(path)
    space = Searchspace(None, None, None, from_cache={"tune_params": values, "cache": cache})
    for name in sys.argv[4:] or DEFAULT:
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            runs = [one_run(strategy_map[name] if not isinstance(strategy_map[name], str)
                            else __import__(strategy_map[name], fromlist=["tune"]),
                            cache, values, space, budget_s, seed) for seed in range(repeats)]
        print(json.dumps({"strategy": name, "seconds": time.perf_counter() - begun, "runs": runs}), flush=True)


main()
