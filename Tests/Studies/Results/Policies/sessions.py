"""Plays sessions of the short-video challenge with published policies, in their own simulator and in ours."""
import json
import random
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHALLENGE = "AItransCompetition+Short-Video-Streaming-Challenge"
NGUYEN = "nguyenhonglich111-1001+Short-Video-Streaming-Challenge"
CICIBR = "CiCibr+BS-code"
DASHLET = "PrincetonUniversity+Dashlet"
RATES = [750_000, 1_200_000, 1_850_000, 2_700_000]
# The number of bit rates in a repository's simulator.
LEVELS = {CHALLENGE: 3, NGUYEN: 4, CICIBR: 3}
POLICIES = [
    (CHALLENGE, "baseline/no_save"), (CHALLENGE, "quickstart/fix_preload"), (NGUYEN, "quickstart/Waterfall"),
    (NGUYEN, "quickstart/NextOne"), (NGUYEN, "quickstart/Fix_B"), (NGUYEN, "quickstart/Network_based"), (NGUYEN, "quickstart/DucMMSP"),
    (NGUYEN, "quickstart/Thuong_1"), (NGUYEN, "quickstart/Phong_v2"), (NGUYEN, "quickstart/Phong_v3"), (NGUYEN, "quickstart/PDAS"),
    (CICIBR, "MPC/mpc"), (CICIBR, "fixpreload/fixpreload"),
]
ROUND_TRIP_MS = 80
# The share of the link that the challenge's simulator gives to payload.
PAYLOAD = 0.95
NICE = ["nice", "-n", "3"]


def retentions(checkouts):
    """Returns the shares of users who still watch at each second, by the number of a video's segments; they differ in all videos."""
    data, found = checkouts / CHALLENGE / "data", {}
    for folder in (data / "short_video_size").iterdir():
        shares = [float(line.split()[1]) for line in (data / "user_ret" / folder.name).read_text().splitlines() if line.strip()]
        found[len((folder / "video_size_0").read_text().split())] = shares
    return dict(sorted(found.items()))


def feed(items, lengths, rates):
    """Returns a feed whose videos have one of the lengths, each as often."""
    sizes = [f"{length * rates[0] // 8}B" for length in lengths for _ in range(2)]
    steps = [(index + 1) / len(lengths) for index in range(len(lengths) - 1)]
    at = [0] + [share for step in steps for share in (step - 1e-9, step)] + [1]
    return {"items": items, "mix": {"video": 1}, "video": {
        "bitRate": f"{rates[0]}bps", "renditions": [f"{rate}bps" for rate in rates], "segment": "1s",
        "bytes": {"distribution": "quantiles", "values": sizes, "at": at}}}


def drawn_lengths(tool, folder, seed, description):
    """Returns the segments of each video that our feed generator draws."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "feed.json5").write_text(json.dumps({
        "sweep": "feed", "repeats": 1, "seed": seed, "scenario": {"network": "Wi-Fi", "prefetcher": "none", "feed": description}}))
    subprocess.run(
        [tool, "explain", str(folder / "feed.json5"), "--feed", str(folder / "items.json"), "--format", "json"], check=True, capture_output=True)
    return [item["bytes"] * 8 // RATES[0] for item in json.loads((folder / "items.json").read_text())["items"]]


def draw(tool, scratch, checkouts, count):
    """Draws sessions: videos of the challenge's lengths, seeds of its users, and a constant link or one of its traces."""
    shares, source, links = retentions(checkouts), random.Random(41), []
    # All segments take whole milliseconds at these rates, as the simulator's clock does.
    for rate in ([1000, 1250, 2000, 2500, 5000, 10_000] * count)[:count]:
        links.append(("constant", [(time * 1000, rate / 1000 / PAYLOAD) for time in range(4)]))
    for number in range(count):
        kind = ["low", "medium", "high", "mixed"][number % 4]
        file = checkouts / CHALLENGE / "data/network_traces" / kind / f"{source.randrange(20)}"
        links.append(("trace", [tuple(map(float, line.split())) for line in file.read_text().splitlines() if line.strip()]))
    sessions = []
    for seed, (kind, link) in enumerate(links):
        lengths = drawn_lengths(tool, scratch / "feeds", seed, feed(7, list(shares), RATES[:3]))
        videos = [{"segments": length, "retention": shares[length]} for length in lengths]
        seeds = [[source.randrange(10_000), source.randrange(10_000)] for _ in videos]
        sessions.append({"seed": seed, "kind": kind, "videos": videos, "seeds": seeds, "link": link})
    return sessions


