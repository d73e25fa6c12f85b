// A folder of results. Files are written under hidden names and renamed when all are complete.

/// The files of one publication: `add` and `open` write under hidden names, `publish` renames all of them.
package final class ResultsFolder {
  /// The folder for the journal and the lock, inside a folder of results.
  package static let journalName = ".journal"
  package let path: String
  /// True if only the user may read the files that are opened from now on.
  package var isPrivate = false
  private var pending: [OutputFile] = []
  /// True if the names of files say what they are; false for files that options name.
  private let isOfResults: Bool
  /// The fault injected in the calls that change the folder's files; nil for none.
  package let fault: FileFault?
  /// The folders created for this publication, the innermost first.
  private var madeFolders: [String] = []

  /// Returns the folder of a sweep's results, inside the folder of all results. `run`, `merge` and the scripts use this rule.
  package static func path(ofSweep name: String, in results: String = "Results") -> String { "\(results)/\(name)" }

  /// True if a sweep's name is one of a folder: visible, in one line, of at most 100 bytes, without slashes.
  package static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && SafeText.line(name) == name && !name.contains("/") && !name.contains("\\")
      && name.utf8.count <= 100
  }

  /// True if a path leads into the folder of a journal, whose files only runs write.
  package static func isInJournal(_ path: String) -> Bool {
    let folder = OutputFile.parts(of: SystemFile.resolved(path) ?? path).folder
    return OutputFile.parts(of: SystemFile.resolved(folder) ?? folder).name == journalName
  }

  /// Prepares a folder, and creates it if it does not exist.
  /// - Throws: `OutputProblem` if the folder or the file cannot be created.
  package init(path: String, isOfResults: Bool = true, fault: FileFault? = nil) throws(OutputProblem) {
    (self.path, self.isOfResults, self.fault) = (path, isOfResults, fault)
    madeFolders = try Self.make(path)
  }

  /// Creates a folder, if it does not exist, with those above it. Returns the created ones, the innermost first.
  /// - Throws: `OutputProblem` if the folder cannot be created; none is then left.
  private static func make(_ path: String) throws(OutputProblem) -> [String] {
    if SystemFile.exists(path), !SystemFile.isFolder(path) { throw OutputProblem(path: path, problem: "is no folder") }
    var made: [String] = []
    let ends = path.indices.dropFirst().filter { path[$0] == "/" } + [path.endIndex]
    for folder in ends.map({ String(path[..<$0]) }) where !SystemFile.exists(folder) {
      if mkdir(folder, 0o777) == 0 {
        made.insert(folder, at: 0)
      } else if errno != EEXIST || !SystemFile.isFolder(folder) {
        let message = SystemFile.message
        made.forEach { rmdir($0) }
        throw OutputProblem(path: path, problem: "the folder cannot be made: \(message)")
      }
    }
    return made
  }

  /// Locks the folder until the returned lock is released.
  /// - Throws: `Refusal` if another process holds the lock.
  package func lock() throws -> FolderLock {
    let inner = "\(path)/\(Self.journalName)"
    let made: [String]
    do throws(OutputProblem) { made = try Self.make(inner) } catch { throw OutputProblem(path: path, problem: error.problem) }
    let lock = try FolderLock(path: "\(inner)/\(Self.lockName)", folder: path, fault: fault)
    madeFolders = made + madeFolders
    removeLeftovers()
    return lock
  }

  /// Removes the partial files that killed processes left in this folder and in its folders of charts.
  package func removeLeftovers() {
    let charts = "\(path)/charts"
    let inner = ((try? FileManager.default.contentsOfDirectory(atPath: charts)) ?? []).map { "\(charts)/\($0)" }
    for folder in [path, charts] + inner where SystemFile.isFolder(folder) { OutputFile.removeLeftovers(in: folder) }
  }

  private static let lockName = "lock"
  /// The number of partial files that stay open, and so locked, until they are renamed; each uses a descriptor.
  private static let lockedLimit = 100
  /// The lock of the process that ends the child processes left by an earlier start.
  package static let processesName = "processes"

  /// Opens a file to be published as `name`, which may contain a folder: `charts/cost.svg`.
  /// - Throws: `OutputProblem` if the file or its folder cannot be created.
  package func open(_ name: String) throws(OutputProblem) -> OutputFile {
    if let slash = name.lastIndex(of: "/") { madeFolders = try Self.make("\(path)/\(name[..<slash])") + madeFolders }
    let file = try OutputFile(path: "\(path)/\(name)", keepsLock: pending.count < Self.lockedLimit, fault: fault)
    if isPrivate { file.makePrivate() }
    pending.append(file)
    return file
  }

  /// Writes a whole file to be published as `name`.
  /// - Throws: `OutputProblem` if the file cannot be written.
  package func add(_ name: String, _ contents: some Sequence<UInt8>) throws(OutputProblem) {
    let file = try open(name)
    try file.append(contents)
    try file.close()
  }

  /// Returns the fast hash of a complete file before its publication; nil if there is none.
  package func quickHash(of name: String) -> String? { pending.last { $0.path == "\(path)/\(name)" }?.quickHash }

  /// Renames all files to their names, each atomically.
  /// - Throws: `OutputProblem` if the folder is gone, or a file cannot be moved.
  package func publish() throws(OutputProblem) {
    // Checked before the first rename, so that no file is published if this fails.
    for file in pending where SystemFile.isFolder(file.path) {
      throw OutputProblem(path: file.path, problem: "is a folder, where a file belongs")
    }
    for file in pending where isOfResults { try Self.check(file.path) }
    for file in pending { try file.publish() }
    for folder in Set(pending.map { OutputFile.parts(of: $0.path).folder } + [path]) { SystemFile.syncFolder(folder) }
    (pending, madeFolders) = ([], [])
  }

  /// Checks that a file of a folder may be replaced or removed.
  /// - Throws: `OutputProblem` if it is an input of the command, or has another form than results with its name.
  package static func check(_ path: String) throws(OutputProblem) {
    let problem = OutputForm.ofResults(path).map { $0.problem(at: path) } ?? InputFile.input(at: path).map { _ in "is an input" }
    if let problem { throw OutputProblem(path: path, problem: problem) }
  }

  /// Removes files of an earlier publication that are out of date, and their folders if those are then empty.
  package func remove(_ names: [String]) {
    // All are checked before the first is removed: a report is recognised by the table beside it.
    for name in names.filter({ (try? Self.check("\(path)/\($0)")) != nil }) where unlink("\(path)/\(name)") == 0 {
      if let slash = name.lastIndex(of: "/") { rmdir("\(path)/\(name[..<slash])") }
    }
  }

  /// Removes all unpublished files and the folders created for them, even if these hold locks.
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
