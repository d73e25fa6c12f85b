import Foundation
import TestSupport
import Testing

/// The page "Writing a prefetcher" shows the code of the example package, which Scripts/check builds.
@Suite struct PrefetcherGuideTests {
  private static let example = "Tests/ToolTests/Example"

  private func read(_ path: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func theCodeOfTheGuideIsThatOfTheExample() throws {
    let page = try read("Sources/Simulation/Documentation.docc/WritingAPrefetcher.md")
    let code = try ["Package.swift", "Sources/my-sweep/SmallestFirst.swift", "Sources/my-sweep/main.swift"].map {
      try read("\(Self.example)/\($0)")
    }
    let blocks = page.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    #expect(blocks.count == code.count)
    for (block, file) in zip(blocks, code) { #expect(file.contains(block), "\(block)") }
  }

  @Test func theGuideNamesEveryTrigger() throws {
    let page = try read("Sources/Simulation/Documentation.docc/WritingAPrefetcher.md")
    let lines = try read("Tests/ToolTests/PublicAPI.txt").split(separator: "\n")
    let triggers = lines.drop { !$0.contains("struct PlanTrigger") }.prefix { !$0.contains("let standard") }
      .compactMap { $0.firstMatch(of: #/static let (\w+)/#)?.1 }
    #expect(triggers.count == 7)
    for trigger in triggers { #expect(page.contains("| `\(trigger)` |"), "\(trigger)") }
  }

  @Test func linksOfTheCatalogLeadToFiles() throws {
    let catalog = Reference.packageRoot.appendingPathComponent("Sources/Simulation/Documentation.docc")
    for name in try FileManager.default.contentsOfDirectory(atPath: catalog.path) where name.hasSuffix(".md") {
      let page = try read("Sources/Simulation/Documentation.docc/\(name)")
      for link in page.matches(of: #/\]\(([^)#]+)\)/#).map(\.1) {
        let path = catalog.appendingPathComponent(String(link)).standardized.path
        #expect(FileManager.default.fileExists(atPath: path), "\(name): \(link)")
      }
    }
  }
}
