// A run's picture: time goes right, items go down, so that the active item is a staircase and what was fetched ahead lies left of it.
// Settings stand above each other over one axis of time; an item that is still received when its step begins is a loader.

import Analysis
import Rendering

/// A stretch of time, and why it is this one.
struct TimelineWindow {
  /// How many stays a picture shows before the one it is about, and from it on.
  private static let before = 8, after = 16

  /// In milliseconds from the start of the run.
  let from: Double, to: Double
  let reason: String

  static func whole(_ runs: [RunTimeline]) -> TimelineWindow {
    TimelineWindow(from: 0, to: runs.map(\.end).max() ?? 0, reason: "the whole run")
  }

  /// The stretch in which any of the runs had some items on screen; nil where none had.
  static func items(_ items: ClosedRange<Int>, of runs: [RunTimeline]) -> TimelineWindow? {
    let stays = runs.flatMap { $0.stays.filter { items.contains($0.item) } }
    guard let from = stays.map(\.from).min(), let to = stays.map(\.to).max() else { return nil }
    let named = items.count == 1 ? "item \(items.lowerBound)" : "items \(items.lowerBound) to \(items.upperBound)"
    return TimelineWindow(from: from, to: to, reason: "while \(named) were on screen")
  }

  /// The stretch around the first stay that tells the runs apart, or else around the first loader.
  static func focus(_ runs: [RunTimeline]) -> TimelineWindow {
    let (stay, reason) = subject(runs)
    let ranges = runs.map { run in
      let last = run.stays.count - 1
      return (from: run.stays[max(0, min(stay, last) - before)].from, to: run.stays[min(last, stay + after - 1)].to)
    }
    return TimelineWindow(from: ranges.map(\.from).min() ?? 0, to: ranges.map(\.to).max() ?? 0, reason: reason)
  }

  /// The index of the stay that a picture is about, and why. The scroll script is the same, so that stays of one index belong together.
  private static func subject(_ runs: [RunTimeline]) -> (stay: Int, reason: String) {
    func first(where isChosen: ([Metric?]) -> Bool) -> Int? {
      (0..<(runs.map(\.stays.count).max() ?? 0)).first { stay in
        isChosen(runs.map { stay < $0.stays.count ? $0.stays[stay].loader?.reason : nil })
      }
    }
    if let stay = first(where: { $0.contains(nil) && $0.contains { $0 != nil } }) {
      return (stay, "around the first loader that only one of them shows")
    }
    // No setting can help these.
    if let stay = first(where: { $0.contains { ![nil, .unlisted, .impossible].contains($0) } }) {
      return (stay, "around the first loader that a prefetcher could have spared")
    }
    if let stay = first(where: { $0.contains { $0 != nil } }) { return (stay, "around the first loader") }
    return (0, "the start, as no loader was shown")
  }
}

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

  func x(_ milliseconds: Double) -> Double { scale.position(milliseconds / 1000) }

  /// A stretch of time, as far as the axis shows it; nil where it does not.
  func box(_ from: Double, _ to: Double, y: Double, height: Double = 0) -> SVGDrawing.Box? {
    guard shows(from, to) else { return nil }
    let (start, end) = (x(max(from, self.from)), x(min(to, self.to)))
    return (start, y, max(0.5, end - start), height)
  }

  func shows(_ from: Double, _ to: Double) -> Bool { to > self.from && from < self.to }

  /// True if a stay of a loader begins on the axis.
  func shows(_ stay: RunTimeline.Stay) -> Bool { stay.from >= from && stay.from < to }
}

struct TimelineChart {
  /// The plot's least and largest width, and what an average stay has of it, in pixels.
  private static let widthLeast = 850.0, widthMost = 40_000.0, stayWidth = 28.0
  private static let left = 120.0, right = 140.0
  /// More requests and loaders than this are not drawn: the stretch ends before, and a page with the picture stays under 2 MB.
  static let drawnLimit = 4000
  private static let listedLimit = 12

  let trace: TimelineTrace
  let axis: TimelineAxis
  /// The file's name, with which its elements' ids begin.
  let name: String
  private let window: TimelineWindow
  private let width: Double
  private let isShortened: Bool
  private var panels: [TimelinePanel] = []
  private let rates: TimelineRates

  init(trace: TimelineTrace, window: TimelineWindow, name: String) {
    (self.trace, self.window, self.name) = (trace, window, name)
    let to = Self.shortened(window, trace.runs)
    isShortened = to < window.to
    let stays = trace.runs.map { run in run.stays.count { $0.to > window.from && $0.from < to } }.max() ?? 1
    let plot = min(Self.widthMost, max(Self.widthLeast, Double(stays) * Self.stayWidth))
    width = Self.left + plot + Self.right
    axis = TimelineAxis(from: window.from, to: to, left: Self.left, width: plot)
    rates = TimelineRates(trace.runs, axis: axis, pixels: plot)
    for (index, run) in trace.runs.enumerated() {
      let top = panels.last.map { $0.bottom + 44 } ?? 104
      panels.append(TimelinePanel(run, axis: axis, top: top, chart: name, index: index))
    }
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
    let title = trace.runs.count == 1 ? "One run, item by item" : "\(trace.runs.count) settings on the same seed, item by item"
    var chart = SVGDrawing(
      name: name, title: title, description: description, width: width, height: (panels.last?.bottom ?? 0) + 48,
      keepsWidth: width > Self.left + Self.widthLeast + Self.right)
    chart.heading(note: subtitle)
    legend(on: &chart)
    for (index, panel) in panels.enumerated() {
      frame(panel, letter: trace.letter(index), on: &chart)
      rates.draw(index, from: panel.rateTop, height: TimelinePanel.rateHeight, scale: axis.scale, on: &chart)
      moments(panel, on: &chart)
      panel.draw(on: &chart)
    }
    return chart
  }

