// Where something stands in a file that a person wrote, so that a message can point at it.

/// A place in an input file: 1-based line, and 1-based column in Unicode scalars.
///
/// LF, CR and CR LF end a line; a tab counts as one column and a byte order mark as none.
package struct SourceLocation: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The file's name as the user wrote it; "--set" for what came from the command line.
  package var file: String
  /// The line, counted from 1.
  package var line: Int
  /// The column, counted from 1 in Unicode scalars.
  package var column: Int

  /// The place `line`:`column` in `file`.
  package init(file: String, line: Int = 1, column: Int = 1) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// "file:line:column"; the name alone of an option whose value has no place of its own.
  package var description: String { file.hasPrefix("--") && (line, column) == (1, 1) ? file : "\(file):\(line):\(column)" }

  /// Whether `left` comes first: by file name, then by place.
  package static func < (left: SourceLocation, right: SourceLocation) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}
