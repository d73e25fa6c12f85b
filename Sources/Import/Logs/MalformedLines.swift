// What becomes of malformed lines: an import ends with them, or leaves them out and counts them, as it was asked.

/// The malformed lines of an import. A class, because whoever reads and whoever reports share it.
package final class MalformedLines {
  /// So many are named; an import that may not leave any out reads on until it has found so many.
  package static let namedLimit = 20

  private let file: String
  private let isSkipping: Bool
  /// The first of them.
  private(set) var named: [Diagnostic] = []
  /// How many there were.
  private(set) var count = 0

  package init(file: String, isSkipping: Bool) {
    self.file = file
    self.isSkipping = isSkipping
  }

  /// Takes note of one.
  ///
  /// - Throws: `InvalidInput` where they are fatal and enough have been found to tell.
  func note(_ problem: LineProblem, line: Int) throws(InvalidInput) {
    count += 1
    if named.count < Self.namedLimit {
      named.append(
        Diagnostic(location: SourceLocation(file: file, line: line), key: "", problem: problem.problem, remedy: problem.remedy))
    }
    if !isSkipping, count == Self.namedLimit { throw InvalidInput(diagnostics: named, count: count) }
  }

  /// Ends the reading.
  ///
  /// - Throws: `InvalidInput` where they are fatal and there were any.
  package func finish() throws(InvalidInput) { if !isSkipping, count > 0 { throw InvalidInput(diagnostics: named, count: count) } }
}
