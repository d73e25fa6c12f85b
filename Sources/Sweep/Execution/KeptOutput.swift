// The output of failed runs, kept with secrets masked, and the log file that a program writes.

import Base

package struct KeptOutput: Sendable {
  static let folderName = "failed-runs"
  /// The most bytes kept from the start and from the end of each output.
  package static let headLimit = 64 << 10, tailLimit = 960 << 10
  /// The shortest secret that is masked; shorter values would match everywhere.
  static let shortestSecret = 4

  /// The values of secret variables and their encodings, the longest first, which are masked in kept output and messages.
  private let secrets: [String]

  /// Creates a mask of some values; those shorter than `shortestSecret` are not masked.
  init(secrets values: [String]) {
    let forms = Set(values.filter { $0.utf8.count >= Self.shortestSecret }.flatMap(Self.forms))
    secrets = forms.filter { $0.utf8.count >= Self.shortestSecret }.sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
  }

  /// Returns a secret and its base64, URL and form encodings. Base64 of a longer text, such as `user:secret`, has one of three forms of it.
  private static func forms(of secret: String) -> [String] {
    let bytes = Array(secret.utf8)
    var base64 = [Data(bytes).base64EncodedString()]
    for shift in 0..<3 {
      // The digits that depend on no byte before or after the secret.
      let (first, end) = ((shift * 8 + 5) / 6, (shift + bytes.count) * 8 / 6)
      let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
      base64.append(String(text.dropFirst(first).prefix(end - first)))
    }
    // The characters that RFC 3986, encodeURIComponent, encodeURI and forms leave as they are.
    let encoded = ["-._~", "-_.!~*'()", ";,/?:@&=+$-_.!~*'()#", "*-._ "].flatMap { kept in
      [true, false].map { isUpper in
        bytes.map { byte in
          let character = Character(Unicode.Scalar(byte))
          if byte < 128, character.isLetter || character.isNumber || kept.contains(character) { return String(character) }
          return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: isUpper)
        }.joined().replacing(" ", with: "+")
      }
    }
    return [secret] + base64 + base64.map { $0.replacing("+", with: "-").replacing("/", with: "_") } + encoded
  }

  /// Returns the folder of a run's output, relative to the results folder.
  package static func name(_ run: RunRequest) -> String { "\(folderName)/\(PointID.text(run.point.id))-\(run.repetition)" }

  func hiding(_ text: String) -> String { secrets.reduce(text) { $0.replacing($1, with: "•••") } }

  /// Keeps the output of one try. Returns false if there is none, or if it cannot be written.
  package func keep(_ outputs: [(name: String, bytes: [UInt8])], of run: RunRequest, attempt: Int) -> Bool {
    guard run.keepsOutput, let folder = run.folder, outputs.contains(where: { !$0.bytes.isEmpty }) else { return false }
    let path = "\(folder)/\(Self.name(run))"
    guard let kept = try? ResultsFolder(path: path) else { return false }
    kept.isPrivate = true
    do throws(OutputProblem) {
      for output in outputs where !output.bytes.isEmpty { try kept.add("attempt-\(attempt).\(output.name)", bounded(output.bytes)) }
      try kept.publish()
      return true
    } catch {
      kept.discard()
      return false
    }
  }

  /// Removes the output of earlier failed tries after a success.
  package static func remove(_ run: RunRequest) {
    guard run.keepsOutput, let folder = run.folder else { return }
    try? FileManager.default.removeItem(atPath: "\(folder)/\(name(run))")
    // The system removes the folder only if it is empty.
    rmdir("\(folder)/\(folderName)")
  }

  private func bounded(_ bytes: [UInt8]) -> [UInt8] {
    // Masked before truncation: half a secret would not be found.
    let shown = hiding(bytes)
    let left = shown.count - Self.headLimit - Self.tailLimit
    guard left > 0 else { return shown }
    return shown.prefix(Self.headLimit) + Array("\n… \(left) bytes are left out …\n".utf8) + shown.suffix(Self.tailLimit)
  }

  /// Returns output with secrets masked, including the beginning of a secret at its end.
  func hiding(_ bytes: [UInt8]) -> [UInt8] {
    let mask = Array("•••".utf8)
    return secrets.reduce(bytes) { bytes, secret in
      let pattern = Array(secret.utf8)
      var shown = bytes.firstRange(of: pattern) == nil ? bytes : bytes.replacing(pattern, with: mask)
      for count in stride(from: pattern.count - 1, through: Self.shortestSecret, by: -1) where shown.suffix(count) == pattern.prefix(count)
      {
        shown.replaceSubrange((shown.count - count)..., with: mask)
        break
      }
      return shown
    }
  }
}

/// A log file's state before a run. It separates the run's output from older text, whether the log is appended or rewritten.
package struct ResultLog {
  /// The number of bytes at the old end that identify an appended file.
  private static let tailSize = 4096

  package let path: String
  private let size: Int
  private let tail: [UInt8]
  private let version: String?

  /// Records the size, end and version of the file at a path.
  package init(_ path: String) {
    self.path = path
    version = SystemFile.version(path)
    size = SystemFile.size(path)
    tail = Self.bytes(path, max(0, size - Self.tailSize)..<size)
  }

  /// Returns the last `limit` bytes written since: from the old end if the file was appended, else from its start; nil for none.
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
    return file.read(range.count, at: range.lowerBound) ?? []
  }
}
