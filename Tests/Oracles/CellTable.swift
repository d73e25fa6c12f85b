// Compares the loaders of the program's sessions with those of the real client, by row and by pair.

import Simulation

package struct CellTable {
  /// A row of `sessions/cells.csv` or `stacks/sessions.csv` with our result.
  package struct Cell {
    /// The link, the feed and the settings, separated by spaces; and the part of them that both cells of a pair share.
    package let name: String, group: String
    package let items: Double
    /// The loaders of a run: the median of the real client's repetitions, and of our seeds.
    package let truth: Double
    package let ours: Double
    /// The fewest and the most loaders in the real client's repetitions.
    package let range: ClosedRange<Double>

    /// True if the error is the distance to the range, as few repetitions with a wide range have no good median.
    fileprivate let isJudgedByRange: Bool

    /// The difference in loaders, in per cent of the items.
    package var errorPercent: Double {
      (isJudgedByRange ? max(range.lowerBound - ours, ours - range.upperBound, 0) : abs(ours - truth)) / items * 100
    }

    /// True if the real client tells the two cells apart, by more than 5 % of the items.
    fileprivate func isClear(against other: Cell) -> Bool {
      group == other.group && abs(truth - other.truth) > 0.05 * items && !range.overlaps(other.range)
    }
  }

  /// The errors and pairs of some rows.
  package struct Summary {
    /// The pairs of settings of one link that the real client tells apart, and those of them that we order alike.
    package let pairs: Int, pairsKept: Int
    /// The mean error in per cent of the items, over all rows and over those with 5 to 95 % loaders.
    package let meanError: Double, hardError: Double
    /// The number of rows with 5 to 95 % loaders.
    package let hardCount: Int

    package init(_ cells: [Cell]) {
      let clear = cells.indices.flatMap { index in
        cells[(index + 1)...].filter { $0.isClear(against: cells[index]) }.map { (cells[index], $0) }
      }
      pairs = clear.count
      pairsKept = clear.count { ($0.ours - $1.ours) * ($0.truth - $1.truth) > 0 }
      func mean(_ cells: [Cell]) -> Double { cells.map(\.errorPercent).reduce(0, +) / Double(cells.count) }
      let hard = cells.filter { (0.05 * $0.items...0.95 * $0.items).contains($0.truth) }
      (meanError, hardError, hardCount) = (mean(cells), mean(hard), hard.count)
    }
  }

  /// All rows, in the file's order.
  package let cells: [Cell]
  package let summary: Summary

  /// Runs every cell; several times if packets are lost at random, or over HTTP/3, where a millisecond at the start moves the drops.
  /// - Throws: `StudyProblem` if the table is malformed.
  package init(
    reference: ReferenceTables, table: ReferenceTables.Table = .sessions, transport: NetworkConfiguration.TransportKind = .packet
  ) throws {
    // A session of another client, which opens further connections after a cancel, is not ours to repeat.
    let rows = try reference.rows(table).filter { $0.text("protocol") != "h2 (libcurl client)" }
    cells = try rows.map { row in
      var scenario = try MeasuredSession(row, in: reference, transport: transport).scenario
      let isQUIC = row.text("protocol") == "h3"
      let loaders = (1...(row.number("loss") > 0 || isQUIC ? 5 : 1)).map { seed in
        if isQUIC { scenario.network.http.handshakeTime = .milliseconds(Int64(seed) + 2) }
        return Double(scenario.run(seed: UInt64(seed)).loaders)
      }
      return Cell(
        name: table.name(of: row),
        group: ["link", "dwellMs", "variant", "queue", "loss", "client", "protocol", "serverCC"].map { row.text($0) }
          .joined(separator: " "),
        items: row.number("items"),
        truth: row.number("loadersMedian"), ours: median(loaders), range: row.number("loadersMin")...row.number("loadersMax"),
        isJudgedByRange: table == .stackSessions)
    }
    summary = Summary(cells)
  }
}
