// The network of a scenario: by profile, by numbers, or by trace; what is given beside a profile or a trace replaces its own.

import Simulation

extension ScenarioDecoder {
  /// The network, and whether each repetition starts at its own place of the trace; nil after a report.
  func decodeNetwork(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> (NetworkConfiguration?, Bool) {
    guard var part = part("network", of: &reader, required: true) else { return (nil, false) }
    defer { part.finish() }
    let profile = decodeProfile(&part)
    let trace = decodeTrace(&part)
    if profile != nil, part.has("trace") {
      part.report("trace", problem: "stands beside a profile", remedy: "keep one of profile and trace")
    }
    let isNamed = profile != nil || part.has("trace") || part.has("profile")
    let down = decodeRate("down", &part, profile: profile?.down, trace: trace, isNamed: isNamed)
    let up = decodeRate("up", &part, profile: profile?.up, trace: trace, isNamed: isNamed)
    let hasDelay = part.has("delayDown") || part.has("delayUp")
    let half = trace?.periods[0].latency.map { $0.nanoseconds / 2 }
    let delayFallback: Int64? = isNamed ? 0 : nil
    let delayDown = part.duration("delayDown", default: profile?.delayDown ?? half ?? delayFallback, in: 0...Self.delayLimit)
    let delayUp = part.duration("delayUp", default: profile?.delayUp ?? half ?? delayFallback, in: 0...Self.delayLimit)
    let lossDown = part.probability("lossDown", default: profile?.loss ?? 0)
    let lossUp = part.probability("lossUp", default: profile?.loss ?? 0)
    let queue = part.integer("queue", default: 50, in: 1...1_000_000)
    let radioTail = part.duration("radioTail", default: profile?.radioTail ?? 0, in: 0...Self.delayLimit)
    let transport: NetworkConfiguration.TransportKind = part.choice("transport", default: .packet)
    let (offset, startsAnywhere) = decodeOffset(&part, isTrace: trace != nil)
    guard let down, let up else { return (nil, false) }
    let network = NetworkConfiguration(
      down: hasDelay ? down.withoutLatencies : down, up: up, delayDown: Interval(nanoseconds: delayDown),
      delayUp: Interval(nanoseconds: delayUp), lossDown: lossDown, lossUp: lossUp, queuePackets: queue,
      offset: Interval(nanoseconds: offset), radioTail: Interval(nanoseconds: radioTail), transport: transport)
    description.network = describe(network, name: profile?.name ?? part.value("trace")?.text, startsAnywhere: startsAnywhere)
    return (network, startsAnywhere)
  }

  private static let delayLimit: Int64 = 60_000_000_000

  private func decodeProfile(_ part: inout ObjectReader) -> NetworkProfile? {
    guard part.has("profile") else { return nil }
    return NetworkProfile.named(part.choice("profile", of: NetworkProfile.all.map(\.name)))
  }

  private func decodeRate(
    _ key: String, _ part: inout ObjectReader, profile: Int64?, trace: LinkRate?, isNamed: Bool
  ) -> LinkRate? {
    if let trace, !part.has(key) { return trace }
    if profile == nil, isNamed, !part.has(key) { return nil }
    return LinkRate(constant: part.rate(key, default: profile, in: 1...1_000_000_000_000))
  }

  private func decodeTrace(_ part: inout ObjectReader) -> LinkRate? {
    guard part.has("trace") else { return nil }
    let location = part.location(of: "trace")
    let path = part.text("trace")
    guard !path.isEmpty else { return nil }
    let problems = part.context.sink.count
    // A JSON file can be nothing else; all other formats are said, not guessed.
    let options = TraceOptions.decode(from: &part, defaultFormat: path.hasSuffix(".json") ? .sabre : nil)
    guard part.context.sink.count == problems else { return nil }
    do {
      let trace = try files.trace(path, options: options)
      part.record("trace.contents", trace.hash)
      trace.diagnostics.forEach(part.context.sink.report)
      return trace.link
    } catch {
      part.context.sink.report(error, at: location, key: part.path(of: "trace"))
      return nil
    }
  }

  /// `offset: "3s"`, or `"random"`: each repetition starts at its own place of the trace.
  private func decodeOffset(_ part: inout ObjectReader, isTrace: Bool) -> (Int64, Bool) {
    if case .string("random")? = part.value("offset")?.kind {
      part.record("offset", "random")
      if !isTrace { part.report("offset", problem: "is random, but there is no trace", remedy: "leave it out, or name a trace") }
      return (0, true)
    }
    return (part.duration("offset", default: 0, in: 0...Self.dwellLimitNanoseconds), false)
  }

  private func describe(_ network: NetworkConfiguration, name: String?, startsAnywhere: Bool) -> String {
    func rate(_ link: LinkRate) -> String {
      link.isConstant ? Quantity.described(link.periods[0].bitsPerSecond, .rate) : "as the trace says"
    }
    var text = name.map { "\($0): " } ?? ""
    text += "\(rate(network.down)) down, \(rate(network.up)) up, "
    text += "\(Quantity.described(network.delayDown.nanoseconds, .duration)) down and "
    text += "\(Quantity.described(network.delayUp.nanoseconds, .duration)) up"
    if network.lossDown > 0 || network.lossUp > 0 { text += ", \(network.lossDown * 100) % and \(network.lossUp * 100) % of packets lost" }
    if startsAnywhere { text += ", from a random place of the trace" }
    return text + "; \(network.transport.rawValue) transport"
  }
}
