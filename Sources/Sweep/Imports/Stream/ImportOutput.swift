// A file that an import makes: written beside its place under a hidden name, and moved there when it is whole.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file in the making. It is gone with this object unless it was published.
final class ImportOutput {
  private static let bufferSize = 1 << 18
  /// After so many bytes they are brought to the disk, so that the end, which cannot be interrupted, has little left to bring.
  private static let syncSize = 1 << 22

  /// Where it will stand.
  let path: String
  private let hidden: String
  private let file: SystemFile
  private var buffer: [UInt8] = []
  private var unsynced = 0
  private var isPublished = false
  /// The bytes written.
  private(set) var size = 0

  /// Opens a file that will stand at `path`.
  init(path: String) throws(OutputProblem) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    hidden = (parts.count > 1 ? "\(folder)/" : "") + ".\(parts.last ?? "").\(getpid()).partial"
    guard let file = SystemFile(path: hidden, flags: O_WRONLY | O_CREAT | O_TRUNC) else {
      throw OutputProblem(path: path, problem: SystemFile.message)
    }
    self.file = file
    buffer.reserveCapacity(Self.bufferSize + 1024)
  }

  deinit {
    if !isPublished {
      file.close()
      unlink(hidden)
    }
  }

  /// Adds text.
  @inline(__always)
  func append(_ text: StaticString) {
    buffer.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Adds text.
  func append(_ text: String) { buffer.append(contentsOf: text.utf8) }

  /// Adds a number that is `value` / 10^`places`, without zeros at the end of its decimals. `value` is not negative.
  func append(_ value: Int64, places: Int = 0) {
    var (rest, decimals) = (value, places)
    while decimals > 0, rest % 10 == 0 { (rest, decimals) = (rest / 10, decimals - 1) }
    let start = buffer.count
    var digits = 0
    repeat {
      if digits == decimals, decimals > 0 { buffer.append(UInt8(ascii: ".")) }
      buffer.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      digits += 1
    } while rest > 0 || digits <= decimals
    buffer[start...].reverse()
  }

  /// Writes on if there is enough. Called after each row.
  @inline(__always)
  func flushIfFull() throws { if buffer.count >= Self.bufferSize { try flush() } }

  private func flush() throws(OutputProblem) {
    guard buffer.withUnsafeBytes({ file.write($0) }) else { throw OutputProblem(path: path, problem: SystemFile.message) }
    size += buffer.count
    unsynced += buffer.count
    buffer.removeAll(keepingCapacity: true)
    guard unsynced >= Self.syncSize else { return }
    unsynced = 0
    guard file.sync() else { throw OutputProblem(path: path, problem: SystemFile.message) }
  }

  /// Brings all of it to the disk; what is left to do is to publish it.
  func finish() throws(OutputProblem) {
    try flush()
    guard file.sync() else { throw OutputProblem(path: path, problem: SystemFile.message) }
  }

  /// Moves it to its place, at once and whole.
  func publish() throws(OutputProblem) {
    guard file.close(), rename(hidden, path) == 0 else { throw OutputProblem(path: path, problem: SystemFile.message) }
    isPublished = true
  }
}
