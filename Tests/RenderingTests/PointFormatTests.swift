import Base
import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Tables of all points for other programs: one JSON object a line has what `summary.csv` has.
@Suite struct PointFormatTests {
  private func text(_ summary: SweepSummary, _ format: some LineFormat) -> String {
    var bytes: [UInt8] = []
    SummaryTable(summary).write(as: format) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func rows(_ summary: SweepSummary) throws -> (json: [[String: Any]], csv: [[String: String]]) {
    let json = try text(summary, NDJSONFormat()).split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    let lines = text(summary, CSVFormat()).split(separator: "\n").map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let head = try #require(lines.first)
    return (json, lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(head, $0)) })
  }

  /// Returns a number of a row as CSV writes it; empty if it is absent.
  private func number(_ value: Any?) -> String { (value as? NSNumber).map { DecimalText.trimmed($0.doubleValue, decimals: 9) } ?? "" }

  @Test func aSmallMetricKeepsItsDigits() throws {
    let samples = Samples.usual
    var table = samples.table
    for index in table.rows.indices { table.rows[index].metrics[.waitMsMean] = 4.25e-7 }
    #expect(try rows(SweepSummary.of(runs: table, sweep: samples.sweep)).csv.allSatisfy { $0["waitMsMean"] == "0.000000425" })
  }

  @Test func aLineOfJSONHasTheNumbersOfSummaryCSV() throws {
    let samples = Samples.usual
    let (json, csv) = try rows(SweepSummary.of(runs: samples.table, sweep: samples.sweep))
    #expect(json.count == csv.count && json.count == samples.points.count)
    for (object, row) in zip(json, csv) {
      #expect(object["point"] as? String == row["point"])
      #expect(object["axes"] as? [String: String] == Dictionary(uniqueKeysWithValues: samples.axes.map { ($0, row[$0] ?? "") }))
      #expect(object["baseline"] as? Bool == (row["baseline"] == "true") && number(object["repetitions"]) == row["repetitions"])
      let metrics = try #require(object["metrics"] as? [String: [String: Any]])
      for (name, metric) in metrics { #expect(number(metric["mean"]) == row[name], "\(name)") }
      #expect(metrics.count == Metric.allCases.count { row[$0.rawValue]?.isEmpty == false })
      for (name, estimate) in [
        ("loadersPer1000", metrics["loadersPer1000"]), ("difference", object["difference"] as? [String: Any]),
        ("percent", object["percent"] as? [String: Any]),
      ] {
        let ends = estimate?["interval"] as? [NSNumber]
        #expect(number(estimate?["mean"]) == row[name] && number(ends?.first) == row[name + "Low"], "\(name)")
        #expect(number(ends?.last) == row[name + "High"], "\(name)")
      }
      #expect(number(object["pHolm"]) == row["pHolm"] && number(object["headroom"]) == row["headroom"])
      let verdict = object["verdict"] as? [String: String]
      #expect(verdict?["text"] ?? "baseline" == row["verdict"])
      #expect(verdict.map { Verdict.Outcome(rawValue: $0["outcome"] ?? "") != nil } ?? (row["baseline"] == "true"))
    }
  }

  @Test func aLineNamesItsStratumAndTheWholeHasNoPoint() throws {
    let field = StrataTests.Field(weights: [0.2, 0.8], isLab: [false, false], loaders: [StrataTests.first, StrataTests.first])
    let (json, csv) = try rows(field.summary())
    #expect(json.map { $0["stratum"] as? String } == csv.map { $0["stratum"] })
    #expect(json.map { $0["point"] as? String ?? "" } == csv.map { $0["point"] })
    #expect(json.contains { $0["point"] == nil && $0["stratum"] as? String == "population" })
  }

  /// True if all members of the first value are in the second.
  private func isPart(_ part: Any, of whole: Any?) -> Bool {
    guard let members = part as? [String: Any] else { return (part as? NSObject) == (whole as? NSObject) }
    return members.allSatisfy { isPart($0.value, of: (whole as? [String: Any])?[$0.key]) }
  }

  @Test func theExampleOfTheManualIsALineOfTheResults() throws {
    let page = Reference.packageRoot.appendingPathComponent("Sources/SweepTool/Documentation.docc/Results.md")
    let parts = try String(contentsOf: page, encoding: .utf8).split(separator: "```json\n").dropFirst()
    let example = try #require(parts.first?.split(separator: "\n```").first)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(example.utf8)) as? [String: Any])
    let (_, part) = try CommittedReportTests.report("featured-3g")
    #expect(try rows(part.summary).json.contains { isPart(object, of: $0) })
  }
}
