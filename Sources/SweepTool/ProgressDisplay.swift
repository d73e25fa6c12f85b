// The progress of a sweep on standard error: a bar, one line per minute, or JSON for tools.

import Import
import Sweep

struct ProgressDisplay {
  enum Mode {
    /// A bar on a terminal, else lines.
    case automatic
    case bar, lines, json, none
  }

  private static let barWidth = 24

  private let mode: Mode
  private let interval: Double
  private let started: Date
  private var shown: Date?
  private var isOpen = false

  init(_ mode: Mode, now: Date = Date()) {
    started = now
    self.mode = mode == .automatic ? (isatty(STDERR_FILENO) == 1 ? .bar : .lines) : mode
    interval = self.mode == .bar ? 0.2 : self.mode == .json ? 1 : 60
  }

  /// Prints the progress if the interval has passed, or if this `isLast`.
  mutating func show(_ progress: SweepRunner.Progress, isLast: Bool = false) {
    if let text = text(of: progress, at: Date(), isLast: isLast) { writeAll(text, to: STDERR_FILENO) }
  }

  /// Returns the text to print at a moment; nil within the interval.
  mutating func text(of progress: SweepRunner.Progress, at now: Date, isLast: Bool = false) -> String? {
    guard mode != .none else { return nil }
    // A log gets its first line a minute after the start.
    guard isLast || now.timeIntervalSince(shown ?? (mode == .json ? .distantPast : started)) >= interval else { return nil }
    if isLast, mode == .lines, shown == nil { return nil }
    shown = now
    let rate = Double(progress.done - progress.resumed) / max(0.001, now.timeIntervalSince(started))
    let left = rate > 0 ? Int(Double(progress.total - progress.done) / rate) : nil
    switch mode {
    case .bar:
      isOpen = true
      return "\(StatusLine.erasing)\(Self.bar(progress)) \(Self.words(progress, rate: rate, left: left))"
    case .json: return Self.json(progress, rate: rate, left: left)
    default: return "\(now.ISO8601Format())  \(Self.words(progress, rate: rate, left: left))\n"
    }
  }

  mutating func clear() {
    if isOpen { writeAll(StatusLine.erasing, to: STDERR_FILENO) }
    isOpen = false
  }

  private static func bar(_ progress: SweepRunner.Progress) -> String {
    let full = progress.done * barWidth / max(1, progress.total)
    return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: barWidth - full) + "]"
  }

  private static func words(_ progress: SweepRunner.Progress, rate: Double, left: Int?) -> String {
    let failed = progress.failed > 0 ? "  \(progress.failed) failed" : ""
    let time = left.map { "\(duration($0)) left" } ?? "time left unknown"
    return "\(progress.done * 100 / max(1, progress.total)) %  \(progress.done) of \(progress.total) runs  "
      + "\(pace(rate))  \(time)\(failed)"
  }

  /// Runs per second, or per hour if each takes minutes.
  private static func pace(_ rate: Double) -> String {
    if rate > 0, rate < 0.1 { return "\((rate * 36_000).rounded() / 10) runs/h" }
    return rate < 10 ? "\((rate * 10).rounded() / 10) runs/s" : "\(Int(rate)) runs/s"
  }

  /// Formats seconds as `1:02:03` or `2:03`.
  private static func duration(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":" + two(seconds % 60)
  }

  private static func json(_ progress: SweepRunner.Progress, rate: Double, left: Int?) -> String {
    "{\"done\":\(progress.done),\"total\":\(progress.total),\"failed\":\(progress.failed),\"resumed\":\(progress.resumed),"
      + "\"runsPerSecond\":\((rate * 10).rounded() / 10),\"secondsLeft\":\(left.map(String.init) ?? "null")}\n"
  }
}
