// Fits the mobile generator (`MobileRates`) to a folder of throughput logs; the generator contains the results and no logs.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import SweepTool

package enum MobileFit {
  /// The lags of the fitted autocorrelation, in seconds, with their weights.
  private static let lags: [(seconds: Double, weight: Double)] = [(1, 2), (2, 1), (5, 2), (10, 1), (20, 2), (40, 1), (60, 1)]
  /// The normal scores of the generator's quantiles.
  private static let scores = (0..<25).map { -3 + Double($0) / 4 }

  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the logs.
  package static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder of logs")
    if let step = try arguments.integer("--packets", in: 1...1000) {
      print(try InterruptionFit.report(folder, step: Double(step)))
      return
    }
    let longest = try arguments.integer("--longest-outage", in: 0...86_400) ?? 600
    let step = Double(try arguments.integer("--step", in: 10...1000) ?? 1000) / 1000
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let logs = try files.flatMap { split(try rates("\(folder)/\($0)", step: step), longest: Int(Double(longest) / step)) }
    guard logs.contains(where: { Double($0.count) * step > 60 }) else {
      throw StudyProblem(
        description: "\(folder): has no log of more than 60 s, which the autocorrelation needs; add logs, or raise --longest-outage")
    }
    let table = RateTable(logs, step: step)
    let judged = arguments.value("--judge")
    if judged == "halves" {
      print(try halves(logs, step: step))
      return
    }
    if let name = judged {
      guard let kind = MobileRates.Kind(rawValue: name) else { throw StudyProblem(description: "--judge: no chain is called \(name)") }
      let traces = (1...12).map { seed in
        MobileRates(kind: kind, length: .seconds(20_000)).trace(runSeed: seed).periods.map { Double($0.bitsPerSecond) / 1000 }
      }
      print("\(table.row("logs"))\n\(RateTable(traces, step: step).row("chain"))")
      return
    }
    print(fitted(table).report)
  }

  /// Returns the rows of every second log, of the chain fitted to them, and of the other logs.
  /// - Throws: `StudyProblem` if there are not enough logs.
  private static func halves(_ logs: [[Double]], step: Double) throws -> String {
    func half(_ parity: Int) -> [[Double]] { logs.indices.filter { $0 % 2 == parity }.map { logs[$0] } }
    let (one, other) = (half(0), half(1))
    guard one.count > 1, other.count > 1 else { throw StudyProblem(description: "--judge halves: needs at least 4 logs") }
    let table = RateTable(one, step: step)
    let chain = fitted(table).chain
    let traces = (1...12 as ClosedRange<UInt64>).map { seed in
      var random = RandomStream(seed: seed)
      return chain.rates(Int(20_000 / step), from: &random)
    }
    let rows = [
      table.row("one half"), RateTable(traces, step: step).row("chain fitted to it"), RateTable(other, step: step).row("the other half"),
    ]
    return rows.joined(separator: "\n")
  }

  /// Returns the chain that fits logs best, and its figures.
  private static func fitted(_ table: RateTable) -> (chain: RateChain, report: String) {
    let moving = table.sorted.filter { $0 > 0 }
    let share = 1 - Double(moving.count) / Double(table.sorted.count)
    let outages = table.outages
    let leave = outages.isEmpty ? 1 : Double(outages.count) / Double(outages.reduce(0, +))
    let enter = leave * share / (1 - share)
    let quantiles = scores.map { RateTable.quantile(moving, Normal.cumulative($0)).rounded() }
    let lags = (table.step < 1 ? [(table.step, 2)] : []) + lags
    let steps = lags.map { Int(($0.0 / table.step).rounded()) }
    let chain = Chain(powers: powers(quantiles), service: 1 - share, stay: 1 - enter - leave, lags: steps)
    let targets = steps.map(table.correlation)
    let search = DirectSearch(from: [0.8, 0.9, 0.6, 0.5]) { point in
      zip(zip(lags, chain.correlations(point)), targets).reduce(0) { $0 + $1.0.0.1 * ($1.0.1 - $1.1) * ($1.0.1 - $1.1) }
    }
    let (found, ours) = (Chain.parameters(search.point), chain.correlations(search.point))
    func text(_ value: Double, _ decimals: Int = 0) -> String { DecimalText.fixed(value, decimals: decimals) }
    let fit = RateChain(
      step: Interval(nanoseconds: Int64((table.step * 1e9).rounded())), quantiles: quantiles, slowShare: found[0], fastShare: found[1],
      slow: found[2], fast: found[3], enter: enter, leave: leave)
    let correlations = lags.indices.map { "\(text(lags[$0].0, 1)) s: \(text(targets[$0], 3)), \(text(ours[$0], 3))" }
    let report = """
      \(table.logs.count) logs, \(table.sorted.count) steps of \(text(table.step, 2)) s
      kbps at scores -3, -2.75 ... 3: \(quantiles.map { text($0) }.joined(separator: ", "))
      slow share \(text(found[0], 3)), fast share \(text(found[1], 3)); of a step to the next: slow \(text(found[2], 4)), fast \(text(found[3], 4))
      outages a step: enter \(text(enter, 6)), leave \(text(leave, 4)), share \(text(share, 4))
      mean: logs \(text(table.mean)), chain \(text(chain.powers[0].squareRoot() * (1 - share)))
      autocorrelation of logs and chain at \(correlations.joined(separator: "; "))
      \(table.row("logs"))
      """
    return (fit, report)
  }

  /// The chain's autocorrelation as a function of its four parameters.
  private struct Chain {
    /// The share of each power of the score's correlation in the covariance of the rates.
    let powers: [Double]
    /// The share of steps with service, and the correlation of service between successive steps.
    let service: Double, stay: Double
    /// The lags of the autocorrelation, in steps.
    let lags: [Int]

    /// Returns the shares of the slow and the fast score and their correlations after a step, for a point of the unit cube.
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
        let score = found[0] * Elementary.power(found[2], lag) + found[1] * Elementary.power(found[3], lag)
        return covariance(score, stay: Elementary.power(stay, lag)) / variance
      }
    }

    private func covariance(_ score: Double, stay: Double) -> Double {
      let product = powers.reversed().reduce(0) { $0 * score + $1 }
      return (service * service + service * (1 - service) * stay) * product - service * service * powers[0]
    }
  }

  // MARK: Logs

  /// Returns the mean rate of each step of a log, in kbps: a period list, rows of seconds and Mbps, or a G-NetTrack table. Rows without steps
  /// of less than a second are one for each second.
  /// - Throws: the errors of reading the log.
  private static func rates(_ path: String, step: Double) throws -> [Double] {
    if path.hasSuffix(".json") {
      return means(try trace(path, .sabre).periods.map { (Double($0.duration.nanoseconds) / 1e9, Double($0.bitsPerSecond) / 1000) }, step)
    }
    let lines = String(decoding: try InputFile(path: path).bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    guard path.hasSuffix(".csv") else {
      let rows = lines.map { $0.split(whereSeparator: \.isWhitespace).compactMap { Double($0) } }.filter { !$0.isEmpty }
      if step == 1 { return rows.map { ($0.last ?? 0) * 1000 } }
      // A row is the mean of the time since the row before.
      return means(zip(rows, rows.dropFirst()).map { ($1[0] - $0[0], ($1.last ?? 0) * 1000) }, step)
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

  /// Returns the mean rate of each whole step of periods.
  private static func means(_ periods: [(seconds: Double, rate: Double)], _ step: Double) -> [Double] {
    var (rates, left, sum): ([Double], Double, Double) = ([], step, 0)
    for period in periods {
      var duration = period.seconds
      while duration > 0 {
        let part = min(left, duration)
        sum += part * period.rate
        (left, duration) = (left - part, duration - part)
        if left < 1e-9 {
          rates.append(sum / step)
          (left, sum) = (step, 0)
        }
      }
    }
    return rates
  }

  /// Returns a log without outages longer than `longest` steps, which are missing coverage and not a bad radio.
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
