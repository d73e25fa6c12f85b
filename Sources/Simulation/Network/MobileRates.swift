// Rates of a moving phone, or of a Wi-Fi with other users, drawn for each repetition from a Markov chain fitted to measured logs.
// Scripts/fit mobile fits the chain to a folder of logs and prints the figures below with the quality of the fit.

/// A generator of rates, one for each second on mobile networks and five on Wi-Fi, where other users occupy the channel for less.
/// A Gaussian copula (Nelsen 2006, 2.3): two AR(1) scores, slow and fast, and noise select a quantile of the logs' rates.
/// A chain of two states gives the outages. MobileRatesTests checks mean, quantiles, autocorrelation and outages.
package struct MobileRates: Hashable, Sendable {
  /// The logs to which the chain is fitted.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// 43 logs of commutes over 3G in Norway (16 h).
    case threeG = "3G"
    /// 20 logs of travel over 4G in Belgium (2.4 h).
    case fourG = "4G"
    /// 175 logs of walks and drives over LTE in a city of the USA (30 h).
    case lte = "LTE"
    /// 16 logs of drives over 5G below 6 GHz, with its gaps on LTE and HSPA, in Ireland (7 h).
    case fiveG = "5G"
    /// 121 logs of walks and drives over 5G mmWave, with its gaps on LTE, in a city of the USA (20 h).
    case mmWave = "5G mmWave"
    /// 16 logs of five minutes in a row over the Wi-Fi of an office (1.3 h).
    case office = "Wi-Fi office"
    /// 16 logs of five minutes in a row over the Wi-Fi of a restaurant (1.3 h).
    case restaurant = "Wi-Fi restaurant"

    package var isWiFi: Bool { self == .office || self == .restaurant }
  }

  package var kind: Kind
  /// The length of a trace before it repeats: whole seconds, at least one.
  package var length: Interval
  /// The factor by which the rates are multiplied.
  package var scale: Double
  /// The seed of one trace for all repetitions; nil if each draws its own.
  package var seed: UInt64?
  /// True if the uplink has the rates of the trace as well.
  package var coversUplink: Bool

  package init(kind: Kind, length: Interval, scale: Double = 1, seed: UInt64? = nil, coversUplink: Bool = true) {
    precondition(length.nanoseconds >= Interval.seconds(1).nanoseconds, "a trace needs at least 1 s")
    (self.kind, self.length, self.scale, self.seed, self.coversUplink) = (kind, length, scale, seed, coversUplink)
  }

  /// The latency in the logs, both ways together; from LTE on the median of tests with servers up to 100 km away (Narayanan et al., SIGCOMM
  /// 2021, NW-Perf-Speedtest: 9 tests of LTE, 77 of 5G below 6 GHz, 122 of mmWave); of Wi-Fi that of Network Link Conditioner's profile.
  package var roundTrip: Interval {
    switch kind {
    case .threeG: .milliseconds(100)
    case .fourG: .milliseconds(20)
    case .lte: .milliseconds(22)
    case .fiveG: .milliseconds(16)
    case .mmWave: .milliseconds(7)
    case .office, .restaurant: .milliseconds(2)
    }
  }

  /// Returns the trace of a run, from its random stream "network". O(length).
  package func trace(runSeed: UInt64) -> LinkRate {
    var random = RandomStream(runSeed: seed ?? runSeed, name: "network")
    let chain = RateChain.of(kind)
    let count = Int(length.nanoseconds / chain.step.nanoseconds)
    var periods = chain.rates(count, from: &random).map { rate in
      LinkRate.Period(duration: chain.step, bitsPerSecond: Int64(rate * scale * 1000))
    }
    // A link must carry something: a trace that is all outage gets 1 kbit/s in its last step.
    if !periods.contains(where: { $0.bitsPerSecond > 0 }) { periods[count - 1].bitsPerSecond = 1000 }
    return LinkRate(periods: periods)
  }
}

