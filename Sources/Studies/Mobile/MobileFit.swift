// Fits the mobile generator (`MobileRates`) to a folder of throughput logs; the generator contains the results and no logs.

import Analysis
import Foundation
import Import
import Simulation
import SweepTool

enum MobileFit {
  /// The lags of the fitted autocorrelation, in seconds, with their weights.
  private static let lags: [(seconds: Int, weight: Double)] = [(1, 2), (2, 1), (5, 2), (10, 1), (20, 2), (40, 1), (60, 1)]
  /// The normal scores of the generator's quantiles.
  private static let scores = (0..<25).map { -3 + Double($0) / 4 }

  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the logs.
  static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder of logs")
    let longest = try arguments.integer("--longest-outage", in: 0...86_400) ?? 600
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let logs = try files.flatMap { split(try seconds("\(folder)/\($0)"), longest: longest) }
    let all = logs.joined().sorted()
    let moving = all.filter { $0 > 0 }
    let outages = logs.flatMap { log in log.split { $0 > 0 }.map(\.count) }
    guard !moving.isEmpty, !outages.isEmpty else { throw StudyProblem(description: "\(folder): has no logs with outages") }
    if let lag = lags.map(\.seconds).max(), !logs.contains(where: { $0.count > lag }) {
      throw StudyProblem(
        description: "\(folder): has no log of more than \(lag) s, which the autocorrelation needs; add logs, or raise --longest-outage")
    }
    let outage = Double(outages.reduce(0, +))
    let share = 1 - Double(moving.count) / Double(all.count)
    let leave = Double(outages.count) / outage
    let enter = leave * share / (1 - share)
    let quantiles = scores.map { quantile(moving, Normal.cumulative($0)).rounded() }
    let chain = Chain(powers: powers(quantiles), service: 1 - share, stay: 1 - enter - leave)
    let mean = Sample(all).mean
    let targets = correlations(logs, mean: mean)
    let search = DirectSearch(from: [0.8, 0.9, 0.6, 0.5]) { point in
      zip(zip(lags, chain.correlations(point)), targets).reduce(0) { $0 + $1.0.0.weight * ($1.0.1 - $1.1) * ($1.0.1 - $1.1) }
    }
    let (found, ours) = (Chain.parameters(search.point), chain.correlations(search.point))
    func text(_ value: Double, _ decimals: Int = 0) -> String { DecimalText.fixed(value, decimals: decimals) }
    print(
      """
      \(logs.count) logs, \(all.count) s; outages \(outages.count), mean \(text(outage / Double(outages.count), 2)) s, longest \(outages.max() ?? 0) s
      kbps at scores -3, -2.75 ... 3: \(quantiles.map { text($0) }.joined(separator: ", "))
      slow share \(text(found[0], 3)), fast share \(text(found[1], 3)), slow \(text(found[2], 4)) a second, fast \(text(found[3], 4)) a second
      outages: enter \(text(enter, 6)), leave \(text(leave, 4)) a second, share \(text(share, 4))
      mean: logs \(text(mean)), chain \(text(chain.powers[0].squareRoot() * (1 - share)))
      quantiles 10 25 50 75 90 %: \([0.1, 0.25, 0.5, 0.75, 0.9].map { text(quantile(all, $0)) }.joined(separator: ", "))
      """)
    for (index, lag) in lags.enumerated() {
      print("autocorrelation at \(lag.seconds) s: logs \(text(targets[index], 3)), chain \(text(ours[index], 3))")
    }
    func shown(_ values: [Double]) -> String { [0, 2, 4].map { text(values[$0], 3) }.joined(separator: " / ") }
    print(
      """
      | logs | \(([mean] + [0.25, 0.5, 0.9].map { quantile(all, $0) }).map { text($0) }.joined(separator: " | ")) | \(shown(targets)) \
      | \(text(100 * share, 1)) %, \(text(outage / Double(outages.count), 1)) s each |
      | chain | \(text(chain.powers[0].squareRoot() * (1 - share))) | the logs' own | | | \(shown(ours)) | the same |
      """)
  }

  /// The chain's autocorrelation as a function of its four parameters.
  private struct Chain {
    /// The share of each power of the score's correlation in the covariance of the rates.
    let powers: [Double]
    /// The share of seconds with service, and the correlation of service between successive seconds.
    let service: Double, stay: Double

    /// Returns the shares of the slow and the fast score and their correlations after a second, for a point of the unit cube.
    static func parameters(_ point: [Double]) -> [Double] {
      [
        point[0], (1 - point[0]) * point[1], StableMath.exp(-1 / StableMath.exp(8 * point[2])),
        StableMath.exp(-1 / StableMath.exp(5 * point[3] - 1)),
      ]
    }

    func correlations(_ point: [Double]) -> [Double] {
      let found = Self.parameters(point)
      let variance = covariance(1, stay: 1)
      return lags.map { lag in
        let score = found[0] * Elementary.power(found[2], lag.seconds) + found[1] * Elementary.power(found[3], lag.seconds)
        return covariance(score, stay: Elementary.power(stay, lag.seconds)) / variance
      }
    }

    private func covariance(_ score: Double, stay: Double) -> Double {
      let product = powers.reversed().reduce(0) { $0 * score + $1 }
      return (service * service + service * (1 - service) * stay) * product - service * service * powers[0]
    }
  }

  // MARK: Logs

  /// Returns the mean rate of each whole second of a log, in kbps: a period list, rows of seconds and Mbps, or a G-NetTrack table.
  /// - Throws: the errors of reading the log.
  private static func seconds(_ path: String) throws -> [Double] {
    if path.hasSuffix(".json") { return try secondsOfPeriods(path) }
    let lines = String(decoding: try InputFile(path: path).bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard path.hasSuffix(".csv") else {
      return lines.compactMap { $0.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) } }.map { $0 * 1000 }
    }
    let rows = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard let time = rows.first?.firstIndex(of: "Timestamp"), let rate = rows.first?.firstIndex(of: "DL_bitrate") else {
      throw StudyProblem(description: "\(path): has no columns Timestamp and DL_bitrate, as G-NetTrack writes them")
    }
    var seconds: [(time: Substring, rates: [Double])] = []
    for row in rows.dropFirst() where row.count > max(time, rate) {
      guard let kilobits = Double(row[rate]) else { continue }
      if seconds.last?.time != row[time] { seconds.append((row[time], [])) }
      seconds[seconds.count - 1].rates.append(kilobits)
    }
    return seconds.map { Sample($0.rates).mean }
  }

  /// - Throws: the errors of reading the log.
  private static func secondsOfPeriods(_ path: String) throws -> [Double] {
    var (rates, left, kilobits): ([Double], Double, Double) = ([], 1, 0)
    for period in try trace(path, .sabre).periods {
      var duration = Double(period.duration.nanoseconds) / 1e9
      while duration > 0 {
        let step = min(left, duration)
        kilobits += step * Double(period.bitsPerSecond) / 1000
        (left, duration) = (left - step, duration - step)
        if left < 1e-9 {
          rates.append(kilobits)
          (left, kilobits) = (1, 0)
        }
      }
    }
    return rates
  }

  /// Returns a log without outages longer than `longest` seconds, which are missing coverage and not a bad radio.
  private static func split(_ rates: [Double], longest: Int) -> [[Double]] {
    var (parts, zeros): ([[Double]], [Double]) = ([[]], [])
    // The end of the log ends its last outage.
    for rate in rates.map(Optional.some) + [nil] {
      if rate == 0 {
        zeros.append(0)
        continue
      }
      if zeros.count > longest { parts.append([]) } else { parts[parts.count - 1] += zeros }
      zeros = []
      if let rate { parts[parts.count - 1].append(rate) }
    }
    return parts.filter { !$0.isEmpty }
  }

  private static func correlations(_ logs: [[Double]], mean: Double) -> [Double] {
    func covariance(lag: Int) -> Double {
      Sample(logs.flatMap { log in zip(log, log.dropFirst(lag)).map { ($0 - mean) * ($1 - mean) } }).mean
    }
    return lags.map { covariance(lag: $0.seconds) / covariance(lag: 0) }
  }

  /// Returns the quantile of ascending values by linear interpolation.
  private static func quantile(_ values: [Double], _ share: Double) -> Double {
    let rank = share * Double(values.count - 1)
    let (low, high) = (values[Int(rank)], values[min(Int(rank) + 1, values.count - 1)])
    return low + (high - low) * (rank - rank.rounded(.down))
  }

  /// Returns the share of each power of the score's correlation in the covariance of the rates, by Hermite polynomials (Mehler 1866).
  private static func powers(_ quantiles: [Double], count: Int = 12) -> [Double] {
    var sums = [Double](repeating: 0, count: count + 1)
    for step in 0..<1200 {
      let x = -6 + (Double(step) + 0.5) * 0.01
      let rank = min(max((x + 3) * 4, 0), 24)
      let low = min(Int(rank), 23)
      let rate = quantiles[low] + (quantiles[low + 1] - quantiles[low]) * (rank - Double(low))
      let weight = Normal.density(x) * 0.01 * rate
      var (before, now) = (0.0, 1.0)
      for k in sums.indices {
        sums[k] += weight * now
        (before, now) = (now, x * now - Double(k) * before)
      }
    }
    var factorial = 1.0
    return sums.enumerated().map { k, sum in
      if k > 0 { factorial *= Double(k) }
      return sum * sum / factorial
    }
  }
}
