// The report of `run-studies fidelity`: a summary, errors by drops and category, and the worst cases with their reasons.

import Analysis
import Base
import Oracles
import Simulation
import StudyParts

struct FidelityReport {
  private let reference: ReferenceTables
  /// HTTP/1.1 sessions by transport, and all sessions on packets, in the order of `protocols`.
  private let transports: [(name: String, table: CellTable)]
  private let stacks: CellTable, http3: CellTable
  private let ns3Times: [String: Double]
  private let kernel: [Comparison], kernelBBR: [Comparison], requests: [Comparison]

  /// Runs everything.
  /// - Throws: `StudyProblem` or `InvalidInput` if a table or a trace is malformed.
  init(_ reference: ReferenceTables) throws {
    self.reference = reference
    ns3Times = reference.ns3
    transports = try [NetworkConfiguration.TransportKind.fluid, .packet].map {
      ($0.rawValue, try CellTable(reference: reference, transport: $0))
    }
    stacks = try CellTable(reference: reference, table: .stackSessions)
    http3 = try CellTable(reference: reference.measured, table: .stackSessions)
    kernel = try KernelCases(reference: reference).all()
    kernelBBR = try KernelCases(reference: reference, congestion: .bbr).all()
    requests = try StackCases(reference: reference).all()
  }

  /// Returns the report, which is reproducible. `missing` names what was not compared.
  func text(missing: [String]) -> String {
    """
    # Fidelity of the transports

    The distance of each transport from measurements: whole feed sessions of real HTTP clients over Linux 6.18, and single
    requests over shaped links. [Tests/Reference](../../Tests/Reference/README.md) holds the measurements. Made by `Scripts/results fidelity`.

    ## Summary

    Relative error of completion times on `packet` in percent, median / 90th percentile; beside it the expected difference of two
    medians of the kernel's own repetitions, as many as the table has. A model without error would have that divided by √2. The last
    column is the distance to the range of the repetitions, 0 inside it, for the figures that have one.

    | what | measurements | figures | error | kernel against itself | to the repetitions |
    |---|---|--:|--:|--:|--:|
    \(summary.joined(separator: "\n"))

    ns-3.37 beside us, on the single GETs for which it was run:

    | what | figures | packet | ns-3 |
    |---|--:|--:|--:|
    \(ns3Table.joined(separator: "\n"))

    ## Whole sessions

    Mean error of the number of loaders, in percent of the items: against the median of the client's repeats for HTTP/1.1 from CUBIC
    servers, and to the range of its repeats for the others. A clear pair is two settings that the client tells apart by more than
    5 % of the items.

    | measurements | transport | protocol | server | all rows | rows with 5–95 % loaders | clear pairs in order |
    |---|---|---|---|--:|--:|--:|
    \(sessions.joined(separator: "\n"))

    Sessions over HTTP/3 by `Scripts/measure` on a busy machine, loaders with the least and the most of the repeats. Ours is the median of
    five handshake times of 3 to 7 ms, as a millisecond moves the drops. The choice of the rows for the fit was made before they were
    measured.

    | session | items | measured | ours | error, % | use |
    |---|--:|--:|--:|--:|---|
    \(http3Cells.joined(separator: "\n"))

    ## Requests by drops

    Errors as above, by what the link did to the packets. `first`, `mean` and `last` are of transfers that ran together, `each` of every
    one, `ttfb` is the first byte, `after` the request after a cancel. `bbr_` marks BBR servers. The fluid has no connections, queues or
    losses and is judged by whole sessions only. `model.py` is our model in Python, over more cases than these.

    | drops | category | figures | packet | model.py |
    |---|---|--:|--:|--:|
    \(kernelTable.joined(separator: "\n"))

    HTTP/2, BBR and HTTP/3:

    | table | drops | category | figures | packet |
    |---|---|---|--:|--:|
    \(stackTable.joined(separator: "\n"))

    ## Worst cases

    The ten worst cases of each table on `packet`, each with its worst figure: loaders of sessions, milliseconds of requests, with the
    least and the most of the repeats.
    \(worstCases.joined(separator: "\n"))
    \(missing.isEmpty ? "" : "\nNot compared, because it is missing: \(missing.map { "`\($0)`" }.joined(separator: ", ")).\n")
    """
  }

  // MARK: Requests

  private static let drops = ["no drop", "queue overflow", "random loss"]

  /// Median and 90th percentile; a dash for no figures.
  private static func errors(_ rows: [Comparison]) -> String { errors(rows.map(\.errorPercent)) }

  private static func errors(_ errors: [Double]) -> String {
    Sample.quantile(errors, share: 0.9).map { "\(rounded(median(errors))) / \(rounded($0))" } ?? "–"
  }

  private static func isCompletion(_ row: Comparison) -> Bool { !row.category.hasSuffix("ttfb") && !row.category.hasSuffix("handshake") }

