// The hidden names under which files are written until they are whole, and the removal of those that a killed process left.

/// A file under the name `.NAME.PID.partial`, locked by the process that writes it.
///
/// The lock is the system's, so that it ends with the process, and holds on other hosts too where the file system shares its locks.
package enum PartialFile {
  /// The path of a partial file of this process; `path` is the one that it will have.
  package static func path(of path: String) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return "\(path[..<start]).\(path[start...]).\(getpid()).partial"
  }

  /// Creates the partial file of `path`, after those that dead processes left of it are removed, and locks it.
  /// - Throws: `FileFault` if the file cannot be created.
  package static func create(for path: String) throws(FileFault) -> SystemFile {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    removeLeftovers(in: start == path.startIndex ? "." : String(path[..<start]), of: String(path[start...]))
    let file = try SystemFile(regular: self.path(of: path), flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
    // A file system without locks leaves its leftovers.
    _ = flock(file.descriptor, LOCK_EX | LOCK_NB)
    return file
  }

  /// Removes the partial files in a folder that no living process writes: those of one name, or all. O(entries of the folder).
  package static func removeLeftovers(in folder: String, of name: String? = nil) {
    for entry in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let partial = parsed(entry), name == nil || name == partial.name else { continue }
      removeIfLeft("\(folder)/\(entry)", writer: partial.writer)
    }
  }

  /// The name and the process of `.NAME.PID.partial`; nil for other names.
  private static func parsed(_ entry: String) -> (name: String, writer: pid_t)? {
    guard entry.hasPrefix("."), entry.hasSuffix(".partial") else { return nil }
    let middle = entry.dropFirst().dropLast(".partial".utf8.count)
    guard let dot = middle.lastIndex(of: "."), dot > middle.startIndex else { return nil }
    let digits = middle[middle.index(after: dot)...]
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let writer = pid_t(digits) else { return nil }
    return (String(middle[..<dot]), writer)
  }

  private static func removeIfLeft(_ path: String, writer: pid_t) {
    guard let file = try? SystemFile(regular: path, flags: O_RDWR | O_NOFOLLOW) else { return }
    defer { file.close() }
    // Another process, on this host or another one, still writes it; or nobody can know.
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    if !isWritten(file, by: writer) { unlink(path) }
  }

  /// True if a process of this host may write a file without a lock, as earlier versions of the program do. A process that began after
  /// the file's last change has only the writer's id.
  private static func isWritten(_ file: SystemFile, by writer: pid_t) -> Bool {
    guard writer > 0, writer != getpid(), kill(writer, 0) == 0 || errno == EPERM else { return false }
    var status = stat()
    guard fstat(file.descriptor, &status) == 0, let start = startSeconds(of: writer) else { return true }
    let changed = Platform.changeTime(status)
    return start <= Double(changed.tv_sec) + Double(changed.tv_nsec) / 1e9
  }

  /// When a process of this host began, in seconds since 1970 and at most one too early; infinite for a dead one that its parent has not
  /// waited for; nil where the system does not say.
  private static func startSeconds(of process: pid_t) -> Double? {
    func text(_ path: String) -> String? { (try? SystemFile.contents(path)).map { String(decoding: $0, as: UTF8.self) } }
    // proc(5), which macOS does not have: the name is in brackets and may hold anything; the state is the 3rd field and the start, in
    // ticks, the 22nd.
    guard let line = text("/proc/\(process)/stat"), let bracket = line.lastIndex(of: ")"),
      case let fields = line[line.index(after: bracket)...].split(separator: " "), fields.count > 19, let ticks = Double(fields[19]),
      let boot = text("/proc/stat")?.split(separator: "\n").first(where: { $0.hasPrefix("btime ") })?.split(separator: " ").last,
      let booted = Double(boot)
    else { return nil }
    return fields[0] == "Z" || fields[0] == "X" ? .infinity : booted + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
