import Base
import Foundation
import Oracles
import TestSupport
import Testing

@testable import ResultStudies

/// `PREFETCH_SWEEP_REAL_APP` names `reverse-tiktok` of Dashlet's repository with `data/dataset1.zip` unpacked, which may not be shipped.
@Suite struct RealAppTests {
  private static let folder = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REAL_APP"]

  /// Writes a session of 12 videos in the form of the logs: 16 s each, in renditions of 1 Mbps (2 MB) and 0.5 Mbps (1 MB).
  private static func write(_ name: String, in folder: URL, downloads: String, swipes: String = "t, 130\nt, 140\n") throws -> String {
    let session = folder.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: session, withIntermediateDirectories: true)
    let play = (0..<12).map { "\($0),id\($0),16000,1000000&500000,a\($0)&b\($0)&c\($0)&d\($0),url" }.joined(separator: "\n")
    for (ending, text) in [("play.csv", play), ("swipe.log", swipes), ("download.csv", downloads)] {
      try Data(text.utf8).write(to: session.appendingPathComponent("\(name)-\(ending)"))
    }
    return session.path
  }

  private static func row(_ range: String, _ times: String, _ encoding: String) -> String {
    "video/mp4, bytes\(range), \(times), host, \(encoding), /path?a=1,2"
  }

  private static let downloads = [
    row("", "100, 100, 100, 101", "c0"), row("bytes 0-1024000/2000010", "101, 101, 101, 102", "a1"),
    row("bytes 0-999999/1000000", "102, 102, 102, 103", "d2"), row("bytes 0-99/100", "103, 103, 103, 103", "unknown"),
    row("bytes 1024000-2000009/2000010", "130, 130, 130, 131", "a1"),
  ].joined(separator: "\n")

  @Test func aSessionIsReadWithItsRangesRenditionsAndActivations() throws {
    try withScratch { folder in
      let session = try AppSession(folder: try Self.write("trace-4.5-swipe-3", in: folder, downloads: Self.downloads))
      #expect(session.number == 3)
      #expect(session.network == "trace-4.5")
      // The preview of no ladder is left out; a response without a range is the whole file.
      #expect(session.transfers.map(\.video) == [0, 1, 2, 1])
      #expect(session.transfers.map(\.bytes) == [1_000_000, 1_024_001, 1_000_000, 976_010])
      #expect(session.transfers.map(\.isRest) == [false, false, false, true])
      #expect(session.activations == [0, 30, 40, 41])
      let feed = session.feed()
      #expect(feed.prefix(3).map(\.bytes) == [1_000_000, 2_000_010, 1_000_000])
      // The rule takes the best rendition up to 300 kbps and 42 kbps for each Mbps: 1 Mbps from 16.7 Mbps on.
      #expect(session.feed(throughput: [16] + [Double](repeating: 17, count: 11)).map(\.bitsPerSecond).prefix(2) == [500_000, 1_000_000])
      #expect(AppReplay.throughput(session.transfers, videos: 3) == [8, 8, (8 + 8.192008) / 2])
    }
  }

  @Test func theReplayAsksForTheActiveVideoThenForFirstRangesOneAtATime() throws {
    try withScratch { folder in
      let session = try AppSession(folder: try Self.write("trace-4.5-swipe-3", in: folder, downloads: Self.downloads))
      let videos = session.feed().map { AppVideo(seconds: $0.seconds, bytes: 2_000_000, bitsPerSecond: 1_000_000) }
      let replay = AppReplay.run(videos, activations: session.activations, link: AppReplay.link(mbps: 20, dwell: 10))
      // Video 0 whole, five ahead, then at each swipe the rest of the active one and one more; the last is not complete at the end.
      #expect(replay.map(\.video) == [0, 1, 2, 3, 4, 5, 1, 6, 2])
      #expect(replay.map(\.isRest) == [false, false, false, false, false, false, true, false, true])
      #expect(zip(replay, replay.dropFirst()).allSatisfy { $0.ended <= $1.requested })
      #expect(RealAppStudy.orderAgreement(replay, replay).tau == 1)
      #expect(RealAppStudy.orderAgreement(replay, replay.reversed()).tau < -0.9)
    }
  }

  @Test func aVideoThatIsLeftBeforeItArrivesGoesOnBesideTheNext() {
    let videos = [AppVideo](repeating: AppVideo(seconds: 20, bytes: 2_000_000, bitsPerSecond: 800_000), count: 3)
    let replay = AppReplay.run(videos, activations: [0, 1, 2, 60], link: AppReplay.link(mbps: 4, dwell: 10))
    #expect(replay.map(\.video) == [0, 1, 2])
    #expect(replay.map(\.bytes) == [2_000_000, 2_000_000, 2_000_000])
    #expect(replay.allSatisfy { !$0.isRest && $0.ended > 3 })
  }

  @Test func theMeasuresAreThoseOfTheScript() {
    // 10 s of 1 Mbps, wholly fetched 2 s after the activation, shown for 6 s: 4 of 10 s are watched.
    let videos = [AppVideo](repeating: AppVideo(seconds: 10, bytes: 1_000_000, bitsPerSecond: 800_000), count: 2)
    let transfers = [
      AppTransfer(video: 0, isRest: false, bytes: 1_000_000, requested: 0, started: 0, ended: 1),
      AppTransfer(video: 1, isRest: false, bytes: 1_000_000, requested: 4, started: 4, ended: 7),
    ]
    let measures = AppMeasures(transfers, videos, activations: [0, 5, 11])
    #expect(measures.stalls == [1, 2])
    #expect(measures.shareWatched == 0.4)
    #expect(AppMeasures([], videos, activations: [0, 5, 11]).stalls == [5, 6])
    // Where the rest counts in place of the first range, only its 4 s of 500 KB exist, from its end on.
    let parts = [
      AppTransfer(video: 1, isRest: false, bytes: 500_000, requested: 0, started: 0, ended: 1),
      AppTransfer(video: 1, isRest: true, bytes: 500_000, requested: 5, started: 5, ended: 7),
    ]
    let replaced = AppMeasures(parts, videos, activations: [0, 5, 11], restReplaces: true)
    #expect(replaced.stalls == [5, 2])
    #expect(replaced.shareWatched == 0.8)
  }

  @Test func everyBadLineIsNamed() throws {
    try withScratch { folder in
      let bad = [Self.row("bytes 5-2/9", "1, 1, 1, 1", "a0"), "short", Self.row("bytes 0-9/10", "3, 3, 2, 1", "a0")].joined(separator: "\n")
      let path = try Self.write("trace-4.5-swipe-3", in: folder, downloads: bad, swipes: "t, 5\nt, nan\n")
      let error = #expect(throws: Refusal.self) { try AppSession(folder: path) }
      let lines = error?.description.split(separator: "\n") ?? []
      #expect(lines.count == 4)
      #expect(lines.first?.hasSuffix("swipe.log:2: is no row of this log; take the line out or repair it") == true)
      #expect(lines.dropFirst().map { $0.split(separator: ":")[1] } == ["1", "2", "3"])
    }
  }

  @Test(.enabled(if: folder != nil, "needs the logs of a real app; PREFETCH_SWEEP_REAL_APP names reverse-tiktok of Dashlet's repository"))
  func theLogsHave44SessionsWhoseFirstRangesEndAtTheSameByte() throws {
    let sessions = try RealAppStudy.readSessions(Self.folder ?? "")
    #expect(sessions.count == 44)
    for session in sessions {
      for range in session.requests.compactMap(\.range) where range.lowerBound == 0 {
        #expect(range.upperBound <= AppReplay.firstRange + 1, "\(session.name)")
      }
    }
  }

  private func withScratch(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("real-app-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