/// The figures of a fit, as Scripts/fit mobile prints them.
package struct RateChain {
  /// The time of a rate.
  let step: Interval
  /// The rates with service, in kbit/s, at normal scores from −3 to 3 by quarters.
  let quantiles: [Double]
  /// The shares of the slow and the fast score in the variance; noise has the rest.
  let slowShare: Double, fastShare: Double
  /// The part of each score that is left after a step.
  let slow: Double, fast: Double
  /// The probabilities, per step, that service is lost and that it returns.
  let enter: Double, leave: Double

  package init(
    step: Interval = .seconds(1), quantiles: [Double], slowShare: Double, fastShare: Double, slow: Double, fast: Double, enter: Double,
    leave: Double
  ) {
    (self.step, self.quantiles, self.slowShare, self.fastShare) = (step, quantiles, slowShare, fastShare)
    (self.slow, self.fast, self.enter, self.leave) = (slow, fast, enter, leave)
  }

  /// Returns rates in kbit/s, one for each step. O(count).
  package func rates(_ count: Int, from random: inout RandomStream) -> [Double] {
    // The chain starts in its stationary distribution.
    var hasService = random.unit() >= enter / (enter + leave)
    var (slowScore, fastScore) = (random.normal(), random.normal())
    let noiseScale = max(0, 1 - slowShare - fastShare).squareRoot()
    // Each step takes the same number of draws in every state.
    return (0..<count).map { _ in
      let score = slowShare.squareRoot() * slowScore + fastShare.squareRoot() * fastScore + noiseScale * random.normal()
      let rate = hasService ? kilobits(at: score) : 0
      slowScore = slow * slowScore + (1 - slow * slow).squareRoot() * random.normal()
      fastScore = fast * fastScore + (1 - fast * fast).squareRoot() * random.normal()
      let chance = random.unit()
      hasService = hasService ? chance >= enter : chance < leave
      return rate
    }
  }

  static func of(_ kind: MobileRates.Kind) -> RateChain {
    switch kind {
    // Source of the logs: Riiser et al., "Commute path bandwidth traces from 3G networks", MMSys 2013; as shipped with Sabre.
    case .threeG:
      RateChain(
        quantiles: [
          1, 1, 1, 2, 2, 5, 16, 45, 92, 178, 385, 631, 874, 1073, 1276, 1539, 1864, 2219, 2610, 3065, 3525, 3991, 4359, 4679,
          4951,
        ], slowShare: 0.845, fastShare: 0.129, slow: 0.9927, fast: 0.8180, enter: 0.000722, leave: 0.0331)
    // Source of the logs: van der Hooft et al., "HTTP/2-based adaptive streaming of HEVC video over 4G/LTE networks", IEEE Communications
    // Letters 20 (2016); as shipped with Sabre.
    case .fourG:
      RateChain(
        quantiles: [
          107, 196, 431, 1270, 2819, 5043, 7574, 10920, 14573, 18552, 23036, 26688, 30870, 34678, 38939, 43704, 49165, 54130,
          57349, 60676, 63987, 80122, 95902, 96850, 101704,
        ], slowShare: 0.832, fastShare: 0.168, slow: 0.9870, fast: 0.1913, enter: 0.002531, leave: 0.3235)
    // Source of the logs: Narayanan et al., "Lumos5G", IMC 2020, as in the artifact SIGCOMM21-5G (no licence stated).
    case .lte:
      RateChain(
        quantiles: [
          500, 1000, 1000, 1500, 2000, 3000, 4000, 5500, 8000, 11000, 16000, 23000, 30000, 39000, 49500, 62500, 79000, 93000,
          104000, 115500, 132000, 154000, 175000, 195500, 218527,
        ], slowShare: 0.848, fastShare: 0.142, slow: 0.9894, fast: 0.8937, enter: 0.003641, leave: 0.3770)
    // Source of the logs: Raca et al., "Beyond throughput, the next generation", MMSys 2020 (GPL 3): Download, Driving.
    case .fiveG:
      RateChain(
        quantiles: [
          1, 1, 1, 1, 2, 11, 248, 1016, 1920, 3129, 4794, 6906, 9263, 12162, 17437, 22971, 35910, 92032, 145262, 192168, 236520,
          274366, 319536, 357864, 389837,
        ], slowShare: 0.531, fastShare: 0.469, slow: 0.9922, fast: 0.8091, enter: 0.021500, leave: 0.6593)
    // Source of the logs: as of LTE.
    case .mmWave:
      RateChain(
        quantiles: [
          1000, 1000, 2000, 4000, 8000, 15000, 34000, 78000, 96000, 108000, 119000, 216000, 457000, 637000, 787000, 915000,
          1_040_000, 1_170_000, 1_310_000, 1_460_000, 1_600_000, 1_700_000, 1_770_000, 1_810_000, 1_830_000,
        ], slowShare: 0.277, fastShare: 0.722, slow: 0.9855, fast: 0.9385, enter: 0.011923, leave: 0.4617)
    // Source of the logs: Meng et al., "Achieving consistent low latency for wireless real-time communications with the shortest control
    // loop", SIGCOMM 2022, real-exp/traces (AGPL 3). Rates are never zero in them, but below 0.1 Mbit/s in 0.3 % and 5 % of the time.
    case .office:
      RateChain(
        step: .milliseconds(200),
        quantiles: [
          56, 116, 185, 285, 529, 1470, 4284, 10448, 19151, 26792, 29202, 30156, 30679, 30959, 31128, 31275, 31442, 31687, 32043,
          32520, 33102, 34012, 36667, 46607, 46866,
        ], slowShare: 0.841, fastShare: 0.129, slow: 0.9977, fast: 0.8671, enter: 0, leave: 1)
    case .restaurant:
      RateChain(
        step: .milliseconds(200),
        quantiles: [
          1, 1, 1, 4, 18, 59, 289, 3051, 8195, 12224, 15687, 18772, 21645, 24363, 26752, 29125, 31210, 33137, 34906, 36589,
          38164, 39631, 40902, 42078, 43127,
        ], slowShare: 0.507, fastShare: 0.416, slow: 0.9982, fast: 0.9102, enter: 0, leave: 1)
    }
  }

  /// Returns the rate at a normal score by linear interpolation of the quantiles, in kbit/s.
  func kilobits(at score: Double) -> Double {
    let position = min(max((score + 3) * 4, 0), Double(quantiles.count - 1))
    let low = min(Int(position), quantiles.count - 2)
    return quantiles[low] + (quantiles[low + 1] - quantiles[low]) * (position - Double(low))
  }
}
