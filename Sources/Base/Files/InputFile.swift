// Reads whole files up to a size limit, and knows which files this process has read as inputs.

import Synchronization

/// The bytes of a file, and its name as the user wrote it.
package struct InputFile: Sendable {
  /// The most bytes of a file: enough for a week of packet opportunities, or a feed of millions of items.
  package static let sizeLimit = 256_000_000

  package let name: String
  package let bytes: [UInt8]

  package var start: SourceLocation { SourceLocation(file: name) }

  /// The remedy for a missing file that a sweep file names.
  package static let usualRemedy = "check the path; it is relative to the sweep file"

  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Reads the regular file at `path`; `name` (by default the path) appears in messages, and `remedy` where no path is near.
  /// O(size), at most `limit` + 1 bytes.
  /// - Throws: `ValueProblem` if there is no readable regular file, or one above `limit`.
  package init(path: String, name: String? = nil, remedy: String = usualRemedy, limit: Int = sizeLimit) throws(ValueProblem) {
    let name = name ?? path
    let shown = quoted(name, limit: 160)
    // Non-blocking, because opening a pipe would otherwise wait for a writer.
    guard !path.utf8.contains(0), let file = SystemFile(path: path, flags: O_RDONLY | O_NONBLOCK) else {
      if SystemFile.exists(path) { throw ValueProblem("\(shown) cannot be read: \(SystemFile.message)", remedy: "check its permissions") }
      throw ValueProblem("there is no readable file \(shown)", remedy: Self.remedy(for: path, named: name, otherwise: remedy))
    }
    defer { file.close() }
    guard let status = file.status, status.isRegular else {
      throw ValueProblem("\(shown) is not a regular file", remedy: "name a file, not a folder, a pipe or a device")
    }
    guard status.st_size <= limit else {
      throw ValueProblem("\(shown) has \(status.st_size) bytes, more than \(limit)", remedy: "split or shorten it")
    }
    guard let bytes = file.bytes(atMost: limit + 1) else {
      throw ValueProblem("\(shown) cannot be read: \(SystemFile.message)", remedy: "check the disk it is on")
    }
    // A file that grows, or one of /proc, has more than its size says.
    guard bytes.count <= limit else {
      throw ValueProblem("\(shown) has more than \(limit) bytes", remedy: "split or shorten it")
    }
    self.init(name: name, bytes: bytes)
    Self.noteInput(path)
  }

  /// Returns the remedy for a missing file or folder: a path that is near, in the words of `name`, or else `otherwise`.
  package static func remedy(for path: String, named name: String? = nil, otherwise: String) -> String {
    guard !SystemFile.exists(path), let near = near(path) else { return otherwise }
    // A folder that the name leaves out stays out.
    let folder = path.dropLast((name ?? path).count)
    return "did you mean \(quoted(String(near.hasPrefix(folder) ? near.dropFirst(folder.count) : near[...]), limit: 160))?"
  }

  /// Returns the path of a file or folder that differs from a missing one by a few letters in each part; nil if there is none.
  package static func near(_ path: String) -> String? {
    var found = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      var next = found + part
      if !SystemFile.exists(next) {
        // Without its suffix too, so that short names of one kind of file are not near.
        func stem(_ name: some StringProtocol) -> String { String(name.prefix { $0 != "." }) }
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: found.isEmpty ? "." : found)) ?? []).sorted().filter {
          stem($0) == stem(part) || NearestName.suggestion(for: stem(part), among: [stem($0)]) != nil
        }
        guard let name = NearestName.suggestion(for: String(part), among: names) else { return nil }
        next = found + name
      }
      found = next + "/"
    }
    return found.isEmpty ? nil : String(found.dropLast())
  }

  /// Returns the path to open for one relative to a folder; an empty folder is the working folder.
  package static func path(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
  }

  /// The name of standard input on command lines and in messages.
  package static let standardInputName = "-"

  /// - Throws: `ValueProblem` if it cannot be read, or is too large.
  package static func standardInput() throws(ValueProblem) -> InputFile {
    guard let bytes = SystemFile(descriptor: STDIN_FILENO).bytes(atMost: sizeLimit + 1) else {
      throw ValueProblem("standard input cannot be read: \(SystemFile.message)", remedy: "name a file, or pipe one in")
    }
    guard bytes.count <= sizeLimit else { throw ValueProblem("standard input has more than \(sizeLimit) bytes", remedy: "write fewer") }
    noteInput("/dev/stdin")
    return InputFile(name: standardInputName, bytes: bytes)
  }

  package var hash: String { ContentHash.of(bytes) }

  // MARK: The inputs of this process

  private static let inputs = Mutex<Set<String>>([])

  /// Records that a file is an input, so that no output replaces it.
  package static func noteInput(_ path: String) { inputs.withLock { _ = $0.insert(path) } }

  /// Returns the path of the input that is the file at a path, compared by device and inode; nil if it is none. O(inputs).
  package static func input(at path: String) -> String? {
    guard let identity = SystemFile.identity(path) else { return nil }
    return inputs.withLock { $0.filter { SystemFile.identity($0) == identity }.min() }
  }

  /// Returns the path of an input that lies in a folder or below it, with links resolved; nil if there is none. O(inputs).
  package static func input(below folder: String) -> String? {
    guard let whole = SystemFile.resolved(folder) else { return nil }
    return inputs.withLock { $0.filter { SystemFile.resolved($0)?.hasPrefix("\(whole)/") == true }.min() }
  }
}