def score(steps, watched, stalled_ms):
    """Returns the challenge's score: quality less stalls, less changes of the rate, less bytes."""
    rates = [rate / 1000 for rate in RATES]
    stored, last, total = [[] for _ in watched], {}, 0.0
    for step in steps:
        video, rendition = step["video"], step["rendition"]
        index, final = len(stored[video]), watched[video] // 1000
        if index <= final:
            change = 0.0
            if index == final:
                last[video] = rendition
                # The whole rate counts if the next video's first segment came earlier, as in the challenge's run.py.
                if video + 1 < min(step["playing"] + 5, len(watched)) and stored[video + 1]:
                    change += rates[stored[video + 1][0]]
            before = stored[video][-1] if index else last.get(video - 1)
            if before is not None:
                change += abs(rates[rendition] - rates[before])
            total += (rates[rendition] - change) / 1000
        stored[video].append(rendition)
        total -= 0.5 * step["bytes"] * 8 / 1e6
    return total - 1.85 * stalled_ms / 1000


def write_link(path, segments):
    """Writes the link that a session saw, from the begin and duration in ms and the bytes of its segments.

    A trace of the challenge stands still in round trips and while a policy sleeps, so it is no function of time before it was played.
    """
    # Each rate holds until the next segment begins, so that a nanosecond too late costs a nanosecond.
    begins = [0] + [begin for begin, _, _ in segments[1:]] + [segments[-1][0] + 3_600_000]
    path.write_text(json.dumps([
        {"duration_ms": end - begin, "bandwidth_kbps": size * 8 / duration, "latency_ms": 0}
        for begin, end, (_, duration, size) in zip(begins, begins[1:], segments)]))


def write_visits(path, watched):
    path.write_text("item,dwellMs\n" + "".join(f"{item},{time}\n" for item, time in enumerate(watched)))


def prefetcher(checkout, module):
    """Returns the value of `prefetcher` that plays a published policy."""
    program = [str(HERE / "challenge.py"), str(checkout / f"{module}.py")]
    return {
        "kind": "command", "command": ["python3", program[0]], "files": program, "triggers": ["activation", "transferFinished"],
        "timeLimit": "5min", "settings": {"checkout": str(checkout), "policy": module, "retention": "retention.json"}}


def dashlet(checkout):
    program = [str(HERE / "dashlet.py"), str(HERE / "challenge.py"), str(checkout / "abr-server/empc_server_dashlet.py")]
    return {
        "kind": "command", "command": ["python3", program[0]], "files": program, "triggers": ["activation", "transferFinished"],
        "timeLimit": "5min", "settings": {"checkout": str(checkout), "policy": "abr-server", "retention": "retention.json"}}


def watch(video, source):
    """Draws how long a viewer watches a video, in milliseconds, from the shares who still watch at each second."""
    share = source.random()
    seconds = sum(1 for value in video["retention"][1:-1] if value > share)
    return 1000 * seconds if seconds >= video["segments"] else max(1, 1000 * seconds + source.randrange(1000))


