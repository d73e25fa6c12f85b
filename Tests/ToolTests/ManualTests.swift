import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Rendering
@testable import Sweep

/// Checks that README.md, the manual and the index pages agree with the program and with the files that they name.
@Suite struct ManualTests {
  @Test func theReadMeHasAtMost150Lines() throws {
    let page = try #require(DocumentationPages.all.first)
    #expect(page.text.split(separator: "\n", omittingEmptySubsequences: false).count - 1 <= 150)
  }

  /// The table is what `COLUMNS=100 prefetch-sweep run Sweeps/featured-3g.json5` prints.
  @Test func theTableOfTheReadMeIsThatOfTheResults() throws {
    let block = try #require(DocumentationPages.blocks.first { $0.page.path == "README.md" && $0.language == "text" })
    let folder = Reference.packageRoot.appendingPathComponent("Results/featured-3g").path
    let sweep = try SweepDescription(json: SystemFile.contents("\(folder)/sweep.json"), file: "sweep.json")
    let summary = try RunColumns(RunReader(path: "\(folder)/runs.csv", sweep: sweep)).summary(sweep: sweep)
    let printed = TerminalSummary.text(summary, sweep: sweep, width: 100)
    let table = block.text.hasSuffix("\n") ? block.text : block.text + "\n"
    #expect(printed.hasPrefix(table + "\n"), "README.md, COLUMNS=100: \(printed.prefix(1000))")
  }

  // MARK: Links

