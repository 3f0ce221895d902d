# SPDX-License-Identifier: Apache-2.0
"""How near does a short search come to the best of a space that was measured as a whole?

  python3 search_goal.py ROOFTUNE SWEEP.lua RECORDING.json.gz [SEEDS [SHARE [LOSS]]]

For seeds 1 to SEEDS (20) `rooftune run SWEEP.lua -d replay:RECORDING` with a budget of SHARE (0.03) of the recorded
configurations, as a user would search. What each found is judged by the recording's own first round, as is the best of
all. It prints both for the median seed, and ends with 1 where the median loses more than LOSS (0.01), with 77 without a
recording.
"""
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile


def recorded_times(path):
    """{configuration: median in ms} of what was measured."""
    with gzip.open(path) as file:
        results = json.load(file)["results"]
    return {json.dumps(r["configuration"], sort_keys=True): statistics.median(r["times"]["runtimes"])
            for r in results if r["invalidity"] == "correct" and r["times"]["runtimes"]}


def found_by(rooftune, sweep, recording, seed, budget, folder):
    run = os.path.join(folder, "run.db")
    subprocess.run([rooftune, "run", sweep, "-d", "replay:" + recording, "--budget", str(budget), "--seed", str(seed),
                    "--no-report", "--fresh", "-o", run], check=True, capture_output=True)
    shown = subprocess.run([rooftune, "show", run, "--json", "-"], check=True, capture_output=True).stdout
    found = json.loads(shown)["sweeps"][0]
    best = found["best"][0]
    return json.dumps({**best["problem"], **best["configuration"]}, sort_keys=True), found["counts"]


def main():
    rooftune, sweep, recording = sys.argv[1:4]
    seeds, share, most = ([float(word) for word in sys.argv[4:]] + [20, 0.03, 0.01][len(sys.argv) - 4:])
    if not os.path.exists(recording):
        print("skipped: no", recording)
        sys.exit(77)
    os.environ["RFT_NVRTC"] = "off"
    times = recorded_times(recording)
    best, budget = min(times.values()), int(share * len(times))
    losses = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(1, int(seeds) + 1):
            configuration, _ = found_by(rooftune, sweep, recording, seed, budget, folder)
            losses.append(times[configuration] / best - 1)
    median, within = statistics.median(losses), sum(t <= best * (1 + most) for t in times.values())
    print(f"{len(times)} configurations, best {best:.4f} ms, {within} within {most:.1%}; searches of {budget}, "
          f"{len(losses)} seeds: median {median:.2%} over the best, from {min(losses):.2%} to {max(losses):.2%}; "
          f"{sum(loss <= most for loss in losses)} within {most:.1%}")
    sys.exit(median > most)


if __name__ == "__main__":
    main()
