// Rates of a phone on the move, drawn anew for each repetition: a Markov chain fitted to measured logs.
// Only fitted figures are here; Scripts/fit-mobile makes them from a folder of logs and says how well they fit.

/// A generator of mobile rates, a second each.
///
/// The state of the chain is whether there is service, a slow and a fast normal score (each an autoregression of order 1), and
/// noise; the rate is looked up at the sum of the scores among the logs' quantiles (a Gaussian copula: Nelsen 2006, §2.3). So the
/// quantiles are the logs' own, and the two speeds fit the autocorrelation, which one speed cannot: rates of moving phones
/// remember for a second and for minutes. With logs left out that are no radio at all (outages over ten minutes: two of 3G), chain
/// and logs agree within 5 % in the mean, within 6 % of the mean in the quantiles from 25 % to 90 %, within 0.05 in the autocorrelation
/// at 1, 5 and 20 s, and within half a percent of all seconds in the share of outages.
package struct MobileRates: Hashable, Sendable {
  /// Whose logs the chain is fitted to.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// 43 logs of commuting by 3G in Norway (16 h).
    case threeG = "3G"
    /// 20 logs of travelling by 4G in Belgium (2.4 h).
    case fourG = "4G"
  }

  package var kind: Kind
  /// How long a trace is before it wraps; whole seconds, at least one.
  package var length: Interval
  /// Multiplies the rates.
  package var scale: Double
  /// The seed of one trace for all repetitions; nil where each draws its own.
  package var seed: UInt64?
  /// Whether the trace is that of the uplink, too.
  package var coversUplink: Bool

  package init(kind: Kind, length: Interval, scale: Double = 1, seed: UInt64? = nil, coversUplink: Bool = true) {
    precondition(length.nanoseconds >= Interval.seconds(1).nanoseconds, "a trace of no seconds")
    (self.kind, self.length, self.scale, self.seed, self.coversUplink) = (kind, length, scale, seed, coversUplink)
  }

  /// What the logs say the latency is, both ways together.
  package var roundTrip: Interval { kind == .threeG ? .milliseconds(100) : .milliseconds(20) }

  /// The trace of a run, from its stream "network". O(length).
  package func trace(runSeed: UInt64) -> LinkRate {
    var random = RandomStream(runSeed: seed ?? runSeed, name: "network")
    let count = Int(length.nanoseconds / 1_000_000_000)
    let fit = kind == .threeG ? MobileFit.threeG : .fourG
    // The chain starts in its long-run distribution.
    var hasService = random.unit() >= fit.enter / (fit.enter + fit.leave)
    var (slow, fast) = (random.normal(), random.normal())
    let noiseScale = max(0, 1 - fit.slowShare - fit.fastShare).squareRoot()
    // Each second takes the same draws, whatever its state.
    var periods = (0..<count).map { _ in
      let score = fit.slowShare.squareRoot() * slow + fit.fastShare.squareRoot() * fast + noiseScale * random.normal()
      let rate = hasService ? fit.kilobits(at: score) : 0
      slow = fit.slow * slow + (1 - fit.slow * fit.slow).squareRoot() * random.normal()
      fast = fit.fast * fast + (1 - fit.fast * fit.fast).squareRoot() * random.normal()
      let chance = random.unit()
      hasService = hasService ? chance >= fit.enter : chance < fit.leave
      return LinkRate.Period(duration: .seconds(1), bitsPerSecond: Int64(rate * scale * 1000))
    }
    // A short trace may be all outage; its last second then carries a little, because a link must carry something at some time.
    if !periods.contains(where: { $0.bitsPerSecond > 0 }) { periods[count - 1].bitsPerSecond = 1000 }
    return LinkRate(periods: periods)
  }
}

/// The figures of a fit, as Scripts/fit-mobile prints them.
private struct MobileFit {
  /// Rates with service, in kbps, at normal scores from −3 to 3 by quarters.
  let quantiles: [Double]
  /// The slow and the fast score's share of the variance of the score; noise has the rest.
  let slowShare: Double, fastShare: Double
  /// What is left of each score after a second.
  let slow: Double, fast: Double
  /// The chances that service is lost and that it comes back, a second.
  let enter: Double, leave: Double

  // Origin of the logs: Riiser et al., "Commute path bandwidth traces from 3G networks", MMSys 2013; as shipped with Sabre.
  static let threeG = MobileFit(
    quantiles: [
      1, 1, 1, 2, 2, 5, 16, 45, 92, 178, 385, 631, 874, 1073, 1276, 1539, 1864, 2219, 2610, 3065, 3525, 3991, 4359, 4679, 4951,
    ], slowShare: 0.845, fastShare: 0.129, slow: 0.9927, fast: 0.8180, enter: 0.000722, leave: 0.0331)

  // Origin of the logs: van der Hooft et al., "HTTP/2-based adaptive streaming of HEVC video over 4G/LTE networks", IEEE
  // Communications Letters 20 (2016); as shipped with Sabre.
  static let fourG = MobileFit(
    quantiles: [
      107, 196, 431, 1270, 2819, 5043, 7574, 10920, 14573, 18552, 23036, 26688, 30870, 34678, 38939, 43704, 49165, 54130, 57349, 60676,
      63987, 80122, 95902, 96850, 101704,
    ], slowShare: 0.832, fastShare: 0.168, slow: 0.9870, fast: 0.1913, enter: 0.002531, leave: 0.3235)

  /// The rate at a normal score, between the quantiles on a straight line.
  func kilobits(at score: Double) -> Double {
    let place = min(max((score + 3) * 4, 0), Double(quantiles.count - 1))
    let low = min(Int(place), quantiles.count - 2)
    return quantiles[low] + (quantiles[low + 1] - quantiles[low]) * (place - Double(low))
  }
}