  private var subtitle: String {
    let shown = "\(Self.seconds(axis.from)) s to \(Self.seconds(axis.to)) s of \(Self.seconds(trace.runs.map(\.end).max() ?? 0)) s"
    let cut = isShortened ? "; cut where the picture would hold more than \(Self.drawnLimit) requests and loaders" : ""
    return "\(trace.sweep), repetition \(trace.repetition): \(shown), \(window.reason)\(cut)"
  }

  private var description: String {
    let runs = trace.runs.map { run in
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
    chart.horizontalAxis(axis.scale, top: panel.rateTop, bottom: panel.bottom, below: 15)
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
    if trace.runs.contains(where: { $0.requests.contains { $0.part == .rest } }) {
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
    let shown = trace.runs.flatMap(loaders).map(\.loader.reason)
    for reason in Metric.reasons where shown.contains(reason) {
      entry("loader: \(reason.rawValue)", 15) { $2.diamond($0 + 6, $1, radius: 6, "f\(ChartStyle.index(of: reason))") }
    }
  }
}

/// The rates of some runs over one stretch, on one scale.
struct TimelineRates {
  /// A step of a curve is at least so wide, in pixels, and so long, in milliseconds: what comes in order is read in bursts, and shorter
  /// steps would show little else.
  private static let stepWidth = 6.0
  private static let stepLength = 250.0

  /// The instants at which steps begin, and the last one's end, in milliseconds.
  private let steps: [Double]
  /// For each run and step, bits a second.
  private let offered: [[Double]], read: [[Double]]
  private let unit: Double

  init(_ runs: [RunTimeline], axis: TimelineAxis, pixels: Double) {
    let (from, to) = (axis.from, axis.to)
    // A step is 1, 2.5 or 5 × 10^n milliseconds, so that it does not depend on where the stretch begins.
    let (step, _) = ChartScale.step(max(Self.stepLength, (to - from) / pixels * Self.stepWidth), leads: [1, 2.5, 5])
    let count = max(1, Int(((to - from) / step).rounded(.up)))
    let instants = (0...count).map { min(to, from + Double($0) * step) }
    let volumes = runs.map { run in instants.map(run.volumes) }
    func rates(_ amount: (RunTimeline.Volumes) -> Double) -> [[Double]] {
      volumes.map { row in
        zip(row, row.dropFirst()).map { ($1.at > $0.at ? (amount($1) - amount($0)) * 8000 / ($1.at - $0.at) : 0) }
      }
    }
    (steps, offered, read) = (instants, rates(\.offered), rates(\.read))
    unit = offered.joined().max() ?? 0 >= 2_000_000 ? 1_000_000 : 1000
  }

  func draw(_ run: Int, from top: Double, height: Double, scale: ChartScale, on chart: inout SVGDrawing) {
    // The link's rate makes the scale; a burst that is read above it ends at the top.
    let up = ChartScale(offered.joined().map { $0 / unit }, from: top + height, to: top, includesZero: true, marks: 2)
    guard let first = scale.ticks.first, let last = scale.ticks.last else { return }
    area(offered[run], up, scale, "offer", "what the link offered", on: &chart)
    area(
      read[run], up, scale, "read",
      "what was read: in bursts where something had been lost, and so above the link's rate at times", on: &chart)
    chart.verticalAxis(up, left: scale.position(first), right: scale.position(last))
    chart.text(16, top + 12, unit == 1_000_000 ? "link, Mbit/s" : "link, kbit/s", "axis")
    for (y, text, style) in [(top + 28, "offered", "offer"), (top + 43, "read", "read")] {
      chart.text(16, y, text, "tick")
      chart.rectangle(62, y - 8, 10, 9, style)
    }
  }

  private func area(_ rates: [Double], _ up: ChartScale, _ scale: ChartScale, _ style: String, _ tip: String, on chart: inout SVGDrawing) {
    var places = [(x: scale.position(steps[0] / 1000), y: up.position(0))]
    var level: Double?
    for (index, rate) in rates.enumerated() {
      let rate = min(rate, (up.ticks.last ?? 0) * unit)
      let y = up.position(rate / unit)
      // A rate that stays makes no new corner.
      if level != rate {
        let x = scale.position(steps[index] / 1000)
        if let level { places.append((x, up.position(level / unit))) }
        places.append((x, y))
        level = rate
      }
    }
    let end = scale.position((steps.last ?? 0) / 1000)
    places += [(end, up.position((level ?? 0) / unit)), (end, up.position(0))]
    chart.path(places, isClosed: true, style, tip: tip)
  }
}
