import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering
@testable import Sweep

/// The reports of all committed results, made again from their rows.
@Suite struct CommittedReportTests {
  static let names: [String] = {
    let folder = Reference.packageRoot.appendingPathComponent("Results")
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return all.filter { FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/sweep.json").path) }.sorted()
  }()

  static func report(_ name: String) throws -> (files: ReportFiles, part: ReportPart) {
    let folder = Reference.packageRoot.appendingPathComponent("Results/\(name)")
    func bytes(_ file: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: folder.appendingPathComponent(file))) }
    let sweep = try SweepDescription(json: bytes("sweep.json"), file: "sweep.json")
    func table(_ file: String) throws -> RunTable { try RunTable(csv: bytes(file), file: file) }
    let confirmation = sweep.confirm == nil ? nil : try table(RunWriter.confirmationName)
    let summary = try SweepSummary.of(runs: table("runs.csv"), confirmation: confirmation, sweep: sweep)
    return (Report.make(summary: summary, sweep: sweep), ReportPart(summary, sweep: sweep))
  }

  @Test(arguments: names) func namesAreUniqueWithinTheirChartAndNeverJSON(_ name: String) throws {
    let (report, part) = try Self.report(name)
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
}
