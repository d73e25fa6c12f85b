import TestSupport
import Testing

@testable import Oracles
@testable import Simulation

@Suite struct RenditionTests {
  @Test func followsSabresBufferToAMicrosecond() throws {
    let rows = try Reference.rows("crosscheck/sabre_buffer.csv")
    let cases = Dictionary(grouping: rows) { "\($0["trace"]!) \($0["rule"]!)" }
    #expect(rows.count == 720 && cases.count == 6)
    for (name, rows) in cases.sorted(by: { $0.key < $1.key }) {
      let link = try SabreTraces.link("crosscheck/\(rows[0]["trace"]!).json")
      let run = try SabreVideo().play(over: link, try #require(RenditionChoice(rawValue: rows[0]["rule"]!)))
      #expect(run.segments.count == 120, "\(name)")
      for (index, (row, segment)) in zip(rows, run.segments).enumerated() {
        let text = "\(name) segment \(index)"
        #expect(segment.bytes == SabreVideo().segmentBytes(Int(row["rendition"]!)!), "\(text) rendition")
        #expect(abs(segment.ended - Double(row["finished_ms"]!)!) < 0.001, "\(text) end")
        #expect(abs(segment.buffered - Double(row["buffer_ms"]!)!) < 0.001, "\(text) buffer")
        #expect(abs(segment.stalled - Double(row["stalled_ms"]!)!) < 0.001, "\(text) stalls")
      }
      #expect(abs(run.stalledMs - Double(rows[119]["stalled_ms"]!)!) < 0.001, "\(name) stalls in all")
    }
  }

  /// Other movies, buffers and links.
  @Test func choosesAndStallsAsSabreOnDrawnVideosAndLinks() throws {
    let rows = try Reference.rows("crosscheck/sabre_drawn.csv")
    #expect(rows.count == 80)
    for (index, row) in rows.enumerated() {
      let (video, link) = try SabreVideo.drawn(row)
      let run = try video.play(over: link, try #require(RenditionChoice(rawValue: row["rule"]!)))
      let renditions = row["renditions"]!.split(separator: " ").map { Int($0)! }
      let different = zip(run.segments, renditions).map { $0.bytes == video.segmentBytes($1) }.firstIndex(of: false)
      #expect(different == nil && run.segments.count == renditions.count, "session \(index)")
      #expect(abs((run.segments.last?.ended ?? 0) - Double(row["finished_ms"]!)!) < 0.001, "session \(index)")
      #expect(abs(run.stalledMs - Double(row["stalled_ms"]!)!) < 0.001, "session \(index)")
    }
  }

  /// Bytes and stalls are equal; a tenth of a percent was asked for.
  @Test func requestsAndStallsAsTheShortVideoChallenge() throws {
    let rows = try Reference.rows("crosscheck/svs_sessions.csv")
    #expect(rows.count == 168)
    for row in rows {
      let run = try ShortVideoChallenge(row).play(try #require(ShortVideoChallenge.prefetcher(row["policy"]!)))
      let text = "\(row["policy"]!) at \(row["link_bps"]!) bit/s, watched \(row["watched_ms"]!)"
      #expect(run.bytes == Int64(row["bytes"]!)!, "\(text)")
      #expect(abs(run.stalledMs - Double(row["stalled_ms"]!)!) < 0.001, "\(text)")
    }
  }

  @Test func decidesAsPensievesRobustMPC() throws {
    let renditions = Renditions(bitsPerSecond: [300, 750, 1200, 1850, 2850, 4300].map { $0 * 1000 }, segment: .seconds(4))
    let rows = try Reference.rows("crosscheck/pensieve_mpc.csv")
    #expect(rows.count == 367)
    var estimate = ThroughputEstimate()
    var sequence = ""
    for row in rows {
      if row["sequence"]! != sequence { (estimate, sequence) = (ThroughputEstimate(), row["sequence"]!) }
      estimate.add(
        nanobits: Volume.bytes(Int64(row["bytes"]!)!).nanobits, requested: 0, firstByte: 0, finished: Int64(row["delay_ms"]!)! * 1_000_000,
        segment: 4)
      let remaining = Int(row["remaining"]!)!
      let state = RenditionState(
        renditions: renditions, segment: 48 - remaining, segments: 48, previous: Int(row["previous"]!)!,
        buffered: Double(row["buffer_s"]!)!,
        bufferLimit: 60, isActive: true, estimate: estimate)
      #expect(RenditionChoice.mpc.rendition(in: state) == Int(row["rendition"]!)!, "sequence \(sequence), \(remaining) segments to go")
    }
  }

  // MARK: Computed by hand: 1 MB/s; videos of 8 s in 0.8, 1.6 and 8 Mbit/s, in segments of 2 s of 0.2, 0.4 and 2 MB.

  private func scenario(
    _ count: Int, ahead: Int, rendition: RenditionChoice, connections: Int = 1, dwellSeconds: Int64 = 20, bufferSeconds: Int64 = 25,
    cancel: DownloadSettings.CancelRule = .keep
  ) -> Scenario {
    let rate = LinkRate(constant: 8_000_000)
    var sizes = ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) }
    sizes[1].bytes = .constant(1_600_000)
    sizes[1].bitsPerSecond = 1_600_000
    sizes[1].renditions = Renditions(bitsPerSecond: [800_000, 1_600_000, 8_000_000], segment: .seconds(2))
    var downloads = DownloadSettings(connections: connections, cancel: cancel)
    (downloads.rendition, downloads.buffer) = (rendition, .seconds(bufferSeconds))
    return Scenario(
      feed: .generated(FeedGenerator(count: count, mix: [0, 1, 0, 0], sizes: sizes)),
      network: NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero, transport: .fluid), downloads: downloads,
      user: UserScript(scroll: count, dwell: .constant(dwellSeconds * 1_000_000_000)), prefetcher: ItemsAhead(ahead: ahead))
  }

