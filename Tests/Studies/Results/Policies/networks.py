"""Plays published policies and the built-in kinds over packets, and over the same links without TCP."""
import csv
import json
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from sessions import DASHLET, NICE, RATES, dashlet, drawn_lengths, feed, prefetcher, retentions, watch, write_visits

NETWORKS = ["3G", "DSL", "WPT 4G", "LTE", "Wi-Fi", "Very Bad Network"]
TRANSPORTS = ["packet", "fluid"]
# All but clairvoyant, which plans no segments but the first.
BUILT_IN = [
    "none", "itemsAhead", "costBudget", "ifunny-production", "ifunny-five", "adaptive", "uikit-1", "uikit-0.75screen",
    "infinite", "threshold-0.7", "dynamic-0.7", "lazy-target", "texture-full", "texture-minimum", "texture-article-2111", "operation-queue",
    "nuke", "kingfisher", "sdwebimage", "iglistkit", "glide-10", "recyclerview", "paging3", "react-native", "media3", "bytedance-3x800k",
    "short-video-rounds", "tiktok-2022", "chromium", "guess",
]
VIDEOS = 32
# The last videos, which no viewer reaches.
UNREACHED = 8
VIEWERS = 2


def title(policy):
    return f"{policy[0].split('+')[0]}: {policy[1]}"


def race(tool, folder, checkouts, policies):
    """Plays built-in kinds and published policies over packets; returns the rows of the sweep's runs."""
    shares, source = retentions(checkouts), random.Random(42)
    description = feed(VIDEOS, list(shares), RATES)
    lengths = drawn_lengths(tool, folder, 1, description)
    (folder / "retention.json").write_text(json.dumps(shares))
    for number in range(VIEWERS):
        # The last videos are never reached.
        watched = [watch({"segments": length, "retention": shares[length]}, source) for length in lengths[:-UNREACHED]]
        write_visits(folder / f"visits-{number}.csv", watched)
    own = [prefetcher(checkouts / name, module) for name, module in policies] + [dashlet(checkouts / DASHLET)]
    kinds = BUILT_IN + own
    (folder / "sweep.json5").write_text(json.dumps({
        "sweep": "policies", "repeats": 1, "seed": 1, "metrics": ["playedKbps", "renditionSwitches"],
        "axes": {"network": NETWORKS, "network.transport": TRANSPORTS, "user.recording": [f"visits-{number}.csv" for number in range(VIEWERS)]},
        # The published policies limit their buffers themselves, and Dashlet's segments last 5 s.
        "zip": [{
            "prefetcher": kinds, "downloads.buffer": ["25s"] * len(BUILT_IN) + ["3600s"] * len(own),
            "feed.video.segment": ["1s"] * (len(kinds) - 1) + ["5s"]}],
        "scenario": {
            "feed": description, "network": "3G", "downloads": {"connections": 4, "buffer": "25s"},
            "user": {"recording": "visits-0.csv", "patience": "1500s", "stallsExtend": True}, "prefetcher": "none"}}))
    run = subprocess.run(
        [*NICE, tool, "run", str(folder / "sweep.json5"), "--output", str(folder / "results"), "--jobs", "2", "--progress", "lines"],
        stdout=sys.stderr)
    if run.returncode not in (0, 1):
        raise SystemExit("the sweep over packets failed")
    return means(folder)


def means(folder):
    """Returns the published policies, and sums over viewers by policy, network and transport."""
    published, sums = [], defaultdict(lambda: defaultdict(float))
    watched = {}
    for number in range(VIEWERS):
        with open(folder / f"visits-{number}.csv", newline="") as file:
            watched[f"visits-{number}.csv"] = sum(int(row["dwellMs"]) for row in csv.DictReader(file)) / 1000
    with open(folder / "results/runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            name = row["prefetcher"]
            if "{" in name:
                settings = json.loads(name)["settings"]
                name = title((Path(settings["checkout"]).name, settings["policy"]))
                published += [name] if name not in published else []
            cell, seconds = sums[name, row["network"], row["network.transport"]], watched[row["user.recording"]]
            for key in ("viewed", "loaders", "bytesReceived", "bytesUnseen"):
                cell[key] += float(row[key])
            cell["pictureless"] += (float(row["waitMsMean"]) * float(row["viewed"]) + float(row["stallMs"])) / 1000
            cell["played"] += float(row["playedKbps"]) * seconds / 8000
            cell["watched"] += seconds
    return published, sums


def score(cell):
    """Returns the challenge's score a video, without its price of changes."""
    quality = cell["played"] * 8
    return (quality - 1.85 * cell["pictureless"] - 0.5 * 8 * cell["bytesReceived"] / 1e6) / cell["viewed"]


COLUMNS = [
    ("Loaders per 1000 videos", lambda cell: f"{1000 * cell['loaders'] / cell['viewed']:.0f}"),
    ("Seconds without a picture for each video, in loaders and stalls", lambda cell: f"{cell['pictureless'] / cell['viewed']:.2f}"),
    ("Megabytes for each video", lambda cell: f"{cell['bytesReceived'] / cell['viewed'] / 1e6:.2f}"),
    (
        "Megabytes for each video that nobody watched",
        lambda cell: f"{max(0, cell['bytesReceived'] / 1e6 - cell['played']) / cell['viewed']:.2f}",
    ),
    ("The challenge's score for each video, without its price of changes", lambda cell: f"{score(cell):.2f}"),
]


def tables(published, sums):
    """Returns the tables over packets, in Markdown."""
    order, found = published + BUILT_IN, []
    for heading, text in COLUMNS:
        rows = []
        for name in order:
            cells = [sums.get((name, network, "packet")) for network in NETWORKS]
            rows.append([name] + [text(cell) if cell and cell["viewed"] else "–" for cell in cells])
        found.append(f"### {heading}\n\n" + table(["policy", *NETWORKS], rows))
    return "\n\n".join(found)


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "| --- |" + " ---: |" * (len(columns) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
