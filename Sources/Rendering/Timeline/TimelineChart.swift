// A run's picture: time goes right, items go down, so that the active item is a staircase and what was fetched ahead lies left of it.
// Settings stand above each other over one axis of time; an item that is still received when its step begins is a loader.

import Analysis

/// The picture of one run, or of two beside each other.
struct TimelineChart {
  /// The plot's least and largest width, and what an average stay has of it, in pixels.
  private static let widthLeast = 850.0
  private static let widthMost = 40_000.0
  private static let stayWidth = 28.0
  /// More requests and loaders than this are not drawn: the stretch ends before, and a page with the picture stays under 2 MB.
  static let drawnLimit = 4000
  /// So many loaders are told in the picture's description.
  private static let toldLimit = 12

  static let left = 120.0
  static let right = 140.0
  static let pitch = 18.0
  static let pagePitch = 12.0
  private static let rateHeight = 62.0

  let story: TimelineStory
  let scale: ChartScale
  /// The file's name, with which its elements' ids begin.
  let name: String
  private let window: TimelineWindow
  private let width: Double
  private let isShortened: Bool
  private let panels: [Panel]
  private let rates: TimelineRates

  /// One run's part of the picture.
  struct Panel {
    let run: RunTimeline
    let rows: TimelineRows
    /// The requests of pages, by their places, and the row of each.
    let pages: [(request: Int, row: Int)]
    let pageRows: Int
    /// Where its title, its link and its rows begin, and where they end.
    let top: Double, rateTop: Double, pagesTop: Double, rowsTop: Double, bottom: Double
  }

  /// A picture of a stretch.
  init(story: TimelineStory, window: TimelineWindow, name: String) {
    self.story = story
    self.name = name
    let to = Self.shortened(window, story.runs)
    self.window = window
    isShortened = to < window.to
    let stays = story.runs.map { run in run.stays.count { $0.to > window.from && $0.from < to } }.max() ?? 1
    let plot = min(Self.widthMost, max(Self.widthLeast, Double(stays) * Self.stayWidth))
    width = Self.left + plot + Self.right
    let scale = ChartScale([window.from / 1000, to / 1000], from: Self.left, to: Self.left + plot, marks: min(900, Int(plot / 110)))
    self.scale = scale
    let ends = (from: scale.ticks[0] * 1000, to: (scale.ticks.last ?? 0) * 1000)
    rates = TimelineRates(story.runs, from: ends.from, to: ends.to, pixels: plot)
    let millisecondsPerPixel = (ends.to - ends.from) / plot
    var top = 104.0
    panels = story.runs.map { run in
      let panel = Self.panel(run, ends, millisecondsPerPixel: millisecondsPerPixel, top: top)
      top = panel.bottom + 44
      return panel
    }
  }

  /// The end of the stretch, or an earlier one where it has more than a picture holds.
  private static func shortened(_ window: TimelineWindow, _ runs: [RunTimeline]) -> Double {
    let drawn = runs.flatMap { run in
      run.requests.filter { $0.ended > window.from && $0.asked < window.to }.map(\.asked)
        + run.stays.filter { $0.loader != nil && $0.from >= window.from && $0.from < window.to }.map(\.from)
    }.sorted()
    return drawn.count > drawnLimit ? max(drawn[drawnLimit], window.from + 1) : window.to
  }

  private static func panel(_ run: RunTimeline, _ ends: (from: Double, to: Double), millisecondsPerPixel: Double, top: Double) -> Panel {
    let rows = TimelineRows(
      run, from: ends.from, to: ends.to, room: 46 * millisecondsPerPixel, loaderRoom: 70 * millisecondsPerPixel)
    var free: [Double] = []
    var pages: [(request: Int, row: Int)] = []
    for place in run.requests.indices where run.requests[place].part == .page {
      let request = run.requests[place]
      guard request.ended > ends.from, request.asked < ends.to else { continue }
      let row = free.firstIndex { $0 <= request.asked } ?? free.count
      if row == free.count { free.append(0) }
      free[row] = request.ended + 50 * millisecondsPerPixel
      pages.append((place, row))
    }
    let rateTop = top + 34
    let pagesTop = rateTop + rateHeight + 12
    let rowsTop = pagesTop + Double(free.count) * pagePitch + (free.isEmpty ? 0 : 8)
    return Panel(
      run: run, rows: rows, pages: pages, pageRows: free.count, top: top, rateTop: rateTop, pagesTop: pagesTop, rowsTop: rowsTop,
      bottom: rowsTop + Double(rows.count) * pitch + 6)
  }

  // MARK: The picture

  var drawing: SVGDrawing {
    var chart = SVGDrawing(
      name: name, title: title, description: description, width: width, height: (panels.last?.bottom ?? 0) + 48,
      keepsWidth: width > Self.left + Self.widthLeast + Self.right)
    chart.text(16, 22, title, "head")
    chart.text(16, 40, subtitle, "note")
    legend(on: &chart)
    for (index, panel) in panels.enumerated() {
      frame(panel, letter: story.letter(index), on: &chart)
      rates.draw(index, from: panel.rateTop, height: Self.rateHeight, scale: scale, on: &chart)
      moments(panel, on: &chart)
      TimelinePanel(chart: self, panel: panel, index: index).draw(on: &chart)
    }
    return chart
  }

