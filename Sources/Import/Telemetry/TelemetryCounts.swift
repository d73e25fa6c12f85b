// Counts the values of telemetry by class of network in bins of constant ratio, and makes histograms of them.

import Analysis
import Base

/// Counts in bins whose edges are the powers of 2^(1/2^scale), as in OpenTelemetry's exponential histograms.
struct RatioCounts {
  /// The finest scale: bins of 2.2 %.
  private static let finest = 5
  private static let binCount = 16

  private var counts: [Int: Int] = [:]
  private var scale = RatioCounts.finest
  /// The number of values below all that have a bin, such as those rounded to 0.
  private var below = 0
  /// The base units in a unit of the values.
  let factor: Double
  /// The largest power of ten that divides all values, in base units; nil before the first value.
  private var step: Int64?

  init(factor: Double = 1) { self.factor = factor }

  var isEmpty: Bool { counts.isEmpty }

  /// Adds a value in base units, at most 10¹⁸; one below `least` is only counted.
  mutating func add(_ value: Double, least: Double) {
    if value < least { return below += 1 }
    counts[Int((StableMath.log(value / factor) / StableMath.log(2) * Double(1 << scale)).rounded(.down)), default: 0] += 1
    let whole = Int64(value.rounded())
    var own = step ?? 1_000_000_000
    while own > 1, whole % own != 0 { own /= 10 }
    step = own
  }

  /// Adds the bins of an exponential histogram from an index on.
  /// - Throws: `ValueProblem` if an edge is beyond all values.
  mutating func add(_ bins: [Int], from offset: Int, scale other: Int) throws(ValueProblem) {
    guard (-10...20).contains(other), offset > -1 << 40, offset < 1 << 40,
      [offset, offset + bins.count].allSatisfy({ abs(Double($0) / Elementary.power(2, Double(other))) <= 60 })
    else { throw ValueProblem("has an exponential histogram of impossible values", remedy: "check its scale and its offset") }
    if other < scale {
      let shift = scale - other
      counts = counts.reduce(into: [:]) { $0[$1.key >> shift, default: 0] += $1.value }
      scale = other
    }
    for (index, count) in bins.enumerated() where count > 0 { counts[(offset + index) >> (other - scale), default: 0] += count }
    step = 1
  }

  /// Returns a histogram of about 16 bins between the first and the last hundredth of the values; nil if there are fewer than 2 edges.
  /// Edges lie in the middle between the multiples of the values' step, so that rounding to it moves no value to another bin.
  var histogram: Histogram? {
    let sorted = counts.sorted { $0.key < $1.key }
    let total = sorted.reduce(0) { $0 + $1.value }
    func index(_ share: Double) -> Int {
      var seen = 0
      return sorted.first { bin in
        seen += bin.value
        return Double(seen) > share * Double(total)
      }?.key ?? sorted.last?.key ?? 0
    }
    let (low, high) = (index(0.01), index(0.99))
    var edges: [(index: Int, value: Double)] = []
    for index in stride(from: low, through: high + 1, by: max(1, (high - low + Self.binCount - 1) / Self.binCount)) {
      var value = factor * Elementary.power(2, Double(index) / Elementary.power(2, Double(scale)))
      if let step, step > 1 { value = ((value / Double(step)).rounded(.up) - 0.5) * Double(step) }
      if value > edges.last?.value ?? 0 { edges.append((index, value)) }
    }
    guard edges.count >= 2 else { return nil }
    var bins = [below] + [Int](repeating: 0, count: edges.count)
    for bin in sorted { bins[edges.count { $0.index <= bin.key }] += bin.value }
    return Histogram(edges: edges.map(\.value), counts: bins)
  }
}

struct TelemetryCounts {
  /// A quantity, by its index in the lists of a class.
  enum Quantity: Int, CaseIterable {
    case firstByte, throughput, dwell

    var name: String { ["time to first byte", "throughput", "dwell"][rawValue] }
    /// The least value with a bin of its own, and the largest that counts, in nanoseconds or bits a second.
    var limits: ClosedRange<Double> { [1...3.6e12, 1000...1e12, 1e6...8.64e13][rawValue] }
  }

