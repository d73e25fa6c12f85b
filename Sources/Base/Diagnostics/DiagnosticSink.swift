// Collects the problems of an input, so that the user sees all of them at once.

/// The problems found so far. A class, because the readers of all parts report to one sink.
package final class DiagnosticSink {
  /// The most problems that are kept; the rest are counted.
  static let keptLimit = 1000
  /// The most problems with one wording that are kept, so that thousands of unknown keys do not hide another mistake.
  static let sameLimit = 20

  private var kept: [Diagnostic] = []
  /// The number of kept problems of each wording, without what it quotes.
  private var sameCounts: [String: Int] = [:]
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// True if the sink keeps no more problems, so that looking for more does not help the user.
  package var isFull: Bool { count >= Self.keptLimit }

  /// The kept problems, by location and then in the order of their reports. O(n log n).
  package var sorted: [Diagnostic] {
    kept.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// The kept problems and the number of all, as an error.
  package var found: InvalidInput { InvalidInput(diagnostics: sorted, count: count) }

  /// Reports a problem. Location, key and remedy are evaluated only if the problem is kept.
  package func report(
    at location: @autoclosure () -> SourceLocation, key: @autoclosure () -> String = "", problem: String,
    remedy: @autoclosure () -> String, code: Diagnostic.Code? = nil
  ) {
    guard keeps(problem) else { return countMore(1) }
    report(Diagnostic(location: location(), key: key(), problem: problem, remedy: remedy(), code: code))
  }

  package func report(_ problem: ValueProblem, at location: SourceLocation, key: @autoclosure () -> String) {
    report(at: location, key: key(), problem: problem.problem, remedy: problem.remedy, code: problem.code)
  }

  /// Returns the result of `body`; nil after its problem was reported at `location`.
  @discardableResult
  package func value<Value>(at location: SourceLocation, key: @autoclosure () -> String, _ body: () throws(ValueProblem) -> Value) -> Value?
  {
    do throws(ValueProblem) { return try body() } catch {
      report(error, at: location, key: key())
      return nil
    }
  }

  /// Reports a problem; it is kept unless a limit is reached.
  package func report(_ diagnostic: Diagnostic) {
    count += 1
    guard keeps(diagnostic.problem) else { return }
    sameCounts[Self.wording(diagnostic.problem), default: 0] += 1
    kept.append(diagnostic)
  }

  /// Changes the kept problems at a location. False if there are none.
  package func change(at location: SourceLocation, _ change: (inout Diagnostic) -> Void) -> Bool {
    let indices = kept.indices.filter { kept[$0].location == location }
    for index in indices { change(&kept[index]) }
    return !indices.isEmpty
  }

  /// Reports all problems of another reading, and counts those that it did not keep.
  package func report(_ found: InvalidInput) {
    found.diagnostics.forEach(report)
    countMore(found.count - found.diagnostics.count)
  }

  /// True if a value at a path, or within it, has a kept problem.
  package func hasProblem(at path: String) -> Bool { kept.contains { $0.key == path || $0.key.hasPrefix(path + ".") } }

  /// True if a problem of this wording would be kept.
  package func keeps(_ problem: String) -> Bool {
    kept.count < Self.keptLimit && sameCounts[Self.wording(problem), default: 0] < Self.sameLimit
  }

  /// Returns a problem without the numbers and the words of the input that it repeats: problems of one wording are alike.
  private static func wording(_ problem: String) -> String {
    let start = problem.hasPrefix("is ") ? nil : problem.firstRange(of: " is not a ")?.lowerBound
    var (wording, isQuoted, isNumber) = ("", false, false)
    for scalar in problem[(start ?? problem.startIndex)...].unicodeScalars {
      if scalar == "\"" { isQuoted.toggle() }
      let isDigit = ("0"..."9").contains(scalar) || isNumber && scalar.properties.isAlphabetic
      if !isQuoted, !isDigit || !isNumber { wording.unicodeScalars.append(isDigit ? "0" : scalar) }
      isNumber = isDigit || isNumber && scalar == "."
    }
    return wording
  }

  /// Counts problems that are not kept.
  package func countMore(_ more: Int) { count += more }

  /// - Throws: `InvalidInput` with everything reported, if anything was.
  package func throwIfAny() throws(InvalidInput) {
    if !isEmpty { throw found }
  }
}
