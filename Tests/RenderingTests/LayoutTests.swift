import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

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

  /// One point far from the others: these still fill the chart, and the note names it.
  @Test(arguments: [0.5, 60]) func anOutlierDoesNotPressTheOthersTogether(factor: Double) throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = (0..<12).map { index in
      let level = index == 11 ? 1000 : 20 + factor * Double(index)
      return (Samples.id(index + 1), ["\(index)"], (0..<4).map { min(1000, level + Double($0)) })
    }
    let chart = try #require(try samples.report["charts/cost.svg"].flatMap(XMLTree.root))
    let heights = chart.all("circle").filter { ["on", "dot"].contains($0.attributes["class"]) }.compactMap {
      Double($0.attributes["cy"] ?? "")
    }
    let legend = heights.max() ?? 0
    let drawn = heights.filter { $0 < legend - 1 }.sorted()
    let note = chart.all("text").filter { $0.attributes["class"] == "note" }.map(\.text).joined(separator: " ")
    let spread = (drawn.last ?? 0) - (drawn.dropFirst().first ?? 0)
    #expect(spread > 80, "\(drawn)")
    #expect(note.contains("beyond an axis, drawn at its end: ") == (factor < 1), "\(note)")
  }

  /// The chart of strata on a screen of 390 pixels, on which it is 600 pixels wide: the first columns are in sight, and the note names
  /// only marks that are there.
  @Test(arguments: [false, true]) func aPhoneShowsTheFirstStrata(isLevel: Bool) throws {
    let loaders: [[Double]] = [[20, 25, 31, 22, 28, 27], [30, 36, 33, 31, 37, 35], [31, 34, 35, 30, 36, 33]]
    let stratum = isLevel ? loaders.map { _ in loaders[0] } : loaders
    var field = StrataTests.Field(
      kind: .axes, weights: [1, 1, 1].map { $0 / 3 }, isLab: [false, false, false], loaders: [stratum, stratum, stratum])
    field.settings = ["a setting with a name of more than forty characters", "5", "6"]
    let files = Report.make(summary: try field.summary(), sweep: field.sweep)
    let chart = try #require(files["charts/strata.svg"].flatMap(XMLTree.root))
    let width = Double(chart.attributes["width"] ?? chart.attributes["viewBox"]?.split(separator: " ")[2].description ?? "") ?? 0
    let cells = chart.all("rect").filter { ($0.attributes["class"] ?? "").first == "h" }
    let ends = cells.compactMap { rect in
      Double(rect.attributes["x"] ?? "").flatMap { x in Double(rect.attributes["width"] ?? "").map { x + $0 } }
    }
    #expect(ends.count >= 9 && (ends.max() ?? .infinity) * 600 / width <= 390 - 32, "\(ends) of \(width)")
    let note = chart.all("text").filter { $0.attributes["class"] == "note" }.map(\.text).joined(separator: " ")
    #expect(note.contains("dashed") == chart.all("rect").contains { $0.attributes["class"] == "mark" }, "\(note)")
    #expect(note.contains("framed") == chart.all("rect").contains { $0.attributes["class"] == "won" }, "\(note)")
    #expect(note.contains("dashed") == !isLevel)
  }

  @Test func anAxisLeavesOutOnlyFarPoints() {
    #expect(ChartScale.core([1, 2, 3, 4, 100]) == 1...4)
    #expect(ChartScale.core([1, 97, 98, 99, 100]) == 97...100)
    #expect(ChartScale.core([1, 2, 4, 8, 16]) == 1...16)
    #expect(ChartScale.core([1, 2, 100]) == 1...100)
    #expect(ChartScale.core((1...20).map(Double.init) + [500, 510]) == 1...20)
    #expect(ChartScale.core([]) == 0...0)
    #expect(ChartScale.core([5, 5, 5, 5, 9]) == 5...5)
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