  private static let classLimit = 50
  private static let nameLimit = 60
  /// The fewest bytes of a response whose time tells a throughput.
  private static let bytesLimit: Double = 100_000

  static let classNames = [
    "class", "network.connection.subtype", "network.connection.type", "radio_type", "networkType", "network_type", "effectiveType",
  ]
  private static let sessionNames = ["session", "sessionId", "session_id", "session.id", "sid"]
  /// The names of values with their worths in base units: common columns, and the keys of CMCD.
  private static let values: [(name: String, quantity: Quantity, worth: Double)] = [
    ("ttfbMs", .firstByte, 1e6), ("ttfb_ms", .firstByte, 1e6), ("ttfb", .firstByte, 1e6), ("timeToFirstByteMs", .firstByte, 1e6),
    ("throughputKbps", .throughput, 1e3), ("throughput_kbps", .throughput, 1e3), ("throughputBps", .throughput, 1),
    ("throughputMbps", .throughput, 1e6), ("mtp", .throughput, 1e3), ("dwellMs", .dwell, 1e6), ("dwell_ms", .dwell, 1e6),
    ("dwell", .dwell, 1e6), ("dwellSeconds", .dwell, 1e9), ("dwell_s", .dwell, 1e9),
  ]
  /// The names of a request's times and bytes: Firebase's export, `URLSessionTaskTransactionMetrics`, and OkHttp's `EventListener`.
  private static let requests: [(start: String?, first: String, end: String, bytes: String, worth: Double)] = [
    (
      nil, "network_info.response_initiated_time_us", "network_info.response_completed_time_us", "network_info.response_payload_bytes", 1e3
    ),
    ("requestStartDate", "responseStartDate", "responseEndDate", "countOfResponseBodyBytesReceived", 1e9),
    ("requestHeadersStart", "responseHeadersStart", "responseBodyEnd", "responseBodyBytes", 1e6),
  ]
  /// The names by which a row or a header is known.
  static let names = values.map(\.name) + requests.flatMap { [$0.first, $0.end] }

  private struct Class {
    /// The requests without a session's id.
    var rows = 0
    var sessions: Set<Int> = []
    var raw = Quantity.allCases.map { _ in RatioCounts() }
    var bins: [(edges: [Double], counts: [Int])?] = Quantity.allCases.map { _ in nil }
    var exponential = Quantity.allCases.map { _ in RatioCounts(factor: 1) }
    var values = Quantity.allCases.map { _ in 0 }
  }

  let classKey: String?
  private var classes: [(name: String, counts: Class)] = []
  private var indices: [String: Int] = [:]
  private var hasTooMany = false
  /// The requests without a session's id.
  private var sessionless = 0
  /// The columns of the last row, and the values that they have, by their indices.
  private var known: [String: Int] = [:]
  private var rules: [Int] = []
  private var (ignored, leftOut, small) = (0, 0, 0)
  var points = MetricPoints()

  init(classKey: String?) { self.classKey = classKey }

  var isEmpty: Bool { classes.isEmpty && points.isEmpty && ignored == 0 }

  /// Returns the index of a class; nil beyond the limit, which the result reports.
  private mutating func index(of name: String?) -> Int? {
    let name = name.map { $0.utf8.count <= Self.nameLimit ? $0 : shortened($0, to: 15) } ?? "all"
    if let index = indices[name] { return index }
    hasTooMany = hasTooMany || classes.count == Self.classLimit
    if hasTooMany { return nil }
    indices[name] = classes.count
    classes.append((name.isEmpty ? "unknown" : name, Class()))
    return classes.count - 1
  }

