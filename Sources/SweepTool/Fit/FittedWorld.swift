// A population of users fitted to telemetry: weights and parameters with intervals, and the part of a sweep file that they make.

import Analysis
import Base
import Import
import Rendering

package struct FittedNetwork {
  let telemetry: NetworkTelemetry
  package let weight: Double, weightInterval: ConfidenceInterval
  let timeToFirstByte: LognormalFit, throughput: LognormalFit
  let dwell: LognormalFit?

  /// One part of the class: the users of about the same throughput.
  struct Level {
    var name: String
    var weight: Double
    /// The settings by path, as JSON.
    let settings: [(path: String, json: String)]
  }

  /// Divides the class into equal parts by throughput, each at the middle quantile of its part.
  func levels(_ count: Int) -> [Level] {
    (0..<count).map { level in
      let z = -Normal.upperQuantile((Double(level) + 0.5) / Double(count))
      let rate = throughput.median * StableMath.exp(throughput.sigma * z)
      // Whole kilobits suffice above 1 Mbit/s.
      let unit = rate < 1e6 ? 1.0 : 1000
      let down = Int64(min(max(1000, (rate / unit).rounded() * unit), 1e12))
      // A response's first byte is a round trip and the server's time after its request.
      let roundTrip = max(0, timeToFirstByte.median - Double(telemetry.serverTime))
      let delay = min((roundTrip / 2e3).rounded(), 6e7)
      let up = telemetry.up ?? down
      func text(_ rate: Int64) -> String { rate.isMultiple(of: 1000) ? "\(rate / 1000)kbps" : "\(rate)bps" }
      let time = "\"\(Int64(delay))us\""
      var network = "{ down: \"\(text(down))\", up: \"\(text(up))\", delayDown: \(time), delayUp: \(time)"
      if telemetry.serverTime > 0 { network += ", serverTime: \"\(telemetry.serverTime / 1000)us\"" }
      var settings = [(path: "network", json: network + " }")]
      if let dwell {
        let median = Int64(min(max(1, (dwell.median / 1e6).rounded()), 8.64e7))
        let sigma = min(5, (dwell.sigma * 1000).rounded() / 1000)
        let longest = telemetry.dwell.flatMap { $0.edges.last } ?? 0
        let most = longest > 3.6e12 || dwell.median > 3.6e12 ? "24h" : "1h"
        settings.append(
          ("user.dwell", "{ distribution: \"lognormal\", median: \"\(median)ms\", sigma: \(sigma), min: \"1ms\", max: \"\(most)\" }"))
      }
      return Level(
        name: count == 1 ? telemetry.name : "\(telemetry.name), part \(level + 1)", weight: weight / Double(count), settings: settings)
    }
  }

  /// The fits with their names in telemetry and the dimension of their values.
  package var quantities: [(name: String, histogram: Histogram, fit: LognormalFit, dimension: Dimension)] {
    [
      ("timeToFirstByte", telemetry.timeToFirstByte, timeToFirstByte, .duration), ("throughput", telemetry.throughput, throughput, .rate),
    ] + (telemetry.dwell.flatMap { counts in dwell.map { [("dwell", counts, $0, .duration)] } } ?? [])
  }
}

