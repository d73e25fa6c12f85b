import Foundation
@testable import Sweep
import TestSupport
import Testing

@testable import SweepTool

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The progress of a sweep in its three formats.
@Suite struct ProgressTests {
  private let start = Date(timeIntervalSince1970: 1_700_000_000)

  private func progress(_ done: Int, failed: Int = 0, resumed: Int = 0) -> SweepRunner.Progress {
    SweepRunner.Progress(done: done, total: 1000, failed: failed, resumed: resumed)
  }

  @Test func aLogHasALineAMinute() {
    var display = ProgressDisplay(.lines, now: start)
    var lines: [String] = []
    for second in stride(from: 0.2, through: 300, by: 0.2) {
      if let line = display.text(of: progress(Int(second) * 2, failed: 3), at: start + second) { lines.append(line) }
    }
    #expect(lines.count == 5)
    #expect(lines[0] == "2023-11-14T22:14:20Z  12 %  120 of 1000 runs  2.0 runs/s  7:20 left  3 failed\n", "\(lines[0])")
  }

  @Test func aShortSweepHasNoLineInALog() {
    var display = ProgressDisplay(.lines, now: start)
    #expect(display.text(of: progress(1000), at: start + 5, isLast: true) == nil)
  }

  @Test func theBarIsOverwrittenAndRunsOfEarlierStartsDoNotCountForTheRate() {
    var display = ProgressDisplay(.bar, now: start)
    #expect(display.text(of: progress(510, resumed: 500), at: start + 0.1) == nil)
    let bar = display.text(of: progress(600, resumed: 500), at: start + 10)
    #expect(bar == "\r\u{1B}[K[##############..........] 60 %  600 of 1000 runs  10 runs/s  0:40 left", "\(bar ?? "")")
    #expect(display.text(of: progress(601, resumed: 500), at: start + 10.1) == nil)
  }

  @Test func progressAsJSONHasOneObjectASecond() {
    var display = ProgressDisplay(.json, now: start)
    let first = display.text(of: progress(0), at: start)
    #expect(first == "{\"done\":0,\"total\":1000,\"failed\":0,\"resumed\":0,\"runsPerSecond\":0.0,\"secondsLeft\":null}\n")
    #expect(display.text(of: progress(5), at: start + 0.9) == nil)
    #expect(display.text(of: progress(5), at: start + 1) != nil)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/pts"), "there are no pseudo-terminals as on Linux"))
  func aTerminalShowsABarThatIsErasedAtTheEnd() throws {
    // Uses calls of Linux: not every C library declares the portable ones for Swift.
    let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
    try #require(terminal >= 0)
    defer { close(terminal) }
    var (locked, number): (Int32, Int32) = (0, 0)
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    try #require(ioctl(terminal, unlock, &locked) == 0 && ioctl(terminal, getNumber, &number) == 0)
    let other = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    try #require(other >= 0)
    try BuiltTool.withFolder { folder in
      let process = Process()
      process.executableURL = BuiltTool.path
      process.arguments = [
        "run", "Sweeps/featured-3g.json5", "--set", "network.transport=fluid", "--repeats", "20", "--output",
        folder.appendingPathComponent("r").path,
      ]
      process.currentDirectoryURL = Reference.packageRoot
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle(fileDescriptor: other, closeOnDealloc: false)
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }
    // The buffer of a terminal holds some kilobytes and keeps the last ones.
    close(other)
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    var text = ""
    while true {
      let count = read(terminal, &bytes, bytes.count)
      if count <= 0 { break }
      text += String(decoding: bytes.prefix(count), as: UTF8.self)
    }
    #expect(text.contains("\r\u{1B}[K[########################] 100 %  1000 of 1000 runs"), "\(text.suffix(300))")
    #expect(text.contains(" runs/s  "))
    #expect(text.hasSuffix("\r\u{1B}[K"), "the bar is erased: \(text.suffix(50).debugDescription)")
  }
}
