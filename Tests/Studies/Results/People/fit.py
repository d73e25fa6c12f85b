#!/usr/bin/env python3
# Fits the presets of `user.people` to public logs in a folder, judges them on sessions that the fit did not see, and prints both.
# The quantiles belong in Sources/Simulation/User, those of the judging half in Tests/Reference: people.csv, watch-ratios.csv, flings.csv, kuaishou.csv.
# usage: Scripts/fit people FOLDER     FOLDER holds clones of these repositories of GitHub; what is missing is skipped:
#   PrincetonUniversity/Dashlet   short-video: swipes of 64 sessions of a short-video app, 5 min each; watch ratios: when viewers of a study
#                                 swiped 1291 videos away (no licence stated)
#   AItransCompetition/Short-Video-Streaming-Challenge   beside the watch ratios: seven videos' retention (no licence stated)
#   chongminggao/KuaiRec          watch ratios of an app: histograms of 12 million views and of their lengths in a notebook of the log's
#                                 authors (CC BY-SA 4.0); the log itself is not needed
#   njbabani/kuairec-recsys       beside it: the 80th percentile of the watch ratio in 29 classes of length, of 9.7 million of these views (MIT)
#   Howquez/DICE                  image-feed, image-flings: time in view of 40 posts with pictures, 306 participants (CC BY-NC-SA 4.0)
#   ebanalyse/ebnerd-benchmark    reader: read times of articles, a sample of 44 users of EB-NeRD (code MIT; the data's own terms); pyarrow
import base64
import bisect
import csv
import json
import struct
import sys
import zlib
from pathlib import Path

PROBABILITIES = [0, 0.01] + [step / 20 for step in range(1, 20)] + [0.98, 0.99, 1]
JUDGED = [step / 20 for step in range(1, 20)] + [0.99]
GAP_SECONDS = 1800  # A longer pause between two articles begins a session.
STOP_SECONDS = 0.4  # A post that is in view for less time was passed; between two stops two or more posts apart lies a fling.
ITEMS = [2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40]  # Numbers of items of a fling at which the fit has its shares.
CLASSES = [(0, 8), (8, 12), (12, 16), (16, 25), (25, 40), (40, 80), (80, 1000)]  # Lengths of videos in seconds.


def dashlet(folder):
    files = sorted(folder.glob("Dashlet/reverse-tiktok/data/*/*-swipe-time.logxyz"))
    sessions = []
    for file in files:
        times = [float(line) for line in file.read_text().split()]
        sessions.append([late - early for early, late in zip(times, times[1:])])
    return [dict(dwells=dwells) for dwells in sessions], "no clone of PrincetonUniversity/Dashlet"


def seconds_on_page(raw):
    completed, page_seconds = {}, {}
    for row in sorted(csv.DictReader(open(raw / "PageTimes-2024-10-15.csv")), key=lambda row: int(row["page_index"])):
        who, when = row["participant_code"], float(row["epoch_time_completed"])
        if row["page_name"] == "C_Feed" and who in completed:
            page_seconds[who] = when - completed[who]
        completed[who] = when
    return page_seconds


def dice(folder):
    raw = folder / "DICE/studies/meme_feed/data/raw"
    if not (raw / "PageTimes-2024-10-15.csv").exists():
        return [], "no clone of Howquez/DICE"
    page_seconds = seconds_on_page(raw)
    posts = {}
    for row in csv.DictReader(open(raw / "DICE-processed-2024-10-15.csv")):
        # A post's entries into view are numbered within the session: "2,4".
        entries = [int(float(entry)) for entry in row["scroll_sequence"].split(",") if entry not in ("", "NA")]
        if entries and row["seconds_in_viewport"] not in ("", "NA"):
            posts.setdefault(row["participant_code"], []).append(
                (float(row["seconds_in_viewport"]), entries, int(row["displayed_sequence"])))
    sessions = []
    for who in sorted(posts):
        # Two posts in view at a time count twice; the active time is at most that on the page.
        scale = min(1, page_seconds.get(who, 1e9) / max(1e-9, sum(seconds for seconds, _, _ in posts[who])))
        order = [place for _, place in sorted((entry, place) for _, entries, place in posts[who] for entry in entries)]
        moves = [late - early for early, late in zip(order, order[1:]) if late != early]
        sessions.append(dict(
            dwells=[scale * seconds / len(entries) for seconds, entries, _ in posts[who] for _ in entries],
            back=sum(move < 0 for move in moves), moves=len(moves)))
    return sessions, ""


