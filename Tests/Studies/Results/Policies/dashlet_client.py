#!/usr/bin/env python3
"""Plays sessions with Dashlet's policy server and the simulated client of its repository, unmodified; prints a line of JSON for each.

usage: dashlet_client.py CHECKOUT WORK SESSIONS     WORK is a scratch folder
"""
import contextlib
import importlib
import io
import json
import os
import sys
import types
from pathlib import Path

import requests

from dashlet import serve


class Swipes(list):
    """The videos of a session. The client asks for their number at each swipe; this notes the time."""

    def __init__(self, videos):
        super().__init__(videos)
        self.times = []

    def __len__(self):
        local = sys._getframe(1).f_locals
        if "real_time" in local:
            self.times.append(local["real_time"])
        return super().__len__()


def prepare(folder, session):
    """Writes what the client reads: manifests, the order of videos, the shares that are watched, and a packet's time on each line."""
    folder.mkdir(parents=True)
    for item, length in enumerate(session["lengths"]):
        (folder / f"{item}").mkdir()
        (folder / f"{item}/manifest.mpd").write_text(f'<MPD mediaPresentationDuration="PT{length}.0S"/>')
    rates = "&".join(f"{rate}" for rate in session["rates"])
    (folder / "videos").write_text("".join(f"{item},{item},{length},{rates}\n" for item, length in enumerate(session["lengths"])))
    shares = [watched / 1000 / length for watched, length in zip(session["watched"], session["lengths"])]
    (folder / "swipes").write_text("".join(f"{share!r}\n" for share in shares))
    (folder / "packets").write_text("".join(f"{time}\n" for time in session["packets"]))


def play(checkout, folder, shares, session):
    prepare(folder, session)
    server = serve(checkout, shares, session["lengths"])
    module = importlib.import_module("env-interact-dashlet")
    module.folder = f"{folder}/"
    # On the port of this session.
    post = requests.Session().post
    module.requests = types.SimpleNamespace(post=lambda _, data: post(f"http://localhost:{server.server_port}", data=data))
    steps = []

    class Observed(module.env):
        def exit_server(self):
            pass

        def getNextBuffer(self, players, slot, playing, now):
            player, segment, quality = super().getNextBuffer(players, slot, playing, now)
            if player >= 0:
                video = playing + (player - slot) % self.player_num
                size = players[player].vsize[segment][quality]
                steps.append({"video": video, "rendition": quality, "begin": now, "bytes": size})
            return player, segment, quality

        def timeToDownload(self, size, now):
            steps[-1]["duration"] = super().timeToDownload(size, now)
            return steps[-1]["duration"]

    client = Observed(folder / "videos", folder / "swipes", folder / "packets")
    client.sequence = Swipes(client.sequence)
    client.run()
    server.shutdown()
    return {"steps": steps, "swipes": client.sequence.times}


def main():
    checkout, work, sessions = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), json.loads(Path(sys.argv[3]).read_text())
    results = sys.stdout
    for number, session in enumerate(sessions["sessions"]):
        with contextlib.redirect_stdout(io.StringIO()):
            row = play(checkout, work / f"{number}", sessions["shares"], session)
        print(json.dumps(row), file=results, flush=True)


if __name__ == "__main__":
    main()
