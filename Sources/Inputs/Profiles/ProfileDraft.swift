// Collects the values of a profile by direction and turns them into keys of `network`.

import Base

struct ProfileDraft {
  private let candidate: ProfileReader.Candidate
  private let sink: DiagnosticSink
  /// The values of down and up.
  private var links: [[ProfileRule.Quantity: Int64]] = [[:], [:]]
  private var notes: [(location: SourceLocation?, text: String)] = []
  private var lost: [String] = []

  /// The rate that stands in for no limit, in bits a second.
  private static let openRate: Int64 = 1_000_000_000
  /// The bytes of a packet of queues that have limits in bytes.
  private static let packetBytes: Int64 = 1500
  private static let neutral = ["", "false", "null", "[]", "{}", "none", "All"]

  init(_ candidate: ProfileReader.Candidate, _ sink: DiagnosticSink) {
    (self.candidate, self.sink) = (candidate, sink)
    notes = candidate.assumptions.map { (nil, $0) }
  }

  mutating func read(_ leaf: ProfileReader.Leaf) {
    let dialect = candidate.dialect
    if leaf.text == "null" || dialect.silent.contains(leaf.path) { return }
    if let rule = dialect.rules.first(where: { $0.path == leaf.path }) {
      do throws(ValueProblem) { try read(leaf, rule) } catch { sink.report(error, at: leaf.location, key: leaf.path) }
    } else if dialect.unused.paths.contains(leaf.path) {
      note(leaf, "is not used: \(dialect.unused.reason)")
    } else if !isNeutral(leaf) {
      note(leaf, "has no counterpart here and is lost")
      lost.append("\(shortened(leaf.path, to: 60)) \(shortened(leaf.text, to: 60))")
    }
  }

  private func isNeutral(_ leaf: ProfileReader.Leaf) -> Bool {
    let number = try? ExactDecimal(json5: leaf.text, truncating: true)
    let isFactor = leaf.path.hasSuffix("toxicity") || leaf.path.hasSuffix("cpuSlowdownMultiplier")
    return Self.neutral.contains(leaf.text) || number == ExactDecimal(isFactor ? 1 : 0)
  }

  private mutating func note(_ leaf: ProfileReader.Leaf, _ text: String) {
    notes.append((leaf.location, "\(shortened(leaf.path, to: 60)): \(shortened(leaf.text, to: 60)) \(text)"))
  }

  /// - Throws: `ValueProblem` if the value is malformed or out of range.
  private mutating func read(_ leaf: ProfileReader.Leaf, _ rule: ProfileRule) throws(ValueProblem) {
    switch rule.quantity {
    case .throttleName:
      if leaf.text == "custom" || leaf.text == "native" { return }
      let all = ProfileDialect.throttleNames
      guard let row = all.first(where: { $0.name == leaf.text }) else { throw Self.unknown(leaf.text, among: all.map(\.name)) }
      for (link, rate) in [row.down, row.up].enumerated() { try set(.rate, link, rate * 1000, leaf) }
      for link in [0, 1] { try set(.delay, link, row.rtt * 500_000, leaf) }
      note(leaf, "is \(row.down) kbit/s down, \(row.up) up, and a round trip of \(row.rtt) ms")
    case .androidSpeed:
      let (up, down) = try Self.range(leaf.text, ProfileRule("", .rate, ProfileRule.kilobits)) { ($0.up, $0.down) }
      for (link, rate) in [down, up].enumerated() { try set(.rate, link, rate, leaf) }
      if down > 0 { note(leaf, "is \(Quantity.described(up, .rate)) up, \(Quantity.described(down, .rate)) down") }
    case .androidDelay:
      let rule = ProfileRule("", .roundTrip, ProfileRule.milliseconds)
      let (least, most) = try Self.range(leaf.text, rule) { ($0.least * 1_000_000, $0.most * 1_000_000) }
      guard least <= most else { throw ValueProblem("has a minimum above its maximum", remedy: "write min:max") }
      if most > 0 { try setRoundTrip((least + most) / 2, leaf) }
      for link in most > least ? [0, 1] : [] { try set(.jitter, link, (most - least) / 4, leaf) }
    case .list:
      let numbers = leaf.text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard numbers.count == 4 else {
        throw ValueProblem(
          "has \(numbers.count) numbers, not 4", remedy: "write download, upload, latency and packet loss: \"1000,1000,100,1\"")
      }
      for (text, rule) in zip(numbers, ProfileDialect.list) {
        try read(ProfileReader.Leaf(path: "\(leaf.path), \(rule.path)", text: text, location: leaf.location), rule)
      }
    case .foreignName:
      throw ValueProblem("names \(quoted(leaf.text)), whose numbers only BrowserStack has", remedy: "write them as customNetwork")
    default:
      // Apple's unit 1 is Mbit/s.
      let isMega = rule.quantity == .rate && leaf.unit == "1"
      let value = try Self.value(leaf.text, isMega ? ProfileRule(rule.path, .rate, ["": 1_000_000]) : rule)
      if rule.quantity == .roundTrip { return try setRoundTrip(value, leaf) }
      for link in rule.links { try set(rule.quantity, link, value, leaf) }
    }
  }

