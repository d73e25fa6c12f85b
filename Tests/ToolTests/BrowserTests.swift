import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Rendering
@testable import SweepTool

/// The page in a real browser. Another page holds it in a frame and uses it, so that the page itself is opened as it is.
@Suite(.enabled(if: Browser.path != nil, "no Chromium on this machine: install one, or name it by CHROMIUM")) struct BrowserTests {
  private func open(_ samples: Samples, isDark: Bool = false, _ script: String) throws -> Browser.Visit {
    let page = try #require(try samples.report["report.html"])
    return try Browser.visit(page: page, isDark: isDark, script: script)
  }

  @Test func thePageIsOpenedWithoutErrorsAndRequests() throws {
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

  @Test func filtersKnowColumnsAndComparisons() throws {
    let visit = try open(
      .usual,
      """
      const field = doc.querySelector("input"), table = doc.querySelector("table.sortable");
      for (const text of ["maxCost 5", "maxCost:6", "maxCost 5, cancel keep", ">50", ">=36.1 maxcost=6", "loaders<50", "verdict:better",
          "difference>0", "> 50", "loaders < 50", "MB received>61.4", "mb received > 61.4 MB", "maxCost 5 difference > 0",
          "verdict : better", "nonsense:1", "mb lost > 3"]) {
        field.value = text;
        field.dispatchEvent(new page.Event("input"));
        say(text, "->", Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[0].textContent).join(" "));
        const count = doc.querySelector("output").textContent;
        if (count.includes("no column")) { say(count.split(" (")[0], count.includes("maxCost, cancel, ")); }
      }
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(
      visit.said == [
        "maxCost 5 -> 1 3", "maxCost:6 -> 2 4", "maxCost 5, cancel keep -> 1", ">50 -> 4", ">=36.1 maxcost=6 -> 2 4", "loaders<50 -> 1 2 3",
        "verdict:better -> 1", "difference>0 -> 3 4", "> 50 -> 4", "loaders < 50 -> 1 2 3", "MB received>61.4 -> 3 4",
        "mb received > 61.4 MB -> 3 4",
        "maxCost 5 difference > 0 -> 3", "verdict : better -> 1",
        "nonsense:1 -> ", "0 of 4 rows; no column is called \"nonsense\" true",
        "mb lost > 3 -> ", "0 of 4 rows; no column is called \"lost\" true",
      ])
  }

  /// Units count beside each other, and a column's own numbers beside any.
  @Test func filtersKnowUnits() throws {
    var samples = Samples.usual
    samples.axes[0] = "user.dwell"
    for (index, value) in ["500ms", "1s", "1500ms", "2s"].enumerated() { samples.points[index].values[0] = value }
    let visit = try open(
      samples,
      """
      const field = doc.querySelector("input"), table = doc.querySelector("table.sortable");
      const column = Array.from(table.tHead.rows[0].cells).findIndex(h => h.textContent.startsWith("dwell"));
      for (const text of ["dwell>500ms", "dwell > 500 ms", "dwell >= 1000 ms, dwell<2s", "dwell 1 s"]) {
        field.value = text;
        field.dispatchEvent(new page.Event("input"));
        say(text, "->", Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[column].textContent).sort().join(" "));
      }
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(
      visit.said == [
        "dwell>500ms -> 1500ms 1s 2s", "dwell > 500 ms -> 1500ms 1s 2s", "dwell >= 1000 ms, dwell<2s -> 1500ms 1s", "dwell 1 s -> 1s",
      ])
  }

  @Test func aRowShowsItsIdAndCommandsAndTheHeadSticks() throws {
    let visit = try open(
      .usual,
      """
      const button = doc.querySelector("tbody button");
      button.click();
      const detail = doc.querySelector("tbody tr + tr:not([data-p])");
      say(detail.querySelector("td").firstChild.textContent, button.getAttribute("aria-expanded"));
      say(Array.from(detail.querySelectorAll("pre"), p => p.textContent).join("\\n"));
      button.click();
      say(doc.querySelectorAll("table.verdicts tbody tr:not([data-p])").length, page.getComputedStyle(doc.querySelector("thead th")).position);
      page.dispatchEvent(new page.Event("beforeprint"));
      say("folds", doc.querySelectorAll("details:not([open])").length);
      page.dispatchEvent(new page.Event("afterprint"));
      say("folds", doc.querySelectorAll("details:not([open])").length > 0);
      """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    let id = Samples.id(1)
    let point = "Sweeps/featured-3g.json5 --point \(id)"
    let commands =
      "prefetch-sweep explain \(point) --against baseline --repetition 1 --format svg > explain.svg\nprefetch-sweep run \(point) --repetition 1"
    #expect(
      visit.said == [
        "Point \(id) true", commands, "0 sticky", "folds 0",
        "folds true",
      ])
  }

  /// Committed reports on a phone and on a wide screen: nothing overflows the page, texts are legible, the verdict is on screen.
  @Test(arguments: ["featured-3g", "systems", "article-field"], [390, 1400])
  func textsAreLegibleAndInsideAtEachWidth(_ name: String, width: Int) throws {
    let page = try Reference.result("report.html", of: name)
    let visit = try Browser.visit(
      page: page, isDark: false, width: width,
      script: """
        doc.querySelectorAll("details").forEach(d => { d.open = true; });
        say("page overflows", doc.documentElement.scrollWidth > page.innerWidth);
        const own = t => Array.from(t.childNodes).some(n => n.nodeType === 3 && n.textContent.trim() !== "");
        const sizes = Array.from(doc.querySelectorAll("body *")).filter(own).filter(t => !t.closest("script, style, title, desc")).map(t => {
          const svg = t.closest("svg");
          const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
          return parseFloat(page.getComputedStyle(t).fontSize) * scale;
        });
        say("small texts", sizes.filter(s => s < 11).length, "of many", sizes.length > 200);
        const outside = [];
        doc.querySelectorAll("svg.chart").forEach(svg => {
          const box = svg.getBoundingClientRect();
          svg.querySelectorAll("text").forEach(t => {
            const b = t.getBoundingClientRect();
            if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1) { outside.push(t.textContent); }
          });
        });
        say("outside", outside.join("; "));
        const table = doc.querySelector("table.sortable"), row = table.tBodies[0].rows[0];
        const verdict = Array.from(table.tHead.rows[0].cells).findIndex(h => h.textContent === "verdict");
        const cell = row.cells[verdict].getBoundingClientRect();
        say("verdict on screen", cell.left >= 0, cell.right <= page.innerWidth);
        // No cell lies above another.
        say("stuck", Array.from(doc.querySelectorAll("tbody td")).filter(c => page.getComputedStyle(c).position === "sticky").length);
        const figures = Array.from(doc.querySelectorAll(".charts figure")).slice(0, 5).map(f => Math.round(f.getBoundingClientRect().left));
        say("columns", new Set(figures).size);
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(
      visit.said == [
        "page overflows false", "small texts 0 of many true", "outside ", "verdict on screen true true", "stuck 0",
        "columns \(width < 1000 ? 1 : 2)",
      ])
  }

  /// The tables of committed report.md as GitHub shows them: no row takes two lines.
  @Test(arguments: Reference.results) func noRowOfAMarkdownTableWraps(_ name: String) throws {
    let markdown = try Reference.result("report.md", of: name)
    func html(_ cell: Substring) -> String {
      XMLText.content(cell.trimmingCharacters(in: .whitespaces)).replacing(#/\*\*(.+?)\*\*/#) { "<b>\($0.1)</b>" }
        .replacing(#/\[\^(\d+)\]/#) { "<sup>\($0.1)</sup>" }
    }
    let tables = markdown.split(separator: "\n\n").filter { $0.hasPrefix("|") }.map { table in
      let rows = table.split(separator: "\n").filter { !$0.hasPrefix("| -") }.map { row in
        "<tr>" + row.dropFirst().dropLast().split(separator: "|").map { "<td>\(html($0))</td>" }.joined() + "</tr>"
      }
      return "<table>\(rows.joined())</table>"
    }
    let page = """
      <!DOCTYPE html><meta charset="utf-8"><style>body{margin:0;font:16px/1.5 system-ui,sans-serif}
      table{display:block;width:max-content;max-width:1012px;overflow:auto;border-collapse:collapse}
      td{padding:6px 13px;border:1px solid}tr:first-child{font-weight:600}sup{font-size:75%;line-height:0}</style>\(tables.joined())
      """
    let visit = try Browser.visit(
      page: page, isDark: false, width: 1012,
      script: """
        const rows = Array.from(doc.querySelectorAll("tr")), heights = rows.map(r => r.getBoundingClientRect().height);
        say("tables", doc.querySelectorAll("table").length);
        say("wrapped", rows.filter(r => r.getBoundingClientRect().height > 1.5 * Math.min(...heights)).map(r => r.textContent).join("; "));
        say("scrolled", Array.from(doc.querySelectorAll("table")).filter(t => t.scrollWidth > 1012).length);
        """)
    #expect(visit.said == ["tables \(tables.count)", "wrapped ", "scrolled 0"])
  }

  /// Narrow rules are for screens: on paper the definition list has two columns, and folds are open without a script, too.
  @Test func printKeepsTwoColumnsAndOpensFolds() throws {
    let visit = try open(
      .usual,
      """
      const rules = Array.from(doc.styleSheets[0].cssRules).filter(r => r.media);
      say(rules.filter(r => r.cssText.includes("dl {")).map(r => r.media.mediaText).join("; "));
      say(rules.filter(r => r.cssText.includes("details-content")).map(r => r.media.mediaText).join("; "));
      say(page.getComputedStyle(doc.querySelector("dl")).display);
      """)
    #expect(visit.said == ["screen and (max-width: 48rem)", "print", "grid"])
  }

  /// Text on its background, by WCAG 2.2, 1.4.3.
  @Test(arguments: [false, true]) func drawnTextHasContrast(isDark: Bool) throws {
    let page = try Reference.result("report.html", of: "featured-3g")
    let visit = try Browser.visit(
      page: page, isDark: isDark, width: 1400,
      script: """
        const parts = c => c.match(/[\\d.]+/g).map(Number);
        const light = c => parts(c).slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const paper = node => {
          for (let n = node; n; n = n.parentElement) {
            const c = page.getComputedStyle(n).backgroundColor;
            if (parts(c).length === 3 || parts(c)[3] > 0) { return c; }
          }
          return "rgb(255, 255, 255)";
        };
        let least = 99;
        doc.querySelectorAll("p, li, td, th, a, h1, h2, dt, dd, summary, label, output, figcaption, button, caption, svg text").forEach(n => {
          if (n.closest(".skip") || n.matches(".light, .deep")) { return; }
          const style = page.getComputedStyle(n), ink = n.namespaceURI.endsWith("svg") ? style.fill : style.color;
          const [a, b] = [light(ink), light(paper(n))];
          least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
        });
        say(least >= 4.5, least > 21);
        """)
    #expect(visit.console.isEmpty, "\(visit.console)")
    #expect(visit.said == ["true false"])
  }
}
