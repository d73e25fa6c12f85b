#!/usr/bin/env python3
# Compares the rankings of systems at one item a second and at the dwells of people (Kendall's τ), as Markdown on standard output.
# usage: rankings.py [FOLDER]     FOLDER has the results of Sweeps/people.json5 (Results/people)
import csv
import sys
from collections import defaultdict
from pathlib import Path

# It knows the dwells: a reference for the others, which nobody can ship.
REFERENCE = "clairvoyant"
PEOPLE = {"none": "1 s", "short-video": "short-video", "image-feed": "image-feed", "mixed-feed": "mixed-feed", "image-flings": "image-flings"}


def kendall(first, second):
    """Kendall's τ-b, with ties."""
    agreement = untied = other_untied = 0
    for left in range(len(first)):
        for right in range(left + 1, len(first)):
            signs = [(side[right] > side[left]) - (side[right] < side[left]) for side in (first, second)]
            agreement += signs[0] * signs[1]
            untied += abs(signs[0])
            other_untied += abs(signs[1])
    return agreement / (untied * other_untied) ** 0.5


def rank(values, value):
    """The mean rank of equal values, from 1."""
    below, equal = sum(other < value for other in values), sum(other == value for other in values)
    return f"{below + (equal + 1) / 2:g}"


def label(system):
    return system.translate(str.maketrans({"{": "", "}": "", '"': "", "|": ""})).replace("kind:", "").replace(",", ", ").replace(":", " ")


def main():
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[4] / "Results/people"
    loaders, megabytes = defaultdict(list), defaultdict(list)
    with open(folder / "runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            key = row["network"], row["user.people"], row["prefetcher"]
            loaders[key].append(float(row["loadersPer1000"]))
            megabytes[key].append(float(row["bytesReceived"]) / 1e6)
    # Rounded, so that equal counts in another order are ties.
    mean = {key: round(sum(values) / len(values), 9) for key, values in loaders.items()}
    received = {key: sum(values) / len(values) for key, values in megabytes.items()}
    networks, everything = (list(dict.fromkeys(key[place] for key in mean)) for place in (0, 2))
    systems = [system for system in everything if system != REFERENCE]
    column = {(network, people): [mean[network, people, system] for system in systems] for network in networks for people in PEOPLE}
    tau = {(network, people): kendall(column[network, "none"], column[network, people]) for network in networks for people in PEOPLE}
    near = {key: [system for system, value in zip(systems, values) if value <= min(values) + 1] for key, values in column.items()}

    print("# Do rankings at one item a second hold for people?\n")
    print("Made by `Scripts/results people` from `runs.csv` of [this sweep](report.md). [The manual](../../Sources/SweepTool/"
          "Documentation.docc/People.md) says where the dwells come from.\n")
    print(f"Kendall's τ is 1 for two equal rankings of the {len(systems)} systems and 0 for unrelated ones (τ-b, with ties). "
          f"`{REFERENCE}` knows the dwells and nobody can ship it: it is a reference, shown apart and counted nowhere. "
          "It has one transfer at a time, so that over packets others can be ahead of it.\n")
    print(f"| network | dwell | τ with the ranking at 1 s | loaders per 1000: {REFERENCE} | fewest, median, most | within 1 of the fewest |")
    print("| --- | --- | --: | --: | --: | --: |")
    for network in networks:
        for people, name in PEOPLE.items():
            ordered = sorted(column[network, people])
            shown = ", ".join(f"{value:.1f}" for value in (ordered[0], ordered[len(ordered) // 2], ordered[-1]))
            agreement = "" if people == "none" else f"{tau[network, people]:.2f}"
            print(f"| {network} | {name} | {agreement} | {mean[network, people, REFERENCE]:.1f} | {shown} | {len(near[network, people])} |")

    slow = networks[0]
    costs = sorted(received[slow, "short-video", system] for system in near[slow, "short-video"])
    best = {people: sorted(near[slow, people], key=lambda system: mean[slow, people, system]) for people in PEOPLE}
    names, first, tested = best["image-feed"], best["mixed-feed"][0], best["none"][0]
    moved = max(names, key=lambda system: float(rank(column[slow, "none"], mean[slow, "none", system])))
    flung = {network: sorted(systems, key=lambda system: mean[network, "image-flings", system])[:2] for network in networks}
    next_best = {network: " and ".join(f"{mean[network, 'image-flings', system]:.1f} of {label(system)}" for system in flung[network])
                 for network in networks}
    print(f"\n**What to do.** Do not choose a prefetcher by a test at one item a second alone. On {slow} its ranking agrees with that of "
          f"people only by τ = {tau[slow, 'short-video']:.2f} (short-video), {tau[slow, 'image-feed']:.2f} (image-feed), "
          f"{tau[slow, 'mixed-feed']:.2f} (mixed-feed) and {tau[slow, 'image-flings']:.2f} (image-flings). If your users "
          f"stay as those of the short-video app, {len(near[slow, 'short-video'])} of the {len(systems)} systems show at most 1 loader per "
          f"1000 more than the best: choose among them by data, {costs[0]:.0f} to {costs[-1]:.0f} MB in 1000 items. If they stay as those "
          f"of the feed of pictures, the choice matters: {', '.join(names)} are that near to the best, and {moved} is number "
          f"{rank(column[slow, 'none'], mean[slow, 'none', moved])} in the test at 1 s. If they also watch videos as the study's viewers, "
          f"{first} is first with {mean[slow, 'mixed-feed', first]:.1f} loaders, and the first of the test at 1 s, {tested}, is number "
          f"{rank(column[slow, 'mixed-feed'], mean[slow, 'mixed-feed', tested])} with {mean[slow, 'mixed-feed', tested]:.1f}. If they fling "
          f"as in the feed of pictures, the choice matters most: the fewest loaders per 1000 are {next_best[slow]}, and on {networks[1]} {next_best[networks[1]]}. So "
          f"measure first how your users scroll, dwells and flings. Where they do not fling, "
          f"{', '.join(str(len(near[networks[1], people])) for people in PEOPLE if people != 'image-flings')} systems are within 1 loader of "
          f"the best on {networks[1]}: there data decide.\n")
    print("The feed is the same in all rows: 80 % pictures and 20 % videos, whose rest is fetched while they are watched. So the dwells of "
          "the short-video app are applied to a mixed feed here. `mixed-feed` has the dwells of `image-feed` for pictures, and for a video a "
          "share of its length. `image-flings` has the stops and the flings of which `image-feed` has only the dwells.\n")
    print(f"## Systems on {slow}\n")
    print("Rank, loaders per 1000 and MB received, in the order at 1 s; equal means share a rank.\n")
    print("| system | " + " | ".join(f"{name}: rank | loaders | MB" for name in PEOPLE.values()) + " |")
    print("| --- |" + " --: |" * (3 * len(PEOPLE)))
    for system in sorted(systems, key=lambda system: (mean[slow, "none", system], systems.index(system))):
        cells = []
        for people in PEOPLE:
            value = mean[slow, people, system]
            cells += [rank(column[slow, people], value), f"{value:.1f}", f"{received[slow, people, system]:.0f}"]
        print(f"| {label(system)} | " + " | ".join(cells) + " |")
    cells = [text for people in PEOPLE for text in ("ref.", f"{mean[slow, people, REFERENCE]:.1f}", f"{received[slow, people, REFERENCE]:.0f}")]
    print(f"| {label(REFERENCE)} | " + " | ".join(cells) + " |")


main()
