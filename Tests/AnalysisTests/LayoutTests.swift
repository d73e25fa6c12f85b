@testable import Rendering
import TestSupport
import Testing

@testable import Analysis

/// Tables and charts in little room: nothing reads the same that is not, nothing touches, and what is left out is named.
@Suite struct LayoutTests {
  /// Points of six axes with long values: at each width each row says which point it is, or a line says where the settings are.
  @Test func noTwoRowsOfATerminalReadTheSame() throws {
    var samples = Samples.usual
    samples.axes = (1...6).map { "prefetcher.setting\($0)" }
    let long = "a value of many letters "
    for index in samples.points.indices {
      samples.points[index].values = [long + "x", "3", long + "\(index)", "keep", "\(index % 2)", long + "y"]
    }
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    for width in [40, 60, 80, 100, 200] {
      let text = TerminalSummary.text(summary, sweep: samples.sweep, width: width)
      let lines = text.split(separator: "\n").dropFirst(2).prefix(4)
      #expect(lines.allSatisfy { $0.count <= width }, "\(text)")
      let named = text.replacing(/\s+/, with: " ").contains("the settings, which follow by #")
      #expect(named == (width < 80), "\(text)")
      // Else a row has the whole value in which it differs, and is numbered where that follows.
      let numbers = (0..<4).map { index in lines.filter { $0.contains("\(long)\(index)") }.count }
      #expect(numbers == (named ? [0, 0, 0, 0] : [1, 1, 1, 1]), "\(text)")
      if named { #expect((0..<4).allSatisfy { text.replacing(/\n/, with: " ").contains("\(long)\($0)") }, "\(text)") }
      #expect(text.contains("per 1000") && text.contains("difference") && text.contains("verdict"), "\(text)")
      #expect(text.contains("setting4 keep (all rows)") == (width < 200 && !named), "\(text)")
    }
  }

  /// The hint of a verdict is left out before the percentages, and these before the interval of the difference.
  @Test func columnsAreLeftOutInTheOrderOfTheirWeight() throws {
    let summary = try SweepSummary.of(runs: Samples.usual.table, sweep: Samples.usual.sweep)
    var seen: [String] = []
    for width in (30...120).reversed() {
      let text = TerminalSummary.text(summary, sweep: Samples.usual.sweep, width: width).replacing(/\s+/, with: " ")
      guard let line = text.firstMatch(of: /Not shown in \d+ columns: (.*?)\. \S/) else { continue }
      for name in ["MB received", "MB", "front", "repetitions that would decide", "the intervals of %", "%", "the intervals of difference"]
      where line.1.contains(name) && !seen.contains(name) { seen.append(name) }
    }
    let order = seen.filter { ["MB", "front", "repetitions that would decide", "the intervals of difference"].contains($0) }
    #expect(order == ["MB", "front", "repetitions that would decide", "the intervals of difference"], "\(seen)")
  }

  /// 32 points of the front: each has its rank, or the chart says how many have none.
  @Test func theCostChartNumbersTheWholeFront() throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = (0..<32).map { index in (Samples.id(index + 1), ["\(index)"], (0..<4).map { 200 - 5 * Double(index) + Double($0) }) }
    let report = try samples.report
    let chart = try #require(report["charts/cost.svg"].flatMap(XMLTree.root))
    let ranks = Set(chart.all("text").filter { $0.attributes["class"] == "tick" && $0.attributes["text-anchor"] == nil }.map(\.text))
    let note = chart.all("text").first { $0.attributes["class"] == "note" }?.text ?? ""
    let left = note.firstMatch(of: /(\d+) of 32 numbers have no room/).flatMap { Int($0.1) } ?? 0
    #expect(ranks.count + left == 32 && ranks.count > 24, "\(ranks.count) ranks: \(note)")
    #expect(note.contains("12 of 32 points of the front are named"), "\(note)")
  }

  /// Equal quantiles lie above each other: a ring hides nothing.
  @Test func aRingOfWaitsHidesNoOtherMark() throws {
    #expect(ChartStyle.shapes.contains(".chart .ring{fill:none;"))
    for name in ["cut", "stay", "lost", "asked", "hollow"] { #expect(!ChartStyle.shapes.contains(".\(name){"), "\(name)") }
  }

  @Test func ticksOfEffectsDoNotTouch() throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = (1...40).map { index in (Samples.id(index), ["\(index)"], (0..<4).map { Double((index * 7) % 13 + $0) }) }
    let chart = try #require(try samples.report["charts/effects.svg"].flatMap(XMLTree.root))
    let ticks = chart.all("text").filter { $0.attributes["text-anchor"] == "middle" && Int($0.text) != nil }
    let slots = ticks.compactMap { tick in Double(tick.attributes["x"] ?? "").map { ($0, Double(tick.text.count) * 3.4) } }
      .sorted { $0.0 < $1.0 }
    #expect(slots.count > 10)
    for (one, next) in zip(slots, slots.dropFirst()) { #expect(next.0 - next.1 - (one.0 + one.1) >= 6, "\(one) \(next)") }
  }

  /// Names of more than 60 characters: report.md shortens them so that no row is wider than the page.
  @Test func longNamesFitThePage() throws {
    var samples = Samples.usual
    samples.axes[0] = "prefetcher"
    for index in samples.points.indices { samples.points[index].values[0] = "\(index) " + String(repeating: "a long name ", count: 8) }
    let markdown = try #require(try samples.report["report.md"])
    let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("|     ") || $0.hasPrefix("| **") }
    #expect(rows.count >= 4)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.reduce(1) { $0 + PageWidth.padding + PageWidth.of($1.replacing("*", with: "")) } <= PageWidth.markdown + 40, "\(row)")
    }
  }

  /// A mean has one form in the sentence, in the table and in the charts.
  @Test func aMeanHasOneForm() throws {
    let report = try Samples.usual.report
    let sentence = try #require(report["report.md"]?.firstMatch(of: /wins: ([\d.]+) loaders per 1000 against ([\d.]+) of the baseline/))
    let chart = report["charts/cost.svg"] ?? ""
    for mean in [sentence.1, sentence.2] {
      #expect(report["report.html"]?.contains(">\(mean)</td>") == true && chart.contains("\(mean) loaders per 1000"), "\(mean)")
    }
  }
}
