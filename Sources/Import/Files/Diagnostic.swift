// The problems of an input file, each with its place and what to do about it.

import Analysis

/// A problem in the user's input: `file:line:column: key: problem; remedy`.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// Where it is.
  package var location: SourceLocation
  /// The dotted path of the value that it concerns; empty for the file as a whole.
  package var key: String
  /// What is wrong, as a phrase after the key: "is a string, not a whole number".
  package var problem: String
  /// What to do, as an imperative: "write 6 without quotes".
  package var remedy: String

  /// A problem at a place.
  package init(location: SourceLocation, key: String, problem: String, remedy: String) {
    self.location = location
    self.key = key
    self.problem = problem
    self.remedy = remedy
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
  /// What is wrong, as a phrase after the key.
  package var problem: String
  /// What to do.
  package var remedy: String

  package init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// The problems of the user's input, sorted by place.
package struct InvalidInput: Error, CustomStringConvertible, Sendable {
  /// The most problems that `description` prints.
  package static let printedLimit = 50

  /// The problems, sorted by place; at most `DiagnosticSink.keptLimit`, and `sameLimit` of one wording.
  package let diagnostics: [Diagnostic]
  /// How many there were, those that were not kept included.
  package let count: Int

  /// The problems of an input; `count` may be larger than the list.
  package init(diagnostics: [Diagnostic], count: Int? = nil) {
    self.diagnostics = diagnostics
    self.count = count ?? diagnostics.count
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
