// The problems of an input file, each with its place and what to do about it.

import Analysis

/// A place in an input file: 1-based line, and 1-based column in Unicode scalars.
///
/// LF, CR and CR LF end a line; a tab counts as one column and a byte order mark as none.
package struct SourceLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The file's name as the user wrote it; "--set" for what came from the command line.
  package var file: String
  package var line: Int
  package var column: Int

  package init(file: String, line: Int = 1, column: Int = 1) { (self.file, self.line, self.column) = (file, line, column) }

  /// A file or folder as a whole, which may not even be there.
  package init(whole file: String) { self.init(file: file, line: 0, column: 0) }

  /// "file:line:column"; the name alone of a whole file, and of an option whose value has no location of its own.
  package var description: String {
    line == 0 || file.hasPrefix("--") && (line, column) == (1, 1) ? file : "\(file):\(line):\(column)"
  }

  /// Whether `left` comes first: by file name, then by place.
  package static func < (left: SourceLocation, right: SourceLocation) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

/// A problem in the user's input: `file:line:column: key: problem; remedy`.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  package var location: SourceLocation
  /// The dotted path of the value that it concerns; empty for the file as a whole.
  package var key: String
  /// What is wrong, as a phrase after the key: "is a string, not a whole number".
  package var problem: String
  /// What to do, as an imperative: "write 6 without quotes".
  package var remedy: String

  package init(location: SourceLocation, key: String, problem: String, remedy: String) {
    (self.location, self.key, self.problem, self.remedy) = (location, key, problem, remedy)
  }

  /// The most characters of a key that are printed.
  static let keyLimit = 60
  /// The most characters without a space between them that are printed.
  static let wordLimit = 160

  /// The line that is printed: one line, without characters that command a terminal, and short whatever the input is.
  package var description: String {
    var location = location
    location.file = shortened(location.file, to: 200)
    let subject = key.isEmpty ? "" : "\(shortened(key, to: Self.keyLimit)): "
    return SafeText.line("\(location): \(subject)\(Self.withShortWords(problem)); \(Self.withShortWords(remedy))")
  }

  /// The text with an ellipsis in place of what exceeds `wordLimit` in any of its words.
  private static func withShortWords(_ text: String) -> String {
    guard text.utf8.count > wordLimit else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { shortened(String($0), to: wordLimit) }.joined(separator: " ")
  }
}

/// What is wrong with one value and what to do, before it is known where the value stands.
package struct ValueProblem: Error, Hashable, Sendable {
  package var problem: String
  package var remedy: String

  package init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
}

/// The problems of the user's input, sorted by place.
package struct InvalidInput: Error, CustomStringConvertible, Sendable {
  /// The most problems that `description` prints.
  static let printedLimit = 50

  /// The problems, sorted by place; at most `DiagnosticSink.keptLimit`, and `sameLimit` of one wording.
  package let diagnostics: [Diagnostic]
  /// How many there were, those that were not kept included.
  package let count: Int

  package init(diagnostics: [Diagnostic], count: Int? = nil) {
    (self.diagnostics, self.count) = (diagnostics, count ?? diagnostics.count)
  }

  /// A single problem.
  package init(at location: SourceLocation, key: String, problem: String, remedy: String) {
    self.init(diagnostics: [Diagnostic(location: location, key: key, problem: problem, remedy: remedy)])
  }

  /// A line for each of the first problems and, if there are more, one that says how many; no newline at the end.
  package var description: String {
    var lines = diagnostics.prefix(Self.printedLimit).map(\.description)
    if count > lines.count { lines.append("… and \(count - lines.count) more") }
    return lines.joined(separator: "\n")
  }
}
