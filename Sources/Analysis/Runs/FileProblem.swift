// What is wrong in a file, where, and what to do about it.

/// One thing wrong in a file, in the form `file:line:column: key: problem; remedy`.
package struct FileProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file as the user named it.
  package let file: String
  /// The line, from 1; nil where the whole file is meant.
  package let line: Int?
  /// The column in characters, from 1; nil where the whole line is meant.
  package let column: Int?
  /// The key or column name.
  package let key: String
  /// What is wrong.
  package let problem: String
  /// What to do about it.
  package let remedy: String

  /// A problem at a place.
  package init(file: String, line: Int? = nil, column: Int? = nil, key: String, problem: String, remedy: String) {
    self.file = file
    self.line = line
    self.column = column
    self.key = key
    self.problem = problem
    self.remedy = remedy
  }

  /// `file:line:column: key: problem; remedy`.
  package var description: String {
    let place = [file, line.map(String.init), column.map(String.init)].compactMap { $0 }.joined(separator: ":")
    return "\(place): \(key): \(problem); \(remedy)"
  }
}
