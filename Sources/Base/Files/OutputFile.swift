// A file that is written under a hidden name and renamed when it is complete.

/// A file written piece by piece under the name `.NAME.PID.partial`, which this process locks; a device or FIFO is written directly.
/// The system holds the lock: it ends with the process, and holds on other hosts if the file system shares locks.
package final class OutputFile {
  private static let bufferSize = 1 << 16
  /// The size of a large file. A file system needs up to half a second to free one; the process that removes it cannot end before.
  private static let largeSize = 1 << 24

  package let path: String
  /// The hidden name; nil for a file that is written directly.
  private let partial: String?
  private let file: SystemFile
  private let keepsLock: Bool
  private var isOpen: Bool
  private var buffer: [UInt8] = []
  /// The bytes after which the file is synced to the disk.
  package var syncSize = Int.max
  /// The bytes written so far.
  package private(set) var size = 0
  /// The bytes synced to the disk so far.
  private var syncedSize = 0

  /// Creates the partial file of `path`. With `keepsLock` the complete file stays locked while this object lives.
  /// - Throws: `OutputProblem` if the file cannot be created.
  package init(path: String, keepsLock: Bool = true, fault: FileFault? = nil) throws(OutputProblem) {
    let (folder, name) = Self.parts(of: path)
    Self.removeLeftovers(in: folder, of: name)
    let partial = "\(folder)/.\(name).\(getpid()).partial"
    do { file = try Self.locked(partial, fault) } catch { throw OutputProblem(path: path, problem: error.problem) }
    (self.path, self.partial, self.keepsLock, isOpen) = (path, partial, keepsLock, true)
  }

  /// Creates a file that writes to an open device, FIFO or standard stream, which its opener closes.
  package init(path: String, stream: SystemFile) { (self.path, partial, file, keepsLock, isOpen) = (path, nil, stream, true, false) }

  deinit { if isOpen { file.close() } }

  /// Appends bytes to the buffer, which is written when it is full.
  /// - Throws: `OutputProblem` if the disk refuses the bytes.
  package func append(_ bytes: some Sequence<UInt8>) throws(OutputProblem) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes the buffered bytes and syncs the file to the disk.
  /// - Throws: `OutputProblem` if the disk refuses the bytes.
  package func close() throws(OutputProblem) {
    try flush()
    buffer = []
    if partial == nil { return }
    try check(file.sync())
    if keepsLock { return }
    isOpen = false
    try check(file.close())
  }

  /// - Throws: `OutputProblem` if the disk refuses the bytes.
  private func flush() throws(OutputProblem) {
    try check(buffer.withUnsafeBytes(file.write))
    size += buffer.count
    buffer.removeAll(keepingCapacity: true)
    guard partial != nil, size - syncedSize >= syncSize else { return }
    syncedSize = size
    try check(file.sync())
  }

  /// Sets the mode 0600 before the first byte is written.
  func makePrivate() { fchmod(file.descriptor, 0o600) }

  /// The fast hash of the file's bytes; nil if they cannot be read.
  var quickHash: String? { ContentHash.quick(ofFile: partial ?? path) }

  /// Renames the complete file to its path, atomically.
  /// - Throws: `OutputProblem` if the file cannot be moved.
  func publish() throws(OutputProblem) { if let partial { try check(!file.fails(.rename) && rename(partial, path) == 0) } }

  /// - Throws: `OutputProblem` with the system's last error unless `isGood`.
  private func check(_ isGood: Bool) throws(OutputProblem) {
    if !isGood { throw OutputProblem(path: path, problem: SystemFile.message) }
  }

  /// Removes an unpublished file. Another process removes a large one; this one waits at most 50 ms for the file's name to go.
  func discard() {
    guard let partial else { return }
    // The system frees a file only after its last descriptor is closed.
    if isOpen { file.close() }
    isOpen = false
    guard size >= Self.largeSize, let null = SystemFile(path: "/dev/null", flags: O_WRONLY) else {
      unlink(partial)
      return
    }
    defer { null.close() }
    // A process that waits for the end of our outputs must not wait for the removal.
    let descriptors = [1, 2].map { (own: null.descriptor, theirs: Int32($0)) }
    let start = ProcessStart(path: "/bin/rm", arguments: ["rm", "-f", "--", partial], environment: [], descriptors: descriptors)
    let child = try? Platform.spawn(start).get()
    for _ in 0..<50 where SystemFile.exists(partial) {
      // If the other process could not remove the file, this one does.
      if child.map({ waitpid($0, nil, WNOHANG) == $0 }) ?? true { unlink(partial) }
      usleep(1000)
    }
  }

  package static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  // MARK: Leftovers of killed processes

  /// Removes the partial files in a folder, of one name or all, that no living process writes. O(folder entries).
  static func removeLeftovers(in folder: String, of name: String? = nil) {
    for fileName in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let partial = self.name(of: fileName), name == nil || name == partial else { continue }
      guard let file = try? SystemFile(regular: "\(folder)/\(fileName)", flags: O_RDWR | O_NOFOLLOW) else { continue }
      // A held lock means that another process, on this host or another, still writes the file. Without locks that is unknown.
      if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(folder)/\(fileName)") }
      file.close()
    }
  }

  /// Returns the name in `.NAME.PID.partial`; nil for other names.
  private static func name(of partial: String) -> String? {
    partial.wholeMatch(of: #/\.(.+)\.([0-9]+)\.partial/#).flatMap { pid_t($0.2) == nil ? nil : String($0.1) }
  }

  /// Creates and locks a file. Another process may take it for a leftover before it is locked; then it is created again.
  /// - Throws: `OutputProblem` if the system cannot create the file.
  private static func locked(_ path: String, _ fault: FileFault?) throws(OutputProblem) -> SystemFile {
    while true {
      let file = try SystemFile(regular: path, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, fault: fault)
      // On a file system without locks, leftovers are never removed.
      _ = flock(file.descriptor, LOCK_EX)
      if file.isLinked { return file }
      file.close()
    }
  }
}
