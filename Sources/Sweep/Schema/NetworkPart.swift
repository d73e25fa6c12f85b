// Decodes the network of a scenario: a profile, numbers, a trace or drawn rates. Explicit keys override a profile's.

import Base
import Inputs
import Simulation

struct NetworkPart: ScenarioPart {
  // Placeholder rates until others are read.
  var network = NetworkConfiguration(
    down: LinkRate(constant: 1_000_000), up: LinkRate(constant: 1_000_000), delayDown: .zero, delayUp: .zero, transport: .packet)
  /// True if each repetition starts at a random offset of the trace.
  private(set) var startsAnywhere = false
  /// False if a rate is missing, after a report.
  private(set) var isComplete = true
  var profile: NetworkProfile?
  var trace: LinkRate?, traceUp: LinkRate?
  /// The network's name in reports; nil for plain numbers.
  var name: String?
  /// True if a profile, a trace or drawn rates were named, valid or not; then no rate is missing.
  private var isNamed = false
  /// The values of a profile file that are lost.
  private var lost: [String] = []
  var radio: Radio?
  /// The keys in the file.
  var given: [String] = []
  private var problems = 0

  init() {}

  /// The limits of delays, jitter and radio times, in nanoseconds.
  static let delay: ClosedRange<Int64> = 0...60_000_000_000
  private static let rates: ClosedRange<Int64> = 1...1_000_000_000_000

  static let fields: [Field<NetworkPart>] = origin + path + requests + link

  // MARK: Rates

  private static let origin: [Field<NetworkPart>] = [
    Field(
      Parameter(
        "profileFile", .other("a file; profile then names one of its profiles"),
        "A network profile of another tool, of a form that `import --format profile` reads; keys beside it replace its own."
      ).optional("none")
    ) { reader, part, surroundings in if reader.has("profileFile") { part.readProfileFile(&reader, surroundings.files) } },
    Field { reader, part, _ in
      let names = (part.isNamed ? ["profileFile"] : []) + ["profile", "trace", "mobile"].filter { reader.has($0) }
      part.given = reader.givenKeys
      part.isNamed = !names.isEmpty
      part.problems = reader.context.sink.count
      guard let second = names.dropFirst().first else { return }
      reader.report(
        second, problem: "conflicts with \(names[0])",
        remedy: "keep one of profile, profileFile, trace and mobile; set all of network: { … } to change to another")
    },
    Field(
      Parameter("profile", .choice(NetworkProfile.all.map(\.name)), "A named network; see `list networks`.").optional("none").naming()
    ) { reader, part, _ in
      guard reader.has("profile") else { return }
      if let text = reader.value("profile")?.text, let remedy = NetworkProfile.remedies[text.uppercased()] {
        reader.report("profile", problem: "is unknown: \(quoted(text))", remedy: remedy)
        return
      }
      let name = reader.choice("profile", of: NetworkProfile.all.map(\.name))
      part.profile = NetworkProfile.all.first { $0.name == name }
      part.name = part.profile?.name
    },
    Field(
      Parameter(
        "trace",
        .other(
          "a file or { down: \"a.down\", up: \"a.up\" }; with it format, scale, rowsApply, timeColumn, durationColumn, rateColumn, timeUnit, rateUnit"
        ), "Rates from a file of the format sabre, mahimahi, rows or csv, for both directions or one for each."
      ).optional("none").naming()
    ) { reader, part, surroundings in if reader.has("trace") { part.readTrace(&reader, surroundings.files) } },
    Field(
      Parameter(
        "mobile", .choice(MobileRates.Kind.allCases.map(\.rawValue)),
        "Rates of a phone on the move, or of a busy Wi-Fi, drawn for each repetition."
      ).optional("none"),
      Parameter("length", .duration(1_000_000_000...Parameter.day), "The length of the trace of mobile before it repeats.")
        .optional("30min"),
      Parameter("scale", .number(0...1e6), "Multiplies the rates of a trace or of mobile.").optional("1"),
      Parameter("seed", .integer(0...Int.max), "The seed of one trace of mobile for all repetitions.").optional("each repetition's own")
    ) { reader, part, _ in part.readMobile(&reader) },
    Field(Parameter("down", .rate(rates), "The rate towards the client.").optional("the profile's")) { reader, part, _ in
      part.readRate("down", &reader, profile: part.profile?.down, to: \.down)
    },
    Field(Parameter("up", .rate(rates), "The rate from the client.").optional("the profile's").used(by: [.packet])) { reader, part, _ in
      part.readRate("up", &reader, profile: part.profile?.up, to: \.up)
    }.set { part, isGiven in part.isNamed && isGiven },
    Field { reader, part, _ in part.reportUnread(&reader) },
  ]

