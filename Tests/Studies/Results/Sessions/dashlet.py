#!/usr/bin/env python3
"""Rebuilds the even-numbered sessions of a real short-video app from its range requests, and prints how near their replays are.

Usage: dashlet.py TOOL FOLDER, in a folder for its files; FOLDER has the sessions of reverse-tiktok/data/dataset1.zip of Dashlet's repository
(PrincetonUniversity/Dashlet). Each session becomes an HTTP archive and a table of dwells, from its swipes. Prints a table in Markdown.
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def read(folder):
    """Returns the requests (video, encoding, range, times, host) and the swipes of a session."""
    name = folder.name
    videos = {}
    for row in open(folder / f"{name}-play.csv"):
        cells = row.strip().split(",", 5)
        if len(cells) > 4:
            for encoding in cells[4].split("&"):
                videos[encoding] = int(cells[0])
    requests = []
    for row in open(folder / f"{name}-download.csv"):
        cells = [cell.strip() for cell in row.split(",", 8)]
        if len(cells) > 7 and cells[7] in videos:
            numbers = [int(number) for number in re.findall(r"\d+", cells[1])]
            times = [float(cell) for cell in cells[2:6]]
            requests.append((videos[cells[7]], cells[7], numbers if len(numbers) == 3 else None, times, cells[6]))
    swipes = [float(row.split(",")[1]) for row in open(folder / f"{name}-swipe.log") if "," in row]
    return sorted(requests, key=lambda request: request[3][0]), swipes


def archive(requests):
    """Returns the session as an HTTP archive."""
    entries = []
    for video, _, span, (requested, _, started, ended), host in requests:
        start = datetime.datetime.fromtimestamp(requested, datetime.timezone.utc)
        headers = [{"name": "Content-Range", "value": f"bytes {span[0]}-{span[1]}/{span[2]}"}] if span else []
        # Two encodings of a video are parts of one.
        size = span[1] - span[0] + 1 if span else None
        entries.append({
            "startedDateTime": start.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "time": (ended - requested) * 1000,
            "request": {"method": "GET", "url": f"https://{host}/{video}.mp4", "httpVersion": "HTTP/2", "headers": []},
            "response": {"status": 206 if span else 200, "httpVersion": "HTTP/2", "headers": headers, "bodySize": size or 1,
                         "content": {"size": size or 1, "mimeType": "video/mp4"}},
            "timings": {"send": 0, "wait": (started - requested) * 1000, "receive": (ended - started) * 1000},
        })
    return {"log": {"version": "1.2", "creator": {"name": "dashlet.py", "version": "1"}, "entries": entries}}


def dwells(requests, swipes):
    """Returns the time on screen of each video that has a request; one without adds its time to the video before it."""
    begin = requests[0][3][0]
    ends = swipes + [max(request[3][3] for request in requests)]
    order = list(dict.fromkeys(request[0] for request in requests))
    times, last = {}, begin
    owner = order[0]
    for video, end in enumerate(ends):
        owner = video if video in order else owner
        times[owner] = times.get(owner, 0) + max(0.001, end - last)
        last = max(last, end)
    shown = [video for video in order if video in times]
    # A recording has the items in the order of the archive.
    return [times[video] for video in order[:len(shown)] if video in times]


def figure(text, name):
    """Returns the last number in a row of the tool's table."""
    row = next(line for line in text.splitlines() if line.startswith(name))
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", row)]


def main():
    print("| session | policy | distance | bytes: log | replay | off | τ | parts in both | starts, median difference |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    bytes_off, orders = [], []
    for folder in sorted(FOLDER.glob("trace-*-swipe-*")):
        if int(folder.name.rsplit("-", 1)[1]) % 2:
            continue
        requests, swipes = read(folder)
        requests = [request for request in requests if request[2]]
        with open("session.har", "w") as file:
            json.dump(archive(requests), file)
        with open("dwells.csv", "w") as file:
            file.write("item,dwellMs\n" + "".join(f"{item},{time * 1000:.3f}\n" for item, time in enumerate(dwells(requests, swipes))))
        done = subprocess.run([TOOL, "import", "session.har", "--scenario", "rebuilt.json5", "--dwells", "dwells.csv"], capture_output=True, text=True)
        if done.returncode:
            print(f"| {folder.name} | failed: {done.stderr.strip()} | | | | | | | |")
            continue
        # The first row of the table of policies; its distance is the first number after the settings.
        best = next(line for line in done.stdout.splitlines() if line.startswith("{ kind:"))
        policy, distance = best.split("}")[0] + "}", re.findall(r"\d+\.?\d*", best.partition("}")[2])[0]
        log, replay = figure(done.stdout, "bytes")
        tau = figure(done.stdout, "order")[0]
        common = figure(done.stdout, "of these")[0] / max(figure(done.stdout, "requests"))
        off = abs(replay / log - 1)
        bytes_off.append(off)
        orders.append(tau)
        start = figure(done.stdout, "starts")[0]
        print(f"| {folder.name} | `{policy}` | {distance} | {log / 1e6:.1f} MB | {replay / 1e6:.1f} MB | {off:.1%} | {tau:.3f} | {common:.1%} | {start:.0f} ms |")
    count = len(orders)
    if count:
        print(f"\nBytes are off by {sorted(bytes_off)[count // 2]:.1%} in the median session and {max(bytes_off):.1%} in the farthest; "
              f"τ is {sorted(orders)[count // 2]:.3f} and {min(orders):.3f}. Bytes within 5 % in {sum(off <= 0.05 for off in bytes_off)} of {count}, "
              f"τ ≥ 0.9 in {sum(tau >= 0.9 for tau in orders)} of {count}.")


main()
