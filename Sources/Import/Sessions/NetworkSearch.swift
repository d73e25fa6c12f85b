// Networks with which recorded requests end when they did, searched by playing the requests.

import Analysis
import Base
import Simulation

/// A network of the search.
struct NetworkCandidate {
  /// The assumptions under which parameters are searched.
  struct Assumptions: Hashable {
    let security: HTTPConfiguration.Security
    /// True if connections were open when the recording began.
    let beginsOpen: Bool
  }

  /// The logarithms of the downlink's rate in bits a second, of the round trip in nanoseconds, of the uplink's part of the rate, and if the rate
  /// varies, of its factor in each second.
  private(set) var logs: [Double]
  let assumptions: Assumptions
  var error = Double.infinity

  /// The indices of the first logarithms.
  static let rate = 0, roundTrip = 1, uplink = 2
  /// The bounds of the logarithms: 10 kbit/s to 10 Gbit/s, 1 µs to 2 minutes, a ten-thousandth to all of the rate, and a 50th to 50 times of it.
  private static let bounds = [(1e4, 1e10), (1e3, 1.2e11), (1e-4, 1), (0.02, 50)].map { StableMath.log($0.0)...StableMath.log($0.1) }

  /// Returns networks with rates, round trips and uplinks around likely ones.
  static func around(rate: Double, trip: Double, under assumptions: Assumptions) -> [NetworkCandidate] {
    [0.35, 0.5, 0.7, 1, 1.4, 2, 2.8, 4, 8].flatMap { factor in
      [1, 0.7, 0.4].flatMap { fraction in
        [1, 0.5, 0.25, 0.1].map {
          NetworkCandidate(logs: [rate * factor, trip * fraction, $0].map(StableMath.log), assumptions: assumptions).moved([])
        }
      }
    }
  }

  /// The indices of the factors of seconds.
  var factors: Range<Int> { 3..<logs.count }

  /// Returns the candidate with a rate in each second, in bits a second.
  func varying(_ rates: [Double]) -> NetworkCandidate {
    let mean = rates.reduce(0) { $0 + StableMath.log($1) } / Double(rates.count)
    var candidate = self
    candidate.logs = [mean, logs[Self.roundTrip], logs[Self.uplink]] + rates.map { StableMath.log($0) - mean }
    return candidate.moved([])
  }

  /// Returns the candidate with some of its logarithms changed, within the bounds; the uplink is no faster than the downlink.
  func moved(_ changes: [(parameter: Int, by: Double)]) -> NetworkCandidate {
    var moved = self
    for change in changes { moved.logs[change.parameter] += change.by }
    for index in logs.indices {
      let range = Self.bounds[min(index, 3)]
      moved.logs[index] = min(max(moved.logs[index], range.lowerBound), range.upperBound)
    }
    return moved
  }

  /// Returns a network with the rates, the round trip and the TLS of the candidate.
  func network(like base: NetworkConfiguration) -> NetworkConfiguration {
    func bits(_ rate: Double) -> Int64 { Int64(min(max(1e3, rate), 1e10).rounded()) }
    let rate = StableMath.exp(logs[Self.rate])
    var network = base
    network.down =
      factors.isEmpty
      ? LinkRate(constant: bits(rate))
      : LinkRate(periods: logs[factors].map { LinkRate.Period(duration: .seconds(1), bitsPerSecond: bits(rate * StableMath.exp($0))) })
    network.up = LinkRate(constant: bits(max(1e4, rate * StableMath.exp(logs[Self.uplink]))))
    let delay = Interval(nanoseconds: Int64((StableMath.exp(logs[Self.roundTrip]) / 2).rounded()))
    (network.delayDown, network.delayUp) = (delay, delay)
    network.http.security = assumptions.security
    return network
  }
}

/// A search for the network of recorded requests, by playing them.
struct NetworkSearch {
  let replay: RequestReplay
  /// The parts of the network that are not searched.
  let base: NetworkConfiguration
  let check: () throws -> Void

  /// The error below which a network is so near the right one that the requests compared so far show no more.
  private static let nearError = 0.001
  /// The error below which no other start of the search is needed.
  private static let exactError = 0.0003
  /// The weight of the difference of the rates of two seconds.
  private static let jumpWeight = 0.003

