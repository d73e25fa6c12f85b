// The bytes of TLS handshakes, which the flow and packet transports share.

/// What the flights of a TLS handshake weigh: what the client sends, and what the server answers before the client goes on.
enum TLSFlights {
  /// Measured with OpenSSL and one RSA certificate of 2048 bits; a TLS 1.2 server sends its ticket in the last flight.
  static func of(_ security: HTTPConfiguration.Security) -> [(client: Int, server: Int)] {
    switch security {
    case .none: []
    case .tls12: [(200, 2600), (126, 280)]
    case .tls13: [(200, 2700), (80, 0)]
    case .resumed: [(450, 240), (80, 0)]
    }
  }
}