package struct FittedWorld {
  static let confidence = 0.9
  package let networks: [FittedNetwork]

  package init(_ telemetry: [NetworkTelemetry]) {
    let weights = ShareWeights.shares(
      sessions: telemetry.map(\.sessions),
      itemsPerSession: telemetry.map { network in network.items.map { Double($0) / Double(network.sessions) } ?? 1 },
      confidence: Self.confidence)
    networks = zip(telemetry, weights).map { network, weight in
      func fit(_ histogram: Histogram) -> LognormalFit {
        LognormalFit(histogram, independent: network.sessions, confidence: Self.confidence)
      }
      return FittedNetwork(
        telemetry: network, weight: weight.share, weightInterval: weight.interval, timeToFirstByte: fit(network.timeToFirstByte),
        throughput: fit(network.throughput), dwell: network.dwell.map(fit))
    }
  }

  /// Returns the tables of weights and parameters; `simulated` are the loaders per 1000 of each class in the fitted world, if known.
  func text(simulated: [(mean: Double, interval: ConfidenceInterval?)]?) -> String {
    let hasLoaders = networks.contains { $0.telemetry.loadersPer1000 != nil }
    var weights = Table(
      columns: ["network", .right("sessions"), .right("weight"), .right("90 % interval")]
        + (hasLoaders ? [.right("loaders per 1000")] : []) + (simulated == nil ? [] : [.right("simulated"), .right("90 % interval")]))
    for (index, network) in networks.enumerated() {
      let loaders = network.telemetry.loadersPer1000.map { Self.rounded($0) } ?? "-"
      let own = simulated.map { $0[index] }
      weights.append(
        [SafeText.line(network.telemetry.name), "\(network.telemetry.sessions)"]
          + Self.cells(network.weight, network.weightInterval, .percent) + (hasLoaders ? [loaders] : [])
          + (own.map { own in own.interval.map { Self.cells(own.mean, $0) } ?? [Self.rounded(own.mean), "-"] } ?? []))
    }
    var parameters = Table(
      columns: [
        "network", "quantity", .right("median"), .right("90 % interval"), .right("sigma"), .right("90 % interval"), .right("distance"),
      ])
    for network in networks {
      for quantity in network.quantities {
        let fit = quantity.fit
        parameters.append(
          [SafeText.line(network.telemetry.name), quantity.name] + Self.cells(fit.median, fit.medianInterval, quantity.dimension)
            + Self.cells(fit.sigma, fit.sigmaInterval) + [Self.rounded(fit.distance * 100) + " %"])
      }
    }
    return weights.plainText() + "\n" + parameters.plainText()
  }

  /// The sentences about fits that are far from their histograms, and about those that nothing tests.
  var warnings: [String] {
    networks.flatMap { network in
      network.quantities.compactMap { name, _, fit, _ in Self.warning(of: fit).map { "\(shown(network.telemetry.name)): \(name) \($0)" } }
    }
  }

  private static func warning(of fit: LognormalFit) -> String? {
    if fit.pValue == nil {
      return "has too few filled bins to test that it is a lognormal distribution; the median's interval also holds what the counts alone "
        + "say, and sigma's holds for that family only; give more edges where most values lie, or more sessions"
    }
    guard fit.isMisfit else { return nil }
    return "is no lognormal distribution: up to \(rounded(fit.distance * 100)) % of its counts lie on the other side of an edge; the "
      + "median's interval is widened by that, sigma is that of the nearest lognormal distribution, and results that hang on the tails may "
      + "be wrong"
  }

  /// Returns the parts with those of equal settings joined: a sweep has each point once.
  private static func distinct(_ levels: [FittedNetwork.Level]) -> [FittedNetwork.Level] {
    var distinct: [FittedNetwork.Level] = []
    for level in levels {
      if let index = distinct.firstIndex(where: { $0.settings.map(\.json) == level.settings.map(\.json) }) {
        distinct[index].weight += level.weight
        distinct[index].name += " and \(level.name)"
      } else {
        distinct.append(level)
      }
    }
    return distinct
  }

  /// Returns the part of a sweep file: `population` with each class in `levels` parts.
  func population(levels count: Int, source: String) -> String {
    let all = Self.distinct(networks.flatMap { $0.levels(count) })
    // Millionths that add up to 1, at least one for each part; the last of the heaviest parts takes what rounding leaves.
    var millionths = all.map { max(1, Int(($0.weight * 1e6).rounded())) }
    let heaviest = millionths.max().flatMap(millionths.lastIndex) ?? 0
    millionths[heaviest] += 1_000_000 - millionths.reduce(0, +)
    let lines = zip(all, millionths).map { level, weight in
      let settings = level.settings.map { "\(jsonString($0.path)): \($0.json)" }.joined(separator: ",\n    ")
      return "  { weight: \(DecimalText.trimmed(Double(weight) / 1e6, decimals: 6)), name: \(jsonString(level.name)),\n    \(settings) }"
    }
    let intervals = networks.map { network in
      ([("weight", Self.cells(network.weight, network.weightInterval, .percent))]
        + network.quantities.map { ($0.name, Self.cells($0.fit.median, $0.fit.medianInterval, $0.dimension)) })
        .map { "\($0.0) \($0.1[0]) (\($0.1[1]))" }.joined(separator: ", ")
    }
    let comments = zip(networks, intervals).map { "// \(SafeText.line($0.telemetry.name)): \($1)\n" }.joined()
    return "// A population fitted to \(SafeText.line(source)), for a sweep file; weights and medians with 90 % intervals.\n\(comments)"
      + "{ population: [\n\(lines.joined(separator: ",\n"))\n] }\n"
  }

  /// Returns a value and its interval in one unit, with two or three digits, or as many as tell the interval's ends apart.
  private static func cells(_ value: Double, _ interval: ConfidenceInterval, _ dimension: Dimension? = nil) -> [String] {
    let units = dimension == .percent ? [] : dimension?.units.filter { !["KiB", "MiB", "GiB"].contains($0.name) } ?? []
    let unit = units.last { Double($0.worth) <= interval.low } ?? units.first
    let scale = dimension == .percent ? 0.01 : unit.map { Double($0.worth) } ?? 1
    let name = dimension == .percent ? " %" : unit?.name ?? ""
    let size = abs(value / scale)
    var decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3
    let width = (interval.high - interval.low) / scale
    let least = size > 0 ? min(width, size / 5) : width
    while decimals < 9, least > 0, Elementary.power(10, decimals) * least < 2 { decimals += 1 }
    func text(_ value: Double) -> String {
      // The end of an interval may lie beyond all quantities.
      value < 1e18
        ? DecimalText.trimmed(value / scale, decimals: decimals) + name : "over \(DecimalText.trimmed(1e18 / scale, decimals: 0))\(name)"
    }
    return [text(value), "\(text(interval.low)) … \(text(interval.high))"]
  }

  /// Returns a number with about three digits.
  private static func rounded(_ value: Double) -> String {
    DecimalText.trimmed(value, decimals: abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3)
  }
}
