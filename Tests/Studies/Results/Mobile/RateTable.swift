// The statistics by which throughput logs and the chain fitted to them are compared.

import Analysis
import Base
import Oracles
import SweepTool

/// Rates in kbit/s of several logs, one for each step.
struct RateTable {
  let logs: [[Double]]
  /// The time of a step, in seconds.
  let step: Double
  /// All rates, ascending.
  let sorted: [Double]
  let mean: Double

  init(_ logs: [[Double]], step: Double) {
    (self.logs, self.step, sorted) = (logs, step, logs.joined().sorted())
    mean = Sample(sorted).mean
  }

  /// The lengths of the times without any rate, in steps.
  var outages: [Int] { logs.flatMap { $0.split { $0 > 0 }.map(\.count) } }

  /// The lengths of the times at less than half of the median rate, in steps.
  private var slumps: [Int] {
    let half = Self.quantile(sorted, 0.5) / 2
    return logs.flatMap { $0.split { $0 >= half }.map(\.count) }
  }

  /// Returns the correlation of rates that are so many steps apart.
  func correlation(_ lag: Int) -> Double { covariance(lag) / covariance(0) }

  private func covariance(_ lag: Int) -> Double {
    Sample(logs.flatMap { log in zip(log, log.dropFirst(lag)).map { ($0 - mean) * ($1 - mean) } }).mean
  }

  /// Returns a row of the manual's table: mean, quantiles, autocorrelation, outages, and times below half of the median rate.
  func row(_ name: String) -> String {
    func text(_ value: Double, _ decimals: Int = 0) -> String { DecimalText.fixed(value, decimals: decimals) }
    func times(_ lengths: [Int]) -> String {
      let sum = Double(lengths.reduce(0, +))
      if sum == 0 { return "none" }
      return "\(text(100 * sum / Double(sorted.count), 1)) %, \(text(sum / Double(lengths.count) * step, 1)) s each"
    }
    let correlations = (step < 1 ? [step] : []) + [1, 5, 20]
    return "| \(name) | \(text(mean)) | \([0.05, 0.25, 0.5, 0.9].map { text(Self.quantile(sorted, $0)) }.joined(separator: " | ")) "
      + "| \(correlations.map { text(correlation(Int(($0 / step).rounded())), 3) }.joined(separator: " / ")) | \(times(outages)) | \(times(slumps)) |"
  }

  /// Returns the quantile of ascending values by linear interpolation.
  static func quantile(_ values: [Double], _ share: Double) -> Double {
    let rank = share * Double(values.count - 1)
    let (low, high) = (values[Int(rank)], values[min(Int(rank) + 1, values.count - 1)])
    return low + (high - low) * (rank - rank.rounded(.down))
  }
}
