// The folder of results: every file is written beside its place and moved there when all are whole.

/// Results could not be written.
package struct OutputProblem: Error, CustomStringConvertible, Sendable {
  /// The file or folder.
  package let path: String
  /// What the system said.
  package let problem: String

  package init(path: String, problem: String) { (self.path, self.problem) = (path, problem) }

  /// A file of the results that cannot be used.
  package init(_ fault: FileFault) { self.init(path: fault.path, problem: fault.reason) }

  /// A file that was not opened just now.
  package init(unreadable path: String) {
    let message = SystemFile.message
    self.init(path: path, problem: SystemFile.wrongKind(path, followsLinks: true) ?? message)
  }

  /// `path: problem; remedy`.
  package var description: String {
    "\(shortened(path, to: 200)):1:1: output: \(problem); name another folder with --output, or make room or rights there"
  }
}

/// Files on their way into a folder: `add` and `open` write under hidden names, `publish` renames them all.
package final class ResultsFolder {
  /// The folder within a folder of results that holds the journal and the lock.
  package static let journalName = ".journal"
  /// The folder.
  package let path: String
  private var pending: [(name: String, file: OutputFile)] = []
  /// The folders that were made for it, the innermost first.
  private var madeFolders: [String] = []

  /// The folder of a sweep's results within that of all results: the one rule for `run`, `merge` and the scripts.
  package static func path(ofSweep name: String, in results: String = "Results") -> String { "\(results)/\(name)" }

  /// True if two paths lead to one thing that is there: compared by device and inode, whatever the paths look like.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = SystemFile.identity(path), let two = SystemFile.identity(other) else { return false }
    return one == two
  }

  /// The bytes of a file of results.
  ///
  /// - Throws: `Refusal` where it cannot be read.
  package static func contents(_ path: String) throws(Refusal) -> [UInt8] {
    do { return try SystemFile.contents(path) } catch { throw Refusal("\(path): \(error.reason)") }
  }

  /// Prepares a folder, which is made if it is not there.
  package init(path: String) throws(OutputProblem) {
    self.path = path
    madeFolders = Self.missing(path)
    try Self.make(path)
  }

  /// What is not there of a folder and those around it, the innermost first.
  private static func missing(_ path: String) -> [String] {
    var folder = path[...]
    var missing: [String] = []
    while !folder.isEmpty, !FileManager.default.fileExists(atPath: String(folder)) {
      missing.append(String(folder))
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    return missing
  }

  /// Makes a folder, if it is not there.
  package static func make(_ path: String) throws(OutputProblem) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      // Asked once more for the system's own word.
      _ = mkdir(path, 0o777)
      throw OutputProblem(path: path, problem: "the folder cannot be made: \(SystemFile.message)")
    }
  }

  /// Takes the folder's lock, which is held until what is returned goes away.
  ///
  /// - Throws: `Refusal` where another process holds it.
  package func lock() throws -> FolderLock {
    let inner = "\(path)/\(Self.journalName)"
    let isNew = !FileManager.default.fileExists(atPath: inner)
    try Self.make(inner)
    let lock = try FolderLock(path: "\(inner)/\(Self.lockName)", folder: path)
    if isNew { madeFolders.insert(inner, at: 0) }
    removeLeftovers()
    return lock
  }

  /// Removes the partial files that killed processes left in this folder and in those of its charts.
  package func removeLeftovers() {
    PartialFile.removeLeftovers(in: path)
    let charts = "\(path)/charts"
    PartialFile.removeLeftovers(in: charts)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: charts)) ?? [] where SystemFile.isFolder("\(charts)/\(name)") {
      PartialFile.removeLeftovers(in: "\(charts)/\(name)")
    }
  }

  private static let lockName = "lock"
  /// So many of the first partial files stay open, and so locked, until they have their names: a descriptor each.
  private static let lockedLimit = 100
  /// The lock of whoever ends what an earlier start left running.
  package static let processesName = "processes"

  /// Opens a file that will be called `name`, which may be in a folder of its own: `charts/cost.svg`.
  package func open(_ name: String) throws(OutputProblem) -> OutputFile {
    if let slash = name.lastIndex(of: "/") {
      let inner = "\(path)/\(name[..<slash])"
      let missing = Self.missing(inner)
      if !missing.isEmpty { try Self.make(inner) }
      madeFolders = missing + madeFolders
    }
    let file = try OutputFile(partialOf: "\(path)/\(name)", keepsLock: pending.count < Self.lockedLimit)
    pending.append((name, file))
    return file
  }

  /// Writes a whole file that will be called `name`.
  package func add(_ name: String, _ contents: some Sequence<UInt8>) throws(OutputProblem) {
    let file = try open(name)
    try file.append(contents)
    try file.close()
  }

  /// Moves all files to their places, each at once and whole.
  package func publish() throws(OutputProblem) {
    // Seen before the first file is moved: what was published stays together.
    for (name, _) in pending where SystemFile.isFolder("\(path)/\(name)") {
      throw OutputProblem(path: "\(path)/\(name)", problem: "is a folder, where a file belongs")
    }
    for (name, _) in pending {
      let path = "\(path)/\(name)"
      guard rename(PartialFile.path(of: path), path) == 0 else { throw OutputProblem(path: path, problem: SystemFile.message) }
    }
    for inner in innerFolders { SystemFile.syncFolder("\(path)/\(inner)") }
    SystemFile.syncFolder(path)
    pending = []
    madeFolders = []
  }

  /// Takes away a file that an earlier publication left and that no longer holds, and the folder within this one that it was the last of.
  package func remove(_ name: String) {
    guard unlink("\(path)/\(name)") == 0, let slash = name.lastIndex(of: "/") else { return }
    rmdir("\(path)/\(name[..<slash])")
  }

  /// Takes away whatever was not published, and the folders that were made for it; locks that were taken in a folder of their own while
  /// nothing else was written there go with it.
  package func discard() {
    for (name, _) in pending { unlink(PartialFile.path(of: "\(path)/\(name)")) }
    pending = []
    for folder in madeFolders {
      let locks = [Self.lockName, Self.processesName]
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      if names.allSatisfy(locks.contains) { for name in names { unlink("\(folder)/\(name)") } }
      rmdir(folder)
    }
    madeFolders = []
  }

  /// The folders within this one that files wait to be moved in.
  private var innerFolders: [String] {
    pending.reduce(into: []) { folders, file in
      let name = file.name
      let folder = name.lastIndex(of: "/").map { String(name[..<$0]) }
      if let folder, !folders.contains(folder) { folders.append(folder) }
    }
  }
}

