// The costs of a request besides its payload: name resolution, handshakes, headers and connections.
// The packet transport uses them; the fluid transport ignores them.

/// The HTTP and TLS settings of a client and its servers. The default is plain HTTP/1.1 over six connections.
package struct HTTPConfiguration: Hashable, Sendable {
  /// The version of HTTP; raw values are as in sweep files.
  package enum Version: String, Hashable, Sendable, CaseIterable {
    /// One request at a time on each connection; a cancel closes the connection.
    case http1 = "1.1"
    /// One connection for each host, shared by its streams; a cancel resets the stream.
    case http2 = "2"
    /// QUIC: one connection for each host, with streams that do not wait for each other's losses.
    case http3 = "3"
  }

  /// The TLS handshake of a connection; raw values are as in sweep files.
  package enum Security: String, Hashable, Sendable, CaseIterable {
    case none
    /// TLS 1.2 with a full handshake: two round trips.
    case tls12 = "1.2"
    /// TLS 1.3 with a full handshake: one round trip.
    case tls13 = "1.3"
    /// TLS 1.3 with session resumption: one round trip without certificates.
    case resumed

    /// The bytes of each handshake flight: sent by the client, and answered by the server before the client goes on.
    /// Measured with OpenSSL and an RSA certificate of 2048 bits; a TLS 1.2 server sends its ticket in the last flight.
    var flights: [(client: Int, server: Int)] {
      switch self {
      case .none: []
      case .tls12: [(200, 2600), (126, 280)]
      case .tls13: [(200, 2700), (80, 0)]
      case .resumed: [(450, 240), (80, 0)]
      }
    }
  }

  /// The server of HTTP/2: nginx 1.22, or nghttpd 1.52, whose order is nghttp2's.
  package enum Server: String, Hashable, Sendable, CaseIterable { case nginx, nghttpd }

  package enum QUICClient: Hashable, Sendable { case ngtcp2, aioquic }

  /// A flow-control window that never limits.
  static let unlimited = Int64.max / 2

  package var version: Version = .http1
  package var server = Server.nginx
  package var security: Security = .none
  /// True if a new HTTP/3 connection sends its first requests with the handshake, as 0-RTT data (RFC 9001, 4.6).
  package var earlyData = false
  /// True if servers refuse early data, as for a ticket that their protection against replays no longer covers (RFC 8446, 8).
  package var refusesEarlyData = false
  /// True if HTTP/2's connection preface leaves with the first request, as from nghttp2, and not by itself, as from curl and browsers.
  package var joinsPreface = false
  /// True if an HTTP/2 client names the urgency of requests, also in flight (RFC 9218), and the server orders by it.
  package var priorities = false
  /// The client's flow-control windows of HTTP/2, in bytes: of a stream and of the connection (RFC 9113, 6.9).
  package var streamWindow = HTTPConfiguration.unlimited, connectionWindow = HTTPConfiguration.unlimited
  /// The duration of the first name resolution for a host; zero if it is cached.
  package var dnsTime: Interval = .zero
  /// The bytes of a request, and of the header before each response's payload. Under HTTP/2 they are HEADERS frames without the TLS record.
  package var requestBytes = 256, responseHeaderBytes = 256
  /// The bytes after the first request of an HTTP/2 or HTTP/3 connection, whose fields are indexed (RFC 7541, 9204); nil for no change.
  package var laterRequestBytes: Int?, laterResponseHeaderBytes: Int?
  package var serverTime: Interval = .zero
  package var handshakeTime: Interval = .zero
  /// The idle time after which servers close a connection; zero for never.
  package var idleTimeout: Interval = .zero
  /// True if the cwnd of an idle sender is restarted, as in Linux by default.
  package var slowStartAfterIdle = true
  /// The client of HTTP/3: ngtcp2's or aioquic, which acknowledges each millisecond, adds no PINGs, and has shorter connection IDs.
  package var quicClient = QUICClient.ngtcp2
  /// True if the server repeats what a cancelled stream lost, until the client acknowledges its reset: ngtcp2 before 1.3, against RFC 9000, 3.1.
  package var repeatsCancelledStreams = false
  /// The maximum of open connections to one host; HTTP/2 and HTTP/3 always have one.
  package var connectionsPerHost = 6
  /// The number of hosts; `start` numbers them from 0.
  package var hosts = 1
  /// True if one HTTP/2 or HTTP/3 connection serves all hosts (RFC 9113, 9.1.1).
  package var coalesces = false

  /// The usual `requestBytes` and `responseHeaderBytes` of its version and server.
  package var usualHeaders: (request: Int, response: Int) {
    version == .http1 ? (256, 256) : (142, version == .http2 && server == .nghttpd ? 96 : 127)
  }
  /// The usual `laterRequestBytes` of HTTP/2.
  package var usualLaterRequestBytes: Int { min(44, requestBytes) }

  package init() {}

  var limitsWindows: Bool { min(streamWindow, connectionWindow) < HTTPConfiguration.unlimited }

  /// The bytes of a TLS record besides its content, which each write of an HTTP/2 client has.
  var recordOverhead: Int { version == .http2 && security != .none ? 22 : 0 }

  /// Returns the bytes of a request and of its response's header by the number of earlier requests on the connection.
  package func headerBytes(after earlier: Int) -> (request: Int, response: Int) {
    guard earlier > 0, version != .http1 else { return (requestBytes, responseHeaderBytes) }
    return (laterRequestBytes ?? requestBytes, laterResponseHeaderBytes ?? responseHeaderBytes)
  }
}
