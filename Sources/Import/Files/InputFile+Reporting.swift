// Reads a file that another file names; where it cannot be read, the naming place is at fault.

extension InputFile {
  /// Reads the file at `path`, called `name` in messages; nil after a report at the place that names it. O(size).
  package static func read(
    path: String, name: String? = nil, at location: SourceLocation, key: String, into sink: DiagnosticSink
  ) -> InputFile? {
    do { return try InputFile(path: path, name: name) } catch {
      sink.report(error, at: location, key: key)
      return nil
    }
  }

  /// The start of the file.
  package var start: SourceLocation { SourceLocation(file: name) }
}
