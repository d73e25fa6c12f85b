#!/usr/bin/env python3
"""Plays a policy of the ACM Multimedia 2022 short-video challenge, unmodified, from a folder with its code.

A policy is a class `Algorithm`, whose `run` chooses the next segment and its rendition, or a time to sleep. Settings: `checkout`, the folder;
`policy`, a module in it such as "quickstart/Waterfall"; `retention`, a JSON file with the shares of users who still watch at each second, by
a video's number of segments.
"""
import contextlib
import importlib
import json
import os
import sys
import types
from pathlib import Path
from unittest.mock import MagicMock

import numpy

WINDOW = 5
# Modules that the published files import, and that no decision needs.
UNUSED = ["matplotlib", "matplotlib.pyplot", "pandas", "psutil", "numpy.lib.utils"]
# The folders that modules were imported from.
imported = set()


def import_from(checkout, name):
    """Imports a module of a checkout afresh, so that no run sees the state or the modules of another."""
    for known, module in list(sys.modules.items()):
        origins = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
        if any(str(origin).startswith(folder) for origin in origins for folder in imported):
            del sys.modules[known]
    sys.path[:] = [path for path in sys.path if not any(path.startswith(folder) for folder in imported)]
    imported.add(str(checkout))
    for unused in UNUSED:
        try:
            importlib.import_module(unused)
        except ImportError:
            sys.modules[unused] = MagicMock(name=unused)
    if "numba" not in sys.modules:
        # Its compiler changes no result.
        numba = types.ModuleType("numba")
        numba.jit = numba.njit = lambda *arguments, **options: lambda function: function
        numba.int64, numba.float64 = (
            type(kind.__name__, (kind,), {"__class_getitem__": lambda kind, index: kind}) for kind in (numpy.int64, numpy.float64))
        sys.modules["numba"] = numba
    sys.path[:0] = [str(checkout), str(checkout / "simulator"), str((checkout / name).parent)]
    return importlib.import_module(Path(name).name)


class Player:
    """A video as the challenge shows it to its policies; times are milliseconds."""

    def __init__(self, sizes, retention, segment_ms):
        self.video_size = sizes
        self.segment_ms = segment_ms
        self.chunk_num = len(sizes[0])
        self.video_len = self.chunk_num * segment_ms
        self.user_time = [second * 1000.0 for second in range(len(retention))]
        self.user_retent_rate = [str(share) for share in retention]
        self.download_chunk_bitrate = []
        self.preload_size = 0
        self.video_chunk_counter = 0
        self.play_timeline = 0.0
        self.buffer_size = 0.0
        self.rebuf_time = []

    @property
    def video_chunk_remain(self):
        return self.chunk_num - self.video_chunk_counter

    def store(self, rendition):
        self.download_chunk_bitrate.append(rendition)
        self.preload_size += self.video_size[rendition][self.video_chunk_counter]
        self.video_chunk_counter += 1
        self.buffer_size += self.segment_ms

    def play(self, elapsed):
        """Plays for a time, and returns how much of it stalled."""
        played = min(elapsed, self.buffer_size)
        self.play_timeline += played
        self.buffer_size -= played
        return elapsed - played

    def sizes_from(self, first, count):
        return [[sizes[first + offset] for offset in range(count)] for sizes in self.video_size.values()]

    def get_user_model(self):
        return self.user_time, self.user_retent_rate

    def get_video_len(self):
        return self.video_len

    def get_video_size(self, quality):
        return self.video_size[quality][self.video_chunk_counter]

    def get_video_quality(self, index):
        return self.download_chunk_bitrate[index] if index < len(self.download_chunk_bitrate) else -1

    def get_preload_size(self):
        return self.preload_size

    def get_undownloaded_video_size(self, count):
        return self.sizes_from(self.video_chunk_counter, count)

    def get_future_video_size(self, count):
        return self.sizes_from(-int(-self.get_play_chunk() // 1), count)

    def get_play_chunk(self):
        return self.play_timeline / self.segment_ms

    def get_remain_video_num(self):
        return self.video_chunk_remain

    def get_chunk_sum(self):
        return self.chunk_num

    def get_chunk_counter(self):
        return self.video_chunk_counter

    def get_buffer_size(self):
        return self.buffer_size

    def get_downloaded_bitrate(self):
        return self.download_chunk_bitrate


class Session:
    """A run: follows playback from the lines of the protocol, and asks the policy when the challenge's simulator would."""

    def __init__(self, begin):
        settings = begin["settings"]
        checkout = Path(settings["checkout"]).resolve()
        retention = json.loads(Path(settings["retention"]).read_text())
        self.segment_ms = begin["segmentSeconds"] * 1000.0
        self.sizes = [int(rate * begin["segmentSeconds"]) // 8 for rate in begin["renditions"]]
        self.videos = []
        for item in begin["items"]:
            segments = round(item["bytes"] / self.sizes[0])
            sizes = {rendition: [size] * segments for rendition, size in enumerate(self.sizes)}
            self.videos.append(Player(sizes, retention[str(segments)], self.segment_ms))
        # Some policies read files beside them.
        os.chdir(checkout)
        self.algorithm = import_from(checkout, settings["policy"]).Algorithm()
        self.algorithm.Initialize()
        self.active, self.now, self.began, self.stalled = 0, 0, 0, 0
        self.fetch, self.wakes = None, None
        self.stored = [0] * len(self.videos)

    def advance(self, plan):
        # The simulator's clock has whole milliseconds.
        now = round(plan["time"] * 1000)
        self.stalled += self.videos[self.active].play(now - self.now)
        self.now, self.active = now, plan["activeItem"]
        for change in plan["changes"]:
            self.stored[change["item"]] = change["storedBytes"]

    def plan(self, plan):
        is_first = plan["id"] == 1
        self.advance(plan)
        if is_first:
            self.decide(0, 0, False, is_first=True)
        elif self.fetch and self.stored[self.fetch[0]] >= self.target:
            (video, rendition), self.fetch = self.fetch, None
            size = self.videos[video].get_video_size(rendition)
            self.videos[video].store(rendition)
            has_ended = video < self.active or self.videos[video].get_remain_video_num() == 0
            self.decide(self.now - self.began, size, has_ended)
        elif self.wakes is not None and self.now >= self.wakes:
            self.decide(self.now - self.began, 0, self.videos[self.active].get_remain_video_num() == 0)
        if self.fetch:
            return {"id": plan["id"], "fetches": [{"item": self.fetch[0], "bytes": self.target, "rendition": self.fetch[1]}]}
        return {"id": plan["id"], "fetches": [], "askAgainAt": self.wakes / 1000}

    def decide(self, delay, size, has_ended, is_first=False):
        stalled, self.stalled, self.began = self.stalled, 0, self.now
        players = self.videos[self.active:self.active + WINDOW]
        video, rendition, sleep = self.algorithm.run(delay, stalled, size, has_ended, self.active, players, is_first)
        self.fetch, self.wakes = None, None
        if sleep > 0:
            self.wakes = self.now + int(sleep)
            return
        self.fetch = int(video), int(rendition)
        self.target = (self.videos[video].get_chunk_counter() + 1) * self.sizes[0]
        self.videos[video].get_video_size(rendition)


def main():
    answers, session, home = sys.stdout, None, os.getcwd()
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "begin":
                os.chdir(home)
                session = Session(message)
                answer = {"ready": 1}
            elif message["type"] == "plan":
                answer = session.plan(message)
            else:
                continue
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
