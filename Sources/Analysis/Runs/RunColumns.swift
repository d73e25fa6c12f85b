// The rows of a sweep in memory, by column: `run`, `merge` and `report` fill them, and every table is computed from them.

import Base

/// The runs of a sweep by column: a value per run for paired metrics, a mean per point for others. A run takes 28 bytes, a point about 400.
package final class RunColumns {
  /// The paths of the swept parameters.
  package let axes: [String]
  /// The columns and words of the rows' kind of scenario.
  package let schema: RunSchema
  /// The index in `schema.metrics` of each metric; −1 for a metric of another schema.
  private let metricIndices: [Int]
  // Per point: its id; the indices of its axis values and the sums of its metrics, one point after the other.
  fileprivate var ids: [String] = []
  private var valueIndices: [Int32] = []
  /// The plain sums of metrics: exact for whole numbers, so that a reader computes the same mean.
  fileprivate var sums: [Double] = []
  /// The number of runs without a value for an index in `sums`; no element if all runs have one.
  fileprivate var missing: [Int: Int] = [:]
  private var starts: [Int] = []
  private var values: [(texts: [String], indices: [String: Int32])]
  // Per run.
  fileprivate var repetitions: [Int32] = []
  /// The values of headline, cost, headroom and `keptMetrics`, a column each; NaN if a run has none.
  fileprivate var kept: [[Double]]
  fileprivate let keptMetrics: [Metric]
  fileprivate static let (headline, cost, headroom, others) = (0, 1, 2, 3)

  /// The points by the hash of their id and axis values, or by the next free number after a collision.
  private var indices: [Int: Int32] = [:]
  private var last: (point: String, axisValues: [String], index: Int)?
  fileprivate var seeds = RepetitionSeeds()
  /// After a row out of order: the point of each run, and true until the runs are sorted.
  private var owners: [Int32] = []
  private var isUnsorted = false

  /// The most points for which memory is reserved in advance, because a description may hold any number.
  private static let roomLimit = 1_000_000

  /// Creates a table without runs; memory is reserved for `pointCount` points, up to a limit.
  package init(axes: [String], schema: RunSchema = .feed, pointCount: Int = 0) {
    (self.axes, self.schema) = (axes, schema)
    var metricIndices = [Int](repeating: -1, count: Metric.allCases.count)
    for (index, metric) in schema.metrics.enumerated() { metricIndices[metric.index] = index }
    self.metricIndices = metricIndices
    values = axes.map { _ in ([], [:]) }
    keptMetrics = schema.kept
    kept = [[Double]](repeating: [], count: Self.others + keptMetrics.count)
    // An array that grows needs three times its memory while it moves.
    let room = min(pointCount, Self.roomLimit)
    sums.reserveCapacity(room * schema.metrics.count)
    indices.reserveCapacity(room)
  }

  package convenience init(_ sweep: SweepDescription) {
    self.init(axes: sweep.axes.map(\.path), schema: sweep.schema, pointCount: sweep.pointCount)
  }

  package var count: Int { repetitions.count }

  package var isEmpty: Bool { ids.isEmpty }

  /// The points in order of first appearance. O(points), and O(runs · log(runs)) after rows out of order.
  package var points: [PointRuns] {
    sort()
    return ids.indices.map { PointRuns(columns: self, index: $0) }
  }

  /// Appends a row. Rows may come in any order; points stay in order of first appearance. Two points of the grid with the same scenario
  /// share an id and stay two points. No run comes twice, and a repetition has one seed: the readers of rows check both. O(1).
  package func add(_ row: RunRow) {
    let point = index(of: row)
    _ = seeds.add(row.seed, repetition: row.repetition)
    let isNext = point == ids.count - 1 && (starts[point] == count || Int(repetitions[count - 1]) < row.repetition)
    if !isNext, owners.isEmpty { owners = ids.indices.flatMap { index in range(of: index).map { _ in Int32(index) } } }
    if !owners.isEmpty {
      owners.append(Int32(point))
      isUnsorted = true
    }
    repetitions.append(Int32(row.repetition))
    kept[Self.headline].append(row[schema.headline] ?? .nan)
    kept[Self.cost].append(row[schema.cost] ?? .nan)
    kept[Self.headroom].append(Self.headroom(of: row) ?? .nan)
    for (index, metric) in keptMetrics.enumerated() { kept[Self.others + index].append(row[metric] ?? .nan) }
    for (index, metric) in schema.metrics.enumerated() {
      let cell = point * schema.metrics.count + index
      if let value = row[metric] { sums[cell] += value } else { missing[cell, default: 0] += 1 }
    }
  }

  private func sort() {
    guard isUnsorted else { return }
    isUnsorted = false
    let order = owners.indices.sorted { (owners[$0], repetitions[$0]) < (owners[$1], repetitions[$1]) }
    (owners, repetitions) = (order.map { owners[$0] }, order.map { repetitions[$0] })
    kept = kept.map { values in order.map { values[$0] } }
    for (run, owner) in owners.enumerated().reversed() { starts[Int(owner)] = run }
    // The sum is taken anew, so that the ranking does not depend on the order of rows.
    for point in ids.indices {
      guard let cell = cell(schema.headline, of: point) else { continue }
      sums[cell] = kept[Self.headline][range(of: point)].reduce(0) { $1.isNaN ? $0 : $0 + $1 }
    }
  }

  private func index(of row: RunRow) -> Int {
    if let last, last.point == row.point, last.axisValues == row.axisValues { return last.index }
    var hasher = Hasher()
    hasher.combine(row.point)
    hasher.combine(row.axisValues)
    var key = hasher.finalize()
    while let index = indices[key], ids[Int(index)] != row.point || axisValues(of: Int(index)) != row.axisValues { key &+= 1 }
    let index = indices[key].map(Int.init) ?? append(row.point, axisValues: row.axisValues)
    indices[key] = Int32(index)
    last = (row.point, row.axisValues, index)
    return index
  }

  private func append(_ id: String, axisValues: [String]) -> Int {
    ids.append(id)
    starts.append(count)
    for (axis, text) in axisValues.enumerated() {
      let index = values[axis].indices[text] ?? Int32(values[axis].texts.count)
      if index == values[axis].texts.count {
        values[axis].texts.append(text)
        values[axis].indices[text] = index
      }
      valueIndices.append(index)
    }
    sums.append(contentsOf: repeatElement(0, count: schema.metrics.count))
    return ids.count - 1
  }

  private static func headroom(of row: RunRow) -> Double? {
    guard let loaders = row[.loaders], let bound = row[.bound], let viewed = row[.viewed], viewed > 0 else { return nil }
    return (loaders - bound) / viewed * 1000
  }

  fileprivate func axisValues(of point: Int) -> [String] { axes.indices.map { axisValue($0, of: point) } }

  fileprivate func axisValue(_ axis: Int, of point: Int) -> String { values[axis].texts[Int(valueIndices[point * axes.count + axis])] }

  /// Returns the index of a point's metric in `sums`; nil if the schema does not have the metric.
  fileprivate func cell(_ metric: Metric, of point: Int) -> Int? {
    let index = metricIndices[metric.index]
    return index < 0 ? nil : point * schema.metrics.count + index
  }

  fileprivate func range(of point: Int) -> Range<Int> { starts[point]..<(point + 1 < starts.count ? starts[point + 1] : count) }

  /// Appends a setting over strata with weights that add up to 1; nil without a repetition common to all. Its axis values are those in the
  /// heaviest stratum, which has all axes of this table.
  func append(combining parts: [(runs: PointRuns, weight: Double)]) -> PointRuns? {
    // The mean is Σ wₛ·x̄ₛ (Cochran 1977, Sampling Techniques, 5.3). Its error is not Cochran's √Σ wₛ²·sₛ²/n, which needs strata that are
    // drawn independently: here repetition k has the same feed and scroll script in all strata. So the weighted sum is taken within each
    // repetition, Xₖ = Σ wₛ·xₛₖ, and the error is that of the mean of n such sums, √(s²(X)/n), which contains the covariances between
    // strata. Differences to the baseline, combined alike, are paired as any others.
    guard let heaviest = parts.max(by: { $0.weight < $1.weight })?.runs else { return nil }
    let common = PointRuns.common(parts.lazy.map { Array($0.runs.repetitions) })
    if common.isEmpty { return nil }
    let source = heaviest.columns
    seeds = source.seeds
    let point = append(heaviest.point, axisValues: axes.compactMap(source.axes.firstIndex).map(heaviest.axisValue))
    repetitions += common
    for column in kept.indices {
      kept[column] += parts.reduce(into: [Double](repeating: 0, count: common.count)) { sums, part in
        let values = part.runs.values(part.runs[kept: column], of: common)
        for (index, value) in values.enumerated() { sums[index] += part.weight * value }
      }
    }
    let runs = PointRuns(columns: self, index: point)
    for (index, metric) in schema.metrics.enumerated() {
      let cell = point * schema.metrics.count + index
      var missingCount = 0
      if metric == schema.headline || metric == schema.cost {
        let values = (metric == schema.headline ? runs.headline : runs.cost).filter { !$0.isNaN }
        (sums[cell], missingCount) = (values.reduce(0, +), common.count - values.count)
      } else if let mean = Self.mean(of: metric, over: parts, isJudged: schema.constrained.contains(metric)) {
        sums[cell] = mean * Double(common.count)
      } else {
        missingCount = common.count
      }
      if missingCount > 0 { missing[cell] = missingCount }
    }
    return runs
  }

  /// Returns the weighted mean of a metric over the runs that have it; nil if all runs of a part lack it, and for quantiles, maxima and
  /// ratios, whose means do not give those of the whole (a constraint bounds the weighted mean all the same).
  private static func mean(of metric: Metric, over parts: [(runs: PointRuns, weight: Double)], isJudged: Bool) -> Double? {
    guard metric.isAveraged || isJudged else { return nil }
    var (sum, share) = (0.0, 0.0)
    for (runs, weight) in parts {
      guard let mean = runs.mean(metric) else { return nil }
      let present = weight * runs.share(of: metric)
      sum += present * mean
      share += present
    }
    // Runs without a value, such as a download that never ended, have no place in the mean.
    return parts.allSatisfy { $0.runs.share(of: metric) == 1 } ? sum : sum / share
  }
}

