#!/usr/bin/env python3
"""Plays sessions in the simulator of a checkout of the short-video challenge, unmodified, and prints what it did, a line of JSON for each.

usage: theirs.py CHECKOUT MODULE WORK SESSIONS     MODULE such as quickstart/Waterfall; WORK is a scratch folder
"""
import contextlib
import io
import json
import os
import sys
from pathlib import Path

from challenge import import_from

# The word for a policy in its run.py, where it is not the module's name.
WORDS = {"fix_preload": "fixed_preload", "fixpreload": "fixed_preload"}


def prepare(folder, checkout, session):
    """Makes the folder that the simulator runs in: the checkout's code, and a session's videos, retention and link."""
    folder.mkdir(parents=True)
    for entry in checkout.iterdir():
        if entry.name not in ("data", "logs", "run.py"):
            (folder / entry.name).symlink_to(entry)
    for name in ("logs/sample_user", "logs/comparing", "data/user_ret", "data/network_traces/own"):
        (folder / name).mkdir(parents=True)
    for index, video in enumerate(session["videos"]):
        sizes = folder / f"data/short_video_size/{index}"
        sizes.mkdir(parents=True)
        for level, rate in enumerate(session["rates"]):
            (sizes / f"video_size_{level}").write_text(f"{rate // 8}\n" * video["segments"])
        lines = [f"{second} {share}\n" for second, share in enumerate(video["retention"])]
        (folder / f"data/user_ret/{index}").write_text("".join(lines))
    (folder / "data/network_traces/own/0").write_text("".join(f"{time} {rate}\n" for time, rate in session["link"]))


def observed(environment):
    """The simulator's environment, with a record of each step."""

    class Observed(environment):
        def __init__(self, *arguments):
            self.steps, self.watched = [], {}
            Observed.latest = self
            super().__init__(*arguments)

        def buffer_management(self, video, rendition, sleep):
            for index, user in enumerate(self.user_models):
                self.watched[self.play_video_id + index] = int(user.get_ret_duration())
            playing = self.play_video_id
            delay, stalled, size, _, _, _ = super().buffer_management(video, rendition, sleep)
            self.steps.append({
                "video": int(video), "rendition": int(rendition), "sleep": int(sleep), "playing": playing, "delay": float(delay),
                "stalled": float(stalled), "bytes": float(size)})
            return delay, stalled, size, _, self.play_video_id, _

    return Observed


def play(checkout, module, folder, session):
    prepare(folder, checkout, session)
    os.chdir(folder)
    name, kind = Path(module).name, Path(module).parent.name
    sys.argv = ["run.py"]
    # A process state of its own for each session: run.py keeps the last renditions from one to the next.
    run = import_from(checkout, "run")
    run.env.Environment = observed(run.env.Environment)
    run.seeds, run.ALL_VIDEO_NUM = session["seeds"], len(session["videos"])
    run.all_cooked_time, run.all_cooked_bw = run.short_video_load_trace.load_trace("data/network_traces/own/")
    score, problem = None, None
    try:
        score = float(run.test(kind in ("baseline", "MPC"), kind in ("quickstart", "fixpreload"), WORDS.get(name, name), 0, 0)[0])
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    seen = getattr(run.env.Environment, "latest", None)
    if seen is None:
        return {"steps": [], "watched": [], "score": None, "problem": problem}
    return {"steps": seen.steps, "watched": [seen.watched[index] for index in sorted(seen.watched)], "score": score, "problem": problem}


def main():
    checkout, module, work, sessions = sys.argv[1], sys.argv[2], *map(Path, sys.argv[3:])
    checkout, work, sessions = Path(checkout).resolve(), work.resolve(), json.loads(sessions.read_text())
    walk = os.walk
    # Some versions take videos in the order of the file system; here it is that of their names.
    os.walk = lambda folder: ((path, sorted(folders), files) for path, folders, files in walk(folder))
    results = sys.stdout
    for number, session in enumerate(sessions):
        with contextlib.redirect_stdout(io.StringIO()):
            row = play(checkout, module, work / str(number), session)
        print(json.dumps(row), file=results, flush=True)


if __name__ == "__main__":
    main()
