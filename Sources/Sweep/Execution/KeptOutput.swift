// What a run left besides its metrics: the output of a failed one, kept without the values of secrets, and the log that it wrote to.

import Import

/// The folder of a failed run within a folder of results, and what of its output is kept there.
package struct KeptOutput: Sendable {
  static let folderName = "failed-runs"
  /// Of each output so many bytes from its start are kept, and so many from its end.
  package static let headLimit = 64 << 10, tailLimit = 960 << 10
  /// Shorter values are not looked for: they would be found everywhere.
  static let shortestSecret = 4

  /// The values that are not to be seen.
  let secrets: [String]

  /// Where the output of a run is kept, within the folder of results.
  package static func name(_ run: RunRequest) -> String { "\(folderName)/\(run.point)-\(run.repetition)" }

  /// Text in which no secret can be read.
  func hiding(_ text: String) -> String {
    secrets.reduce(text) { $0.replacing($1, with: "•••") }
  }

  /// Keeps what one try of a run left; false where it left nothing, or the system does not take it.
  package func keep(_ outputs: [(name: String, bytes: [UInt8])], of run: RunRequest, attempt: Int) -> Bool {
    guard run.keepsOutput, let folder = run.folder, outputs.contains(where: { !$0.bytes.isEmpty }) else { return false }
    let path = "\(folder)/\(Self.name(run))"
    guard let kept = try? ResultsFolder(path: path) else { return false }
    do throws(OutputProblem) {
      for output in outputs where !output.bytes.isEmpty { try kept.add("attempt-\(attempt).\(output.name)", bounded(output.bytes)) }
      try kept.publish()
      return true
    } catch {
      kept.discard()
      return false
    }
  }

  /// Takes away what earlier tries of a run left, now that it has been made.
  package static func remove(_ run: RunRequest) {
    guard run.keepsOutput, let folder = run.folder else { return }
    try? FileManager.default.removeItem(atPath: "\(folder)/\(name(run))")
    // The system does so only where it is empty.
    rmdir("\(folder)/\(folderName)")
  }

  private func bounded(_ bytes: [UInt8]) -> [UInt8] {
    // Hidden before it is cut: half a secret would not be found.
    let shown = hiding(bytes)
    let left = shown.count - Self.headLimit - Self.tailLimit
    guard left > 0 else { return shown }
    return shown.prefix(Self.headLimit) + Array("\n… \(left) bytes are left out …\n".utf8) + shown.suffix(Self.tailLimit)
  }

  /// Output in which no secret can be read, nor the beginning of one where it was ended in the middle.
  func hiding(_ bytes: [UInt8]) -> [UInt8] {
    let mask = Array("•••".utf8)
    return secrets.reduce(bytes) { bytes, secret in
      let pattern = Array(secret.utf8)
      var shown = bytes.firstRange(of: pattern) == nil ? bytes : bytes.replacing(pattern, with: mask)
      for count in stride(from: pattern.count - 1, through: Self.shortestSecret, by: -1) where shown.suffix(count) == pattern.prefix(count) {
        shown.replaceSubrange((shown.count - count)..., with: mask)
        break
      }
      return shown
    }
  }
}

/// A log as it was before a run, appended run by run or written anew each time: what the run wrote is separated from what stood there.
package struct ResultLog {
  /// So much of its end tells whether it is still the same file's.
  private static let tailSize = 4096

  package let path: String
  private let size: Int
  private let tail: [UInt8]
  private let version: String?

  /// Remembers how the file at a path ends.
  package init(_ path: String) {
    self.path = path
    version = SystemFile.version(path)
    size = SystemFile.size(path)
    tail = Self.bytes(path, max(0, size - Self.tailSize)..<size)
  }

  /// What has been written since, at most the last `limit` bytes: what follows the old end where that still stands, else all; nil
  /// where nothing was.
  package func written(limit: Int) -> [UInt8]? {
    guard let now = SystemFile.version(path), now != version else { return nil }
    let end = SystemFile.size(path)
    let isAppended = end > size && Self.bytes(path, (size - tail.count)..<size) == tail
    let start = max(isAppended ? size : 0, end - limit)
    return start < end ? Self.bytes(path, start..<end) : nil
  }

  private static func bytes(_ path: String, _ range: Range<Int>) -> [UInt8] {
    guard !range.isEmpty, let file = SystemFile(path: path, flags: O_RDONLY) else { return [] }
    defer { file.close() }
    return [UInt8](unsafeUninitializedCapacity: range.count) { buffer, size in
      let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<range.count])
      size = file.read(into: room, at: range.lowerBound) ?? 0
    }
  }
}
