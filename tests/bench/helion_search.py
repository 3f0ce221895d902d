#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
helion_search.py RECORDING REPEATS: a pattern search with a surrogate, as Helion's documentation describes its
"LFBO pattern search", on a recording, as a trace (recorded_space.py). Written anew from that description and from
Song et al., A General Recipe for Likelihood-free Bayesian Optimization (2022); needs scikit-learn.

A generation is one batch. The first are POPULATION random configurations; its COPIES best begin a search each. In every
generation a random forest learns which configurations are among the best tenth (weighted by how far below its threshold
they are; what failed is not). Of NEIGHBOURS random neighbours of each copy (up to RADIUS parameters moved, each by up
to RADIUS values) a tenth is measured: one after the other that with the highest probability, less its similarity to
those chosen before. A copy that finds nothing better (by 0.1 %) ends. Where all have, or after GENERATIONS, the search
begins again from new random ones with what it has learned, until the budget is spent; Helion would end there.
"""
import random
import sys
import time

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from recorded_space import budget_s, cost_s, load, print_trace

POPULATION, COPIES, GENERATIONS = 100, 5, 20
NEIGHBOURS, SELECTED, RADIUS, QUANTILE, LEAST_GAIN = 300, 0.10, 2, 0.10, 0.001
LONGER = 1.25  # than the score's budget, as kt_strategies.py


class Space:
    def __init__(self, rows, names, values):
        place = {name: {value: at for at, value in enumerate(values[name])} for name in names}
        self.points = np.array([[place[name][row[name]] for name in names] for row in rows])
        self.ordinal = {tuple(point): at for at, point in enumerate(self.points.tolist())}
        self.ordered = [all(isinstance(v, (int, float)) for v in values[name]) for name in names]
        self.sizes = [len(values[name]) for name in names]
        self.free = [p for p, size in enumerate(self.sizes) if size > 1]
        self.seconds = np.array([row.get("time", np.inf) for row in rows])
        self.cost = np.array([cost_s(row) for row in rows])

    def neighbour(self, of):
        point = self.points[of].tolist()
        for p in random.sample(self.free, min(len(self.free), random.randint(1, RADIUS))):
            if self.ordered[p]:
                low, high = max(0, point[p] - RADIUS), min(self.sizes[p] - 1, point[p] + RADIUS)
                point[p] = random.randint(low, high)
            else:
                point[p] = random.randrange(self.sizes[p])
        return self.ordinal.get(tuple(point))


class Search:
    def __init__(self, space, seconds, seed):
        random.seed(seed)
        self.space, self.left_s, self.seed = space, seconds, seed
        self.batches, self.tried = [], {}

    def measure(self, batch):
        new = [c for c in dict.fromkeys(batch) if c not in self.tried]
        self.tried.update((c, self.space.seconds[c]) for c in new)
        self.left_s -= self.space.cost[new].sum()
        self.batches.extend([new] if new else [])
        return self.left_s > 0 and len(self.tried) < len(self.space.points)

    def fit(self):
        tried = np.fromiter(self.tried, dtype=int)
        seconds = self.space.seconds[tried]
        valid = seconds[np.isfinite(seconds)]
        if len(valid) == 0:
            return None
        threshold = np.quantile(valid, QUANTILE)
        good = seconds <= threshold
        if good.all():
            return None
        weights = np.ones(len(tried))
        gains = threshold - seconds[good]
        weights[good] = 1e-3 + gains / gains.mean() if gains.mean() > 0 else 1.0
        forest = RandomForestClassifier(n_estimators=100, min_samples_leaf=1, random_state=self.seed)
        return forest.fit(self.space.points[tried], good, sample_weight=weights)

    def candidates(self, of):
        found = {}
        for _ in range(10 * NEIGHBOURS):
            near = self.space.neighbour(of)
            if near is not None and near not in self.tried:
                found[near] = True
                if len(found) == NEIGHBOURS:
                    break
        return list(found)

    def choose(self, forest, among):
        count = min(len(among), max(1, int(SELECTED * NEIGHBOURS)))
        if forest is None:
            return random.sample(among, count)
        points = self.space.points[among]
        score = forest.predict_proba(points)[:, 1].copy()
        leaves, likeness, chosen = forest.apply(points), np.zeros(len(among)), []
        for _ in range(count):
            best = int(np.argmax(score - likeness))
            chosen.append(among[best])
            score[best] = -np.inf
            likeness = np.maximum(likeness, (leaves == leaves[best]).mean(axis=1))
        return chosen

    def descend(self):
        """From the best ones; False when the budget is spent."""
        copies = sorted(self.tried, key=self.tried.get)[:COPIES]
        for _ in range(GENERATIONS):
            forest = self.fit()
            asked = {}
            for copy in copies:
                among = [c for c in self.candidates(copy) if not any(c in batch for batch in asked.values())]
                asked[copy] = self.choose(forest, among) if among else []
            if not self.measure([c for batch in asked.values() for c in batch]):
                return False
            nearest = {copy: min(batch, key=self.tried.get) for copy, batch in asked.items() if batch}
            copies = [best for copy, best in nearest.items()
                      if self.tried[best] < self.tried[copy] * (1 - LEAST_GAIN)]
            if not copies:
                break
        return True

    def run(self):
        while True:
            rest = [c for c in range(len(self.space.points)) if c not in self.tried]
            if not self.measure(random.sample(rest, min(POPULATION, len(rest)))) or not self.descend():
                return [[int(c) for c in batch] for batch in self.batches]


def main():
    path, repeats = sys.argv[1], int(sys.argv[2])
    rows, names, values = load(path)
    space, begun = Space(rows, names, values), time.perf_counter()
    runs = [Search(space, LONGER * budget_s(rows), seed).run() for seed in range(repeats)]
    print_trace(path, "helion:lfbo_pattern_search", time.perf_counter() - begun, runs)


main()
