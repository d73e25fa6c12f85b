// Ties on the fluid transport: a transfer that ends exactly at an activation, by rational arithmetic, has ended then.

import Testing

@testable import Simulation

@Suite struct FluidTieTests {
  private static func outcome(of point: ExactFluid.Point) throws -> ExactFluid.Outcome {
    let down = LinkRate(periods: point.periods.map { .init(duration: .milliseconds(Int64($0.ms)), bitsPerSecond: Int64($0.kbps) * 1000) })
    let network = NetworkConfiguration(
      down: down, up: LinkRate(constant: 1_000_000), delayDown: .milliseconds(Int64(point.latencyMs)), delayUp: .zero,
      offset: .milliseconds(Int64(point.offsetMs)))
    let rule: DownloadSettings.CancelRule =
      switch point.rule {
      case .drop: .drop
      case .resume: .resume
      case .keep, .keepPartial: .keep
      case .never: .never
      }
    var downloads = DownloadSettings(connections: point.connections, cancel: rule)
    downloads.keepPartial = point.rule == .keepPartial
    let scenario = Scenario(
      feed: .fixed(ContiguousArray(point.bytes.map { Item(kind: .image, bytes: Int64($0)) })), network: network, downloads: downloads,
      user: UserScript(scroll: point.bytes.count, dwell: .constant(Int64(point.dwellMs) * 1_000_000)),
      prefetcher: ItemsAhead(ahead: point.ahead))
    var session = SessionLoop(link: FluidTransport(network, transfers: point.connections), scenario, scenario.draw(seed: 1))
    try session.run()
    let record = session.finished()
    let metrics = SessionMetrics(record)
    var outcome = ExactFluid.Outcome()
    for index in 0..<record.visits.count where record.visits[index].isLoader { outcome.loaders.append(index) }
    outcome.requests = metrics.requests
    outcome.cancels = metrics.cancels
    outcome.bytesReceived = Int(metrics.bytesReceived)
    outcome.bytesCancelled = Int(metrics.bytesCancelled)
    return outcome
  }

  @Test func anItemThatIsCompleteAtTheSecondIsNotCancelled() throws {
    let point = ExactFluid.Point(
      periods: [(500, 0), (500, 1000)], latencyMs: 0, bytes: [62500, 87500, 62500, 50000, 62500, 62500], dwellMs: 1000, connections: 3,
      ahead: 20, rule: .keep)
    #expect(try Self.outcome(of: point) == ExactFluid.outcome(of: point))
  }

  /// Returns a point in round numbers, in which transfers often end at activations.
  private static func point(_ random: inout RandomStream) -> ExactFluid.Point {
    func one<T>(of values: [T]) -> T { values[Int(random.below(UInt64(values.count)))] }
    let step = one(of: [50, 100, 250, 500])
    let rates = one(of: [
      [0, 1000], [500, 1000], [1000], [0, 1000, 2000], [300, 700], [750, 1500, 3000], [1000, 3000], [600, 900, 0],
    ])
    let unit = one(of: [1250, 6250, 12500, 3125])
    var periods = (0..<Int(random.below(4)) + 1).map { _ in (ms: step * (1 + Int(random.below(4))), kbps: one(of: rates)) }
    if periods.allSatisfy({ $0.kbps == 0 }) { periods[0].kbps = rates.max()! }
    let count = 4 + Int(random.below(9))
    return ExactFluid.Point(
      periods: periods, offsetMs: random.below(3) == 0 ? step * Int(random.below(4)) : 0,
      latencyMs: one(of: [0, 0, step / 2, step, 2 * step, 100]), bytes: (0..<count).map { _ in unit * (1 + Int(random.below(14))) },
      dwellMs: one(of: [250, 500, 1000, 1000]), connections: 1 + Int(random.below(6)), ahead: one(of: [0, 1, 2, 3, 5, 20]),
      rule: one(of: ExactFluid.Rule.allCases))
  }

  @Test(arguments: 0..<8)
  func roundPointsAgreeWithRationalArithmetic(seed: Int) throws {
    var random = RandomStream(seed: UInt64(seed))
    var judged = 0
    for number in 0..<250 {
      let point = Self.point(&random)
      guard let exact = ExactFluid.outcome(of: point) else { continue }
      judged += 1
      let outcome = try Self.outcome(of: point)
      #expect(outcome == exact, "seed \(seed), point \(number): \(point)")
    }
    #expect(judged > 200, "128 bits are enough for most points: \(judged)")
  }
}
