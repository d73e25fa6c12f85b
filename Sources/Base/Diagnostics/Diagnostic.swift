// The problems of an input file, each with its location and a remedy.

/// A location in an input file: 1-based line, and 1-based column in Unicode scalars.
/// LF, CR and CR LF end a line; a tab counts as 1 column and a byte order mark as 0.
package struct SourceLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The file's name as the user wrote it; an option's name, such as "--set", for values from the command line.
  package var file: String
  package var line: Int
  package var column: Int

  package init(file: String, line: Int = 1, column: Int = 1) { (self.file, self.line, self.column) = (file, line, column) }

  /// Creates the location of a whole file or folder, which may not exist.
  package init(whole file: String) { self.init(file: file, line: 0, column: 0) }

  /// "file:line:column", or only the name of a whole file or of an option.
  package var description: String { line == 0 || file.hasPrefix("--") && (line, column) == (1, 1) ? file : "\(file):\(line):\(column)" }

  /// Returns true if `left` comes first: by file name, then by line and column.
  package static func < (left: SourceLocation, right: SourceLocation) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

/// A problem in the user's input: `file:line:column: key: problem; remedy`.
package struct Diagnostic: Error, Hashable, Sendable, CustomStringConvertible {
  /// A kind of problem that callers handle. The words are for people alone.
  package enum Code: Hashable, Sendable {
    /// A key that nothing reads, and a key that is given twice.
    case unknownKey, duplicateKey
    /// A required key is absent. The example is a value in the form that files have.
    case missing(example: String?)
    /// A network without a name lacks numbers.
    case missingNumbers
    /// A value is no path of a file.
    case noPath
    /// The remedy names texts without the quotes that a file needs.
    case unquoted
  }

  package var location: SourceLocation
  /// The dotted path of the value with the problem; empty for the file as a whole.
  package var key: String
  /// The problem, as a phrase after the key: "is a string, not a whole number".
  package var problem: String
  /// The remedy, as an imperative: "write 6 without quotes".
  package var remedy: String
  /// A condition of `where` that excludes the points with this problem; nil unless values of several keys contradict each other.
  package var condition: String?
  package var code: Code?

  package init(location: SourceLocation, key: String, problem: String, remedy: String, code: Code? = nil) {
    (self.location, self.key, self.problem, self.remedy, self.code) = (location, key, problem, remedy, code)
  }

  /// The most characters of a key that are printed.
  static let keyLimit = 60
  /// The most characters of one word that are printed.
  static let wordLimit = 160

  /// The message: one short line without control characters, whatever the input is.
  package var description: String {
    var location = location
    location.file = shortened(location.file, to: 200)
    let subject = key.isEmpty ? "" : "\(shortened(key, to: Self.keyLimit)): "
    return SafeText.line("\(location): \(subject)\(Self.withShortWords(problem)); \(Self.withShortWords(remedy))")
  }

  /// Returns the text with every word shortened to `wordLimit` characters.
  private static func withShortWords(_ text: String) -> String {
    guard text.utf8.count > wordLimit else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { shortened(String($0), to: wordLimit) }.joined(separator: " ")
  }
}

/// A problem of one value and its remedy, before the value's location is known.
package struct ValueProblem: Error, Hashable, Sendable {
  package var problem: String
  package var remedy: String
  package var code: Diagnostic.Code?

  package init(_ problem: String, remedy: String, code: Diagnostic.Code? = nil) {
    (self.problem, self.remedy, self.code) = (problem, remedy, code)
  }
}

/// The problems of the user's input, sorted by location.
package struct InvalidInput: Error, CustomStringConvertible, Sendable {
  /// The most problems that `description` prints.
  static let printedLimit = 50

  /// The problems, sorted by location: at most `DiagnosticSink.keptLimit`, and at most `sameLimit` with the same wording.
  package let diagnostics: [Diagnostic]
  /// The number of problems, including those that were not kept.
  package let count: Int

  package init(diagnostics: [Diagnostic], count: Int? = nil) { (self.diagnostics, self.count) = (diagnostics, count ?? diagnostics.count) }

  package init(at location: SourceLocation, key: String, problem: String, remedy: String) {
    self.init(diagnostics: [Diagnostic(location: location, key: key, problem: problem, remedy: remedy)])
  }

  /// A line for each of the first problems, then the number of further ones, if any. No newline at the end.
  package var description: String {
    var lines = diagnostics.prefix(Self.printedLimit).map(\.description)
    if count > lines.count { lines.append("… and \(count - lines.count) more") }
    return lines.joined(separator: "\n")
  }
}