  /// Replaces the keys `profileFile` and `profile` by those of the profile, unless they are given.
  private mutating func readProfileFile(_ reader: inout ObjectReader, _ files: InputFiles) {
    isNamed = true
    let profile = reader.optionalText("profile")
    var members = reader.allMembers().filter { !["profileFile", "profile"].contains($0.key) }
    if let path = reader.value("profileFile")?.text, !path.isEmpty {
      let network = reader.contents(of: "profileFile", at: path, in: files, reading: profile ?? "") { file, sink in
        ProfileReader.read(file, profile: profile, into: sink)
      }
      name = network.map { $0.name.isEmpty ? path : $0.name } ?? path
      lost = network?.lost ?? []
      for (key, json) in network?.settings ?? [] where !members.contains(where: { $0.key == key }) {
        let value = JSON5Value(kind: JSON5Value.scalar(fromCommandLine: json).kind, location: reader.location(of: "profileFile"))
        members.append(JSON5Member(key: key, keyLocation: value.location, value: value))
      }
    } else {
      reader.report("profileFile", problem: "is no path of a file", remedy: "write the path of a profile", code: .noPath)
    }
    let object = JSON5Value(kind: .object(members), location: reader.location)
    reader = ObjectReader(object, path: reader.path, context: reader.context)
  }

  private mutating func readMobile(_ reader: inout ObjectReader) {
    // Beside a trace `scale` has been read already.
    guard !reader.has("trace"), reader.has("mobile") else { return }
    let kind: MobileRates.Kind = reader.choice("mobile")
    let length = reader.duration("length", default: 1_800_000_000_000, in: 1_000_000_000...Parameter.day)
    if length % 1_000_000_000 != 0 {
      reader.report("length", problem: "is not a whole number of seconds", remedy: "rates last a second each; write such as \"30min\"")
    }
    let scale = TraceOptions.scale(from: &reader)
    var mobile = MobileRates(kind: kind, length: Interval(nanoseconds: length), scale: scale.double, coversUplink: !reader.has("up"))
    if reader.has("seed") { mobile.seed = UInt64(reader.integer("seed")) } else { reader.record("seed", "each repetition's own") }
    network.mobile = mobile
    name = name ?? (kind.isWiFi ? kind.rawValue : "mobile \(kind.rawValue)")
  }

  private mutating func readRate(
    _ key: String, _ reader: inout ObjectReader, profile: Int64?, to target: WritableKeyPath<NetworkConfiguration, LinkRate>
  ) {
    let isGiven = reader.has(key)
    if let trace, !isGiven {
      network[keyPath: target] = key == "up" ? traceUp ?? trace : trace
      return
    }
    if key == "down", network.mobile != nil, isGiven {
      reader.report(key, problem: "conflicts with mobile, which draws it", remedy: "leave it out, or use scale")
    }
    if network.mobile != nil, !isGiven { return }
    if profile == nil, !isGiven {
      isComplete = false
      return
    }
    network[keyPath: target] = LinkRate(constant: reader.rate(key, default: profile, in: Self.rates))
  }

  // MARK: The path

  /// Half the round trip of a trace or of drawn rates; 0 for other networks.
  private var defaultDelay: Interval {
    let roundTrip = network.mobile?.roundTrip ?? trace?.periods[0].latency
    return roundTrip.map { Interval(nanoseconds: $0.nanoseconds / 2) } ?? .zero
  }

