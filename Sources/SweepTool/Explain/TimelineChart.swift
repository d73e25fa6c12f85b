// The picture of a run: time on the x axis, one row for each item, so that visits form a staircase and earlier requests lie to their left.
// Two runs stand above each other on one time axis. An item that is still received when its visit begins is a loader.

import Analysis
import Base
import Rendering

/// A stretch of time, and the reason for its choice.
struct TimelineWindow {
  /// The visits shown before the one of interest, and from it on.
  private static let before = 8, after = 16

  /// The start and end, in milliseconds from the start of the run.
  let from: Double, to: Double
  let reason: String

  static func whole(_ runs: [RunTimeline]) -> TimelineWindow {
    TimelineWindow(from: 0, to: runs.map(\.end).max() ?? 0, reason: "the whole run")
  }

  /// Returns the stretch in which any run had some of the items on screen; nil if none had.
  static func items(_ items: ClosedRange<Int>, of runs: [RunTimeline]) -> TimelineWindow? {
    let visits = runs.flatMap { $0.visits.filter { items.contains($0.item) } }
    guard let from = visits.map(\.from).min(), let to = visits.map(\.to).max() else { return nil }
    let named = items.count == 1 ? "item \(items.lowerBound)" : "items \(items.lowerBound) to \(items.upperBound)"
    return TimelineWindow(from: from, to: to, reason: "while \(named) were on screen")
  }

  /// Returns the stretch around the first visit that differs between the runs, or else around the first loader.
  static func focus(_ runs: [RunTimeline]) -> TimelineWindow {
    let (visit, reason) = subject(runs)
    let ranges = runs.map { run in
      let last = run.visits.count - 1
      return (from: run.visits[max(0, min(visit, last) - before)].from, to: run.visits[min(last, visit + after - 1)].to)
    }
    return TimelineWindow(from: ranges.map(\.from).min() ?? 0, to: ranges.map(\.to).max() ?? 0, reason: reason)
  }

  /// Returns the index of the visit of interest, and the reason. Both runs have the same scroll script, so equal indices belong together.
  private static func subject(_ runs: [RunTimeline]) -> (visit: Int, reason: String) {
    func first(where isChosen: ([Metric?]) -> Bool) -> Int? {
      (0..<(runs.map(\.visits.count).max() ?? 0)).first { visit in
        isChosen(runs.map { visit < $0.visits.count ? $0.visits[visit].loader?.reason : nil })
      }
    }
    if let visit = first(where: { $0.contains(nil) && $0.contains { $0 != nil } }) {
      return (visit, "around the first loader that only one of them has")
    }
    // No prefetcher can avoid these loaders.
    if let visit = first(where: { $0.contains { ![nil, .unlisted, .impossible].contains($0) } }) {
      return (visit, "around the first loader that a prefetcher could have avoided")
    }
    if let visit = first(where: { $0.contains { $0 != nil } }) { return (visit, "around the first loader") }
    return (0, "the start, because there was no loader")
  }
}

struct TimelineAxis {
  let scale: ChartScale
  /// The first and the last instant of the axis, in milliseconds.
  let from: Double, to: Double
  let millisecondsPerPixel: Double

  init(from: Double, to: Double, left: Double, width: Double) {
    let marks = min(900, Int(width / 110))
    scale = ChartScale([from / 1000, to / 1000], from: left, to: left + width, marks: marks)
    self.from = scale.ticks[0] * 1000
    self.to = (scale.ticks.last ?? 0) * 1000
    millisecondsPerPixel = (self.to - self.from) / width
  }

  /// The pixel at its end.
  var right: Double { x(to) }

  func x(_ milliseconds: Double) -> Double { scale.position(milliseconds / 1000) }

  /// Returns the box of a stretch of time, clipped to the axis; nil outside of it.
  func box(_ from: Double, _ to: Double, y: Double, height: Double = 0) -> SVGDrawing.Box? {
    guard shows(from, to) else { return nil }
    let (start, end) = (x(max(from, self.from)), x(min(to, self.to)))
    return (start, y, max(0.5, end - start), height)
  }

  func shows(_ from: Double, _ to: Double) -> Bool { to > self.from && from < self.to }

  /// Returns true if the visit of a loader begins on the axis.
  func shows(_ visit: RunTimeline.Visit) -> Bool { visit.from >= from && visit.from < to }
}

struct TimelineChart {
  /// The minimum and maximum width of the plot, and the width of an average visit, in pixels.
  private static let widthLeast = 850.0, widthMost = 40_000.0, visitWidth = 28.0
  private static let left = 120.0
  static let right = 160.0
  /// The most requests and loaders in a picture. It ends before the next one, so that a page stays under 2 MB.
  static let drawnLimit = 4000
  private static let listedLimit = 12

