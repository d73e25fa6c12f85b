// The page of a run's picture: the answer in a sentence, the stretch that tells most, the whole run to scroll through, every loader.

import Analysis

extension TimelineStory {
  /// The picture of a stretch as an SVG file of its own: while some items were on screen, or where the runs part; nil where no run
  /// viewed any of the items.
  package func svg(items: ClosedRange<Int>? = nil) -> String? {
    window(items).map { TimelineChart(story: self, window: $0, name: "timeline").drawing.file }
  }

  /// The page: that stretch, the whole runs, and all loaders; nil where no run viewed any of the items.
  package func page(items: ClosedRange<Int>? = nil) -> String? { window(items).map { TimelinePage(story: self, window: $0).text } }

  private func window(_ items: ClosedRange<Int>?) -> TimelineWindow? {
    items.map { TimelineWindow.items($0, of: runs) } ?? TimelineWindow.focus(runs)
  }

  /// What a run is called where two stand beside each other.
  func letter(_ run: Int) -> String { runs.count == 1 ? "" : run == 0 ? "A" : "B" }
}

/// Writes the page of a run's picture.
struct TimelinePage {
  /// More loaders than this are not listed.
  private static let rowLimit = 2000

  let story: TimelineStory
  let window: TimelineWindow

  /// The whole page, ended by a line feed.
  var text: String {
    let stretch = TimelineChart(story: story, window: window, name: "stretch")
    let whole = TimelineChart(story: story, window: .whole(story.runs), name: "run")
    var main = "<p class=\"answer\">\(answer)</p>\n" + PageFrame.figure(stretch.drawing)
    let isAll = stretch.ends == whole.ends
    if !isAll {
      // Paper does not scroll.
      main +=
        "<section class=\"screen\">\n" + PageFrame.heading("The whole run, to scroll through") + PageFrame.figure(whole.drawing)
        + "</section>\n"
    }
    main += loaders(isAll ? stretch : whole)
    return PageFrame.text(
      title: "\(story.sweep), repetition \(story.repetition)", skip: ("loaders", "Skip to the loaders"),
      header: "<h1><bdi>\(XMLText.line(story.sweep))</bdi></h1>\n<p>\(question)</p>\n", main: main,
      footer: "<p>\(XMLText.line(story.program.name)), model \(XMLText.line(story.program.modelVersion)), "
        + "repetition \(story.repetition), seed \(story.seed)</p>\n")
  }

  private var question: String {
    story.runs.count == 1
      ? "What was asked for when, and why was each loader shown?" : "Two settings on the same feed, network and thumb: why does one win?"
  }

  // MARK: The answer

  private var answer: String {
    let sentences = story.runs.indices.map { index -> String in
      let run = story.runs[index]
      let letter = story.letter(index).isEmpty ? "" : "\(story.letter(index)), "
      let reasons = Metric.reasons.compactMap { reason -> String? in
        let count = run.loaders.count { run.stays[$0].loader?.reason == reason }
        return count > 0 ? "\(count) \(reason.rawValue)" : nil
      }
      let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
      return
        "\(letter)<strong><bdi>\(XMLText.line(run.setting))</bdi></strong>: \(run.loaders.count) loaders in \(run.stays.count) items viewed\(why)."
    }
    return sentences.joined(separator: " ") + shared
  }

  /// How many loaders are each one's own; the thumb is the same, so that stays of one place belong together.
  private var shared: String {
    guard story.runs.count == 2 else { return "" }
    let (first, second) = (Set(story.runs[0].loaders), Set(story.runs[1].loaders))
    return " \(first.subtracting(second).count) only A shows, \(second.subtracting(first).count) only B, "
      + "\(first.intersection(second).count) both."
  }

  // MARK: Loaders

  /// Every loader of the runs, a row a stay; each leads to its mark in the picture where that shows it.
  private func loaders(_ chart: TimelineChart) -> String {
    let places = Set(story.runs.flatMap(\.loaders)).sorted()
    guard !places.isEmpty else { return "<p id=\"loaders\">No loader was shown.</p>\n" }
    var columns = [Table.Column("item", .right), Table.Column("kind"), Table.Column("active at, s", .right)]
    for index in story.runs.indices {
      let letter = story.letter(index).isEmpty ? "" : "\(story.letter(index)): "
      columns += [Table.Column("\(letter)reason"), Table.Column("\(letter)waited, s", .right)]
    }
    var table = Table(columns: columns)
    for place in places.prefix(Self.rowLimit) {
      let stays = story.runs.map { place < $0.stays.count ? $0.stays[place] : nil }
      guard let known = stays.compactMap({ $0 }).first(where: { $0.loader != nil }) else { continue }
      var cells = [Table.Cell(String(known.item)), Table.Cell(known.kind), Table.Cell(DecimalText.fixed(known.from / 1000, decimals: 3))]
      for (index, stay) in stays.enumerated() {
        guard let stay, let loader = stay.loader else {
          cells += [Table.Cell(""), Table.Cell("")]
          continue
        }
        let isDrawn = stay.from >= chart.ends.from && stay.from < chart.ends.to
        let target = isDrawn ? TimelinePanel.id(chart.name, run: index, stay: place) : ""
        cells += [
          Table.Cell(loader.reason.rawValue, target: target),
          Table.Cell(loader.isShown ? DecimalText.fixed(loader.wait / 1000, decimals: 3) : "never came"),
        ]
      }
      table.append(cells)
    }
    let shown = places.count > Self.rowLimit ? "the first \(Self.rowLimit) of \(places.count) items with a loader" : "every loader"
    return "<div id=\"loaders\">\n" + PageFrame.heading("Loaders")
      + table.html(caption: "\(shown.prefix(1).uppercased())\(shown.dropFirst()), in the order of the run", isSortable: true) + "</div>\n"
      + meanings
  }

  private var meanings: String {
    let reasons = Metric.reasons.filter { reason in
      story.runs.contains { run in run.loaders.contains { run.stays[$0].loader?.reason == reason } }
    }
    return "<dl>\n"
      + reasons.map { "<dt>\(XMLText.line($0.rawValue))</dt><dd>\(XMLText.line($0.meaning))</dd>\n" }.joined() + "</dl>\n"
  }
}
