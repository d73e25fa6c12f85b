// The runs of one point by column.

/// The runs of a point, or of a setting over strata, by rising repetition.
package struct PointRuns: Sendable {
  /// The mean of the values that came.
  private struct RunningMean {
    var count: Int32 = 0
    /// The plain sum: exact for whole numbers, so that their mean is the one that a reader computes.
    var sum = 0.0
  }

  /// The point's id in `runs.csv`.
  package let point: String
  /// Its values of all axes; of a setting over strata, those in its heaviest stratum.
  package let axisValues: [String]
  /// The lowest repetition and its seed: enough to run one row again.
  package private(set) var firstRun: (repetition: Int, seed: UInt64) = (0, 0)
  /// The repetitions.
  package private(set) var repetitions: [Int32] = []
  /// By run, what points are compared by and their cost; NaN where a run has none.
  package private(set) var headline: [Double] = [], cost: [Double] = []
  /// By run, loaders above the bound per 1000 items viewed; NaN where a run has no bound.
  package private(set) var headroom: [Double] = []
  private var means = [RunningMean](repeating: RunningMean(), count: Metric.allCases.count)

  /// A point without runs.
  package init(point: String, axisValues: [String]) { (self.point, self.axisValues) = (point, axisValues) }

  /// The number of runs.
  package var count: Int { repetitions.count }

  /// The last repetition; 0 for none.
  package var lastRepetition: Int { Int(repetitions.last ?? 0) }

  /// The repetitions whose runs have what points are compared by.
  package var comparableRepetitions: [Int32] {
    headline.contains(where: \.isNaN) ? zip(repetitions, headline).filter { !$1.isNaN }.map(\.0) : repetitions
  }

  /// The mean of a metric over the runs that have it; nil where none has.
  package func mean(_ metric: Metric) -> Double? {
    let mean = means[metric.index]
    return mean.count > 0 ? mean.sum / Double(mean.count) : nil
  }

  /// The sum of a metric over the runs that have it.
  package func sum(_ metric: Metric) -> Double { means[metric.index].sum }

  /// Takes a run; false where its repetition came before. O(1) where repetitions rise, O(runs) otherwise.
  mutating func add(_ row: RunRow, schema: RunSchema) -> Bool {
    let repetition = Int32(row.repetition)
    let values = (row[schema.headline] ?? .nan, row[schema.cost] ?? .nan, Self.headroom(of: row) ?? .nan)
    if repetitions.last ?? 0 < repetition {
      if repetitions.isEmpty { firstRun = (row.repetition, row.seed) }
      repetitions.append(repetition)
      headline.append(values.0)
      cost.append(values.1)
      headroom.append(values.2)
    } else {
      let index = index(of: repetition)
      if repetitions[index] == repetition { return false }
      if index == 0 { firstRun = (row.repetition, row.seed) }
      repetitions.insert(repetition, at: index)
      headline.insert(values.0, at: index)
      cost.insert(values.1, at: index)
      headroom.insert(values.2, at: index)
    }
    for (index, value) in row.metrics.enumerated() {
      if let value { add(value, index) }
    }
    return true
  }

  private mutating func add(_ value: Double, _ metric: Int) {
    means[metric].count += 1
    means[metric].sum += value
  }

  /// The index of the first repetition that is not below the given one. O(log runs).
  private func index(of repetition: Int32) -> Int {
    var (low, high) = (0, repetitions.count)
    while low < high {
      let middle = (low + high) / 2
      if repetitions[middle] < repetition { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private static func headroom(of row: RunRow) -> Double? {
    guard let loaders = row[.loaders], let bound = row[.bound], let viewed = row[.viewed], viewed > 0 else { return nil }
    return (loaders - bound) / viewed * 1000
  }

  /// The repetitions that all lists have; none for no lists. O(all of them).
  package static func common(_ lists: some Sequence<[Int32]>) -> [Int32] {
    var result: [Int32]?
    for list in lists {
      guard let known = result else {
        result = list
        continue
      }
      if known == list { continue }
      var index = 0
      result = known.filter { repetition in
        while index < list.count, list[index] < repetition { index += 1 }
        return index < list.count && list[index] == repetition
      }
    }
    return result ?? []
  }

  /// A setting over strata by weights that add up to 1; nil without a repetition that all of them have.
  ///
  /// The mean is Σ wₛ·x̄ₛ (Cochran 1977, Sampling Techniques, 5.3). Its error is not Cochran's √Σ wₛ²·sₛ²/n, which needs strata that are
  /// drawn independently: here repetition k has the same feed and the same scroll script in all of them. So the weighted sum is taken
  /// within each repetition, Xₖ = Σ wₛ·xₛₖ, and the error is that of the mean of n such sums, √(s²(X)/n), which contains the covariances
  /// between strata; differences to the baseline, combined alike, are paired as any others.
  package init?(combining parts: [(runs: PointRuns, weight: Double)], schema: RunSchema) {
    guard let heaviest = parts.max(by: { $0.weight < $1.weight })?.runs else { return nil }
    self.init(point: heaviest.point, axisValues: heaviest.axisValues)
    firstRun = heaviest.firstRun
    repetitions = Self.common(parts.lazy.map(\.runs.repetitions))
    if repetitions.isEmpty { return nil }
    for metric in Metric.allCases where metric != schema.headline && metric != schema.cost {
      let means = parts.map { $0.runs.mean(metric) }
      guard !means.contains(nil) else { continue }
      let mean = zip(parts, means).reduce(0) { $0 + $1.0.weight * ($1.1 ?? 0) }
      self.means[metric.index] = RunningMean(count: Int32(count), sum: mean * Double(count))
    }
    (headline, cost, headroom) = (sums(of: parts, \.headline), sums(of: parts, \.cost), sums(of: parts, \.headroom))
    for (metric, column) in [(schema.headline, headline), (schema.cost, cost)] {
      for value in column where !value.isNaN { add(value, metric.index) }
    }
  }

  /// By repetition, the weighted sum of a column; NaN where one of the parts has no value.
  private func sums(of parts: [(runs: PointRuns, weight: Double)], _ column: KeyPath<PointRuns, [Double]>) -> [Double] {
    var sums = [Double](repeating: 0, count: count)
    for (runs, weight) in parts {
      let values = runs[keyPath: column]
      var source = 0
      for (index, repetition) in repetitions.enumerated() {
        while runs.repetitions[source] < repetition { source += 1 }
        sums[index] += weight * values[source]
      }
    }
    return sums
  }
}
