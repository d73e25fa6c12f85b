// Repeats the measurements of HTTP/2, BBR and HTTP/3 servers, and computes the relative error of each figure.

import Simulation

package struct StackCases {
  private typealias Row = [String: String]
  /// A figure of a case: its category, the measured milliseconds, and ours from the ends and first bytes of all requests.
  private typealias Figure = (category: String, truth: Measured, ours: ([Timing]) -> Double)

  /// A measured time: the median of the repetitions and, if it is a column of a row, their range.
  private struct Measured {
    var value: Double
    var range: ClosedRange<Double>?
    var repeats = 0

    init(_ value: Double) { self.value = value }
    init(_ row: Row, _ column: String) { (value, range, repeats) = (row.number(column), row.range(column), row.repeats) }
  }

  /// The times of a request, in milliseconds from its start: the connection, the first byte and the last.
  private struct Timing {
    var connected = 600_000.0, first = 600_000.0, end = 600_000.0
  }

  /// The bed delivered each packet 0.16 ms late on average (the median of `linkLateMeanMs` in `stacks/sessions.csv`). That decides
  /// which of two connections loses packets in a full queue, so each delay is up to twice as much longer, at random.
  private static let bedJitter = Interval(nanoseconds: 320_000)

  private let reference: ReferenceTables
  private let seeds: Int

  /// Creates the cases of a reference. Each case is run with `seeds` seeds; their median counts.
  package init(reference: ReferenceTables, seeds: Int = 201) { (self.reference, self.seeds) = (reference, seeds) }

  /// Runs every case of the tables, in the files' order.
  /// - Throws: `StudyProblem` if a table is malformed.
  package func all() throws -> [Comparison] { try h2() + h2(.nghttpd) + bbr() + bbr(.cubic) + h3() }

  /// Runs `h2.csv` or `nghttpd.csv`: requests that share one connection, and cancelled ones followed by a GET.
  /// - Throws: `StudyProblem` if the table is malformed.
  package func h2(_ table: ReferenceTables.Table = .h2) throws -> [Comparison] {
    try compared(table) { rows in
      let label = rows[0].text("cc") == "bbr" ? "bbr_" : ""
      let scenario = rows[0].text("scenario")
      let done = rows.indices.filter { rows[$0].text("fate") == "done" }
      let firstBytes = done.map { index -> Figure in ("\(label)ttfb", Measured(rows[index], "ttfb_ms_med"), { $0[index].first }) }
      if scenario.hasPrefix("cancel") {
        let ends = done.map { index -> Figure in
          (
            index == rows.count - 1 ? "\(label)cancel_after" : "\(label)cancel_others", Measured(rows[index], "end_ms_med"),
            { $0[index].end }
          )
        }
        return ends + firstBytes
      }
      return Self.summary(rows, label)
        + rows.indices.map { index in ("\(label)each", Measured(rows[index], "end_ms_med"), { $0[index].end }) } + firstBytes
    } configure: { row, http in
      http.version = .http2
      http.server = HTTPConfiguration.Server(rawValue: row["server"] ?? "") ?? .nginx
      http.joinsPreface = true
      http.security = .tls13
      // A HEADERS frame after header compression; a response's header block.
      http.requestBytes = 60
      http.responseHeaderBytes = 130
      guard row["server"] != nil else { return }
      // The frames of Scripts/measure, by HPACK: nghttpd indexes its fields, nginx does not.
      (http.requestBytes, http.laterRequestBytes) = (27, 13)
      (http.responseHeaderBytes, http.laterResponseHeaderBytes) = http.server == .nghttpd ? (96, 20) : (127, nil)
    } run: { rows, probe in
      let scenario = rows[0].text("scenario")
      if !scenario.hasSuffix("cold") {
        _ = Self.get(&probe, warmUpBytes, request: 63)
        if scenario.hasPrefix("idle3s") { _ = probe.advance(until: probe.now + .seconds(3)) }
      }
      return Self.finish(rows, &probe)
    }
  }

  /// Runs `bbr.csv` or `cubic.csv`: HTTP/1.1 from BBR and CUBIC servers.
  /// - Throws: `StudyProblem` if the table is malformed.
  package func bbr(_ table: ReferenceTables.Table = .bbr) throws -> [Comparison] {
    try compared(table) { rows in
      let kind = rows[0].text("case")
      let label = rows[0].text("cc") == "bbr" ? "bbr_" : ""
      if kind.hasPrefix("parallel") {
        return rows.compactMap { row in
          let rank = row.text("request_or_rank")
          let truth = Measured(row, "total_ms_med")
          if rank == "mean" { return ("\(label)par_mean", truth, { mean($0.map(\.end)) }) }
          let index = Int(rank.dropFirst(4))! - 1
          let category = index == 0 ? "first" : index + 1 == Self.parallelCount(row) ? "last" : "rank"
          return ("\(label)par_\(category)", truth, { $0.map(\.end).sorted()[index] })
        }
      }
      let category = kind.hasPrefix("cancel") ? "cancel" : kind.hasPrefix("after_idle") ? "idle" : kind
      return [
        ("\(label)\(category)", Measured(rows[0], "total_ms_med"), { $0.last!.end }),
        ("\(label)ttfb", Measured(rows[0], "ttfb_ms_med"), { $0.last!.first }),
      ]
    } configure: { _, http in
      http.requestBytes = 142
      http.responseHeaderBytes = 256
    } run: { rows, probe in
      let row = rows[0]
      let (kind, size) = (row.text("case"), Int64(row.whole("size_bytes")))
      if kind.hasPrefix("parallel") {
        let start = probe.now
        let count = Self.parallelCount(row)
        for request in 0..<count { probe.start(request, bytes: size) }
        return Self.timings(&probe, starts: Array(repeating: start, count: count))
      }
      if kind.hasPrefix("cancel") {
        // cancel_1200ms_of_1048576: the time of the cancel, and the size of the cancelled response.
        let numbers = kind.split { !$0.isNumber }.compactMap { Int64($0) }
        probe.start(0, bytes: numbers[1])
        if probe.advance(until: .start + .milliseconds(numbers[0])) == nil { probe.cancel(0) }
        _ = probe.advance(until: .start + .milliseconds(numbers[0]))
      } else if kind != "cold" {
        _ = Self.get(&probe, warmUpBytes, request: 63)
        if kind.hasPrefix("after_idle") { _ = probe.advance(until: probe.now + .seconds(3)) }
      }
      return [Self.get(&probe, size, request: 1)]
    }
  }

  /// Runs `h3.csv`: requests over QUIC, with a full handshake or with early data.
  /// - Throws: `StudyProblem` if the table is malformed.
  package func h3() throws -> [Comparison] {
    try compared(.h3) { rows in
      let label = rows[0].text("cc") == "bbr" ? "bbr_" : ""
      let scenario = rows[0].text("scenario")
      let done = rows.indices.filter { rows[$0].text("fate") != "cancelled" }
      var figures: [Figure] = done.map { index in
        ("\(label)\(scenario == "0rtt" ? "0rtt_" : "")ttfb", Measured(rows[index], "ttfb_ms_med"), { $0[index].first })
      }
      if !["0rtt", "warm", "idle"].contains(scenario) {
        figures.append(("\(label)handshake", Measured(rows[0], "handshake_ms_med"), { $0[0].connected }))
      }
      if done.count == 1 {
        let category = scenario.hasPrefix("cancel") ? "cancel_after" : scenario == "cold" ? "single" : scenario
        return figures + [("\(label)\(category)", Measured(rows[done[0]], "end_ms_med"), { $0[done[0]].end })]
      }
      return figures + Self.summary(rows, "\(label)par_")
    } configure: { row, http in
      http.version = .http3
      http.repeatsCancelledStreams = true
      http.security = .tls13
      let scenario = row.text("scenario")
      http.earlyData = scenario == "0rtt"
      // Scripts/measure reuses and cancels with aioquic.
      if ["warm", "idle"].contains(scenario) || scenario.hasPrefix("cancel") { http.quicClient = .aioquic }
      // GnuTLS refuses early data with a ticket from before its replay window (10 s): every response then follows the handshake by a round trip.
      http.refusesEarlyData = row.number("ttfb_ms_min") > row.number("handshake_ms_med")
      // QPACK's header block with its frame header; a response has the frame header of its DATA as well.
      http.requestBytes = 20
      http.responseHeaderBytes = 18
      // The computation of a server's flight, and a shorter one without a signature.
      http.handshakeTime = .milliseconds(http.earlyData ? 2 : 5)
    } run: { rows, probe in
      let scenario = rows[0].text("scenario")
      if ["warm", "idle"].contains(scenario) {
        _ = Self.get(&probe, warmUpBytes, request: 63)
        if scenario == "idle" { _ = probe.advance(until: probe.now + .seconds(3)) }
      }
      return Self.finish(rows, &probe)
    }
  }

  // MARK: - Cases

  /// The bytes of the GET that warmed up a connection.
  private let warmUpBytes: Int64 = 204_800

  /// Runs each case of a table: adjacent rows of equal name. Cases with a request that timed out are left out.
  /// - Throws: `StudyProblem` if the table is malformed.
  private func compared(
    _ table: ReferenceTables.Table, _ figures: ([Row]) -> [Figure], configure: (Row, inout HTTPConfiguration) -> Void,
    run: ([Row], inout NetworkProbe) -> [Timing]
  ) throws -> [Comparison] {
    let rows = try reference.rows(table)
    var result: [Comparison] = []
    var start = 0
    while start < rows.count {
      let name = table.name(of: rows[start])
      let end = rows[start...].firstIndex { table.name(of: $0) != name } ?? rows.count
      let group = Array(rows[start..<end])
      start = end
      if group.contains(where: { ($0["n_timeout"] ?? $0["n_incomplete"]).flatMap(Double.init) ?? 0 > 0 }) { continue }
      let row = group[0]
      var network = try reference.link(named: row.text("link"))
      network.queuePackets = row.whole("queue_pkts")
      if let loss = Double(row.text("loss_each_way")) { (network.lossDown, network.lossUp) = (loss, loss) }
      network.transport = .packet
      network.jitter = Self.bedJitter
      network.congestion = NetworkConfiguration.Congestion(rawValue: row.text("cc")) ?? .cubic
      network.http.handshakeTime = .milliseconds(5)
      configure(row, &network.http)
      var drops = 0
      let runs = (1...seeds).map { seed in
        network.seed = RandomStream.seed(sweepSeed: StableHash.of(name), repetition: seed)
        var probe = NetworkProbe(network)
        defer { drops += probe.packetsDropped }
        return run(group, &probe)
      }
      let drop = network.lossDown > 0 ? "random loss" : drops > 0 || row.number("qdrops_med") > 0 ? "queue overflow" : "no drop"
      for figure in figures(group) where figure.truth.value.isFinite {
        let ours = runs.map(figure.ours)
        result.append(
          Comparison(
            table: "\(table)", name: name, category: figure.category, group: drop, truthMs: figure.truth.value,
            oursMs: median(ours), repeatsMs: figure.truth.range, repeats: figure.truth.repeats, seedsMs: ours))
      }
    }
    return result
  }

  /// The first, mean and last end of requests that ran together.
  private static func summary(_ rows: [Row], _ label: String) -> [Figure] {
    let ends = rows.map { Measured($0, "end_ms_med") }.sorted { $0.value < $1.value }
    return [
      ("\(label)first", ends[0], { $0.map(\.end).min()! }),
      ("\(label)mean", Measured(mean(ends.map(\.value))), { mean($0.map(\.end)) }),
      ("\(label)last", ends[ends.count - 1], { $0.map(\.end).max()! }),
    ]
  }

  private static func parallelCount(_ row: Row) -> Int { Int(row.text("case").dropFirst("parallel".count))! }

  /// Starts and cancels the requests of a case at their times, and runs them to their ends.
  private static func finish(_ rows: [Row], _ probe: inout NetworkProbe) -> [Timing] {
    let start = probe.now
    let starts = rows.map { start + .milliseconds(Int64(Double($0.text("start_ms")) ?? 0)) }
    let cancelAt = rows[0].text("scenario").hasPrefix("cancel") ? starts.last! : nil
    var ends: [Int: Instant] = [:]
    for request in rows.indices where starts[request] < (cancelAt ?? .never) { probe.start(request, bytes: size(rows[request])) }
    if let cancelAt {
      while let event = probe.advance(until: cancelAt) { ends[event.request] = event.at }
      for request in rows.indices where rows[request].text("fate") == "cancelled" && ends[request] == nil { probe.cancel(request) }
      probe.start(rows.count - 1, bytes: size(rows.last!))
    }
    let pending = rows.indices.filter { rows[$0].text("fate") != "cancelled" }
    while !pending.allSatisfy({ ends[$0] != nil }), let event = probe.advance(until: start + .seconds(600)) {
      ends[event.request] = event.at
    }
    return rows.indices.map { timing($0, from: starts[$0], end: ends[$0], probe) }
  }

  private static func size(_ row: Row) -> Int64 { Int64(row.whole("size_bytes")) }

  private static func timing(_ request: Int, from start: Instant, end: Instant?, _ probe: NetworkProbe) -> Timing {
    var timing = Timing()
    let milestones = probe.milestones(request)
    if let end { timing.end = (end - start).milliseconds }
    if let first = milestones.firstByte { timing.first = (first - start).milliseconds }
    if let connected = milestones.connected { timing.connected = (connected - start).milliseconds }
    return timing
  }

  /// Runs requests that have been started to their ends.
  private static func timings(_ probe: inout NetworkProbe, starts: [Instant]) -> [Timing] {
    var ends: [Int: Instant] = [:]
    while ends.count < starts.count, let event = probe.advance(until: starts[0] + .seconds(600)) { ends[event.request] = event.at }
    return starts.indices.map { timing($0, from: starts[$0], end: ends[$0], probe) }
  }

  private static func get(_ probe: inout NetworkProbe, _ size: Int64, request: Int) -> Timing {
    let start = probe.now
    probe.start(request, bytes: size)
    while let event = probe.advance(until: start + .seconds(600)) {
      if event.request == request { return timing(request, from: start, end: event.at, probe) }
    }
    return Timing()
  }
}

/// Returns the arithmetic mean; NaN for no values.
private func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
