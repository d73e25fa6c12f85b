// Measures the detector of histories: false alarms without a change, and the runs until it finds a planted one.

import Analysis
import Base
import Foundation
import Simulation
import SweepTool

package enum HistoryStudy {
  /// A law of the noise of a run's mean, of standard deviation 1 where it has one.
  private enum Law: String, CaseIterable {
    case normal, uniform
    case laplace = "Laplace's"
    case t3 = "Student's t, 3 degrees of freedom"
    case lognormal = "lognormal, σ = 1"
    case outliers = "normal, 1 run in 50 is 10 away"
    case alike3 = "neighbours correlate by 0.3"
    case alike5 = "neighbours correlate by 0.5"
    case double = "the spread doubles half-way"
    case common = "half of the variance common to all points"
    case drift = "drift of 0.02 a run"
    case walk = "random walk of 0.3 a run"

    private func draw(_ random: inout RandomStream) -> Double {
      switch self {
      case .uniform: return (random.unit() - 0.5) * 12.0.squareRoot()
      case .laplace: return (StableMath.log(1 - random.unit()) - StableMath.log(1 - random.unit())) / 2.0.squareRoot()
      case .t3:
        let squares = (0..<3).reduce(0) { sum, _ in sum + Elementary.power(random.normal(), 2) }
        return random.normal() / squares.squareRoot()
      case .lognormal: return (StableMath.exp(random.normal()) - 1.648_721_270_7) / 2.161_197_415_9
      case .outliers: return random.normal() + (random.unit() < 0.02 ? random.unit() < 0.5 ? -10 : 10 : 0)
      default: return random.normal()
      }
    }

    /// Returns the noise of a point, run by run.
    func noise(_ count: Int, _ random: inout RandomStream) -> [Double] {
      let correlation = self == .alike3 ? 0.3 : self == .alike5 ? 0.5 : self == .walk ? 1 : 0
      let scale = self == .walk ? 0.3 : (1 - correlation * correlation).squareRoot()
      var last = self == .walk ? 0 : draw(&random)
      return (0..<count).map { index in
        last = correlation * last + scale * draw(&random)
        switch self {
        case .double: return index < count / 2 ? last : 2 * last
        case .drift: return last + 0.02 * Double(index)
        case .walk: return last + random.normal()
        default: return last
        }
      }
    }
  }

  /// A case of the study: the noise of a mean in one run, and the change after `before` runs.
  private struct Case {
    let name: String
    let points: Int, series: Int, before: Int, after: Int
    var law = Law.normal
    /// The change, in units of the noise of a point; of the run after `before` alone if `isOutlier`.
    var step = 0.0, isOutlier = false
  }

  private static let noise = 0.02

  private static var cases: [Case] {
    var cases: [Case] = []
    for points in [1, 3, 5, 10] {
      cases.append(Case(name: "null", points: points, series: 400, before: 200, after: 0))
      for before in [30, 100] {
        cases.append(Case(name: "step-\(before)", points: points, series: 400, before: before, after: 10, step: 1.5))
      }
    }
    for points in [1, 3] {
      for law in Law.allCases where law != .common || points > 1 {
        for runs in [100, 200] {
          cases.append(Case(name: "law-\(runs) \(law.rawValue)", points: points, series: 80_000 / runs, before: runs, after: 0, law: law))
        }
      }
    }
    for step in [2, 2.6, 3, 4, 6] {
      for before in [15, 30, 60, 100] {
        cases.append(Case(name: "size-\(step)", points: 1, series: 400, before: before, after: 10, step: step))
      }
    }
    for step in [6.0, 10, 20] {
      cases.append(Case(name: "outlier-\(step)", points: 3, series: 400, before: 50, after: 10, step: step, isOutlier: true))
    }
    return cases
  }

  /// Writes series.csv, the mean of all points run by run, and own.csv: the run of the detector's first alarm in each series, and the
  /// numbers of changes and of outliers.
  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the file system.
  package static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder")
    var (series, alarms) = ("case,points,before,series,means\n", "case,points,before,series,alarm,changes,outliers\n")
    for kind in cases {
      var random = RandomStream(runSeed: 39, name: "\(kind.name) \(kind.points) \(kind.before)")
      for number in 0..<kind.series {
        let rows = rows(kind, &random)
        let found = try HistorySeries.all(rows.enumerated().map(entry)).flatMap(\.changes)
        let changes = found.filter { !$0.isOutlier }
        let head = "\"\(kind.name)\",\(kind.points),\(kind.before),\(number)"
        alarms += "\(head),\(changes.map(\.found).min().map(String.init) ?? ""),\(changes.count),\(found.count - changes.count)\n"
        // The other detectors read the first series only; they take minutes for each hundred.
        if number < 100, kind.name == "null" || kind.name.hasPrefix("step") {
          series += "\(head),\(rows.map { DecimalText.fixed($0.reduce(0, +) / Double($0.count), decimals: 5) }.joined(separator: " "))\n"
        }
      }
    }
    try series.write(toFile: "\(folder)/series.csv", atomically: true, encoding: .utf8)
    try alarms.write(toFile: "\(folder)/own.csv", atomically: true, encoding: .utf8)
  }

  /// Returns the means of all points, run by run.
  private static func rows(_ kind: Case, _ random: inout RandomStream) -> [[Double]] {
    let count = kind.before + kind.after
    let shared = kind.law == .common ? kind.law.noise(count, &random) : []
    let points = (0..<kind.points).map { _ in kind.law.noise(count, &random) }
    return (0..<count).map { index in
      let isChanged = kind.isOutlier ? index == kind.before : index >= kind.before
      return points.enumerated().map { point, values in
        let value = shared.isEmpty ? values[index] : (shared[index] + values[index]) / 2.0.squareRoot()
        return (200 - 10 * Double(point)) * (1 + noise * (value + (isChanged ? kind.step : 0)))
      }
    }
  }

  /// Returns the entry of a run's means, as a history has it.
  /// - Throws: `DecodingError` if the form of entries changed.
  private static func entry(_ index: Int, _ means: [Double]) throws -> HistoryEntry {
    let points = means.enumerated().map { point, mean in
      "{\"id\":\"\(point)\",\"name\":\"point \(point)\",\"isBaseline\":\(point == 0),\"mean\":\(mean),\"variance\":25,\"count\":10,\"verdict\":\"\"}"
    }
    let json = """
      {"formatVersion":1,"date":"\(1_000_000 + index)","program":{"name":"","modelVersion":""},"sweep":"","isCheck":false,"backend":"command",
      "rows":"","seed":1,"head":[],"headline":"","strata":[{"name":"","pointCount":\(means.count),
      "points":[\(points.joined(separator: ","))]}]}
      """
    return try JSONDecoder().decode(HistoryEntry.self, from: Data(json.utf8))
  }
}
