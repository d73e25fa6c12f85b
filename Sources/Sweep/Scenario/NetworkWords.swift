// A network in words, for the head of a report, and what of it the chosen transport ignores, for its footnotes.

import Import
import Simulation

/// A setting that has no effect, because the transport under it has no such thing.
package struct IgnoredSetting: Hashable, Sendable {
  /// The transport that ignores it.
  package var transport: String
  /// The setting's path.
  package var path: String

  /// A footnote for each transport that ignores something.
  package static func warnings(_ settings: [IgnoredSetting]) -> [String] {
    var transports: [String] = []
    for setting in settings where !transports.contains(setting.transport) { transports.append(setting.transport) }
    return transports.map { transport in
      let paths = settings.filter { $0.transport == transport }.map(\.path)
      let ignored = "The \(transport) transport ignores \(paths.joined(separator: ", "))"
      guard transport != NetworkConfiguration.TransportKind.packet.rawValue else { return ignored + "." }
      return ignored + (paths.count == 1 ? ": what it does is" : ": what they do is") + " not in these figures; use \"packet\" for that."
    }
  }
}

/// What a reader should know of a network.
package struct NetworkWords {
  /// The network in a phrase: rates and delays, then what is unlike the defaults.
  package let text: String
  /// What has no effect.
  package let ignored: [IgnoredSetting]

  /// `given` are the keys that stand in the file: a queue of the default length is no loss where nobody asked for one.
  init(_ network: NetworkConfiguration, origin: ScenarioDecoder.NetworkOrigin, startsAnywhere: Bool, given: [String]) {
    var text = origin.name.map { "\($0): " } ?? ""
    text += "\(Self.rate(network.down, isDrawn: network.mobile != nil)) down, "
    text += "\(Self.rate(network.up, isDrawn: network.mobile?.coversUplink ?? false)) up, "
    text += Self.delays(network)
    for phrase in Self.linkPhrases(network) + Self.requestPhrases(network.http) { text += ", \(phrase)" }
    if let seed = network.mobile?.seed { text += ", the trace of seed \(seed)" }
    if startsAnywhere { text += ", from a random place of the trace" }
    self.text = text + "; \(network.transport.rawValue) transport"
    ignored = Self.ignored(network, origin: origin, given: given).map {
      IgnoredSetting(transport: network.transport.rawValue, path: "network.\($0)")
    }
  }

  private static func rate(_ link: LinkRate, isDrawn: Bool) -> String {
    if isDrawn { return "drawn" }
    return link.isConstant ? Quantity.described(link.periods[0].bitsPerSecond, .rate) : "as the trace says"
  }

  private static func delays(_ network: NetworkConfiguration) -> String {
    let latency = network.down.periods[0].latency
    if network.transport == .fluid, network.down.periods.contains(where: { $0.latency != latency }) { return "latency as the trace says" }
    return "\(time(network.delayDown)) down and \(time(network.delayUp)) up"
  }

  private static func time(_ interval: Interval) -> String { Quantity.described(interval.nanoseconds, .duration) }

  private static func percent(_ share: Double) -> String {
    let hundredths = (share * 10_000).rounded() / 100
    return hundredths == hundredths.rounded() ? "\(Int(hundredths)) %" : "\(hundredths) %"
  }

  private static func linkPhrases(_ network: NetworkConfiguration) -> [String] {
    var phrases: [String] = []
    if network.lossDown > 0 || network.lossUp > 0 {
      phrases.append("\(percent(network.lossDown)) and \(percent(network.lossUp)) of packets lost")
    }
    if let burst = network.burstLoss {
      phrases.append("bursts (\(percent(burst.enter)) begin, \(percent(burst.leave)) end, \(percent(burst.loss)) lost in them)")
    }
    if network.jitter > .zero { phrases.append("up to \(time(network.jitter)) of jitter") }
    if network.queuePackets != 50 { phrases.append("queues of \(network.queuePackets) packets") }
    if network.outages.count == 1 {
      phrases.append("without service for \(time(network.outages[0].duration)) at \(time(network.outages[0].start))")
    } else if network.outages.count > 1 {
      let total = network.outages.reduce(into: Interval.zero) { $0 += $1.duration }
      phrases.append("\(network.outages.count) outages of \(time(total)) in all")
    }
    if network.radioPromotion > .zero { phrases.append("the radio comes up in \(time(network.radioPromotion))") }
    return phrases
  }

  private static func requestPhrases(_ http: HTTPConfiguration) -> [String] {
    let plain = HTTPConfiguration()
    var phrases: [String] = []
    if http.version == .http2 { phrases.append("HTTP/2") }
    switch http.security {
    case .none: break
    case .tls12: phrases.append("TLS 1.2")
    case .tls13: phrases.append("TLS 1.3")
    case .resumed: phrases.append("TLS 1.3 resumed")
    }
    if http.dnsTime > .zero { phrases.append("names found in \(time(http.dnsTime))") }
    if http.requestBytes != plain.requestBytes { phrases.append("requests of \(http.requestBytes) B") }
    if http.responseHeaderBytes != plain.responseHeaderBytes { phrases.append("headers of \(http.responseHeaderBytes) B") }
    if http.serverTime > .zero { phrases.append("servers think for \(time(http.serverTime))") }
    if http.handshakeTime > .zero { phrases.append("\(time(http.handshakeTime)) for each TLS flight") }
    if http.idleTimeout > .zero { phrases.append("connections close after \(time(http.idleTimeout)) idle") }
    if !http.slowStartAfterIdle { phrases.append("no slow start after idle") }
    return phrases
  }

  /// The keys whose values have no effect under the network's transport.
  private static func ignored(_ network: NetworkConfiguration, origin: ScenarioDecoder.NetworkOrigin, given: [String]) -> [String] {
    let latencies = network.down.periods.map(\.latency)
    let latencyVaries = origin.trace != nil && latencies.contains { $0 != latencies[0] }
    let lost = latencyVaries ? ["trace (its latencies after the first)"] : []
    switch network.transport {
    case .packet, .tcp:
      // A flow's packets are never alone: jitter makes its line longer and parts nothing.
      let jitter = network.transport == .tcp && network.jitter > .zero ? ["jitter (but for its mean)"] : []
      let closesIdlers = network.http.version == .http1 || network.http.idleTimeout == .zero
      return lost + jitter + (closesIdlers ? [] : ["idleTimeout (under HTTP/2)"])
    case .fluid:
      return unlikeDefaults(network, origin, given)
    }
  }

  /// The keys with values that some transport ignores.
  private static func unlikeDefaults(
    _ network: NetworkConfiguration, _ origin: ScenarioDecoder.NetworkOrigin, _ given: [String]
  ) -> [String] {
    let http = network.http
    let plain = HTTPConfiguration()
    let settings: [(key: String, isSet: Bool)] = [
      ("up", origin.isNamed && given.contains("up")), ("lossDown", network.lossDown > 0), ("lossUp", network.lossUp > 0),
      ("burstLoss", network.burstLoss != nil), ("jitter", network.jitter > .zero), ("outages", !network.outages.isEmpty),
      ("queue", given.contains("queue")), ("radioPromotion", network.radioPromotion > .zero), ("http", http.version != plain.version),
      ("tls", http.security != plain.security), ("dns", http.dnsTime > .zero), ("requestBytes", given.contains("requestBytes")),
      ("responseHeaderBytes", given.contains("responseHeaderBytes")), ("serverTime", http.serverTime > .zero),
      ("handshakeTime", http.handshakeTime > .zero), ("idleTimeout", http.idleTimeout > .zero),
      ("slowStartAfterIdle", !http.slowStartAfterIdle),
    ]
    return settings.filter(\.isSet).map(\.key)
  }
}
