// A run's picture: time goes right, items go down, so that the active item is a staircase and what was fetched ahead lies left of it.
// Settings stand above each other over one axis of time; an item that is still received when its step begins is a loader.

import Analysis
import Rendering

/// The axis of time that all panels of a picture share.
struct TimelineAxis {
  let scale: ChartScale
  /// The first and the last instant that the axis shows, in milliseconds.
  let from: Double, to: Double
  let millisecondsPerPixel: Double

  init(from: Double, to: Double, left: Double, width: Double) {
    let marks = min(900, Int(width / 110))
    scale = ChartScale([from / 1000, to / 1000], from: left, to: left + width, marks: marks)
    self.from = scale.ticks[0] * 1000
    self.to = (scale.ticks.last ?? 0) * 1000
    millisecondsPerPixel = (self.to - self.from) / width
  }

  /// The x of an instant.
  func x(_ milliseconds: Double) -> Double { scale.place(milliseconds / 1000) }

  /// A stretch of time, as far as the axis shows it.
  func across(_ from: Double, _ to: Double) -> (x: Double, width: Double) {
    let (start, end) = (x(max(from, self.from)), x(min(to, self.to)))
    return (start, max(0.5, end - start))
  }

  func shows(_ from: Double, _ to: Double) -> Bool { to > self.from && from < self.to }

  /// True if a stay of a loader begins on the axis.
  func shows(_ stay: RunTimeline.Stay) -> Bool { stay.from >= from && stay.from < to }
}

/// The picture of one run, or of two beside each other.
struct TimelineChart {
  /// The plot's least and largest width, and what an average stay has of it, in pixels.
  private static let widthLeast = 850.0, widthMost = 40_000.0, stayWidth = 28.0
  private static let left = 120.0, right = 140.0
  /// More requests and loaders than this are not drawn: the stretch ends before, and a page with the picture stays under 2 MB.
  static let drawnLimit = 4000
  /// So many loaders are listed in the picture's description.
  private static let listedLimit = 12

  let story: TimelineStory
  let axis: TimelineAxis
  /// The file's name, with which its elements' ids begin.
  let name: String
  private let window: TimelineWindow
  private let width: Double
  private let isShortened: Bool
  private let panels: [TimelinePanel]
  private let rates: TimelineRates

  /// A picture of a stretch.
  init(story: TimelineStory, window: TimelineWindow, name: String) {
    (self.story, self.window, self.name) = (story, window, name)
    let to = Self.shortened(window, story.runs)
    isShortened = to < window.to
    let stays = story.runs.map { run in run.stays.count { $0.to > window.from && $0.from < to } }.max() ?? 1
    let plot = min(Self.widthMost, max(Self.widthLeast, Double(stays) * Self.stayWidth))
    width = Self.left + plot + Self.right
    let axis = TimelineAxis(from: window.from, to: to, left: Self.left, width: plot)
    self.axis = axis
    rates = TimelineRates(story.runs, axis: axis, pixels: plot)
    var panels: [TimelinePanel] = []
    for (index, run) in story.runs.enumerated() {
      let top = panels.last.map { $0.bottom + 44 } ?? 104
      panels.append(TimelinePanel(run, axis: axis, top: top, chart: name, index: index))
    }
    self.panels = panels
  }

  /// The end of the stretch, or an earlier one where it has more than a picture holds.
  private static func shortened(_ window: TimelineWindow, _ runs: [RunTimeline]) -> Double {
    let drawn: [Double] = runs.flatMap { run -> [Double] in
      let requests = run.requests.filter { $0.ended > window.from && $0.asked < window.to }
      let loaders = run.stays.filter { $0.loader != nil && $0.from >= window.from && $0.from < window.to }
      return requests.map(\.asked) + loaders.map(\.from)
    }.sorted()
    return drawn.count > drawnLimit ? max(drawn[drawnLimit], window.from + 1) : window.to
  }

  // MARK: The picture

  var drawing: SVGDrawing {
    let title = story.runs.count == 1 ? "One run, item by item" : "\(story.runs.count) settings on the same seed, item by item"
    var chart = SVGDrawing(
      name: name, title: title, description: description, width: width, height: (panels.last?.bottom ?? 0) + 48,
      keepsWidth: width > Self.left + Self.widthLeast + Self.right)
    chart.heading(note: subtitle)
    legend(on: &chart)
    for (index, panel) in panels.enumerated() {
      frame(panel, letter: story.letter(index), on: &chart)
      rates.draw(index, from: panel.rateTop, height: TimelinePanel.rateHeight, scale: axis.scale, on: &chart)
      moments(panel, on: &chart)
      panel.draw(on: &chart)
    }
    return chart
  }

