#!/usr/bin/env python3
"""Compares published policies in their own simulators and in ours, and prints the report.

usage: report.py TOOL CHECKOUTS SCRATCH [SESSIONS]     TOOL is prefetch-sweep; CHECKOUTS has a folder account+name for each repository, a clone or
its files with a file COMMIT; SCRATCH is an empty folder; SESSIONS for each kind of link (8)
"""
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from networks import BUILT_IN, NETWORKS, UNREACHED, VIDEOS, VIEWERS, race, score, table, tables, title
from sessions import CICIBR, DASHLET, NGUYEN, POLICIES, compare, compare_dashlet, draw

PAGE = Path(__file__).resolve().parent.parent / "Pages/policies.md"
XIEYH = "Xieyh-xm+Short-Video-Streaming-Challenge"
# Published policies that are not run, and why.
LEFT_OUT = [
    (NGUYEN, "quickstart/Inter_RL", "its `run.py` does not name it"), (NGUYEN, "RL", "it needs torch"),
    (CICIBR, "submit/QoE_Waste", "it needs torch"), (XIEYH, "submit", "it needs torch"),
]
# Their search for the next rendition in Python takes a minute a session of 24 videos, too long for the networks.
SLOW = [(NGUYEN, "quickstart/Phong_v2"), (NGUYEN, "quickstart/Phong_v3")]
LIMIT = 0.1


def percent(theirs, ours):
    return 0.0 if theirs == ours else abs(ours - theirs) / max(abs(theirs), abs(ours)) * 100


def largest(rows, key):
    return max(percent(row["theirs"][key], row["ours"][key]) for row in rows)


def beside(played):
    """Returns a row for each policy and kind of link: sums over its sessions, and the largest difference of a session."""
    found = []
    for policy, rows in played:
        for kind in ("constant", "trace"):
            some = [row for row in rows if row.get("kind") == kind]
            if not some:
                continue
            cells = [title(policy), kind, f"{len(some)}"]
            for key, unit in (("bytes", 1e6), ("stalled", 1e3)):
                cells += [f"{sum(row[side][key] for row in some) / unit:.3f}" for side in ("theirs", "ours")]
                cells.append(f"{largest(some, key):.4f} %")
            is_scored = all(row["theirs"]["score"] is not None for row in some)
            cells += [f"{sum(row[side]['score'] for row in some):.2f}" if is_scored else "–" for side in ("theirs", "ours")]
            alike = sum(a == b for row in some for a, b in zip(row["theirs"]["choices"], row["ours"]["choices"]))
            found.append(cells + [f"{alike} of {sum(len(row['theirs']['choices']) for row in some)}"])
    return table(
        ["policy", "link", "sessions", "MB: theirs", "ours", "off", "stalled s: theirs", "ours", "off", "score: theirs", "ours", "alike"], found)


def misses(played):
    lines = []
    for policy, rows in played:
        problems = sorted({row["problem"] for row in rows if "problem" in row})
        lines += [f"- {title(policy)} fails in {sum('problem' in row for row in rows)} of {len(rows)} sessions: `{text}`." for text in problems]
        off = [(key, largest([row], key)) for row in rows if "problem" not in row for key in ("bytes", "stalled")]
        for key in ("bytes", "stalled"):
            far = [value for name, value in off if name == key and value > LIMIT]
            if far:
                lines.append(f"- {title(policy)}: {key} differ by more than {LIMIT} % in {len(far)} sessions, by {max(far):.2f} % at most.")
    if not any("differ" in line for line in lines):
        sessions = sum("problem" not in row for _, rows in played for row in rows)
        lines.append(f"- No difference of bytes or stalls above {LIMIT} % in {sessions} sessions.")
    lines += [f"- {title(policy)} is not among the policies over packets: its search takes a minute a session." for policy in SLOW]
    lines += [f"- {title((name, policy))} is not run: {reason}." for name, policy, reason in LEFT_OUT]
    return "\n".join(lines)


def agreement(first, second):
    """Kendall's τ of two lists of scores without ties."""
    pairs = [(left, right) for left in range(len(first)) for right in range(left)]
    signs = [(first[left] - first[right]) * (second[left] - second[right]) for left, right in pairs]
    return sum((sign > 0) - (sign < 0) for sign in signs) / len(pairs)


def survival(published, sums):
    """Returns a row for each network: the best policies, and how much TCP changes."""
    rows, wins = [], {name: 0 for name in published}
    for network in NETWORKS:
        scores = {transport: {name: score(sums[name, network, transport]) for name in published + BUILT_IN
                              if sums[name, network, transport]["viewed"]} for transport in ("packet", "fluid")}
        packet, fluid = scores["packet"], scores["fluid"]
        known = [name for name in published if name in packet and name in fluid]
        best, own = max(known, key=packet.get), max((name for name in BUILT_IN if name in packet), key=packet.get)
        before = max(known, key=fluid.get)
        better = [name for name in known if packet[name] > packet[own]]
        for name in better:
            wins[name] += 1
        tau = agreement([fluid[name] for name in known], [packet[name] for name in known])
        rows.append([
            network, f"{before} ({fluid[before]:.2f})", f"{best} ({packet[best]:.2f})", f"{own} ({packet[own]:.2f})",
            f"{len(better)} of {len(known)}", f"{tau:.2f}"])
    columns = ["network", "best without TCP", "best over TCP", "best built-in kind over TCP", "above it", "τ"]
    order = sorted((name for name in published if wins[name]), key=lambda name: -wins[name])
    survivors = table(["policy", "networks"], [[name, f"{wins[name]} of {len(NETWORKS)}"] for name in order])
    return table(columns, rows), survivors


def stalled(published, sums):
    """Returns a row for each policy: the seconds without a picture for each video, without TCP and over it."""
    def text(name, network):
        cells = [sums[name, network, transport] for transport in ("fluid", "packet")]
        return " → ".join(f"{cell['pictureless'] / cell['viewed']:.2f}" if cell["viewed"] else "–" for cell in cells)

    return table(["policy", *NETWORKS], [[name] + [text(name, network) for network in NETWORKS] for name in published])


def commit(checkout):
    if (checkout / ".git").exists():
        return subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    return (checkout / "COMMIT").read_text().strip()


def page(checkouts, played, published, sums):
    best, survivors = survival(published, sums)
    names = sorted({name for name, _ in POLICIES} | {DASHLET})
    versions = table(["repository", "commit"], [[name.replace("+", "/"), commit(checkouts / name)] for name in names])
    return PAGE.read_text().format(
        misses=misses(played), beside=beside(played), tables=tables(published, sums), best=best, survivors=survivors, versions=versions,
        stalled=stalled(published, sums), videos=VIDEOS, viewers=VIEWERS, reached=VIDEOS - UNREACHED)


def main():
    tool, checkouts, scratch = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    sessions = draw(tool, scratch, checkouts, int(sys.argv[4]) if len(sys.argv) > 4 else 8)
    with ThreadPoolExecutor(2) as pool:
        played = list(zip(POLICIES, pool.map(lambda policy: compare(tool, checkouts, scratch, sessions, policy), POLICIES)))
    played.append(((DASHLET, "abr-server"), compare_dashlet(tool, checkouts, scratch, 2)))
    runnable = [policy for policy, rows in played[:-1] if policy not in SLOW and not any("problem" in row for row in rows)]
    published, sums = race(tool, scratch / "networks", checkouts, runnable)
    print(page(checkouts, played, published, sums), end="")


if __name__ == "__main__":
    main()
