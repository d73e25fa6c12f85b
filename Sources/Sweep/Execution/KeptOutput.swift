// What a failed run printed, kept beside the results: bounded, and without the values of secrets.

import Import

/// The folder of a failed run within a folder of results, and what of its output is kept there.
package struct KeptOutput: Sendable {
  /// The folder of all of them.
  static let folderName = "failed-runs"
  /// Of each output so many bytes from its start are kept, and so many from its end.
  package static let headLimit = 64 << 10, tailLimit = 960 << 10
  /// Shorter values are not looked for: they would be found everywhere.
  static let shortestSecret = 4

  /// The values that are not to be seen.
  let secrets: [String]

  /// Where the output of a run is kept, within the folder of results.
  package static func name(_ run: WantedRun) -> String { "\(folderName)/\(run.point)-\(run.repetition)" }

  /// Text in which no secret can be read.
  func hiding(_ text: String) -> String {
    secrets.reduce(text) { $0.replacing($1, with: "•••") }
  }

  /// Keeps what one try of a run left; false where it left nothing, or the system does not take it.
  package func keep(_ outputs: [(name: String, bytes: [UInt8])], of run: WantedRun, attempt: Int) -> Bool {
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
  package static func remove(_ run: WantedRun) {
    guard run.keepsOutput, let folder = run.folder else { return }
    try? FileManager.default.removeItem(atPath: "\(folder)/\(name(run))")
    // Only where it is empty.
    try? removeFolder("\(folder)/\(folderName)")
  }

  /// - Throws: what the file system refuses.
  private static func removeFolder(_ path: String) throws {
    if try FileManager.default.contentsOfDirectory(atPath: path).isEmpty { try FileManager.default.removeItem(atPath: path) }
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
      let wanted = Array(secret.utf8)
      var shown = bytes.firstRange(of: wanted) == nil ? bytes : bytes.replacing(wanted, with: mask)
      for count in stride(from: wanted.count - 1, through: Self.shortestSecret, by: -1) where shown.suffix(count) == wanted.prefix(count) {
        shown.replaceSubrange((shown.count - count)..., with: mask)
        break
      }
      return shown
    }
  }
}