  let trace: TimelineTrace
  let axis: TimelineAxis
  /// The file's name, and the prefix of its elements' ids.
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
    let visits = trace.runs.map { run in run.visits.count { $0.to > window.from && $0.from < to } }.max() ?? 1
    let plot = min(Self.widthMost, max(Self.widthLeast, Double(visits) * Self.visitWidth))
    width = Self.left + plot + Self.right
    axis = TimelineAxis(from: window.from, to: to, left: Self.left, width: plot)
    rates = TimelineRates(trace.runs, axis: axis, pixels: plot)
    for (index, run) in trace.runs.enumerated() {
      let top = panels.last.map { $0.bottom + 44 } ?? 120
      panels.append(TimelinePanel(run, axis: axis, top: top, chart: name, index: index))
    }
  }

  /// Returns the end of the stretch, or an earlier one if it has more than `drawnLimit` requests and loaders.
  private static func shortened(_ window: TimelineWindow, _ runs: [RunTimeline]) -> Double {
    let drawn: [Double] = runs.flatMap { run -> [Double] in
      let requests = run.requests.filter { $0.ended > window.from && $0.asked < window.to }
      let loaders = run.visits.filter { $0.loader != nil && $0.from >= window.from && $0.from < window.to }
      return requests.map(\.asked) + loaders.map(\.from)
    }.sorted()
    return drawn.count > drawnLimit ? max(drawn[drawnLimit], window.from + 1) : window.to
  }

  var drawing: SVGDrawing {
    let title = trace.runs.count == 1 ? "One run, item by item" : "\(trace.runs.count) points on the same seed, item by item"
    var chart = SVGDrawing(name: name, title: title, description: description, width: width, height: (panels.last?.bottom ?? 0) + 48)
    chart.heading(
      note: subtitle, rates.hasBursts ? "read above offered: bytes were held until a lost segment or the rest of their record arrived" : "")
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
    let limit = isShortened ? "; ends at the limit of \(Self.drawnLimit) requests and loaders in a picture" : ""
    return "\(trace.sweep), repetition \(trace.repetition): \(shown), \(window.reason)\(limit)"
  }

  private var description: String {
    let runs = trace.runs.map { run in
      let shown = loaders(in: run)
      let words = shown.prefix(Self.listedLimit).map { item, loader in
        "item \(item) \(loader.reason.rawValue), waited for \(Self.seconds(loader.wait)) s"
      }
      let more = shown.count > Self.listedLimit ? " and \(shown.count - Self.listedLimit) more" : ""
      return "\(run.name): \(run.counted), \(shown.count) of them in this stretch"
        + (words.isEmpty ? "" : ": " + words.joined(separator: "; ") + more)
    }
    return "\(subtitle). " + runs.joined(separator: ". ") + "."
  }

  private func loaders(in run: RunTimeline) -> [(item: Int, loader: RunTimeline.Loader)] {
    run.visits.compactMap { visit in axis.shows(visit) ? visit.loader.map { (visit.item, $0) } : nil }
  }

  /// Returns seconds with up to three decimals.
  static func seconds(_ milliseconds: Double) -> String { DecimalText.trimmed(milliseconds / 1000, decimals: 3) }

  private func frame(_ panel: TimelinePanel, letter: String, on chart: inout SVGDrawing) {
    let (run, shown) = (panel.run, loaders(in: panel.run).map(\.loader))
    chart.text(16, panel.top + 6, letter.isEmpty ? run.name : "\(letter): \(run.name)", "head", limit: 150)
    let here = shown.isEmpty ? "none in this stretch" : "in this stretch " + RunTimeline.counts(shown).joined(separator: ", ")
    chart.text(16, panel.top + 22, "point \(run.point): \(run.counted); \(here)", "note")
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
    var position = (x: 16.0, y: 76.0)
    func entry(_ text: String, _ room: Double = 25, _ draw: (Double, Double, inout SVGDrawing) -> Void) {
      draw(position.x, position.y, &chart)
      chart.text(position.x + room, position.y + 4, text, "note")
      position.x += room + Double(text.count) * 6.3 + 16
    }
    entry("requested, no byte yet") { $2.rectangle($0, $1 - 3, 20, 6, "requested") }
    entry("received") { $2.rectangle($0, $1 - 3, 20, 6, "on") }
    if trace.runs.contains(where: { $0.requests.contains { $0.part == .rest } }) {
      entry("rest of a video") { $2.rectangle($0, $1 - 2, 20, 4, "rest") }
    }
    entry("cancelled") {
      $2.rectangle($0, $1 - 3, 16, 6, "undelivered")
      $2.crosses([($0 + 16, $1)], radius: 4, "cancelled")
    }
    entry("stored") { $2.line($0, $1, $0 + 20, $1, "kept") }
    entry("on screen") { $2.rectangle($0, $1 - 7, 20, 14, "dwell") }
    entry("waiting") {
      $2.rectangle($0, $1 - 7, 20, 14, "wait")
      $2.rectangle($0, $1 - 7, 20, 14, "dwell")
    }
    position = (16, 96)
    let shown = trace.runs.flatMap(loaders).map(\.loader.reason)
    for reason in Metric.reasons where shown.contains(reason) {
      entry("loader: \(reason.rawValue)", 15) { $2.diamond($0 + 6, $1, radius: 6, ChartStyle.fill(of: reason)) }
    }
  }
}

