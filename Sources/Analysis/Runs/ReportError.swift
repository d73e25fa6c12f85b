// What can be wrong between runs and description that are each well-formed.

/// Why no report could be made of runs that are well-formed by themselves.
package enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The table's axes are not the description's.
  case axesDiffer(table: [String], sweep: [String])
  /// The table's columns are those of another kind of scenario.
  case scenariosDiffer(table: String, sweep: String)
  /// There is no row at all.
  case noRuns
  /// A run stands there twice.
  case duplicateRun(point: String, repetition: Int)
  /// Two rows of one repetition have different seeds.
  case seedsDiffer(repetition: Int, UInt64, UInt64)
  /// A row belongs to no stratum of the description.
  case unknownStratum([String])
  /// The margin is neither a percentage nor a number.
  case malformedMargin(String)

  /// What is wrong and what to do about it.
  package var description: String {
    switch self {
    case .axesDiffer(let table, let sweep):
      "axes: runs.csv has `\(Excerpt.text(table.joined(separator: ",")))`, sweep.json `\(Excerpt.text(sweep.joined(separator: ",")))`; take both from the same sweep"
    case .scenariosDiffer(let table, let sweep):
      "scenario: runs.csv has the columns of `\(table)`, sweep.json is of `\(sweep)`; take both from the same sweep"
    case .noRuns: "runs.csv: there are no runs; run the sweep first"
    case .duplicateRun(let point, let repetition):
      "runs.csv: point \(point), repetition \(repetition) stands there twice; remove one of the rows"
    case .seedsDiffer(let repetition, let first, let second):
      "runs.csv: repetition \(repetition) has the seeds \(first) and \(second); take all rows from the same sweep"
    case .unknownStratum(let values):
      "runs.csv: `\(Excerpt.text(values.joined(separator: ",")))` is no stratum of sweep.json; take both from the same sweep"
    case .malformedMargin(let text):
      "margin: `\(Excerpt.text(text))` is no margin; give per cent of the baseline such as `2%`, or loaders per 1000 such as `0.5`"
    }
  }
}
