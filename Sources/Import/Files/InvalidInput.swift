// What a boundary throws when the input has problems: all of them at once.

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

  /// A line for each of the first problems and, if there are more, one that says how many; no newline at the end.
  package var description: String {
    var lines = diagnostics.prefix(Self.printedLimit).map(\.description)
    if count > lines.count { lines.append("… and \(count - lines.count) more") }
    return lines.joined(separator: "\n")
  }
}