/// The rates of some runs over one stretch, on one scale.
struct TimelineRates {
  /// The minimum width of a curve's step in pixels, and its minimum duration in milliseconds.
  /// In-order delivery is read in bursts, and shorter steps would mostly show those.
  private static let stepWidth = 6.0
  private static let stepLength = 250.0

  /// The starts of the steps, and the end of the last, in milliseconds.
  private let steps: [Double]
  /// The rates by run and step, in bits a second.
  private let offered: [[Double]], read: [[Double]]
  private let unit: Double

  init(_ runs: [RunTimeline], axis: TimelineAxis, pixels: Double) {
    let (from, to) = (axis.from, axis.to)
    // A step is 1, 2.5 or 5 × 10^n milliseconds, whatever the start of the stretch.
    let (step, _) = ChartScale.step(max(Self.stepLength, (to - from) / pixels * Self.stepWidth), leads: [1, 2.5, 5])
    let count = max(1, Int(((to - from) / step).rounded(.up)))
    let instants = (0...count).map { min(to, from + Double($0) * step) }
    let volumes = runs.map { run in instants.map(run.volumes) }
    func rates(_ amount: (RunTimeline.Volumes) -> Double) -> [[Double]] {
      volumes.map { row in zip(row, row.dropFirst()).map { ($1.at > $0.at ? (amount($1) - amount($0)) * 8000 / ($1.at - $0.at) : 0) } }
    }
    (steps, offered, read) = (instants, rates(\.offered), rates(\.read))
    unit = offered.joined().max() ?? 0 >= 2_000_000 ? 1_000_000 : 1000
  }

  /// True if a run reads faster than its link offers in some step.
  var hasBursts: Bool { zip(read.joined(), offered.joined()).contains { $0 > $1 * 1.01 } }

  func draw(_ run: Int, from top: Double, height: Double, scale: ChartScale, on chart: inout SVGDrawing) {
    // The offered rate sets the scale; a burst of reading above it is clipped.
    let up = ChartScale(offered.joined().map { $0 / unit }, from: top + height, to: top, includesZero: true, marks: 2)
    guard let first = scale.ticks.first, let last = scale.ticks.last else { return }
    area(offered[run], up, scale, "offer", "offered by the link", on: &chart)
    area(read[run], up, scale, "read", "read by the client; after a loss it reads in bursts, which can exceed the link's rate", on: &chart)
    chart.verticalAxis(up, left: scale.position(first), right: scale.position(last))
    chart.text(16, top + 12, unit == 1_000_000 ? "link, Mbit/s" : "link, kbit/s", "axis")
    for (y, text, style) in [(top + 28, "offered", "offer"), (top + 43, "read", "read")] {
      chart.text(16, y, text, "tick")
      chart.rectangle(62, y - 8, 10, 9, style)
    }
  }

  private func area(_ rates: [Double], _ up: ChartScale, _ scale: ChartScale, _ style: String, _ tip: String, on chart: inout SVGDrawing) {
    var corners = [(x: scale.position(steps[0] / 1000), y: up.position(0))]
    var level: Double?
    for (index, rate) in rates.enumerated() {
      let rate = min(rate, (up.ticks.last ?? 0) * unit)
      let y = up.position(rate / unit)
      // An unchanged rate adds no corner.
      if level != rate {
        let x = scale.position(steps[index] / 1000)
        if let level { corners.append((x, up.position(level / unit))) }
        corners.append((x, y))
        level = rate
      }
    }
    let end = scale.position((steps.last ?? 0) / 1000)
    corners += [(end, up.position((level ?? 0) / unit)), (end, up.position(0))]
    chart.path(corners, isClosed: true, style, tip: tip)
  }
}
