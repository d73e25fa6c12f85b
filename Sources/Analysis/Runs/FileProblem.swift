// What is wrong in a file, where, and what to do about it; all of a file's problems are reported at once.

/// One thing wrong in a file, in the form `file:line:column: key: problem; remedy`.
public struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as the user named it.
  public let file: String
  /// The line, from 1; nil where the whole file is meant.
  public let line: Int?
  /// The column in characters, from 1; nil where the whole line is meant.
  public let column: Int?
  /// The key or column name.
  public let key: String
  /// What is wrong.
  public let problem: String
  /// What to do about it.
  public let remedy: String

  /// A problem at a place.
  public init(file: String, line: Int? = nil, column: Int? = nil, key: String, problem: String, remedy: String) {
    self.file = file
    self.line = line
    self.column = column
    self.key = key
    self.problem = problem
    self.remedy = remedy
  }

  /// `file:line:column: key: problem; remedy`.
  public var description: String {
    let place = [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
    return "\(place): \(key): \(problem); \(remedy)"
  }
}

/// All the problems of a file, up to a limit.
public struct FileProblems: Error, Hashable, Sendable, CustomStringConvertible {
  /// How many are kept of one file.
  public static let limit = 20

  /// The problems in the file's order, at most `limit`.
  public private(set) var problems: [FileProblem] = []
  /// How many more there were.
  public private(set) var unlistedCount = 0

  /// The problems given.
  public init(_ problems: [FileProblem] = []) {
    for problem in problems { add(problem) }
  }

  /// Whether there is none.
  public var isEmpty: Bool { problems.isEmpty }

  /// Keeps a problem, or counts it where the limit is reached.
  public mutating func add(_ problem: FileProblem) {
    if problems.count < FileProblems.limit { problems.append(problem) } else { unlistedCount += 1 }
  }

  /// One problem a line, and how many were left off.
  public var description: String {
    var lines = problems.map(\.description)
    if unlistedCount > 0 { lines.append("and \(unlistedCount) more problems") }
    return lines.joined(separator: "\n")
  }
}
