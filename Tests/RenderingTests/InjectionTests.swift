// Names that mean something to a spreadsheet, a browser, Markdown, a terminal or a shell, in every output, read by real parsers.

import Base
import Foundation
import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct InjectionTests {
  /// The names by kind. None of them may end a cell, an element, a string, a code span or a line.
  private static let names: [(kind: String, name: String)] = [
    ("formula", "=1+1"), ("formula", "+1+cmd|' /C calc'!A0"), ("formula", "-2+3"), ("formula", "@SUM(A1)"), ("formula", "\t=1"),
    ("control", "a\u{0}b\u{7}\u{8}\u{1B}[2J\u{1B}]0;x\u{7}\u{9B}31m"), ("bidi", "\u{202E}gnp\u{2066}x\u{200F}"),
    ("invisible", "a\u{FEFF}\u{200B}b"),
    ("markup", "<script>parent.harm = 1</script>"), ("markup", "\"><img src=x onerror=parent.harm=1>"),
    ("markup", "</title></style></script>"),
    ("markup", "--><!--"), ("markup", "&lt;&amp;&#60;"), ("section", "]]><b>"), ("pipe", "a|b||c"), ("code", "`x` ``` y"),
    ("quotes", "\"a\" 'b' \\\" \\'"), ("lines", "a\nb\r\nc\u{2028}d\n\n# e\n- f"),
    ("link", "[x](javascript:parent.harm=1) <https://192.0.2.1/>"),
    ("account", "@someone #1 *a* _b_ ~c~ $d$"), ("folder", "../../x/./~"), ("command", "::error::x %0A $(id) ;id"),
    ("table", "x\n| --- |\n| a |"),
  ]

  /// Returns a sweep whose name, axis, values, strata, texts and warnings are one name.
  private static func samples(_ name: String) -> (table: RunTable, sweep: SweepDescription) {
    var samples = Samples.usual
    samples.name = name
    samples.axes = ["prefetcher.\(name)", "network"]
    samples.points = samples.points.enumerated().map { index, point in
      (point.id, ["\(index)", index < 2 ? name : "\(name) 2"], point.loaders)
    }
    samples.warnings = [name]
    samples.points[0].values[0] = name
    var sweep = samples.sweep
    sweep.question = name
    sweep.head = [.init(label: name, text: name)]
    sweep.strata = SweepDescription.Strata(
      kind: .axes, paths: ["network"],
      members: [1, 2].map { index in
        SweepDescription.Stratum(
          name: samples.points[index].values[1], values: [samples.points[index].values[1]], weight: 0.5, isLab: false,
          baseline: .init(point: samples.points[index].id, axisValues: samples.points[index].values, settings: name, inGrid: true))
      })
    return (samples.table, sweep)
  }

  private static func gate(_ name: String) -> GateResult {
    var result = GateRenderTests.stratified(loaders: 0.3, elsewhere: 9, names: [name, "\(name) 2"])
    result.sweep = name
    (result.candidate.source, result.candidate.settings) = (name, name)
    result.changes = [.init(path: name, baseline: nil, candidate: name)]
    result.failures = [name]
    return result
  }

  /// True if a text has no character that commands a terminal, turns the direction of writing or is invisible; line feeds are allowed.
  private static func isHarmless(_ text: String) -> Bool { SafeText.lines(text) == text }

  @Test(arguments: names.map(\.name)) func aNameIsTextInPagesChartsAndJUnit(_ name: String) throws {
    let (table, sweep) = Self.samples(name)
    let report = try Report.make(runs: table, sweep: sweep)
    for file in report.files {
      // Names of files have no more than letters of a plain name, and stay in the folder.
      #expect(file.name.wholeMatch(of: #/[\w.-]+(/[\w.-]+)*/#) != nil && !file.name.contains(".."), "\(file.name)")
      #expect(Self.isHarmless(file.contents), "\(file.name)")
      guard file.name.hasSuffix(".svg") || file.name.hasSuffix(".html") else { continue }
      let root = try #require(XMLTree.root(of: file.contents), "\(file.name) is refused by the parser")
      #expect(root.all("img").isEmpty && root.all("b").isEmpty && root.all("script").count == (file.name == "report.html" ? 1 : 0))
      let elements = ["title", "text", "a", "td", "th"].flatMap(root.all)
      #expect(elements.allSatisfy { $0.attributes.allSatisfy { !$0.key.hasPrefix("on") && !$0.value.hasPrefix("javascript") } })
    }
    #expect(Set(report.files.map(\.name)).count == report.files.count)
    #expect(Self.isHarmless(TerminalSummary.text(report.summary, sweep: sweep, width: 80)))
    let gate = Self.gate(name)
    let root = try #require(XMLTree.root(of: JUnit.text(gate)))
    #expect(root.all("testcase").count == 7 && root.all("error").count == 1)
    #expect(Self.isHarmless(GateText.text(gate)) && Self.isHarmless(GateMarkdown.text(gate)))
    #expect(BenchmarkGrammar(BenchmarkText.text(gate)).faults == [])
    for json in [sweep.json, Array(GateJSON.text(gate, exitStatus: 0).utf8)] {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
      #expect([object["name"], object["sweep"]].contains { $0 as? String == name })
    }
    let columns = try RunTable(csv: table.csv, file: "runs.csv")
    #expect(columns.axes == table.axes && columns.rows.map(\.axisValues) == table.rows.map(\.axisValues))
  }

  /// Parses tables with Python's `csv`, pages with its `html.parser`, and Markdown with `markdown_it`, if there is one.
  private static let script = """
    import csv, json, os, sys
    from html.parser import HTMLParser
    try: from markdown_it import MarkdownIt
    except ImportError: MarkdownIt = None
    class Tags(HTMLParser):
      def __init__(self): super().__init__(); self.found = []
      def handle_starttag(self, tag, attributes): self.found += [tag] + [f"{tag}.{n}" for n, v in attributes] + [f"={v}" for n, v in attributes if n in ("href", "src")]
    problems = []
    for name in sorted(os.listdir(sys.argv[1])):
      path = os.path.join(sys.argv[1], name)
      if name.endswith(".csv"):
        rows = list(csv.reader(open(path, newline="", encoding="utf-8"), strict=True))
        if len(set(map(len, rows))) != 1: problems.append(name + ": rows of different lengths")
        for cell in sum(rows[1:], []):
          number = cell.lstrip("+-").replace(".", "", 1).replace("e", "", 1).isdigit()
          if cell[:1] in "=+-@\\t\\r" and cell and not number: problems.append(f"{name}: the cell {cell!r}")
        continue
      text, tags = open(path, encoding="utf-8").read(), Tags()
      if name.endswith(".md"):
        if MarkdownIt is None: continue
        text = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(text)
      tags.feed(text)
      scripts = tags.found.count("script")
      if scripts > (1 if name.endswith(".html") else 0): problems.append(f"{name}: {scripts} scripts")
      for tag in tags.found:
        if tag in ("b", "h7") and name.endswith(".md") or ".on" in tag or tag.startswith(("=javascript", "=http")) or tag == "img" and name.endswith(".html"):
          problems.append(f"{name}: {tag}")
    print(json.dumps(problems))
    """

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no Python on this machine"))
  func realParsersFindNoFormulaElementOrLine() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("injection-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (index, entry) in Self.names.enumerated() {
      let (table, sweep) = Self.samples(entry.name)
      let report = try Report.make(runs: table, sweep: sweep)
      let texts = [
        "runs.csv": String(decoding: table.csv, as: UTF8.self), "summary.csv": report["summary.csv"] ?? "",
        "report.md": report["report.md"] ?? "",
        "report.html": report["report.html"] ?? "", "gate.md": GateMarkdown.text(Self.gate(entry.name)),
      ]
      for (name, text) in texts {
        try text.write(to: folder.appendingPathComponent("\(index)-\(entry.kind)-\(name)"), atomically: true, encoding: .utf8)
      }
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", Self.script, folder.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == "[]\n")
  }

  @Test(.enabled(if: Browser.path != nil, "no Chromium on this machine: install one, or name it by CHROMIUM"))
  func aBrowserShowsNamesWithoutARequest() throws {
    let all = Self.names.map(\.name).joined(separator: " ")
    let (table, sweep) = Self.samples(all)
    let page = try #require(try Report.make(runs: table, sweep: sweep)["report.html"])
    let visit = try Browser.visit(
      page: page, isDark: false,
      script: """
        say(String(window.harm), doc.querySelectorAll("img").length, doc.querySelectorAll("script").length);
        say("requests", page.performance.getEntriesByType("resource").length);
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.said == ["undefined 0 1", "requests 0"])
  }
}
