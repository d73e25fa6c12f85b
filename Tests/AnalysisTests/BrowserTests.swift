import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// The page in a real browser. Another page holds it in a frame and uses it, so that the page itself is opened as it is.
@Suite(.enabled(if: Browser.path != nil, "no Chromium on this machine: install one, or name it by CHROMIUM")) struct BrowserTests {
  private func open(_ samples: Samples, isDark: Bool = false, _ script: String) throws -> Browser.Visit {
    let page = try #require(try samples.report["report.html"])
    return try Browser.visit(page: page, isDark: isDark, script: script)
  }

  @Test func thePageIsOpenedWithoutAnErrorAndAsksNobody() throws {
    let visit = try open(
      .usual,
      """
      say("requests", page.performance.getEntriesByType("resource").length);
      say("charts", doc.querySelectorAll("figure svg").length);
      say("drawn", Array.from(doc.querySelectorAll("figure svg")).every(s => s.getBoundingClientRect().height > 100));
      say("title", doc.title);
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.said == ["requests 0", "charts 6", "drawn true", "title featured-3g"])
  }

  @Test func aRequestWouldBeForbiddenAndSeen() throws {
    var samples = Samples.usual
    samples.name = "probe"
    let page = try #require(try samples.report["report.html"])
    let spoiled = page.replacing("<main>", with: "<main><img src=\"http://192.0.2.1/x.png\" alt=\"\"/>")
    let visit = try Browser.visit(page: spoiled, isDark: false, script: "say(\"opened\", 1);")
    #expect(visit.console.contains { $0.contains("Content Security Policy") })
  }

  @Test func sortingAndFilteringWork() throws {
    let visit = try open(
      .usual,
      """
      const table = doc.querySelector("table.sortable");
      const heads = Array.from(table.tHead.rows[0].cells);
      const column = name => heads.findIndex(h => h.textContent.startsWith(name));
      const shown = name => Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[column(name)].textContent).join(" ");
      say("first", shown("#"));
      const button = heads[column("loaders")].querySelector("button");
      button.focus();
      say("focused", doc.activeElement === button);
      button.click();
      say("up", shown("#"), heads[column("loaders")].getAttribute("aria-sort"));
      button.click();
      say("down", shown("#"), heads[column("loaders")].getAttribute("aria-sort"));
      heads[column("cancel")].querySelector("button").click();
      say("axis", shown("cancel"), heads.filter(h => h.hasAttribute("aria-sort")).length);
      const field = doc.querySelector("input");
      field.value = "KEEP baseline";
      field.dispatchEvent(new page.Event("input"));
      say("filtered", shown("maxCost"), "of", doc.querySelector("output").textContent, doc.querySelector("label").htmlFor === field.id);
      field.value = "";
      field.dispatchEvent(new page.Event("input"));
      say("all", doc.querySelector("output").textContent);
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(
      visit.said == [
        "first 1 2 3 4", "focused true", "up 1 2 3 4 ascending", "down 4 3 2 1 descending", "axis keep keep drop drop 1",
        "filtered 6 of 1 of 4 rows true", "all 4 of 4 rows",
      ])
  }

  @Test(arguments: [false, true]) func bothColourSchemesAreKnown(isDark: Bool) throws {
    let visit = try open(
      .usual, isDark: isDark,
      """
      say(page.getComputedStyle(doc.body).backgroundColor, page.getComputedStyle(doc.body).color);
      say(page.getComputedStyle(doc.querySelector("svg .head")).fill);
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let (paper, ink) = isDark ? ("rgb(20, 24, 29)", "rgb(232, 236, 241)") : ("rgb(255, 255, 255)", "rgb(27, 31, 36)")
    #expect(visit.said == ["\(paper) \(ink)", ink])
  }

  @Test func aLoaderOfTheTableLeadsToItsMarkInThePicture() throws {
    let visit = try Browser.visit(
      page: try #require(SampleTimelines.long.page()), isDark: false,
      script: """
        say("requests", page.performance.getEntriesByType("resource").length);
        const figures = doc.querySelectorAll("figure");
        const figure = figures[figures.length - 1];
        say("wide", figure.scrollWidth > 20000, "page", doc.documentElement.scrollWidth <= page.innerWidth);
        const links = doc.querySelectorAll("tbody a");
        const link = links[links.length - 1];
        const mark = doc.getElementById(link.getAttribute("href").slice(1));
        say("before", figure.scrollLeft, mark.getBoundingClientRect().left > page.innerWidth);
        mark.scrollIntoView({ inline: "nearest" });
        const box = mark.getBoundingClientRect();
        say("after", figure.scrollLeft > 20000, box.left >= 0, box.right <= page.innerWidth);
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.said == ["requests 0", "wide true page true", "before 0 true", "after true true true"])
  }

  @Test func namesThatMeanHarmDoNone() throws {
    var samples = Samples.usual
    samples.name = "<script>parent.harm = 1</script></title>]]>"
    samples.points[0].values = ["<img src=x onerror=parent.harm=1>", "\u{645}\u{631}\u{62D}\u{628}\u{627}"]
    let visit = try open(
      samples, "say(String(window.harm), doc.querySelectorAll(\"img\").length, doc.querySelectorAll(\"script\").length, doc.title);")
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.said == ["undefined 0 1 <script>parent.harm = 1</script></title>]]>"])
  }
}

/// A Chromium without a window.
enum Browser {
  /// The output of opening a page.
  struct Visit {
    /// The script's output: one line per call of `say`.
    var said: [String]
    /// The browser's console: errors, warnings and violations of the page's policy.
    var console: [String]
  }

  /// The program; nil where there is none.
  static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates = [environment["CHROMIUM"]].compactMap { $0 } + folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Opens a page in a frame, runs a script beside it that sees the frame's window as `page` and its document as `doc`, and closes.
  static func visit(page: String, isDark: Bool, script: String) throws -> Visit {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try page.write(to: folder.appendingPathComponent("report.html"), atomically: true, encoding: .utf8)
    let driver = """
      <!DOCTYPE html><meta charset="utf-8"><pre id="said"></pre><iframe id="frame" src="report.html" width="1000" height="800"></iframe>
      <script>
      const lines = [];
      const say = (...words) => lines.push(words.join(" "));
      document.getElementById("frame").addEventListener("load", event => {
        const page = event.target.contentWindow, doc = event.target.contentDocument;
        try {
          \(script)
        } catch (error) { say("thrown", error); }
        document.getElementById("said").textContent = JSON.stringify(lines);
      });
      </script>
      """
    let start = folder.appendingPathComponent("driver.html")
    try driver.write(to: start, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files", "--enable-logging=stderr",
      "--disable-background-networking", "--disable-component-update", "--host-resolver-rules=MAP * ~NOTFOUND",
      "--user-data-dir=\(folder.path)/profile", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--virtual-time-budget=5000",
      "--dump-dom", start.absoluteString,
    ]
    // Files, because a full pipe would stop the browser.
    let (out, log) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("log"))
    for file in [out, log] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    process.waitUntilExit()
    let dump = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n").map(String.init)
    return Visit(said: try said(in: dump), console: lines.filter { $0.contains("CONSOLE") })
  }

  private static func said(in dump: String) throws -> [String] {
    let start = try #require(dump.range(of: "<pre id=\"said\">"), "the browser showed nothing")
    let end = try #require(dump.range(of: "</pre>", range: start.upperBound..<dump.endIndex))
    let text = dump[start.upperBound..<end.lowerBound].replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
      "&amp;", with: "&")
    return try JSONDecoder().decode([String].self, from: Data(text.utf8))
  }
}