  private var subtitle: String {
    let shown = "\(Self.seconds(axis.from)) s to \(Self.seconds(axis.to)) s of \(Self.seconds(story.runs.map(\.end).max() ?? 0)) s"
    let cut = isShortened ? "; cut where the picture would hold more than \(Self.drawnLimit) requests and loaders" : ""
    return "\(story.sweep), repetition \(story.repetition): \(shown), \(window.reason)\(cut)"
  }

  private var description: String {
    let runs = story.runs.map { run in
      let shown = loaders(in: run)
      let words = shown.prefix(Self.listedLimit).map { item, loader in
        "item \(item) \(loader.reason.rawValue), waited for \(Self.seconds(loader.wait)) s"
      }
      let more = shown.count > Self.listedLimit ? " and \(shown.count - Self.listedLimit) more" : ""
      return "\(run.setting): \(run.loaders.count) loaders in \(run.stays.count) items viewed, \(shown.count) of them in this stretch"
        + (words.isEmpty ? "" : ": " + words.joined(separator: "; ") + more)
    }
    return "\(subtitle). " + runs.joined(separator: ". ") + "."
  }

  /// The loaders that the picture shows, in order.
  private func loaders(in run: RunTimeline) -> [(item: Int, loader: RunTimeline.Loader)] {
    run.stays.compactMap { stay in axis.shows(stay) ? stay.loader.map { (stay.item, $0) } : nil }
  }

  /// Seconds with as many places as a millisecond has.
  static func seconds(_ milliseconds: Double) -> String { DecimalText.trimmed(milliseconds / 1000, decimals: 3) }

  // MARK: The frame

  private func frame(_ panel: TimelinePanel, letter: String, on chart: inout SVGDrawing) {
    let (run, shown) = (panel.run, loaders(in: panel.run).map(\.loader))
    chart.text(16, panel.top + 6, letter.isEmpty ? run.setting : "\(letter): \(run.setting)", "head", limit: 150)
    let here = shown.isEmpty ? "none in this stretch" : "in this stretch " + RunTimeline.counts(shown).joined(separator: ", ")
    chart.text(
      16, panel.top + 22, "point \(run.point): \(run.loaders.count) loaders in \(run.stays.count) items viewed; \(here)", "note")
    for tick in axis.scale.ticks {
      chart.line(axis.scale.place(tick), panel.rateTop, axis.scale.place(tick), panel.bottom, "grid")
      chart.text(axis.scale.place(tick), panel.bottom + 15, axis.scale.label(tick), "tick", anchor: .middle)
    }
    chart.text(Self.left, panel.bottom + 30, "time, s", "axis")
  }

  private func moments(_ panel: TimelinePanel, on chart: inout SVGDrawing) {
    for moment in panel.run.moments where moment.to >= axis.from && moment.from <= axis.to {
      let (from, to) = (axis.x(max(moment.from, axis.from)), axis.x(min(moment.to, axis.to)))
      chart.rectangle(from, panel.rateTop, max(1.5, to - from), panel.bottom - panel.rateTop, "away", tip: moment.text)
      chart.text(from + 3, panel.rateTop + 10, moment.text, "tick")
    }
  }

  private func legend(on chart: inout SVGDrawing) {
    var place = (x: 16.0, y: 60.0)
    func entry(_ text: String, _ room: Double = 25, _ draw: (Double, Double, inout SVGDrawing) -> Void) {
      draw(place.x, place.y, &chart)
      chart.text(place.x + room, place.y + 4, text, "note")
      place.x += room + Double(text.count) * 6.3 + 16
    }
    entry("asked, no byte yet") { $2.rectangle($0, $1 - 3, 20, 6, "asked") }
    entry("received") { $2.rectangle($0, $1 - 3, 20, 6, "on") }
    if story.runs.contains(where: { $0.requests.contains { $0.part == .rest } }) {
      entry("rest of a video") { $2.rectangle($0, $1 - 2, 20, 4, "rest") }
    }
    entry("cut") {
      $2.rectangle($0, $1 - 3, 16, 6, "lost")
      $2.crosses([($0 + 16, $1)], radius: 4, "cut")
    }
    entry("stored") { $2.line($0, $1, $0 + 20, $1, "kept") }
    entry("on screen") { $2.rectangle($0, $1 - 7, 20, 14, "stay") }
    entry("waited for") {
      $2.rectangle($0, $1 - 7, 20, 14, "wait")
      $2.rectangle($0, $1 - 7, 20, 14, "stay")
    }
    place = (16, 80)
    let shown = story.runs.flatMap(loaders).map(\.loader.reason)
    for reason in Metric.reasons where shown.contains(reason) {
      entry("loader: \(reason.rawValue)", 15) { $2.diamond($0 + 6, $1, radius: 6, "f\(ChartStyle.index(of: reason))") }
    }
  }
}
