// The files that a sweep names, read and parsed once each, however many points name them.

import Simulation
import Synchronization

/// A trace as it was read.
struct TraceFile: Sendable {
  /// Its rates; nil if it was malformed.
  var link: LinkRate?
  /// A hash of its contents.
  var hash: String
  var diagnostics: [Diagnostic]
}

/// A feed as it was read.
struct FeedFile: Sendable {
  /// Its items; nil if it was malformed.
  var items: ContiguousArray<Item>?
  /// A hash of its contents.
  var hash: String
  var diagnostics: [Diagnostic]
}

/// Reads files relative to a folder and remembers them; may be shared by threads.
final class InputFiles: Sendable {
  private struct Cache {
    var traces: [String: Result<TraceFile, ValueProblem>] = [:]
    var feeds: [String: Result<FeedFile, ValueProblem>] = [:]
    var recordings: [String: Result<RecordingFile, ValueProblem>] = [:]
  }

  /// The folder that relative paths start from; empty for the working folder.
  let folder: String
  private let cache = Mutex(Cache())

  init(folder: String) { self.folder = folder }

  /// A path as the program must open it.
  func resolved(_ path: String) -> String { path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)" }

  /// The files that were read so far by their paths as written, sorted, with the hashes of their contents.
  var hashes: [(path: String, hash: String)] {
    cache.withLock { cache in
      var hashes = cache.feeds.compactMap { path, feed in (try? feed.get()).map { (path: path, hash: $0.hash) } }
      for (key, trace) in cache.traces {
        let path = String(key.prefix { $0 != "\u{0}" })
        if let hash = try? trace.get().hash, !hashes.contains(where: { $0.path == path }) { hashes.append((path: path, hash: hash)) }
      }
      return hashes.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
  }

  /// The trace at a path.
  func trace(_ path: String, options: TraceOptions) throws(ValueProblem) -> TraceFile {
    let key = "\(path)\u{0}\(options)"
    return try cache.withLock { cache in
      if let known = cache.traces[key] { return known }
      let result: Result<TraceFile, ValueProblem>
      do throws(ValueProblem) {
        let file = try InputFile(path: resolved(path))
        let sink = DiagnosticSink()
        let link = TraceReader.read(file, options: options, into: sink)
        result = .success(TraceFile(link: sink.isEmpty ? link : nil, hash: file.hash, diagnostics: sink.sorted))
      } catch {
        result = .failure(error)
      }
      cache.traces[key] = result
      return result
    }.get()
  }

  /// The recorded session at a path.
  func recording(_ path: String) throws(ValueProblem) -> RecordingFile {
    try cache.withLock { cache in
      if let known = cache.recordings[path] { return known }
      let result: Result<RecordingFile, ValueProblem>
      do throws(ValueProblem) { result = .success(RecordingReader.read(try InputFile(path: resolved(path)))) } catch {
        result = .failure(error)
      }
      cache.recordings[path] = result
      return result
    }.get()
  }

  /// The feed at a path.
  func feed(_ path: String) throws(ValueProblem) -> FeedFile {
    try cache.withLock { cache in
      if let known = cache.feeds[path] { return known }
      let result: Result<FeedFile, ValueProblem>
      do throws(ValueProblem) {
        let file = try InputFile(path: resolved(path))
        let sink = DiagnosticSink()
        let items = FeedReader.read(file, into: sink)?.map(\.item)
        result = .success(
          FeedFile(items: sink.isEmpty ? items.map { ContiguousArray($0) } : nil, hash: file.hash, diagnostics: sink.sorted))
      } catch {
        result = .failure(error)
      }
      cache.feeds[path] = result
      return result
    }.get()
  }
}

extension FeedItemRecord {
  /// The simulation's item; a video without a bit rate takes it from its length, or is never judged for stalls.
  fileprivate var item: Item {
    var item = itemWithoutHeight
    item.height = Int32(height ?? 0)
    return item
  }

  private var itemWithoutHeight: Item {
    switch kind {
    case .image: Item(kind: .image, bytes: bytes)
    case .webApp: Item(kind: .webApp, bytes: bytes)
    case .nativeAd: Item(kind: .nativeAd, bytes: bytes)
    case .video:
      Item(
        videoBytes: bytes, prefixBytes: prefixBytes,
        bitsPerSecond: bitRateBps ?? durationMs.map { $0 > 0 ? max(1, bytes * 8000 / $0) : 0 } ?? 0)
    }
  }
}