  private var summary: [String] {
    let completions = kernel.filter { Self.isCompletion($0) && $0.table != "mahimahi" }
    let isHTTP2 = { (row: Comparison) in row.category.contains("h2") || row.name.contains("h2") }
    let h1 = completions.filter { !isHTTP2($0) }
    let h2 = requests.filter { $0.table == "h2" && Self.isCompletion($0) && !$0.category.hasPrefix("bbr_") }
    let nghttpd = requests.filter { $0.table == "nghttpd" && Self.isCompletion($0) }
    let bbr = requests.filter { $0.table == "bbr" && Self.isCompletion($0) }
    let h3 = requests.filter { $0.table == "h3" }
    let isSingle = { (row: Comparison) in row.category.hasSuffix("single") || row.category.hasSuffix("0rtt") }
    func of(_ rows: [Comparison], _ suffixes: String...) -> [Comparison] {
      rows.filter { row in suffixes.contains { row.category.hasSuffix($0) } }
    }
    var lines: [(String, String, [Comparison])] = Self.drops.map { drop in
      ("CUBIC, HTTP/1.1, \(drop)", "kernel", h1.filter { $0.group == drop })
    }
    lines += Self.drops.map { drop in
      ("CUBIC, HTTP/1.1, \(drop)", "stacks/bbr.csv", bbr.filter { $0.group == drop && !$0.category.hasPrefix("bbr_") })
    }
    lines += Self.drops.dropFirst().map { drop in
      (
        "CUBIC, HTTP/1.1, \(drop), measured again", "stacks/cubic.csv",
        requests.filter { $0.table == "cubic" && Self.isCompletion($0) && $0.group == drop }
      )
    }
    lines += [
      ("CUBIC, HTTP/1.1, packet-delivery traces", "kernel/mahimahi.csv", of(kernel, "mahimahi")),
      ("HTTP/2, first of several", "stacks/h2.csv", of(h2, "first")), ("HTTP/2, mean and last", "stacks/h2.csv", of(h2, "mean", "last")),
      ("HTTP/2, after a cancel", "stacks/h2.csv", of(h2, "cancel_after")),
      ("HTTP/2 from nghttpd, first, mean and last", "stacks/nghttpd.csv", of(nghttpd, "first", "mean", "last")),
      ("HTTP/2 from nghttpd, after a cancel", "stacks/nghttpd.csv", of(nghttpd, "cancel_after")),
      ("HTTP/2, first of several", "kernel", of(kernel, "h2mux_first")),
      ("HTTP/2, mean and last", "kernel", of(kernel, "h2mux_mean", "h2mux_last")),
      ("HTTP/2, after a cancel", "kernel", of(kernel, "cancel_h2")),
      ("BBR, HTTP/1.1", "stacks/bbr.csv", bbr.filter { $0.category.hasPrefix("bbr_") }),
      ("BBR, HTTP/1.1 and HTTP/2", "kernel", kernelBBR.filter(Self.isCompletion)),
      ("BBR, HTTP/2", "stacks/h2.csv", requests.filter { $0.table == "h2" && Self.isCompletion($0) && $0.category.hasPrefix("bbr_") }),
      ("HTTP/3, single, no drop", "stacks/h3.csv", h3.filter { isSingle($0) && $0.group == "no drop" }),
      ("HTTP/3, single, all", "stacks/h3.csv", h3.filter(isSingle)),
      ("HTTP/3, several streams", "stacks/h3.csv", h3.filter { Self.isCompletion($0) && !isSingle($0) }),
      ("HTTP/3, first byte and handshake", "stacks/h3.csv", h3.filter { !Self.isCompletion($0) }),
    ]
    var repeats = RepeatErrors()
    return lines.map { name, table, rows in
      markdownRow([
        name, table, "\(rows.count)", Self.errors(rows), Self.errors(rows.flatMap { repeats.errors(of: $0) }),
        Self.errors(rows.compactMap(\.rangeErrorPercent)),
      ])
    }
  }

  /// The time of ns-3 for a figure of `kernel/single.csv`; nil if it was not run.
  private func ns3(_ table: String, _ name: String, _ category: String) -> Double? {
    guard table == "single", category == "single" || category == "bbr_single" else { return nil }
    return ns3Times["\(category == "single" ? "cubic" : "bbr") \(name)"]
  }

  private var ns3Table: [String] {
    [("CUBIC", kernel), ("BBR", kernelBBR)].flatMap { name, rows in
      Self.drops.compactMap { drop -> String? in
        let pairs = rows.filter { $0.group == drop }.compactMap { row in ns3(row.table, row.name, row.category).map { (row, $0) } }
        guard !pairs.isEmpty else { return nil }
        let theirs = pairs.map { row, time in abs(time - row.truthMs) / row.truthMs * 100 }
        return markdownRow(["\(name), \(drop)", "\(pairs.count)", Self.errors(pairs.map(\.0)), Self.errors(theirs)])
      }
    }
  }

