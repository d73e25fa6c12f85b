// Reads the reference measurements, and names the links they were made on.

import Foundation
import Simulation

/// What is wrong with a folder of reference material: `file: problem; remedy`.
package struct ReferenceProblem: Error, CustomStringConvertible {
  package let description: String

  init(_ path: String, _ problem: String, remedy: String = "name the folder of reference measurements by PREFETCH_SWEEP_REFERENCE") {
    description = "\(path): \(problem); \(remedy)"
  }
}

/// The folder of reference material and its tables.
package struct ReferenceTables {
  /// A table, by its path in the folder.
  package enum Table: String, CaseIterable {
    case sessions = "sessions/cells.csv"
    case single = "kernel/single.csv"
    case parallel = "kernel/parallel.csv"
    case cancel = "kernel/cancel.csv"
    case range = "kernel/range.csv"
    case mahimahi = "kernel/mahimahi.csv"

    /// The columns that hold a number in each row.
    fileprivate var numbers: [String] {
      switch self {
      case .sessions: ["dwellMs", "items", "maxCost", "connections", "queue", "loss", "loadersMedian", "loadersMin", "loadersMax"]
      case .single: ["queue_pkts", "size", "total_med", "ttfb_med"]
      case .parallel: ["queue_pkts", "size_each", "finish_med"]
      case .cancel: ["queue_pkts", "victim_size", "cancel_ms", "after_total_med"]
      case .range: ["queue_pkts", "full_size", "prefix", "prefix_total_med", "rest_total_med", "both_end_med"]
      case .mahimahi: ["offset_ms", "size", "phase_med_ms", "ttfb_med", "total_med"]
      }
    }

    /// The column that names the link; nil where a trace is the link.
    fileprivate var link: String? {
      switch self {
      case .sessions: "link"
      case .mahimahi: nil
      default: "profile"
      }
    }
  }

  let folder: URL

  /// The folder at a path, by default that which `PREFETCH_SWEEP_REFERENCE` names.
  package init(folder: String? = nil) {
    let named = folder ?? ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"] ?? "../shared/reference"
    self.folder = URL(fileURLWithPath: named)
  }

  /// True if the folder has the table, and the traces that it is about.
  package func has(_ table: Table) -> Bool {
    let paths = table == .mahimahi ? [table.rawValue, "kernel/traces"] : [table.rawValue]
    return paths.allSatisfy { FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path) }
  }

  /// The tables that the folder lacks.
  ///
  /// - Throws: `ReferenceProblem` if it has none at all.
  package func missing() throws -> [Table] {
    let missing = Table.allCases.filter { !has($0) }
    if missing.count == Table.allCases.count {
      throw ReferenceProblem(folder.path, "has none of the tables \(missing.map(\.rawValue).joined(separator: ", "))")
    }
    return missing
  }

  /// The rows of a table without quotes: each row's texts by the heads of their columns. None where the folder lacks the table.
  ///
  /// - Throws: `ReferenceProblem` where the file is no such table.
  package func rows(_ table: Table) throws -> [[String: String]] {
    guard has(table) else { return [] }
    let path = folder.appendingPathComponent(table.rawValue)
    guard let text = try? String(contentsOf: path, encoding: .utf8) else { throw ReferenceProblem(path.path, "cannot be read") }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let names = (lines.first ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for column in table.numbers + [table.link].compactMap({ $0 }) where !names.contains(column) {
      throw ReferenceProblem("\(path.path):1", "there is no column \(column)")
    }
    var rows: [[String: String]] = []
    for (index, line) in lines.enumerated().dropFirst() where !line.isEmpty {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let row = Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first })
      for column in table.numbers {
        let number = row.number(column)
        guard number.isFinite, abs(number) < 1e12 else {
          throw ReferenceProblem("\(path.path):\(index + 1)", "\(column) is no number", remedy: "restore the table")
        }
      }
      if let link = table.link, NetworkConfiguration.link(named: row.text(link)) == nil {
        throw ReferenceProblem("\(path.path):\(index + 1)", "no link is named \(row.text(link))", remedy: "restore the table")
      }
      rows.append(row)
    }
    return rows
  }

  /// When a Mahimahi trace of `kernel/traces` can deliver a packet: milliseconds from its start, one entry a packet.
  /// - Throws: `ReferenceProblem` if there is no readable trace.
  func opportunities(_ name: String) throws -> [Int64] {
    let path = folder.appendingPathComponent("kernel/traces/\(name)")
    guard let text = try? String(contentsOf: path, encoding: .utf8) else { throw ReferenceProblem(path.path, "cannot be read") }
    return text.split(whereSeparator: \.isNewline).compactMap { Int64($0) }
  }
}

extension NetworkConfiguration {
  /// The links of the kernel's tables and of the sessions: kbps down and up, milliseconds down and up, loss each way.
  package static func named(_ profile: String) -> NetworkConfiguration {
    guard let network = link(named: profile) else { preconditionFailure("no link is named \(profile)") }
    return network
  }

  /// The link of that name; nil if there is none.
  fileprivate static func link(named profile: String) -> NetworkConfiguration? {
    let figures: (Int64, Int64, Int64, Int64, Double)? =
      switch profile {
      case "nlc_3g": (780, 330, 100, 100, 0)
      case "nlc_dsl": (2000, 256, 5, 5, 0)
      case "dsl2m": (2000, 256, 40, 40, 0)
      case "nlc_edge": (240, 200, 400, 440, 0)
      case "nlc_lte": (50000, 10000, 50, 65, 0)
      case "nlc_verybad": (1000, 1000, 500, 500, 0.1)
      case "3g_lossy1": (780, 330, 100, 100, 0.01)
      default: nil
      }
    guard let (down, up, delayDown, delayUp, loss) = figures else { return nil }
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
