// Runs what the kernel's tables measured, and tells each figure's relative error.

import Foundation
import Simulation

/// One figure of ours beside one of the kernel's.
package struct Comparison {
  /// The table it is of, as the reference's file is named: `single`, `parallel`, `cancel`, `range` or `mahimahi`.
  package var table: String
  /// The link, its queue and what was fetched over it.
  package var name: String
  /// What is timed, such as `single` (to the last byte) or `ttfb` (to the first); errors are summed up by it.
  package var category: String
  /// What the link did to it: `random loss`, `queue overflow` or `no drop`.
  package var group: String
  /// The kernel's time in milliseconds, the median of its repetitions.
  package var truthMs: Double
  /// Our time in milliseconds, the median over our seeds.
  package var oursMs: Double
  /// How far ours is off, in percent of the kernel's time; never negative.
  package var errorPercent: Double { abs(oursMs - truthMs) / truthMs * 100 }
}

/// The cases of `kernel/*.csv`.
package struct KernelCases {
  let reference: ReferenceTables
  /// Runs of each case where chance plays; their median counts.
  let seeds: Int

  let transport: NetworkConfiguration.TransportKind

  /// The cases of a reference on one transport, `seeds` runs of each case where packets are lost by chance.
  package init(reference: ReferenceTables, transport: NetworkConfiguration.TransportKind = .packet, seeds: Int = 61) {
    self.reference = reference
    self.transport = transport
    self.seeds = seeds
  }

  /// Runs every case of CUBIC in all five tables, in the files' order.
  ///
  /// - Throws: where a table or a trace of the reference cannot be read.
  package func all() throws -> [Comparison] {
    try single() + parallel() + cancels() + ranges() + mahimahi()
  }

  private func network(_ row: [String: String], seed: Int) -> NetworkConfiguration {
    var network = NetworkConfiguration.named(row.text("profile"))
    network.queuePackets = row.whole("queue_pkts")
    // Rows do not share their luck.
    let name = ["profile", "conn", "scenario", "mode", "size", "cancel_ms"].map { row.text($0) }.joined(separator: " ")
    network.seed = RandomStream.seed(sweepSeed: StableHash.of(name), repetition: seed)
    network.http.requestBytes = 142
    network.http.responseHeaderBytes = 246
    network.transport = transport
    network.http.handshakeTime = Interval(nanoseconds: 5_000_000)
    return network
  }

  /// Runs a case with one seed, or with several where chance plays; the median of each figure, and whether a queue was full.
  private func run(_ row: [String: String], _ body: (NetworkConfiguration) -> (figures: [Double], drops: Int)) -> ([Double], String) {
    let isLossy = NetworkConfiguration.named(row.text("profile")).lossDown > 0
    var figures: [[Double]] = []
    var drops = 0
    for seed in 1...(isLossy ? seeds : 1) {
      let result = body(network(row, seed: seed))
      figures.append(result.figures)
      drops += result.drops
    }
    let middle = figures[0].indices.map { index in median(figures.map { $0[index] }) }
    let group = isLossy ? "random loss" : drops > 0 || row.number("qdrops_med") > 0 ? "queue overflow" : "no drop"
    return (middle, group)
  }

  /// The rows of CUBIC in a table, each with its figures: categories with their columns, in the order in which `body` returns ours.
  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func compared(
    _ table: ReferenceTables.Table, _ figures: ([String: String]) -> [(category: String, column: String)],
    name: ([String: String]) -> String, _ body: ([String: String], NetworkConfiguration) -> (figures: [Double], drops: Int)
  ) throws -> [Comparison] {
    try reference.rows(table).filter { $0.text("cc") == "cubic" }.flatMap { row in
      let (ours, group) = run(row) { body(row, $0) }
      return zip(figures(row), ours).map { figure, ours in
        Comparison(
          table: "\(table)", name: "\(row.text("profile")) q\(row.text("queue_pkts")) \(name(row))", category: figure.category,
          group: group,
          truthMs: row.number(figure.column), oursMs: ours)
      }
    }
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func single() throws -> [Comparison] {
    try compared(.single) { _ in
      [("single", "total_med"), ("ttfb", "ttfb_med")]
    } name: {
      "\($0.text("conn")) \($0.whole("size"))"
    } _: { row, network in
      let kind = row.text("conn")
      var network = network
      if kind.contains("tls12") { network.http.security = .tls12 }
      if kind.contains("tls13") || kind.contains("h2") { network.http.security = .tls13 }
      if kind.contains("h2") { network.http.version = .http2 }
      var probe = NetworkProbe(network)
      if kind.hasPrefix("warm") {
        _ = get(&probe, Self.warmUpSize(row))
        if let idle = Int64(kind.replacing("warm_after_", with: "").replacing("ms", with: "")) {
          _ = probe.advance(until: probe.now + .milliseconds(idle))
        }
      }
      let times = get(&probe, Int64(row.whole("size")))
      return ([times.total, times.first], probe.packetsDropped)
    }
  }

  /// The bytes of the GET that the measurement warmed its connections with. It was smaller where 200 KiB take long.
  static func warmUpSize(_ row: [String: String]) -> Int64 {
    let isLossy = NetworkConfiguration.named(row.text("profile")).lossDown > 0
    return isLossy || (row.text("profile") == "nlc_edge" && row.whole("queue_pkts") == 50) ? 102_400 : 204_800
  }

  private func get(_ probe: inout NetworkProbe, _ size: Int64, request: Int = 0) -> (first: Double, total: Double) {
    let start = probe.now
    probe.start(request, bytes: size)
    while let event = probe.advance(until: start + .seconds(600)) {
      guard event.request == request, event.isFinished else { continue }
      let first = probe.milestones(request).firstByte ?? event.at
      return ((first - start).milliseconds, (event.at - start).milliseconds)
    }
    return (600_000, 600_000)
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func parallel() throws -> [Comparison] {
    var cases: [String] = []
    var rows: [String: [[String: String]]] = [:]
    for row in try reference.rows(.parallel) where row.text("cc") == "cubic" {
      let key = "\(row.text("profile")) q\(row.text("queue_pkts")) \(row.text("scenario"))"
      if rows[key] == nil { cases.append(key) }
      rows[key, default: []].append(row)
    }
    var result: [Comparison] = []
    for key in cases {
      let group = rows[key]!
      let scenario = group[0].text("scenario")
      let count = scenario.hasPrefix("par") ? max(1, Int(String(scenario.dropFirst(3).prefix(1))) ?? 6) : 6
      let size = Int64(group[0].whole("size_each"))
      let (figures, kind) = run(group[0]) { network in
        let times = parallelTimes(network, scenario, count: count, size: size, warmUp: Self.warmUpSize(group[0]))
        return ([times.ends[0], times.ends.reduce(0, +) / Double(count), times.ends[count - 1]], times.drops)
      }
      let label = scenario.hasPrefix("h2") ? "h2mux" : scenario.hasPrefix("queue") ? "queued" : "par"
      for (index, rank) in ["1", "mean", String(count)].enumerated() {
        guard let row = group.first(where: { $0.text("finish_rank") == rank }) else { continue }
        result.append(
          Comparison(
            table: "parallel", name: key, category: "\(label)_\(["first", "mean", "last"][index])", group: kind,
            truthMs: row.number("finish_med"), oursMs: figures[index]))
      }
    }
    return result
  }

  private func parallelTimes(
    _ network: NetworkConfiguration, _ scenario: String, count: Int, size: Int64, warmUp: Int64
  ) -> (ends: [Double], drops: Int) {
    var network = network
    network.http.connectionsPerHost = scenario.hasPrefix("queue") ? 2 : 6
    if scenario.hasPrefix("h2") {
      network.http.version = .http2
      network.http.security = .tls13
    }
    var probe = NetworkProbe(network)
    if scenario.hasSuffix("warm") { _ = get(&probe, warmUp) }
    let start = probe.now
    for request in 0..<count { probe.start(request, bytes: size) }
    var ends: [Double] = []
    while ends.count < count, let event = probe.advance(until: start + .seconds(600)) {
      if event.isFinished { ends.append((event.at - start).milliseconds) }
    }
    while ends.count < count { ends.append(600_000) }
    return (ends, probe.packetsDropped)
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func cancels() throws -> [Comparison] {
    try compared(.cancel) { row in
      [(row.text("mode") == "cancel_h2" ? "cancel_h2" : "cancel_h1", "after_total_med")]
    } name: {
      "\($0.text("mode")) after \($0.whole("cancel_ms"))"
    } _: { row, network in
      var network = network
      if row.text("mode") == "cancel_h2" {
        network.http.version = .http2
        network.http.security = .tls13
      }
      var probe = NetworkProbe(network)
      probe.start(0, bytes: Int64(row.whole("victim_size")))
      var isDone = false
      while let event = probe.advance(until: .start + .milliseconds(Int64(row.whole("cancel_ms")))) { isDone = isDone || event.isFinished }
      if !isDone { probe.cancel(0) }
      return ([get(&probe, 102_400, request: 1).total], probe.packetsDropped)
    }
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func ranges() throws -> [Comparison] {
    let columns = ["prefix_total_med", "rest_total_med", "both_end_med"]
    return try compared(.range) { _ in
      columns.map { ("range", $0) }
    } name: { _ in
      "range"
    } _: { row, network in
      var probe = NetworkProbe(network)
      let prefix = get(&probe, Int64(row.whole("prefix")))
      let rest = get(&probe, Int64(row.whole("full_size") - row.whole("prefix")))
      return ([prefix.total, rest.total, prefix.total + rest.total], probe.packetsDropped)
    }
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func mahimahi() throws -> [Comparison] {
    var result: [Comparison] = []
    for row in try reference.rows(.mahimahi) {
      let name = row.text("trace")
      let upName = ["const12M": "const6M", "const780k": "const330k"][name] ?? name
      let delay = Interval.milliseconds(name == "const780k" ? 100 : 20)
      var network = NetworkConfiguration(
        down: try rate("\(name).down"), up: try rate("\(upName).up"), delayDown: delay, delayUp: delay, queuePackets: 0,
        transport: transport)
      network.offset = Interval(nanoseconds: Int64((row.number("offset_ms") + row.number("phase_med_ms")) * 1e6))
      network.http.requestBytes = 142
      network.http.responseHeaderBytes = 246
      var probe = NetworkProbe(network)
      let times = get(&probe, Int64(row.whole("size")))
      let label = "\(name) +\(row.text("offset_ms")) \(row.text("size"))"
      for (category, column, ours) in [("mahimahi", "total_med", times.total), ("ttfb", "ttfb_med", times.first)] {
        result.append(
          Comparison(table: "mahimahi", name: label, category: category, group: "no drop", truthMs: row.number(column), oursMs: ours))
      }
    }
    return result
  }

  /// - Throws: `ReferenceProblem` if a table is missing or malformed.
  private func rate(_ file: String) throws -> LinkRate {
    LinkRate(periods: [.init(duration: .milliseconds(1), bitsPerSecond: 1)], opportunitiesMs: try reference.opportunities(file))
  }
}