  /// Searches rates and round trip from many candidates over few requests, then from the best of them over more and more: a small
  /// difference in one request changes all after it.
  /// - Throws: `ImportCancelled` if the user ends the import.
  func constant(from starts: [NetworkCandidate]) throws -> [NetworkCandidate] {
    // The requests that are compared, and from how many candidates each of the two searches begins.
    let plans: [(count: Int, leastSquaresStarts: Int, patternStarts: Int)] =
      // A packet of QUIC takes many times as long to play as one of TCP.
      base.http.version == .http3
      ? [(4, 16, 0), (10, 4, 1), (24, 2, 1), (60, 1, 1), (200, 1, 1)] : [(4, 60, 0), (10, 12, 4), (24, 4, 2), (60, 2, 2), (200, 1, 1)]
    var kept = starts
    for (index, (count, leastSquaresStarts, patternStarts)) in plans.enumerated()
    where index == 0 || plans[index - 1].count < replay.requests.count {
      let part = replay.first(count)
      kept = try kept.map { try rated($0, part) }.sorted { $0.error < $1.error }
      // Each set of assumptions keeps its best ones.
      kept = try kept.map(\.assumptions).distinct.flatMap { assumptions in
        let own = kept.filter { $0.assumptions == assumptions }
        if own[0].error < Self.nearError { return Array(own.prefix(3)) }
        var found: [NetworkCandidate] = []
        for candidate in own.prefix(leastSquaresStarts) where count <= 10 || !found.contains(where: { $0.error < Self.exactError }) {
          found += [candidate, try leastSquares(from: candidate, part)]
        }
        found.sort { $0.error < $1.error }
        for candidate in found.prefix(patternStarts) where candidate.error > Self.nearError {
          found.append(try patternSearch(from: candidate, part))
        }
        return found
      }
      kept.sort { $0.error < $1.error }
    }
    return kept
  }

  /// Returns a candidate with its error.
  /// - Throws: `ImportCancelled` if the user ends the import.
  func rated(_ candidate: NetworkCandidate, _ replay: RequestReplay) throws -> NetworkCandidate {
    try check()
    var rated = candidate
    rated.error = replay.error(over: candidate.network(like: base), beginsOpen: candidate.assumptions.beginsOpen)
    return rated
  }

  /// Returns the candidate that the Levenberg–Marquardt method reaches by changing some parameters of one (Marquardt 1963,
  /// doi:10.1137/0111030): times change nearly evenly with the logarithms.
  /// - Throws: `ImportCancelled` if the user ends the import.
  func leastSquares(from start: NetworkCandidate, _ replay: RequestReplay, parameters: [Int] = [0, 1, 2]) throws -> NetworkCandidate {
    func dot(_ one: [Double], _ other: [Double]) -> Double { zip(one, other).reduce(0) { $0 + $1.0 * $1.1 } }
    /// - Throws: any error of `check`.
    func differences(_ candidate: NetworkCandidate) throws -> [Double] {
      try check()
      let rates = candidate.logs[candidate.factors]
      return replay.differences(over: candidate.network(like: base), beginsOpen: candidate.assumptions.beginsOpen)
        + zip(rates, rates.dropFirst()).map { Self.jumpWeight * ($1 - $0) }
    }
    var (best, residuals, damping) = (start, try differences(start), 0.01)
    for _ in 0..<12 where dot(residuals, residuals) > 1e-8 && damping < 1e3 {
      // Downwards, because the uplink's part has a highest value.
      let slopes = try parameters.map { parameter in
        zip(residuals, try differences(best.moved([(parameter, -0.002)]))).map { ($0 - $1) / 0.002 }
      }
      var isBetter = false
      while !isBetter, damping < 1e3 {
        let rows = slopes.indices.map { row in
          slopes.indices.map { dot(slopes[row], slopes[$0]) * ($0 == row ? 1 + damping : 1) } + [-dot(slopes[row], residuals)]
        }
        let steps = LinearSystem.solved(rows).map { $0[0].isFinite ? min(0.7, max(-0.7, $0[0])) : 0 }
        let trial = best.moved(Array(zip(parameters, steps)))
        let found = try differences(trial)
        isBetter = dot(found, found) < dot(residuals, residuals)
        damping = isBetter ? (dot(found, found) > dot(residuals, residuals) * 0.999 ? 1e3 : damping / 10) : damping * 10
        if isBetter { (best, residuals) = (trial, found) }
      }
    }
    return try rated(best, replay)
  }

  /// Returns the best candidate that smaller and smaller steps of one or two parameters reach. A step can cross a discontinuity.
  /// - Throws: `ImportCancelled` if the user ends the import.
  private func patternSearch(from start: NetworkCandidate, _ replay: RequestReplay) throws -> NetworkCandidate {
    var best = start
    for step in [0.1, 0.03, 0.01, 0.003] {
      let single = [0, 1, 2].flatMap { [[($0, step)], [($0, -step)]] }
      let pairs = [(0, 1), (0, 2), (1, 2)].flatMap { one, other in
        [(step, step), (-step, -step), (step, -step), (-step, step)].map { [(one, $0.0), (other, $0.1)] }
      }
      for _ in 0..<2 {
        let before = best.error
        for changes in single + pairs {
          while case let trial = try rated(best.moved(changes), replay), trial.error < best.error - 1e-9 { best = trial }
        }
        if best.error >= before { break }
      }
    }
    let last = try leastSquares(from: best, replay)
    return last.error < best.error ? last : best
  }
}
