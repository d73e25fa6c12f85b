import Foundation
import Testing

/// "What next" promises the runs that its commands make, whatever the sweep has: strata, a baseline beside the grid, a confirmation.
@Suite struct ProposedRunsTests {
  private static let scenario = """
    scenario: { network: "3G", user: { scroll: 60, dwell: "1s" }, feed: { items: 60 }, prefetcher: { kind: "itemsAhead", ahead: 3 } }
    """

  @Test(arguments: [
    "strata: ['network'], axes: { network: ['3G', 'LTE', 'Wi-Fi'], 'prefetcher.ahead': [1, 2, 3, 4] }, baseline: { 'prefetcher.ahead': 1 }",
    "strata: ['network'], axes: { network: ['3G', 'LTE'], 'prefetcher.ahead': [1, 2, 3] }, baseline: { 'prefetcher.ahead': 0 }, confirm: 6",
    "axes: { 'prefetcher.ahead': [1, 2, 3, 4] }, baseline: { 'prefetcher.ahead': 4 }, confirm: { repeats: 6, best: 1 }",
    "axes: { 'prefetcher.ahead': [1, 2, 3], 'downloads.connections': [2, 4] }",
    """
    population: [{ weight: 0.6, name: 'home', network: 'LTE' }, { weight: 0.4, name: 'out', network: '3G' }], confirm: 6,
    axes: { 'prefetcher.ahead': [1, 2, 3] }, baseline: { 'prefetcher.ahead': 0 }
    """,
    "axes: { 'prefetcher.ahead': [0, 1], network: ['LTE', 'Wi-Fi'] }, baseline: { 'prefetcher.ahead': 0, network: 'LTE' }",
    // Conditions leave out a whole value, or one beside another axis.
    "axes: { 'prefetcher.ahead': [1, 2, 3] }, where: ['prefetcher.ahead != 2'], baseline: { 'prefetcher.ahead': 1 }",
    """
    axes: { 'prefetcher.ahead': [1, 2, 3], 'downloads.connections': [2, 4] }, baseline: { 'prefetcher.ahead': 1 },
    where: ['prefetcher.ahead != 2 || downloads.connections == 4']
    """,
    // One point breaks the constraint.
    "axes: { 'prefetcher.ahead': [0, 1, 2, 40] }, baseline: { 'prefetcher.ahead': 0 }, objective: { subjectTo: ['bytesReceived >= 2.9MB'] }",
    "axes: { 'prefetcher.ahead': [0, 1, 2, 3, 4, 5] }, baseline: { 'prefetcher.ahead': 0 }, search: 'halving'",
  ])
  func theNumberOfRunsIsThatOfTheCommand(plan: String) throws {
    try BuiltTool.withFolder { folder in
      let sweep = "{ sweep: \"s\", repeats: 8, \(plan), \(Self.scenario) }"
      try sweep.write(to: folder.appendingPathComponent("s.json5"), atomically: true, encoding: .utf8)
      func run(_ command: String) throws -> (made: Int, output: String) {
        let result = try BuiltTool.shell(command, in: folder)
        #expect(result.status == 0 || result.status == 2, "\(result.errors)")
        let line = try #require(result.output.firstMatch(of: /(\d+) runs?(, (\d+) of them made before)?,? in/), "\(result.output)")
        let (all, kept) = (Int(line.1) ?? 0, line.3.flatMap { Int($0) } ?? 0)
        return (all - kept, result.output)
      }
      let first = try run("prefetch-sweep run s.json5 --output out")
      let lines = first.output.replacing(/\n  (?!prefetch)/, with: " ")
      let steps = lines.matches(of: /\((at most )?(\d+) runs?.*?\n  (prefetch-sweep run [^\n]*)/)
      #expect(!steps.isEmpty, "\(first.output)")
      for step in steps {
        // Each command starts from the sweep's own results.
        try BuiltTool.withFolder { copy in
          let results = folder.appendingPathComponent("out"), kept = copy.appendingPathComponent("out")
          try FileManager.default.copyItem(at: results, to: kept)
          let made = try run(String(step.3)).made
          let promised = try #require(Int(step.2))
          #expect(step.1 == nil ? made == promised : made <= promised, "\(step.0): \(made)")
          try FileManager.default.removeItem(at: results)
          try FileManager.default.copyItem(at: kept, to: results)
        }
      }
    }
  }
}
