// The page of a run's picture: the answer in a sentence, the stretch that shows most, the whole run to scroll through, every loader.

import Analysis
import Rendering

extension TimelineTrace {
  /// The picture of a stretch as an SVG file of its own: while some items were on screen, or where the runs part; nil where no run
  /// viewed any of the items.
  func svg(items: ClosedRange<Int>? = nil) -> String? {
    window(items).map { TimelineChart(trace: self, window: $0, name: "timeline").drawing.file }
  }

  func page(items: ClosedRange<Int>? = nil) -> String? { window(items).map { TimelinePage(trace: self, window: $0).text } }

  private func window(_ items: ClosedRange<Int>?) -> TimelineWindow? {
    items.map { TimelineWindow.items($0, of: runs) } ?? TimelineWindow.focus(runs)
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
    // Paper does not scroll.
    let scrolling =
      "<section class=\"screen\">\n\(PageFrame.heading("The whole run, to scroll through"))\(PageFrame.figure(whole.drawing))</section>\n"
    let question =
      trace.runs.count == 1
      ? "What was asked for when, and why was each loader shown?" : "Two settings on the same feed, network and thumb: why does one win?"
    return PageFrame.text(
      title: "\(trace.sweep), repetition \(trace.repetition)", skip: ("loaders", "Skip to the loaders"),
      header: "<h1>\(XMLText.isolated(trace.sweep))</h1>\n<p>\(question)</p>\n",
      main: "<p class=\"answer\">\(answer)</p>\n" + PageFrame.figure(stretch.drawing) + (isAll ? "" : scrolling)
        + loaders(isAll ? stretch : whole),
      footer: "<p>\(XMLText.line(trace.program.description)), "
        + "repetition \(trace.repetition), seed \(trace.seed)</p>\n")
  }

  private var answer: String {
    let sentences = trace.runs.enumerated().map { index, run -> String in
      let letter = trace.letter(index).isEmpty ? "" : "\(trace.letter(index)), "
      let reasons = RunTimeline.counts(run.stays.compactMap(\.loader)).joined(separator: ", ")
      return "\(letter)\(Markup.page.strong(run.setting)): \(run.loaders.count) loaders in \(run.stays.count) items viewed"
        + (reasons.isEmpty ? "." : " (\(reasons)).")
    }
    guard trace.runs.count == 2 else { return sentences.joined(separator: " ") }
    // The scroll script is the same, so that stays of one index belong together.
    let (first, second) = (Set(trace.runs[0].loaders), Set(trace.runs[1].loaders))
    return sentences.joined(separator: " ") + " \(first.subtracting(second).count) only A shows, "
      + "\(second.subtracting(first).count) only B, \(first.intersection(second).count) both."
  }

  /// Every loader of the runs, a row a stay; each leads to its mark in the picture where that shows it.
  private func loaders(_ chart: TimelineChart) -> String {
    let places = Set(trace.runs.flatMap(\.loaders)).sorted()
    guard !places.isEmpty else { return "<p id=\"loaders\">No loader was shown.</p>\n" }
    let heads = trace.runs.indices.flatMap { run -> [Table.Column] in
      let letter = trace.letter(run).isEmpty ? "" : "\(trace.letter(run)): "
      return ["\(letter)reason", .right("\(letter)waited, s")]
    }
    var table = Table(columns: [.right("item"), "kind", .right("active at, s")] + heads)
    for place in places.prefix(Self.rowLimit) {
      let stays = trace.runs.map { place < $0.stays.count ? $0.stays[place] : nil }
      guard let known = stays.compactMap({ $0 }).first(where: { $0.loader != nil }) else { continue }
      let cells = [String(known.item), known.kind, DecimalText.fixed(known.from / 1000, decimals: 3)].map { Table.Cell($0) }
      let evidence = stays.enumerated().flatMap { run, stay in
        guard let stay, let loader = stay.loader else { return [Table.Cell(""), Table.Cell("")] }
        let target = chart.axis.shows(stay) ? TimelinePanel.id(chart.name, run: run, stay: place) : ""
        let waited = loader.isShown ? DecimalText.fixed(loader.wait / 1000, decimals: 3) : "never came"
        return [Table.Cell(loader.reason.rawValue, target: target), Table.Cell(waited)]
      }
      table.append(cells + evidence)
    }
    let shown = places.count > Self.rowLimit ? "The first \(Self.rowLimit) of \(places.count) items with a loader" : "Every loader"
    let reasons = Metric.reasons.filter(trace.runs.flatMap(\.stays).compactMap(\.loader?.reason).contains)
    return "<div id=\"loaders\">\n" + PageFrame.heading("Loaders")
      + table.html(caption: "\(shown), in the order of the run", isSortable: true) + "</div>\n<dl>\n"
      + reasons.map { "<dt>\(XMLText.line($0.rawValue))</dt><dd>\(XMLText.line($0.meaning))</dd>\n" }.joined() + "</dl>\n"
  }
}