  @Test(arguments: DocumentationPages.all) func everyLinkLeadsToAFile(_ page: DocumentationPages.Page) throws {
    let folder = Reference.packageRoot.appendingPathComponent(page.folder)
    for match in page.text.matches(of: #/\]\(([^)\s#]*)(?:#([^)\s]*))?\)/#) {
      let (target, anchor) = (String(match.output.1), match.output.2.map(String.init))
      if target.contains("://") { continue }
      let file = target.isEmpty ? Reference.packageRoot.appendingPathComponent(page.path) : folder.appendingPathComponent(target)
      guard FileManager.default.fileExists(atPath: file.path) else {
        Issue.record("\(page): \(target): no such file")
        continue
      }
      guard let anchor else { continue }
      #expect(
        Self.anchors(of: try String(contentsOf: file, encoding: .utf8)).contains(anchor), "\(page): \(target)#\(anchor): no such heading")
    }
  }

  /// The headings of a page as GitHub names them in addresses.
  private static func anchors(of text: String) -> [String] {
    text.matches(of: #/(?m)^#+ (.*)$/#).map { match in
      String(match.output.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" || $0 == " " })
        .replacing(" ", with: "-")
    }
  }

  @Test(arguments: DocumentationPages.all) func everyPathIsThere(_ page: DocumentationPages.Page) {
    // Folders that a reader's commands write are not there.
    let text = page.text.replacing(#/--output \S+|Results\/(my-feed|NAME|history)[\w\/.-]*|Results\/[\w-]+\/shards\/[\w-]+/#, with: "")
    for match in text.matches(of: #/(?:^|[^\w\/.-])((?:Sweeps|Scripts|Sources|Results|Tests)\/[\w\/.+-]*\w)/#) {
      let path = Reference.packageRoot.appendingPathComponent(String(match.output.1)).path
      #expect(FileManager.default.fileExists(atPath: path), "\(page): \(match.output.1)")
    }
  }

  @Test func everyNameInTheArchitectureIsInTheSources() throws {
    let sources = Reference.packageRoot.appendingPathComponent("Sources")
    let text = try Self.architecture
    let names = Set(SourceDeclaration.all.map(\.name) + SourceFile.all.map(\.target) + ["StructureTests", "ReadMeTests"])
    for match in text.matches(of: #/`([A-Z]\w+)([\w\/.+]*)/#) {
      let (name, rest) = (String(match.output.1), match.output.2)
      if ["Results", "Scripts", "Sweeps", "Tests"].contains(name) { continue }
      guard rest.hasPrefix("/") || rest.hasSuffix(".swift") else {
        #expect(names.contains(name), "Sources/README.md: \(name)")
        continue
      }
      #expect(
        FileManager.default.fileExists(atPath: sources.appendingPathComponent(name + rest).path)
          || SourceFile.all.contains { $0.path.hasSuffix("/\(name)\(rest)") }, "Sources/README.md: \(name)\(rest)")
    }
  }

  @Test func theTargetsOfTheArchitectureAreThoseOfThePackage() throws {
    let manifest = try String(contentsOf: Reference.packageRoot.appendingPathComponent("Package.swift"), encoding: .utf8)
    var imports: [String: String] = [:]
    for match in manifest.matches(of: #/\.(?:executableTarget|target)\(\s*name: "([\w-]+)"(?:, dependencies: \[([^\]]*)\])?/#) {
      imports[String(match.output.1)] = String(match.output.2 ?? "").replacing("\"", with: "")
    }
    let rows = try Self.architecture.matches(of: #/\n\| `([\w-]+)` \| [^|]+ \|([^|]*)\|(?=\n)/#).filter {
      imports[String($0.output.1)] != nil
    }
    for row in rows { #expect(row.output.2.trimmingCharacters(in: .whitespaces) == imports[String(row.output.1)], "\(row.output.1)") }
    #expect(rows.map { String($0.output.1) }.sorted() == Set(SourceFile.all.map(\.target)).sorted())
  }

  @Test func theArchitectureHasTheFiguresOfTheFidelityReport() throws {
    let path = Reference.packageRoot.appendingPathComponent("Results/fidelity/report.md")
    let report = try String(contentsOf: path, encoding: .utf8)
    for transport in ["fluid", "packet"] {
      let row = try #require(report.split(separator: "\n").first { $0.hasPrefix("| sessions/cells.csv | \(transport) |") })
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let error = try #require(cells[4].split(separator: " ").first)
      #expect(try Self.architecture.contains("| `\(transport)` | \(error) | \(cells[6]) |"))
    }
  }

  private static var architecture: String {
    get throws { try String(contentsOf: Reference.packageRoot.appendingPathComponent("Sources/README.md"), encoding: .utf8) }
  }

  // MARK: Generated text

  /// Text between `<!-- generated: NAME -->` and `<!-- end -->` is the program's own; `UPDATE_GOLDENS=1` writes it anew.
  @Test(arguments: DocumentationPages.all) func generatedTextIsUpToDate(_ page: DocumentationPages.Page) throws {
    let updated = try page.text.replacing(#/<!-- generated: (.*) -->\n[^\0]*?<!-- end -->/#) { match in
      "<!-- generated: \(match.output.1) -->\n\n\(try Self.generated(String(match.output.1)))\n<!-- end -->"
    }
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
      try Data(updated.utf8).write(to: Reference.packageRoot.appendingPathComponent(page.path))
      return
    }
    #expect(page.text == updated, "\(page) is not up to date; UPDATE_GOLDENS=1 rewrites it")
  }

  /// The text that a marker names.
  private static func generated(_ name: String) throws -> String {
    let words = name.split(separator: " ").map(String.init)
    switch words[0] {
    case "sweep-keys": return table(["key", "meaning"], Catalogue.sweepKeys)
    case "keys":
      let rows = Catalogue.parameters().filter { row in words.dropFirst().contains { row[0] == $0 || row[0].hasPrefix($0 + ".") } }
      #expect(!rows.isEmpty, "\(name)")
      return table(
        ["key", "values", "default", "meaning"],
        rows.map { row in
          let range = row[3].utf8.count > 120 ? "see the list" : row[3]
          return [row[0], "\(row[1]): \(range)", row[2], row[5] + (row[4] == "all" ? "" : " Transports: \(row[4]).")]
        })
    case "prefetchers": return table(["kind", "rule"], Catalogue.prefetchers())
    case "settings":
      let rows = Catalogue.parameters().compactMap { row in
        row[0].wholeMatch(of: #/prefetcher\.(\w+) \((.+)\)/#).map { name in
          [String(name.output.2), String(name.output.1), row[1], row[2], row[3], row[5]]
        }
      }
      return table(["kind", "setting", "type", "default", "range", "meaning"], rows)
    case "strategies": return table(["kind", "traits"], Catalogue.strategies)
    case "networks":
      return table(["profile", "down", "up", "delay down", "delay up", "loss", "DNS", "radio tail", "source"], Catalogue.networks)
    case "metrics":
      return table(["metric", "unit", "meaning"], Metric.allCases.map { [$0.rawValue, $0.unit.rawValue, $0.meaning] })
    case "limits": return table(["at most", "of", "message for one more"], try LimitCase.all.map { try $0.row })
    case "help": return "```text\n\(try BuiltTool.run(["help"] + words.dropFirst()).output)```\n"
    default:
      Issue.record("\(name): nothing is generated under this name")
      return ""
    }
  }

  private static func table(_ heads: [String], _ rows: [[String]]) -> String {
    let head = ["| \(heads.joined(separator: " | ")) |", "|\(String(repeating: " --- |", count: heads.count))"]
    let lines = rows.map { row in
      let cells = row.enumerated().map { index, cell in
        let text = cell.replacing("|", with: "\\|").replacing("<", with: "&lt;")
        return index == 0 && !text.isEmpty ? "`\(text)`" : text
      }
      return "| \(cells.joined(separator: " | ")) |"
    }
    return (head + lines).joined(separator: "\n") + "\n"
  }

  @Test func theIndexOfResultsIsUpToDate() throws {
    let process = Process()
    process.executableURL = Reference.packageRoot.appendingPathComponent("Scripts/results")
    process.arguments = ["index", "--check"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "Scripts/results index rewrites Results/README.md")
  }
}
