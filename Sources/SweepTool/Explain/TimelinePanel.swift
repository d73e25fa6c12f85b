// One run's part of a picture: bars of requests, the visits, the marks of loaders.

import Base
import Rendering

struct TimelinePanel {
  static let rateHeight = 62.0
  private static let pitch = 18.0, pagePitch = 12.0

  let run: RunTimeline
  private let axis: TimelineAxis
  /// The picture's name and the run's index, for the ids of marks.
  private let chart: String, index: Int
  private let rows: TimelineRows
  private var pages: [(request: RunTimeline.Request, row: Int)] = []
  let top: Double, rateTop: Double, bottom: Double
  private let pagesTop: Double, rowsTop: Double

  init(_ run: RunTimeline, axis: TimelineAxis, top: Double, chart: String, index: Int) {
    (self.run, self.axis, self.top, self.chart, self.index) = (run, axis, top, chart, index)
    let pixel = axis.millisecondsPerPixel
    rows = TimelineRows(run, from: axis.from, to: axis.to, room: 72 * pixel, loaderRoom: 150 * pixel)
    // The end of the last request in each row.
    var ends: [Double] = []
    for request in run.requests where request.part == .page && axis.shows(request.asked, request.ended) {
      let row = ends.firstIndex { $0 <= request.asked } ?? ends.count
      if row == ends.count { ends.append(0) }
      ends[row] = request.ended + 50 * pixel
      pages.append((request, row))
    }
    rateTop = top + 34
    pagesTop = rateTop + Self.rateHeight + 12
    rowsTop = pagesTop + Double(ends.count) * Self.pagePitch + (ends.isEmpty ? 0 : 8)
    bottom = rowsTop + Double(rows.count) * Self.pitch + 6
  }

  /// Returns the id of a loader's mark, by the index of its visit.
  static func id(_ name: String, run: Int, visit: Int) -> String { "\(name)-loader-\(run + 1)-\(visit + 1)" }

  func draw(on drawing: inout SVGDrawing) {
    if !pages.isEmpty { drawing.text(16, pagesTop + 9, "pages", "axis") }
    drawing.text(16, rowsTop + 12, "items", "axis")
    waits(on: &drawing)
    stored(on: &drawing)
    requests(on: &drawing)
    visits(on: &drawing)
    labels(on: &drawing)
  }

  private func y(_ lifetime: TimelineRows.Lifetime) -> Double { rowsTop + Double(lifetime.row) * Self.pitch }

  private func requests(on drawing: inout SVGDrawing) {
    var asked: [SVGDrawing.Box] = []
    var cancels: [(x: Double, y: Double)] = []
    func bar(_ request: RunTimeline.Request, y: Double, height: Double, _ style: String) {
      guard axis.shows(request.asked, max(request.ended, request.asked + 0.001)) else { return }
      let began = min(request.began ?? request.ended, request.ended)
      asked += axis.box(request.asked, began, y: y, height: height).map { [$0] } ?? []
      if request.began != nil, let box = axis.box(began, request.ended, y: y, height: height) {
        drawing.rectangle(box, request.end == .cancelled ? "undelivered" : style, tip: tip(request))
      }
      if request.end == .cancelled, axis.shows(request.ended - 0.001, request.ended) {
        cancels.append((axis.x(request.ended), y + height / 2))
      }
    }
    for page in pages { bar(page.request, y: pagesTop + Double(page.row) * Self.pagePitch + 2, height: 6, "page") }
    for lifetime in rows.lifetimes {
      for request in lifetime.requests {
        let isRest = request.part == .rest
        bar(request, y: y(lifetime) + (isRest ? 10.5 : 3), height: isRest ? 4 : 6.5, isRest ? "rest" : "on")
      }
    }
    drawing.boxes(asked, "requested")
    drawing.crosses(cancels, radius: 3.5, "cancelled")
  }

  private func tip(_ request: RunTimeline.Request) -> String {
    let seconds = TimelineChart.seconds
    let subject =
      switch request.part {
      case .page: "page \(request.item + 1)"
      case .rest: "item \(request.item) (\(request.kind)), the rest"
      case .ready: "item \(request.item) (\(request.kind))"
      }
    let active = request.activeItem.map { " while item \($0) was active" } ?? ""
    let end =
      switch request.end {
      case .finished: "complete at \(seconds(request.ended)) s, \(request.bytes) bytes"
      case .cancelled: "cancelled at \(seconds(request.ended)) s, after \(request.received) of \(request.bytes) bytes"
      case .unfinished: "in flight when the run ended, \(request.received) of \(request.bytes) bytes"
      }
    return "\(subject): requested at \(seconds(request.asked)) s\(active), first byte at \(request.began.map(seconds) ?? "-") s, \(end)"
  }

