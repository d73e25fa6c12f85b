#!/usr/bin/env python3
"""Draws sessions, exports each as an HTTP archive, rebuilds it from the archive alone, and compares with what was planted.

Usage: planted.py TOOL COUNT SEED, in a folder for its files; prints a table in Markdown.
"""
import datetime
import json
import random
import re
import subprocess
import sys

TOOL, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

# Each kind with its window: the setting that is drawn, its values, and its default.
KINDS = [
    ("none", None, [], None), ("itemsAhead", "ahead", range(1, 11), 3), ("itemsAhead", "ahead", range(1, 11), 3),
    ("costBudget", "maxCost", range(2, 11), 5), ("costBudget", "maxCost", range(2, 11), 5), ("ifunny-five", "ahead", range(1, 9), 5),
    ("uikit-1", "ahead", range(1, 5), 1), ("iglistkit", "size", range(1, 6), 2), ("bytedance-3x800k", "ahead", range(1, 7), 3),
    ("short-video-rounds", "ahead", range(1, 7), 4), ("tiktok-2022", "ahead", range(1, 9), 5),
    ("after-first-playback", "ahead", range(1, 8), 5),
]
DECIMAL = r"[0-9]+(?:\.[0-9]+)?"


def draw(rng):
    """Returns a sweep file's scenario and what is compared."""
    kind, window, values, usual = rng.choice(KINDS)
    value = rng.choice(list(values)) if window else None
    items = rng.randint(40, 120)
    rate = round(10 ** rng.uniform(2.7, 4.5))
    dwell = rng.choice([300, 500, 800, 1000, 1200, 1500, 2000, 3000, 5000])
    drawn = rng.random() < 0.3
    http = rng.choice(["1.1", "2", "3"])
    video = rng.choice([0, 0.2, 0.5])
    delay = rng.choice([5, 15, 40, 80, 100])
    prefetcher = {"kind": kind}
    if window:
        prefetcher[window] = value
    network = {"down": f"{rate}kbps", "up": f"{max(100, rate // 4)}kbps", "delayDown": f"{delay}ms", "delayUp": f"{delay}ms", "http": http}
    if http != "3":
        network["tls"] = rng.choice(["none", "1.2", "1.3"])
    scenario = {
        "feed": {"items": items, "mix": {"image": 1 - video, "video": video}},
        "network": network,
        "user": {"scroll": items - rng.randint(0, 20), "dwell": f"{dwell}ms"},
        "downloads": {"connections": rng.randint(2, 6), "cancel": rng.choice(["keep", "keep", "drop", "resume"])},
        "prefetcher": prefetcher,
    }
    if drawn:
        scenario["user"]["dwell"] = {"distribution": "lognormal", "median": f"{dwell}ms", "sigma": 0.5, "min": "100ms", "max": "60s"}
    return scenario, kind, window, value, usual, rate, dwell, drawn, http


