// What a request costs besides its payload: names, handshakes, headers, and the client's rules for connections.
// The fluid reads none of it; the flow and packet transports read all of it.

/// How the client speaks to its servers: plain HTTP/1.1 over six connections by default.
package struct HTTPConfiguration: Hashable, Sendable {
  package enum Version: String, Hashable, Sendable, CaseIterable {
    /// One request at a time on each connection; a cancel closes the connection.
    case http1
    /// One connection for each host, shared by its streams; a cancel resets the stream.
    case http2
  }

  /// What stands between TCP and HTTP.
  package enum Security: String, Hashable, Sendable, CaseIterable {
    case none
    /// TLS 1.2 with a full handshake: two round trips.
    case tls12
    /// TLS 1.3 with a full handshake: one round trip.
    case tls13
    /// TLS 1.3 with a known session: one round trip without certificates.
    case resumed

    /// The bytes of each flight of the handshake: what the client sends, and what the server answers before the client goes on.
    /// Measured with OpenSSL and one RSA certificate of 2048 bits; a TLS 1.2 server sends its ticket in the last flight.
    var flights: [(client: Int, server: Int)] {
      switch self {
      case .none: []
      case .tls12: [(200, 2600), (126, 280)]
      case .tls13: [(200, 2700), (80, 0)]
      case .resumed: [(450, 240), (80, 0)]
      }
    }
  }

  package var version: Version = .http1
  package var security: Security = .none
  /// How long the name of a host takes the first time; zero where it is cached.
  package var dnsTime: Interval = .zero
  /// The payload of a request, and the header before each response's payload.
  package var requestBytes = 256, responseHeaderBytes = 256
  /// How long a server thinks before it answers.
  package var serverTime: Interval = .zero
  /// What a server computes in each TLS flight it sends.
  package var handshakeTime: Interval = .zero
  /// How long a connection may idle before it is closed; zero for ever.
  package var idleTimeout: Interval = .zero
  /// True if a sender's window falls back after an idle time, as Linux does by default.
  package var slowStartAfterIdle = true
  /// The most connections that are open to one host; HTTP/2 has one.
  package var connectionsPerHost = 6
  /// How many hosts there are; `start` names them from 0.
  package var hosts = 1

  package init() {}
}
