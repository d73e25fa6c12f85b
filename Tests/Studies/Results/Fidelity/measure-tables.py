# Joins the results of Scripts/measure into tables in the form of Tests/Reference: medians over the runs of each case.
# usage: measure-tables.py FOLDER < results.jsonl     writes FOLDER/stacks; a line for each run, as Scripts/measure writes them
import csv, json, os, statistics, sys

def middle(values):
    values = [value for value in values if value is not None]
    return round(statistics.median(values), 3) if values else ""

class Case:
    """The runs of a case, such as parallel3:51200."""

    def __init__(self, runs):
        self.results = [run["result"] for run in runs]
        first = runs[0]
        self.kind, _, self.size = first["case"].partition(":")
        self.name = self.kind if self.kind == "0rtt" else self.kind.rstrip("0123456789")
        self.number = self.kind[len(self.name):]
        self.version, self.server, self.client = first["version"], first["server"], first.get("client", "aioquic")
        self.link, self.queue, self.loss, self.cc = first["link"], first["queue"], first["loss"], first["cc"]
        self.drops = middle([run["drops"] for run in runs])

    def each(self, index, key):
        return middle([result[index][key] for result in self.results])

    def least(self, index, key, of=min):
        return of((result[index][key] for result in self.results if result[index][key] is not None), default="")

    def victim(self, index):
        """True for the request that the case cancels."""
        return self.name == "cancel" and index == 0

    def late(self):
        """The number of runs with a request that has no end."""
        return sum(any(t["end"] is None and not self.victim(i) for i, t in enumerate(result)) for result in self.results)

    def base(self, unfinished):
        return {"link": self.link, "queue_pkts": self.queue, "loss_each_way": self.loss, "cc": self.cc, "n": len(self.results),
                unfinished: self.late(), "qdrops_med": self.drops}

def http1_rows(case):
    base = {**case.base("n_timeout"), "size_bytes": case.size}
    if case.name == "parallel":
        ends = [sorted(t["end"] or 600000 for t in result) for result in case.results]
        firsts = [sorted(t["first"] or 600000 for t in result) for result in case.results]
        ranks = [(f"rank{rank + 1}", [f[rank] for f in firsts], [e[rank] for e in ends]) for rank in range(int(case.number))]
        ranks.append(("mean", [statistics.mean(f) for f in firsts], [statistics.mean(e) for e in ends]))
        return [{**base, "case": case.kind, "request_or_rank": rank, "ttfb_ms_med": middle(first), "total_ms_med": middle(end)}
                for rank, first, end in ranks]
    row = {**base, "case": {"idle": "after_idle_3000ms"}.get(case.name, case.name), "request_or_rank": "get",
           "ttfb_ms_med": case.each(-1, "first"), "total_ms_med": case.each(-1, "end"), "connect_ms_med": case.each(-1, "connect")}
    if case.name == "cancel":
        row.update({"case": f"cancel_{case.number}ms_of_{case.size}", "request_or_rank": "after", "size_bytes": 102400,
                    "victim_bytes_med": case.each(0, "bytes")})
    return [row]

def http2_rows(case):
    scenario = {"cold": "eq1_cold", "warm": "eq1_warm", "idle": "idle3s_eq1", "parallel": f"eq{case.number}_cold",
                "cancel": f"cancelonly1_{case.number}ms_cold"}[case.name]
    return [{**case.base("n_timeout"), "server": case.server, "scenario": scenario, "request": index,
             "size_bytes": case.results[0][index]["size"], "start_ms": case.number if case.name == "cancel" and index else 0,
             "fate": "cancelled" if case.victim(index) else "done", "ttfb_ms_med": case.each(index, "first"),
             "end_ms_med": case.number if case.victim(index) else case.each(index, "end"), "bytes_med": case.each(index, "bytes"),
             **({} if case.victim(index) else {"end_ms_min": case.least(index, "end"), "end_ms_max": case.least(index, "end", max)})}
            for index in range(len(case.results[0]))]

def http3_rows(case):
    count = len(case.results[0])
    connect = case.each(0, "connect")
    handshake = connect if connect != "" and connect >= 0 else ""
    return [{**case.base("n_incomplete"), "scenario": f"par{case.number}" if case.name == "parallel" else case.kind,
             "sizes_bytes": " ".join(str(t["size"]) for t in case.results[0]), "request": index, "size_bytes": case.results[0][index]["size"],
             "start_ms": case.number if case.name == "cancel" and index else 0, "fate": "cancelled" if case.victim(index) else "done",
             "handshake_ms_med": handshake, "ttfb_ms_med": case.each(index, "first"), "ttfb_ms_min": case.least(index, "first"),
             "end_ms_med": case.number if case.victim(index) else case.each(index, "end")} for index in range(count)]

def session_rows(case):
    loaders = sorted(result["loaders"] for result in case.results)
    each = lambda key: middle([result[key] for result in case.results])
    options = case.results[0]["options"]
    return [{"link": case.link, "dwellMs": options["dwell"], "queuePackets": case.queue, "lossEachWay": case.loss,
             "client": case.client if case.version == "3" else "", "protocol": {"1": "http1.1", "2": "h2", "3": "h3"}[case.version],
             "serverCC": case.cc, "variant": options["variant"], "policy": options["policy"], "maxCost": options["maxCost"],
             "streamsOrConnections": options["streams"],
             "cancel": options["cancel"], "items": options["items"], "repeats": len(loaders), "loaders": " ".join(map(str, loaders)),
             "loadersMin": loaders[0], "loadersMax": loaders[-1], "loadersMedian": middle(loaders), "requests": each("requests"),
             "cancels": each("cancels"), "newConnections": each("connections"), "bytesReceived": each("bytes"),
             "queueDropsDownMedian": case.drops}]

def main():
    groups = {}
    for line in sys.stdin:
        run = json.loads(line)
        key = tuple(run.get(name) for name in ("version", "link", "queue", "loss", "cc", "server", "client", "case"))
        groups.setdefault(key, []).append(run)
    tables = {"bbr": [], "h2": [], "h3": [], "sessions": []}
    for case in map(Case, groups.values()):
        if case.kind == "session":
            tables["sessions"] += session_rows(case)
        elif case.version == "1":
            tables["bbr"] += http1_rows(case)
        elif case.version == "2":
            tables["h2"] += http2_rows(case)
        else:
            tables["h3"] += http3_rows(case)
    folder = os.path.join(sys.argv[1], "stacks")
    os.makedirs(folder, exist_ok=True)
    for name, rows in tables.items():
        if rows:
            columns = list(dict.fromkeys(column for row in rows for column in row))
            with open(os.path.join(folder, name + ".csv"), "w", newline="") as file:
                writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)

main()
