import Foundation
import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct PageTests {
  /// Returns the files of a report that a browser opens.
  private func drawn(_ report: ReportFiles) -> [ReportFile] {
    report.files.filter { $0.name.hasSuffix(".html") || $0.name.hasSuffix(".svg") }
  }

  private static var hostile: Samples {
    var samples = Samples.usual
    samples.name = "a|b <script>alert(1)</script>\nnew </title></style> ]]> \u{202E}gnp \u{0}"
    samples.axes = ["prefetcher.\u{5E9}\u{5DC}\"'|kind", "feed.<b>&amp;"]
    samples.points[0].values = ["<img src=x onerror=alert(1)>", "a\r\nb,\"c\" ]]>"]
    samples.points[3].values = ["--><!--", "\u{645}\u{631}\u{62D}\u{628}\u{627} & co"]
    samples.warnings = ["Trace `a|b.json`\nwas wrapped <b>3</b> times </script>."]
    return samples
  }

  /// Returns a thousand points of three axes with ten repetitions each.
  private static var thousand: Samples {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost", "prefetcher.videoCost", "downloads.cancel"]
    samples.points = (0..<1000).map { index in
      let (cost, video, cancel) = (index % 25, index / 25 % 10, index / 250)
      let loaders = (0..<10).map { Double(20 + (index * 7919) % 97 + ($0 * 31) % 17 + cost) }
      return (Samples.id(index + 1), [String(cost), String(video), ["drop", "resume", "keep", "never"][cancel]], loaders)
    }
    samples.baseline = 500
    return samples
  }

  @Test func everyPageAndChartIsXML() throws {
    for samples in [Samples.usual, Self.hostile] {
      let files = drawn(try samples.report)
      #expect(files.count == 7)
      for file in files {
        let root = try #require(XMLTree.root(of: file.contents), "\(file.name) is refused by the parser")
        #expect(root.name == (file.name.hasSuffix(".html") ? "html" : "svg"))
      }
    }
  }

  @Test func maliciousNamesStayText() throws {
    let report = try Self.hostile.report
    let page = try #require(report["report.html"].flatMap(XMLTree.root))
    #expect(page.all("script").count == 1 && page.all("style").count == 1)
    #expect(
      page.all("script")[0].text.trimmingCharacters(in: .whitespacesAndNewlines)
        == PageFrame.pageScript.trimmingCharacters(in: .whitespacesAndNewlines))
    #expect(page.all("img").isEmpty && page.all("b").isEmpty)
    #expect(page.all("title").first?.text.contains("<script>alert(1)</script> new </title></style> ]]> \u{FFFD}gnp") == true)
    #expect(page.all("td").contains { ($0.all("bdi").first?.text ?? $0.text) == "<img src=x onerror=alert(1)>" })
    for file in drawn(report) {
      #expect(!file.contents.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{0}" })
      #expect(!file.contents.contains("<script>alert") && !file.contents.contains("<img"))
    }
  }

  @Test func theMarkupOfStyleAndScriptIsWholeInXMLAndHTML() {
    for text in [PageFrame.pageScript, PageFrame.pageStyle, ChartStyle.file, ChartStyle.palette] {
      #expect(!text.contains("<") && !text.contains("&") && !text.contains("]]>"))
    }
  }

  @Test func thePageContainsNoAddress() throws {
    for file in drawn(try Samples.usual.report) {
      let bare = file.contents.replacing("http://www.w3.org/2000/svg", with: "").replacing("http://www.w3.org/1999/xhtml", with: "")
      for word in ["http:", "https:", "//", "url(", "@import", " src=", "<link"] where !(word == "//" && file.name.hasSuffix(".html")) {
        #expect(!bare.contains(word), "\(file.name) has \(word)")
      }
      let root = try #require(XMLTree.root(of: file.contents))
      // The files of the results lie beside the page.
      for link in root.all("a") {
        let target = try #require(link.attributes["href"])
        #expect(target.hasPrefix("#") || target.hasPrefix("charts/") || ["report.md", "summary.csv", "runs.csv"].contains(target))
      }
    }
    let page = try #require(try Samples.usual.report["report.html"].flatMap(XMLTree.root))
    let policy = page.all("meta").first { $0.attributes["http-equiv"] == "Content-Security-Policy" }
    #expect(policy?.attributes["content"]?.hasPrefix("default-src 'none';") == true)
  }

  @Test func theSameRunsMakeTheSameBytesInAnyOrder() throws {
    let samples = Self.hostile
    var shuffled = samples.table
    shuffled.rows.sort { ($0.repetition, $0.point) > ($1.repetition, $1.point) }
    #expect(try samples.report.all == samples.report.all)
    // The points have the grid's order, so that only rows of one point may change their order.
    var rows = samples.table
    rows.rows = samples.points.flatMap { point in samples.table.rows.filter { $0.point == point.id }.reversed() }
    let report = try Report.make(runs: rows, sweep: samples.sweep)
    #expect(report["charts/differences.svg"] == (try samples.report)["charts/differences.svg"])
    #expect(report["charts/cost.svg"] == (try samples.report)["charts/cost.svg"])
  }

  @Test func aThousandPointsAreLessThanTwoMegabytes() throws {
    let report = try Self.thousand.report
    let page = try #require(report["report.html"])
    #expect(page.utf8.count < 2_000_000, "\(page.utf8.count) bytes")
    let root = try #require(XMLTree.root(of: page))
    #expect(root.all("table").first { $0.attributes["class"]?.hasPrefix("sortable") == true }?.all("tr").count == 1001)
    #expect(root.all("svg").first?.all("circle").count ?? 0 > 900)
  }

  /// Three strata whose maps exceed the page's limit for charts of strata.
  @Test func chartsOfStrataFillAtMostAMegabyteAndTheOthersAreLinked() throws {
    var samples = Samples()
    samples.axes = ["network", "prefetcher.maxCost", "prefetcher.videoCost"]
    samples.points = (0..<4800).map { index in
      let (cost, video) = (index % 40, index / 40 % 40)
      let loaders = (0..<5).map { Double(100 + (index * 7919) % 97 + $0 * 31 + cost) }
      return (Samples.id(index + 1), ["net\(index / 1600)", "\(cost)", "\(video)"], loaders)
    }
    var sweep = samples.sweep
    sweep.strata = SweepDescription.Strata(
      kind: .axes, paths: ["network"],
      members: (0..<3).map { stratum in
        let point = samples.points[stratum * 1600]
        return SweepDescription.Stratum(
          name: point.values[0], values: [point.values[0]], weight: 1.0 / 3, isLab: false,
          baseline: .init(point: point.id, axisValues: point.values, settings: "costBudget", inGrid: true))
      })
    let report = try Report.make(runs: samples.table, sweep: sweep)
    let page = try #require(report["report.html"].flatMap(XMLTree.root))
    let folded = page.all("details").filter { $0.all("summary").first?.text.hasSuffix(": charts") == true }
    let sizes = (1...3).map { stratum in
      report.files.filter { $0.name.hasPrefix("charts/stratum-\(stratum)/") }.reduce(0) { $0 + $1.contents.utf8.count }
    }
    #expect(sizes.reduce(0, +) > 1_000_000, "\(sizes)")
    #expect((1...2).contains(folded.count), "\(sizes)")
    #expect(page.all("p").filter { $0.text.hasPrefix("Its charts are in charts/stratum-") }.count == 3 - folded.count)
  }

  @Test func tablesAndDrawingsHaveTitlesAndDescriptions() throws {
    let page = try #require(try Samples.usual.report["report.html"].flatMap(XMLTree.root))
    #expect(page.attributes["lang"] == "en")
    for table in page.all("table") {
      #expect(table.all("caption").first?.text.isEmpty == false)
      #expect(table.all("th").allSatisfy { $0.attributes["scope"] == "col" })
    }
    var ids = Set<String>()
    for svg in page.all("svg") {
      #expect(svg.attributes["role"] == "img")
      let names = try #require(svg.attributes["aria-labelledby"]).split(separator: " ").map(String.init)
      let found = svg.children.filter { names.contains($0.attributes["id"] ?? "") }
      #expect(found.count == 2 && found.allSatisfy { !$0.text.isEmpty })
      for name in names { #expect(ids.insert(name).inserted) }
    }
  }

  /// Returns the contrast by WCAG 2.2; powers by Foundation are precise enough for a test.
  private func contrast(_ one: String, _ other: String) -> Double {
    func luminance(_ text: String) -> Double {
      let digits = Array(text.dropFirst())
      let parts = [0, 2, 4].map { index -> Double in
        let value = Double(Int(String(digits[index...(index + 1)]), radix: 16) ?? 0) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (first, second) = (luminance(one), luminance(other))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  @Test(arguments: [0, 1]) func bothSchemesHaveContrast(_ scheme: Int) throws {
    let colors = Palette.colors(isDark: scheme == 1)
    func color(_ name: String) throws -> String { try #require(colors[name], "no colour \(name)") }
    for name in ["ink", "soft", "good", "bad", "main"] {
      for paper in ["paper", "shade"] { #expect(contrast(try color(name), try color(paper)) >= 4.5, "\(name) on \(paper)") }
    }
    for name in ["base", "best"] { #expect(contrast(try color(name), try color("paper")) >= 3, "\(name)") }
    // Reasons of any lightness have an outline.
    for index in 0...5 { #expect(ChartStyle.shapes.contains(".f\(index){fill:var(--c\(index));stroke:var(--ink)")) }
    for index in 0...6 { #expect(contrast(try color("h\(index)"), try color(index < 4 ? "hi" : "hj")) >= 4.5, "h\(index)") }
  }

  @Test func aSweepOfOnePointHasNoChartsOfComparison() throws {
    var samples = Samples.usual
    samples.points = [samples.points[1]]
    samples.baseline = 0
    let report = try samples.report
    #expect(
      report.absent.filter { !$0.hasPrefix("charts/stratum-") }
        == ["charts/strata.svg", "charts/cost.svg", "charts/heat-map.svg", "charts/effects.svg", "charts/differences.svg"])
    for file in drawn(report) { #expect(XMLTree.root(of: file.contents) != nil) }
  }
}
