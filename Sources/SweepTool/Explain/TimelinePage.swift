// The page of a run: a summary, the picture of the most interesting stretch, the picture of the whole run, and a table of the loaders.

import Analysis
import Base
import Rendering

extension TimelineTrace {
  /// Returns an SVG file of the visits of `items`, or by default of the first difference of the runs; nil if no run visited the items.
  func svg(items: ClosedRange<Int>? = nil) -> String? {
    window(items).map { TimelineChart(trace: self, window: $0, name: "timeline").drawing.file }
  }

  /// Returns the page of the runs; nil if no run visited any of the items.
  func page(items: ClosedRange<Int>? = nil) -> String? { window(items).map { TimelinePage(trace: self, window: $0).text } }

  private func window(_ items: ClosedRange<Int>?) -> TimelineWindow? {
    items.map { TimelineWindow.items($0, of: runs) } ?? TimelineWindow.focus(runs)
  }

  /// The loaders of the runs side by side, as a table for terminals.
  var text: String {
    let lines = runs.indices.map { "\(sentence($0, .plain)) Point \(runs[$0].point)." } + [difference].compactMap { $0 }
    return lines.joined(separator: "\n") + "\n" + (loaders.isEmpty ? "" : "\n" + table(of: loaders[...]).plainText())
  }

  /// The visits with a loader in any run. Runs have the same scroll script, so visits with one index belong together.
  fileprivate var loaders: [Int] { Set(runs.flatMap(\.loaders)).sorted() }

  fileprivate func sentence(_ index: Int, _ markup: Markup) -> String {
    let reasons = RunTimeline.counts(runs[index].visits.compactMap(\.loader)).joined(separator: ", ")
    return "\(prefix(index, ", "))\(markup.strong(runs[index].name)): \(runs[index].counted)" + (reasons.isEmpty ? "." : " (\(reasons)).")
  }

  /// The sentence about loaders that only one of two runs has.
  fileprivate var difference: String? {
    guard runs.count == 2 else { return nil }
    let (first, second) = (Set(runs[0].loaders), Set(runs[1].loaders))
    return "Loaders only in A: \(first.subtracting(second).count), only in B: \(second.subtracting(first).count), in both: "
      + "\(first.intersection(second).count)."
  }

  private func prefix(_ run: Int, _ separator: String) -> String { letter(run).isEmpty ? "" : letter(run) + separator }

  /// Returns the reason and wait of each run in some visits; `target` is the id of a loader's mark.
  fileprivate func table(
    of indices: ArraySlice<Int>, target: (_ run: Int, _ index: Int, RunTimeline.Visit) -> String = { _, _, _ in "" }
  ) -> Table {
    let heads = runs.indices.flatMap { [Table.Column("\(prefix($0, ": "))reason"), .right("\(prefix($0, ": "))waited, s")] }
    var table = Table(columns: [.right("item"), "kind", .right("active at, s")] + heads)
    for index in indices {
      let visits = runs.map { index < $0.visits.count ? $0.visits[index] : nil }
      guard let known = visits.compactMap({ $0 }).first(where: { $0.loader != nil }) else { continue }
      let cells = [String(known.item), known.kind, DecimalText.fixed(known.from / 1000, decimals: 3)].map { Table.Cell($0) }
      let evidence = visits.enumerated().flatMap { run, visit in
        guard let visit, let loader = visit.loader else { return [Table.Cell(""), Table.Cell("")] }
        let waited = loader.isShown ? DecimalText.fixed(loader.wait / 1000, decimals: 3) : "never ready"
        return [Table.Cell(loader.reason.rawValue, target: target(run, index, visit)), Table.Cell(waited)]
      }
      table.append(cells + evidence)
    }
    return table
  }
}

struct TimelinePage {
  private static let rowLimit = 2000

  let trace: TimelineTrace
  let window: TimelineWindow

  var text: String {
    let stretch = TimelineChart(trace: trace, window: window, name: "stretch")
    let whole = TimelineChart(trace: trace, window: .whole(trace.runs), name: "run")
    let isAll = (stretch.axis.from, stretch.axis.to) == (whole.axis.from, whole.axis.to)
    // The scrolling picture is for screens only.
    let scrolling = "<section class=\"screen\">\n\(PageFrame.heading("The whole run"))\(PageFrame.figure(whole.drawing))</section>\n"
    let question =
      trace.runs.count == 1
      ? "All requests of one run, and the reason of each loader"
      : "Two points on the same feed, network and scroll script, and the reason of each loader"
    return PageFrame.text(
      title: "\(trace.sweep), repetition \(trace.repetition)", skip: ("loaders", "Skip to the loaders"),
      header: "<h1>\(XMLText.isolated(trace.sweep))</h1>\n<p>\(question)</p>\n",
      main: "<p class=\"answer\">\(answer)</p>\n" + PageFrame.figure(stretch.drawing) + (isAll ? "" : scrolling)
        + loaders(isAll ? stretch : whole),
      footer: "<p>\(XMLText.line(trace.program.description)), "
        + "repetition \(trace.repetition), seed \(trace.seed)</p>\n")
  }

  private var answer: String {
    trace.runs.indices.map { trace.sentence($0, .page) }.joined(separator: " ") + (trace.difference.map { " \($0)" } ?? "")
  }

  /// Returns the table of loaders, a row for each visit. Each row links to its mark in the picture, if it is shown.
  private func loaders(_ chart: TimelineChart) -> String {
    let indices = trace.loaders
    guard !indices.isEmpty else { return "<p id=\"loaders\">No loader was shown.</p>\n" }
    let table = trace.table(of: indices.prefix(Self.rowLimit)) { run, index, visit in
      chart.axis.shows(visit) ? TimelinePanel.id(chart.name, run: run, visit: index) : ""
    }
    let shown = indices.count > Self.rowLimit ? "The first \(Self.rowLimit) of \(indices.count) items with a loader" : "Every loader"
    let reasons = Metric.reasons.filter(trace.runs.flatMap(\.visits).compactMap(\.loader?.reason).contains)
    return "<div id=\"loaders\">\n" + PageFrame.heading("Loaders")
      + table.html(caption: "\(shown), in the order of the run", isSortable: true) + "</div>\n<dl>\n"
      + reasons.map { "<dt>\(XMLText.line($0.rawValue))</dt><dd>\(XMLText.line($0.meaning))</dd>\n" }.joined() + "</dl>\n"
  }
}
