// Repeats the measurements of the kernel's tables, and computes the relative error of each figure.

import Simulation

/// A figure of ours beside the kernel's.
package struct Comparison {
  /// The figure's table, by the name of the reference's file: `single`, `parallel`, `cancel`, `range` or `mahimahi`.
  package var table: String
  /// The link, its queue and the fetched objects.
  package var name: String
  /// The timed event, such as `single` (the last byte) or `ttfb` (the first); reports group errors by it.
  package var category: String
  /// The losses on the link: `random loss`, `queue overflow` or `no drop`.
  package var group: String
  /// The time in milliseconds: the median of the kernel's repetitions, and of our seeds.
  package var truthMs: Double
  package var oursMs: Double
  /// The shortest and the longest of the kernel's repetitions; nil if the figure is of several requests.
  package var repeatsMs: ClosedRange<Double>?
  /// The number of the kernel's repetitions; 0 if the figure is of several requests.
  package var repeats = 0
  /// The times of our seeds, in their order.
  package var seedsMs: [Double] = []
  /// The absolute error, in per cent of the kernel's time.
  package var errorPercent: Double { abs(oursMs - truthMs) / truthMs * 100 }
  /// The distance to the range of the repetitions, in per cent of the kernel's time; nil without a range.
  package var rangeErrorPercent: Double? {
    repeatsMs.map { max(0, $0.lowerBound - oursMs, oursMs - $0.upperBound) / truthMs * 100 }
  }
}

