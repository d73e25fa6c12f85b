// The files that a sweep names, each read and parsed once.

import Base
import Synchronization

package struct ReadFile<Contents: Sendable>: Sendable {
  /// The parsed contents; nil if the file is malformed.
  let contents: Contents?
  let hash: String
  let problems: InvalidInput
}

/// Reads files relative to a folder and caches them; threads may share it.
package final class InputFiles: Sendable {
  private struct Known {
    var path: String
    /// The hash of the contents; nil if the file cannot be read.
    var hash: String?
    /// A `Result` whose type the file's reader knows.
    var result: any Sendable
  }

  /// The folder where relative paths start; an empty one is the working folder.
  package let folder: String
  /// The files by path as written and by the way of reading.
  private let known = Mutex<[String: Known]>([:])
  private let remedy: String

  package init(folder: String, remedy: String = InputFile.usualRemedy) { (self.folder, self.remedy) = (folder, remedy) }

  package func resolved(_ path: String) -> String { InputFile.path(path, in: folder) }

  /// The files read so far: paths as written, sorted, with hashes of their contents.
  package var hashes: [(path: String, hash: String)] {
    let read = known.withLock { known in known.values.compactMap { file in file.hash.map { (file.path, $0) } } }
    // A file read in several ways is listed once.
    return Dictionary(read, uniquingKeysWith: { first, _ in first }).map { (path: $0.key, hash: $0.value) }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// Reads a file on first use; `reading` identifies the way of reading in the cache.
  /// - Throws: `ValueProblem` if the file cannot be read.
  func contents<Contents: Sendable>(
    _ path: String, _ reading: String, _ read: (InputFile, DiagnosticSink) -> Contents?
  ) throws(ValueProblem) -> ReadFile<Contents> {
    try known.withLock { known in
      let key = "\(path)\u{0}\(reading)"
      if let result = known[key]?.result as? Result<ReadFile<Contents>, ValueProblem> { return result }
      let result = Result { () throws(ValueProblem) -> ReadFile<Contents> in
        let (file, sink) = (try InputFile(path: resolved(path), remedy: remedy), DiagnosticSink())
        let contents = read(file, sink)
        return ReadFile(contents: sink.isEmpty ? contents : nil, hash: file.hash, problems: sink.found)
      }
      known[key] = Known(path: path, hash: try? result.get().hash, result: result)
      return result
    }.get()
  }
}

extension ObjectReader {
  /// Reads the file at the path under a key, records its hash and reports its problems; nil after a report.
  func contents<Contents: Sendable>(
    of key: String, at path: String, in files: InputFiles, reading: String = "", _ read: (InputFile, DiagnosticSink) -> Contents?
  ) -> Contents? {
    guard let file = result(of: key, { () throws(ValueProblem) in try files.contents(path, "\(key) \(reading)", read) }) else { return nil }
    record("\(key).contents", file.hash)
    context.sink.report(file.problems)
    return file.contents
  }
}
