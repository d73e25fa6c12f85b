import Synchronization
import TestSupport
import Testing

@testable import Simulation

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

@Suite struct RenditionTests {
  /// Returns a session with one video of 120 segments of 3 s in Sabre's ten renditions, which the user watches to its end.
  private func sabre(_ trace: String, _ rule: String, _ log: BufferLog) throws -> Scenario {
    let rates: [Int64] = [230, 331, 477, 688, 991, 1427, 2056, 2962, 5027, 6000].map { $0 * 1000 }
    var sizes = ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) }
    sizes[1].bytes = .constant(360 * rates[0] / 8)
    sizes[1].bitsPerSecond = rates[0]
    sizes[1].renditions = Renditions(bitsPerSecond: rates, segment: .seconds(3))
    var downloads = DownloadSettings(connections: 1)
    downloads.rendition = try #require(RenditionChoice(rawValue: rule))
    return Scenario(
      feed: .generated(FeedGenerator(count: 1, mix: [0, 1, 0, 0], sizes: sizes)),
      network: SabreTraces.network(try SabreTraces.link("crosscheck/\(trace).json")), downloads: downloads,
      user: UserScript(scroll: 1, dwell: .constant(1_000_000_000_000)), prefetcher: BufferProbe(log: log))
  }

  @Test func followsSabresBufferToAMicrosecond() throws {
    let rows = try Reference.rows("crosscheck/sabre_buffer.csv")
    let cases = Dictionary(grouping: rows) { "\($0["trace"]!) \($0["rule"]!)" }
    #expect(rows.count == 720 && cases.count == 6)
    for (name, rows) in cases.sorted(by: { $0.key < $1.key }) {
      let log = BufferLog()
      let run = try sabre(rows[0]["trace"]!, rows[0]["rule"]!, log).explain(seed: 1, limits: RunLimits())
      let levels = log.levels.withLock { $0 }
      #expect(run.requests.count == 120 && levels.count == 120, "\(name)")
      let first = try #require(levels.first).at
      for (index, row) in rows.enumerated() where index < levels.count {
        func milliseconds(_ key: String) -> Double { Double(row[key]!)! }
        let segment = "\(name) segment \(index)"
        let bits = run.requests[index].bytes * 8 / 3000
        let rates = [230, 331, 477, 688, 991, 1427, 2056, 2962, 5027, 6000]
        #expect(bits == rates[Int(row["rendition"]!)!], "\(segment) rendition")
        let end = Double(levels[index].at.nanoseconds) / 1e6
        #expect(abs(end - milliseconds("finished_ms")) < 0.001, "\(segment) end")
        let buffer = index == 0 ? 3000 : levels[index].seconds * 1000
        #expect(abs(buffer - milliseconds("buffer_ms")) < 0.001, "\(segment) buffer")
        // What is neither in the buffer nor played was stalled.
        let stalled = end - Double(first.nanoseconds) / 1e6 - (Double(index + 1) * 3000 - buffer)
        #expect(abs(stalled - milliseconds("stalled_ms")) < 0.001, "\(segment) stalls")
      }
      #expect(abs(run.metrics.stallMs - Double(rows[119]["stalled_ms"]!)!) < 0.001, "\(name) stalls in all")
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
      #expect(PredictiveRule().rendition(in: state) == Int(row["rendition"]!)!, "sequence \(sequence), \(remaining) segments to go")
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
    let played = session.finished().renditions
    // The first video plays 2 s of the lowest and 0.8 s of the middle rendition. The second begins with the lowest, too, as its buffer
    // is empty.
    #expect(abs(played.seconds - 5.6) < 1e-9 && played.switches == 2)
    #expect(abs(played.bits - 2 * (2 * 800_000 + 0.8 * 1_600_000)) < 1)
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
