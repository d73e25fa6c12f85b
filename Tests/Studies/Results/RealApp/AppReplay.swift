// The same swipes, videos and network under the prefetcher `tiktok-2022`, and the measures that are computed of log and replay alike.

import Base
import Foundation
import Oracles
import Simulation

/// A video in the rendition that is fetched.
struct AppVideo {
  let seconds: Double
  let bytes: Int64
  let bitsPerSecond: Int64
}

/// A range request of a log or of a replay; times in seconds from the first request.
struct AppTransfer {
  let video: Int
  /// True if it begins after the first range.
  let isRest: Bool
  let bytes: Int64
  let requested: Double, started: Double, ended: Double
}

enum AppReplay {
  /// The bytes of the first range of each video.
  static let firstRange: Int64 = 1_024_000
  /// The position in the network trace at the first request, in seconds: the median of the odd-numbered sessions, by throughput.
  static let traceOffset = 53
  /// The rate of the hop from the proxy to the phone, in Mbps: the proxy sends a response on when it has all of it (odd-numbered sessions).
  static let phoneMbps = 16.4
  /// The number of items on a page of the feed.
  static let pageSize = 10
  /// The bytes of all other traffic for each video, such as pages of the feed and pictures: the multiple of 50 KB with the least squared
  /// error of the mean stalls of odd-numbered scripts.
  static let otherBytes = 250_000.0
  /// The time of a swipe itself, by which the dwell exceeds the script's share of the video's length, and the shortest dwell, in seconds.
  static let swipeSeconds = 0.28, shortestDwell = 0.62
  /// The dwell of a script that waits three times 2 s for a video whose page has not arrived, and swipes without it.
  static let dwellWithoutVideo = 6.5...6.65

  /// Returns the rendition by the rule fitted to the odd-numbered sessions: the best one up to 300 kbps and 42 kbps for each Mbps of
  /// throughput, else the lowest. Bit rates descend.
  static func rendition(of bitsPerSecond: [Int64], mbps: Double) -> Int {
    bitsPerSecond.firstIndex { Double($0) <= 300_000 + 42_000 * mbps } ?? bitsPerSecond.count - 1
  }

  /// Returns the throughput that the app has seen before its first request for each video: the median of the last five responses of over
  /// 200 KB, in Mbps; 8 before the first.
  static func throughput(_ transfers: [AppTransfer], videos: Int) -> [Double] {
    var (seen, recent): ([Double?], [Double]) = ([Double?](repeating: nil, count: videos), [])
    for transfer in transfers {
      if seen[transfer.video] == nil { seen[transfer.video] = recent.isEmpty ? 8 : median(recent.suffix(5)) }
      let seconds = transfer.ended - transfer.started
      if transfer.bytes > 200_000, seconds > 0 { recent.append(Double(transfer.bytes) * 8 / 1e6 / seconds) }
    }
    let usual = recent.isEmpty ? 8 : median(recent)
    return seen.map { $0 ?? usual }
  }

  static func median(_ values: some Sequence<Double>) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// Returns the rate that other traffic leaves for videos, at least a tenth of `mbps`, in series with the phone's hop. `dwell` is the mean
  /// one, in seconds.
  private static func inSeries(_ mbps: Double, dwell: Double) -> Int64 {
    let left = max(mbps / 10, mbps - otherBytes * 8 / 1e6 / dwell)
    return left <= 0 ? 0 : Int64(1e6 / (1 / left + 1 / phoneMbps))
  }

  /// Returns a constant link.
  static func link(mbps: Double, dwell: Double) -> LinkRate { LinkRate(constant: inSeries(mbps, dwell: dwell)) }

  /// Returns the link of a Mahimahi trace, by the second.
  /// - Throws: `InvalidInput` if the file is not such a trace.
  static func link(trace path: String, dwell: Double) throws -> LinkRate {
    let moments = try trace(path, .mahimahi).opportunitiesMs
    var packets = [Int](repeating: 0, count: Int((moments.last ?? 0) / 1000) + 1)
    for moment in moments { packets[Int(moment / 1000)] += 1 }
    return LinkRate(
      periods: packets.map {
        LinkRate.Period(duration: .seconds(1), bitsPerSecond: inSeries(Double($0) * 1500 * 8 / 1e6, dwell: dwell))
      })
  }

