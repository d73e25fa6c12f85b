// Tables of rows as summaries.

extension SweepSummary {
  /// The summary of a whole table, and of the rows on fresh seeds where there are any. Rows are streamed, a large table's several times;
  /// see `Summarizer` for what is in memory.
  ///
  /// - Throws: `ReportError` where table and description do not fit, and whatever the tables throw, which comes first.
  package static func of(runs: some RowTable, confirmation: (any RowTable)? = nil, sweep: SweepDescription) throws -> SweepSummary {
    let summarizer = try summarized(runs, sweep)
    let fresh = try confirmation.map { ($0, try summarized($0, sweep)) }
    let summary = try summarizer.get().finish(sweep: sweep, rows: runs)
    guard let (rows, fresh) = fresh else { return summary }
    return try confirmed(summary, by: try fresh.get(), rows: rows, sweep: sweep)
  }

  /// Goes over all rows of a table; what does not fit the description is thrown only when the summarizer is asked for, since what is
  /// wrong with a file itself comes first.
  private static func summarized(_ table: some RowTable, _ sweep: SweepDescription) throws -> Result<Summarizer, ReportError> {
    var summarizer = Summarizer(axes: table.axes, schema: table.schema, sweep: sweep)
    var problem: ReportError?
    try table.forEachRow { row in
      guard problem == nil else { return }
      do throws(ReportError) { try summarizer.add(row) } catch { problem = error }
    }
    return problem.map { .failure($0) } ?? .success(summarizer)
  }

  /// A summary beside what its best points show on fresh seeds, whose rows were summarized as they came; `rows` are these once more.
  package static func confirmed(
    _ summary: SweepSummary, by fresh: Summarizer, rows: (any RowSequence)? = nil, sweep: SweepDescription
  ) throws -> SweepSummary {
    fresh.isEmpty ? summary : summary.confirmed(by: try fresh.finishConfirmation(sweep: sweep, rows: rows))
  }
}
