// From a sweep's runs to its summary.

extension RunColumns {
  /// Returns the summary of the sweep. `confirmation` gets it, and returns the runs of its finalists on new seeds; nil for none.
  /// O(runs), more for the exact test.
  /// - Throws: `ReportError` if there are no rows, or they do not fit the description, and what `confirmation` throws.
  package func summary(sweep: SweepDescription, confirmation: (SweepSummary) throws -> RunColumns? = { _ in nil }) throws -> SweepSummary {
    // The worlds that count are those of the sweep's own runs, for the confirmation too.
    var sweep = sweep
    sweep.strata = sweep.strata?.weighted(byBaselinesAmong: points)
    let summary = try compared(sweep)
    guard let runs = try confirmation(summary), !runs.isEmpty else { return summary }
    sweep.repeats = sweep.confirm?.repeats ?? 0
    (sweep.sequential, sweep.search) = (nil, nil)
    sweep.pointCount = runs.points.count
    return summary.confirmed(by: try runs.compared(sweep))
  }

  /// Returns the summary of these runs alone.
  /// - Throws: `ReportError` if there are no rows, or they do not fit the description.
  private func compared(_ sweep: SweepDescription) throws(ReportError) -> SweepSummary {
    guard axes == sweep.axes.map(\.path) else { throw .axesDiffer(table: axes, sweep: sweep.axes.map(\.path)) }
    guard schema == sweep.schema else { throw .scenariosDiffer(table: schema.title, sweep: sweep.schema.title) }
    let points = points
    if points.isEmpty { throw .noRuns }
    let margin = sweep.margin.flatMap(Margin.init) ?? Margin.none
    var summary: SweepSummary
    if let strata = sweep.strata {
      summary = try stratified(strata, sweep: sweep, margin: margin)
    } else {
      let baseline = (sweep.baseline.point, sweep.baseline.axisValues)
      let own = Array(axes.indices)
      summary = SweepSummary(
        axes: axes, points: points.map { PointSummary($0, axes: own) }, baseline: baseline, sweep: sweep, margin: margin)
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
    if points.count < sweep.pointCount { summary.warnings.insert(Self.missing(sweep.pointCount - points.count, of: sweep), at: 0) }
    return summary
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