def dice_visits(folder):
    """Each stay of a post in view, in the order of leaving it: the stops, and the moves from one stop to the next."""
    raw = folder / "DICE/studies/meme_feed/data/raw"
    if not (raw / "all_apps_wide_2024-10-15.csv").exists():
        return [], "no clone of Howquez/DICE"
    page_seconds, sessions = seconds_on_page(raw), []
    csv.field_size_limit(1 << 30)
    rows = [row for row in csv.DictReader(open(raw / "all_apps_wide_2024-10-15.csv")) if row["DICE.1.player.viewport_data"]]
    for row in sorted(rows, key=lambda row: row["participant.code"]):
        places = {int(post): place for place, post in enumerate(row["DICE.1.player.sequence"].split(","))}
        visits = [(places[visit["doc_id"]], visit["duration"]) for visit in json.loads(row["DICE.1.player.viewport_data"])
                  if visit["doc_id"] in places]
        # As above: two posts in view at a time count twice.
        scale = min(1, page_seconds.get(row["participant.code"], 1e9) / max(1e-9, sum(seconds for _, seconds in visits)))
        stops = [(place, scale * seconds) for place, seconds in visits if scale * seconds >= STOP_SECONDS]
        moves = [late - early for (early, _), (late, _) in zip(stops, stops[1:]) if late != early]
        sessions.append(dict(
            dwells=[seconds for _, seconds in stops], back=sum(move < 0 for move in moves), moves=len(moves),
            flings=sorted(abs(move) for move in moves if abs(move) >= 2)))
    return sessions, ""


def ebnerd(folder):
    file = folder / "ebnerd-benchmark/test/data/ebnerd/history.parquet"
    if not file.exists():
        return [], "no clone of ebanalyse/ebnerd-benchmark"
    try:
        from pyarrow import parquet
    except ImportError:
        return [], "pyarrow is not installed"
    users = []
    for user in sorted(parquet.read_table(file).to_pylist(), key=lambda user: user["user_id"]):
        reads = sorted(zip(user["impression_time_fixed"], user["read_time_fixed"]))
        lengths, last = [], None
        for when, _ in reads:
            if last is None or (when - last).total_seconds() > GAP_SECONDS:
                lengths.append(0)
            lengths[-1] += 1
            last = when
        users.append(dict(dwells=[seconds for _, seconds in reads], lengths=lengths))
    return users, ""


def spread(values):
    """Whole seconds as times: those of second k evenly between k − 0.5 and k + 0.5, not below 0."""
    counts, times = {}, []
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    for value, count in counts.items():
        low = max(0, value - 0.5)
        times += [low + (value + 0.5 - low) * (index + 0.5) / count for index in range(count)]
    return times


def quantile(ordered, probability):
    place = probability * (len(ordered) - 1)
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def share_below(knots, value):
    """The distribution function of straight lines between the quantiles."""
    if value <= knots[0]:
        return 0 if value < knots[0] else PROBABILITIES[bisect.bisect_right(knots, value) - 1]
    upper = bisect.bisect_left(knots, value)
    if upper == len(knots):
        return 1
    low, high = knots[upper - 1], knots[upper]
    return PROBABILITIES[upper - 1] + (PROBABILITIES[upper] - PROBABILITIES[upper - 1]) * (value - low) / (high - low)


def distance(knots, ordered):
    """Kolmogorov and Smirnov's distance of the quantiles from a sample."""
    count = len(ordered)
    return max(
        max(abs(bisect.bisect_right(ordered, value) / count - share_below(knots, value)),
            abs(bisect.bisect_left(ordered, value) / count - share_below(knots, value)))
        for value in ordered)


def watch_ratios(folder):
    """For each video the probabilities that a viewer swipes within a second, the last that the video is watched to its end."""
    files = sorted(folder.glob("Dashlet/abr-server/probability/turk/v*.txt"))
    return [[float(line) for line in file.read_text().split()] for file in files]


def share_watched(videos, ratio):
    """The mean share of viewers who have watched at most this ratio of a video, who leave evenly within a second."""
    total = 0
    for video in videos:
        place = ratio * (len(video) - 1)
        second = int(place)
        total += sum(video[:second]) + video[second] * (place - second)
    return total / len(videos)


