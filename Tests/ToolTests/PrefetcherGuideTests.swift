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
    // The page's package lies beside the clone.
    #expect(blocks[0].replacing("\"../prefetch-sweep\"", with: "\"../../..\"") == code[0])
    for (block, file) in zip(blocks, code).dropFirst() { #expect(file.contains(block), "\(block)") }
  }

  /// Scripts/check builds the example; here Swift resolves the page's manifest beside a clone and lists its products.
  @Test func thePackageOfTheGuideIsFoundBesideAClone() throws {
    let page = try read("Sources/Simulation/Documentation.docc/WritingAPrefetcher.md")
    let manifest = try #require(page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
    try BuiltTool.withFolder { folder in
      let package = folder.appendingPathComponent("my-sweep")
      try FileManager.default.copyItem(at: Reference.packageRoot.appendingPathComponent(Self.example), to: package)
      try manifest.write(to: package.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("prefetch-sweep"), withDestinationURL: Reference.packageRoot)
      let result = try BuiltTool.run(
        ["swift", "package", "show-dependencies", "--format", "flatlist"], in: package, program: URL(fileURLWithPath: "/usr/bin/env"))
      #expect(result.status == 0 && result.output.contains("prefetch-sweep"), "\(result)")
    }
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
