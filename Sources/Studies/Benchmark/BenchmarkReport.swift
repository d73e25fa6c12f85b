// The results for people and for tools.

import Foundation
import Rendering

/// All that one call of the benchmark found out.
struct BenchmarkReport: Codable {
  var machine: Machine
  var rounds: Int
  var results: [CaseResult]
  var scaling: [Scaling] = []
  var runner: [RunnerCost] = []
  /// Nil where there is no tool beside the benchmark.
  var start: StartCost?

  /// What is measured beside single sessions, a line each.
  var lines: [String] {
    let cores = scaling.filter { $0.cores == 2 }.map { two in
      let one = scaling.first { $0.cores == 1 && $0.transport == two.transport }
      return "\(two.transport), sessions/s with metrics: \(whole(one?.sessionsPerSecond ?? 0)) on one core, "
        + "\(whole(two.sessionsPerSecond)) on two (\(hundredths(two.speedup)) ×); processor time a session, µs: "
        + "\(tenths(one?.processorUs ?? 0)) and \(tenths(two.processorUs))"
    }
    let costs = runner.map {
      "\($0.transport), µs a run of 1000 items: session \(tenths($0.sessionUs)), runner beside it \(tenths($0.runnerUs)) "
        + "(\(tenths($0.share * 100)) %)"
    }
    let starts = start.map {
      ["ms from a start to the version: \(tenths($0.versionMs)); to the tables of a sweep of one run: \(tenths($0.firstRunMs))"]
    }
    return cores + costs + (starts ?? [])
  }

  private func hundredths(_ value: Double) -> String { String((value * 100).rounded() / 100) }

  /// A Markdown table, a section after the other.
  var table: String {
    var table = Table(
      texts: ["section", "case"],
      numbers: ["loop µs", "median", "row µs", "median", "sessions/s", "requests/s", "ns/event", "ns/packet", "× base"])
    for result in results {
      table.append(texts: [
        result.section, result.name, tenths(result.loopUsMin), tenths(result.loopUsMedian), tenths(result.rowUsMin),
        tenths(result.rowUsMedian), whole(result.sessionsPerSecond), whole(result.requestsPerSecond), tenths(result.nanosecondsPerEvent),
        result.nanosecondsPerPacket.map(tenths) ?? "", hundredths(result.ratioToBase),
      ])
    }
    return "\(machine.model), \(machine.cores) cores, one used; minimum and median of \(rounds) rounds; an event is an activation, "
      + "a request or its end; a packet is one to the client, with its acknowledgement.\n\n" + table.lines
  }

  /// Writes all as JSON.
  /// - Throws: what encoding and the disk throw.
  func write(to file: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(self).write(to: URL(fileURLWithPath: file), options: .atomic)
  }

  private func tenths(_ value: Double) -> String { String((value * 10).rounded() / 10) }
  private func whole(_ value: Double) -> String { String(Int(value)) }
}

/// The machine that the benchmark runs on.
struct Machine: Codable {
  /// The processor's model name, as the system tells it.
  var model: String
  /// Logical processors that are up.
  var cores: Int

  /// This machine.
  static var current: Machine { Machine(model: modelName ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount) }

  #if canImport(Darwin)
    private static var modelName: String? {
      var size = 0
      guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return nil }
      var text = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &text, &size, nil, 0) == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  #else
    /// From /proc/cpuinfo: x86 says "model name", most ARM boards "Model" or nothing.
    private static var modelName: String? {
      guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, parts[0].lowercased() == "model name" || parts[0] == "Model" { return parts[1] }
      }
      return nil
    }
  #endif
}
