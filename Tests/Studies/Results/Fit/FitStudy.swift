// Tests the intervals of `fit`: worlds with known parameters, telemetry drawn from each, and how often the intervals hold the truth.

import Analysis
import Base
import Import
import Oracles
import Simulation
import SweepTool

package enum FitStudy {
  /// A planted quantity: its true parameters and the edges of its histogram.
  struct Planted {
    let name: String, dimension: Dimension
    let median: Double, sigma: Double
    let edges: [Int64]
  }

  /// The way in which the values of one session resemble each other, and the distribution they come from.
  enum Kind: String, CaseIterable {
    case independent = "one value a session"
    case alike = "four equal values a session"
    case clustered = "four values a session, correlation 0.5"
    case gamma = "gamma, shape 2"
    case weibull = "Weibull, shape 0.7"
    case normal = "normal, spread 27 % of the mean"
    case exponential = "exponential"
    case uniform = "uniform from 0"
    case pareto = "Pareto, shape 1.5"
    case logLogistic = "log-logistic, shape 2"
    case triangular = "triangular, from 200 to 9000 with mode 8000"
    case mixture = "two groups of users, a factor of ten apart"

    /// The laws that are not lognormal, of which only the median is known.
    static let others: [Kind] = [.gamma, .weibull, .normal, .exponential, .uniform, .pareto, .logLogistic, .triangular, .mixture]

    /// Returns the value that a share of the values does not exceed, in medians; nil for laws drawn in another way.
    func quantile(_ share: Double) -> Double? {
      func power(_ x: Double, _ exponent: Double) -> Double { StableMath.exp(exponent * StableMath.log(x)) }
      func triangular(_ share: Double) -> Double {
        share < 7.8 / 8.8 ? 200 + (share * 8800 * 7800).squareRoot() : 9000 - ((1 - share) * 8800 * 1000).squareRoot()
      }
      let waiting = -StableMath.log(1 - share) / StableMath.log(2)
      return switch self {
      case .weibull: power(waiting, 1 / 0.7)
      case .exponential: waiting
      case .uniform: 2 * share
      case .pareto: power(2 * (1 - share), -1 / 1.5)
      case .logLogistic: power(share / (1 - share), 0.5)
      case .triangular: triangular(share) / triangular(0.5)
      default: nil
      }
    }
  }

  /// The number of intervals, and of those that hold the truth.
  struct Tally {
    var held = 0, all = 0

    mutating func add(_ interval: ConfidenceInterval, _ truth: Double) {
      all += 1
      if interval.contains(truth) { held += 1 }
    }

    var text: String { all == 0 ? "-" : String(tenths: Double(held) / Double(all) * 100) + " %" }
  }

  /// The medians' intervals of one law and size.
  private struct Medians {
    var all = Tally(), warned = Tally()
    /// The ratios of the intervals' ends of fits with a warning.
    var ratios: [Double] = []

    mutating func add(_ fit: LognormalFit, _ truth: Double) {
      all.add(fit.medianInterval, truth)
      guard fit.isMisfit else { return }
      warned.add(fit.medianInterval, truth)
      ratios.append(fit.medianInterval.high / fit.medianInterval.low)
    }

    /// The middle one of the ratios.
    var widthText: String { Sample.quantile(ratios, share: 0.5).map { "× \(DecimalText.fixed($0, decimals: 2))" } ?? "-" }
  }

  static let sizes = [(300, 1000), (1000, 3000), (3000, 10_000), (10_000, 30_000)]

  /// - Throws: `UsageProblem` for invalid arguments, `InvalidInput` if telemetry is refused.
  package static func run(_ arguments: Arguments) throws {
    let worlds = try arguments.integer("--worlds", in: 10...100_000) ?? 2000
    let seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 2021)
    print(try report(worlds: worlds, seed: seed))
  }

  /// - Throws: `InvalidInput` if telemetry is refused.
  private static func report(worlds: Int, seed: UInt64) throws -> String {
    var lines = [
      "# Intervals of `prefetch-sweep fit`", "",
      "Made by `Scripts/results fit`: \(worlds) planted worlds, a quarter as many of each further kind of sessions, with 2 to 5 classes of network, 300 to 30 000 sessions in all, and "
        + "histograms of 4 to 16 bins. Telemetry is drawn from each world, written as a file and fitted by the command's own code. The table says "
        + "in what share the 90 % intervals hold the planted value. A class of fewer than 20 sessions is left out, as are histograms with "
        + "counts in fewer than three bins, which `fit` refuses.", "",
    ]
    for kind in Kind.allCases {
      var random = RandomStream(runSeed: seed, name: kind.rawValue)
      var byQuantity: [String: (median: Tally, sigma: Tally)] = [:]
      var bySize = sizes.map { _ in Tally() }
      var (weights, whole, misfits, fits) = (Tally(), Tally(), 0, 0)
      var medians = sizes.map { _ in Medians() }
      for index in 0..<(kind == .independent ? worlds : worlds / 4) {
        let size = index % sizes.count
        let total = Int(logUniform(Double(sizes[size].0), Double(sizes[size].1), &random))
        try world(total: total, kind, &random) { share, interval in
          weights.add(interval, share)
          whole.add(interval, share)
          bySize[size].add(interval, share)
        } ofQuantity: { planted, fit in
          byQuantity[planted.name, default: (Tally(), Tally())].median.add(fit.medianInterval, planted.median)
          byQuantity[planted.name, default: (Tally(), Tally())].sigma.add(fit.sigmaInterval, planted.sigma)
          for (interval, truth) in [(fit.medianInterval, planted.median), (fit.sigmaInterval, planted.sigma)] {
            whole.add(interval, truth)
            bySize[size].add(interval, truth)
          }
          fits += 1
          misfits += fit.isMisfit ? 1 : 0
          medians[size].add(fit, planted.median)
        }
      }
      lines += ["## \(kind.rawValue.prefix(1).uppercased())\(kind.rawValue.dropFirst())", ""]
      let warned = "\(String(tenths: Double(misfits) / Double(fits) * 100)) %"
      if Kind.others.contains(kind) {
        lines += [
          "The command warns that the family does not fit for \(warned) of \(fits) histograms.", "",
          "| sessions | medians | hold the truth | of those with a warning | width with a warning |", "|---|---:|---:|---:|---:|",
        ]
        for (range, tally) in zip(sizes, medians) {
          lines.append(
            "| \(range.0) to \(range.1) | \(tally.all.all) | \(tally.all.text) | \(tally.warned.text) | \(tally.widthText) |")
        }
        lines.append("")
        continue
      }
      lines += ["| parameter | intervals | hold the truth |", "|---|---:|---:|", "| weight | \(weights.all) | \(weights.text) |"]
      for (name, tally) in byQuantity.sorted(by: { $0.key < $1.key }) {
        lines.append("| \(name), median | \(tally.median.all) | \(tally.median.text) |")
        lines.append("| \(name), sigma | \(tally.sigma.all) | \(tally.sigma.text) |")
      }
      for (range, tally) in zip(sizes, bySize) { lines.append("| all, \(range.0) to \(range.1) sessions | \(tally.all) | \(tally.text) |") }
      lines.append("| **all** | \(whole.all) | **\(whole.text)** |")
      lines += [
        "", "The command warns of a misfit for \(warned) of \(fits) histograms.", "",
      ]
    }
    lines += dashboards(tries: worlds, seed: seed) + [""]
    return try (lines + formats(worlds: worlds / 4, seed: seed)).joined(separator: "\n")
  }

  /// Returns a table of laws of dwells between edges as a dashboard has them, most of which have few values between them.
  private static func dashboards(tries: Int, seed: UInt64) -> [String] {
    let edges = (0...6).map { Int64(250_000_000) << $0 }
    let laws: [(Kind, median: Double, sigma: Double)] = [
      (.independent, 2e9, 0.8), (.independent, 2e9, 0.2), (.normal, 3e9, 0), (.weibull, 1.78e9, 0), (.gamma, 3.357e9, 0),
      (.triangular, 6.058e9, 0),
    ]
    var lines = [
      "## Edges that double from 250 ms to 16 s", "",
      "\(tries) histograms a row. *Untested* are those with too few filled bins to test the family, which a note names.", "",
      "| law | median | values | hold the median | width | a warning | untested |", "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for (kind, median, sigma) in laws {
      let planted = Planted(name: "dwell", dimension: .duration, median: median, sigma: sigma, edges: edges)
      let name = sigma > 0 ? "lognormal, sigma \(DecimalText.trimmed(sigma, decimals: 1))" : kind.rawValue
      for size in [300, 3000] {
        var random = RandomStream(runSeed: seed, name: "\(name) \(size)")
        var (held, misfits, untested, ratios) = (Tally(), 0, 0, [Double]())
        for _ in 0..<tries {
          let histogram = Histogram(edges: edges.map { Double($0) }, counts: histogram(planted, sessions: size, kind, &random))
          guard histogram.hasSpread else { continue }
          let fit = LognormalFit(histogram, independent: size)
          held.add(fit.medianInterval, median)
          misfits += fit.isMisfit ? 1 : 0
          untested += fit.pValue == nil ? 1 : 0
          ratios.append(fit.medianInterval.high / fit.medianInterval.low)
        }
        let width = Sample.quantile(ratios, share: 0.5).map { "× \(DecimalText.fixed($0, decimals: 2))" } ?? "-"
        let shares = [misfits, untested].map { String(tenths: Double($0) / Double(held.all) * 100) + " %" }
        let cells = [name, DecimalText.trimmed(median / 1e9, decimals: 2) + " s", "\(size)", held.text, width] + shares
        lines.append("| " + cells.joined(separator: " | ") + " |")
      }
    }
    return lines
  }

  /// Draws a world and its telemetry, fits it, and passes each weight and each quantity's fit on.
  /// - Throws: `InvalidInput` if telemetry is refused.
  private static func world(
    total: Int, _ kind: Kind, _ random: inout RandomStream, ofWeight: (Double, ConfidenceInterval) -> Void,
    ofQuantity: (Planted, LognormalFit) -> Void
  ) throws {
    let count = 2 + Int(random.below(4))
    let raw = (0..<count).map { _ in 0.1 + random.unit() }
    let sum = raw.reduce(0, +)
    var sessions = [Int](repeating: 0, count: count)
    for _ in 0..<total {
      var left = random.unit() * sum
      var index = 0
      while index < count - 1, left >= raw[index] { (left, index) = (left - raw[index], index + 1) }
      sessions[index] += 1
    }
    guard sessions.allSatisfy({ $0 >= 20 }) else { return }
    var planted: [[Planted]] = []
    var classes: [String] = []
    for index in 0..<count {
      let quantities = [
        quantity("timeToFirstByte", .duration, 20e6...400e6, 0.2...1, &random),
        quantity("throughput", .rate, 3e5...5e7, 0.3...1.2, &random),
        quantity("dwell", .duration, 1e9...2e10, 0.3...1.5, &random),
      ]
      let histograms = quantities.map { histogram($0, sessions: sessions[index], kind, &random) }
      guard histograms.allSatisfy({ counts in counts.count { $0 > 0 } >= 3 }) else { return }
      planted.append(quantities)
      let members = zip(quantities, histograms).map { quantity, counts in
        let unit = quantity.dimension == .rate ? "bps" : "ns"
        return "\(quantity.name): { edges: [\(quantity.edges.map { "\"\($0)\(unit)\"" }.joined(separator: ", "))], counts: \(counts) }"
      }
      classes.append("\"class \(index)\": { sessions: \(sessions[index]), \(members.joined(separator: ", ")) }")
    }
    let text = "{ networks: { \(classes.joined(separator: ", ")) } }"
    let telemetry = try TelemetryReader.read(InputFile(name: "telemetry.json", bytes: Array(text.utf8)))
    let fitted = FittedWorld(telemetry)
    for index in 0..<count {
      ofWeight(raw[index] / sum, fitted.networks[index].weightInterval)
      for quantity in fitted.networks[index].quantities {
        if let truth = planted[index].first(where: { $0.name == quantity.name }) { ofQuantity(truth, quantity.fit) }
      }
    }
  }

  static func quantity(
    _ name: String, _ dimension: Dimension, _ medians: ClosedRange<Double>, _ sigmas: ClosedRange<Double>, _ random: inout RandomStream
  ) -> Planted {
    let median = logUniform(medians.lowerBound, medians.upperBound, &random)
    let sigma = sigmas.lowerBound + random.unit() * (sigmas.upperBound - sigmas.lowerBound)
    // Edges as dashboards have them: a fixed grid, about the middle of the values but not chosen by them.
    let bins = 4 + Int(random.below(13))
    let (low, high) = (-2.0 + random.unit(), 1.0 + random.unit())
    let edges = (0..<bins - 1).map { edge in
      Int64(median * StableMath.exp(sigma * (low + (high - low) * Double(edge) / Double(bins - 2))))
    }
    return Planted(name: name, dimension: dimension, median: median, sigma: sigma, edges: edges)
  }

  /// Draws the counts of a histogram.
  static func histogram(_ planted: Planted, sessions: Int, _ kind: Kind, _ random: inout RandomStream) -> [Int] {
    var counts = [Int](repeating: 0, count: planted.edges.count + 1)
    for _ in 0..<sessions {
      let own = normal(&random)
      for _ in 0..<(kind == .alike || kind == .clustered ? 4 : 1) {
        let value: Double
        switch kind {
        case .independent, .alike: value = planted.median * StableMath.exp(planted.sigma * own)
        case .clustered: value = planted.median * StableMath.exp(planted.sigma * (own + normal(&random)) * 0.5.squareRoot())
        // Erlang's, of shape 2: skewed to the left on a logarithmic scale.
        case .gamma: value = -planted.median / 1.678347 * (StableMath.log(1 - random.unit()) + StableMath.log(1 - random.unit()))
        case .normal: value = planted.median * max(1e-3, 1 + 0.8 / 3 * own)
        case .mixture: value = planted.median * StableMath.exp(0.3 * own) * (random.below(2) == 0 ? 0.316 : 3.16)
        default: value = planted.median * (kind.quantile(min(max(random.unit(), 1e-12), 1 - 1e-12)) ?? 1)
        }
        counts[planted.edges.count { Double($0) <= value }] += 1
      }
    }
    return counts
  }

  /// Draws a standard normal number by Box and Muller's method without a cosine (Marsaglia's polar form).
  static func normal(_ random: inout RandomStream) -> Double {
    while true {
      let (x, y) = (2 * random.unit() - 1, 2 * random.unit() - 1)
      let square = x * x + y * y
      if square > 0, square < 1 { return x * (-2 * StableMath.log(square) / square).squareRoot() }
    }
  }

  static func logUniform(_ low: Double, _ high: Double, _ random: inout RandomStream) -> Double {
    StableMath.exp(StableMath.log(low) + random.unit() * StableMath.log(high / low))
  }
}

extension String {
  init(tenths value: Double) { self = DecimalText.fixed(value, decimals: 1) }
}
