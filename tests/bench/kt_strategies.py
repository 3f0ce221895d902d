#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
kt_strategies.py RECORDING REPEATS STRATEGY...: what Kernel Tuner's strategies evaluate on a recording, as traces
(recorded_space.py).

Kernel Tuner's own strategies (1.5.0) with their default options, its Searchspace and its SimulationRunner. A run ends
when the recording's compile, validation and run times add up to LONGER times the score's budget, so that a scorer that
charges wall time has enough, too; the time that Python itself takes is not charged, and a configuration that was
evaluated before is free, as in Kernel Tuner. Run N of a strategy is seeded with N.
"""
import contextlib
import io
import random
import sys
import time
import warnings
from datetime import timedelta

import numpy as np
from kernel_tuner import util
from kernel_tuner.interface import Options, strategy_map
from kernel_tuner.runners.simulation import SimulationRunner
from kernel_tuner.searchspace import Searchspace

from recorded_space import budget_s, load, print_trace

LONGER = 1.25


class SimulatedBudget(util.TuningBudget):
    """Charges what the recording says, and not the clock of this process."""

    def get_time_spent(self):
        return self.time_spent_extra


def one_run(strategy, cache, values, space, seconds, seed):
    random.seed(seed)
    np.random.seed(seed)
    options = Options(kernel_name="recorded", problem_size=(1,), quiet=True)
    runner = SimulationRunner(None, options, options, 1, [])
    tuning = Options(
        strategy_options=Options({}), objective=["time"], objective_higher_is_better=[False], verbose=False,
        tune_params=values, cache=cache, cachefile=None, metrics=None, restrictions=[], simulated_time=0,
        budget=SimulatedBudget(time_limit=timedelta(seconds=seconds), max_fevals=space.size))
    batches = []
    ordinal = {key: at for at, key in enumerate(cache)}
    run = runner.run

    def noting_run(configs, tuning_options):
        before = set(runner.visited_results)
        results = run(configs, tuning_options)
        keys = dict.fromkeys(",".join(str(value) for value in config) for config in configs)
        new = [ordinal[key] for key in keys if key in runner.visited_results and key not in before]
        batches.extend([new] if new else [])
        return results

    runner.run = noting_run
    try:
        strategy.tune(space, runner, tuning)
    except util.StopCriterionReached:
        pass
    assert sum(map(len, batches)) == tuning.budget.num_fevals, "an evaluation was not noted"
    return batches


def main():
    path, repeats = sys.argv[1], int(sys.argv[2])
    rows, names, values = load(path)
    for row in rows:
        if "time" not in row:
            row["__error__"] = util.RuntimeFailedConfig()
    cache = {",".join(str(row[name]) for name in names): row for row in rows}
    space = Searchspace(None, None, None, from_cache={"tune_params": values, "cache": cache})
    warnings.simplefilter("ignore")
    for name in sys.argv[3:]:
        begun = time.perf_counter()
        with contextlib.redirect_stdout(io.StringIO()):
            runs = [one_run(strategy_map[name], cache, values, space, LONGER * budget_s(rows), seed)
                    for seed in range(repeats)]
        print_trace(path, "kernel_tuner:" + name, time.perf_counter() - begun, runs)


main()
