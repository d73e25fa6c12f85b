import Foundation
import TestSupport
import Testing

@testable import Simulation

/// The generator of mobile rates, compared with the logs that it is fitted to.
@Suite struct MobileRatesTests {
  @Test func eachSeedGivesItsOwnTrace() {
    let rates = MobileRates(kind: .threeG, length: .seconds(600))
    #expect(rates.trace(runSeed: 1) == rates.trace(runSeed: 1))
    #expect(rates.trace(runSeed: 1) != rates.trace(runSeed: 2))
    #expect(rates.trace(runSeed: 1).length == .seconds(600))
  }

  @Test func aFixedSeedGivesEveryRunTheSameTrace() {
    let rates = MobileRates(kind: .fourG, length: .seconds(60), seed: 7)
    #expect(rates.trace(runSeed: 1) == rates.trace(runSeed: 2))
  }

  @Test func scaleMultipliesTheRates() {
    let plain = MobileRates(kind: .fourG, length: .seconds(60)).trace(runSeed: 3)
    let double = MobileRates(kind: .fourG, length: .seconds(60), scale: 2).trace(runSeed: 3)
    for (one, two) in zip(plain.periods, double.periods) { #expect(abs(two.bitsPerSecond - 2 * one.bitsPerSecond) <= 1) }
  }

  @Test func aLongerTraceBeginsAsAShorterOne() {
    let short = MobileRates(kind: .threeG, length: .seconds(50)).trace(runSeed: 4)
    let long = MobileRates(kind: .threeG, length: .seconds(500)).trace(runSeed: 4)
    #expect(Array(long.periods.prefix(50)) == short.periods)
  }

  @Test func everyShortTraceCarriesSomething() {
    for seed in 0..<500 as Range<UInt64> {
      #expect(MobileRates(kind: .threeG, length: .seconds(1)).trace(runSeed: seed).periods.contains { $0.bitsPerSecond > 0 })
    }
  }

  @Test func aDrawnNetworkUsesTheTraceBothWaysUnlessTheUplinkIsGiven() {
    let still = LinkRate(constant: 1000)
    var network = NetworkConfiguration(down: still, up: still, delayDown: .zero, delayUp: .zero)
    network.mobile = MobileRates(kind: .threeG, length: .seconds(60))
    let both = network.drawn(runSeed: 5, startsAnywhere: false)
    #expect(both.down == both.up && both.down.periods.count == 60)
    network.mobile?.coversUplink = false
    #expect(network.drawn(runSeed: 5, startsAnywhere: false).up == still)
    #expect(network.isRandom)
    network.mobile?.seed = 1
    #expect(!network.isRandom)
  }

  @Test(
    .enabled(if: Reference.hasTraces, "needs the public 3G and 4G logs; PREFETCH_SWEEP_REFERENCE names their folder"),
    arguments: zip([MobileRates.Kind.threeG, .fourG], ["traces/3g", "traces/4g"]))
  func theChainHasTheStatisticsOfItsLogs(_ kind: MobileRates.Kind, _ folder: String) throws {
    // Outages over 10 minutes are not radio outages and were left out of the fit.
    let logs = Statistics(try Self.logs(folder).flatMap { Self.split($0, longestOutage: 600) })
    let chain = Statistics(
      (1...12).map { seed in
        MobileRates(kind: kind, length: .seconds(40_000)).trace(runSeed: seed).periods.map { Double($0.bitsPerSecond) / 1000 }
      })
    #expect(abs(chain.mean / logs.mean - 1) < 0.05, "mean \(chain.mean) for \(logs.mean)")
    for share in [0.25, 0.5, 0.75, 0.9] {
      let (ours, theirs) = (chain.quantile(share), logs.quantile(share))
      #expect(abs(ours - theirs) < 0.06 * logs.mean, "quantile \(share): \(ours) for \(theirs)")
    }
    for lag in [1, 5, 20] {
      let (ours, theirs) = (chain.autocorrelation(lag), logs.autocorrelation(lag))
      #expect(abs(ours - theirs) < 0.05, "autocorrelation at \(lag) s: \(ours) for \(theirs)")
    }
    #expect(abs(chain.outageShare - logs.outageShare) < 0.005, "outages \(chain.outageShare) for \(logs.outageShare)")
  }

  /// The figures are those of the logs, which are not here: Lumos5G's of LTE and mmWave, Raca et al.'s of 5G, and Meng et al.'s of Wi-Fi
  /// (`Scripts/fit mobile`).
  @Test(
    arguments: zip(
      [MobileRates.Kind.lte, .fiveG, .mmWave, .office, .restaurant],
      [
        [40_381, 12_000, 30_000, 94_500, 0.955, 0.658, 0.0096], [29_580, 3110, 8896, 95_400, 0.871, 0.317, 0.0316],
        [522_801, 109_000, 429_000, 1_180_000, 0.923, 0.365, 0.0252], [26_653, 27_839, 30_679, 31_729, 0.826, 0.548, 0],
        [20_334, 13_314, 21_645, 33_370, 0.740, 0.405, 0],
      ]))
  func chainsOfTodaysNetworksHaveTheStatisticsOfTheirLogs(_ kind: MobileRates.Kind, _ logs: [Double]) {
    let chain = Statistics(Self.chain(kind)), perSecond = kind.isWiFi ? 5 : 1
    #expect(abs(chain.mean / logs[0] - 1) < 0.05, "mean \(chain.mean)")
    for (share, theirs) in zip([0.25, 0.5, 0.9], logs[1...3]) {
      #expect(
        abs(chain.quantile(share) - theirs) < 0.06 * max(theirs, logs[0]), "quantile \(share): \(chain.quantile(share)) for \(theirs)")
    }
    for (lag, theirs) in zip([1, 20], logs[4...5]) {
      let ours = chain.autocorrelation(lag * perSecond)
      #expect(abs(ours - theirs) < 0.06, "autocorrelation at \(lag) s: \(ours) for \(theirs)")
    }
    #expect(abs(chain.outageShare - logs[6]) < 0.005, "outages \(chain.outageShare)")
  }

