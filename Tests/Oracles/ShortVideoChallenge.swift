// Sessions of the simulator of the ACM Multimedia 2022 short-video challenge, with its rules.

import Simulation

/// A session on a constant link: videos in segments of 1 s and 93 750 bytes, whose users watch a part of each from its first frame on.
package struct ShortVideoChallenge {
  /// The lengths of the videos, in seconds.
  let lengths: [Int64]
  /// The media that the user watches of each video, in milliseconds; stalls extend the visit.
  let watchedMs: [Int64]
  let bitsPerSecond: Int64

  private static let segmentBytes: Int64 = 93_750
  private static let rate: Int64 = 750_000

  /// Creates the session of a row of `svs_sessions.csv`.
  package init(_ row: [String: String]) {
    func numbers(_ column: String) -> [Int64] { row.text(column).split(separator: " ").compactMap { Int64($0) } }
    (lengths, watchedMs, bitsPerSecond) = (numbers("lengths_s"), numbers("watched_ms"), Int64(row.whole("link_bps")))
  }

  /// Returns the prefetcher that decides as a policy of the challenge; nil if it has no such policy.
  package static func prefetcher(_ policy: String) -> (any Prefetcher)? {
    switch policy {
    // Both fetch the active video whole, then parts of the next four: rounds of 800 000 bytes, and four segments of each.
    case "no_save": Stepwise(standardPrefetcher("short-video-rounds"))
    case "fix_preload": Stepwise(standardPrefetcher("tiktok-2022", ["ahead": .integer(4), "bytes": .integer(4 * segmentBytes)]))
    default: nil
    }
  }

  /// Plays the session. Returns the bytes of all segments that were requested, and the waits for first frames and in stalls.
  /// - Throws: `RunStop` if the session reaches a limit.
  package func play(_ prefetcher: any Prefetcher) throws -> (bytes: Int64, stalledMs: Double) {
    let videos = lengths.map {
      Item(videoBytes: $0 * Self.segmentBytes, prefixBytes: Self.segmentBytes, bitsPerSecond: Self.rate)
    }
    let link = LinkRate(constant: bitsPerSecond)
    var user = UserScript(scroll: lengths.count, dwell: .constant(1_000_000_000))
    user.recording = ContiguousArray(watchedMs.enumerated().map { Visit(item: $0, dwell: .milliseconds($1)) })
    (user.patience, user.stallsExtend) = (.seconds(10_000), true)
    var downloads = DownloadSettings(connections: 1)
    downloads.buffer = .seconds(3600)
    let scenario = Scenario(
      feed: .fixed(ContiguousArray(videos), Renditions(bitsPerSecond: [Self.rate], segment: .seconds(1))),
      // The challenge's round trip of 80 ms precedes each segment.
      network: NetworkConfiguration(down: link, up: link, delayDown: .milliseconds(80), delayUp: .zero), downloads: downloads, user: user,
      prefetcher: prefetcher)
    let run = try scenario.explain(seed: 1, limits: RunLimits())
    return (
      run.requests.reduce(0) { $0 + $1.bytes },
      run.metrics.stallMs + run.loaders.reduce(0) { $0 + Double($1.wait.nanoseconds) / 1e6 }
    )
  }
}

/// Decides when the challenge's simulator does: after each segment, which always arrives; with nothing to fetch it sleeps 500 ms, also past
/// a swipe.
private struct Stepwise: Prefetcher {
  private var inner: any Prefetcher
  private var wakes = Instant.start

  init(_ inner: any Prefetcher) { self.inner = inner }

  var trigger: PlanTrigger { [.activation, .transferFinished, .askedFor] }
  var concurrency: Int? { 1 }
  var cancelRule: DownloadSettings.CancelRule? { .never }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    if view.now < wakes {
      plan.askAgain = wakes
      return
    }
    inner.plan(for: view, into: &plan)
    for index in 0..<plan.count {
      let fetch = plan[index]
      if view.isInFlight(fetch.item) || view.storedBytes(fetch.item) < min(view.items[fetch.item].bytes, fetch.bytes) { return }
    }
    wakes = view.now + .milliseconds(500)
    plan.askAgain = wakes
  }
}
