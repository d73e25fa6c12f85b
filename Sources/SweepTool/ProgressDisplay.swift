// The progress of a sweep on standard error: a bar, one line per minute, or JSON for tools.

import Base
import Sweep

struct ProgressDisplay {
  enum Mode {
    /// A bar on a terminal, else lines.
    case automatic
    case bar, lines, json, none
  }

  private let mode: Mode
  private let interval: Double
  private let started: Date
  private var shown: Date?
  private var line = StatusLine(isShown: true)

  init(_ mode: Mode, now: Date = Date()) {
    started = now
    self.mode = mode == .automatic ? (Terminal.showsStatus ? .bar : .lines) : mode
    interval = self.mode == .bar ? 0.2 : self.mode == .json ? 1 : 60
  }

  /// Prints the progress if the interval has passed, or if this `isLast`.
  mutating func show(_ progress: SweepRunner.Progress, isLast: Bool = false) {
    if let text = text(of: progress, at: Date(), isLast: isLast) { writeAll(text, to: STDERR_FILENO) }
  }

  /// Returns the text to print at a moment; nil within the interval. A bar stays within `width` columns.
  mutating func text(of progress: SweepRunner.Progress, at now: Date, isLast: Bool = false, width: Int = Terminal.statusWidth) -> String? {
    guard mode != .none else { return nil }
    // A log gets its first line a minute after the start.
    guard isLast || now.timeIntervalSince(shown ?? (mode == .json ? .distantPast : started)) >= interval else { return nil }
    if isLast, mode == .lines, shown == nil { return nil }
    shown = now
    let rate = Double(progress.done - progress.resumed) / max(0.001, now.timeIntervalSince(started))
    let left = progress.done == progress.total ? 0 : rate > 0 ? Int(Double(progress.total - progress.done) / rate) : nil
    switch mode {
    case .bar:
      return line.replacing(with: Self.bar(Self.words(progress, rate: rate, left: left), progress, width: width), width: width)
    case .json: return Self.json(progress, rate: rate, left: left)
    default: return "\(now.ISO8601Format())  \(Self.words(progress, rate: rate, left: left).joined(separator: "  "))\n"
    }
  }

  mutating func clear() { line.clear() }

  /// Returns a bar and the words that fit beside it. First the pace goes, then a part of the bar, the number of runs, and all of the bar.
  private static func bar(_ words: [String], _ progress: SweepRunner.Progress, width: Int) -> String {
    let (share, runs, time, rest) = (words[0], words[1], words[3], Array(words[4...]))
    let forms = [
      (24, words), (24, [share, runs, time] + rest), (10, [share, runs, time] + rest), (10, [share, time] + rest),
      (0, [share, time] + rest), (0, [share]),
    ]
    let texts = forms.map { length, words in
      let full = progress.done * length / max(1, progress.total)
      let bar = length == 0 ? "" : "[" + String(repeating: "#", count: full) + String(repeating: ".", count: length - full) + "] "
      return bar + words.joined(separator: "  ")
    }
    return texts.first { $0.count < width } ?? texts[texts.count - 1]
  }

  /// Returns the share, the number of runs, the pace, the time left, and the failures if there are any.
  private static func words(_ progress: SweepRunner.Progress, rate: Double, left: Int?) -> [String] {
    [
      "\(progress.done * 100 / max(1, progress.total)) %", "\(progress.done) of \(progress.total) runs", pace(rate),
      left.map { "\(duration($0)) left" } ?? "time left unknown",
    ] + (progress.failed > 0 ? ["\(progress.failed) failed"] : [])
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