  @Test func countsTheBytesOfTheRenditionsThatWereFetched() {
    let lowest = scenario(1, ahead: 0, rendition: .lowest).run(seed: 1)
    #expect(lowest.bytesReceived == 800_000 && lowest.waitMsMean == 200 && lowest.stalls == 0 && lowest.requests == 4)
    // 2 s for each segment: the user waits for the first, and each other arrives as its predecessor ends.
    let highest = scenario(1, ahead: 0, rendition: .highest).run(seed: 1)
    #expect(highest.bytesReceived == 8_000_000 && highest.waitMsMean == 2000 && highest.requests == 4)
    // The first segment is of the lowest rendition; 0.9 MB/s are then enough for the middle one, and not for the highest.
    let adaptive = scenario(1, ahead: 0, rendition: .throughput).run(seed: 1)
    #expect(adaptive.bytesReceived == 200_000 + 3 * 400_000 && adaptive.waitMsMean == 200)
  }

  @Test func requestsASegmentWhenTheBufferHasRoom() {
    let run = scenario(1, ahead: 0, rendition: .lowest, bufferSeconds: 4).explainOnce()
    // Segments 0 and 1 arrive at 0.2 and 0.4 s; playback begins at 0.2 s, and 2 s of room are there at 2.2 and 4.2 s.
    #expect(run.requests.map(\.requested) == [0, 200, 2200, 4200].map { Instant(nanoseconds: $0 * 1_000_000) })
  }

  @Test func aCancelledSegmentIsLost() {
    // Leaving after 1.1 s: five segments of the first video's lowest rendition fit, but it has four; the next video is not planned.
    let metrics = scenario(2, ahead: 0, rendition: .highest, dwellSeconds: 3, cancel: .resume).run(seed: 1)
    // The first video: a whole segment by 2 s and half of the next one, which is lost; the second the same.
    #expect(metrics.cancels == 1 && metrics.bytesCancelled == 1_000_000)
    #expect(metrics.bytesReceived == 2_000_000 + 1_000_000 + 2_000_000 + 1_000_000)
  }

  @Test func countsWhatIsPlayed() throws {
    let scenario = scenario(2, ahead: 0, rendition: .throughput, dwellSeconds: 3)
    var session = SessionLoop(link: FluidTransport(scenario.network, transfers: 1), scenario, scenario.draw(seed: 1))
    try session.run()
    let played = SessionMetrics(session.finished())
    // The first video plays 2 s of the lowest and 0.8 s of the middle rendition. The second begins with the lowest, too, as its buffer
    // is empty.
    #expect(abs(played.playedMs - 5600) < 1e-6 && played.renditionSwitches == 2)
    let kilobits = (played.playedKbps ?? 0) * 5.6
    #expect(abs(kilobits - 5760) < 0.001)
  }

  /// A link of 0.4 Mbit/s: each segment of 2 s takes 4 s. The user watches 4 s of media.
  @Test(arguments: [
    (patience: 20, extends: true, end: 10.0, stalled: 2000.0), (20, false, 8, 2000), (5, true, 7, 1000), (3, true, 3, 0),
  ])
  func stallsExtendAVisitUpToThePatience(_ patience: Int, _ extends: Bool, _ end: Double, _ stalled: Double) {
    var scenario = scenario(1, ahead: 0, rendition: .lowest, dwellSeconds: 4)
    let rate = LinkRate(constant: 400_000)
    scenario.network = NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero, transport: .fluid)
    (scenario.user.patience, scenario.user.stallsExtend) = (.seconds(Int64(patience)), extends)
    // The first frame is there at 4 s; what follows is stored up to 6 s of the session, and the next segment arrives at 8 s.
    let run = scenario.explainOnce()
    #expect(run.end == Instant(nanoseconds: Int64(end * 1e9)) && run.metrics.stallMs == stalled)
  }

  @Test func preparesVideosAheadSegmentBySegment() {
    // All four segments of each are planned one after another; only the first is needed to show a video.
    let metrics = scenario(3, ahead: 2, rendition: .lowest, dwellSeconds: 2).run(seed: 1)
    #expect(metrics.loaders == 1 && metrics.bound == 1)
  }
}

extension Scenario {
  fileprivate func explainOnce() -> SessionExplanation {
    do { return try explain(seed: 1, limits: RunLimits()) } catch { preconditionFailure("a short run") }
  }
}
