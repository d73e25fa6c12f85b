// The keys of `network` that describe requests: HTTP, TLS, name resolution, and the servers.

import Base
import Simulation

extension NetworkPart {
  /// The keys of requests, of the packet transport alone. A team ships them with its app and servers, all but `dns`.
  static let requests = (connections.map { $0.declaring { $0.shipped() } } + [dns] + messages.map { $0.declaring { $0.shipped() } })
    .map { $0.declaring { $0.used(by: [.packet]) } }

  private static let connections: [Field<NetworkPart>] = [
    Field(
      Parameter("http", .version(HTTPConfiguration.Version.allCases.map(\.rawValue)), "The version of HTTP."), \.network.http.version,
      saying: { "HTTP/\($0.rawValue)" }),
    Field(
      Parameter(
        "tls", .version(HTTPConfiguration.Security.allCases.map(\.rawValue)), "The security layer under HTTP. HTTP/3 always has 1.3."
      ).optional("none; with HTTP/3 1.3"),
      \.network.http.security, saying: { $0 == .resumed ? "TLS 1.3 resumed" : "TLS \($0.rawValue)" },
      fallback: { $0.network.http.version == .http3 ? .tls13 : HTTPConfiguration.Security.none }
    ).set { part, isGiven in isGiven && part.network.http.security != .none },
    Field(
      ifGiven: .boolean("earlyData", "Sends the first requests of an HTTP/3 connection with its handshake (0-RTT).").optional("false"),
      \.network.http.earlyData, saying: { $0 ? "0-RTT" : nil }),
    Field { reader, part, _ in part.checkHTTP3(&reader) },
    Field(
      ifGiven: .choice("congestion", default: NetworkConfiguration.Congestion.cubic, "The congestion control of the servers.")
        .optional("cubic"), \.network.congestion, saying: { $0 == .bbr ? "BBR" : nil }),
    Field(
      ifGiven: .boolean("priorities", "Tells HTTP/2 servers the plan's priorities, also in flight (RFC 9218).").optional("false"),
      \.network.http.priorities, saying: { $0 ? "priorities" : nil }
    ).then { reader, part, _ in
      guard part.network.http.priorities, part.network.http.version != .http2 else { return }
      reader.report(
        "priorities", beside: ["http"], problem: "is true, but only HTTP/2 has them here", remedy: "leave it out, or set http to \"2\"",
        condition: "network.priorities == false || network.http == '2'")
    },
    Field(
      ifGiven: .choice("server", default: HTTPConfiguration.Server.nginx, "The server of HTTP/2.").optional("nginx"),
      \.network.http.server, saying: { $0 == .nghttpd ? "nghttpd" : nil }),
    Field(
      ifGiven: .size("streamWindow", in: window, "HTTP/2's flow-control window of each stream.").optional("no limit"),
      \.network.http.streamWindow
    ).saying { $0.given.contains("streamWindow") ? "stream windows of \($0.network.http.streamWindow) B" : nil },
    Field(
      ifGiven: .size("connectionWindow", in: 65_535...window.upperBound, "HTTP/2's flow-control window of the connection.")
        .optional("no limit"), \.network.http.connectionWindow
    ).saying { $0.given.contains("connectionWindow") ? "a connection window of \($0.network.http.connectionWindow) B" : nil },
    Field(
      ifGiven: .boolean("coalescing", "Serves all hosts of the feed over one HTTP/2 or HTTP/3 connection.").optional("false"),
      \.network.http.coalesces, saying: { $0 ? "one connection for all hosts" : nil }),
  ]

  private static let dns = Field<NetworkPart>(
    .duration("dns", in: delay, "The time of the first DNS lookup of a host.").optional("the profile's, or 0s"), \.network.http.dnsTime,
    saying: { "DNS lookup \($0.described)" }, fallback: { $0.profile?.dnsTime ?? .zero })

