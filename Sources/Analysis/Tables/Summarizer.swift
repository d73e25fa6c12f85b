// Rows into summaries in one pass, so that a sweep's runs need never be in memory together.

/// Gathers rows into one summary a point; it holds some numbers a point and two numbers a run.
public struct Summarizer: Sendable {
  /// The swept parameters by their paths.
  public let axes: [String]
  /// What the rows measure.
  public let schema: RunSchema

  private var points: [PointSummary] = []
  private var place: [String: Int] = [:]
  private var last: Int?

  private let keepsCosts: Bool

  /// A summarizer of rows with the given axes; where strata are combined, or a race needs the costs too, it keeps two numbers a run more.
  public init(axes: [String], schema: RunSchema = .feed, keepsCosts: Bool = false) {
    self.axes = axes
    self.schema = schema
    self.keepsCosts = keepsCosts
  }

  /// A summarizer of a sweep's rows.
  public init(_ sweep: SweepDescription) {
    self.init(
      axes: sweep.axes.map(\.path), schema: sweep.schema, keepsCosts: sweep.strata != nil || sweep.search?.kind == .racing)
  }

  /// Whether there was no row.
  public var isEmpty: Bool { points.isEmpty }

  /// Takes the next row. Rows of one point need not follow each other; points stay in the order in which they first come.
  ///
  /// Two places of the grid that resolve to the same scenario share an id and stay two points.
  public mutating func add(_ row: RunRow) throws(ReportError) {
    let index = index(of: row)
    last = index
    if !points[index].add(row) { throw .duplicateRun(point: row.point, repetition: row.repetition) }
  }

  private mutating func index(of row: RunRow) -> Int {
    if let last, points[last].point == row.point, points[last].axisValues == row.axisValues { return last }
    let key = ([row.point] + row.axisValues).joined(separator: "\u{1F}")
    if let known = place[key] { return known }
    points.append(PointSummary(point: row.point, axisValues: row.axisValues, schema: schema, keepsCosts: keepsCosts))
    place[key] = points.count - 1
    return points.count - 1
  }

  /// The summaries of points that were run again on fresh seeds, each compared with the baseline.
  ///
  /// - Throws: `ReportError` where the rows do not fit the description.
  public func finishConfirmation(sweep: SweepDescription) throws(ReportError) -> SweepSummary {
    var fresh = sweep
    fresh.repeats = sweep.confirm?.repeats ?? 0
    (fresh.sequential, fresh.search) = (nil, nil)
    fresh.pointCount = points.count
    return try finish(sweep: fresh)
  }

  /// The summaries of all points, each compared with the sweep's baseline.
  ///
  /// - Throws: `ReportError` where there are no rows, or they do not fit the description.
  public func finish(sweep: SweepDescription) throws(ReportError) -> SweepSummary {
    guard axes == sweep.axes.map(\.path) else { throw .axesDiffer(table: axes, sweep: sweep.axes.map(\.path)) }
    guard schema == sweep.schema else { throw .scenariosDiffer(table: schema.kind, sweep: sweep.schema.kind) }
    guard !points.isEmpty else { throw .noRuns }
    let margin: Margin
    if let text = sweep.margin {
      guard let given = Margin(text) else { throw .malformedMargin(text) }
      margin = given
    } else {
      margin = .none
    }
    var summary: SweepSummary
    if let strata = sweep.strata {
      summary = try .stratified(points, strata: strata, axes: axes, sweep: sweep, margin: margin)
    } else {
      let baseline = (sweep.baseline.point, sweep.baseline.axisValues)
      summary = SweepSummary(axes: axes, points: points, baseline: baseline, sweep: sweep, margin: margin)
    }
    if points.count < sweep.pointCount {
      summary.warnings.insert(Self.missing(sweep.pointCount - points.count, of: sweep), at: 0)
    }
    return summary
  }

  /// Who has no runs: a search that started from an earlier sweep's ranking did not want them.
  private static func missing(_ count: Int, of sweep: SweepDescription) -> String {
    guard let prior = sweep.search?.prior else { return "\(count) of \(sweep.pointCount) points have no runs and are left out." }
    return "\(count) of \(sweep.pointCount) points did not start, since they are not among the best \(prior.best) of \(prior.results): "
      + "of them these runs say nothing. No number here comes from there."
  }
}
