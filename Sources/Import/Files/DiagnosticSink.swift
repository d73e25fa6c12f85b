// Collects the problems of an input, so that the user meets all of them at once and not one a run.

/// The problems found so far. A class, because a reader and the readers of its parts report to the same one.
package final class DiagnosticSink {
  /// The most problems that are kept; the rest are counted.
  static let keptLimit = 1000
  /// The most problems of one wording that are kept, so that thousands of unknown keys do not hide another mistake.
  static let sameLimit = 20

  private var kept: [Diagnostic] = []
  /// How many problems of each wording were kept.
  private var sameCounts: [String: Int] = [:]
  /// How many were reported.
  package private(set) var count = 0

  package init() {}

  /// Whether nothing was reported.
  package var isEmpty: Bool { count == 0 }

  /// True if so much was reported that looking for more does not help the user.
  package var isFull: Bool { count >= Self.keptLimit }

  /// The problems that were kept, by place and then as they were reported. O(n log n).
  package var sorted: [Diagnostic] {
    kept.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// Everything that was reported.
  package var found: InvalidInput { InvalidInput(diagnostics: sorted, count: count) }

  /// Takes note of a problem. Place, key and remedy are made only if the problem is kept.
  package func report(
    at location: @autoclosure () -> SourceLocation, key: @autoclosure () -> String = "", problem: String,
    remedy: @autoclosure () -> String
  ) {
    guard keeps(problem) else { return countMore(1) }
    report(Diagnostic(location: location(), key: key(), problem: problem, remedy: remedy()))
  }

  /// Takes note of what is wrong with the value at `location`.
  package func report(_ problem: ValueProblem, at location: SourceLocation, key: @autoclosure () -> String) {
    report(at: location, key: key(), problem: problem.problem, remedy: problem.remedy)
  }

  /// What `body` returns; nil after its problem with the value at `location` was reported.
  @discardableResult
  package func value<Value>(at location: SourceLocation, key: @autoclosure () -> String, _ body: () throws(ValueProblem) -> Value) -> Value?
  {
    do throws(ValueProblem) { return try body() } catch {
      report(error, at: location, key: key())
      return nil
    }
  }

  /// Takes note of a problem.
  package func report(_ diagnostic: Diagnostic) {
    count += 1
    guard keeps(diagnostic.problem) else { return }
    sameCounts[diagnostic.problem, default: 0] += 1
    kept.append(diagnostic)
  }

  /// Takes note of all that another reading found, what it only counted included.
  package func report(_ found: InvalidInput) {
    found.diagnostics.forEach(report)
    countMore(found.count - found.diagnostics.count)
  }

  /// True if a problem of this wording would be kept.
  package func keeps(_ problem: String) -> Bool {
    kept.count < Self.keptLimit && sameCounts[problem, default: 0] < Self.sameLimit
  }

  /// Counts problems that are not kept.
  package func countMore(_ more: Int) { count += more }

  /// Throws everything that was reported, if anything was.
  /// - Throws: `InvalidInput` with everything reported, if anything was.
  package func throwIfAny() throws(InvalidInput) {
    if !isEmpty { throw found }
  }
}
