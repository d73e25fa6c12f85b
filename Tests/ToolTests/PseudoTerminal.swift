// A terminal for tests: the program writes to it, and a screen interprets what it writes.

import Foundation
import Synchronization
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The visible text of a terminal that folds long lines and folds them anew when it is resized.
struct Screen {
  /// The lines as they were ended by line feeds; a long one takes several rows.
  private(set) var lines: [[Character]] = [[]]
  private(set) var width: Int
  /// The most rows that the last line took.
  private(set) var mostRows = 1
  private var column = 0
  private var sequence: String?

  init(width: Int) { self.width = width }

  var texts: [String] { lines.map { String($0) } }

  mutating func resize(to width: Int) { self.width = width }

  mutating func write(_ text: String) {
    for scalar in text.unicodeScalars { write(scalar) }
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    if let begun = sequence {
      sequence = begun + String(scalar)
      if begun.isEmpty || !scalar.properties.isAlphabetic { return }
      obey(begun.dropFirst() + String(scalar))
      sequence = nil
      return
    }
    let last = lines.count - 1
    switch scalar {
    case "\u{1B}": sequence = ""
    case "\r": column = row * width
    case "\n":
      lines.append([])
      (column, mostRows) = (0, 1)
    default:
      if column < lines[last].count { lines[last][column] = Character(scalar) } else { lines[last].append(Character(scalar)) }
      column += 1
      mostRows = max(mostRows, (lines[last].count - 1) / width + 1)
    }
  }

  /// The row of the cursor in the last line; after the last column it has not moved on yet.
  private var row: Int { max(0, column - 1) / width }

  /// Obeys a control sequence (ECMA-48): cursor up, and erase to the end of the line or screen. Colours change nothing.
  private mutating func obey(_ sequence: Substring) {
    let last = lines.count - 1
    switch sequence.last {
    case "A": column = max(0, column - width * (Int(sequence.dropLast()) ?? 1))
    case "K": lines[last].replaceSubrange(column..<min(lines[last].count, (column / width + 1) * width), with: [])
    case "J": lines[last].removeSubrange(column...)
    default: break
    }
  }
}

/// A pseudo-terminal of Linux with a program on its standard output and standard error.
final class PseudoTerminal {
  static let isSupported = FileManager.default.fileExists(atPath: "/dev/pts")

  private let terminal: Int32, name: String

  /// Opens a pseudo-terminal of `width` columns.
  /// - Throws: If the system has none.
  init(width: Int) throws {
    // Uses calls of Linux: not every C library declares the portable ones for Swift.
    terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (locked, number): (Int32, Int32) = (0, 0)
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    guard terminal >= 0, ioctl(terminal, unlock, &locked) == 0, ioctl(terminal, getNumber, &number) == 0 else {
      throw CocoaError(.fileReadUnknown)
    }
    name = "/dev/pts/\(number)"
    resize(to: width)
  }

  deinit { close(terminal) }

  func resize(to width: Int) {
    var size = winsize(ws_row: 24, ws_col: UInt16(width), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
  }

  /// Runs the program until it ends, and returns all that it wrote. `receive` gets each piece as it arrives, with the process.
  /// - Throws: If the program cannot be started.
  func run(
    _ arguments: [String], environment: [String: String] = [:], receive: (String, Process) -> Void = { _, _ in }
  ) throws -> (text: String, status: Int32) {
    let other = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    let process = Process()
    process.executableURL = BuiltTool.path
    process.arguments = arguments
    process.currentDirectoryURL = Reference.packageRoot
    let own = ["COLUMNS", "NO_COLOR", "TERM"]
    process.environment = ProcessInfo.processInfo.environment.filter { !own.contains($0.key) }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    process.standardError = FileHandle(fileDescriptor: other, closeOnDealloc: false)
    try process.run()
    close(other)
    var (bytes, text) = ([UInt8](repeating: 0, count: 1 << 16), "")
    // The last process that closes the terminal ends the input. Only whole characters arrive: the program writes texts at once.
    while true {
      let count = read(terminal, &bytes, bytes.count)
      if count <= 0 { break }
      let piece = String(decoding: bytes.prefix(count), as: UTF8.self)
      text += piece
      receive(piece, process)
    }
    process.waitUntilExit()
    return (text.replacing("\r\n", with: "\n"), process.terminationStatus)
  }
}