def run(*words):
    done = subprocess.run([TOOL, *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(words) + "\n" + done.stderr)
    return done.stdout


def visits(events):
    return [json.loads(line)["atMs"] for line in events.splitlines() if '"activated"' in line]


def requests(scenario, seed):
    """Returns the starts and durations of a session's requests, in ms."""
    with open("changed.json5", "w") as file:
        json.dump({"sweep": "changed", "scenario": scenario, "axes": {"downloads.restFirst": [True]}, "seed": seed}, file)
    run("explain", "changed.json5", "--har", "changed.har")
    with open("changed.har") as file:
        entries = json.load(file)["log"]["entries"]
    starts = [datetime.datetime.fromisoformat(entry["startedDateTime"].replace("Z", "+00:00")).timestamp() * 1000 for entry in entries]
    return [start - starts[0] for start in starts], [entry["time"] for entry in entries]


def shows_rate(scenario, rate, seed):
    """Returns true if a link 5 % faster changes the summed time of the requests by a fifth of that."""
    network = {**scenario["network"], "down": f"{round(rate * 1.05)}kbps"}
    before, after = (sum(requests(drawn, seed)[1]) for drawn in (scenario, {**scenario, "network": network}))
    return abs(after / before - 1) > 0.01


def shows_dwell(scenario, dwell, seed):
    """Returns true if a dwell 5 % longer moves the last request by a fifth of that."""
    user = dict(scenario["user"])
    longer = f"{round(dwell * 1.05)}ms"
    user["dwell"] = {**user["dwell"], "median": longer} if isinstance(user["dwell"], dict) else longer
    before, after = (requests(drawn, seed)[0][-1] for drawn in (scenario, {**scenario, "user": user}))
    return abs(after - before) > 0.01 * max(before, 1)


def same(a, b):
    return a is not None and abs(a - b) <= 0.05 * b


def main():
    rng = random.Random(SEED)
    counts = dict(kind=0, window=0, windows=0, rate=0, rates=0, dwell=0, dwells=0, unknown=0, hidden_rate=0, hidden_dwell=0)
    misses = []
    for number in range(COUNT):
        scenario, kind, window, value, usual, rate, dwell, drawn, http = draw(rng)
        with open("planted.json5", "w") as file:
            json.dump({"sweep": "planted", "scenario": scenario, "axes": {"downloads.restFirst": [True]}, "seed": number + 1}, file)
        events = run("explain", "planted.json5", "--format", "json", "--har", "planted.har")
        text = run("import", "planted.har", "--scenario", "rebuilt.json5")
        best = [line for line in text.splitlines() if re.search(r"\d +nearest", line)]
        own = [line for line in best if f'kind: "{kind}"' in line]
        counts["kind"] += bool(own)
        what = f"{number}: {json.dumps(scenario)}"
        if not own:
            misses.append(f"kind  {what}\n      {best[0] if best else text[-600:]}")
        if window:
            counts["windows"] += 1
            # A setting that is not written has its default.
            settings = [re.search(rf"\b{window}: ({DECIMAL})", line) for line in own]
            found = [float(match[1]) if match else usual for match in settings]
            found += [float(value) for line in own for value in re.findall(DECIMAL, line.partition("also with")[2])]
            counts["window"] += value in found
            if own and value not in found:
                misses.append(f"window {what}\n      {own[0]}")
        with open("rebuilt.json5") as file:
            sweep = file.read()
        written = re.search(rf'down: "({DECIMAL})kbps"', sweep)
        if '"network.down"' in sweep or '"network.scale"' in sweep:
            counts["unknown"] += 1
            if shows_rate(scenario, rate, number + 1):
                misses.append(f"shown rate  {what}\n      {next((line for line in sweep.splitlines() if 'rate' in line), '')}")
            else:
                counts["hidden_rate"] += 1
        else:
            counts["rates"] += 1
            right = written is not None and same(float(written[1]), rate)
            counts["rate"] += right
            if not right:
                misses.append(f"rate  {what}\n      {written[0] if written else 'trace'}")
        if "the dwell is unknown" not in sweep:
            counts["dwells"] += 1
            times = visits(events)
            mean = (times[-1] - times[0]) / (len(times) - 1)
            constant = re.search(rf'dwell: "({DECIMAL})ms"', sweep)
            if constant:
                answer = float(constant[1])
            else:
                rows = [float(row.split(",")[1]) for row in open("rebuilt-visits.csv").read().splitlines()[1:]]
                answer = sum(rows[:-1]) / max(1, len(rows) - 1)
            counts["dwell"] += same(answer, mean)
            if not same(answer, mean):
                misses.append(f"dwell {what}\n      {answer} for {mean}")
        elif shows_dwell(scenario, dwell, number + 1):
            misses.append(f"shown dwell  {what}\n      unknown")
        else:
            counts["hidden_dwell"] += 1
    print("| what | right | of |\n| --- | ---: | ---: |")
    print(f"| kind of policy, alone or among those that make the same requests | {counts['kind']} | {COUNT} |")
    print(f"| its window, exactly | {counts['window']} | {counts['windows']} |")
    print(f"| rate of the link within 5 % | {counts['rate']} | {counts['rates']} |")
    print(f"| mean dwell within 5 % | {counts['dwell']} | {counts['dwells']} |")
    print(f"\nThe rate was said to be unknown in {counts['unknown']} sessions: in {counts['hidden_rate']} of them a link 5 % faster changes the time "
          f"of the requests by less than 1 %. The dwell was said to be unknown in {COUNT - counts['dwells']}: in {counts['hidden_dwell']} of them a "
          "dwell 5 % longer moves the last request by less than 1 %.")
    print("\n".join(misses), file=sys.stderr)


main()