  /// Reports the numbers that a network without a name lacks, all at once, unless one that it has is wrong already.
  private mutating func reportMissingNumbers(_ reader: ObjectReader) {
    let examples = [("down", "5Mbps"), ("up", "1Mbps"), ("delayDown", "50ms"), ("delayUp", "50ms")]
    let missing = examples.filter { !given.contains($0.0) }
    guard !isNamed, !reader.isBroken, !missing.isEmpty else { return }
    isComplete = false
    if reader.context.sink.count > problems { return }
    let numbers = missing.map { "\($0.0): \(quoted($0.1))" }.joined(separator: ", ")
    reader.context.sink.report(
      at: reader.location, key: reader.path, problem: "lacks \(missing.map(\.0).joined(separator: ", "))",
      remedy: "add \(numbers), or name a profile such as \"3G\"", code: .missingNumbers)
  }

  private static func inPackets(_ count: Int) -> String { count == 1 ? "1 packet" : "\(count) packets" }

  private static let path: [Field<NetworkPart>] = [
    Field(
      .duration("delayDown", in: delay, "The constant delay towards the client.").optional("the profile's"), \.network.delayDown,
      fallback: { $0.profile?.delayDown ?? $0.defaultDelay }),
    Field(
      .duration("delayUp", in: delay, "The constant delay from the client.").optional("the profile's"), \.network.delayUp,
      fallback: { $0.profile?.delayUp ?? $0.defaultDelay }),
    Field { reader, part, _ in
      part.reportMissingNumbers(reader)
      part.settleLatencies(reader)
    },
    Field(
      .probability("lossDown", "The share of packets lost towards the client.").optional("the profile's, or 0").used(by: [.packet]),
      \.network.lossDown, fallback: { $0.profile?.loss ?? 0 }
    ).saying { part in
      let (down, up) = (part.network.lossDown, part.network.lossUp)
      return down > 0 || up > 0 ? "\(percent(down)) and \(percent(up)) of packets lost" : nil
    },
    Field(
      .probability("lossUp", "The share of packets lost from the client.").optional("the profile's, or 0").used(by: [.packet]),
      \.network.lossUp, fallback: { $0.profile?.loss ?? 0 }),
    Field(
      .integer("queue", in: 1...1_000_000, "The drop-tail queue of each direction, in packets.").used(by: [.packet]), \.network.queuePackets
    ).set { _, isGiven in isGiven }.saying { part in
      let (down, up) = (part.network.queueDown, part.network.queueUp)
      return down != up
        ? "queues of \(inPackets(down)) down and \(up) up" : down == NetworkPart().network.queueDown ? nil : "queues of \(inPackets(down))"
    }.then { reader, _, _ in
      guard let value = reader.value("queue"), case .object = value.kind else { return }
      let path = reader.path(of: "queue")
      _ = reader.context.sink.change(at: value.location) { diagnostic in
        if diagnostic.key == path { diagnostic.remedy = "write queueDown and queueUp for a queue of each direction" }
      }
    },
    Field(
      ifGiven: .integer("queueDown", in: 1...1_000_000, "The queue towards the client, instead of queue.").optional("queue").used(
        by: [.packet]),
      \.network.queueDown),
    Field(
      ifGiven: .integer("queueUp", in: 1...1_000_000, "The queue from the client, instead of queue.").optional("queue").used(by: [.packet]),
      \.network.queueUp),
    Field(
      Parameter(
        "transport", .choice(NetworkConfiguration.TransportKind.allCases.map(\.rawValue)), "The transport model under the transfers."),
      \.network.transport
    ).refusing("tcp", problem: "is \"tcp\", which is no longer simulated", remedy: "write \"packet\", which is closer to the kernel's TCP"),
    Field(
      Parameter("offset", .other("a duration, or \"random\" for each repetition's own"), "The start of runs in the trace.").optional("0s")
    ) { reader, part, _ in
      if case .string("random")? = reader.value("offset")?.kind {
        reader.record("offset", "random")
        if !reader.has("trace") {
          reader.report("offset", problem: "is random, but there is no trace", remedy: "leave it out, or name a trace")
        }
        part.startsAnywhere = true
      } else {
        part.network.offset = Interval(nanoseconds: reader.duration("offset", default: 0, in: 0...Parameter.day))
        if part.network.offset > .zero, !reader.has("trace"), part.network.mobile == nil {
          reader.report("offset", problem: "has no effect here, only with a trace, or mobile", remedy: "leave it out, or name a trace")
        }
      }
    },
  ]