/// A file that is written piece by piece.
package final class OutputFile {
  private static let bufferSize = 1 << 16
  private let file: SystemFile
  private let name: String
  private let keepsLock: Bool
  private var isOpen = true
  private var buffer: [UInt8] = []

  /// Creates the partial file of `path`. With `keepsLock` it stays locked when it is whole, for as long as this object lives.
  package init(partialOf path: String, keepsLock: Bool) throws(OutputProblem) {
    do { file = try PartialFile.create(for: path) } catch { throw OutputProblem(error) }
    (name, self.keepsLock) = (path, keepsLock)
    buffer.reserveCapacity(Self.bufferSize * 2)
  }

  /// Creates a file that stands at `path` at once, and is nobody else's.
  package init(path: String) throws(OutputProblem) {
    do { file = try SystemFile(regular: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch { throw OutputProblem(error) }
    (name, keepsLock) = (path, false)
  }

  deinit { if isOpen { file.close() } }

  /// Adds bytes at the end.
  package func append(_ bytes: some Sequence<UInt8>) throws(OutputProblem) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes what is left, to the disk itself.
  package func close() throws(OutputProblem) {
    try flush()
    buffer = []
    guard fsync(file.descriptor) == 0 else { throw OutputProblem(path: name, problem: SystemFile.message) }
    if keepsLock { return }
    isOpen = false
    guard file.close() else { throw OutputProblem(path: name, problem: SystemFile.message) }
  }

  private func flush() throws(OutputProblem) {
    guard buffer.withUnsafeBytes(file.write) else { throw OutputProblem(path: name, problem: SystemFile.message) }
    buffer.removeAll(keepingCapacity: true)
  }
}
