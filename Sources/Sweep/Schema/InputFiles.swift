// The files that a sweep names, read and parsed once each, however many points name them.

import Import
import Simulation
import Synchronization

package struct ReadFile<Contents: Sendable>: Sendable {
  /// Nil if it was malformed.
  let contents: Contents?
  let hash: String
  let problems: InvalidInput
}

/// Reads files relative to a folder and remembers them; may be shared by threads.
package final class InputFiles: Sendable {
  private struct Known {
    var path: String
    /// Nil where there is no such readable file.
    var hash: String?
    /// A `Result` of the file, whose type its reader knows.
    var result: any Sendable
  }

  /// The folder that relative paths start from; empty for the working folder.
  package let folder: String
  /// By path as written, and whatever else decides how it is read.
  private let known = Mutex<[String: Known]>([:])

  package init(folder: String) { self.folder = folder }

  /// A path as the program must open it.
  package func resolved(_ path: String) -> String { InputFile.path(path, in: folder) }

  /// The files that were read so far by their paths as written, sorted, with the hashes of their contents.
  package var hashes: [(path: String, hash: String)] {
    let read = known.withLock { known in known.values.compactMap { file in file.hash.map { (file.path, $0) } } }
    // A file that was read in several ways stands there once.
    return Dictionary(read, uniquingKeysWith: { first, _ in first }).map { (path: $0.key, hash: $0.value) }
      .sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// The file at a path, read the first time that it is asked for; `reading` says how.
  /// - Throws: `ValueProblem` if there is no such readable file.
  func contents<Contents: Sendable>(
    _ path: String, _ reading: String, _ read: (InputFile, DiagnosticSink) -> Contents?
  ) throws(ValueProblem) -> ReadFile<Contents> {
    try known.withLock { known in
      let key = "\(path)\u{0}\(reading)"
      if let result = known[key]?.result as? Result<ReadFile<Contents>, ValueProblem> { return result }
      let result: Result<ReadFile<Contents>, ValueProblem>
      do throws(ValueProblem) {
        let (file, sink) = (try InputFile(path: resolved(path)), DiagnosticSink())
        let contents = read(file, sink)
        result = .success(ReadFile(contents: sink.isEmpty ? contents : nil, hash: file.hash, problems: sink.found))
      } catch { result = .failure(error) }
      known[key] = Known(path: path, hash: try? result.get().hash, result: result)
      return result
    }.get()
  }
}

extension ObjectReader {
  /// Reads the file at the path under a key, records a hash of its contents and reports what is wrong with it; nil after a report.
  func contents<Contents: Sendable>(
    of key: String, at path: String, in files: InputFiles, reading: String = "", _ read: (InputFile, DiagnosticSink) -> Contents?
  ) -> Contents? {
    let file = context.sink.value(at: location(of: key), key: self.path(of: key)) { () throws(ValueProblem) in
      try files.contents(path, "\(key) \(reading)", read)
    }
    guard let file else { return nil }
    record("\(key).contents", file.hash)
    context.sink.report(file.problems)
    return file.contents
  }
}