  /// Runs the prefetcher over a link; `activations` end with the end of the session.
  static func run(_ videos: [AppVideo], activations: [Double], link: LinkRate) -> [AppTransfer] {
    var user = UserScript(scroll: 1, dwell: .constant(1))
    user.recording = ContiguousArray(
      zip(activations, activations.dropFirst()).enumerated().map { index, times in
        Visit(item: index, dwell: Interval(nanoseconds: max(1, Int64((times.1 - times.0) * 1e9))))
      })
    let items = videos.map { Item(videoBytes: $0.bytes, prefixBytes: firstRange, bitsPerSecond: $0.bitsPerSecond) }
    var scenario = Scenario(
      feed: .fixed(ContiguousArray(items)),
      network: NetworkConfiguration(
        down: link, up: LinkRate(constant: 10_000_000), delayDown: .milliseconds(10), delayUp: .milliseconds(10), queuePackets: 100,
        offset: .seconds(Int64(traceOffset)), transport: .packet),
      downloads: DownloadSettings(connections: 100), user: user, prefetcher: BehindProxy(inner: standardPrefetcher("tiktok-2022")))
    scenario.pages = PageSettings(size: pageSize, source: .local)
    do {
      return logged(try scenario.explain(seed: 1, limits: RunLimits()).requests)
    } catch { preconditionFailure("a session reaches no limit: \(error)") }
  }

  /// Returns the requests as the proxy logs them: complete ones only, without the hop to the phone, and a video whose both parts were
  /// requested at once as one.
  private static func logged(_ requests: [RequestRecord]) -> [AppTransfer] {
    func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 }
    var transfers: [AppTransfer] = []
    for (index, request) in requests.enumerated() where request.part != .page && request.end == .finished {
      var (bytes, firstByte, end) = (request.bytes, request.firstByte ?? request.ended, request.ended)
      let other = requests[max(0, index - 1)...min(requests.count - 1, index + 1)].first {
        $0.item == request.item && $0.part != .page && $0.part != request.part && $0.requested == request.requested
      }
      if let other {
        guard request.part == .ready, other.end == .finished else { continue }
        (bytes, firstByte, end) = (bytes + other.bytes, min(firstByte, other.firstByte ?? end), max(end, other.ended))
      }
      let atProxy = max(seconds(firstByte), seconds(end) - Double(bytes) * 8 / 1e6 / phoneMbps)
      transfers.append(
        AppTransfer(
          video: request.item, isRest: request.part == .rest, bytes: bytes, requested: seconds(request.requested),
          started: seconds(firstByte), ended: atProxy))
    }
    return transfers
  }
}

/// A prefetcher behind the proxy, which passes a response on when it has all of it: the bytes of cancelled transfers are lost.
private struct BehindProxy: Prefetcher {
  var inner: any Prefetcher

  var trigger: PlanTrigger { inner.trigger }
  var concurrency: Int? { inner.concurrency }
  var cancelRule: DownloadSettings.CancelRule? { inner.cancelRule }
  var keepsPartial: Bool? { false }
  var pageTrigger: PageTrigger? { inner.pageTrigger }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) { inner.plan(for: view, into: &plan) }
}

/// The measures of Dashlet's own script (`get_qoe_tt.py`), with its formula as it is.
struct AppMeasures {
  /// The stall of each video in seconds; one that was not requested stalls as long as it is shown.
  private(set) var stalls: [Double] = []
  private var watched = 0.0, downloaded = 0.0

  /// The share of the downloaded bytes that were watched, without the first video.
  var shareWatched: Double { downloaded > 0 ? watched / downloaded : 0 }
  /// The mean stall of a video in seconds, without the first one.
  var meanStall: Double { stalls.count < 2 ? 0 : stalls.dropFirst().reduce(0, +) / Double(stalls.count - 1) }

  /// With `restReplaces` the rest of a video counts in place of its first range, as where the script takes it for one.
  init(_ transfers: [AppTransfer], _ videos: [AppVideo], activations: [Double], restReplaces: Bool = false) {
    var (firsts, rests): ([Int: AppTransfer], [Int: AppTransfer]) = ([:], [:])
    for transfer in transfers {
      if transfer.isRest, !restReplaces { rests[transfer.video] = transfer } else { firsts[transfer.video] = transfer }
    }
    for (video, (from, to)) in zip(activations, activations.dropFirst()).enumerated() {
      add(first: firsts[video], rest: rests[video], videos[video], from: from, to: to, counts: video > 0)
    }
  }

  private mutating func add(first: AppTransfer?, rest: AppTransfer?, _ video: AppVideo, from: Double, to: Double, counts: Bool) {
    let dwell = to - from
    guard let first else { return stalls.append(dwell) }
    func seconds(_ transfer: AppTransfer) -> Double { Double(transfer.bytes) / Double(video.bytes) * video.seconds }
    let begin = max(from, first.ended)
    var stall = min(max(0, first.ended - from), dwell)
    var (bytes, duration) = (Double(first.bytes), seconds(first))
    if let rest {
      bytes += Double(rest.bytes)
      duration += seconds(rest)
      let end = seconds(first) * Double(first.bytes) / Double(video.bytes)
      if to - begin > end { stall = min(stall + max(0, rest.ended - begin - end), dwell) }
    }
    stalls.append(stall)
    guard counts else { return }
    downloaded += bytes
    watched += bytes * max(0, min(dwell - stall, seconds(first))) / duration
  }
}
