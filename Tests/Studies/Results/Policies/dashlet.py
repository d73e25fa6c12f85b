#!/usr/bin/env python3
"""Plays Dashlet's policy server, unmodified, from a folder with its code: asks it over HTTP, as its client does.

Settings: `checkout`, the folder with `abr-server`; `retention`, as of challenge.py. Dashlet has segments of 5 s: set `feed.video.segment`.
"""
import contextlib
import http.client
import json
import os
import sys
import threading
from http.server import HTTPServer
from pathlib import Path

import numpy

from challenge import import_from

WINDOW = 5


def serve(checkout, shares, seconds):
    """Starts the policy server for videos of these lengths on a free port. Returns it."""
    module = import_from(Path(checkout).resolve(), "abr-server/empc_server_dashlet")
    # The probability that a viewer leaves at a second.
    module.probability_map = {
        f"{item}": numpy.array([before - after for before, after in zip(shares[f"{length}"], shares[f"{length}"][1:])])
        for item, length in enumerate(seconds)}
    logger = module.DataLogger(os.devnull)
    logger.open()
    state = {"info_phase": True, "ITER_CNT": 0, "buffer_plan": [-2] * WINDOW, "events_record": [{} for _ in range(WINDOW)]}
    server = HTTPServer(("localhost", 0), module.make_request_handler(state, logger, module.ThroughputEstimator()))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


class Session:
    """A run: tells the server what each of five players has, and asks it what to load."""

    def __init__(self, begin):
        settings = begin["settings"]
        self.segment, self.rates = begin["segmentSeconds"], begin["renditions"]
        self.lengths = [item["bytes"] * 8 / self.rates[0] for item in begin["items"]]
        shares = json.loads(Path(settings["retention"]).read_text())
        self.server = serve(settings["checkout"], shares, [round(length) for length in self.lengths])
        self.chosen, self.times = [[] for _ in self.lengths], [(0.0, 0.0)] * len(self.lengths)
        self.stored, self.fetch, self.now = [0] * len(self.lengths), None, 0.0
        self.active, self.begins_ready = -1, False

    def end(self):
        self.server.shutdown()
        self.server.server_close()

    def sizes(self, item):
        """The bytes of each segment in each rendition; the last segment may be shorter."""
        length, found = self.lengths[item], []
        while sum(time for time, _ in found) < length - 1e-9:
            time = min(self.segment, length - len(found) * self.segment)
            found.append((time, [rate * time / 8 for rate in self.rates]))
        return [sizes for _, sizes in found]

    def post(self, message):
        connection = http.client.HTTPConnection("localhost", self.server.server_port)
        connection.request("POST", "/", json.dumps(message))
        answer = connection.getresponse().read()
        connection.close()
        return int(answer)

    def player(self, item, active, buffered):
        chosen, (began, ended) = self.chosen[item], self.times[item]
        sizes = self.sizes(item)
        size = sizes[len(chosen) - 1][chosen[-1]] if chosen else 0
        stored = min(len(chosen) * self.segment, self.lengths[item])
        return {
            "Type": "download", "playerId": item % WINDOW, "currentPlayerIdx": active % WINDOW, "realPlayerId": item,
            "url": f"http://localhost/dash/data/{item}/manifest.mpd", "duration": self.lengths[item], "chunksize_list": sizes,
            "nextChunkSize": sizes[len(chosen)] if len(chosen) < len(sizes) else [0] * len(self.rates),
            "lastRequest": len(chosen) - 1, "lastquality": chosen[-1] if chosen else -1, "lastChunkSize": size,
            "lastChunkStartTime": began * 1000, "lastChunkFinishTime": ended * 1000, "currentTime": self.now, "RebufferTime": 0,
            "bandwidthEst": size * 8 / (ended - began) / 1000 if chosen else 0, "buffer": buffered if item == active else stored}

    def plan(self, plan):
        self.now, active = plan["time"], plan["activeItem"]
        for change in plan["changes"]:
            self.stored[change["item"]] = change["storedBytes"]
        if active != self.active:
            self.active, self.begins_ready = active, self.stored[active] > 0
            # A swipe abandons the segment of the video that is left.
            if self.fetch and self.fetch[0] < active and self.stored[self.fetch[0]] < self.fetch[1]:
                self.fetch = None
        if self.fetch and self.stored[self.fetch[0]] >= self.fetch[1]:
            item, _, rendition, began = self.fetch
            self.chosen[item].append(rendition)
            self.times[item], self.fetch = (began, self.now), None
        if not self.fetch:
            # Its client learns how far a video has played at the start of each segment, but not of a first one that was there before.
            stored = min(len(self.chosen[active]) * self.segment, self.lengths[active])
            buffered = plan["bufferedSeconds"]
            if self.begins_ready and stored - buffered < self.segment:
                buffered = stored
            players = [self.player(item, active, buffered) for item in range(active, min(active + WINDOW, len(self.lengths)))]
            if len(players) == WINDOW:
                self.decide(active, players)
        if self.fetch:
            return {"id": plan["id"], "fetches": [{"item": self.fetch[0], "bytes": self.fetch[1], "rendition": self.fetch[2]}]}
        # Its client asks at the end of each played segment.
        played = min(len(self.chosen[active]) * self.segment, self.lengths[active]) - plan["bufferedSeconds"]
        rest = self.segment - played % self.segment
        return {"id": plan["id"], "fetches": [], "askAgainAt": self.now + max(rest, 0.001)}

    def decide(self, active, players):
        for player in players:
            self.post(dict(player, isinfo=1))
        for player in players:
            rendition = self.post(dict(player, isinfo=0))
            if rendition != -2:
                item = player["realPlayerId"]
                whole = sum(sizes[0] for sizes in self.sizes(item))
                least = min((len(self.chosen[item]) + 1) * int(self.rates[0] * self.segment) // 8, int(whole))
                self.fetch = item, least, rendition, self.now


def main():
    answers, session, home = sys.stdout, None, os.getcwd()
    with contextlib.redirect_stdout(sys.stderr):
        for line in sys.stdin:
            message = json.loads(line)
            if message["type"] == "begin":
                if session:
                    session.end()
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
