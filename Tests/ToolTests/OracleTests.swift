import Foundation
import Testing

@testable import Analysis

/// A prefetcher that knows the future is a reference: it never wins, is not written as a winner, and is shown apart.
@Suite struct OracleTests {
  private static func sweep(_ axes: String, scenario: String = "") -> String {
    """
    { sweep: "oracle", repeats: 8, \(axes),
      scenario: { feed: { items: 80 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 80 },
        prefetcher: { kind: "itemsAhead", ahead: 1 }\(scenario) } }
    """
  }

  private func run(_ sweep: String, _ options: String = "", _ body: (_ output: String, _ folder: URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.shell("prefetch-sweep run s.json5 --output out \(options)", in: folder)
      try body(result.output + result.errors, folder)
    }
  }

  @Test(arguments: ["", ", confirm: { repeats: 8, best: 2 }"])
  func anOracleNeverWins(confirm: String) throws {
    let axes = "axes: { prefetcher: ['none', { kind: 'itemsAhead', ahead: 2 }, 'clairvoyant'] }, baseline: { prefetcher: 'none' }"
    try run(Self.sweep(axes + confirm), "--write-winner w.json5") { output, folder in
      let report = try String(contentsOf: folder.appendingPathComponent("out/report.md"), encoding: .utf8)
      #expect(report.contains("**itemsAhead** wins"), "\(report.prefix(400))")
      let rows = report.split(separator: "\n").filter { $0.hasPrefix("|") && $0.contains("clairvoyant") }
      #expect(rows.contains { $0.contains(/\| +ref\. \| clairvoyant .* reference/) }, "\(rows)")
      #expect(report.contains("Reference: its prefetcher knows the future"))
      let winner = try String(contentsOf: folder.appendingPathComponent("w.json5"), encoding: .utf8)
      #expect(!winner.contains("clairvoyant") && winner.contains("itemsAhead"), "\(winner)")
      if !confirm.isEmpty {
        let rows = try String(contentsOf: folder.appendingPathComponent("out/confirmation.csv"), encoding: .utf8)
        #expect(!rows.contains("clairvoyant"), "an oracle takes no place of a finalist")
      }
    }
  }

  /// Without a point that could be shipped nothing wins, and no file is written.
  @Test(arguments: [
    "axes: { prefetcher: ['none', 'clairvoyant'] }, baseline: { prefetcher: 'none' }",
    "axes: { 'prefetcher.kind': ['none', 'clairvoyant'] }, baseline: { 'prefetcher.kind': 'none' }",
    "axes: { 'user.dwell': ['4s'] }, baseline: { prefetcher: 'none' }",
  ])
  func anOracleAloneIsNoWinner(axes: String) throws {
    let isFixed = axes.contains("dwell")
    let sweep = Self.sweep(axes).replacing(
      isFixed || axes.contains("kind") ? "{ kind: \"itemsAhead\", ahead: 1 }" : "~", with: isFixed ? "\"clairvoyant\"" : "\"none\"")
    try run(sweep, "--write-winner w.json5") { output, folder in
      #expect(output.contains("othing beats the baseline"), "\(output)")
      #expect(!output.contains(" wins"), "\(output)")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("w.json5").path))
    }
  }
}
