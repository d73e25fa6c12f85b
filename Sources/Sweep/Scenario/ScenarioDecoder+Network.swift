// The network of a scenario: by profile, by numbers, by trace, or drawn; what is given beside a name replaces its own.

import Import
import Simulation

extension ScenarioDecoder {
  /// Where a network's rates come from, and what else its name says.
  struct NetworkOrigin {
    package var profile: NetworkProfile?
    package var trace: LinkRate?
    package var mobile: MobileRates?
    /// What the description calls it; nil for plain numbers.
    package var name: String?
    /// Whether a name was given, known or not: then nothing is missing.
    package var isNamed: Bool
  }

  /// The network, and whether each repetition starts at its own place of the trace; nil after a report.
  package func decodeNetwork(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> (NetworkConfiguration?, Bool) {
    guard let part = part("network", of: &reader, required: true) else { return (nil, false) }
    guard let (network, startsAnywhere, words) = decodeNetwork(part) else { return (nil, false) }
    description.network = words.text
    description.ignored = words.ignored
    return (network, startsAnywhere)
  }

  /// The network under an object of its own, with its description; nil after a report.
  package func decodeNetwork(_ reader: ObjectReader) -> (network: NetworkConfiguration, startsAnywhere: Bool, words: NetworkWords)? {
    var part = reader
    defer { part.finish() }
    let origin = decodeOrigin(&part)
    let down = decodeRate("down", &part, profile: origin.profile?.down, origin)
    let up = decodeRate("up", &part, profile: origin.profile?.up, origin)
    let hasDelay = part.has("delayDown") || part.has("delayUp")
    let half = (origin.mobile?.roundTrip ?? origin.trace?.periods[0].latency).map { $0.nanoseconds / 2 }
    let fallback: Int64? = origin.isNamed ? 0 : nil
    let delayDown = part.duration("delayDown", default: origin.profile?.delayDown ?? half ?? fallback, in: 0...Self.delayLimit)
    let delayUp = part.duration("delayUp", default: origin.profile?.delayUp ?? half ?? fallback, in: 0...Self.delayLimit)
    checkLatencies(of: origin.trace, hasDelay: hasDelay, part)
    let lossDown = part.probability("lossDown", default: origin.profile?.loss ?? 0)
    let lossUp = part.probability("lossUp", default: origin.profile?.loss ?? 0)
    let queue = part.integer("queue", default: 50, in: 1...1_000_000)
    let transport: NetworkConfiguration.TransportKind = part.choice("transport", default: .packet)
    let (offset, startsAnywhere) = decodeOffset(&part, isTrace: origin.trace != nil)
    let http = decodeHTTP(&part, dns: origin.profile?.dnsTime ?? 0)
    let radio = decodeRadio(&part, profile: origin.profile)
    let burst = decodeBurstLoss(&part)
    let jitter = part.duration("jitter", default: 0, in: 0...Self.delayLimit)
    let outages = decodeOutages(&part)
    guard let down, let up else { return nil }
    var network = NetworkConfiguration(
      down: hasDelay ? down.withoutLatencies : down, up: up, delayDown: Interval(nanoseconds: delayDown),
      delayUp: Interval(nanoseconds: delayUp), lossDown: lossDown, lossUp: lossUp, queuePackets: queue,
      offset: Interval(nanoseconds: offset), radioTail: radio.tail, transport: transport)
    network.http = http
    network.burstLoss = burst
    network.jitter = Interval(nanoseconds: jitter)
    network.outages = outages
    network.radioPromotion = radio.promotion
    network.mobile = origin.mobile
    network.networkClass = decodeClass(&part, origin: origin)
    let words = NetworkWords(network, origin: origin, startsAnywhere: startsAnywhere, given: part.givenKeys)
    return (network, startsAnywhere, words)
  }

  /// Latencies are told for all periods of a trace or for none; and where they vary, the delays' own lines would be the same
  /// whether they are given or the first period's.
  private func checkLatencies(of trace: LinkRate?, hasDelay: Bool, _ part: ObjectReader) {
    guard let trace, trace.periods.contains(where: { $0.latency != trace.periods[0].latency }) else { return }
    part.record("trace.latency", hasDelay ? "replaced" : "varies")
    if !hasDelay, trace.periods.contains(where: { $0.latency == nil }) {
      part.report(
        "trace", problem: "tells a latency for some of its periods only",
        remedy: "give latency_ms to all of them or to none, or say delayDown and delayUp")
    }
  }

  /// What an app is told of the network: its own word, what its profile's name says, or 4G for rates of a phone on the move.
  private func decodeClass(_ part: inout ObjectReader, origin: NetworkOrigin) -> NetworkClass? {
    if part.has("class") { return part.choice("class") as NetworkClass }
    var named = origin.profile.flatMap { NetworkClass(profile: $0.name) }
    if let mobile = origin.mobile { named = mobile.kind.rawValue.uppercased().contains("3G") ? .cellular3G : .cellular4G }
    // The profile's name is no part of a point's id, so that this is.
    if let named { part.record("class", named.rawValue) }
    return named
  }

  /// The longest delay, jitter or tail.
  static let delayLimit: Int64 = 60_000_000_000

  private func decodeOrigin(_ part: inout ObjectReader) -> NetworkOrigin {
    let names = ["profile", "trace", "mobile"].filter { part.has($0) }
    if let second = names.dropFirst().first {
      part.report(
        second, problem: "stands beside a \(names[0])",
        remedy: "keep one of profile, trace and mobile; set all of network: { … } to change to another")
    }
    var origin = NetworkOrigin(isNamed: !names.isEmpty)
    origin.profile = decodeProfile(&part)
    origin.trace = decodeTrace(&part)
    // Of two generators of rates the trace has read `scale` already.
    if !names.contains("trace") { origin.mobile = decodeMobile(&part) }
    origin.name = origin.profile?.name ?? part.value("trace")?.text ?? origin.mobile.map { "mobile \($0.kind.rawValue)" }
    return origin
  }

  private func decodeProfile(_ part: inout ObjectReader) -> NetworkProfile? {
    guard part.has("profile") else { return nil }
    return NetworkProfile.named(part.choice("profile", of: NetworkProfile.all.map(\.name)))
  }

  /// Rates drawn for each run: `mobile: "3G"`, `length` before the trace wraps, `scale`, and `seed` for one trace in all repetitions.
  private func decodeMobile(_ part: inout ObjectReader) -> MobileRates? {
    guard part.has("mobile") else { return nil }
    let kind: MobileRates.Kind = part.choice("mobile")
    let length = part.duration("length", default: 1_800_000_000_000, in: 1_000_000_000...Self.dwellLimitNanoseconds)
    if length % 1_000_000_000 != 0 {
      part.report("length", problem: "is not a whole number of seconds", remedy: "rates last a second each; write such as \"30min\"")
    }
    let scale = TraceOptions.scale(from: &part)
    var mobile = MobileRates(kind: kind, length: Interval(nanoseconds: length), scale: scale.double, coversUplink: !part.has("up"))
    if part.has("seed") { mobile.seed = UInt64(part.integer("seed")) } else { part.record("seed", "each repetition's own") }
    return mobile
  }

  private func decodeRate(_ key: String, _ part: inout ObjectReader, profile: Int64?, _ origin: NetworkOrigin) -> LinkRate? {
    let isGiven = part.has(key)
    if let trace = origin.trace, !isGiven { return trace }
    if key == "down", origin.mobile != nil, isGiven {
      part.report(key, problem: "stands beside mobile, which draws it", remedy: "leave it out, or use scale")
    }
    // What stands in until the rates are drawn.
    if origin.mobile != nil, !isGiven { return LinkRate(constant: 1_000_000) }
    if profile == nil, origin.isNamed, !isGiven { return nil }
    return LinkRate(constant: part.rate(key, default: profile, in: 1...1_000_000_000_000))
  }

  private func decodeTrace(_ part: inout ObjectReader) -> LinkRate? {
    guard part.has("trace") else { return nil }
    let location = part.location(of: "trace")
    let path = part.text("trace")
    guard !path.isEmpty else { return nil }
    // A JSON file can be nothing else; all other formats are said, not guessed.
    let problems = part.context.sink.count
    let options = TraceOptions.decode(from: &part, defaultFormat: path.hasSuffix(".json") ? .sabre : nil)
    // A file read by the wrong rules would only add problems that it does not have.
    guard part.context.sink.count == problems else { return nil }
    do {
      let trace = try files.trace(path, options: options)
      part.record("trace.contents", trace.hash)
      part.context.sink.report(trace.problems)
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
}
