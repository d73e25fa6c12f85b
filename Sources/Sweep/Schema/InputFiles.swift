// The files that a sweep names, read and parsed once each, however many points name them.

import Import
import Simulation
import Synchronization

/// A trace as it was read.
package struct TraceFile: Sendable {
  /// Its rates; nil if it was malformed.
  package var link: LinkRate?
  /// A hash of its contents.
  package var hash: String
  package var problems: InvalidInput
}

/// A feed as it was read.
package struct FeedFile: Sendable {
  /// Its items; nil if it was malformed.
  package var items: ContiguousArray<Item>?
  /// A hash of its contents.
  package var hash: String
  package var problems: InvalidInput
}

/// A file that was read, whatever its kind.
private protocol ReadFile: Sendable {
  /// A hash of its contents.
  var hash: String { get }
}

extension TraceFile: ReadFile {}
extension FeedFile: ReadFile {}
extension RecordingFile: ReadFile {}

/// The files of one kind that were read, or why one could not be.
private struct KnownFiles<File: ReadFile> {
  /// By path as written, and whatever else decides how it is read.
  private var results: [String: (path: String, result: Result<File, ValueProblem>)] = [:]

  /// The file at a path, read the first time that it is asked for.
  mutating func cached(
    _ path: String, of files: InputFiles, options: String = "", read: (InputFile) -> File
  ) -> Result<File, ValueProblem> {
    let key = "\(path)\u{0}\(options)"
    if let known = results[key] { return known.result }
    let result: Result<File, ValueProblem>
    do throws(ValueProblem) { result = .success(read(try InputFile(path: files.resolved(path)))) } catch { result = .failure(error) }
    results[key] = (path, result)
    return result
  }

  /// The paths of those that could be read, each with the hash of its contents; in no order.
  var hashes: [(path: String, hash: String)] {
    results.values.compactMap { path, result in (try? result.get()).map { (path: path, hash: $0.hash) } }
  }
}

/// Reads files relative to a folder and remembers them; may be shared by threads.
package final class InputFiles: Sendable {
  private struct Cache {
    var traces = KnownFiles<TraceFile>()
    var feeds = KnownFiles<FeedFile>()
    var recordings = KnownFiles<RecordingFile>()

    var hashes: [(path: String, hash: String)] { traces.hashes + feeds.hashes + recordings.hashes }
  }

  /// The folder that relative paths start from; empty for the working folder.
  package let folder: String
  private let cache = Mutex(Cache())

  package init(folder: String) { self.folder = folder }

  /// A path as the program must open it.
  package func resolved(_ path: String) -> String { InputFile.path(path, in: folder) }

  /// The files that were read so far by their paths as written, sorted, with the hashes of their contents.
  package var hashes: [(path: String, hash: String)] {
    // A file that was read in several ways stands there once.
    let hashes = Dictionary(cache.withLock { $0.hashes }, uniquingKeysWith: { first, _ in first })
    return hashes.map { (path: $0.key, hash: $0.value) }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// The trace at a path.
  /// - Throws: `ValueProblem` if there is no such readable file, or it is malformed.
  package func trace(_ path: String, options: TraceOptions) throws(ValueProblem) -> TraceFile {
    try cache.withLock { cache in
      cache.traces.cached(path, of: self, options: "\(options)") { file in
        let sink = DiagnosticSink()
        let link = TraceReader.read(file, options: options, into: sink)
        return TraceFile(link: sink.isEmpty ? link : nil, hash: file.hash, problems: sink.found)
      }
    }.get()
  }

  /// The recorded session at a path.
  /// - Throws: `ValueProblem` if there is no such readable file, or it is malformed.
  package func recording(_ path: String) throws(ValueProblem) -> RecordingFile {
    try cache.withLock { $0.recordings.cached(path, of: self, read: RecordingReader.read) }.get()
  }

  /// The feed at a path.
  /// - Throws: `ValueProblem` if there is no such readable file, or it is malformed.
  package func feed(_ path: String) throws(ValueProblem) -> FeedFile {
    try cache.withLock { cache in
      cache.feeds.cached(path, of: self) { file in
        let sink = DiagnosticSink()
        let items = FeedReader.read(file, into: sink)
        return FeedFile(items: sink.isEmpty ? items : nil, hash: file.hash, problems: sink.found)
      }
    }.get()
  }
}