  private func stored(on drawing: inout SVGDrawing) {
    for lifetime in rows.lifetimes {
      guard let visit = lifetime.visits.first?.visit, visit.loader == nil,
        let last = lifetime.requests.map(\.ended).filter({ $0 <= visit.from }).max(),
        let box = axis.box(last, visit.from, y: y(lifetime) + 6.3)
      else { continue }
      drawing.line(box.x, box.y, box.x + box.width, box.y, "kept")
    }
  }

  private func waits(on drawing: inout SVGDrawing) {
    let boxes = rows.lifetimes.flatMap { lifetime in
      lifetime.visits.compactMap { _, visit in
        visit.loader.flatMap { axis.box(visit.from, visit.from + $0.wait, y: y(lifetime), height: 16) }
      }
    }
    drawing.boxes(boxes, "wait")
  }

  private func visits(on drawing: inout SVGDrawing) {
    let shown = rows.lifetimes.flatMap { lifetime in
      lifetime.visits.compactMap { visitIndex, visit in
        axis.box(visit.from, visit.to, y: y(lifetime), height: 16).map { (index: visitIndex, visit: visit, box: $0) }
      }
    }
    drawing.boxes(shown.map(\.box), "dwell")
    for (visitIndex, visit, box) in shown {
      guard let loader = visit.loader, visit.from >= axis.from else { continue }
      drawing.diamond(
        box.x, box.y + 8, radius: 6, "loader \(ChartStyle.fill(of: loader.reason))", tip: tip(visit, loader),
        id: Self.id(chart, run: index, visit: visitIndex))
    }
  }

  private func tip(_ visit: RunTimeline.Visit, _ loader: RunTimeline.Loader) -> String {
    let seconds = TimelineChart.seconds
    let asked = loader.asked.map { "requested at \(seconds($0)) s" } ?? "not requested before"
    let cancelled = loader.cancelled.map { ", cancelled at \(seconds($0)) s" } ?? ""
    return "item \(visit.item) (\(visit.kind)) is active at \(seconds(visit.from)) s and not ready: \(loader.reason.rawValue). "
      + "It was \(asked)\(cancelled), and alone on the link would have been ready at \(seconds(loader.readyAlone)) s; "
      + (loader.isShown ? "the user waited \(seconds(loader.wait)) s." : "it did not become ready while it was active.")
  }

  /// Draws the items' numbers before their bars, and the loaders' reasons after them or, without room, before the numbers; never on a bar.
  private func labels(on drawing: inout SVGDrawing) {
    var taken = [[ClosedRange<Double>]](repeating: [], count: rows.count)
    for lifetime in rows.lifetimes {
      guard let box = axis.box(lifetime.from, lifetime.to, y: 0) else { continue }
      taken[lifetime.row].append(box.x - 6...box.x + box.width + 4)
    }
    /// Draws a text from `x` and returns true if its span of the row is free and on the picture.
    func fits(_ text: String, _ style: String, _ row: Int, _ x: Double) -> Bool {
      let span = x...x + Double(text.count) * 6.6
      guard span.lowerBound >= 44, span.upperBound <= axis.right + TimelineChart.right, !taken[row].contains(where: { $0.overlaps(span) })
      else { return false }
      taken[row].append(span)
      drawing.text(x, rowsTop + Double(row) * Self.pitch + 12, text, style)
      return true
    }
    for lifetime in rows.lifetimes {
      let text = lifetime.kind == "image" ? "\(lifetime.item)" : "\(lifetime.item) \(lifetime.kind)"
      let start = axis.x(max(lifetime.from, axis.from)) - 8 - Double(text.count) * 6.6
      _ = fits(text, "tick", lifetime.row, start)
      for (_, visit) in lifetime.visits where axis.shows(visit) {
        guard let loader = visit.loader else { continue }
        let waited = loader.isShown ? "\(DecimalText.trimmed(loader.wait / 1000, decimals: 2)) s" : "never ready"
        let reason = "\(loader.reason.rawValue), \(waited)"
        let end = axis.x(min(max(visit.to, lifetime.to), axis.to)) + 6
        if !fits(reason, "why", lifetime.row, end) { _ = fits(reason, "why", lifetime.row, start - 8 - Double(reason.count) * 6.6) }
      }
    }
    for (request, row) in pages {
      let y = pagesTop + Double(row) * Self.pagePitch + 8
      drawing.text(axis.x(max(request.asked, axis.from)) - 8, y, "page \(request.item + 1)", "tick", anchor: .end)
    }
  }
}