  private var kernelTable: [String] {
    let model = reference.modelErrors
    return Self.drops.flatMap { group in
      (["all"] + Set(kernel.filter { $0.group == group }.map(\.category)).sorted()).map { category in
        let pick = { (rows: [Comparison]) in rows.filter { $0.group == group && (category == "all" || $0.category == category) } }
        let figure = model["\(group) \(category == "all" ? "ALL" : category)"] ?? "–"
        return markdownRow([group, category, "\(pick(kernel).count)", Self.errors(pick(kernel)), figure])
      }
    }
  }

  private var stackTable: [String] {
    Self.byDrops("kernel", kernelBBR)
      + ["h2", "nghttpd", "bbr", "cubic", "h3"].flatMap { table in Self.byDrops(table, requests.filter { $0.table == table }) }
  }

  private static func byDrops(_ table: String, _ rows: [Comparison]) -> [String] {
    drops.flatMap { group in
      let rows = rows.filter { $0.group == group }
      return Set(rows.map(\.category)).sorted().map { category in
        let rows = rows.filter { $0.category == category }
        return markdownRow([table, group, category, "\(rows.count)", errors(rows)])
      }
    }
  }

  // MARK: Sessions and worst cases

  private var sessions: [String] {
    func line(_ table: String, _ words: [String], _ cells: [CellTable.Cell]) -> String {
      let summary = CellTable.Summary(cells)
      let (all, hard) = ("\(rounded(summary.meanError)) % of \(cells.count)", "\(rounded(summary.hardError)) % of \(summary.hardCount)")
      return markdownRow([table] + words + [all, hard, "\(summary.pairsKept) of \(summary.pairs)"])
    }
    let kinds = [("HTTP/1.1", "cubic", "http1.1"), ("HTTP/1.1", "bbr", "http1.1"), ("HTTP/2", "cubic", "h2"), ("HTTP/2", "bbr", "h2")]
    return transports.map { line("sessions/cells.csv", [$0.name, "HTTP/1.1", "cubic"], $0.table.cells) }
      + (kinds + [("HTTP/3", "cubic", "h3"), ("HTTP/3", "bbr", "h3")]).compactMap { name, server, word in
        let cells = stacks.cells.filter { $0.group.hasSuffix(" \(word) \(server)") }
        return cells.isEmpty ? nil : line("stacks/sessions.csv", ["packet", name, server], cells)
      }
      + ["fit", "kept aside"].compactMap { use in
        let cells = http3.cells.indices.filter { http3Use($0) == use }.map { http3.cells[$0] }
        return cells.isEmpty ? nil : line("measured/stacks/sessions.csv", ["packet", "HTTP/3, \(use)", "cubic"], cells)
      }
  }

  /// Every second session of aioquic is for the fit.
  private func http3Use(_ index: Int) -> String { index % 2 == 1 && http3.cells[index].group.contains("aioquic") ? "fit" : "kept aside" }

  private var http3Cells: [String] {
    http3.cells.enumerated().map { index, cell in
      let text = { (value: Double) in DecimalText.fixed(value, decimals: 0) }
      let measured = "\(text(cell.truth)) (\(text(cell.range.lowerBound))–\(text(cell.range.upperBound)))"
      return markdownRow([cell.name, text(cell.items), measured, text(cell.ours), rounded(cell.errorPercent), http3Use(index)])
    }
  }

  private var worstCases: [String] {
    let sessions = (transports.last?.table.cells ?? []).map { JudgedRow($0, table: .sessions) }
    let rows =
      sessions + stacks.cells.map { JudgedRow($0, table: .stackSessions) } + (kernel + kernelBBR + requests).map { JudgedRow($0) }
    let again = Dictionary(
      requests.filter { $0.table == "cubic" }.map { ("\($0.name) \($0.category)", JudgedRow($0)) }, uniquingKeysWith: { first, _ in first })
    return ReferenceTables.Table.allCases.flatMap { table -> [String] in
      var names: [String] = []
      let worst = rows.filter { $0.table == "\(table)" }.sorted { $0.errorPercent > $1.errorPercent }.filter { row in
        guard names.count < 10, row.errorPercent > 0, !names.contains(row.name) else { return false }
        names.append(row.name)
        return true
      }
      guard !worst.isEmpty else { return [] }
      return [
        "\n### \(table.rawValue)\n", "| case | figure | measured | repeats | ours | error, % | ns-3 | reason |",
        "|---|---|--:|--:|--:|--:|--:|---|",
      ]
        + worst.map { row in
          let text = { (value: Double) in DecimalText.fixed(value, decimals: 1) }
          let repeats = row.repeats.map { "\(text($0.lowerBound)) – \(text($0.upperBound))" } ?? "–"
          let theirs = ns3(row.table, row.name, row.category).map(text) ?? "–"
          let figures = [text(row.truth), repeats, text(row.ours), rounded(row.errorPercent), theirs]
          return markdownRow(
            [row.name, row.category] + figures + [FidelityReasons.reason(for: row, again: again["\(row.name) \(row.category)"])])
        }
    }
  }
}

/// Returns a value with two decimals; a dash if a table is missing, so that there is nothing to average.
private func rounded(_ value: Double) -> String { value.isFinite ? DecimalText.fixed(value, decimals: 2) : "–" }
