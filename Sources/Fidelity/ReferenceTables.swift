// Reads the reference measurements, and names the links they were made on.

import Foundation
import Simulation

/// The folder of reference material and its tables.
package struct ReferenceTables {
  let folder: URL

  /// The folder that `PREFETCH_SWEEP_REFERENCE` names.
  package init() {
    let named = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"] ?? "../shared/reference"
    folder = URL(fileURLWithPath: named)
  }

  /// The rows of a comma separated file without quotes, by its path in the folder: each row's texts by the heads of their columns.
  ///
  /// - Throws: where the file cannot be read.
  package func rows(_ path: String) throws -> [[String: String]] {
    let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline)
    guard let head = lines.first else { return [] }
    let names = head.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return lines.dropFirst().map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first })
    }
  }

  /// A log of periods as a network whose uplink has the log's rates too.
  package func log(_ path: String) throws -> NetworkConfiguration {
    struct Period: Decodable {
      var duration_ms: Double
      var bandwidth_kbps: Double
      var latency_ms: Double
    }
    let rows = try JSONDecoder().decode([Period].self, from: Data(contentsOf: folder.appendingPathComponent(path)))
    let rate = LinkRate(
      periods: rows.map {
        .init(duration: Interval(nanoseconds: Int64($0.duration_ms * 1e6)), bitsPerSecond: Int64($0.bandwidth_kbps * 1000))
      })
    let delay = Interval(nanoseconds: Int64(rows[0].latency_ms * 0.5e6))
    return NetworkConfiguration(down: rate, up: rate, delayDown: delay, delayUp: delay, transport: .packet)
  }

  /// When a Mahimahi trace of `kernel/traces` can deliver a packet: milliseconds from its start, one entry a packet.
  func opportunities(_ name: String) throws -> [Int64] {
    let text = try String(contentsOf: folder.appendingPathComponent("kernel/traces/\(name)"), encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).compactMap { Int64($0) }
  }
}

extension NetworkConfiguration {
  /// The links of the kernel's tables and of the sessions: kbps down and up, milliseconds down and up, loss each way.
  package static func named(_ profile: String) -> NetworkConfiguration {
    let (down, up, delayDown, delayUp, loss): (Int64, Int64, Int64, Int64, Double) =
      switch profile {
      case "nlc_3g": (780, 330, 100, 100, 0)
      case "nlc_dsl": (2000, 256, 5, 5, 0)
      case "dsl2m": (2000, 256, 40, 40, 0)
      case "nlc_edge": (240, 200, 400, 440, 0)
      case "nlc_lte": (50000, 10000, 50, 65, 0)
      case "nlc_verybad": (1000, 1000, 500, 500, 0.1)
      case "3g_lossy1": (780, 330, 100, 100, 0.01)
      default: preconditionFailure("no link is named \(profile)")
      }
    var network = NetworkConfiguration(
      down: LinkRate(constant: down * 1000), up: LinkRate(constant: up * 1000), delayDown: .milliseconds(delayDown),
      delayUp: .milliseconds(delayUp), transport: .packet)
    network.lossDown = loss
    network.lossUp = loss
    return network
  }
}

extension Dictionary where Key == String, Value == String {
  /// A column's number; not a number where the row has none.
  package func number(_ name: String) -> Double { Double(self[name] ?? "") ?? .nan }
  /// A column's number cut to a whole one, which the row must have.
  package func whole(_ name: String) -> Int { Int(number(name)) }
  /// A column's text; empty where the row has none.
  package func text(_ name: String) -> String { self[name] ?? "" }
}

/// The middle of some figures; the mean of the two middle ones where there are two.
package func median(_ values: [Double]) -> Double {
  guard !values.isEmpty else { return .nan }
  let sorted = values.sorted()
  let half = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/// The nearest-rank quantile.
package func quantile(_ values: [Double], _ share: Double) -> Double {
  guard !values.isEmpty else { return .nan }
  let sorted = values.sorted()
  return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
}