/// The row of each item in a picture. A short stretch has one row for each item; a long one reuses rows from the top, to limit the height.
struct TimelineRows {
  /// An item from its first request to the end of its visit.
  struct Lifetime {
    let item: Int, kind: String
    var from: Double, to: Double
    var requests: [RunTimeline.Request] = [], visits: [(index: Int, visit: RunTimeline.Visit)] = []
    var row = 0

    /// The end of its visit, after which nothing belongs to it.
    var closed: Double { visits.last?.visit.to ?? .infinity }
  }

  static let itemLimit = 40
  /// The minimum number of rows before rows are reused.
  private static let rowsLeast = 24
  /// The most rows in which an item's time from fetch to visit is kept in its row.
  private static let rowLimit = 64

  /// The lifetimes in order of time.
  private(set) var lifetimes: [Lifetime] = []
  private(set) var count = 0

  /// Creates the rows of the lifetimes in a stretch. `room` is the time that a lifetime's labels need before and after it, in milliseconds;
  /// `loaderRoom` is the extra time of a loader's label.
  init(_ run: RunTimeline, from: Double, to: Double, room: Double, loaderRoom: Double) {
    for splits in [false, true] where !splits || count > Self.rowLimit {
      lifetimes = Self.lifetimes(run, from: from, to: to, splits: splits)
      assignRows(room: room, loaderRoom: loaderRoom)
    }
  }

  /// Returns the lifetimes in a stretch. If it `splits`, each gap between transfer and visit begins another lifetime. O(n log n).
  private static func lifetimes(_ run: RunTimeline, from: Double, to: Double, splits: Bool) -> [Lifetime] {
    typealias Part = (from: Double, to: Double, item: Int, kind: String, request: RunTimeline.Request?, visit: Int?)
    var parts: [Part] = run.requests.filter { $0.part != .page }.map { ($0.asked, $0.ended, $0.item, $0.kind, $0, nil) }
    parts += run.visits.enumerated().map { ($1.from, $1.to, $1.item, $1.kind, nil, $0) }
    parts.sort { ($0.from, $0.item, $0.visit ?? -1) < ($1.from, $1.item, $1.visit ?? -1) }
    var lifetimes: [Lifetime] = []
    var open: [Int: Int] = [:]
    for part in parts {
      var known = open[part.item]
      if let index = known, part.from >= lifetimes[index].closed || (splits && part.from > lifetimes[index].to) { known = nil }
      let lifetime = known ?? lifetimes.count
      if known == nil { lifetimes.append(Lifetime(item: part.item, kind: part.kind, from: part.from, to: part.to)) }
      open[part.item] = lifetime
      lifetimes[lifetime].to = max(lifetimes[lifetime].to, part.to)
      lifetimes[lifetime].requests += part.request.map { [$0] } ?? []
      lifetimes[lifetime].visits += part.visit.map { [($0, run.visits[$0])] } ?? []
    }
    return lifetimes.filter { $0.to > from && $0.from < to }
  }

  private mutating func assignRows(room: Double, loaderRoom: Double) {
    let items = Set(lifetimes.map(\.item)).sorted()
    if items.count <= Self.itemLimit {
      let rows = Dictionary(uniqueKeysWithValues: zip(items, 0...))
      for index in lifetimes.indices { lifetimes[index].row = rows[lifetimes[index].item] ?? 0 }
      count = items.count
      return
    }
    // Take the next free row after the last one used, so that items in order go down the picture and start at the top again.
    var free = [Double](repeating: -.infinity, count: Self.rowsLeast)
    var last = -1
    for index in lifetimes.indices {
      let lifetime = lifetimes[index]
      let found = (1...free.count).map { (last + $0) % free.count }.first { free[$0] <= lifetime.from - room }
      let row = found ?? free.count
      if found == nil { free.append(0) }
      free[row] = lifetime.to + room + (lifetime.visits.contains { $0.visit.loader != nil } ? loaderRoom : 0)
      lifetimes[index].row = row
      last = row
    }
    count = free.count
  }
}