  private static let messages: [Field<NetworkPart>] = [
    headers(
      "requestBytes", "The payload of a request.", \.network.http.requestBytes, says: "requests of",
      defaults: "256B, or 142B with HTTP/2 and HTTP/3", \.usualHeaders.request),
    headers(
      "responseHeaderBytes", "The header before each response's payload.", \.network.http.responseHeaderBytes, says: "headers of",
      defaults: "256B, or 127B with HTTP/2 and HTTP/3, 96B from nghttpd", \.usualHeaders.response),
    Field(
      ifGiven: .size("laterRequestBytes", in: 1...65_536, "The payload of an HTTP/2 connection's later requests (HPACK).")
        .optional("44B, or requestBytes if that is less"), \.network.http.laterRequestBytes),
    Field(
      ifGiven: .size("laterResponseHeaderBytes", in: 1...65_536, "The header of an HTTP/2 connection's later responses (HPACK).")
        .optional("as responseHeaderBytes, or at most 20B from nghttpd"), \.network.http.laterResponseHeaderBytes),
    Field { _, part, _ in part.settleHeaders() },
    Field(
      .duration("serverTime", in: delay, "The time that a server needs before it answers."), \.network.http.serverTime,
      saying: { "server time \($0.described)" }),
    Field(
      .duration("handshakeTime", in: delay, "The time that a server computes for each TLS flight it sends."),
      \.network.http.handshakeTime, saying: { "\($0.described) for each TLS flight" }),
    Field(
      .duration("idleTimeout", "The idle time after which a connection is closed; 0s for never."), \.network.http.idleTimeout,
      saying: { "connections close after \($0.described) idle" }),
    Field(
      .boolean("slowStartAfterIdle", "Lets a sender's window fall back after an idle time."), \.network.http.slowStartAfterIdle,
      saying: { _ in "no slow start after idle" }),
  ]

  static let http2Keys = ["server", "streamWindow", "connectionWindow", "laterRequestBytes", "laterResponseHeaderBytes"]
  /// RFC 9113, 6.9.2.
  private static let window: ClosedRange<Int64> = 1024...(1 << 31) - 1

  /// Creates the field of a header's size, whose default depends on the version of HTTP and the server.
  private static func headers(
    _ key: String, _ documentation: String, _ target: Field<NetworkPart>.Target<Int>, says words: String,
    defaults: String, _ standard: @escaping @Sendable (HTTPConfiguration) -> Int
  ) -> Field<NetworkPart> {
    Field(.size(key, in: 1...65_536, documentation).optional(defaults), target, fallback: { standard($0.network.http) })
      .set { _, isGiven in isGiven }
      .saying { part in
        let bytes = part[keyPath: target]
        return bytes == standard(part.network.http) ? nil : "\(words) \(bytes) B"
      }
  }

  /// Sets the sizes after a connection's first request. The defaults are measured: fields of an app and HPACK's of nghttp2, or of nginx,
  /// which refers to no earlier field.
  private mutating func settleHeaders() {
    guard network.http.version == .http2, network.transport == .packet else { return }
    let http = network.http
    network.http.laterRequestBytes = http.laterRequestBytes ?? http.usualLaterRequestBytes
    if http.server == .nghttpd {
      network.http.laterResponseHeaderBytes = http.laterResponseHeaderBytes ?? min(20, http.responseHeaderBytes)
    }
  }

  /// Reports keys that contradict HTTP/3, or need it.
  func checkHTTP3(_ reader: inout ObjectReader) {
    let http = network.http
    if http.version != .http3 {
      guard http.earlyData else { return }
      reader.report(
        "earlyData", beside: ["http"], problem: "is true, but only HTTP/3 has 0-RTT data", remedy: "leave it out, or set http to \"3\"",
        condition: "network.earlyData == false || network.http == '3'")
    } else if http.security != .tls13, let value = reader.value("tls"), HTTPConfiguration.Security(rawValue: value.canonicalText) != nil {
      reader.report(
        "tls", problem: "is \(quoted(value.canonicalText)), but HTTP/3 always has TLS 1.3",
        remedy: "write \"1.3\", or leave it out" + (http.security == .resumed ? "; earlyData resumes a session" : ""),
        condition: "network.http != '3' || network.tls == '1.3'")
    }
  }
}