/// The seed of each repetition, and its first line. Only rows of one seed, which are paired, have the same feed, network and scroll script.
package struct RepetitionSeeds: Sendable {
  /// The seeds of repetitions 1, 2 and so on, without gaps.
  private var dense: [(seed: UInt64, line: Int)] = []
  private var sparse: [Int: (seed: UInt64, line: Int)] = [:]

  package init() {}

  subscript(repetition: Int) -> UInt64? { known(repetition)?.seed }

  /// Adds a row's seed; returns the earlier, different seed of its repetition and that seed's line, if there is one. O(1).
  package mutating func add(_ seed: UInt64, repetition: Int, line: Int = 0) -> (seed: UInt64, line: Int)? {
    if let known = known(repetition) { return known.seed == seed ? nil : known }
    if repetition == dense.count + 1 { dense.append((seed, line)) } else { sparse[repetition] = (seed, line) }
    return nil
  }

  private func known(_ repetition: Int) -> (seed: UInt64, line: Int)? {
    dense.indices.contains(repetition - 1) ? dense[repetition - 1] : sparse[repetition]
  }
}

/// The runs of a point, or of a setting over strata, by ascending repetition: a view of columns that get no more rows.
package struct PointRuns {
  let columns: RunColumns
  let index: Int

  private var range: Range<Int> { columns.range(of: index) }

  /// The point's id in `runs.csv`.
  package var point: String { columns.ids[index] }
  package var axisValues: [String] { columns.axisValues(of: index) }
  package func axisValue(_ axis: Int) -> String { columns.axisValue(axis, of: index) }
  package var count: Int { range.count }
  package var repetitions: ArraySlice<Int32> { columns.repetitions[range] }
  /// The headline value of each run; NaN if a run has none.
  package var headline: ArraySlice<Double> { self[kept: RunColumns.headline] }
  /// The cost of each run; NaN if a run has none.
  package var cost: ArraySlice<Double> { self[kept: RunColumns.cost] }
  /// The loaders above the lower bound per 1000 items viewed, for each run; NaN if a run has no bound.
  package var headroom: ArraySlice<Double> { self[kept: RunColumns.headroom] }
  fileprivate subscript(kept column: Int) -> ArraySlice<Double> { columns.kept[column][range] }
  /// Returns the values of a metric of constraints or of loaders' prices; nil if they are not kept.
  func values(of metric: Metric) -> ArraySlice<Double>? {
    columns.keptMetrics.firstIndex(of: metric).map { self[kept: RunColumns.others + $0] }
  }

  /// Returns the values of a column of this point, for some repetitions in ascending order; NaN where it has no run. O(runs).
  func values(_ column: ArraySlice<Double>, of chosen: some Sequence<Int32>) -> [Double] {
    var rest = zip(repetitions, column).makeIterator()
    var next = rest.next()
    return chosen.map { repetition in
      while let known = next, known.0 < repetition { next = rest.next() }
      return next.flatMap { $0.0 == repetition ? $0.1 : nil } ?? .nan
    }
  }

  /// The last repetition; 0 for none.
  package var lastRepetition: Int { Int(repetitions.last ?? 0) }

  /// The lowest repetition and its seed, which suffice to repeat a row.
  package var firstRun: (repetition: Int, seed: UInt64) {
    let first = Int(repetitions.first ?? 0)
    return (first, seed(of: first))
  }

  func seed(of repetition: Int) -> UInt64 { columns.seeds[repetition] ?? 0 }

  package var comparableRepetitions: [Int32] { zip(repetitions, headline).filter { !$1.isNaN }.map(\.0) }

  /// Returns the mean of a metric over the runs that have it; nil if none has.
  package func mean(_ metric: Metric) -> Double? {
    guard let cell = columns.cell(metric, of: index) else { return nil }
    let count = count - columns.missing[cell, default: 0]
    return count > 0 ? columns.sums[cell] / Double(count) : nil
  }

  fileprivate func share(of metric: Metric) -> Double {
    guard let cell = columns.cell(metric, of: index) else { return 0 }
    return count == 0 ? 0 : Double(count - columns.missing[cell, default: 0]) / Double(count)
  }

  package func sum(_ metric: Metric) -> Double { columns.cell(metric, of: index).map { columns.sums[$0] } ?? 0 }

  /// Returns the repetitions that all lists contain; none for no lists. O(total length).
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
}

package enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
  case axesDiffer(table: [String], sweep: [String])
  /// The table's columns belong to another kind of scenario.
  case scenariosDiffer(table: String, sweep: String)
  case noRuns
  case unknownStratum([String])

  package var description: String {
    switch self {
    case .axesDiffer(let table, let sweep):
      "axes: runs.csv has `\(SafeText.excerpt(table.joined(separator: ",")))`, sweep.json `\(SafeText.excerpt(sweep.joined(separator: ",")))`; take both from the same sweep"
    case .scenariosDiffer(let table, let sweep):
      "scenario: runs.csv has the columns of `\(table)`, sweep.json is of `\(sweep)`; take both from the same sweep"
    case .noRuns: "runs.csv: there are no runs; run the sweep first"
    case .unknownStratum(let values):
      "runs.csv: `\(SafeText.excerpt(values.joined(separator: ",")))` is no stratum of sweep.json; take both from the same sweep"
    }
  }
}
