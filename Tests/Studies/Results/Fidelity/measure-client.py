# The client of Scripts/measure over HTTP/1.1, HTTP/2 and HTTP/3: runs one case behind the link and prints its times as JSON.
# usage: measure-client.py VERSION HOST PORT FOLDER CASE     FOLDER is the server's; FOLDER/files gets a sparse file for each size
# VERSION is 1, 2, 3, or 3curl for HTTP/3 with libcurl and ngtcp2, which has warm, idle, cancel and session as aioquic has.
import json, os, select, socket, ssl, sys, time

try:
    import h2.config, h2.connection, h2.events, h2.settings
except ImportError:
    h2 = None  # HTTP/2 only
try:
    import aioquic.h3.connection, aioquic.h3.events, aioquic.quic.configuration, aioquic.quic.connection, aioquic.quic.events
except ImportError:
    aioquic = None  # HTTP/3 only
try:
    import curl_cffi
    from curl_cffi._wrapper import ffi, lib
except ImportError:
    curl_cffi = None  # HTTP/3 with ngtcp2 only

REQUEST_BYTES = 142  # of an HTTP/1.1 request outside of sessions, as libcurl sends; sessions have 256
WARM_BYTES = 204800
PREFIX = 204800
VIDEO = 1048576

class Transfer:
    def __init__(self, number, size, first=0, last=None):
        self.number, self.size, self.first, self.last = number, size, first, last
        self.started = time.monotonic()
        self.connected = self.first_byte = self.end = None
        self.received = 0

    def range(self):
        return None if self.first == 0 and self.last is None else f"bytes={self.first}-{'' if self.last is None else self.last}"

    def expected(self):
        return (self.size if self.last is None else self.last + 1) - self.first

    def take(self, count, now):
        self.received += count
        if self.received >= self.expected() and self.end is None:
            self.end = now

class Plain:
    """An HTTP/1.1 connection: one transfer at a time."""

    def __init__(self, client, transfer):
        self.client, self.transfer, self.head, self.is_open = client, None, b"", False
        self.sock = socket.socket()
        self.sock.setblocking(False)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock.connect_ex(client.address)
        self.begin(transfer)

    def begin(self, transfer):
        self.transfer, self.head = transfer, b""
        if self.is_open:
            self.send()

    def send(self):
        t = self.transfer
        t.connected = time.monotonic()
        text = f"GET /{t.size} HTTP/1.1\r\nHost: {self.client.address[0]}\r\n"
        if t.range():
            text += f"Range: {t.range()}\r\n"
        text += "User-Agent: "
        text += "x" * max(1, self.client.request_bytes - len(text) - 4) + "\r\n\r\n"
        self.sock.sendall(text.encode())

    def wants_write(self):
        return not self.is_open

    def ready(self):
        if not self.is_open:
            error = self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if error:
                raise OSError(error, os.strerror(error))
            try:
                self.sock.getpeername()
            except OSError:
                return
            self.is_open = True
            self.send()
            return
        while True:
            try:
                data = self.sock.recv(1 << 18)
            except BlockingIOError:
                return
            if not data:
                raise OSError("the server closed a connection")
            now = time.monotonic()
            t = self.transfer
            if t.first_byte is None:
                t.first_byte = now
                self.head += data
                at = self.head.find(b"\r\n\r\n")
                if at < 0:
                    t.first_byte = None
                    continue
                if self.head.split(b" ", 2)[1] not in (b"200", b"206"):
                    raise OSError(self.head.decode(errors="replace"))
                data = self.head[at + 4:]
            t.take(len(data), now)
            if t.end is not None:
                self.transfer = None
                self.client.done(t)
                return

    def close(self):
        self.sock.close()