  /// Reads a row, whose values `value` returns by name; it has those of `columns`, or any.
  /// - Throws: `ValueProblem` if a value is no number, or there are too many classes.
  mutating func read(of columns: [String: Int]? = nil, _ value: (String) -> String?) throws(ValueProblem) {
    if let columns, columns != known { (known, rules) = (columns, Self.values.indices.filter { columns[Self.values[$0].name] != nil }) }
    if let kind = value("event_type"), kind != "NETWORK_REQUEST" { return ignored += 1 }
    if let code = value("network_info.response_code"), !code.isEmpty, !code.hasPrefix("2") { return ignored += 1 }
    var found: [(Quantity, Double)] = []
    for index in columns == nil ? Array(Self.values.indices) : rules {
      let (name, quantity, worth) = Self.values[index]
      if let number = try Self.number(name, value), !found.contains(where: { $0.0 == quantity }) {
        found.append((quantity, number * worth))
      }
    }
    for request in Self.requests {
      guard let first = try Self.number(request.first, value) else { continue }
      if let start = try request.start.map({ name throws(ValueProblem) in try Self.number(name, value) }) ?? 0 {
        found.append((.firstByte, (first - start) * request.worth))
      }
      guard let end = try Self.number(request.end, value), let bytes = try Self.number(request.bytes, value) else { continue }
      if bytes < Self.bytesLimit { small += 1 } else { found.append((.throughput, bytes * 8e9 / ((end - first) * request.worth))) }
    }
    if found.isEmpty { return ignored += 1 }
    let own = classKey.map { [$0] } ?? Self.classNames
    let index = index(of: own.lazy.compactMap(value).first { !Self.isMissing($0) })
    guard let index else { return }
    if let session = Self.sessionNames.lazy.compactMap(value).first(where: { !Self.isMissing($0) }) {
      classes[index].counts.sessions.insert(session.hashValue)
    } else {
      classes[index].counts.rows += 1
      sessionless += 1
    }
    for (quantity, number) in found {
      guard number >= 0, number <= quantity.limits.upperBound else {
        leftOut += 1
        continue
      }
      classes[index].counts.raw[quantity.rawValue].add(number, least: quantity.limits.lowerBound)
      classes[index].counts.values[quantity.rawValue] += 1
    }
  }

  private static func isMissing(_ text: String) -> Bool { ["", "-", "null", "NULL"].contains(text) }

  /// - Throws: `ValueProblem` if the value is no number.
  private static func number(_ name: String, _ value: (String) -> String?) throws(ValueProblem) -> Double? {
    guard let text = value(name), !isMissing(text) else { return nil }
    if let number = DecimalText.number(Array(text.utf8)[...]) { return number }
    throw ValueProblem("has \(quoted(text)) for \(name)", remedy: "write a number, or nothing")
  }

  /// Adds the bins of a histogram, or of an exponential one.
  /// - Throws: `ValueProblem` if they do not go with those before them.
  mutating func add(_ point: MetricPoints.Point) throws(ValueProblem) {
    guard let index = index(of: point.className) else { return }
    let quantity = point.quantity.rawValue
    classes[index].counts.values[quantity] += point.counts.reduce(0, +)
    if point.quantity == .firstByte {
      classes[index].counts.rows += point.counts.reduce(0, +)
      sessionless += point.counts.reduce(0, +)
    }
    if let scale = point.scale {
      if classes[index].counts.exponential[quantity].isEmpty {
        classes[index].counts.exponential[quantity] = RatioCounts(factor: point.worth)
      }
      guard classes[index].counts.exponential[quantity].factor == point.worth else {
        throw ValueProblem("has exponential histograms in two units", remedy: "export one of them, or one file a unit")
      }
      return try classes[index].counts.exponential[quantity].add(point.counts, from: point.offset, scale: scale)
    }
    var (edges, counts) = (point.bounds.map { $0 * point.worth }, point.counts)
    while let first = edges.first, first <= 0 {
      edges.removeFirst()
      let below = counts.removeFirst()
      counts[0] += below
    }
    if let known = classes[index].counts.bins[quantity] {
      guard known.edges == edges else {
        throw ValueProblem("has histograms with other bounds than before", remedy: "export one view, or one file a view")
      }
      counts = zip(counts, known.counts).map(+)
    }
    classes[index].counts.bins[quantity] = (edges, counts)
  }