package struct KernelCases {
  private typealias Row = [String: String]

  private let reference: ReferenceTables
  private let congestion: NetworkConfiguration.Congestion
  private let seeds: Int

  /// Creates the cases of a reference with one congestion control of the servers. A case with random loss is run with `seeds` seeds;
  /// their median counts.
  package init(reference: ReferenceTables, congestion: NetworkConfiguration.Congestion = .cubic, seeds: Int = 201) {
    (self.reference, self.congestion, self.seeds) = (reference, congestion, seeds)
  }

  /// Runs every case of all five tables, in the files' order.
  /// - Throws: `StudyProblem` if a table is malformed, `InvalidInput` if a trace is.
  package func all() throws -> [Comparison] {
    let times = [("total_med", 0), ("ttfb_med", 1)]
    var result = try compared(.single) { _ in
      zip(["single", "ttfb"], times).map { ($0, $1.0, $1.1) }
    } run: { row, probe in
      let kind = row.text("conn")
      if kind.hasPrefix("warm") {
        _ = get(&probe, Self.warmUpSize(row))
        if let idle = Int64(kind.replacing("warm_after_", with: "").replacing("ms", with: "")) {
          _ = probe.advance(until: probe.now + .milliseconds(idle))
        }
      }
      return get(&probe, Int64(row.whole("size")))
    }
    result += try compared(.parallel) { row in
      let (scenario, count) = (row.text("scenario"), requestCount(row))
      let label = scenario.hasPrefix("h2") ? "h2mux" : scenario.hasPrefix("queue") ? "queued" : "par"
      return zip(["1", "mean", "\(count)"], [("first", 0), ("mean", count), ("last", count - 1)])
        .filter { rank, _ in rank == row.text("finish_rank") }.map { ("\(label)_\($1.0)", "finish_med", $1.1) }
    } run: { row, probe in
      if row.text("scenario").hasSuffix("warm") { _ = get(&probe, Self.warmUpSize(row)) }
      let start = probe.now
      let count = requestCount(row)
      for request in 0..<count { probe.start(request, bytes: Int64(row.whole("size_each"))) }
      var ends: [Double] = []
      while ends.count < count, let event = probe.advance(until: start + .seconds(600)) { ends.append((event.at - start).milliseconds) }
      while ends.count < count { ends.append(600_000) }
      return ends + [ends.reduce(0, +) / Double(count)]
    }
    result += try compared(.cancel) { row in
      [(row.text("mode") == "cancel_h2" ? "cancel_h2" : "cancel_h1", "after_total_med", 0)]
    } run: { row, probe in
      probe.start(0, bytes: Int64(row.whole("victim_size")))
      var isDone = false
      while probe.advance(until: .start + .milliseconds(Int64(row.whole("cancel_ms")))) != nil { isDone = true }
      if !isDone { probe.cancel(0) }
      return get(&probe, 102_400, request: 1)
    }
    result += try compared(.range) { _ in
      ["prefix_total_med", "rest_total_med", "both_end_med"].enumerated().map { ("range", $1, $0) }
    } run: { row, probe in
      let prefix = get(&probe, Int64(row.whole("prefix")))[0]
      let rest = get(&probe, Int64(row.whole("full_size") - row.whole("prefix")))[0]
      return [prefix, rest, prefix + rest]
    }
    return try result
      + compared(.mahimahi) { _ in
        zip(["mahimahi", "ttfb"], times).map { ($0, $1.0, $1.1) }
      } run: { row, probe in
        get(&probe, Int64(row.whole("size")))
      }
  }

  /// Runs a table's rows. `figures` has the categories of a row, their columns, and their indices in the result of `run`. Adjacent rows
  /// with equal names are run once.
  /// - Throws: `StudyProblem` if the table is malformed, `InvalidInput` if a trace is.
  private func compared(
    _ table: ReferenceTables.Table, _ figures: (Row) -> [(category: String, column: String, index: Int)],
    run: (Row, inout NetworkProbe) -> [Double]
  ) throws -> [Comparison] {
    var last: (name: String, seeds: [[Double]], group: String) = ("", [], "")
    return try reference.rows(table).filter { $0["cc"] ?? "cubic" == congestion.rawValue }.flatMap { row in
      let name = table.name(of: row)
      let compared = figures(row)
      if !compared.isEmpty, last.name != name { last = try measured(name, row, run) }
      return compared.map { figure in
        Comparison(
          table: "\(table)", name: name, category: congestion == .bbr ? "bbr_\(figure.category)" : figure.category, group: last.group,
          truthMs: row.number(figure.column), oursMs: median(last.seeds.map { $0[figure.index] }),
          repeatsMs: row.range(figure.column), repeats: row.repeats, seedsMs: last.seeds.map { $0[figure.index] })
      }
    }
  }

  /// Runs a case with one seed, or with several if packets are lost at random; returns the figures of each, and the group.
  /// - Throws: `InvalidInput` if a trace is malformed.
  private func measured(
    _ name: String, _ row: Row, _ run: (Row, inout NetworkProbe) -> [Double]
  ) throws -> (name: String, seeds: [[Double]], group: String) {
    var network = try network(row)
    let isLossy = network.lossDown > 0
    // Each row has its own random stream.
    let key = ["profile", "conn", "scenario", "mode", "size", "cancel_ms"].map { row.text($0) }.joined(separator: " ")
    var drops = 0
    let figures = (1...(isLossy ? seeds : 1)).map { seed in
      network.seed = RandomStream.seed(sweepSeed: StableHash.of(key), repetition: seed)
      var probe = NetworkProbe(network)
      defer { drops += probe.packetsDropped }
      return run(row, &probe)
    }
    let group = isLossy ? "random loss" : drops > 0 || row.number("qdrops_med") > 0 ? "queue overflow" : "no drop"
    return (name, figures, group)
  }

  /// - Throws: `InvalidInput` if a trace is malformed.
  private func network(_ row: Row) throws -> NetworkConfiguration {
    var network: NetworkConfiguration
    if let name = row["trace"] {
      let upName = ["const12M": "const6M", "const780k": "const330k"][name] ?? name
      let delay = Interval.milliseconds(name == "const780k" ? 100 : 20)
      network = NetworkConfiguration(
        down: try reference.trace("\(name).down"), up: try reference.trace("\(upName).up"), delayDown: delay, delayUp: delay,
        queuePackets: 0)
      network.offset = Interval(nanoseconds: Int64((row.number("offset_ms") + row.number("phase_med_ms")) * 1e6))
    } else {
      network = try reference.link(named: row.text("profile"))
      network.queuePackets = row.whole("queue_pkts")
    }
    network.transport = .packet
    network.congestion = congestion
    network.http.requestBytes = 142
    network.http.responseHeaderBytes = 246
    network.http.handshakeTime = Interval(nanoseconds: 5_000_000)
    let kind = row.text("conn") + row.text("scenario") + row.text("mode")
    if kind.contains("tls12") { network.http.security = .tls12 }
    if kind.contains("tls13") || kind.contains("h2") { network.http.security = .tls13 }
    if kind.contains("h2") {
      network.http.version = .http2
      // The frames of curl's headers, by HPACK, and of nginx's, which uses no dynamic table.
      (network.http.requestBytes, network.http.laterRequestBytes, network.http.responseHeaderBytes) = (46, 21, 127)
    }
    network.http.connectionsPerHost = kind.hasPrefix("queue") ? 2 : 6
    return network
  }

  /// Returns the bytes of the GET that warmed up the connections; it was smaller on links where 200 KiB take long.
  private static func warmUpSize(_ row: Row) -> Int64 {
    let isLossy = ["nlc_verybad", "3g_lossy1"].contains(row.text("profile"))
    return isLossy || (row.text("profile") == "nlc_edge" && row.whole("queue_pkts") == 50) ? 102_400 : 204_800
  }

  /// Returns the number of concurrent requests of a row of `parallel.csv`.
  private func requestCount(_ row: Row) -> Int {
    let scenario = row.text("scenario")
    return scenario.hasPrefix("par") ? max(1, Int(String(scenario.dropFirst(3).prefix(1))) ?? 6) : 6
  }

  /// Returns the milliseconds to the last byte of a request, and to its first.
  private func get(_ probe: inout NetworkProbe, _ size: Int64, request: Int = 0) -> [Double] {
    let start = probe.now
    probe.start(request, bytes: size)
    while let event = probe.advance(until: start + .seconds(600)) {
      guard event.request == request else { continue }
      let first = probe.milestones(request).firstByte ?? event.at
      return [(event.at - start).milliseconds, (first - start).milliseconds]
    }
    return [600_000, 600_000]
  }
}
