import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// A scheduling anomaly: a radio that sleeps less can show more loaders, because its packets overflow the bottleneck's queue more often.
@Suite struct SleepingRadioTests {
  private struct Totals {
    var loaders: [Int] = []
    var dropped = 0
  }

  /// Returns the loaders of repetitions with one cycle of sleep, and the packets that were lost.
  private static func totals(cycle: String, _ network: String) throws -> Totals {
    let sink = DiagnosticSink()
    let text = """
      { feed: { items: 100, mix: { image: 0.8, video: 0.2 } }, user: { scroll: 100, dwell: "500ms" },
        downloads: { connections: 2, cancel: "resume" }, prefetcher: { kind: "costBudget", maxCost: 5 },
        network: { down: "3464kbps", up: "752kbps", delayDown: "20ms", delayUp: "100ms", tls: "1.3", serverTime: "20ms",
          drxInactivity: "10ms", radioTail: "10s", drxCycle: "\(cycle)", \(network) } }
      """
    let decoded = ScenarioDecoder(files: InputFiles(folder: "")).decode(try parsed(text), into: sink)
    try sink.throwIfAny()
    let scenario = try #require(decoded?.scenario as? Scenario)
    return try (1...24).reduce(into: Totals()) { totals, repetition in
      let run = scenario.draw(seed: RandomStream.seed(sweepSeed: 25, repetition: repetition))
      func finished(_ link: some Transport) throws -> Recorder {
        var session = SessionLoop(link: link, scenario, run)
        try session.run()
        return session.finished()
      }
      let isHTTP3 = run.network.http.version == .http3
      let record = try isHTTP3 ? finished(QUICTransport(run.network)) : finished(PacketTransport(run.network))
      totals.loaders.append(SessionMetrics(record).loaders)
      totals.dropped += record.counters.packetsDropped
    }
  }

  /// Returns the mean difference of loaders a run, and twice its standard error.
  private static func difference(_ first: Totals, _ second: Totals) -> (mean: Double, error: Double) {
    let all = zip(first.loaders, second.loaders).map { Double($1 - $0) }
    let mean = all.reduce(0, +) / Double(all.count)
    let squares = all.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (mean, 2 * (squares / Double(all.count * (all.count - 1))).squareRoot())
  }

  /// The packets that are lost hold up all streams of HTTP/2's connection. BBR fills no queue.
  @Test func lessSleepMayShowMoreLoadersWhereAQueueOverflows() throws {
    func change(_ network: String) throws -> (loaders: (mean: Double, error: Double), dropped: Double) {
      let (asleep, awake) = (try Self.totals(cycle: "80ms", network), try Self.totals(cycle: "0ms", network))
      return (Self.difference(asleep, awake), Double(awake.dropped) / Double(asleep.dropped))
    }
    let cubic = try change("http: \"2\"")
    #expect(cubic.loaders.mean > cubic.loaders.error && cubic.dropped > 1.15, "\(cubic)")
    let bbr = try change("http: \"2\", congestion: \"bbr\"")
    #expect(bbr.loaders.mean < bbr.loaders.error && bbr.loaders.mean < cubic.loaders.mean / 4, "\(bbr)")
  }
}