  /// Checks that a trace has latencies in all periods or in none. Varying latencies add a canonical line,
  /// since the delays' own lines would be the same with or without explicit delays.
  private mutating func settleLatencies(_ reader: ObjectReader) {
    let hasDelay = given.contains("delayDown") || given.contains("delayUp")
    if hasDelay { network.down = network.down.withoutLatencies }
    guard let trace, trace.periods.contains(where: { $0.latency != trace.periods[0].latency }) else { return }
    reader.record("trace.latency", hasDelay ? "replaced" : "varies")
    if !hasDelay, trace.periods.contains(where: { $0.latency == nil }) {
      reader.report(
        "trace", problem: "has a latency in some of its periods only",
        remedy: "give latency_ms to all of them or to none, or set delayDown and delayUp")
    }
  }

  // MARK: In words

  /// The keys that reports show first; others follow in the order of the fields.
  private static let firstShown = ["up", "lossDown", "lossUp", "burstLoss", "jitter", "queue", "outages", "radioPromotion"]

  private static let shown: [Field<NetworkPart>] =
    firstShown.compactMap { key in fields.first { $0.parameters.first?.key == key } }
    + fields.filter { field in field.parameters.contains { !firstShown.contains($0.key) } }

  /// Rates and delays, then the values that differ from the defaults.
  var text: String {
    var phrases = [
      (name.map { "\($0): " } ?? "") + "\(Self.rate(network.down, isDrawn: network.mobile != nil)) down",
      "\(Self.rate(network.up, isDrawn: network.mobile?.coversUplink ?? false)) up", delays,
    ]
    phrases += Self.shown.compactMap { $0.phrase(self) }
    if let seed = network.mobile?.seed { phrases.append("the trace of seed \(seed)") }
    if startsAnywhere { phrases.append("from a random offset in the trace") }
    return phrases.joined(separator: ", ") + "; \(network.transport.rawValue) transport"
  }

  private static func rate(_ link: LinkRate, isDrawn: Bool) -> String {
    if isDrawn { return "drawn" }
    return link.isConstant ? Quantity.described(link.periods[0].bitsPerSecond, .rate) : "by the trace"
  }

  private var delays: String {
    if network.transport == .fluid, hasSeveralLatencies { return "latency by the trace" }
    return "delay \(network.delayDown.described) down and \(network.delayUp.described) up"
  }

  private var hasSeveralLatencies: Bool { network.down.periods.contains { $0.latency != network.down.periods[0].latency } }

  static func percent(_ share: Double) -> String {
    let hundredths = (share * 10_000).rounded() / 100
    return hundredths == hundredths.rounded() ? "\(Int(hundredths)) %" : "\(hundredths) %"
  }

  /// The settings without effect under the network's transport.
  var ignored: [IgnoredSetting] {
    var keys: [String] = []
    if network.transport != .fluid {
      let (http, setsSlowStart) = (network.http, given.contains("slowStartAfterIdle"))
      if trace != nil, hasSeveralLatencies { keys.append("trace (its latencies after the first)") }
      if http.version == .http2, http.idleTimeout > .zero { keys.append("idleTimeout (under HTTP/2)") }
      if http.version != .http2 { keys += Self.http2Keys.filter(given.contains).map { "\($0) (without HTTP/2)" } }
      if http.version == .http1, http.coalesces { keys.append("coalescing (under HTTP/1.1)") }
      if http.version == .http3, setsSlowStart { keys.append("slowStartAfterIdle (under HTTP/3)") }
      if http.version != .http3, network.congestion == .bbr, setsSlowStart { keys.append("slowStartAfterIdle (with BBR)") }
      if http.security == .none, http.handshakeTime > .zero { keys.append("handshakeTime (without TLS)") }
    }
    for field in Self.shown {
      keys += field.parameters.filter { parameter in
        !parameter.transports.contains(network.transport) && field.isSet(self, given.contains(parameter.key))
      }.map(\.key)
    }
    keys += lost.map { "profileFile (\($0))" }
    return keys.map { IgnoredSetting(transport: network.transport.rawValue, path: "network.\($0)") }
  }
}