class Multiplexed:
    """An HTTP/2 connection over TLS 1.3, with windows that never limit. RST_STREAM leaves at once."""

    def __init__(self, client):
        self.client, self.streams, self.is_open = client, {}, False
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["h2"])
        context.set_ecdh_curve("prime256v1")  # the group of all servers here: with another, nghttpd would retry the handshake
        plain = socket.socket()
        plain.setblocking(False)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.connect_ex(client.address)
        if not select.select([], [plain], [], 60)[1]:
            raise OSError("no connection")
        self.connected = time.monotonic()
        self.sock = context.wrap_socket(plain, do_handshake_on_connect=False)
        while True:
            try:
                self.sock.do_handshake()
                break
            except ssl.SSLWantReadError:
                select.select([self.sock], [], [], 60)
            except ssl.SSLWantWriteError:
                select.select([], [self.sock], [], 60)
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding="utf-8"))
        codes = h2.settings.SettingCodes
        self.h2.local_settings = h2.settings.Settings(
            client=True, initial_values={codes.ENABLE_PUSH: 0, codes.INITIAL_WINDOW_SIZE: (1 << 31) - 1})
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window((1 << 31) - 1 - 65535)
        self.secured = time.monotonic()

    def begin(self, transfer):
        stream = self.h2.get_next_available_stream_id()
        headers = [(":method", "GET"), (":scheme", "https"), (":authority", self.client.address[0]), (":path", f"/{transfer.size}")]
        if transfer.range():
            headers.append(("range", transfer.range()))
        transfer.connected = self.connected
        self.h2.send_headers(stream, headers, end_stream=True)
        self.streams[stream] = transfer

    def flush(self):
        data = self.h2.data_to_send()
        while data:
            try:
                data = data[self.sock.send(data):]
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                select.select([], [self.sock], [], 60)

    def reset(self, transfer):
        for stream, other in list(self.streams.items()):
            if other is transfer:
                del self.streams[stream]
                self.h2.reset_stream(stream, error_code=8)
        self.flush()

    def wants_write(self):
        return False

    def ready(self):
        while True:
            try:
                data = self.sock.recv(1 << 16)
            except (ssl.SSLWantReadError, BlockingIOError):
                break
            if not data:
                raise OSError("the server closed the connection")
            now = time.monotonic()
            for event in self.h2.receive_data(data):
                transfer = self.streams.get(getattr(event, "stream_id", None))
                if isinstance(event, h2.events.ConnectionTerminated):
                    raise OSError("the server ended the connection")
                if transfer is None:
                    continue
                if isinstance(event, h2.events.ResponseReceived):
                    transfer.first_byte = now
                elif isinstance(event, h2.events.DataReceived):
                    transfer.take(len(event.data), now)
                    if transfer.end is not None:
                        del self.streams[event.stream_id]
                        self.client.done(transfer)
                elif isinstance(event, h2.events.StreamReset):
                    raise OSError("the server reset a stream")
            self.flush()

    def close(self):
        self.sock.close()

class Quic:
    """An HTTP/3 connection with windows that never limit. STOP_SENDING leaves at once. The server knows no ranges: a part is a file."""

    def __init__(self, client):
        self.client, self.streams, self.connected = client, {}, None
        self.sock = socket.socket(type=socket.SOCK_DGRAM)
        self.sock.setblocking(False)
        self.sock.connect(client.address)
        self.quic = aioquic.quic.connection.QuicConnection(configuration=aioquic.quic.configuration.QuicConfiguration(
            alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE, max_data=1 << 40, max_stream_data=1 << 40, idle_timeout=600))
        self.quic.connect(client.address, now=time.monotonic())
        self.http = aioquic.h3.connection.H3Connection(self.quic)

    def begin(self, transfer):
        stream = self.quic.get_next_available_stream_id()
        fields = {":method": "GET", ":scheme": "https", ":authority": self.client.address[0], ":path": f"/{transfer.expected()}"}
        self.http.send_headers(stream, [(name.encode(), value.encode()) for name, value in fields.items()], end_stream=True)
        transfer.connected = self.connected
        self.streams[stream] = transfer

    def flush(self):
        for data, _ in self.quic.datagrams_to_send(time.monotonic()):
            self.sock.send(data)

    def reset(self, transfer):
        for stream, other in list(self.streams.items()):
            if other is transfer:
                del self.streams[stream]
                self.quic.stop_stream(stream, 0x10C)
        self.flush()

    def wants_write(self):
        return False

    def ready(self):
        while True:
            try:
                self.quic.receive_datagram(self.sock.recv(1 << 16), self.client.address, time.monotonic())
            except BlockingIOError:
                break
        self.take()

    def timer(self):
        return self.quic.get_timer() or float("inf")

    def fire(self):
        self.quic.handle_timer(time.monotonic())
        self.take()

    def take(self):
        now = time.monotonic()
        while (event := self.quic.next_event()) is not None:
            if isinstance(event, aioquic.quic.events.ConnectionTerminated):
                raise OSError(f"the connection has ended: {event.reason_phrase}")
            if isinstance(event, aioquic.quic.events.HandshakeCompleted):
                self.connected = now
                for transfer in self.streams.values():
                    transfer.connected = now
            for part in self.http.handle_event(event):
                transfer = self.streams.get(part.stream_id)
                if transfer is None:
                    continue
                if isinstance(part, aioquic.h3.events.HeadersReceived):
                    transfer.first_byte = now
                elif isinstance(part, aioquic.h3.events.DataReceived):
                    transfer.take(len(part.data), now)
                    if transfer.end is not None:
                        del self.streams[part.stream_id]
                        self.client.done(transfer)
        self.flush()

    def close(self):
        self.sock.close()

