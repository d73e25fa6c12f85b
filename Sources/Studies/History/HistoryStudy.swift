// Measures the detector of histories: false alarms without a change, and the runs until it finds a planted one.

import Analysis
import Foundation
import Simulation
import SweepTool

enum HistoryStudy {
  /// A case of the study: the noise of a mean in one run, and the change after `before` runs.
  private struct Case {
    let name: String
    let points: Int, series: Int, before: Int, after: Int
    /// The share of the noise's variance that all points have in common, and the degrees of freedom of Student's t; 0 for normal noise.
    var common = 0.0, freedom = 0
  }

  private static let noise = 0.02, step = 0.03

  private static var cases: [Case] {
    [1, 3, 5, 10].flatMap { points in
      [
        Case(name: "null", points: points, series: 400, before: 200, after: 0),
        Case(name: "null-t5", points: points, series: 200, before: 200, after: 0, freedom: 5),
        Case(name: "null-common", points: points, series: 200, before: 200, after: 0, common: 0.5),
        Case(name: "step-30", points: points, series: 400, before: 30, after: 10),
        Case(name: "step-100", points: points, series: 400, before: 100, after: 10),
      ]
    }
  }

  /// Writes series.csv, the mean of all points run by run, and own.csv, the run of the detector's first alarm in each series.
  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the file system.
  static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder")
    var (series, alarms) = ("case,points,before,series,means\n", "case,points,before,series,alarm\n")
    var random = RandomStream(seed: 20)
    for kind in cases {
      for number in 0..<kind.series {
        let rows = (0..<kind.before + kind.after).map { row(kind, isAfter: $0 >= kind.before, &random) }
        let first = try HistorySeries.all(rows.enumerated().map(entry)).flatMap(\.changes).map(\.found).min()
        let head = "\(kind.name),\(kind.points),\(kind.before),\(number)"
        alarms += "\(head),\(first.map(String.init) ?? "")\n"
        // The other detectors read the first series only; they take minutes for each hundred.
        if number < 100 {
          series += "\(head),\(rows.map { DecimalText.fixed($0.reduce(0, +) / Double($0.count), decimals: 5) }.joined(separator: " "))\n"
        }
      }
    }
    try series.write(toFile: "\(folder)/series.csv", atomically: true, encoding: .utf8)
    try alarms.write(toFile: "\(folder)/own.csv", atomically: true, encoding: .utf8)
  }

  /// Returns the means of all points in one run.
  private static func row(_ kind: Case, isAfter: Bool, _ random: inout RandomStream) -> [Double] {
    func draw() -> Double {
      guard kind.freedom > 0 else { return random.normal() }
      let squares = (0..<kind.freedom).reduce(0) { sum, _ in sum + Elementary.power(random.normal(), 2) } / Double(kind.freedom)
      // Student's t has the variance ν / (ν − 2).
      return random.normal() / (squares * Double(kind.freedom) / Double(kind.freedom - 2)).squareRoot()
    }
    let shared = draw()
    return (0..<kind.points).map { point in
      let value = kind.common.squareRoot() * shared + (1 - kind.common).squareRoot() * draw()
      return (200 - 10 * Double(point)) * (1 + noise * value) * (isAfter ? 1 + step : 1)
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
