// All problems of a file together, so that they can be mended at once.

/// All the problems of a file, up to a limit.
package struct FileProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many are kept of one file.
  package static let limit = 20

  /// The problems in the file's order, at most `limit`.
  package private(set) var problems: [FileProblem] = []
  /// How many more there were.
  package private(set) var unlistedCount = 0

  /// The problems given.
  package init(_ problems: [FileProblem] = []) {
    for problem in problems { add(problem) }
  }

  /// Whether there is none.
  package var isEmpty: Bool { problems.isEmpty }

  /// Keeps a problem, or counts it where the limit is reached.
  package mutating func add(_ problem: FileProblem) {
    if problems.count < FileProblems.limit { problems.append(problem) } else { unlistedCount += 1 }
  }

  /// One problem a line, and how many were left off.
  package var description: String {
    var lines = problems.map(\.description)
    if unlistedCount > 0 { lines.append("and \(unlistedCount) more problems") }
    return lines.joined(separator: "\n")
  }
}