  /// The place of an instant.
  func x(_ milliseconds: Double) -> Double { scale.place(milliseconds / 1000) }

  /// The first and the last instant that the axis shows.
  var ends: (from: Double, to: Double) { (scale.ticks[0] * 1000, (scale.ticks.last ?? 0) * 1000) }

  private var title: String {
    story.runs.count == 1 ? "One run, item by item" : "\(story.runs.count) settings on the same seed, item by item"
  }

  private var subtitle: String {
    let shown = "\(Self.seconds(ends.from)) s to \(Self.seconds(ends.to)) s of \(Self.seconds(story.runs.map(\.end).max() ?? 0)) s"
    let cut = isShortened ? "; cut where the picture would hold more than \(Self.drawnLimit) requests and loaders" : ""
    return "\(story.sweep), repetition \(story.repetition): \(shown), \(window.reason)\(cut)"
  }

  private var description: String {
    let told = story.runs.map { run in
      let shown = loaders(in: run)
      let words = shown.prefix(Self.toldLimit).map { stay in
        "item \(stay.item) \(stay.loader?.reason.rawValue ?? ""), waited for \(Self.seconds(stay.loader?.wait ?? 0)) s"
      }
      let more = shown.count > Self.toldLimit ? " and \(shown.count - Self.toldLimit) more" : ""
      return "\(run.setting): \(run.loaders.count) loaders in \(run.stays.count) items viewed, \(shown.count) of them in this stretch"
        + (words.isEmpty ? "" : ": " + words.joined(separator: "; ") + more)
    }
    return "\(subtitle). " + told.joined(separator: ". ") + "."
  }

  /// The stays with a loader that the picture shows, in order.
  func loaders(in run: RunTimeline) -> [RunTimeline.Stay] {
    run.stays.filter { $0.loader != nil && $0.from >= ends.from && $0.from < ends.to }
  }

  /// Seconds with as many places as a millisecond has.
  static func seconds(_ milliseconds: Double) -> String { DecimalText.trimmed(milliseconds / 1000, decimals: 3) }

  // MARK: The frame

  private func frame(_ panel: Panel, letter: String, on chart: inout SVGDrawing) {
    let shown = loaders(in: panel.run)
    chart.text(16, panel.top + 6, letter.isEmpty ? panel.run.setting : "\(letter): \(panel.run.setting)", "head", limit: 150)
    let reasons = Metric.reasons.compactMap { reason -> String? in
      let count = shown.count { $0.loader?.reason == reason }
      return count > 0 ? "\(count) \(reason.rawValue)" : nil
    }
    let here = shown.isEmpty ? "none in this stretch" : "in this stretch " + reasons.joined(separator: ", ")
    chart.text(
      16, panel.top + 22, "point \(panel.run.point): \(panel.run.loaders.count) loaders in \(panel.run.stays.count) items viewed; \(here)",
      "note")
    for tick in scale.ticks {
      chart.line(scale.place(tick), panel.rateTop, scale.place(tick), panel.bottom, "grid")
      chart.text(scale.place(tick), panel.bottom + 15, scale.label(tick), "tick", anchor: .middle)
    }
    chart.text(Self.left, panel.bottom + 30, "time, s", "axis")
  }

  private func moments(_ panel: Panel, on chart: inout SVGDrawing) {
    for moment in panel.run.moments where moment.to >= ends.from && moment.from <= ends.to {
      let (from, to) = (x(max(moment.from, ends.from)), x(min(moment.to, ends.to)))
      chart.rectangle(from, panel.rateTop, max(1.5, to - from), panel.bottom - panel.rateTop, "away", tip: moment.text)
      chart.text(from + 3, panel.rateTop + 10, moment.text, "tick")
    }
  }

  private func legend(on chart: inout SVGDrawing) {
    var place = (x: 16.0, y: 60.0)
    func entry(_ text: String, _ room: Double, _ draw: (Double, Double, inout SVGDrawing) -> Void) {
      draw(place.x, place.y, &chart)
      chart.text(place.x + room, place.y + 4, text, "note")
      place.x += room + Double(text.count) * 6.3 + 16
    }
    entry("asked, no byte yet", 25) { $2.rectangle($0, $1 - 3, 20, 6, "asked") }
    entry("received", 25) { $2.rectangle($0, $1 - 3, 20, 6, "on") }
    if story.runs.contains(where: { $0.requests.contains { $0.part == .rest } }) {
      entry("rest of a video", 25) { $2.rectangle($0, $1 - 2, 20, 4, "rest") }
    }
    entry("cut", 25) {
      $2.rectangle($0, $1 - 3, 16, 6, "lost")
      $2.crosses([($0 + 16, $1)], radius: 4, "cut")
    }
    entry("stored", 25) { $2.line($0, $1, $0 + 20, $1, "kept") }
    entry("on screen", 25) { $2.rectangle($0, $1 - 7, 20, 14, "stay") }
    entry("waited for", 25) {
      $2.rectangle($0, $1 - 7, 20, 14, "wait")
      $2.rectangle($0, $1 - 7, 20, 14, "stay")
    }
    place = (16, 80)
    for reason in Metric.reasons where story.runs.contains(where: { loaders(in: $0).contains { $0.loader?.reason == reason } }) {
      entry("loader: \(reason.rawValue)", 15) { $2.diamond($0 + 6, $1, radius: 6, "f\(ReasonsChart.style(reason))") }
    }
  }
}
