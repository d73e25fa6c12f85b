// The folder of results: every file is written beside its place and moved there when all are whole.

/// Files on their way into a folder: `add` and `open` write under hidden names, `publish` renames them all.
package final class ResultsFolder {
  /// The folder within a folder of results that holds the journal and the lock.
  package static let journalName = ".journal"
  /// The folder.
  package let path: String
  private var pending: [OutputFile] = []
  /// The folders that were made for it, the innermost first.
  private var madeFolders: [String] = []

  /// The folder of a sweep's results within that of all results: the one rule for `run`, `merge` and the scripts.
  package static func path(ofSweep name: String, in results: String = "Results") -> String { "\(results)/\(name)" }

  /// Prepares a folder, which is made if it is not there.
  /// - Throws: `OutputProblem` if the folder or the file cannot be created.
  package init(path: String) throws(OutputProblem) {
    self.path = path
    madeFolders = Self.missing(path)
    try Self.make(path)
  }

  /// What is not there of a folder and those around it, the innermost first.
  private static func missing(_ path: String) -> [String] {
    var folder = path[...]
    var missing: [String] = []
    while !folder.isEmpty, !SystemFile.exists(String(folder)) {
      missing.append(String(folder))
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    return missing
  }

  /// Makes a folder, if it is not there.
  /// - Throws: `OutputProblem` if the folder cannot be created.
  private static func make(_ path: String) throws(OutputProblem) {
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
    let isNew = !SystemFile.exists(inner)
    try Self.make(inner)
    let lock = try FolderLock(path: "\(inner)/\(Self.lockName)", folder: path)
    if isNew { madeFolders.insert(inner, at: 0) }
    removeLeftovers()
    return lock
  }

  /// Removes the partial files that killed processes left in this folder and in those of its charts.
  package func removeLeftovers() {
    OutputFile.removeLeftovers(in: path)
    let charts = "\(path)/charts"
    OutputFile.removeLeftovers(in: charts)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: charts)) ?? [] where SystemFile.isFolder("\(charts)/\(name)") {
      OutputFile.removeLeftovers(in: "\(charts)/\(name)")
    }
  }

  private static let lockName = "lock"
  /// So many of the first partial files stay open, and so locked, until they have their names: a descriptor each.
  private static let lockedLimit = 100
  /// The lock of the process that ends what an earlier start left running.
  package static let processesName = "processes"

  /// Opens a file that will be called `name`, which may be in a folder of its own: `charts/cost.svg`.
  /// - Throws: `OutputProblem` if the file or its folder cannot be created.
  package func open(_ name: String) throws(OutputProblem) -> OutputFile {
    if let slash = name.lastIndex(of: "/") {
      let inner = "\(path)/\(name[..<slash])"
      let missing = Self.missing(inner)
      if !missing.isEmpty { try Self.make(inner) }
      madeFolders = missing + madeFolders
    }
    let file = try OutputFile(path: "\(path)/\(name)", keepsLock: pending.count < Self.lockedLimit)
    pending.append(file)
    return file
  }

  /// Writes a whole file that will be called `name`.
  /// - Throws: `OutputProblem` if the file cannot be written.
  package func add(_ name: String, _ contents: some Sequence<UInt8>) throws(OutputProblem) {
    let file = try open(name)
    try file.append(contents)
    try file.close()
  }

  /// Moves all files to their places, each at once and whole.
  /// - Throws: `OutputProblem` if the folder is gone, or a file cannot be moved.
  package func publish() throws(OutputProblem) {
    // Seen before the first file is moved: what was published stays together.
    for file in pending where SystemFile.isFolder(file.path) {
      throw OutputProblem(path: file.path, problem: "is a folder, where a file belongs")
    }
    for file in pending { try file.publish() }
    for folder in Set(pending.map { OutputFile.parts(of: $0.path).folder } + [path]) { SystemFile.syncFolder(folder) }
    (pending, madeFolders) = ([], [])
  }

  /// Takes away a file that an earlier publication left and that no longer holds, and the folder within this one that it was the last of.
  package func remove(_ name: String) {
    guard unlink("\(path)/\(name)") == 0, let slash = name.lastIndex(of: "/") else { return }
    rmdir("\(path)/\(name[..<slash])")
  }

  /// Takes away whatever was not published, and the folders that were made for it; locks that were taken in a folder of their own while
  /// nothing else was written there go with it.
  package func discard() {
    for file in pending { file.discard() }
    for folder in madeFolders {
      let locks = [Self.lockName, Self.processesName]
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      if names.allSatisfy(locks.contains) { for name in names { unlink("\(folder)/\(name)") } }
      rmdir(folder)
    }
    (pending, madeFolders) = ([], [])
  }
}
