// A file in the making: written under a hidden name and moved to its place when it is whole.

/// A file that is written piece by piece under the name `.NAME.PID.partial`, which this process has locked; a device or FIFO is written
/// through. The lock is the system's, so that it ends with the process, and holds on other hosts too where the file system shares its locks.
package final class OutputFile {
  private static let bufferSize = 1 << 16
  /// To free a larger file takes a file system up to half a second, in which the process that removes it cannot end.
  private static let largeSize = 1 << 24

  /// Where it will stand.
  package let path: String
  /// The hidden name; nil for what is written through.
  private let partial: String?
  private let file: SystemFile
  private let keepsLock: Bool
  private var isOpen: Bool
  private var buffer: [UInt8] = []
  /// After so many bytes they are brought to the disk.
  var syncSize = Int.max
  /// The bytes written, and those of them that were brought to the disk.
  private(set) var size = 0
  private var syncedSize = 0

  /// Creates the partial file of `path`. With `keepsLock` it stays locked when it is whole, for as long as this object lives.
  /// - Throws: `OutputProblem` if the file cannot be created.
  package init(path: String, keepsLock: Bool = true) throws(OutputProblem) {
    let (folder, name) = Self.parts(of: path)
    Self.removeLeftovers(in: folder, of: name)
    let partial = "\(folder)/.\(name).\(getpid()).partial"
    file = try SystemFile(regular: partial, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    // A file system without locks leaves its leftovers.
    _ = flock(file.descriptor, LOCK_EX | LOCK_NB)
    (self.path, self.partial, self.keepsLock, isOpen) = (path, partial, keepsLock, true)
  }

  /// Writes through an open device, FIFO or standard stream, which its opener closes.
  package init(path: String, stream: SystemFile) { (self.path, partial, file, keepsLock, isOpen) = (path, nil, stream, true, false) }

  deinit { if isOpen { file.close() } }

  /// Adds bytes at the end.
  /// - Throws: `OutputProblem` if the disk refuses the bytes.
  package func append(_ bytes: some Sequence<UInt8>) throws(OutputProblem) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes what is left, to the disk itself.
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

  /// Moves it to its place, at once and whole.
  /// - Throws: `OutputProblem` if the file cannot be moved.
  func publish() throws(OutputProblem) { if let partial { try check(rename(partial, path) == 0) } }

  /// - Throws: `OutputProblem` with the system's last failure if there was one.
  private func check(_ isGood: Bool) throws(OutputProblem) {
    if !isGood { throw OutputProblem(path: path, problem: SystemFile.message) }
  }

  /// Removes what was not published: a large file by another process, whose end is awaited only until nothing is to be seen of it.
  func discard() {
    guard let partial else { return }
    // The system frees a file only when nobody has it open.
    if isOpen { file.close() }
    isOpen = false
    guard size >= Self.largeSize, let silence = SystemFile(path: "/dev/null", flags: O_WRONLY) else {
      unlink(partial)
      return
    }
    defer { silence.close() }
    // A process that waits for the end of our outputs must not wait for this.
    let descriptors = [1, 2].map { (own: silence.descriptor, theirs: Int32($0)) }
    let start = ProcessStart(path: "/bin/rm", arguments: ["rm", "-f", "--", partial], environment: [], descriptors: descriptors)
    let child = try? Platform.spawn(start).get()
    for _ in 0..<50 where SystemFile.exists(partial) {
      // A removal that failed is done here after all.
      if child.map({ waitpid($0, nil, WNOHANG) == $0 }) ?? true { unlink(partial) }
      usleep(1000)
    }
  }

  /// The folder of a path and the name in it.
  static func parts(of path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    return (slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...]))
  }
}

// MARK: What killed processes left

extension OutputFile {
  /// Removes the partial files in a folder that no living process writes: those of one name, or all. O(entries of the folder).
  static func removeLeftovers(in folder: String, of name: String? = nil) {
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let partial = parsed(entry), name == nil || name == partial.name else { continue }
      guard let file = try? SystemFile(regular: "\(folder)/\(entry)", flags: O_RDWR | O_NOFOLLOW) else { continue }
      // Where the lock is held, another process, on this host or another one, still writes it; or nobody can know.
      if flock(file.descriptor, LOCK_EX | LOCK_NB) == 0, !isWritten(file, by: partial.writer) { unlink("\(folder)/\(entry)") }
      file.close()
    }
  }

  /// The name and the process of `.NAME.PID.partial`; nil for other names.
  private static func parsed(_ entry: String) -> (name: String, writer: pid_t)? {
    guard let match = entry.wholeMatch(of: #/\.(.+)\.([0-9]+)\.partial/#), let writer = pid_t(match.2) else { return nil }
    return (String(match.1), writer)
  }

  /// True if a process of this host may write a file without a lock, as earlier versions of the program do. A process that began after
  /// the file's last change has only the writer's id.
  private static func isWritten(_ file: SystemFile, by writer: pid_t) -> Bool {
    guard writer > 0, writer != getpid(), kill(writer, 0) == 0 || errno == EPERM else { return false }
    guard let changed = file.status?.changeTime, let start = startSeconds(of: writer) else { return true }
    return start <= Double(changed.tv_sec) + Double(changed.tv_nsec) / 1e9
  }

  /// When a process of this host began, in seconds since 1970 and at most one too early; infinite for a dead one that its parent has not
  /// waited for; nil where the system does not say.
  private static func startSeconds(of process: pid_t) -> Double? {
    func text(_ path: String) -> String? { (try? SystemFile.contents(path)).map { String(decoding: $0, as: UTF8.self) } }
    // proc(5), which macOS does not have: the name is in brackets and may hold anything; the state is the 3rd field and the start, in
    // ticks, the 22nd.
    guard let fields = text("/proc/\(process)/stat")?.split(separator: ")").last?.split(separator: " "), fields.count > 19,
      let ticks = Double(fields[19]), let boot = text("/proc/stat")?.firstMatch(of: #/btime ([0-9]+)/#), let booted = Double(boot.1)
    else { return nil }
    return fields[0] == "Z" || fields[0] == "X" ? .infinity : booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