class Curl:
    """An HTTP/3 connection of libcurl over ngtcp2, with windows of 10 MB. A cancel removes the transfer: STOP_SENDING leaves at once."""

    def __init__(self, client):
        self.client, self.easy, self.multi, self.count = client, {}, lib.curl_multi_init(), ffi.new("int *")

    def begin(self, transfer):
        def write(data):
            transfer.first_byte = transfer.first_byte or time.monotonic()
            transfer.received += len(data)
            return len(data)

        easy, names = curl_cffi.Curl(), curl_cffi.CurlOpt
        easy.setopt(names.URL, "https://{}:{}/{}".format(*self.client.address, transfer.expected()))
        easy.setopt(names.HTTP_VERSION, curl_cffi.CurlHttpVersion.V3ONLY)
        easy.setopt(names.WRITEFUNCTION, write)
        for name, value in (("SSL_VERIFYPEER", 0), ("SSL_VERIFYHOST", 0), ("PIPEWAIT", 1)):
            easy.setopt(names[name], value)
        self.easy[transfer] = easy
        lib.curl_multi_add_handle(self.multi, easy._curl)
        self.flush()

    def flush(self):
        lib.curl_multi_perform(self.multi, self.count)

    def reset(self, transfer):
        easy = self.easy.pop(transfer)
        lib.curl_multi_remove_handle(self.multi, easy._curl)
        easy.close()
        self.flush()

    def wait(self, until):
        lib.curl_multi_poll(self.multi, ffi.NULL, 0, int(max(0, until - time.monotonic()) * 1000), self.count)
        self.flush()
        while (message := lib.curl_multi_info_read(self.multi, self.count)) != ffi.NULL:
            if message.data.result != 0:
                raise OSError(f"libcurl's error {message.data.result}")
            transfer = next(t for t, easy in self.easy.items() if easy._curl == message.easy_handle)
            transfer.end = time.monotonic()
            self.reset(transfer)
            self.client.done(transfer)

class Client:
    """Transfers over connections (HTTP/1.1) or streams (HTTP/2 and 3)."""

    def __init__(self, version, host, port, connections=6, request_bytes=REQUEST_BYTES):
        self.version, self.address, self.limit, self.request_bytes = version, (host, port), connections, request_bytes
        self.idle, self.busy, self.shared, self.finished, self.opened = [], {}, None, [], 0

    def start(self, transfer):
        if self.version != "1":
            if self.shared is None:
                self.shared = {"2": Multiplexed, "3": Quic, "3curl": Curl}[self.version](self)
                self.opened += 1
            self.shared.begin(transfer)
            self.busy[transfer] = self.shared
        elif self.idle:
            connection = self.idle.pop()
            self.busy[transfer] = connection
            connection.begin(transfer)
        else:
            self.opened += 1
            self.busy[transfer] = Plain(self, transfer)
        return transfer

    def done(self, transfer):
        connection = self.busy.pop(transfer)
        self.finished.append(transfer)
        if self.version == "1":
            self.idle.append(connection)

    def cancel(self, transfer):
        connection = self.busy.pop(transfer)
        if self.version != "1":
            connection.reset(transfer)
        else:
            connection.close()

    def advance(self, until):
        """Goes on to the first end of a transfer, or to `until`; takes in what is readable."""
        if self.shared:
            self.shared.flush()
        while True:
            if self.finished:
                return self.finished.pop(0)
            if self.version == "3curl" and self.shared:
                self.shared.wait(until)
                if not self.finished and time.monotonic() + 0.001 > until:
                    return None
                continue
            every = ([self.shared] if self.shared else []) + [c for c in self.busy.values() if c is not self.shared]
            timer = self.shared.timer() if self.version == "3" and self.shared else until
            wait = max(0, min(until, timer) - time.monotonic())
            readable, writable, _ = select.select(
                [c.sock for c in every if not c.wants_write()], [c.sock for c in every if c.wants_write()], [], wait)
            for connection in every:
                if connection.sock in readable or connection.sock in writable:
                    connection.ready()
            if timer < until and timer <= time.monotonic():
                self.shared.fire()
            if not self.finished and not readable and not writable and time.monotonic() >= until:
                return None

    def get(self, size):
        transfer = self.start(Transfer(0, size))
        while self.advance(time.monotonic() + 600) is not transfer:
            if time.monotonic() - transfer.started > 600:
                break
        return transfer

