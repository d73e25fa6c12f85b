// The few calls of the system that a journal, a lock and a results folder stand on, by one name on Linux and macOS.

/// A file or folder that cannot be read or written.
package struct OutputProblem: Error, Hashable, CustomStringConvertible, Sendable {
  /// The file or folder.
  package let path: String
  /// As a phrase after the path, mostly what the system said.
  package let problem: String

  package init(path: String, problem: String) { (self.path, self.problem) = (path, problem) }

  /// `path: output: problem; remedy`.
  package var description: String {
    "\(shortened(path, to: 200)): output: \(problem); name another folder with --output, or make room or rights there"
  }
}

/// A file by its descriptor; its opener closes it.
package struct SystemFile: Sendable {
  package let descriptor: Int32

  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file; nil with the reason in `SystemFile.message` if that fails.
  package init?(path: String, flags: Int32) {
    descriptor = open(path, flags | O_CLOEXEC, 0o666)
    if descriptor < 0 { return nil }
  }

  /// Opens a regular file and nothing else: a FIFO in its place would block, and a device could do anything. Links are followed unless
  /// `flags` have O_NOFOLLOW.
  /// - Throws: `OutputProblem` if there is no regular file that can be opened.
  package init(regular path: String, flags: Int32) throws(OutputProblem) {
    descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let message = SystemFile.message
      throw OutputProblem(path: path, problem: Self.wrongKind(path, followsLinks: flags & O_NOFOLLOW == 0) ?? message)
    }
    guard status?.isRegular == true else {
      close()
      throw OutputProblem(path: path, problem: Self.wrongKind(path, followsLinks: true) ?? "is not a regular file")
    }
  }

  /// The bytes of a regular file of at most `limit` bytes. O(size).
  /// - Throws: `OutputProblem` if there is no regular file that can be read, or a larger one.
  package static func contents(_ path: String, limit: Int = InputFile.sizeLimit) throws(OutputProblem) -> [UInt8] {
    let file = try SystemFile(regular: path, flags: O_RDONLY)
    defer { file.close() }
    guard let bytes = file.bytes(atMost: limit + 1) else { throw OutputProblem(path: path, problem: message) }
    guard bytes.count <= limit else { throw OutputProblem(path: path, problem: "has more than \(limit) bytes") }
    return bytes
  }

  /// The bytes from the file's position on, up to a limit; nil if the system refused.
  package func bytes(atMost limit: Int) -> [UInt8]? {
    guard let status else { return nil }
    var bytes: [UInt8] = []
    var piece = min(limit, Int(status.st_size) + 1)
    while bytes.count < limit {
      var count = 0
      let more = [UInt8](unsafeUninitializedCapacity: piece) { buffer, initialized in
        count = read(into: UnsafeMutableRawBufferPointer(buffer))
        initialized = max(0, count)
      }
      if count < 0 { return nil }
      if count == 0 { break }
      bytes = bytes.isEmpty ? more : bytes + more
      piece = min(limit - bytes.count, 1 << 16)
    }
    return bytes
  }

  /// What stands at a path in place of a regular file; nil if that is one, or nothing is there.
  private static func wrongKind(_ path: String, followsLinks: Bool) -> String? {
    guard let status = status(path, followsLinks: followsLinks), !status.isRegular else { return nil }
    let kinds = [S_IFDIR: "a folder", S_IFLNK: "a symbolic link", S_IFIFO: "a FIFO", S_IFSOCK: "a socket"]
    return "is \(kinds[status.st_mode & S_IFMT] ?? "a device"), where a file belongs"
  }

  /// True if two paths lead to one thing that is there: compared by device and inode, whatever the paths look like.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = identity(path), let two = identity(other) else { return false }
    return one == two
  }

  /// The device and the inode of what stands at a path, links followed; nil where nothing does.
  static func identity(_ path: String) -> String? { status(path).map { "\($0.st_dev) \($0.st_ino)" } }

  /// Writes all of the bytes at the file's place, or at its end where it was opened so. False if the system refused.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = writeSome(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count < 0, errno == EINTR { continue }
      if count < 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads up to the buffer's size; 0 at the end, −1 if the system refused.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = readSome(descriptor, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Reads what stands at a place, up to the buffer's size, and returns how many bytes; nil if the system refused.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int? {
    var count = 0
    while count < buffer.count {
      let got = pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(offset + count))
      if got < 0, errno == EINTR { continue }
      if got < 0 { return nil }
      if got == 0 { break }
      count += got
    }
    return count
  }

  /// Brings what was written to the disk itself. False if the system refused.
  package func sync() -> Bool {
    #if canImport(Darwin)
      // fsync leaves the data in the drive's own memory there; not every file system knows the stronger call.
      return fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
    #else
      return fdatasync(descriptor) == 0
    #endif
  }

  /// Cuts the file.
  package func truncate(to size: Int) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

  /// True if the file still stands in a folder.
  package var isLinked: Bool { status.map { $0.st_nlink > 0 } ?? false }

  @discardableResult package func close() -> Bool { closeDescriptor(descriptor) == 0 }

  /// True if something stands at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  package static func isFolder(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// The bytes of a file; 0 where there is none.
  package static func size(_ path: String) -> Int { status(path).map { Int($0.st_size) } ?? 0 }

  /// A text that changes when a file is written anew; nil where there is none.
  package static func version(_ path: String) -> String? {
    status(path).map { "\($0.st_size)-\($0.changeTime.tv_sec)-\($0.changeTime.tv_nsec)" }
  }

  var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  static func status(_ path: String, followsLinks: Bool = true) -> stat? {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
  }

  /// Brings a folder's entries to the disk, as far as its file system can.
  package static func syncFolder(_ path: String) {
    guard let folder = SystemFile(path: path, flags: O_RDONLY) else { return }
    _ = fsync(folder.descriptor)
    folder.close()
  }

  /// What the system says of the last failure.
  package static var message: String { message(errno) }

  /// The system's text for an error.
  package static func message(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}

extension stat {
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// The time of the last change of the contents.
  var changeTime: timespec {
    #if canImport(Darwin)
      return st_mtimespec
    #else
      return st_mtim
    #endif
  }
}

// Inside of `SystemFile` its own methods hide the system's functions.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(descriptor, bytes.baseAddress, bytes.count) }
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