def play(tool, folder, shares, session, checkout, module, theirs):
    """Plays a session in our simulator; returns its steps and stalls, or None and the problem."""
    folder.mkdir(parents=True)
    rates = RATES[:LEVELS[checkout.name]]
    (folder / "retention.json").write_text(json.dumps(shares))
    write_visits(folder / "visits.csv", theirs["watched"])
    network = {"transport": "fluid", "delayUp": f"{ROUND_TRIP_MS}ms", "delayDown": "0ms"}
    if session["kind"] == "constant":
        network["down"] = network["up"] = f"{round(session['link'][0][1] * PAYLOAD * 1e6)}bps"
    else:
        segments, now = [], 0
        for step in theirs["steps"]:
            if not step["sleep"]:
                segments.append((now + ROUND_TRIP_MS, step["delay"] - ROUND_TRIP_MS, step["bytes"]))
            now += step["delay"]
        write_link(folder / "link.json", segments)
        network["trace"] = "link.json"
    (folder / "session.json5").write_text(json.dumps({
        "sweep": "session", "repeats": 1, "seed": session["seed"], "scenario": {
            "feed": feed(len(session["videos"]), list(shares), rates), "user": {"recording": "visits.csv", "patience": "1500s", "stallsExtend": True},
            "downloads": {"connections": 1, "cancel": "never", "buffer": "3600s"}, "network": network,
            "prefetcher": prefetcher(checkout, module)}}))
    return explain(tool, folder, [rate // 8 for rate in rates], sum(theirs["watched"]))


def explain(tool, folder, sizes, watched):
    """Plays session.json5 of a folder. Returns the requests, with renditions by the sizes of a segment, and the stalls in ms; or None and a
    problem.
    """
    run = subprocess.run([*NICE, tool, "explain", str(folder / "session.json5"), "--format", "json"], capture_output=True, text=True)
    if run.returncode:
        return None, next(iter(run.stderr.strip().splitlines()), f"status {run.returncode}")
    steps, ended = [], 0.0
    for line in run.stdout.splitlines():
        event = json.loads(line)
        if event["event"] == "requested":
            rendition = sizes.index(event["bytes"]) if event["bytes"] in sizes else -1
            steps.append({"video": event["item"], "rendition": rendition, "playing": event["activeItem"], "bytes": event["bytes"]})
        elif event["event"] == "left":
            ended = event["atMs"]
    return steps, ended - watched


def compare(tool, checkouts, scratch, sessions, policy):
    """Plays all sessions with a policy in both simulators; returns a row for each."""
    checkout, module = checkouts / policy[0], policy[1]
    work = scratch / policy[0] / module
    work.mkdir(parents=True)
    rates = RATES[:LEVELS[policy[0]]]
    (work / "sessions.json").write_text(json.dumps([dict(session, rates=rates) for session in sessions]))
    run = subprocess.run(
        [*NICE, "python3", str(HERE / "theirs.py"), str(checkout), module, str(work / "theirs"), str(work / "sessions.json")],
        capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{policy}: {run.stderr}")
    rows = []
    for number, (session, line) in enumerate(zip(sessions, run.stdout.splitlines())):
        theirs = json.loads(line)
        if theirs["problem"]:
            rows.append({"problem": f"in its own simulator: {theirs['problem']}"})
            continue
        steps, stalled = play(tool, work / f"ours/{number}", retentions(checkouts), session, checkout, module, theirs)
        if steps is None:
            rows.append({"problem": f"in our simulator: {stalled}"})
            continue
        row = {"kind": session["kind"], "own score": theirs["score"]}
        their_steps = [step for step in theirs["steps"] if not step["sleep"]]
        for name, side, stall in (("theirs", their_steps, sum(step["stalled"] for step in theirs["steps"])), ("ours", steps, stalled)):
            row[name] = {
                "bytes": sum(step["bytes"] for step in side), "stalled": stall, "score": score(side, theirs["watched"], stall),
                "choices": [(step["video"], step["rendition"]) for step in side]}
        rows.append(row)
    return rows


def compare_dashlet(tool, checkouts, scratch, count):
    """Plays sessions with Dashlet's server, under its own client and under ours; returns a row for each."""
    work, shares, source, sessions = scratch / DASHLET, retentions(checkouts), random.Random(7), []
    work.mkdir(parents=True)
    for seed in range(2 * count):
        lengths = drawn_lengths(tool, scratch / "feeds", seed, feed(16, list(shares), RATES))
        watched = [watch({"segments": length, "retention": shares[length]}, source) for length in lengths]
        # Packets of 1500 bytes; on varying links at another rate every 2 s.
        constant = [1000, 2000, 4000, 8000][seed % 4]
        rates = [constant if seed < count else source.randrange(500, 8000) for _ in range(600)]
        packets, time = [], 0.0
        while time < 2000 * len(rates):
            packets.append(int(time))
            time += 12_000 / rates[int(time // 2000)]
        sessions.append({"seed": seed, "lengths": lengths, "watched": watched, "rates": RATES, "packets": packets})
    (work / "sessions.json").write_text(json.dumps({"shares": shares, "sessions": sessions}))
    run = subprocess.run(
        [*NICE, "python3", str(HERE / "dashlet_client.py"), str(checkouts / DASHLET), str(work / "theirs"), str(work / "sessions.json")],
        capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{DASHLET}: {run.stderr}")
    rows, sizes = [], [rate * 5 // 8 for rate in RATES]
    for number, (session, line) in enumerate(zip(sessions, run.stdout.splitlines())):
        theirs, folder = json.loads(line), work / f"ours/{number}"
        folder.mkdir(parents=True)
        # Its client ends when fewer than five videos follow.
        watched = session["watched"][:len(theirs["swipes"])]
        (folder / "retention.json").write_text(json.dumps(shares))
        write_visits(folder / "visits.csv", watched)
        write_link(folder / "link.json", [(step["begin"] * 1000, step["duration"] * 1000, step["bytes"]) for step in theirs["steps"]])
        description = feed(len(session["lengths"]), list(shares), RATES)
        description["video"]["segment"] = "5s"
        (folder / "session.json5").write_text(json.dumps({
            "sweep": "session", "repeats": 1, "seed": session["seed"], "scenario": {
                "feed": description, "user": {"recording": "visits.csv", "patience": "1500s", "stallsExtend": True},
                "downloads": {"connections": 1, "buffer": "3600s"}, "prefetcher": dashlet(checkouts / DASHLET),
                "network": {"transport": "fluid", "delayUp": "0ms", "delayDown": "0ms", "trace": "link.json"}}}))
        steps, stalled = explain(tool, folder, sizes, sum(watched))
        if steps is None:
            rows.append({"problem": f"in our simulator: {stalled}"})
            continue
        row = {"kind": "constant" if number < count else "trace"}
        for name, side, stall in (("theirs", theirs["steps"], theirs["swipes"][-1] * 1000 - sum(watched)), ("ours", steps, stalled)):
            row[name] = {
                "bytes": sum(step["bytes"] for step in side), "stalled": stall, "score": None,
                "choices": [(step["video"], round(step["bytes"])) for step in side]}
        rows.append(row)
    return rows
