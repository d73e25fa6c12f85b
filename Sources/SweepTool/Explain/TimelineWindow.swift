// The stretch of a run that a picture shows: what was asked for, or where the settings part.

import Analysis

/// A stretch of time, and why it is this one.
struct TimelineWindow {
  /// How many stays a picture shows before the one it is about, and from it on.
  private static let before = 8, after = 16

  /// In milliseconds from the start of the run.
  let from: Double, to: Double
  /// Why this stretch, in a phrase.
  let reason: String

  /// All of the runs.
  static func whole(_ runs: [RunTimeline]) -> TimelineWindow {
    TimelineWindow(from: 0, to: runs.map(\.end).max() ?? 0, reason: "the whole run")
  }

  /// The stretch in which any of the runs had some items on screen; nil where none had.
  static func items(_ items: ClosedRange<Int>, of runs: [RunTimeline]) -> TimelineWindow? {
    let stays = runs.flatMap { $0.stays.filter { items.contains($0.item) } }
    guard let from = stays.map(\.from).min(), let to = stays.map(\.to).max() else { return nil }
    let named = items.count == 1 ? "item \(items.lowerBound)" : "items \(items.lowerBound) to \(items.upperBound)"
    return TimelineWindow(from: from, to: to, reason: "while \(named) were on screen")
  }

  /// The stretch around the first stay that tells the runs apart, or else around the first loader.
  static func focus(_ runs: [RunTimeline]) -> TimelineWindow {
    let (stay, reason) = subject(runs)
    let ranges = runs.map { run in
      let last = run.stays.count - 1
      return (from: run.stays[max(0, min(stay, last) - before)].from, to: run.stays[min(last, stay + after - 1)].to)
    }
    return TimelineWindow(from: ranges.map(\.from).min() ?? 0, to: ranges.map(\.to).max() ?? 0, reason: reason)
  }

  /// The index of the stay that a picture is about, and why. The scroll script is the same, so that stays of one index belong together.
  private static func subject(_ runs: [RunTimeline]) -> (stay: Int, reason: String) {
    func first(where isChosen: ([Metric?]) -> Bool) -> Int? {
      (0..<(runs.map(\.stays.count).max() ?? 0)).first { stay in
        isChosen(runs.map { stay < $0.stays.count ? $0.stays[stay].loader?.reason : nil })
      }
    }
    if let stay = first(where: { $0.contains(nil) && $0.contains { $0 != nil } }) {
      return (stay, "around the first loader that only one of them shows")
    }
    // No setting can help these.
    if let stay = first(where: { $0.contains { ![nil, .unlisted, .impossible].contains($0) } }) {
      return (stay, "around the first loader that a prefetcher could have spared")
    }
    if let stay = first(where: { $0.contains { $0 != nil } }) { return (stay, "around the first loader") }
    return (0, "the start, as no loader was shown")
  }
}
