// A video of ten renditions, played as Sabre plays it.

import Simulation
import Synchronization

/// A session with one video of 120 segments of 3 s, which the user watches to its end; the buffer holds 25 s.
enum SabreVideo {
  /// The state after a segment has arrived; times in milliseconds from the first request.
  struct Segment {
    let bytes: Int64
    let ended: Double
    /// The media that is stored and not played.
    let buffered: Double
    /// The time without media to play since the first segment.
    let stalled: Double
  }

  static let bitsPerSecond: [Int64] = [230, 331, 477, 688, 991, 1427, 2056, 2962, 5027, 6000].map { $0 * 1000 }
  private static let (count, milliseconds) = (120, 3000.0)

  /// Returns the bytes of each segment in a rendition.
  static func segmentBytes(_ rendition: Int) -> Int64 { bitsPerSecond[rendition] * 3 / 8 }

  /// Plays the video over a link with a rule of renditions, and returns its segments and the sum of its stalls in milliseconds.
  /// - Throws: `RunStop` if the session reaches a limit.
  static func play(over link: LinkRate, _ rule: RenditionChoice) throws -> (segments: [Segment], stalledMs: Double) {
    var sizes = ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) }
    let video = Int(ItemKind.video.rawValue)
    sizes[video].bytes = .constant(Int64(count) * segmentBytes(0))
    sizes[video].bitsPerSecond = bitsPerSecond[0]
    sizes[video].renditions = Renditions(bitsPerSecond: bitsPerSecond, segment: .seconds(3))
    var downloads = DownloadSettings(connections: 1)
    downloads.rendition = rule
    let log = BufferLog()
    let scenario = Scenario(
      feed: .generated(FeedGenerator(count: 1, mix: ItemKind.allCases.map { $0 == .video ? 1 : 0 }, sizes: sizes)),
      network: NetworkConfiguration(down: link, up: link, delayDown: .zero, delayUp: .zero), downloads: downloads,
      user: UserScript(scroll: 1, dwell: .constant(1_000_000_000_000)), prefetcher: BufferProbe(log: log))
    let run = try scenario.explain(seed: 1, limits: RunLimits())
    let levels = log.levels.withLock { $0 }
    let first = levels.first.map { Double($0.at.nanoseconds) / 1e6 } ?? 0
    let segments = zip(run.requests, levels).enumerated().map { index, segment in
      let ended = Double(segment.1.at.nanoseconds) / 1e6
      // Playback has not begun when the first segment arrives.
      let buffered = index == 0 ? milliseconds : segment.1.seconds * 1000
      // What is neither in the buffer nor played was stalled.
      return Segment(
        bytes: segment.0.bytes, ended: ended, buffered: buffered, stalled: ended - first - (Double(index + 1) * milliseconds - buffered))
    }
    return (segments, run.metrics.stallMs)
  }
}

/// The buffer that a prefetcher saw after each finished segment.
private final class BufferLog: Sendable {
  let levels = Mutex<[(at: Instant, seconds: Double)]>([])
}

/// Plans the active video whole, and notes its buffer whenever a segment has arrived.
private struct BufferProbe: Prefetcher {
  let log: BufferLog
  var trigger: PlanTrigger { [.activation, .transferFinished] }

  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let level = (view.now, view.bufferedSeconds)
    if view.trigger.contains(.transferFinished) { log.levels.withLock { $0.append(level) } }
  }
}
