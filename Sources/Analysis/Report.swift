// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

/// A file of the report: its name in the results folder and its contents.
public struct ReportFile: Hashable, Sendable {
  /// The name in the results folder, e.g. `summary.csv`.
  public let name: String
  /// The contents, UTF-8.
  public let contents: String
}

/// All files of a report, in the order in which they are written.
public struct ReportFiles: Hashable, Sendable {
  /// The files, `summary.csv` and `report.md`.
  public let files: [ReportFile]

  /// The contents of one of them; nil where there is none of this name.
  public subscript(name: String) -> String? { files.first { $0.name == name }?.contents }
}

/// Why no report could be made of runs that are well-formed by themselves.
public enum ReportError: Error, Hashable, Sendable {
  /// The table's axes are not the description's.
  case axesDiffer(table: [String], sweep: [String])
  /// There is no row at all.
  case noRuns
  /// A run stands there twice.
  case duplicateRun(point: String, repetition: Int)
  /// The margin is neither a percentage nor a number.
  case malformedMargin(String)
}

/// Makes a report.
public enum Report {
  /// The report of a whole table: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  public static func make(runs: RunTable, sweep: SweepDescription) throws(ReportError) -> ReportFiles {
    var summarizer = Summarizer(axes: runs.axes)
    for row in runs.rows { try summarizer.add(row) }
    return make(summary: try summarizer.finish(sweep: sweep), sweep: sweep)
  }

  /// The report of runs that were summarized as they came.
  public static func make(summary: SweepSummary, sweep: SweepDescription) -> ReportFiles {
    ReportFiles(files: [])
  }
}

/// Gathers rows into one summary a point, in one pass; it holds a few numbers a point and one a run.
public struct Summarizer {
  /// A summarizer of rows with the given axes.
  public init(axes: [String]) {}

  /// Takes the next row. Rows of one point need not follow each other.
  public mutating func add(_ row: RunRow) throws(ReportError) {}

  /// The summaries of all points, each compared with the sweep's baseline.
  public func finish(sweep: SweepDescription) throws(ReportError) -> SweepSummary { SweepSummary() }
}

/// All points of a sweep, each compared with the baseline.
public struct SweepSummary: Sendable {}

/// The small closing table for a terminal.
public enum TerminalSummary {
  /// The sentence that says what won, the best five points and the baseline, in lines of at most `width` columns.
  public static func text(_ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false) -> String { "" }
}
