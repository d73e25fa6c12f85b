// Holds our loaders against those of the real client, row by row and pair by pair.

import Simulation

/// The errors of the session cells.
package struct CellTable {
  /// One row of `sessions/cells.csv`.
  package struct Cell {
    /// Its link, feed and settings, set apart by spaces.
    package var name: String
    /// The items of its feed.
    package var items: Double
    /// The real client's loaders in a run: the median of its repetitions.
    package var truth: Double
    /// Our loaders in a run: the median over our seeds.
    package var ours: Double
    /// The difference in loaders, in percent of the items.
    package var errorPercent: Double { abs(ours - truth) / items * 100 }
    /// Whether the row is neither easy nor hopeless.
    package var isHard: Bool { truth >= 0.05 * items && truth <= 0.95 * items }
    /// The fewest and the most loaders of the real client's repetitions.
    fileprivate var least: Double
    fileprivate var most: Double
    /// What both cells of a pair share: link, dwell, kind of feed, queue and loss.
    var group: String
  }

  /// All rows, in the file's order.
  package private(set) var cells: [Cell] = []
  /// Pairs of settings of one link that the real client tells apart.
  package private(set) var pairs = 0
  /// Those of them that we put in the same order.
  package private(set) var pairsKept = 0

  /// Runs every cell; several times where packets are lost by chance.
  ///
  /// - Throws: where the reference's `sessions/cells.csv` cannot be read.
  package init(reference: ReferenceTables, transport: NetworkConfiguration.TransportKind = .packet) throws {
    for row in try reference.rows(.sessions) {
      let seeds = row.number("loss") > 0 ? 5 : 1
      var loaders: [Double] = []
      for seed in 1...seeds {
        var session = SessionCase(row, transport: transport, seed: seed)
        loaders.append(Double(session.run().loaders))
      }
      let columns = ["link", "dwellMs", "queue", "loss", "variant", "policy", "maxCost", "connections", "cancel"]
      let group = ["link", "dwellMs", "variant", "queue", "loss"].map { row.text($0) }.joined(separator: " ")
      cells.append(
        Cell(
          name: columns.map { row.text($0) }.joined(separator: " "), items: row.number("items"), truth: row.number("loadersMedian"),
          ours: median(loaders), least: row.number("loadersMin"), most: row.number("loadersMax"), group: group))
    }
    countPairs()
  }

  /// The mean error over all rows, in percent of the items.
  package var meanError: Double { mean(cells) }
  /// The mean error over the hard rows, in percent of the items.
  package var hardError: Double { mean(cells.filter(\.isHard)) }

  private func mean(_ cells: [Cell]) -> Double { cells.map(\.errorPercent).reduce(0, +) / Double(cells.count) }

  private mutating func countPairs() {
    for (index, first) in cells.enumerated() {
      for second in cells[(index + 1)...] where second.group == first.group {
        let difference = first.truth - second.truth
        guard abs(difference) > 0.05 * first.items, first.most < second.least || second.most < first.least else { continue }
        pairs += 1
        if (first.ours - second.ours) * difference > 0 { pairsKept += 1 }
      }
    }
  }
}