def retentions(folder):
    """For each video of the challenge the share of viewers who are left after each second; the last row ends it."""
    files = sorted(folder.glob("Short-Video-Streaming-Challenge/data/user_ret/*"))
    return [[float(line.split()[1]) for line in file.read_text().splitlines() if line.split()] for file in files]


def print_watch_ratios(videos, folder):
    table, lines, reference, laws = [], [], [], {}
    for low, high in CLASSES:
        chosen = [video for video in videos if low <= len(video) - 1 < high]
        fit, judge = chosen[::2], chosen[1::2]
        to_end = sum(video[-1] for video in fit) / len(fit)
        steps = [step / 1000 for step in range(1000)]
        ratios = [next((x for x in steps if share_watched(fit, x) >= tenth / 10 * (1 - to_end)), 1) for tenth in range(10)]
        at = [tenth / 10 * (1 - to_end) for tenth in range(10)] + [1 - to_end]

        def fitted(ratio, knots=ratios + [1], at=at):
            upper = max(1, bisect.bisect_left(knots, ratio))
            left, right = knots[upper - 1], knots[upper]
            return at[upper - 1] + (at[upper] - at[upper - 1]) * (ratio - left) / (right - left)

        laws[low] = fitted
        worst = max(abs(fitted(step) - share_watched(judge, step)) for step in steps)
        end = sum(video[-1] for video in judge) / len(judge)
        table.append(f"| {low} to {high} s | {len(fit)}, {len(judge)} | {to_end:.3f}, {end:.3f} | {worst:.3f} |")
        lines.append(f"below {high} s, watched to the end {to_end:.3f}: " + ", ".join(f"{1000 * ratio:.0f}" for ratio in ratios))
        reference += [f"{low},{high},{tenth / 10:g},{share_watched(judge, tenth / 10):.4f}" for tenth in range(1, 10)]
        reference.append(f"{low},{high},0.9999,{1 - end:.4f}")
    print("\n| length | videos: fit, judge | watched to the end: fit, judge | distance of the judging half |")
    print("|---|--:|--:|--:|")
    print("\n".join(table) + "\n\nthousandths at tenths of those who swipe\n" + "\n".join(lines))
    for left in retentions(folder):
        length = len(left) - 1
        law = laws[next(low for low, high in CLASSES if length < high)]
        worst = max(abs(1 - share - law(second / length)) for second, share in enumerate(left[:-1]))
        medians = [next(step for step in range(1001) if passed(step / 1000)) * length / 1000 for passed in (
            lambda ratio: left[int(ratio * length)] <= 0.5, lambda ratio: law(ratio) >= 0.5 or ratio == 1)]
        print(f"a video of {length} s: distance {worst:.2f}, median viewer {medians[0]:.1f} s, by the study {medians[1]:.1f} s")
    print("\nfrom,below,ratio,share\n" + "\n".join(reference))


def print_flings(halves):
    fit, judge = (sorted(items for one in half for items in one["flings"]) for half in halves)
    shares = [[bisect.bisect_right(flings, items) / len(flings) for items in range(1, 41)] for flings in (fit, judge)]
    at = [bisect.bisect_left(fit, items) / len(fit) for items in ITEMS[:-1]] + [1]

    def fitted(items):  # The share of flings over at most so many items: the whole part of a draw.
        upper = next(index for index, value in enumerate(ITEMS) if value >= items + 1 or value == ITEMS[-1])
        low, high = ITEMS[upper - 1], ITEMS[upper]
        return min(1, at[upper - 1] + (at[upper] - at[upper - 1]) * (items + 1 - low) / (high - low))

    worst = max(abs(fitted(items) - shares[1][items - 1]) for items in range(2, 41))
    print(f"\nitems of a fling: {', '.join(map(str, ITEMS))}\nat: {', '.join(f'{share:.3f}' for share in at)}")
    print("\nitems,share\n" + "\n".join(f"{items},{shares[1][items - 1]:.4f}" for items in range(2, 40)) + "\n")
    chance = [sum(len(one["flings"]) for one in half) / sum(one["moves"] for one in half) for half in halves]
    return f"; flings of moves {chance[0]:.3f}, {chance[1]:.3f}, {len(fit)} and {len(judge)}; distance of their items {worst:.3f}"


