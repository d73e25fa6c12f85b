import Foundation
import TestSupport
import Testing

@testable import Sweep
@testable import SweepTool

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

  @Test(arguments: [
    (200, "[##############..........] 60 %  600 of 1000 runs  10 runs/s  0:40 left  3 failed"),
    (75, "[##############..........] 60 %  600 of 1000 runs  0:40 left  3 failed"),
    (60, "[######....] 60 %  600 of 1000 runs  0:40 left  3 failed"), (40, "[######....] 60 %  0:40 left  3 failed"),
    (30, "60 %  0:40 left  3 failed"), (10, "60 %"), (3, "60"),
  ])
  func theBarLeavesTheLastColumnFree(width: Int, text: String) {
    var display = ProgressDisplay(.bar, now: start)
    let bar = display.text(of: progress(600, failed: 3, resumed: 500), at: start + 10, width: width)
    #expect(bar == "\r\u{1B}[K" + text && text.count < width, "\(bar ?? "")")
  }

  @Test func aSweepWhoseRunsWereAllMadeBeforeIsDone() {
    var display = ProgressDisplay(.bar, now: start)
    let bar = display.text(of: progress(1000, resumed: 1000), at: start + 1, isLast: true)
    #expect(bar?.contains("100 %  1000 of 1000 runs  0.0 runs/s  0:00 left") == true, "\(bar ?? "")")
  }

  @Test func aFoldedLineIsErasedWhole() {
    var line = StatusLine(isShown: false)
    #expect(line.replacing(with: "0123456789", width: 20) == "\r\u{1B}[K0123456789")
    #expect(line.replacing(with: "01234", width: 10) == "\r\u{1B}[K01234", "10 characters fill one row of 10")
    _ = line.replacing(with: "0123456789012345678901", width: 30)
    #expect(line.replacing(with: "0", width: 10) == "\r\u{1B}[2A\u{1B}[J0", "22 characters took three rows")
  }

  @Test(.enabled(if: PseudoTerminal.isSupported, "there are no pseudo-terminals as on Linux"))
  func aTerminalShowsABarThatIsErasedAtTheEnd() throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("r").path
      let result = try PseudoTerminal(width: 120).run([
        "run", "Sweeps/featured-3g.json5", "--set", "network.transport=fluid", "--repeats", "20", "--output", output,
      ])
      #expect(result.status == 0)
      #expect(result.text.contains("\r\u{1B}[K[########################] 100 %  1000 of 1000 runs"), "\(result.text.prefix(300))")
      #expect(result.text.contains(" runs/s  "))
      #expect(result.text.contains(/\r\e\[K #  maxCost/), "the bar is erased: \(result.text.prefix(2000).debugDescription)")
    }
  }
}
