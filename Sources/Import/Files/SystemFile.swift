// The few calls of the system that a journal, a lock and a results folder stand on, by one name on Linux and macOS.

/// A file that cannot be used.
package struct FileFault: Error, Hashable {
  package let path: String
  /// As a phrase after the path.
  package let reason: String
}

/// A file by its descriptor; whoever opened it closes it.
package struct SystemFile: Sendable {
  /// The descriptor.
  package let descriptor: Int32

  /// A file that is open already.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens a file; nil with the reason in `SystemFile.message` if that fails.
  package init?(path: String, flags: Int32) {
    descriptor = open(path, flags | O_CLOEXEC, 0o666)
    if descriptor < 0 { return nil }
  }

  /// Opens a regular file and nothing else: a FIFO in its place would block, and a device could do anything. Links are followed unless
  /// `flags` have O_NOFOLLOW.
  package init(regular path: String, flags: Int32) throws(FileFault) {
    descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let message = SystemFile.message
      throw FileFault(path: path, reason: Self.wrongKind(path, followsLinks: flags & O_NOFOLLOW == 0) ?? message)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close()
      throw FileFault(path: path, reason: Self.wrongKind(path, followsLinks: true) ?? "is not a regular file")
    }
  }

  /// The bytes of a regular file of at most `limit` bytes. O(size).
  package static func contents(_ path: String, limit: Int = InputFile.sizeLimit) throws(FileFault) -> [UInt8] {
    let file = try SystemFile(regular: path, flags: O_RDONLY)
    defer { file.close() }
    guard let bytes = file.bytes(atMost: limit + 1) else { throw FileFault(path: path, reason: message) }
    guard bytes.count <= limit else { throw FileFault(path: path, reason: "has more than \(limit) bytes") }
    return bytes
  }

  /// The bytes from the file's position on, up to a limit; nil if the system refused.
  package func bytes(atMost limit: Int) -> [UInt8]? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
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
  package static func wrongKind(_ path: String, followsLinks: Bool) -> String? {
    var status = stat()
    guard (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    let kind: String
    switch status.st_mode & S_IFMT {
    case S_IFREG: return nil
    case S_IFDIR: kind = "a folder"
    case S_IFLNK: kind = "a symbolic link"
    case S_IFIFO: kind = "a FIFO"
    case S_IFSOCK: kind = "a socket"
    default: kind = "a device"
    }
    return "is \(kind), where a file belongs"
  }

  /// The device and the inode of what stands at a path, links followed; nil where nothing does.
  package static func identity(_ path: String) -> (device: UInt64, inode: UInt64)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return (UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino))
  }

  /// Writes all of the bytes at the file's place, or at its end where it was opened so. False if the system refused.
  package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let slice = UnsafeRawBufferPointer(rebasing: rest)
      let count = Platform.write(descriptor, slice)
      if count < 0 {
        if errno == EINTR { continue }
        return false
      }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads up to the buffer's size; 0 at the end, −1 if the system refused.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let count = Platform.read(descriptor, buffer)
      if count < 0, errno == EINTR { continue }
      return count
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
  package func sync() -> Bool { Platform.sync(descriptor) }

  /// Cuts the file.
  package func truncate(to size: Int) -> Bool { ftruncate(descriptor, off_t(size)) == 0 }

  /// Whether the file still stands in a folder.
  package var isLinked: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_nlink > 0
  }

  /// Closes the file.
  @discardableResult package func close() -> Bool { Platform.close(descriptor) == 0 }

  /// Whether something stands at a path.
  package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// Whether a folder stands at a path.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The bytes of a file; 0 where there is none.
  package static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// A text that changes when a file is written anew; nil where there is none.
  package static func version(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let changed = Platform.changeTime(status)
    return "\(status.st_size)-\(changed.tv_sec)-\(changed.tv_nsec)"
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
