import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering
@testable import Sweep

/// The reports of all committed results, made again from their rows.
@Suite struct CommittedReportTests {
  static func report(_ name: String) throws -> (files: ReportFiles, part: ReportPart) {
    let folder = Reference.packageRoot.appendingPathComponent("Results/\(name)")
    func bytes(_ file: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: folder.appendingPathComponent(file))) }
    let sweep = try SweepDescription(json: bytes("sweep.json"), file: "sweep.json")
    func table(_ file: String) throws -> RunTable { try RunTable(csv: bytes(file), file: file) }
    let confirmation = sweep.confirm == nil ? nil : try table(RunWriter.confirmationName)
    let summary = try SweepSummary.of(runs: table("runs.csv"), confirmation: confirmation, sweep: sweep)
    return (Report.make(summary: summary, sweep: sweep), ReportPart(summary, sweep: sweep))
  }

  @Test(arguments: Reference.results) func namesAreUniqueWithinTheirChartAndNeverJSON(_ name: String) throws {
    let (report, part) = try Self.report(name)
    // The tests below read the committed file.
    #expect(try report["report.md"] == Reference.result("report.md", of: name))
    for part in part.members + [part] {
      let points = part.summary.points.filter { !$0.isBaseline }.map { part.name($0) }
      #expect(Set(points).count == points.count, "\(points)")
    }
    for file in report.files where file.name != "report.html" {
      #expect(!file.contents.contains("{\"") && !file.contents.contains("{&quot;"), "\(file.name) has JSON")
      guard file.name.hasSuffix(".svg") else { continue }
      let drawing = try #require(XMLTree.root(of: file.contents))
      let labels = drawing.all("text").filter { ["strong", nil].contains($0.attributes["class"]) && $0.attributes["text-anchor"] == nil }
      let shown = labels.map { label in label.text }
      // The legend of reasons has words that no point has.
      #expect(Set(shown).count == shown.count, "\(file.name): \(shown)")
      #expect(!shown.contains { $0.contains("…") }, "\(file.name): \(shown)")
    }
  }

  /// Means beside a difference agree with it after rounding, in sentences and in each row.
  @Test(arguments: Reference.results) func shownMeansDifferByTheShownDifference(_ name: String) throws {
    let markdown = try Reference.result("report.md", of: name).replacing("*", with: "")
    /// True if two means differ by `difference`, up to half of its last digit.
    func agree(_ mean: Substring, _ base: Substring, _ difference: Substring) -> Bool {
      guard let mean = Double(mean), let base = Double(base), let shown = Double(difference) else { return false }
      let decimals = difference.firstIndex(of: ".").map { difference.distance(from: $0, to: difference.endIndex) - 1 }
      var half = (0..<(decimals ?? 0)).reduce(0.5) { half, _ in half / 10 }
      // Rounded to tens: -430.
      if decimals == nil, difference.hasSuffix("0") { half = 5 }
      return (mean - base - shown).magnitude <= half * 1.001
    }
    let sentences = markdown.matches(of: /wins: ([\d.]+) \D+ 1000 against ([\d.]+) of the baseline, ([-\d.]+)/)
    for match in sentences { #expect(agree(match.1, match.2, match.3), "\(match.0)") }
    for table in markdown.split(separator: "\n\n") where table.hasPrefix("|") && table.contains("difference [") {
      let rows = table.split(separator: "\n").map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
      let column = try #require(rows[0].firstIndex { $0.hasPrefix("difference") })
      let base = try #require(rows.first { $0[column] == "baseline" })[column - 1]
      for row in rows.dropFirst(2) where row[column].contains("[") {
        let difference = row[column].prefix { $0 != "\u{A0}" }
        #expect(agree(row[column - 1][...], base[...], difference), "\(row)")
      }
    }
  }

  @Test func theChartOfTheReadMeHasTheNumbersOfItsTable() throws {
    let readMe = try String(contentsOf: Reference.packageRoot.appendingPathComponent("README.md"), encoding: .utf8)
    let picture = try #require(readMe.firstMatch(of: /\]\(Results\/featured-3g\/(charts\/\S+\.svg)\)/)).1
    let chart = try #require(Self.report("featured-3g").files[String(picture)])
    let rows = readMe.split(separator: "\n").compactMap { $0.firstMatch(of: /^ \d .*?(-\d+ \[-\d+, -\d+\]).* better$/) }
    #expect(rows.count == 5 && rows.allSatisfy { chart.contains($0.1) }, "\(rows.map(\.1))")
  }
}
