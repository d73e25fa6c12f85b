// Holds the transports against the kernel and the real client, and prints the tables.

import Foundation
import Simulation

let arguments = CommandLine.arguments.dropFirst()
let reference = ReferenceTables()
let verbose = arguments.contains("--rows")

func printKernel() throws {
  let comparisons = try KernelCases(reference: reference).all()
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
  let rows = try reference.rows("sessions/cells.csv")
  var errors: [Double] = []
  var hard: [Double] = []
  var packetErrors: [Double] = []
  var oursByRow: [Double] = []
  for row in rows {
    var loaders: [Double] = []
    let seeds = row.number("loss") > 0 ? 5 : 1
    var last = SessionResult()
    for seed in 1...seeds {
      var session = SessionCase(row, seed: seed)
      last = session.run()
      loaders.append(Double(last.loaders))
    }
    let ours = median(loaders)
    oursByRow.append(ours)
    let truth = row.number("loadersMedian")
    let items = row.number("items")
    let error = abs(ours - truth) / items * 100
    errors.append(error)
    packetErrors.append(abs(row.number("packet") - truth) / items * 100)
    if truth >= 0.05 * items, truth <= 0.95 * items { hard.append(error) }
    if verbose {
      let name = ["link", "dwellMs", "queue", "loss", "variant", "policy", "maxCost", "connections", "cancel"].map { row.text($0) }
      print(
        name.joined(separator: " "), "truth", truth, "model", row.text("packet"), "ours", ours, "| cancels", last.cancels,
        row.text("cancels"), "new", last.newConnections, row.text("newConnections"), "drops", last.dropped, row.text("qdropsMedian"),
        "MB", last.bytesReceived / 1000, Int(row.number("bytesReceived") / 1000), "dead/c",
        last.deadBytes / Int64(max(1, last.cancels)), row.text("deadPayloadPerCancel"))
    }
  }
  let mean = errors.reduce(0, +) / Double(errors.count)
  let hardMean = hard.reduce(0, +) / Double(hard.count)
  print(
    String(
      format: "cells: %.2f %% over %d, %.2f %% over %d with 5-95 %%; the reference's model %.2f %%", mean, errors.count,
      hardMean, hard.count, packetErrors.reduce(0, +) / Double(errors.count)))
  printPairs(rows, oursByRow)
}

func printPairs(_ rows: [[String: String]], _ ours: [Double]) {
  let keys = rows.map { row in ["link", "dwellMs", "variant", "queue", "loss"].map { row.text($0) }.joined(separator: " ") }
  var clear = 0
  var same = 0
  for first in rows.indices {
    for second in rows.indices where second > first && keys[first] == keys[second] {
      let difference = rows[first].number("loadersMedian") - rows[second].number("loadersMedian")
      guard abs(difference) > 0.05 * rows[first].number("items") else { continue }
      let isApart =
        rows[first].number("loadersMax") < rows[second].number("loadersMin")
        || rows[second].number("loadersMax") < rows[first].number("loadersMin")
      guard isApart else { continue }
      clear += 1
      if (ours[first] - ours[second]) * difference > 0 { same += 1 } else if verbose { print("pair", first + 2, second + 2) }
    }
  }
  print("clear pairs: \(same) of \(clear) in the same order")
}

func printLog(_ line: Int) throws {
  var session = SessionCase(try reference.rows("sessions/cells.csv")[line - 2], seed: 1)
  for entry in session.run().log {
    print("\(entry.item),\(entry.part),\(entry.requested),\(entry.first),\(entry.end),\(entry.received)")
  }
}

func printSpeed() throws {
  for line in [18, 25, 21, 37, 39] {
    let row = try reference.rows("sessions/cells.csv")[line - 2]
    var best = Double.infinity
    var packets = 0
    for _ in 0..<5 {
      var session = SessionCase(row, seed: 1)
      let clock = ContinuousClock()
      let time = clock.measure { packets = session.run().packets }
      best = min(best, Double(time.components.attoseconds) / 1e9 + Double(time.components.seconds) * 1e9)
    }
    print(line, packets, "packets", String(format: "%.1f ns each", best / Double(packets)))
  }
}

/// A hand-made session for comparisons with packet captures: `script down up delayDown delayUp queue C G<bytes> X<bytes>,<ms> S<ms>`.
func runScript() {
  let words = Array(arguments.dropFirst())
  var network = NetworkConfiguration(
    down: LinkRate(constant: Int64(words[0])! * 1000), up: LinkRate(constant: Int64(words[1])! * 1000),
    delayDown: .milliseconds(Int64(words[2])!), delayUp: .milliseconds(Int64(words[3])!), queuePackets: Int(words[4])!)
  network.transport = .packet
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