def times(transfer, start=None):
    start = transfer.started if start is None else start
    ms = lambda at: None if at is None else round((at - start) * 1000, 3)
    return {"size": transfer.size, "connect": ms(transfer.connected), "first": ms(transfer.first_byte), "end": ms(transfer.end),
            "bytes": transfer.received}

def run_requests(client, kind, size):
    name = kind.rstrip("0123456789")
    number = int(kind[len(name):] or 0)
    if name == "cold":
        return [times(client.get(size))]
    if name in ("warm", "idle"):
        client.get(WARM_BYTES)
        if name == "idle":
            client.advance(time.monotonic() + 3)
        return [times(client.get(size))]
    if name == "parallel":
        start = time.monotonic()
        transfers = [client.start(Transfer(i, size)) for i in range(number)]
        left = set(transfers)
        while left and time.monotonic() < start + 600:
            left.discard(client.advance(start + 600))
        return [times(t, start) for t in transfers]
    if name == "cancel":
        victim = client.start(Transfer(0, size))
        cancel_at = victim.started + number / 1000
        while client.advance(cancel_at):
            pass
        if victim.end is None:
            client.cancel(victim)
        return [times(victim), times(client.get(102400))]
    raise SystemExit(f"{kind}: is no case")

# A session: the rules are in Tests/Reference/README.md.

def image_size(item):
    return 40000 + item * 7919 % 61 * 2000

def run_session(client, options):
    items, dwell = options["items"], options["dwell"] / 1000
    video_cost = 2 if options["policy"] == "costBudget" else 1
    is_video = lambda i: options["variant"] != "images" and i % 5 == 4
    parts = [[[0, PREFIX], [PREFIX, VIDEO]] if is_video(i) else [[0, image_size(i)]] for i in range(items)]
    got = [[0] * len(p) for p in parts]
    flying, plan = {}, []
    result = {"loaders": 0, "requests": 0, "cancels": 0, "bytes": 0}

    def fill():
        for item, part in plan:
            if len(flying) >= options["streams"]:
                return
            first, last = parts[item][part]
            if got[item][part] >= last - first or (item, part) in flying.values():
                continue
            size = VIDEO if is_video(item) else last
            whole = not is_video(item) and got[item][part] == 0
            transfer = Transfer(item, size, first + got[item][part], None if whole or last == size else last - 1)
            flying[client.start(transfer)] = (item, part)
            result["requests"] += 1
        if client.shared:
            client.shared.flush()

    def advance(until):
        while True:
            transfer = client.advance(until)
            if transfer is None:
                return
            item, part = flying.pop(transfer)
            got[item][part] += transfer.received
            result["bytes"] += transfer.received
            fill()

    start = time.monotonic()
    for item in range(items):
        advance(start + item * dwell)
        ready = got[item][0] + sum(t.received for t, at in flying.items() if at == (item, 0))
        result["loaders"] += ready < parts[item][0][1]
        plan[:] = [(item, part) for part in range(len(parts[item]))]
        cost = 0
        for ahead in range(item + 1, items):
            cost += video_cost if is_video(ahead) else 1
            if cost > options["maxCost"]:
                break
            plan.append((ahead, 0))
        for transfer, at in list(flying.items()):
            if options["cancel"] == "keep" and at in plan:
                continue
            del flying[transfer]
            client.cancel(transfer)
            result["cancels"] += 1
            result["bytes"] += transfer.received
            if options["cancel"] == "resume":
                got[at[0]][at[1]] += transfer.received
        fill()
    advance(start + items * dwell)
    return {**result, "connections": client.opened, "options": options}

def session_options(text):
    options = {"dwell": 1000, "maxCost": 3, "streams": 4, "cancel": "keep", "items": 300, "policy": "uniform", "variant": "mixed"}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        if key not in options:
            raise SystemExit(f"{key}: is no option of a session; there are {', '.join(options)}")
        options[key] = int(value) if isinstance(options[key], int) else value
    return options

def main():
    version, host, port, folder, case = sys.argv[1:6]
    kind, _, rest = case.partition(":")
    if kind == "session":
        options = session_options(rest)
        sizes = {image_size(i) for i in range(options["items"])} | {VIDEO, PREFIX, VIDEO - PREFIX}
    else:
        sizes = {int(rest)}
    for size in sizes | {10240, WARM_BYTES, 102400}:
        with open(os.path.join(folder, "files", str(size)), "a") as file:
            file.truncate(size)
    if kind == "session":
        result = run_session(Client(version, host, int(port), options["streams"], 256), options)
    else:
        result = run_requests(Client(version, host, int(port)), kind, int(rest))
    print(json.dumps(result))

main()