def pixels(data):
    """The rows of a PNG with 8-bit RGBA."""
    position, packed = 8, b""
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position:position + 8])
        chunk = data[position + 8:position + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", chunk[:8])
        packed += chunk if kind == b"IDAT" else b""
        position += 12 + size
    raw, rows, before = zlib.decompress(packed), [], bytearray(4 * width)
    for y in range(height):
        start = y * (4 * width + 1)
        row, method = bytearray(raw[start + 1:start + 1 + 4 * width]), raw[start]
        for x in range(4 * width):
            left, up, corner = (row[x - 4] if x > 3 else 0), before[x], (before[x - 4] if x > 3 else 0)
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[x] = (row[x] + (0, left, up, (left + up) // 2, paeth)[method]) & 255
        rows.append([tuple(row[4 * x:4 * x + 4]) for x in range(width)])
        before = row
    return rows


def histogram(notebook, call, low, high, end):
    """The distribution function at the edges of 50 bars, which a cell of the notebook draws on an axis from 0 to end with six ticks."""
    cell = next(cell for cell in notebook["cells"] if "".join(cell["source"]).rstrip().endswith(call))
    output = next(output for output in cell["outputs"] if "image/png" in output.get("data", {}))
    rows = pixels(base64.b64decode("".join(output["data"]["image/png"])))
    ticks = [x for x, pixel in enumerate(rows[243]) if pixel == (0, 0, 0, 204)]
    edges = [low + (high - low) * bar / 50 for bar in range(51)]
    columns = [ticks[0] + (ticks[-1] - ticks[0]) * edge / end for edge in edges]
    heights, bar_colour, white = [], (165, 200, 225, 255), (255, 255, 255, 255)
    for left, right in zip(columns, columns[1:]):
        inner, tops = range(-int(-left // 1) + 1, int(right) - 1), []
        for clean in (True, False):  # A top below white is the bar's; others are hidden by the curve.
            tops = tops or [241 - y for x in inner for y in range(25, 241) if rows[y][x] == bar_colour and (
                not clean or rows[y - 1][x] == white)]
        heights.append(max(tops, default=0) + 0.5)
    return edges, [sum(heights[:bar]) / sum(heights) for bar in range(51)]


def interpolated(value, values, shares):
    upper = min(max(1, bisect.bisect_left(values, value)), len(values) - 1)
    low, high = values[upper - 1], values[upper]
    return shares[upper - 1] + (shares[upper] - shares[upper - 1]) * min(1, max(0, (value - low) / (high - low)))


def print_kuaishou(folder):
    """The law of the views: in each class of length the same shape, scaled to the class's 80th percentile."""
    notebook, summary = folder / "KuaiRec/Statistics_KuaiRec.ipynb", folder / "kuairec-recsys/reports/split_summary.json"
    if not notebook.exists() or not summary.exists():
        print("fit-people: kuaishou skipped: no clone of chongminggao/KuaiRec or njbabani/kuairec-recsys", file=sys.stderr)
        return
    notebook, label = json.loads(notebook.read_text()), json.loads(summary.read_text())["label"]
    ends, thresholds = [edge / 1000 for edge in label["bucket_edges_ms"]], label["watch_ratio_thresholds"]
    # The histograms end at 100 s and at a ratio of 5; the notebook prints the shortest length.
    tables = {name: histogram(notebook, call, low, high, end) for name, call, low, high, end in [
        ("logged", "visual_continue(big_watch_ratio)", 0, 5, 5),
        ("observed", "visual_continue(small_watch_ratio)", 0, 5, 5),
        ("loggedLengths", "visual_continue(big_video_duration[big_video_duration < 100000])", 0.14, 99.999, 100),
        ("observedLengths", "visual_continue(small_video_duration[small_video_duration < 100000])", 3.067, 99.999, 100)]}
    shape = [index / 100 for index in range(1, 200)] + [2 + index / 25 for index in range(101)]
    kernels = {}
    for name in ("logged", "observed"):
        below = [interpolated(end, *tables[name + "Lengths"]) for end in ends]
        weights = [late - early for early, late in zip([0] + below, below + [1])]
        kernels[name] = []
        for value in shape:
            bins = [0] * 50
            for weight, threshold in zip(weights, thresholds):
                if value * threshold < 5:
                    bins[int(value * threshold * 10)] += weight
            kernels[name].append(bins)
    wanted = [late - early for early, late in zip(tables["logged"][1], tables["logged"][1][1:])]
    chances = [1 / len(shape)] * len(shape)
    for _ in range(200):  # Expectation maximisation (Richardson and Lucy).
        made = [sum(chance * bins[index] for chance, bins in zip(chances, kernels["logged"])) for index in range(50)]
        ratios = [want / max(1e-12, make) for want, make in zip(wanted, made)]
        chances = [chance * sum(map(lambda ratio, weight: ratio * weight, ratios, bins)) / max(1e-9, sum(bins))
                   for chance, bins in zip(chances, kernels["logged"])]
        chances = [chance / sum(chances) for chance in chances]
    shares = [sum(chances[:count]) for count in range(len(shape) + 1)]
    knots = [0] + [round(1000 * interpolated(p, shares, [0] + shape)) for p in PROBABILITIES[1:]]
    print("\nkuaishou: thousandths of the class's 80th percentile: " + ", ".join(map(str, knots)))
    print("classes end at ms: " + ", ".join(f"{1000 * end:.0f}" for end in ends))
    print("80th percentiles, thousandths: " + ", ".join(f"{1000 * value:.0f}" for value in thresholds))
    print(f"the share of the shape below 1, which is 0.8 in the classes: {interpolated(1, [0] + shape, shares):.3f}")
    for name in ("logged", "observed"):
        made = [sum(chance * bins[index] for chance, bins in zip(chances, kernels[name])) for index in range(50)]
        sums = [sum(made[:count]) / sum(made) for count in range(51)]
        worst = max(range(51), key=lambda index: abs(sums[index] - tables[name][1][index]))
        print(f"{name}: distance {abs(sums[worst] - tables[name][1][worst]):.3f} at {tables[name][0][worst]:.1f}")
    print("\ntable,upTo,share")
    for name, (edges, values) in tables.items():
        print("\n".join(f"{name},{edge:.4g},{value:.4f}" for edge, value in zip(edges, values)))


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: Scripts/fit people FOLDER")
    table, lines, reference = [], [], []
    for name, read, is_whole in [
            ("short-video", dashlet, False), ("image-feed", dice, False), ("image-flings", dice_visits, False), ("reader", ebnerd, True)]:
        sessions, problem = read(Path(sys.argv[1]))
        if not sessions:
            print(f"fit-people: {name} skipped: {problem}", file=sys.stderr)
            continue
        halves = [[session for index, session in enumerate(sessions) if index % 2 == half] for half in (0, 1)]
        samples = []
        for half in halves:
            dwells = [dwell for session in half for dwell in session["dwells"]]
            samples.append(sorted(spread(dwells) if is_whole else dwells))
        knots = [max(1, round(1000 * quantile(samples[0], probability))) for probability in PROBABILITIES]
        seconds = [knot / 1000 for knot in knots]
        lines.append(f"{name}, ms: " + ", ".join(map(str, knots)))
        reference += [f"{name},{p:g},{1000 * quantile(samples[1], p):.0f}" for p in JUDGED]
        note = ""
        if "moves" in sessions[0]:
            note = "moves back " + ", ".join(
                f"{sum(one['back'] for one in half) / sum(one['moves'] for one in half):.3f}" for half in halves)
        if "flings" in sessions[0]:
            note += print_flings(halves)
        if "lengths" in sessions[0]:
            chances = []
            for half in halves:
                lengths = sorted(length for one in half for length in one["lengths"])
                chances.append((len(lengths) / sum(lengths), lengths))
            (leave, _), (judged, lengths) = chances
            worst = max(abs(bisect.bisect_right(lengths, k) / len(lengths) - (1 - (1 - leave) ** k)) for k in range(1, 1000))
            note = f"leaves after an item {leave:.3f}, {judged:.3f}; distance of sessions' lengths {worst:.3f}"
        table.append(
            f"| {name} | {len(halves[0])}, {len(halves[1])} | {len(samples[0])}, {len(samples[1])} | "
            f"{distance(seconds, samples[1]):.3f} | {note} |")
    if table:
        print("| preset | sessions or users: fit, judge | dwells: fit, judge | distance of the judging half | also: fit, judge |")
        print("|---|--:|--:|--:|---|")
        print("\n".join(table))
        print("\nat: " + ", ".join(f"{p:g}" for p in PROBABILITIES))
        print("\n".join(lines))
        print("\npreset,probability,ms\n" + "\n".join(reference))
    print_kuaishou(Path(sys.argv[1]))
    videos = watch_ratios(Path(sys.argv[1]))
    if videos:
        print_watch_ratios(videos, Path(sys.argv[1]))


main()
