// Reads telemetry: histograms and counts of an app's users by class of network, which a team may share.

import Analysis
import Base

/// The telemetry of one class of network.
package struct NetworkTelemetry: Sendable {
  package let name: String
  package let sessions: Int
  /// The items viewed in all sessions; nil if no class has them.
  package let items: Int?
  package let loadersPer1000: Double?
  /// The time from a request's arrival at the server to its response, part of the time to the first byte; in nanoseconds.
  package let serverTime: Int64
  /// The rate from the client, in bits a second; nil if it is not known.
  package let up: Int64?
  /// In nanoseconds, bits a second, and nanoseconds.
  package let timeToFirstByte: Histogram, throughput: Histogram
  package let dwell: Histogram?
}

/// Reads and checks a file of telemetry: { networks: { "Wi-Fi": { sessions, timeToFirstByte, throughput, … } } }.
package enum TelemetryReader {
  private static let classLimit = 50
  private static let edgeLimit = 1000
  private static let countLimit: Int64 = 1_000_000_000_000

  /// - Throws: `InvalidInput` with all problems.
  package static func read(_ file: InputFile) throws(InvalidInput) -> [NetworkTelemetry] {
    let sink = DiagnosticSink()
    guard let root = JSON5Parser.parse(file.bytes, file: file.name, into: sink) else { throw sink.found }
    let context = DecodingContext(sink: sink, keepsLines: false)
    var object = ObjectReader(root, example: "{ networks: { \"Wi-Fi\": { … } } }", context: context)
    guard object.has("networks") else {
      if !object.isBroken { object.reportMissing("networks", example: "{ \"Wi-Fi\": { sessions: 1000, … } }") }
      object.finish()
      throw sink.found
    }
    var networks = object.objectOrEmpty("networks")
    let members = networks.allMembers()
    object.finish()
    if !(1...classLimit).contains(members.count), sink.isEmpty {
      networks.context.sink.report(
        at: networks.location, key: "networks", problem: "has \(members.count) classes", remedy: "give 1 to \(classLimit)")
    }
    let found = members.prefix(classLimit).compactMap { member -> NetworkTelemetry? in
      if member.key.isEmpty || member.key.utf8.count > 60 {
        sink.report(
          at: member.keyLocation, key: "networks", problem: "has a class without a short name", remedy: "name it, such as \"LTE\"")
      }
      return network(member.key, ObjectReader(member.value, path: "networks.\(member.key)", context: context))
    }
    if sink.isEmpty, found.contains(where: { $0.items == nil }) != found.allSatisfy({ $0.items == nil }) {
      sink.report(
        at: networks.location, key: "networks", problem: "have items in some classes and not in others",
        remedy: "give the items viewed in each class, or in none")
    }
    try sink.throwIfAny()
    return found
  }

  private static func network(_ name: String, _ given: ObjectReader) -> NetworkTelemetry? {
    var reader = given
    if reader.isBroken { return nil }
    let sink = reader.context.sink
    let before = sink.count
    let sessions = reader.integer("sessions", in: 1...Int(countLimit))
    let items = reader.has("items") ? reader.integer("items", in: 1...Int(countLimit)) : nil
    let loaders = reader.has("loadersPer1000") ? reader.number("loadersPer1000", in: 0...1000) : nil
    let serverTime = reader.duration("serverTime", default: 0, in: 0...60_000_000_000)
    let up = reader.has("up") ? reader.rate("up", in: 1000...1_000_000_000_000) : nil
    let firstByte = histogram("timeToFirstByte", .duration, 1...3_600_000_000_000, &reader)
    let throughput = histogram("throughput", .rate, 1000...1_000_000_000_000, &reader)
    let dwell = reader.has("dwell") ? histogram("dwell", .duration, 1_000_000...86_400_000_000_000, &reader) : nil
    reader.finish()
    guard sink.count == before, let firstByte, let throughput else { return nil }
    for (key, counts) in [("timeToFirstByte", firstByte), ("throughput", throughput)] + (dwell.map { [("dwell", $0)] } ?? []) {
      if isLikely(counts) { continue }
      reader.report(
        key, problem: "has counts that fit no lognormal distribution with a likely median",
        remedy: "give edges between which most of the values lie, or split the class")
    }
    let median = LognormalFit(firstByte, independent: sessions).median
    if sink.count == before, Double(serverTime) > median {
      reader.report(
        "serverTime", problem: "is more than the median time to the first byte, of which it is a part",
        remedy: "write at most \"\(Int64(median / 1000))us\", or leave it out")
    }
    guard sink.count == before else { return nil }
    return NetworkTelemetry(
      name: name, sessions: sessions, items: items, loadersPer1000: loaders, serverTime: serverTime, up: up, timeToFirstByte: firstByte,
      throughput: throughput, dwell: dwell)
  }

  /// True if the counts fit a lognormal distribution with a likely median. Values almost all beyond the edges, or between two of them, give
  /// none. The limits are far beyond what a small class with coarse bins gives by chance: 30 years, or 10¹⁸ bits a second.
  static func isLikely(_ counts: Histogram) -> Bool {
    let median = LognormalFit(counts, independent: counts.total).median
    return median > 1e-9 && median < 1e18
  }

  /// Reads { edges: […], counts: […] }; nil after a report.
  private static func histogram(
    _ key: String, _ dimension: Dimension, _ limits: ClosedRange<Int64>, _ parent: inout ObjectReader
  ) -> Histogram? {
    let example = "{ edges: [\(dimension.example), …], counts: [120, 80, …] }"
    guard parent.has(key) else {
      parent.reportMissing(key, example: example)
      return nil
    }
    var reader = parent.objectOrEmpty(key, example: example)
    if reader.isBroken { return nil }
    let sink = reader.context.sink
    let before = sink.count
    let edges = reader.scalars("edges", atMost: edgeLimit + 1) { element throws(ValueProblem) in
      try ScalarValue.quantity(element, dimension, in: limits)
    }
    let counts = reader.scalars("counts", atMost: edgeLimit + 2) { element throws(ValueProblem) in
      Int(try ScalarValue.integer(element, in: 0...countLimit))
    }
    reader.finish()
    guard sink.count == before else { return nil }
    if !(2...edgeLimit).contains(edges.count) || !zip(edges, edges.dropFirst()).allSatisfy(<) {
      reader.report(
        "edges", problem: "are not 2 to \(edgeLimit) values in increasing order", remedy: "write such as [\(dimension.example), …]")
    } else if counts.count != edges.count + 1 {
      reader.report(
        "counts", problem: "has \(counts.count) values for \(edges.count) edges",
        remedy: "write \(edges.count + 1): below the first edge, between neighbours, above the last")
    } else {
      let found = Histogram(edges: edges.map { Double($0) }, counts: counts)
      if found.hasSpread { return found }
      reader.report("counts", problem: "are above 0 in fewer than three bins", remedy: "give finer edges; two parameters need three bins")
    }
    return nil
  }
}