  /// Others on the channel: in the logs it has less than half of its median rate in 13.5 and 19.9 % of the time, for 1.5 and 1.2 s each.
  @Test(arguments: zip([MobileRates.Kind.office, .restaurant], [(0.135, 1.5), (0.199, 1.2)]))
  func aWiFiHasBurstsOfContention(_ kind: MobileRates.Kind, _ logs: (share: Double, seconds: Double)) {
    let traces = Self.chain(kind), half = Statistics(traces).quantile(0.5) / 2
    let bursts = traces.flatMap { $0.split { $0 >= half }.map(\.count) }
    let steps = bursts.reduce(0, +)
    #expect(abs(Double(steps) / Double(traces.count * traces[0].count) - logs.share) < 0.015)
    let seconds = Double(steps) / Double(bursts.count) / 5
    #expect(seconds > 0.6 * logs.seconds && seconds < logs.seconds, "\(seconds) s each")
  }

  private static func chain(_ kind: MobileRates.Kind) -> [[Double]] {
    (1...12).map { seed in
      MobileRates(kind: kind, length: .seconds(kind.isWiFi ? 12_000 : 40_000)).trace(runSeed: seed).periods.map {
        Double($0.bitsPerSecond) / 1000
      }
    }
  }

  // MARK: - The logs, second by second

  private struct Row: Decodable {
    var duration_ms: Int
    var bandwidth_kbps: Double
  }

  private static func logs(_ folder: String) throws -> [[Double]] {
    let path = Reference.publicFolder.appendingPathComponent(folder).path
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }.sorted().map { name in
      var seconds: [Double] = []
      var left = 1000
      var bits = 0.0
      for row in try JSONDecoder().decode([Row].self, from: try Reference.data("\(folder)/\(name)")) {
        var duration = row.duration_ms
        while duration > 0 {
          let step = min(left, duration)
          bits += Double(step) * row.bandwidth_kbps
          left -= step
          duration -= step
          if left == 0 {
            seconds.append(bits / 1000)
            (left, bits) = (1000, 0)
          }
        }
      }
      return seconds
    }
  }

  private static func split(_ log: [Double], longestOutage: Int) -> [[Double]] {
    var parts: [[Double]] = [[]]
    var zeros = 0
    for rate in log {
      if rate == 0 {
        zeros += 1
        continue
      }
      if zeros > longestOutage { parts.append([]) } else { parts[parts.count - 1] += Array(repeating: 0, count: zeros) }
      zeros = 0
      parts[parts.count - 1].append(rate)
    }
    if zeros <= longestOutage { parts[parts.count - 1] += Array(repeating: 0, count: zeros) }
    return parts.filter { !$0.isEmpty }
  }
}

/// The statistics by which logs and chain are compared.
private struct Statistics {
  let logs: [[Double]]
  let sorted: [Double]
  let mean: Double
  let variance: Double

  init(_ logs: [[Double]]) {
    self.logs = logs
    sorted = logs.flatMap { $0 }.sorted()
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    self.mean = mean
    variance = sorted.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(sorted.count)
  }

  var outageShare: Double { Double(sorted.prefix { $0 == 0 }.count) / Double(sorted.count) }

  func quantile(_ share: Double) -> Double { sorted[Int(share * Double(sorted.count - 1))] }

  func autocorrelation(_ lag: Int) -> Double {
    var sum = 0.0
    var count = 0.0
    for log in logs where log.count > lag {
      for index in lag..<log.count { sum += (log[index] - mean) * (log[index - lag] - mean) }
      count += Double(log.count - lag)
    }
    return sum / count / variance
  }
}