  private static func unknown(_ name: String, among known: [String]) -> ValueProblem {
    ValueProblem("is unknown: \(quoted(name))", remedy: NearestName.remedy(for: name, among: known, what: "names"))
  }

  /// Reads a name of the Android emulator, one number, or two with a colon between.
  /// - Throws: `ValueProblem` for anything else.
  private static func range(
    _ text: String, _ rule: ProfileRule, named: (ProfileDialect.AndroidName) -> (Int64, Int64)
  ) throws(ValueProblem) -> (Int64, Int64) {
    let all = ProfileDialect.androidNames
    if let row = all.first(where: { $0.name == text }) { return named(row) }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, let first = text.utf8.first, (0x30...0x39).contains(first) else { throw unknown(text, among: all.map(\.name)) }
    return (try value(parts[0], rule), try value(parts[parts.count - 1], rule))
  }

  /// Returns a number with a unit of a rule in base units, rounded.
  /// - Throws: `ValueProblem` for anything else, and beyond the rule's limit.
  private static func value(_ text: String, _ rule: ProfileRule) throws(ValueProblem) -> Int64 {
    let shown = quoted(text), trimmed = trimmingSpaces(text)
    var isBare = true
    do throws(ExactDecimal.ParseError) { _ = try ExactDecimal(json5: trimmed, truncating: true) } catch {
      if error == .outOfRange { throw ValueProblem("is \(shown), which is out of range", remedy: "check its unit") }
      isBare = false
    }
    let number = isBare ? trimmed : String(trimmed.prefix { "0123456789.+-".contains($0) })
    let unit = trimmingSpaces(trimmed.dropFirst(number.count)).lowercased()
    guard let exact = try? ExactDecimal(json5: number, truncating: true), exact.coefficient >= 0 else {
      throw ValueProblem("is \(shown), not a number of at least 0", remedy: "write the number itself")
    }
    guard let worth = rule.units[unit] else {
      let known = rule.units.keys.sorted().filter { !$0.isEmpty }
      throw ValueProblem(
        "has the unknown unit \(quoted(unit))", remedy: known.isEmpty ? "write the number alone" : "units: \(known.joined(separator: ", "))"
      )
    }
    let scale = ExactDecimal.power(of10: exact.scale)
    let value = (Int128(exact.coefficient) * Int128(worth) + scale / 2) / scale
    if value <= rule.limit { return Int64(value) }
    if rule.quantity == .loss, value == 1_000_000_000 {
      throw ValueProblem("is 100 %, so that nothing arrives", remedy: "write outages in the sweep file instead")
    }
    throw ValueProblem("is \(shown), which is out of range", remedy: "check its unit")
  }

  /// - Throws: `ValueProblem` if another value sets the same, or a burst would never end.
  private mutating func set(
    _ quantity: ProfileRule.Quantity, _ link: Int, _ value: Int64, _ leaf: ProfileReader.Leaf
  ) throws(ValueProblem) {
    guard quantity != .rate || value > 0 else { return }
    if quantity == .burstLeave, value == 0 { throw ValueProblem("is 0, so that a burst would never end", remedy: "write more than 0") }
    guard let known = links[link][quantity], known != value else { return links[link][quantity] = value }
    guard quantity == .rate else { throw ValueProblem("sets again what another value sets", remedy: "keep one of them") }
    links[link][quantity] = min(known, value)
    note(leaf, "is one of several rates; the smallest applies")
  }

