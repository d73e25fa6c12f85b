// A file that an import makes: written beside its place under a hidden name, and moved there when it is whole.

/// A file in the making. It is gone with this object unless it was published.
package final class ImportOutput {
  private static let bufferSize = 1 << 18
  /// What a row may take behind the size at which the buffer is written.
  private static let slack = 1 << 16
  /// After so many bytes their way to the disk begins.
  private static let syncSize = 1 << 20
  /// So many may be on their way: what a slow disk takes in a tenth of a second, since a process cannot end while they are.
  private static let syncLimit = 1 << 22
  /// A file of this size is large to take away again.
  private static let largeSize = 1 << 24
  private static let removalPatienceMs = 50

  /// Where it will stand.
  package let path: String
  /// The partial file; nil for a device or FIFO, which is written through.
  private let hidden: String?
  private let target: String
  private let file: SystemFile
  /// Plain memory: an array of a class costs a look at who else uses it for each number that is written (measured: two thirds of the time).
  private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: bufferSize + slack)
  private let used: UnsafeMutablePointer<Int>
  private var isPublished = false
  /// The bytes written.
  private(set) var size = 0
  private let sync: BackgroundSync
  /// Throws where the import is to stop.
  private let check: () throws -> Void

  /// Opens a file that will stand at a destination.
  /// - Throws: `OutputProblem` if the file cannot be created.
  package init(_ destination: OutputTarget, check: @escaping () throws -> Void = {}) throws(OutputProblem) {
    path = destination.path
    target = destination.target
    self.check = check
    if let stream = destination.stream {
      (hidden, file) = (nil, stream)
    } else {
      hidden = PartialFile.path(of: target)
      do { file = try PartialFile.create(for: target) } catch { throw OutputProblem(path: path, problem: error.reason) }
    }
    used = .allocate(capacity: 1)
    sync = BackgroundSync(file)
    used.initialize(to: 0)
  }

  deinit {
    buffer.deallocate()
    used.deallocate()
    if !isPublished {
      file.close()
      remove()
    }
  }

  /// Takes the hidden file away. To free a large one takes a file system up to half a second, in which the process that asked for it
  /// cannot end; so another one asks, and this one waits only until nothing is to be seen of it.
  private func remove() {
    guard let hidden else { return }
    guard size >= Self.largeSize, let child = Self.spawnRemoval(of: hidden) else {
      unlink(hidden)
      return
    }
    for _ in 0..<Self.removalPatienceMs where access(hidden, F_OK) == 0 {
      // A removal that failed is done here after all.
      if waitpid(child, nil, WNOHANG) == child { unlink(hidden) }
      usleep(1000)
    }
  }

  private static func spawnRemoval(of path: String) -> pid_t? {
    // Whoever waits for the end of our outputs must not wait for this.
    guard let silence = SystemFile(path: "/dev/null", flags: O_WRONLY) else { return nil }
    defer { silence.close() }
    let descriptors = [1, 2].map { (own: silence.descriptor, theirs: Int32($0)) }
    let start = ProcessStart(path: "/bin/rm", arguments: ["rm", "-f", "--", path], environment: [], descriptors: descriptors)
    return try? Platform.spawn(start).get()
  }

  /// Adds a text of the program's own.
  @inline(__always)
  package func literal(_ text: StaticString) {
    (buffer + used.pointee).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    used.pointee += text.utf8CodeUnitCount
  }

  /// Adds a short text, at most 1000 bytes.
  package func append(_ text: String) {
    precondition(text.utf8.count <= 1000, "long texts are not for this buffer")
    for byte in text.utf8 {
      buffer[used.pointee] = byte
      used.pointee += 1
    }
  }

  /// Adds a number that is `value` / 10^`places`, without zeros at the end of its decimals. `value` is not negative.
  @inline(__always)
  package func append(_ value: Int64, places: Int = 0) {
    var (rest, decimals) = (UInt64(value), places)
    while decimals > 0, rest % 10 == 0 { (rest, decimals) = (rest / 10, decimals - 1) }
    // From its end: the digits first, and at least one before the point.
    var (limit, length): (UInt64, Int) = (10, 1)
    while length < 19, rest >= limit { (limit, length) = (limit * 10, length + 1) }
    length = max(length, decimals + 1) + (decimals > 0 ? 1 : 0)
    var place = buffer + used.pointee + length
    for digit in 0..<(decimals > 0 ? length - 1 : length) {
      if digit == decimals, decimals > 0 {
        place -= 1
        place.pointee = UInt8(ascii: ".")
      }
      place -= 1
      place.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    used.pointee += length
  }

  /// Writes on if there is enough. Called after each row.
  /// - Throws: `OutputProblem` if the disk refuses the rows, and what `check` throws.
  @inline(__always)
  func flushIfFull() throws { if used.pointee >= Self.bufferSize { try flush() } }

  /// - Throws: `OutputProblem` if the disk refuses the rows, and what `check` throws.
  private func flush() throws {
    guard file.write(UnsafeRawBufferPointer(start: buffer, count: used.pointee)) else {
      throw OutputProblem(path: path, problem: SystemFile.message)
    }
    size += used.pointee
    used.pointee = 0
    if hidden == nil { return }
    if try size - synced() >= Self.syncSize { sync.begin(size) }
    try waitForSync(behind: Self.syncLimit)
  }

  /// The bytes that are on the disk.
  /// - Throws: `OutputProblem` if the disk has refused the bytes.
  private func synced() throws(OutputProblem) -> Int {
    let (done, failure) = sync.result
    if let failure { throw OutputProblem(path: path, problem: failure) }
    return done
  }

  /// Waits until no more than so many bytes are not on the disk, and looks meanwhile whether to stop.
  /// - Throws: `OutputProblem` if the disk has refused the bytes, and what `check` throws.
  private func waitForSync(behind limit: Int) throws {
    while try size - synced() > limit {
      try check()
      sync.begin(size)
      sync.wait(milliseconds: 20)
    }
  }

  /// Brings all of it to the disk; what is left to do is to publish it.
  /// - Throws: `OutputProblem` if the disk refuses the rows, and what `check` throws.
  package func finish() throws {
    try flush()
    if hidden != nil { try waitForSync(behind: 0) }
  }

  /// Moves it to its place, at once and whole.
  /// - Throws: `OutputProblem` if the file cannot be moved.
  package func publish() throws(OutputProblem) {
    // The lock is held until the file has its name.
    guard hidden.map({ rename($0, target) == 0 }) ?? true else { throw OutputProblem(path: path, problem: SystemFile.message) }
    isPublished = true
    guard file.close() else { throw OutputProblem(path: path, problem: SystemFile.message) }
  }
}
