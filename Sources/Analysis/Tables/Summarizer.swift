// Rows into summaries as they come, so that a sweep's runs need never be in memory together.

/// Gathers rows into one summary a point.
///
/// Memory is by points and not by runs. For each point it holds some 5 KB: moments of each metric, which repetitions there are, as
/// ranges, and up to 200 differences for a chart. Pairs need 16 bytes a run (32 with strata) of the baselines, whose rows are told by their
/// ids, and of all points as long as the sweep has no more than `SampleLimits.held` runs. Of a larger sweep `finish` goes over the rows
/// again: once to compare each point with its baseline, which takes one point's runs at a time, and twice for the charts, which take 8 bytes
/// a repetition for each value of an axis; with strata once more, which takes 24 bytes a repetition of each setting, and twice for the charts
/// of strata. What would exceed
/// `SampleLimits.gathered` is made in as many passes as it takes.
package struct Summarizer: Sendable {
  /// The swept parameters by their paths.
  package let axes: [String]
  /// What the rows measure.
  package let schema: RunSchema

  private var points: [PointSummary] = []
  private var index = PointIndex()
  private var last: Int?
  /// The samples of points that are held.
  private var held: [RunSample?] = []
  private var holdsAll = true
  private var heldCount = 0
  private var isTogether = true

  private var seeds = RepetitionSeeds()

  private let hasStrata: Bool
  private let baselines: Set<String>
  private let limits: SampleLimits

  /// A summarizer of rows with the given axes.
  package init(axes: [String], schema: RunSchema = .feed) { self.init(axes: axes, schema: schema, sweep: nil) }

  /// A summarizer of a sweep's rows.
  package init(_ sweep: SweepDescription) { self.init(axes: sweep.axes.map(\.path), schema: sweep.schema, sweep: sweep) }

  /// A summarizer of a table that should be a sweep's; what does not fit is said at the end.
  package init(axes: [String], schema: RunSchema, sweep: SweepDescription?, limits: SampleLimits = SampleLimits()) {
    (self.axes, self.schema, self.limits) = (axes, schema, limits)
    hasStrata = sweep?.strata != nil
    baselines = Set((sweep.map { [$0.baseline] } ?? []).map(\.point) + (sweep?.strata?.members.map(\.baseline.point) ?? []))
  }

  /// Whether there was no row.
  package var isEmpty: Bool { points.isEmpty }

  /// How many numbers are kept of single runs: what would grow with the repetitions.
  var sampleCount: Int { held.reduce(0) { $0 + ($1?.count ?? 0) } + points.reduce(0) { $0 + $1.runs.ranges.count } }

  /// Takes the next row. Rows of one point need not follow each other; points stay in the order in which they first come.
  ///
  /// Two places of the grid that resolve to the same scenario share an id and stay two points.
  package mutating func add(_ row: RunRow) throws(ReportError) {
    let index = place(of: row)
    last = index
    if let other = seeds.add(row.seed, repetition: row.repetition) {
      throw .seedsDiffer(repetition: row.repetition, other.seed, row.seed)
    }
    if !points[index].add(row) { throw .duplicateRun(point: row.point, repetition: row.repetition) }
    held[index]?.add(row, schema: schema, keepsCosts: hasStrata)
    heldCount += 1
    guard holdsAll, heldCount > limits.held else { return }
    holdsAll = false
    for index in points.indices where !baselines.contains(points[index].point) { held[index] = nil }
  }

  private mutating func place(of row: RunRow) -> Int {
    if let last, points[last].point == row.point, points[last].axisValues == row.axisValues { return last }
    if let known = index.place(of: row) {
      isTogether = false
      return known
    }
    points.append(PointSummary(point: row.point, axisValues: row.axisValues, schema: schema))
    held.append(holdsAll || baselines.contains(row.point) ? RunSample() : nil)
    index.add(row, at: points.count - 1)
    return points.count - 1
  }

  /// The summaries of points that were run again on fresh seeds, each compared with the baseline.
  ///
  /// - Throws: `ReportError` where the rows do not fit the description.
  package func finishConfirmation(sweep: SweepDescription, rows: (any RowSequence)? = nil) throws -> SweepSummary {
    var fresh = sweep
    fresh.repeats = sweep.confirm?.repeats ?? 0
    (fresh.sequential, fresh.search) = (nil, nil)
    fresh.pointCount = points.count
    return try finish(sweep: fresh, rows: rows)
  }

  /// The summaries of all points, each compared with the sweep's baseline. `rows` are the same rows once more, which a sweep of more
  /// than `SampleLimits.held` runs cannot do without.
  ///
  /// - Throws: `ReportError` where there are no rows, or they do not fit the description; whatever `rows` throws.
  package func finish(sweep: SweepDescription, rows: (any RowSequence)? = nil) throws -> SweepSummary {
    guard axes == sweep.axes.map(\.path) else { throw ReportError.axesDiffer(table: axes, sweep: sweep.axes.map(\.path)) }
    guard schema == sweep.schema else { throw ReportError.scenariosDiffer(table: schema.kind, sweep: sweep.schema.kind) }
    guard !points.isEmpty else { throw ReportError.noRuns }
    let margin: Margin
    if let text = sweep.margin {
      guard let given = Margin(text) else { throw ReportError.malformedMargin(text) }
      margin = given
    } else {
      margin = .none
    }
    let samples = PointSamples(
      points: points, index: index, held: held, rows: rows, isTogether: isTogether, limit: limits.gathered, keepsCosts: hasStrata)
    var summary: SweepSummary
    if let strata = sweep.strata {
      summary = try .stratified(samples, strata: strata, axes: axes, sweep: sweep, margin: margin, limits: limits)
    } else {
      let baseline = (sweep.baseline.point, sweep.baseline.axisValues)
      var group = ComparedPoints(points, baseline: baseline, sweep: sweep, margin: margin)
      try group.compareAll(samples)
      summary = SweepSummary(axes: axes, group)
      let whole = (summary, Array(points.indices), sweep.baseline)
      summary.groups = try GroupMeans.all([whole], pointCount: points.count, sweep: sweep, samples: samples, limit: limits.gathered)[0]
    }
    if sweep.sequential == nil, sweep.search == nil {
      let expected = sweep.pointCount * (sweep.deterministic ? 1 : sweep.repeats)
      summary.missingRunCount = max(0, expected - heldCount)
      // Points without any run have a sentence of their own.
      let ofKnownPoints = summary.missingRunCount - (sweep.pointCount - points.count) * (sweep.deterministic ? 1 : sweep.repeats)
      if ofKnownPoints > 0 {
        summary.warnings.append("\(summary.missingRunCount) of \(expected) runs have no row; means are over the runs that have one.")
      }
    }
    if points.count < sweep.pointCount {
      summary.warnings.insert(Self.missing(sweep.pointCount - points.count, of: sweep), at: 0)
    }
    return summary
  }

  /// Who has no runs: a search that started from an earlier sweep's ranking did not want them.
  private static func missing(_ count: Int, of sweep: SweepDescription) -> String {
    guard let prior = sweep.search?.prior else {
      return "\(count) of \(sweep.pointCount) points \(count == 1 ? "has no runs and is" : "have no runs and are") left out."
    }
    return "\(count) of \(sweep.pointCount) points did not start, since they are not among the best \(prior.best) of \(prior.results): "
      + "of them these runs say nothing. No number here comes from there."
  }
}
