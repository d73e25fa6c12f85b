// Collects the problems of an input, so that the user meets all of them at once and not one a run.

/// The problems found so far. A class, because a reader and the readers of its parts report to the same one.
final class DiagnosticSink {
  /// The most problems that are kept; the rest are counted.
  static let keptLimit = 1000

  private var kept: [Diagnostic] = []
  /// How many were reported.
  private(set) var count = 0

  /// Whether nothing was reported.
  var isEmpty: Bool { count == 0 }

  /// The problems that were kept, by place and then as they were reported. O(n log n).
  var sorted: [Diagnostic] {
    kept.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// Takes note of a problem.
  func report(at location: SourceLocation, key: String = "", problem: String, remedy: String) {
    report(Diagnostic(location: location, key: key, problem: problem, remedy: remedy))
  }

  /// Takes note of what is wrong with the value at `location`.
  func report(_ problem: ValueProblem, at location: SourceLocation, key: String) {
    report(at: location, key: key, problem: problem.problem, remedy: problem.remedy)
  }

  /// Takes note of a problem.
  func report(_ diagnostic: Diagnostic) {
    count += 1
    if kept.count < Self.keptLimit { kept.append(diagnostic) }
  }

  /// Throws everything that was reported, if anything was.
  func throwIfAny() throws(InvalidInput) {
    if !isEmpty { throw InvalidInput(diagnostics: sorted, count: count) }
  }
}
