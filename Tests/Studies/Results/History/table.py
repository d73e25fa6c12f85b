#!/usr/bin/env python3
# The table of Scripts/results history: false alarms and delays of three detectors on the same series, as Markdown.
# A detector sees a series run by run and gives its first alarm. otava and ruptures are offline detectors: they see all runs so far, and
# any change point is an alarm. Their thresholds are the loosest of a list with at most one false alarm in 1000 runs.
import csv
import math
import os
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy
import ruptures
from otava.analysis import compute_change_points

NOISE, STEP, FIRST = 0.02, 0.03, 10
PENALTIES = [6, 8, 10, 12, 14, 16, 20]
PVALUES = [1e-3, 1e-4, 1e-5, 1e-6]
NULL_LENGTH = 100


def ruptures_alarm(values, penalty, first):
    for count in range(first, len(values) + 1):
        algorithm = ruptures.KernelCPD(kernel="linear", min_size=1).fit(numpy.array(values[:count]).reshape(-1, 1))
        if len(algorithm.predict(pen=penalty)) > 1:
            return count - 1
    return None


def otava_alarm(values, pvalue, first):
    for count in range(first, len(values) + 1):
        found = compute_change_points(values[:count], window_len=50, max_pvalue=pvalue, min_magnitude=0.0)
        if found[0]:
            return count - 1
    return None


def task(arguments):
    tool, values, parameter, first = arguments
    values = [value / values_scale(values) for value in values]
    return (ruptures_alarm if tool == "ruptures" else otava_alarm)(values, parameter, first)


def values_scale(values):
    """The noise of the series, which ruptures needs for its penalty: that of differences of neighbours."""
    return statistics.median(abs(a - b) for a, b in zip(values, values[1:])) / 0.6745 / math.sqrt(2)


def rate(alarms, length):
    """False alarms in 1000 runs: first alarms by exposure."""
    hits = [alarm for alarm in alarms if alarm is not None]
    exposure = sum(length if alarm is None else alarm + 1 for alarm in alarms)
    return 1000 * len(hits) / exposure, len(hits)


def found(alarms, before):
    """The share found within 3 runs and within 10, of the series without an alarm before the change."""
    valid = [alarm for alarm in alarms if alarm is None or alarm >= before]
    return [sum(alarm is not None and alarm < before + within for alarm in valid) / len(valid) for within in (3, 10)]


def bound(points, before):
    """The best probability within 3 runs with one false alarm in 1000 (Neyman-Pearson: known noise and direction)."""
    shift = STEP / NOISE * math.sqrt(points) * math.sqrt(3 * before / (before + 3))
    return statistics.NormalDist().cdf(shift - statistics.NormalDist().inv_cdf(1 - 3 / 1000))


def main(folder):
    own, series, counts = {}, {}, {}
    for row in csv.DictReader(open(os.path.join(folder, "own.csv"))):
        alarm = int(row["alarm"]) if row["alarm"] else None
        name = row["case"] + (f" {row['before']}" if row["case"].startswith("size-") else "")
        own.setdefault((name, int(row["points"])), []).append(alarm)
        counts.setdefault((name, int(row["points"])), []).append((int(row["changes"]), int(row["outliers"])))
    for row in csv.DictReader(open(os.path.join(folder, "series.csv"))):
        series.setdefault((row["case"], int(row["points"])), []).append([float(x) for x in row["means"].split()])
    print("# Changes in noisy histories: false alarms and delays\n")
    print(f"Made by `Scripts/results history`: series of a run's means with normal noise of {NOISE:.0%}, and a step of {STEP:.0%} after 30 or")
    print("100 runs in all points. `history show` sees the points, the others their mean, which has the noise of a run over the root of the")
    print("points. *false* is the number of false alarms in 1000 runs without a change (in brackets, the alarms seen); *3* and *10* are the shares of")
    print("the steps found within so many runs. The thresholds of otava (p-value) and ruptures (penalty) are the loosest of a list with at most one")
    print("false alarm in 1000 runs, or the strictest. *bound* is the largest share that any detector can find within 3 runs at one false")
    print("alarm in 1000 runs, even if it knows noise and direction (Neyman and Pearson 1933). Alarms of otava and ruptures before run 10, or before")
    print("the step, do not count against them.\n")
    print("| points | detector | false | 30 before: 3 | 10 | bound | 100 before: 3 | 10 | bound |")
    print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with ProcessPoolExecutor() as pool:
        for points in sorted({key[1] for key in own}):
            rows = [("`history show`", rate(own["null", points], 200), [found(own[f"step-{n}", points], n) for n in (30, 100)])]
            for tool, parameters in (("otava", PVALUES), ("ruptures", PENALTIES)):
                for parameter in parameters:
                    nulls = list(pool.map(task, [(tool, s[:NULL_LENGTH], parameter, FIRST) for s in series["null", points]]))
                    false = rate(nulls, NULL_LENGTH)
                    if false[0] <= 1:
                        break
                steps = []
                for before in (30, 100):
                    tasks = [(tool, s, parameter, before) for s in series[f"step-{before}", points]]
                    steps.append(found(list(pool.map(task, tasks)), before))
                rows.append((f"{tool} {parameter:g}", false, steps))
            for name, (false, count), steps in rows:
                cells = [f"{share:.0%}" for pair, n in zip(steps, (30, 100)) for share in (*pair, bound(points, n))]
                print(f"| {points} | {name} | {false:.2f} ({count}) | " + " | ".join(cells) + " |")
    print("\n## Other noise\n")
    print("False alarms of `history show` in 1000 runs, all changes of a series counted, for series of 100 and of 200 runs (80 000 runs a cell). The")
    print("manual promises at most 2 above the last two rows. In a drift and in a random walk the mean does change, and changes are reported.\n")
    print("| noise of a run's mean | 1 point, 100 runs | 200 runs | 3 points, 100 runs | 200 runs |")
    print("| --- | ---: | ---: | ---: | ---: |")
    laws = list(dict.fromkeys(case.split(" ", 1)[1] for case, points in own if case.startswith("law-") and points == 3))
    for law in laws:
        cells = []
        for points in (1, 3):
            for length in (100, 200):
                found_changes = counts.get((f"law-{length} {law}", points))
                cells.append("" if not found_changes else f"{1000 * sum(c for c, _ in found_changes) / len(found_changes) / length:.2f}")
        print(f"| {law} | " + " | ".join(cells) + " |")
    print("\n## Size of a step\n")
    print("The share of steps found within 3 runs / within 10, by the step in standard deviations of a run's mean (of all points: divide a point's by")
    print("the root of their number) and by the runs before it; one point, normal noise.\n")
    print("| step | 15 before | 30 | 60 | 100 |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for step in ("2.0", "2.6", "3.0", "4.0", "6.0"):
        cells = [" / ".join(f"{x:.0%}" for x in found(own[f"size-{step} {n}", 1], n)) for n in (15, 30, 60, 100)]
        print(f"| {step} | " + " | ".join(cells) + " |")
    print("\n## A single outlier\n")
    print("One run of 60, the 51st, is far from the others in all of 3 points; normal noise.\n")
    print("| distance, in standard deviations of a point | shown as an outlier | reported as a change |")
    print("| ---: | ---: | ---: |")
    for distance in ("6.0", "10.0", "20.0"):
        kinds = counts[f"outlier-{distance}", 3]
        shares = [sum(kind[index] > 0 for kind in kinds) / len(kinds) for index in (1, 0)]
        print(f"| {distance} | " + " | ".join(f"{share:.0%}" for share in shares) + " |")


if __name__ == "__main__":
    main(sys.argv[1])
