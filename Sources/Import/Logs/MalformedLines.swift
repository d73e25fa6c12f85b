// Malformed lines: an import ends with them, or leaves them out and counts them, as it was asked.

/// What is wrong with a line.
struct LineProblem: Error {
  let problem: String
  let remedy: String

  init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// The malformed lines of an import. A class, because whoever reads and whoever reports share it.
final class MalformedLines {
  /// So many are named; an import that may not leave any out reads on until it has found so many.
  static let namedLimit = 20

  private let file: String
  private let isSkipping: Bool
  /// The first of them.
  private(set) var named: [Diagnostic] = []
  /// How many there were.
  private(set) var count = 0

  init(file: String, isSkipping: Bool) {
    self.file = file
    self.isSkipping = isSkipping
  }

  /// Takes note of one.
  ///
  /// - Throws: `InvalidInput` where they are fatal and enough have been found to tell.
  func note(_ problem: LineProblem, line: Int) throws(InvalidInput) {
    count += 1
    if named.count < Self.namedLimit { named.append(diagnostic(problem, line: line)) }
    if !isSkipping, count == Self.namedLimit { throw InvalidInput(diagnostics: named, count: count) }
  }

  /// Those that are named, and a problem that ends the import whatever was asked.
  func fatal(_ problem: LineProblem, line: Int = 1) -> InvalidInput {
    InvalidInput(diagnostics: named + [diagnostic(problem, line: line)])
  }

  /// Ends the reading.
  ///
  /// - Throws: `InvalidInput` where they are fatal and there were any.
  func finish() throws(InvalidInput) { if !isSkipping, count > 0 { throw InvalidInput(diagnostics: named, count: count) } }

  private func diagnostic(_ problem: LineProblem, line: Int) -> Diagnostic {
    Diagnostic(location: SourceLocation(file: file, line: line), key: "", problem: problem.problem, remedy: problem.remedy)
  }
}
