// Holds the transports against the kernel and the real client, and prints the tables.

import Fidelity
import Foundation
import Simulation

let arguments = CommandLine.arguments.dropFirst()
let reference = ReferenceTables()
let verbose = arguments.contains("--rows")
let transport: NetworkConfiguration.TransportKind = arguments.contains("--tcp") ? .tcp : .packet

func printKernel() throws {
  let comparisons = try KernelCases(reference: reference, transport: transport).all()
  if verbose {
    for row in comparisons {
      print("\(row.table),\(row.name),\(row.category),\(row.group),\(row.truthMs),\(row.oursMs),\(row.errorPercent)")
    }
  }
  for group in ["no drop", "queue overflow", "random loss"] {
    let rows = comparisons.filter { $0.group == group }
    report(group, "all", rows)
    var categories: [String] = []
    for row in rows where !categories.contains(row.category) { categories.append(row.category) }
    for category in categories.sorted() { report(group, category, rows.filter { $0.category == category }) }
  }
}

func report(_ group: String, _ category: String, _ rows: [Comparison]) {
  let errors = rows.map(\.errorPercent)
  let figures = [median(errors), quantile(errors, 0.9), errors.max() ?? .nan].map { String(format: "%.2f", $0) }
  print("| \(group) | \(category) | \(rows.count) | \(figures[0]) | \(figures[1]) | \(figures[2]) |")
}

func printSessions() throws {
  let table = try CellTable(reference: reference, transport: transport)
  if verbose {
    for cell in table.cells { print(cell.name, "truth", cell.truth, "ours", cell.ours, "error", cell.errorPercent) }
  }
  let figures = [table.meanError, table.hardError].map { String(format: "%.2f", $0) }
  print("cells: \(figures[0]) % over \(table.cells.count), \(figures[1]) % over those with 5-95 %")
  print("clear pairs: \(table.pairsKept) of \(table.pairs) in the same order")
}

func printLog(_ line: Int) throws {
  var session = SessionCase(try reference.rows("sessions/cells.csv")[line - 2], transport: transport, seed: 1)
  for entry in session.run().log {
    print("\(entry.item),\(entry.part),\(entry.requested),\(entry.first),\(entry.end),\(entry.received)")
  }
}

/// The cost of a session of 1000 items, five ahead over four connections on a 3G log, the session's own part included.
func printSpeed() throws {
  let log = try reference.log("crosscheck/sabre_3g_a.json")
  let row = [
    "items": "1000", "dwellMs": "1000", "policy": "uniform", "maxCost": "5", "connections": "4", "cancel": "keep",
    "link": "nlc_3g", "queue": "50", "loss": "0",
  ]
  var best = Double.infinity
  var result: SessionResult?
  for _ in 0..<(arguments.contains("--once") ? 1 : 50) {
    var session = SessionCase(row, transport: transport, network: log, seed: 1)
    let time = ContinuousClock().measure { result = session.run() }
    best = min(best, Double(time.components.attoseconds) / 1e9 + Double(time.components.seconds) * 1e9)
  }
  guard let result else { return }
  let perPacket =
    result.packets > 0 ? String(format: ", %.1f ns for each of %d packets", best / Double(result.packets), result.packets) : ""
  print("\(transport): \(String(format: "%.1f", best / 1000)) us\(perPacket), \(result.requests) requests, \(result.loaders) loaders")
}

/// A hand-made session for comparisons with packet captures: `script down up delayDown delayUp queue C G<bytes> X<bytes>,<ms> S<ms>`.
func runScript() {
  let words = Array(arguments.dropFirst())
  var network = NetworkConfiguration(
    down: LinkRate(constant: Int64(words[0])! * 1000), up: LinkRate(constant: Int64(words[1])! * 1000),
    delayDown: .milliseconds(Int64(words[2])!), delayUp: .milliseconds(Int64(words[3])!), queuePackets: Int(words[4])!)
  network.transport = transport
  if words.contains("h2") {
    network.http.version = .http2
    network.http.security = .tls13
  }
  var probe = NetworkProbe(network)
  var request = 0
  for word in words.dropFirst(5) {
    let parts = word.dropFirst().split(separator: ",").compactMap { Int64($0) }
    let limit = parts.count > 1 ? Instant.start + .milliseconds(parts[1]) : .never
    switch word.first {
    case "S": while probe.advance(until: .start + .milliseconds(parts[0])) != nil {}
    case "G", "X":
      let start = probe.now
      request = 1 - request
      probe.start(request, bytes: parts[0])
      let event = probe.advance(until: limit)
      let first = event.flatMap { _ in probe.milestones(request).firstByte } ?? probe.now
      if event == nil { probe.cancel(request) }
      let times = [start, first, probe.now].map { String(format: "%.2f", ($0 - .start).milliseconds) }
      print("get", parts[0], "req", times[0], "first", times[1], "end", times[2], "dur", (probe.now - first).milliseconds)
    default: continue
    }
  }
}

switch arguments.first {
case "kernel": try printKernel()
case "sessions": try printSessions()
case "log": try printLog(Int(arguments.dropFirst().first ?? "2")!)
case "script": runScript()
case "speed": try printSpeed()
default: print("usage: network-fidelity kernel|sessions|speed [--rows]")
}
