// How the client of a scenario speaks to its servers, and what a request costs besides its payload.

import Import
import Simulation

extension ScenarioDecoder {
  private static let versions: [(name: String, version: HTTPConfiguration.Version)] = [("1.1", .http1), ("2", .http2)]
  private static let securities: [(name: String, security: HTTPConfiguration.Security)] = [
    ("none", .none), ("1.2", .tls12), ("1.3", .tls13), ("resumed", .resumed),
  ]

  /// `http`, `tls`, `dns` and the sizes and times around a request, which stand in the network's object.
  func decodeHTTP(_ part: inout ObjectReader, dns: Int64) -> HTTPConfiguration {
    var http = HTTPConfiguration()
    let version = part.version("http", of: Self.versions.map(\.name), default: "1.1")
    http.version = Self.versions.first { $0.name == version }?.version ?? .http1
    let security = part.version("tls", of: Self.securities.map(\.name), default: "none")
    http.security = Self.securities.first { $0.name == security }?.security ?? .none
    http.dnsTime = Interval(nanoseconds: part.duration("dns", default: dns, in: 0...Self.delayLimit))
    http.requestBytes = Int(part.size("requestBytes", default: Int64(http.requestBytes), in: 1...65_536))
    http.responseHeaderBytes = Int(part.size("responseHeaderBytes", default: Int64(http.responseHeaderBytes), in: 1...65_536))
    http.serverTime = Interval(nanoseconds: part.duration("serverTime", default: 0, in: 0...Self.delayLimit))
    http.handshakeTime = Interval(nanoseconds: part.duration("handshakeTime", default: 0, in: 0...Self.delayLimit))
    http.idleTimeout = Interval(nanoseconds: part.duration("idleTimeout", default: 0, in: 0...Self.dwellLimitNanoseconds))
    http.slowStartAfterIdle = part.boolean("slowStartAfterIdle", default: true)
    return http
  }
}

extension ObjectReader {
  /// One of some names that look like numbers: "1.1" and 1.1 are the same.
  fileprivate mutating func version(_ key: String, of names: [String], default fallback: String) -> String {
    if case .number(let text)? = value(key)?.kind {
      if names.contains(text) {
        record(key, text)
        return text
      }
      let known = names.map(quoted).joined(separator: ", ")
      report(key, problem: "is unknown: \(text)", remedy: "write one of \(known)")
      return fallback
    }
    return choice(key, of: names, default: fallback)
  }
}
