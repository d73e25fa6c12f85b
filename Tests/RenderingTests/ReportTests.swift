import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct ReportGoldenTests {
  @Test func theUsualSweep() throws {
    let report = try Samples.usual.report
    let charts = ["cost", "heat-map", "effects", "differences", "reasons"].map { "charts/\($0).svg" }
    #expect(report.files.map(\.name) == ["report.md", "report.html"] + charts + ["charts/waits.svg"])
    try expectGolden(report["report.md"] ?? "", "usual.md")
    try expectGolden(report["summary.csv"] ?? "", "usual.csv")
  }

  @Test func aGridTooLargeToShow() throws {
    var samples = Samples()
    samples.points = (0..<60).map { index in
      let shift = Double((index * 37) % 60)
      return (Samples.id(index + 1), [String(index), "keep"], [40, 44, 39, 51, 47, 42].map { $0 + shift + Double(index % 3) })
    }
    samples.baseline = 30
    try expectGolden(try samples.report["report.md"] ?? "", "large.md")
  }

  @Test func aScenarioWithoutRandomness() throws {
    var samples = Samples.usual
    samples.deterministic = true
    samples.points = samples.points.map { ($0.id, $0.values, [$0.loaders[0]]) }
    try expectGolden(try samples.report["report.md"] ?? "", "deterministic.md")
    try expectGolden(try samples.report["summary.csv"] ?? "", "deterministic.csv")
  }

  @Test func maliciousNames() throws {
    var samples = Samples.usual
    samples.name = "a|b <script>alert(1)</script>\nnew *line* `code` ]]> \u{202E}gnp"
    samples.axes = ["prefetcher.\u{5E9}\u{5DC}|kind", "feed._file_"]
    samples.points[0].values = ["<img src=x onerror=alert(1)>", "a\r\nb,\"c\""]
    samples.points[3].values = ["```|```", "[x](javascript:1) @someone"]
    samples.warnings = ["Trace `a|b.json`\nwas wrapped <b>3</b> times."]
    let report = try samples.report
    try expectGolden(report["report.md"] ?? "", "harmful.md")
    try expectGolden(report["summary.csv"] ?? "", "harmful.csv")
    let markdown = report["report.md"] ?? ""
    #expect(!markdown.contains("<script") && !markdown.contains("<img") && !markdown.contains("<b>"))
    #expect(!markdown.unicodeScalars.contains("\u{202E}"))
  }

  @Test func theTerminal() throws {
    let samples = Samples.usual
    let columns = RunColumns(axes: samples.axes)
    for row in samples.table.rows { columns.add(row) }
    let summary = try columns.summary(sweep: samples.sweep)
    let texts = [120, 80, 50, 30].map { width -> String in
      let text = TerminalSummary.text(summary, sweep: samples.sweep, width: width)
      // Commands are whole lines.
      for line in text.split(separator: "\n") where !line.hasPrefix("  prefetch-sweep") { #expect(DisplayWidth.of(String(line)) <= width) }
      return "width \(width)\n" + text
    }
    try expectGolden(texts.joined(separator: "\n"), "terminal.txt")
    let colored = TerminalSummary.text(summary, sweep: samples.sweep, width: 120, isColored: true)
    #expect(colored.contains("\u{1B}[32mbetter") && colored.contains("\u{1B}[31mworse"))
  }
}
