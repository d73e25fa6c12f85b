// From a sweep's runs to its summary.

extension RunColumns {
  /// Returns the summary of the confirmation runs.
  ///
  /// - Throws: `ReportError` if the rows do not fit the description.
  package func confirmation(sweep: SweepDescription) throws(ReportError) -> SweepSummary {
    var description = sweep
    description.repeats = sweep.confirm?.repeats ?? 0
    (description.sequential, description.search) = (nil, nil)
    description.pointCount = points.count
    return try summary(sweep: description)
  }

  /// Returns the summary of the sweep, with its confirmation if there are runs of it. O(runs), more for the exact test.
  ///
  /// - Throws: `ReportError` if there are no rows, or they do not fit the description.
  package func summary(sweep: SweepDescription, confirmation: RunColumns? = nil) throws(ReportError) -> SweepSummary {
    guard axes == sweep.axes.map(\.path) else { throw .axesDiffer(table: axes, sweep: sweep.axes.map(\.path)) }
    guard schema == sweep.schema else { throw .scenariosDiffer(table: schema.title, sweep: sweep.schema.title) }
    let points = points
    if points.isEmpty { throw .noRuns }
    let margin = try sweep.margin.map { (text) throws(ReportError) in
      guard let margin = Margin(text) else { throw .malformedMargin(text) }
      return margin
    }
    var sweep = sweep
    sweep.strata = sweep.strata?.weighted(byBaselinesAmong: points)
    var summary: SweepSummary
    if let strata = sweep.strata {
      summary = try stratified(strata, sweep: sweep, margin: margin ?? .none)
    } else {
      let baseline = (sweep.baseline.point, sweep.baseline.axisValues)
      let own = Array(axes.indices)
      summary = SweepSummary(
        axes: axes, points: points.map { PointSummary($0, axes: own) }, baseline: baseline, sweep: sweep, margin: margin ?? .none)
      summary.marginalMeans = MarginalMeans(summary, isBaselineInGrid: sweep.baseline.inGrid, sweep: sweep)
    }
    if sweep.sequential == nil, sweep.search == nil {
      let repeats = sweep.deterministic ? 1 : sweep.repeats
      let expected = sweep.pointCount * repeats
      summary.missingRunCount = max(0, expected - count)
      // A warning of its own covers points without any run.
      if summary.missingRunCount - (sweep.pointCount - points.count) * repeats > 0 {
        summary.warnings.append("\(summary.missingRunCount) of \(expected) runs have no row; means are over the runs that have one.")
      }
    }
    if points.count < sweep.pointCount {
      summary.warnings.insert(Self.missing(sweep.pointCount - points.count, of: sweep), at: 0)
    }
    guard let confirmation, !confirmation.isEmpty else { return summary }
    return summary.confirmed(by: try confirmation.confirmation(sweep: sweep))
  }

  /// Returns the warning about points without runs; a search that starts from an earlier sweep's ranking excludes points on purpose.
  private static func missing(_ count: Int, of sweep: SweepDescription) -> String {
    guard let prior = sweep.search?.prior else {
      return "\(count) of \(sweep.pointCount) points \(count == 1 ? "has no runs and is" : "have no runs and are") left out."
    }
    return "\(count) of \(sweep.pointCount) points did not start, because they are not among the best \(prior.best) of \(prior.results). "
      + "No number here comes from that sweep."
  }
}
