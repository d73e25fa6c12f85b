// A lock on a folder of results: one process at a time writes it.

/// A refusal of the command, with the reason and the remedy.
package struct Refusal: Error, Hashable, CustomStringConvertible, Sendable {
  /// The printed message, of one line or more.
  package let description: String

  /// True if nothing was refused, but runs failed.
  package let isFailure: Bool

  /// True if a folder holds runs that were made with other settings.
  package let isOfOlderRuns: Bool

  package init(_ description: String, isFailure: Bool = false, isOfOlderRuns: Bool = false) {
    (self.description, self.isFailure, self.isOfOlderRuns) = (description, isFailure, isOfOlderRuns)
  }
}

/// A lock on a folder. The system holds it while this process lives, so a dead process leaves no lock.
package final class FolderLock: Sendable {
  private let file: SystemFile

  /// Locks the file at `path` for `folder`.
  /// - Throws: `Refusal` with the holder's process id, `OutputProblem` if no lock can be made.
  package init(path: String, folder: String, fault: FileFault? = nil) throws {
    let file = try SystemFile(regular: path, flags: O_RDWR | O_CREAT | O_NOFOLLOW, fault: fault)
    // More than a holder writes.
    let text = String(decoding: file.bytes(atMost: 300) ?? [], as: UTF8.self)
    lseek(file.descriptor, 0, SEEK_SET)
    guard Self.isLock(text) else {
      file.close()
      throw OutputProblem(path: path, problem: "holds something else than a lock")
    }
    let line = text.prefix { $0 != "\n" }
    let holder = line.isEmpty ? nil : "process \(line)"
    if flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      let isHeld = errno == EWOULDBLOCK
      // On a file system without locks, the process id decides if it is from this machine.
      if isHeld || Self.isAlive(holder) {
        file.close()
        throw Refusal(
          "\(folder): \(holder ?? "another process") is writing these results; wait for it, stop it, "
            + "or name another folder with --output")
      }
    }
    self.file = file
    let own = "\(getpid()) on \(ProcessInfo.processInfo.hostName)\n"
    _ = file.truncate(to: 0)
    guard Array(own.utf8).withUnsafeBytes(file.write) else {
      let problem = SystemFile.message
      file.close()
      throw OutputProblem(path: folder, problem: problem)
    }
  }

  deinit {
    // An empty file means that there is no holder. The file stays, because a new file with its name would be another lock.
    _ = file.truncate(to: 0)
    // Closing alone would leave the lock to a child process that was forked by another thread and has not yet started its program.
    flock(file.descriptor, LOCK_UN)
    file.close()
  }

  /// True if a text is empty or has the form `4711 on host`, as a holder writes it, or is the truncated text of a killed holder.
  private static func isLock(_ text: String) -> Bool {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    // A power failure may leave zeros.
    guard let id = words.first, text.utf8.contains(where: { $0 != 0 }) else { return true }
    return text.utf8.count < 300 && words.count <= 3 && id.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func isAlive(_ holder: String?) -> Bool {
    let words = (holder ?? "").split(separator: " ")
    guard words.count == 4, words[3] == ProcessInfo.processInfo.hostName, let id = pid_t(words[1]), id != getpid() else { return false }
    return kill(id, 0) == 0 || errno == EPERM
  }
}