  /// Returns the telemetry by class in the order of the file, and sentences on what the file does not say.
  /// - Throws: `ValueProblem` if a fit is impossible.
  mutating func networks() throws(ValueProblem) -> (networks: [NetworkTelemetry], notes: [String]) {
    for point in points.all { try add(point) }
    if hasTooMany { throw ValueProblem("has more than \(Self.classLimit) classes of network", remedy: "name the class with --class") }
    if classes.isEmpty {
      throw ValueProblem(
        "has no telemetry of a known form", remedy: "give JSON by class, OTLP, Firebase's rows, CMCD, or CSV with ttfbMs and throughputKbps"
      )
    }
    for quantity in [Quantity.firstByte, .throughput] where classes.allSatisfy({ $0.counts.values[quantity.rawValue] == 0 }) {
      throw Self.missing(quantity)
    }
    for (name, counts) in classes {
      for (index, quantity) in Quantity.allCases.enumerated()
      where [counts.bins[index] != nil, !counts.exponential[index].isEmpty, !counts.raw[index].isEmpty].count(where: \.self) > 1 {
        throw ValueProblem("has the \(quantity.name) of \(quoted(name)) in several forms", remedy: "give one file a form")
      }
    }
    var notes: [String] = []
    let hasDwells = classes.allSatisfy { $0.counts.values[Quantity.dwell.rawValue] > 0 }
    let networks = classes.compactMap { name, counts -> NetworkTelemetry? in
      let histograms = Quantity.allCases.map { quantity -> Histogram? in
        let bins = counts.bins[quantity.rawValue].flatMap { $0.edges.count >= 2 ? Histogram(edges: $0.edges, counts: $0.counts) : nil }
        let found = bins ?? (counts.exponential[quantity.rawValue].isEmpty ? counts.raw : counts.exponential)[quantity.rawValue].histogram
        return found.flatMap { $0.hasSpread && TelemetryReader.isLikely($0) ? $0 : nil }
      }
      guard let firstByte = histograms[0], let throughput = histograms[1] else {
        let lacking = Quantity.allCases.prefix(2).filter { histograms[$0.rawValue] == nil }.map(\.name)
        notes.append(
          "\(SafeText.line(name)): left out, because its values of \(lacking.joined(separator: " and ")) fill fewer than three bins")
        return nil
      }
      return NetworkTelemetry(
        name: name, sessions: max(1, counts.sessions.count + counts.rows),
        items: sessionless == 0 && hasDwells ? counts.values[Quantity.dwell.rawValue] : nil, loadersPer1000: nil, serverTime: 0, up: nil,
        timeToFirstByte: firstByte, throughput: throughput, dwell: histograms[2])
    }
    guard !networks.isEmpty else {
      throw ValueProblem("has no class of network with enough values", remedy: "give more rows; each class needs values in three bins")
    }
    if sessionless > 0 {
      let isAll = classes.allSatisfy(\.counts.sessions.isEmpty)
      notes.append(
        "the sessions \(isAll ? "" : "of \(sessionless) requests ")are unknown: each \(isAll ? "request" : "of them") counts as one, so that "
          + "weights are shares of requests, and intervals are too narrow if a user's requests resemble each other")
    }
    if networks.contains(where: { $0.dwell == nil }) { notes.append("not all classes have dwells: the sweep needs its own user.dwell") }
    if networks.count == 1, classes.count == 1, classKey == nil {
      notes.append("one class of network; --class names the key that tells several")
    }
    notes.append("the servers' time is unknown: the whole time to the first byte counts as a round trip")
    notes += points.notes
    let counted = [
      (ignored, "rows without a request that counts"), (small, "responses below 100 kB tell no throughput"),
      (leftOut, "values out of range are left out"),
    ]
    notes += counted.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return (networks, notes)
  }

  private static func missing(_ quantity: Quantity) -> ValueProblem {
    let columns = quantity == .throughput ? "throughputKbps, or responses of at least 100 kB" : "ttfbMs, as the client measures it"
    let metric = quantity == .throughput ? "a histogram with the unit bit/s" : "http.client.request.duration"
    return ValueProblem(
      "has no \(quantity.name), without which no network can be fitted", remedy: "add a column \(columns); of OTLP, export \(metric)")
  }
}
