// Which stretch of a run a picture shows: what was asked for, or where the settings part.

import Analysis

/// A stretch of time, and why it is this one.
struct TimelineWindow: Equatable {
  /// How many stays a picture shows before the one it is about, and from it on.
  private static let before = 8
  private static let after = 16

  /// In milliseconds from the start of the run.
  let from: Double
  let to: Double
  /// Why this stretch, in a phrase.
  let reason: String

  init(from: Double, to: Double, reason: String) { (self.from, self.to, self.reason) = (from, to, reason) }

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
    func places(_ run: RunTimeline) -> ClosedRange<Int> {
      let last = run.stays.count - 1
      return max(0, min(stay, last) - before)...min(last, stay + after - 1)
    }
    let from = runs.map { $0.stays[places($0).lowerBound].from }.min() ?? 0
    let to = runs.map { $0.stays[places($0).upperBound].to }.max() ?? 0
    return TimelineWindow(from: from, to: to, reason: reason)
  }

  /// The place of the stay that a picture is about, and why. The thumb is the same, so that stays of one place belong together.
  private static func subject(_ runs: [RunTimeline]) -> (stay: Int, reason: String) {
    let count = runs.map(\.stays.count).max() ?? 0
    func loaders(_ stay: Int) -> [RunTimeline.Loader?] { runs.map { stay < $0.stays.count ? $0.stays[stay].loader : nil } }
    if runs.count > 1, let stay = (0..<count).first(where: { stay in Set(loaders(stay).map { $0 != nil }).count > 1 }) {
      return (stay, "around the first loader that only one of them shows")
    }
    // What no setting can help tells little of any.
    let fates: [Metric] = [.unlisted, .impossible]
    if let stay = (0..<count).first(where: { loaders($0).contains { loader in loader.map { !fates.contains($0.reason) } ?? false } }) {
      return (stay, "around the first loader that a prefetcher could have spared")
    }
    if let stay = (0..<count).first(where: { loaders($0).contains { $0 != nil } }) { return (stay, "around the first loader") }
    return (0, "the start, as no loader was shown")
  }
}
