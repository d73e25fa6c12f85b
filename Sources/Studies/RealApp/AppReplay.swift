// The same swipes, videos and network under the prefetcher `tiktok-2022`, and the measures that are computed of log and replay alike.

import Foundation
import Import
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
  /// What else uses the link, in Mbps, such as pages of the feed, covers and previews: to a tenth, by the odd-numbered sessions. Their stalls
  /// fit best at 0.7, their share of bytes watched on Wi-Fi at 0.
  static let otherMbps = 0.6
  /// The most transfers at once in the odd-numbered sessions: prefetches are one at a time, active videos do not wait for others.
  static let connections = 4
  /// The number of items on a page of the feed.
  static let pageSize = 10

  /// Returns the rendition by the rule fitted to the odd-numbered sessions: the best one up to 300 kbps and 42 kbps for each Mbps of
  /// throughput, else the lowest. Bit rates descend.
  static func rendition(of bitsPerSecond: [Int64], mbps: Double) -> Int {
    bitsPerSecond.firstIndex { Double($0) <= 300_000 + 42_000 * mbps } ?? bitsPerSecond.count - 1
  }

  /// Returns the throughput that the app has seen before its first request for each video: the median of the last five responses of over
  /// 200 KB, in Mbps; 8 before the first. With `withPhone` the hop to the phone is subtracted.
  static func throughput(_ transfers: [AppTransfer], videos: Int, withPhone: Bool) -> [Double] {
    var (seen, recent): ([Double?], [Double]) = ([Double?](repeating: nil, count: videos), [])
    for transfer in transfers {
      if seen[transfer.video] == nil { seen[transfer.video] = recent.isEmpty ? 8 : median(recent.suffix(5)) }
      let seconds = transfer.ended - transfer.started
      let phone = withPhone ? Double(transfer.bytes) * 8 / 1e6 / phoneMbps : 0
      if transfer.bytes > 200_000, seconds > phone { recent.append(Double(transfer.bytes) * 8 / 1e6 / (seconds - phone)) }
    }
    let usual = recent.isEmpty ? 8 : median(recent)
    return seen.map { $0 ?? usual }
  }

  static func median(_ values: some Sequence<Double>) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// Returns a rate by the second from link and phone in series, less what else uses the link.
  private static func inSeries(_ mbps: Double) -> Int64 {
    let left = max(min(mbps, 0.001), mbps - otherMbps)
    return left <= 0 ? 0 : Int64(1e6 / (1 / left + 1 / phoneMbps))
  }

  /// Returns a constant link.
  static func link(mbps: Double) -> LinkRate { LinkRate(constant: inSeries(mbps)) }

  /// Returns the link of a Mahimahi trace, by the second.
  /// - Throws: `InvalidInput` if the file is not such a trace.
  static func link(trace path: String) throws -> LinkRate {
    let moments = try trace(path, .mahimahi).opportunitiesMs
    var packets = [Int](repeating: 0, count: Int((moments.last ?? 0) / 1000) + 1)
    for moment in moments { packets[Int(moment / 1000)] += 1 }
    return LinkRate(
      periods: packets.map { LinkRate.Period(duration: .seconds(1), bitsPerSecond: inSeries(Double($0) * 1500 * 8 / 1e6)) })
  }

  /// Runs the prefetcher over a link; `activations` end with the end of the session. A video of which nothing was requested when it became
  /// active is fetched as one whole file, which is known after a first run: a few rounds.
  static func run(_ videos: [AppVideo], activations: [Double], link: LinkRate) -> [AppTransfer] {
    var (transfers, whole): ([AppTransfer], Set<Int>) = ([], [])
    for _ in 1...8 {
      transfers = run(videos, whole: whole, activations: activations, link: link)
      let late = transfers.filter { !$0.isRest && $0.video < activations.count - 1 && $0.requested >= activations[$0.video] }
        .map(\.video)
      if whole.isSuperset(of: late) { break }
      whole.formUnion(late)
    }
    return transfers
  }

  private static func run(_ videos: [AppVideo], whole: Set<Int>, activations: [Double], link: LinkRate) -> [AppTransfer] {
    var user = UserScript(scroll: 1, dwell: .constant(1))
    user.recording = ContiguousArray(
      zip(activations, activations.dropFirst()).enumerated().map { index, times in
        Visit(item: index, dwell: Interval(nanoseconds: max(1, Int64((times.1 - times.0) * 1e9))))
      })
    let items = videos.enumerated().map { index, video in
      Item(videoBytes: video.bytes, prefixBytes: whole.contains(index) ? video.bytes : firstRange, bitsPerSecond: video.bitsPerSecond)
    }
    var scenario = Scenario(
      feed: .fixed(ContiguousArray(items)),
      network: NetworkConfiguration(
        down: link, up: LinkRate(constant: 10_000_000), delayDown: .milliseconds(10), delayUp: .milliseconds(10), queuePackets: 100,
        offset: .seconds(Int64(traceOffset)), transport: .packet),
      downloads: DownloadSettings(connections: connections), user: user, prefetcher: standardPrefetcher("tiktok-2022"))
    scenario.pages = PageSettings(size: pageSize, source: .local)
    do {
      return try scenario.explain(seed: 1, limits: RunLimits()).requests.filter { $0.part != .page }.map {
        func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e9 }
        return AppTransfer(
          video: $0.item, isRest: $0.part == .rest, bytes: $0.bytes, requested: seconds($0.requested),
          started: seconds($0.firstByte ?? $0.ended), ended: seconds($0.ended))
      }
    } catch { preconditionFailure("a session reaches no limit: \(error)") }
  }
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

  init(_ transfers: [AppTransfer], _ videos: [AppVideo], activations: [Double]) {
    var (firsts, rests): ([Int: AppTransfer], [Int: AppTransfer]) = ([:], [:])
    for transfer in transfers {
      if transfer.isRest { rests[transfer.video] = transfer } else { firsts[transfer.video] = transfer }
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
