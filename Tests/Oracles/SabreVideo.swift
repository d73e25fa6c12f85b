// A video of ten renditions, played as Sabre plays it.

import Simulation
import Synchronization

/// A session with one video, which the user watches to its end.
package struct SabreVideo {
  /// The state after a segment has arrived; times in milliseconds from the first request.
  package struct Segment {
    package let bytes: Int64
    package let ended: Double
    /// The media that is stored and not played.
    package let buffered: Double
    /// The time without media to play since the first segment.
    package let stalled: Double
  }

  var bitsPerSecond: [Int64] = [230, 331, 477, 688, 991, 1427, 2056, 2962, 5027, 6000].map { $0 * 1000 }
  /// The number of segments, and the duration of each in milliseconds.
  var (count, milliseconds): (Int64, Int64) = (120, 3000)
  /// The media that the buffer holds, in seconds.
  var buffer: Int64 = 25

  package init() {}

  /// Returns the video and the link of a row of `sabre_drawn.csv`, whose rates are in kbit/s and times in milliseconds.
  /// - Throws: `StudyProblem` if the row has no rates or no whole periods.
  package static func drawn(_ row: [String: String]) throws -> (video: SabreVideo, link: LinkRate) {
    let rates = row.text("rates_kbps").split(separator: " ").compactMap { Int64($0) }
    let periods = row.text("periods").split(separator: " ").map { $0.split(separator: ":").compactMap { Int64($0) } }
    guard !rates.isEmpty, periods.allSatisfy({ $0.count == 3 }) else {
      throw StudyProblem(description: "a row of sabre_drawn.csv has no link")
    }
    var video = SabreVideo()
    video.bitsPerSecond = rates.map { $0 * 1000 }
    (video.count, video.milliseconds, video.buffer) = (
      Int64(row.whole("segments")), Int64(row.whole("segment_ms")), Int64(row.whole("buffer_s"))
    )
    return (
      video,
      LinkRate(
        periods: periods.map {
          LinkRate.Period(duration: .milliseconds($0[0]), bitsPerSecond: $0[1] * 1000, latency: .milliseconds($0[2]))
        })
    )
  }

  /// Returns the bytes of each segment in a rendition.
  package func segmentBytes(_ rendition: Int) -> Int64 { bitsPerSecond[rendition] * milliseconds / 8000 }

  /// Plays the video over a link with a rule of renditions, and returns its segments and the sum of its stalls in milliseconds.
  /// - Throws: `RunStop` if the session reaches a limit.
  package func play(over link: LinkRate, _ rule: RenditionChoice) throws -> (segments: [Segment], stalledMs: Double) {
    var sizes = ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) }
    let video = Int(ItemKind.video.rawValue)
    sizes[video].bytes = .constant(count * segmentBytes(0))
    sizes[video].bitsPerSecond = bitsPerSecond[0]
    sizes[video].renditions = Renditions(bitsPerSecond: bitsPerSecond, segment: .milliseconds(milliseconds))
    var downloads = DownloadSettings(connections: 1)
    (downloads.rendition, downloads.buffer) = (rule, .seconds(buffer))
    let log = BufferLog()
    let scenario = Scenario(
      feed: .generated(FeedGenerator(count: 1, mix: ItemKind.allCases.map { $0 == .video ? 1 : 0 }, sizes: sizes)),
      network: NetworkConfiguration(down: link, up: link, delayDown: .zero, delayUp: .zero), downloads: downloads,
      user: UserScript(scroll: 1, dwell: .constant(10_000_000_000_000)), prefetcher: BufferProbe(log: log))
    let run = try scenario.explain(seed: 1, limits: RunLimits())
    let levels = log.levels.withLock { $0 }
    let first = levels.first.map { Double($0.at.nanoseconds) / 1e6 } ?? 0
    let segments = zip(run.requests, levels).enumerated().map { index, segment in
      let ended = Double(segment.1.at.nanoseconds) / 1e6
      // Playback has not begun when the first segment arrives.
      let buffered = index == 0 ? Double(milliseconds) : segment.1.seconds * 1000
      // What is neither in the buffer nor played was stalled.
      let played = Double(Int64(index + 1) * milliseconds) - buffered
      return Segment(bytes: segment.0.bytes, ended: ended, buffered: buffered, stalled: ended - first - played)
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
