// The system calls for files and folders, under the same names on Linux and macOS.

/// A file or folder that cannot be read or written.
package struct OutputProblem: Error, Hashable, CustomStringConvertible, Sendable {
  package let path: String
  /// The problem, as a phrase after the path; mostly the system's message.
  package let problem: String

  package init(path: String, problem: String) { (self.path, self.problem) = (path, problem) }

  /// The message, as `path: output: problem; remedy`.
  package var description: String {
    "\(shortened(path, to: 200)): output: \(problem); name another folder with --output, or make room or rights there"
  }
}

/// A call that creates or changes a file.
package enum FileChange {
  case create, sync, truncate, rename
  case write(descriptor: Int32, UnsafeRawBufferPointer)
}

/// Returns the error number of a call before it is made; 0 for none. Tests of full and failing disks inject one.
package typealias FileFault = @Sendable (FileChange) -> Int32

/// An open file by its descriptor. Its opener closes it.
package struct SystemFile: Sendable {
  package let descriptor: Int32
  /// The injected fault; nil for none.
  private let fault: FileFault?

  /// True if a fault is injected in a call; the error number is then set.
  func fails(_ change: FileChange) -> Bool { Self.fails(change, fault) }

  private static func fails(_ change: FileChange, _ fault: FileFault?) -> Bool {
    guard let number = fault?(change), number != 0 else { return false }
    errno = number
    return true
  }

  package init(descriptor: Int32) { (self.descriptor, fault) = (descriptor, nil) }

  /// Opens a file; nil on failure, with the reason in `SystemFile.message`.
  package init?(path: String, flags: Int32) {
    (descriptor, fault) = (open(path, flags | O_CLOEXEC, 0o666), nil)
    if descriptor < 0 { return nil }
  }

  /// Opens a regular file and refuses anything else: a FIFO would block, and a device could do anything.
  /// Follows links unless `flags` contain O_NOFOLLOW.
  /// - Throws: `OutputProblem` if there is no regular file that can be opened.
  package init(regular path: String, flags: Int32, fault: FileFault? = nil) throws(OutputProblem) {
    self.fault = fault
    descriptor = flags & O_CREAT != 0 && Self.fails(.create, fault) ? -1 : open(path, flags | O_NONBLOCK | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let message = SystemFile.message
      throw OutputProblem(path: path, problem: Self.wrongKind(path, followsLinks: flags & O_NOFOLLOW == 0) ?? message)
    }
    guard status?.isRegular == true else {
      close()
      throw OutputProblem(path: path, problem: Self.wrongKind(path, followsLinks: true) ?? "is not a regular file")
    }
  }

  /// Returns the bytes of a regular file of at most `limit` bytes. O(size).
  /// - Throws: `OutputProblem` if there is no regular file that can be read, or a larger one.
  package static func contents(_ path: String, limit: Int = InputFile.sizeLimit) throws(OutputProblem) -> [UInt8] {
    let file = try SystemFile(regular: path, flags: O_RDONLY)
    defer { file.close() }
    guard let bytes = file.bytes(atMost: limit + 1) else { throw OutputProblem(path: path, problem: message) }
    guard bytes.count <= limit else { throw OutputProblem(path: path, problem: "has more than \(limit) bytes") }
    return bytes
  }

  /// Returns the bytes from the file's position on, at most `limit`; nil on failure.
  package func bytes(atMost limit: Int) -> [UInt8]? {
    guard let status else { return nil }
    var bytes: [UInt8] = []
    var piece = min(limit, Int(status.st_size) + 1)
    while bytes.count < limit {
      guard let more = read(piece) else { return nil }
      if more.isEmpty { break }
      bytes = bytes.isEmpty ? more : bytes + more
      piece = min(limit - bytes.count, 1 << 16)
    }
    return bytes
  }

  /// Returns the problem with the object at a path that is no regular file; nil for a regular file and for nothing.
  private static func wrongKind(_ path: String, followsLinks: Bool) -> String? {
    guard let status = status(path, followsLinks: followsLinks), !status.isRegular else { return nil }
    let kinds = [S_IFDIR: "a folder", S_IFLNK: "a symbolic link", S_IFIFO: "a FIFO", S_IFSOCK: "a socket"]
    return "is \(kinds[status.st_mode & S_IFMT] ?? "a device"), where a file belongs"
  }

  /// Returns the one spelling of a path that results have: an absolute one stays absolute, whatever the working folder is; another one is
  /// relative to the working folder if it lies there. Links to folders are resolved.
  package static func canonical(_ path: String) -> String {
    if path == InputFile.standardInputName { return path }
    let (folder, name) = isFolder(path) ? (path, "") : OutputFile.parts(of: path)
    guard let here = resolved("."), let folder = resolved(folder) else { return path }
    let whole = name.isEmpty ? folder : folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    if path.hasPrefix("/") { return whole }
    if whole == here { return "." }
    guard here != "/", whole.hasPrefix("\(here)/") else { return whole }
    let inner = String(whole.dropFirst(here.count + 1))
    // A command would take it for an option, or for standard input.
    return inner.hasPrefix("-") ? "./\(inner)" : inner
  }

  /// Returns the absolute path of an existing file or folder without links; nil if there is none.
  static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Returns true if two paths lead to one existing object, compared by device and inode.
  package static func isSame(_ path: String, _ other: String) -> Bool {
    guard let one = identity(path), let two = identity(other) else { return false }
    return one == two
  }

  /// Returns the device and inode of the object at a path, with links followed; nil if there is none.
  static func identity(_ path: String) -> String? { status(path).map { "\($0.st_dev) \($0.st_ino)" } }

  /// True if two paths lead to one file, even if it does not exist yet.
  package static func wouldBeSame(_ path: String, _ other: String) -> Bool { key(path) == key(other) }

  /// Returns the identity of the innermost folder that exists, and the names below it.
  private static func key(_ path: String) -> String {
    if let identity = identity(path) { return identity }
    let (folder, name) = OutputFile.parts(of: path)
    return folder == path ? path : key(folder) + (name == "." || name.isEmpty ? "" : "/\(name)")
  }

  /// Writes all bytes at the file's position, or at its end if it was opened with O_APPEND. Returns false on failure.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if fails(.write(descriptor: descriptor, bytes)) { return false }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = writeSome(descriptor, UnsafeRawBufferPointer(rebasing: rest))
      if count < 0, errno == EINTR { continue }
      if count < 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Writes once and returns the number of bytes, fewer than given if a pipe is full; −1 on failure.
  package func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int { writeSome(descriptor, bytes) }

  /// Reads up to the buffer's size and returns the number of bytes; 0 at the end, −1 on failure.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = readSome(descriptor, buffer)
      if count >= 0 || errno != EINTR { return count }
    }
  }

  /// Returns up to `count` bytes from the file's position; none at its end, nil on failure.
  package func read(_ count: Int) -> [UInt8]? {
    bytes(count) { buffer in
      let got: Int = read(into: buffer)
      return got < 0 ? nil : got
    }
  }

  /// Returns up to `count` bytes from an offset; nil on failure.
  package func read(_ count: Int, at offset: Int) -> [UInt8]? { bytes(count) { read(into: $0, at: offset) } }

  private func bytes(_ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int?) -> [UInt8]? {
    var got: Int?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      got = read(UnsafeMutableRawBufferPointer(buffer))
      initialized = got ?? 0
    }
    return got.map { _ in bytes }
  }

  /// Reads from an offset, up to the buffer's size, and returns the number of bytes; nil on failure.
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

  /// Syncs the written bytes to the disk. Returns false on failure.
  package func sync() -> Bool {
    if fails(.sync) { return false }
    #if canImport(Darwin)
      // On macOS, fsync leaves the data in the drive's own memory. Not every file system has the stronger call.
      return fcntl(descriptor, F_FULLFSYNC) == 0 || fsync(descriptor) == 0
    #else
      return fdatasync(descriptor) == 0
    #endif
  }

  package func truncate(to size: Int) -> Bool { !fails(.truncate) && ftruncate(descriptor, off_t(size)) == 0 }

  /// True if the file still has a name in some folder.
  package var isLinked: Bool { status.map { $0.st_nlink > 0 } ?? false }

  @discardableResult package func close() -> Bool { closeDescriptor(descriptor) == 0 }

  /// Returns true if there is a file or folder at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  package static func isFolder(_ path: String, followsLinks: Bool = true) -> Bool {
    status(path, followsLinks: followsLinks).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
  }

  /// Returns the size of a file in bytes; 0 if there is none.
  package static func size(_ path: String) -> Int { status(path).map { Int($0.st_size) } ?? 0 }

  /// Returns a text that changes when the file changes: size and time of the last change. Nil if there is no file.
  package static func version(_ path: String) -> String? {
    status(path).map { "\($0.st_size)-\($0.changeTime.tv_sec)-\($0.changeTime.tv_nsec)" }
  }

  package var status: stat? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? status : nil
  }

  package static func status(_ path: String, followsLinks: Bool = true) -> stat? {
    var status = stat()
    return (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
  }

  /// Syncs a folder's entries to the disk, if its file system can.
  package static func syncFolder(_ path: String) {
    guard let folder = SystemFile(path: path, flags: O_RDONLY) else { return }
    _ = fsync(folder.descriptor)
    folder.close()
  }

  package static var message: String { message(errno) }

  package static func message(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}

extension stat {
  package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  var changeTime: timespec {
    #if canImport(Darwin)
      return st_mtimespec
    #else
      return st_mtim
    #endif
  }
}

// `SystemFile` has methods of these names, which hide the system's functions.
private func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int { write(descriptor, bytes.baseAddress, bytes.count) }
private func readSome(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, buffer.baseAddress, buffer.count)
}
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
