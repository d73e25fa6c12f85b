// Reads the reference measurements, and defines the links on which they were made.

import Foundation
import Simulation

/// The folder of reference measurements and its tables.
package struct ReferenceTables {
  /// A table; the raw value is its path in the folder.
  package enum Table: String, CaseIterable {
    case sessions = "sessions/cells.csv"
    case single = "kernel/single.csv"
    case parallel = "kernel/parallel.csv"
    case cancel = "kernel/cancel.csv"
    case range = "kernel/range.csv"
    case mahimahi = "kernel/mahimahi.csv"
    case stackSessions = "stacks/sessions.csv"
    case h2 = "stacks/h2.csv"
    case bbr = "stacks/bbr.csv"
    case cubic = "stacks/cubic.csv"
    case nghttpd = "stacks/nghttpd.csv"
    case h3 = "stacks/h3.csv"

    /// The columns that name a case, the link or trace first, and the other columns, which hold numbers.
    private var columns: (name: [String], numbers: [String]) {
      switch self {
      case .sessions:
        (
          ["link", "dwellMs", "queue", "loss", "variant", "policy", "maxCost", "connections", "cancel"],
          ["dwellMs", "items", "maxCost", "connections", "queue", "loss", "loadersMedian", "loadersMin", "loadersMax"]
        )
      case .single: (["profile", "queue_pkts", "conn", "size"], ["queue_pkts", "size", "total_med", "ttfb_med"])
      case .parallel: (["profile", "queue_pkts", "scenario"], ["queue_pkts", "size_each", "finish_med"])
      case .cancel:
        (["profile", "queue_pkts", "mode", "cancel_ms", "victim_size"], ["queue_pkts", "victim_size", "cancel_ms", "after_total_med"])
      case .range:
        (
          ["profile", "queue_pkts", "full_size", "prefix"],
          ["queue_pkts", "full_size", "prefix", "prefix_total_med", "rest_total_med", "both_end_med"]
        )
      case .stackSessions:
        (
          ["link", "dwellMs", "queue", "loss", "client", "protocol", "serverCC", "variant", "policy", "maxCost", "connections", "cancel"],
          ["dwellMs", "items", "maxCost", "connections", "queue", "loss", "loadersMedian", "loadersMin", "loadersMax"]
        )
      case .h2, .nghttpd: (["link", "queue_pkts", "cc", "scenario", "server"], ["queue_pkts", "size_bytes", "start_ms"])
      case .bbr, .cubic:
        (["link", "queue_pkts", "loss_each_way", "cc", "case", "size_bytes"], ["queue_pkts", "size_bytes", "total_ms_med"])
      case .h3: (["link", "queue_pkts", "loss_each_way", "cc", "scenario", "sizes_bytes"], ["queue_pkts", "size_bytes", "end_ms_med"])
      case .mahimahi: (["trace", "offset_ms", "size"], ["offset_ms", "size", "phase_med_ms", "ttfb_med", "total_med"])
      }
    }

    /// Returns the texts that distinguish a row from the others.
    func name(of row: [String: String]) -> String { columns.name.map { row.text($0) }.filter { !$0.isEmpty }.joined(separator: " ") }

    /// The names that this program has for columns of the file, where they differ.
    fileprivate var renamed: [String: String] {
      self == .stackSessions ? ["queuePackets": "queue", "lossEachWay": "loss", "streamsOrConnections": "connections"] : [:]
    }

    /// The required columns: that of the link, nil if a trace is the link, and those of numbers.
    fileprivate var needed: (link: String?, numbers: [String]) { (self == .mahimahi ? nil : columns.name[0], columns.numbers) }
  }

  private let folder: String
  /// The folder of packet-delivery traces, which need not be part of the reference.
  private let traceFolder: String

  /// Opens the folder at a path, by default the package's own. `PREFETCH_SWEEP_REFERENCE` names the folder with the public traces.
  package init(folder: String? = nil) {
    self.folder = folder ?? "Tests/Reference"
    let own = "\(self.folder)/kernel/traces"
    let other = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"] ?? "../shared/reference"
    traceFolder = FileManager.default.fileExists(atPath: own) ? own : "\(other)/kernel/traces"
  }

  /// The tables of `Scripts/measure` in the folder, to which nothing was adjusted but half of the sessions over HTTP/3.
  package var measured: ReferenceTables { ReferenceTables(folder: "\(folder)/measured") }

  private func has(_ table: Table) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(table.rawValue)") }

  /// Returns the tables that the folder lacks.
  /// - Throws: `StudyProblem` if the folder has no table at all.
  package func missing() throws -> [Table] {
    let missing = Table.allCases.filter { !has($0) }
    guard missing.count == Table.allCases.count else { return missing }
    throw problem(folder, "has none of the tables \(missing.map(\.rawValue).joined(separator: ", "))")
  }

  /// Returns the rows of a table, each as texts by column; empty if the folder lacks the table. Cells are never quoted.
  /// Rows on a trace that is not on this machine are left out.
  /// - Throws: `StudyProblem` if the file is malformed.
  package func rows(_ table: Table) throws -> [[String: String]] {
    guard has(table) else { return [] }
    let path = "\(folder)/\(table.rawValue)"
    let file = try MeasurementTable(path: path)
    let columns = file.columns.map { table.renamed[$0] ?? $0 }
    let links = try links()
    let (link, numbers) = table.needed
    if let column = (numbers + [link].compactMap(\.self)).first(where: { !columns.contains($0) }) {
      throw problem("\(path):1", "there is no column \(column)")
    }
    return try file.lines.compactMap { line, cells in
      let row = Dictionary(zip(columns, cells), uniquingKeysWith: { first, _ in first })
      if let column = numbers.first(where: { !(abs(row.number($0)) < 1e12) }) {
        throw problem("\(path):\(line)", "\(column) is no number", remedy: "restore the table")
      }
      if let link, links[row.text(link)] == nil {
        throw problem("\(path):\(line)", "no link is named \(row.text(link))", remedy: "restore the table")
      }
      if row["loadersMin"] != nil, row.number("loadersMin") > row.number("loadersMax") {
        throw problem("\(path):\(line)", "loadersMin is above loadersMax", remedy: "restore the table")
      }
      if let trace = row["trace"], !hasTrace("\(trace).down") { return nil }
      return row
    }
  }

  /// Returns the link that a row names, from `links.csv` in the folder or one of ours; `rows` has checked the name.
  /// - Throws: `StudyProblem` if there is none, or if `links.csv` is malformed.
  func link(named name: String) throws -> NetworkConfiguration {
    guard let link = try links()[name] else { throw problem(folder, "no link is named \(name)") }
    return NetworkConfiguration(
      down: LinkRate(constant: link.down * 1000), up: LinkRate(constant: link.up * 1000), delayDown: .milliseconds(link.delayDown),
      delayUp: .milliseconds(link.delayUp), lossDown: link.loss, lossUp: link.loss)
  }

  /// A link: kbit/s down and up, milliseconds down and up, loss each way.
  private typealias LinkRow = (down: Int64, up: Int64, delayDown: Int64, delayUp: Int64, loss: Double)

  /// The links of our measurements.
  private static let ownLinks: [String: LinkRow] = [
    "nlc_3g": (780, 330, 100, 100, 0), "nlc_dsl": (2000, 256, 5, 5, 0), "dsl2m": (2000, 256, 40, 40, 0),
    "nlc_edge": (240, 200, 400, 440, 0), "nlc_lte": (50000, 10000, 50, 65, 0), "nlc_verybad": (1000, 1000, 500, 500, 0.1),
    "3g_lossy1": (780, 330, 100, 100, 0.01), "n5m": (5000, 1000, 20, 20, 0), "n50": (50000, 10000, 25, 25, 0),
  ]

  /// Returns our links and those of the folder's `links.csv`.
  /// - Throws: `StudyProblem` if the file is malformed.
  private func links() throws -> [String: LinkRow] {
    let path = "\(folder)/links.csv"
    guard FileManager.default.fileExists(atPath: path) else { return Self.ownLinks }
    var links = Self.ownLinks
    for (line, cells) in try MeasurementTable(path: path).lines {
      let whole = cells.dropFirst().prefix(4).compactMap { Int64($0) }
      guard cells.count == 6, whole.count == 4, whole.allSatisfy({ (0...1_000_000_000).contains($0) }), whole[0] > 0, whole[1] > 0,
        let loss = Double(cells[5]), (0..<1).contains(loss)
      else {
        throw problem(
          "\(path):\(line)", "is no link", remedy: "write name,down_kbps,up_kbps,delay_down_ms,delay_up_ms,loss_each_way")
      }
      links[cells[0]] = (whole[0], whole[1], whole[2], whole[3], loss)
    }
    return links
  }

  /// True if a packet-delivery trace is one of ours or on this machine.
  func hasTrace(_ name: String) -> Bool {
    Self.evenTraces[name] != nil || FileManager.default.fileExists(atPath: "\(traceFolder)/\(name)")
  }

  /// Returns the traces that rows of the tables name and that are not on this machine, each once.
  /// - Throws: `StudyProblem` if the table is malformed.
  package func missingTraces() throws -> [String] {
    guard has(.mahimahi) else { return [] }
    let traces = Set(try MeasurementTable(path: "\(folder)/\(Table.mahimahi.rawValue)").lines.map { $0.cells[0] })
    return traces.filter { !hasTrace("\($0).down") }.sorted()
  }

  /// The errors of our model in Python by drops and category, as texts; empty if the folder lacks its table.
  package var modelErrors: [String: String] {
    guard let table = try? MeasurementTable(path: "\(folder)/kernel/model_summary_by_drop.csv") else { return [:] }
    let keys = table.lines.map { $0.cells.prefix(2).joined(separator: " ") }
    return Dictionary(
      zip(keys, table.rows.map { "\($0.text("m4_med")) / \($0.text("m4_p90"))" }), uniquingKeysWith: { first, _ in first })
  }

  /// The times of ns-3 for rows of `kernel/single.csv`, by congestion control and the row's name; empty if the folder lacks them.
  package var ns3: [String: Double] {
    guard let table = try? MeasurementTable(path: "\(folder)/ns3/single.csv") else { return [:] }
    return Dictionary(
      table.lines.map(\.cells).filter { $0.count == 8 }.compactMap { row in
        Double(row[5]).map { ("\(row[2]) \(row[0]) \(row[1]) \(row[3]) \(row[4])", $0) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns a packet-delivery trace: an even one, or a public one of Mahimahi.
  /// - Throws: `InvalidInput` if there is no such trace.
  func trace(_ name: String) throws -> LinkRate {
    guard let even = Self.evenTraces[name] else { return try Oracles.trace("\(traceFolder)/\(name)", .mahimahi) }
    return LinkRate(
      periods: [.init(duration: .milliseconds(even.lengthMs), bitsPerSecond: even.count * 12_000_000 / even.lengthMs)],
      opportunitiesMs: (1...even.count).map { ($0 * even.lengthMs * 2 + even.count) / (even.count * 2) })
  }

  /// The traces of constant rates: packets of 1500 bytes, evenly over so many milliseconds.
  private static let evenTraces: [String: (count: Int64, lengthMs: Int64)] = [
    "const12M.down": (1, 1), "const6M.up": (1, 2), "const780k.down": (13, 200), "const330k.up": (11, 400),
  ]

  private func problem(
    _ path: String, _ problem: String, remedy: String = "name a folder of tables by --tables"
  ) -> StudyProblem {
    StudyProblem(description: "\(path): \(problem); \(remedy)")
  }
}

extension [String: String] {
  /// The number of repetitions; 0 if the row does not say.
  var repeats: Int { Int(text("n")) ?? 0 }
  /// Returns the minimum and maximum beside a column of medians, whose name has `_med`; nil if the row has none.
  func range(_ name: String) -> ClosedRange<Double>? {
    let (low, high) = (number(name.replacing("_med", with: "_min")), number(name.replacing("_med", with: "_max")))
    return name.contains("_med") && low <= high ? low...high : nil
  }
}
