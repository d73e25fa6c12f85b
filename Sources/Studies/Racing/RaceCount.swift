// A full grid beside a race over some of its runs.

import Analysis
import Import

/// The runs of a results folder: headline and cost by stratum and point, in the grid's order.
struct GridRuns {
  struct Point {
    let axisValues: [String]
    var headlines: [Double] = []
    var costs: [Double] = []

    /// The means that points are ranked by: fewest loaders, then fewest bytes.
    var rank: (Double, Double) { (Self.mean(headlines), Self.mean(costs)) }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
  }

  /// The points of each stratum.
  private(set) var strata: [(values: [String], points: [Point])] = []

  /// Reads the runs.csv of a folder whose strata are the values of some of its axes.
  ///
  /// - Throws: `FileProblems` where the file is malformed.
  init(folder: String, strata paths: [String]) throws {
    let file = "\(folder)/runs.csv"
    let table = try RunTable(csv: SystemFile.contents(file), file: file)
    let columns = paths.compactMap { table.axes.firstIndex(of: $0) }
    for row in table.rows {
      let values = columns.map { row.axisValues[$0] }
      let stratum = strata.firstIndex { $0.values == values } ?? strata.count
      if stratum == strata.count { strata.append((values, [])) }
      let point = strata[stratum].points.firstIndex { $0.axisValues == row.axisValues } ?? strata[stratum].points.count
      if point == strata[stratum].points.count { strata[stratum].points.append(Point(axisValues: row.axisValues)) }
      strata[stratum].points[point].headlines.append(row[table.schema.headline] ?? .nan)
      strata[stratum].points[point].costs.append(row[table.schema.cost] ?? .nan)
    }
  }
}

/// What came of a sweep's races.
struct RaceCount {
  var points = 0
  var races = 0
  var fullRuns = 0
  var raceRuns = 0
  /// Races whose winner is the full grid's; whose winner the full grid does not tell from its own; and the others.
  var same = 0, level = 0, lost = 0
  /// The largest difference of means to the full grid's winner.
  var worstLoss = 0.0

  /// The runs of the races, in per cent of the full grids'.
  var share: String { "\(DecimalText.fixed(100 * Double(raceRuns) / Double(fullRuns), decimals: 0)) %" }

  /// Adds the races of a sweep on one seed.
  mutating func add(_ race: GridRuns, against full: GridRuns) {
    points = full.strata.reduce(0) { $0 + $1.points.count }
    for (values, grid) in full.strata {
      let entered = race.strata.first { $0.values == values }?.points ?? []
      guard let best = Self.winner(grid), let found = Self.winner(entered),
        let other = grid.first(where: { $0.axisValues == found.axisValues })
      else { continue }
      races += 1
      fullRuns += grid.reduce(0) { $0 + $1.headlines.count }
      raceRuns += entered.reduce(0) { $0 + $1.headlines.count }
      let loss = other.rank.0 - best.rank.0
      worstLoss = max(worstLoss, loss)
      let differences = Sample(zip(best.headlines, other.headlines).map { $1 - $0 })
      if best.axisValues == other.axisValues {
        same += 1
      } else if loss <= differences.interval()?.halfWidth ?? 0 {
        level += 1
      } else {
        lost += 1
      }
    }
  }

  /// Adds the races of another sweep.
  mutating func add(_ other: RaceCount) {
    races += other.races
    fullRuns += other.fullRuns
    raceRuns += other.raceRuns
    (same, level, lost) = (same + other.same, level + other.level, lost + other.lost)
  }

  /// The point with the lowest rank, the first of several, among those with the most runs.
  private static func winner(_ points: [GridRuns.Point]) -> GridRuns.Point? {
    let most = points.map(\.headlines.count).max()
    return points.filter { $0.headlines.count == most }.min { $0.rank < $1.rank }
  }
}