  /// - Throws: `ValueProblem` if another value sets the delays.
  private mutating func setRoundTrip(_ value: Int64, _ leaf: ProfileReader.Leaf) throws(ValueProblem) {
    for link in [0, 1] { try set(.delay, link, value / 2, leaf) }
    if value > 0 { note(leaf, "is read as a round trip, half of it in each direction") }
  }

  /// Returns the network; nil after a report.
  mutating func network() -> ImportedNetwork? {
    guard sink.isEmpty else { return nil }
    var settings: [(key: String, json: String)] = []
    func time(_ value: Int64) -> String { value == 0 ? "\"0ms\"" : quoted(Quantity.described(value, .duration)) }
    if let assumption = candidate.dialect.assumption, links.contains(where: { $0[.rate] != nil }) { notes.append((nil, assumption)) }
    for (key, values) in zip(["down", "up"], links) {
      if values[.rate] == nil { notes.append((nil, "\(key) has no limit; 1Gbps stands in")) }
      settings.append((key, quoted(Quantity.described(values[.rate] ?? Self.openRate, .rate))))
    }
    let widths = links.map { values in (values[.delay] ?? 0) + (values[.jitter] ?? 0) - Self.leastDelay(values) }
    for (key, values) in zip(["delayDown", "delayUp"], links) { settings.append((key, time(Self.leastDelay(values)))) }
    for (key, values) in zip(["lossDown", "lossUp"], links) {
      if let loss = values[.loss], loss > 0 { settings.append((key, quoted(ExactDecimal.text(loss, decimals: 7) + "%"))) }
    }
    if let burst = links.first(where: { $0[.burstEnter] ?? 0 > 0 }), let enter = burst[.burstEnter] {
      let values = [
        ("enter", enter), ("leave", burst[.burstLeave] ?? max(1, 1_000_000_000 - enter)), ("loss", burst[.burstLoss] ?? 1_000_000_000),
      ]
      settings.append(("burstLoss", "{ \(values.map { "\($0): \(ExactDecimal.text($1, decimals: 9))" }.joined(separator: ", ")) }"))
      if links.contains(where: { $0[.burstEnter] != enter }) { notes.append((nil, "burstLoss applies to both directions here")) }
    }
    let jitter = zip(widths, links).map { $1[.jitter] ?? 0 > 0 ? $0 : 0 }
    if let most = jitter.max(), most > 0 {
      settings.append(("jitter", time(most)))
      notes.append((nil, "jitter: delays are spread evenly over the delay plus or minus it, and packets keep their order"))
      if jitter[0] != jitter[1] { notes.append((nil, "jitter: one for both directions here, the larger")) }
    }
    let queues = [packets(links[0]), packets(links[1])]
    if let queue = queues[0], queue == queues[1] {
      settings.append(("queue", "\(queue)"))
    } else {
      settings += zip(["queueDown", "queueUp"], queues).compactMap { key, queue in queue.map { (key, "\($0)") } }
    }
    if let dns = links[0][.dns], dns > 0 { settings.append(("dns", time(dns))) }
    return ImportedNetwork(name: candidate.name, tool: candidate.dialect.tool, settings: settings, notes: notes, lost: lost)
  }

  private static func leastDelay(_ values: [ProfileRule.Quantity: Int64]) -> Int64 {
    max(0, (values[.delay] ?? 0) - (values[.jitter] ?? 0))
  }

  /// Returns the queue of a direction in packets; nil if the profile has none.
  private mutating func packets(_ values: [ProfileRule.Quantity: Int64]) -> Int64? {
    if let packets = values[.queue] {
      notes.append((nil, "queue: netem's limit counts delayed packets too; here only those that wait for the link"))
      return max(1, packets)
    }
    let inTime = values[.queueTime].flatMap { time in values[.rate].map { Int128(time) * Int128($0) / 8_000_000_000 } }
    guard let bytes = values[.queueBytes].map(Int128.init) ?? inTime else { return nil }
    let packets = Int64(min(1_000_000, max(1, (bytes + Int128(Self.packetBytes) - 1) / Int128(Self.packetBytes))))
    notes.append((nil, "queue: \(bytes) bytes are \(packets) packets of \(Self.packetBytes) bytes"))
    return packets
  }
}
