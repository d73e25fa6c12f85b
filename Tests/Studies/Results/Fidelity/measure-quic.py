# The HTTP/3 client of Scripts/measure: runs one case with ngtcp2's client and prints the times of its qlog (whole milliseconds) as JSON.
# usage: measure-quic.py HOST PORT FOLDER CASE     FOLDER is the server's; FOLDER/files gets a sparse file for each size
import json, os, subprocess, sys

def run_quic(host, port, folder, kind, size):
    count = int(kind[8:]) if kind.startswith("parallel") else 1
    session, log = os.path.join(folder, "session"), os.path.join(folder, "client.sqlog")
    options = ["--session-file", session, "--tp-file", session + ".tp"]
    command = ["gtlsclient", "-q", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close", "--qlog-file", log]
    if kind == "0rtt":
        subprocess.run(command + options + [host, str(port), "https://x/10240"], check=True, timeout=600)
    else:
        options = ["--disable-early-data"]
    if os.path.exists(log):
        os.remove(log)
    subprocess.run(command + options + [host, str(port)] + [f"https://x/{size}"] * count, check=True, timeout=600)
    return read_qlog(log, count, size)

def read_qlog(log, count, size):
    start = finished = None
    streams = {4 * i: {"size": size, "first": None, "end": None, "parts": {}, "last": None} for i in range(count)}
    for line in open(log):
        try:
            event = json.loads(line.lstrip("\x1e"))
        except ValueError:
            continue
        name, data, now = event.get("name", ""), event.get("data", {}), event.get("time")
        if name == "transport:packet_sent" and start is None:
            start = now
        # The client's Finished ends its handshake.
        if name == "transport:packet_sent" and finished is None and data["header"]["packet_type"] == "handshake":
            if any(frame["frame_type"] == "crypto" for frame in data["frames"]):
                finished = now
        for frame in data.get("frames", []):
            stream = streams.get(frame.get("stream_id")) if frame.get("frame_type") == "stream" else None
            if stream is None:
                continue
            if name == "transport:packet_received":
                stream["first"] = now - start if stream["first"] is None else stream["first"]
                offset, length = frame["offset"], frame["length"]
                stream["parts"][offset] = max(length, stream["parts"].get(offset, 0))
                if frame.get("fin"):
                    stream["last"] = offset + length
                if stream["end"] is None and stream["last"] is not None and covered(stream["parts"]) >= stream["last"]:
                    stream["end"] = now - start
    return [{"size": size, "connect": finished - start, "first": s["first"], "end": s["end"], "bytes": covered(s["parts"])}
            for s in streams.values()]

def covered(parts):
    end = 0
    for offset in sorted(parts):
        if offset > end:
            return end
        end = max(end, offset + parts[offset])
    return end

def main():
    host, port, folder, case = sys.argv[1:5]
    kind, _, size = case.partition(":")
    for name in (size, "10240"):
        with open(os.path.join(folder, "files", name), "a") as file:
            file.truncate(int(name))
    print(json.dumps(run_quic(host, port, folder, kind, int(size))))

main()
