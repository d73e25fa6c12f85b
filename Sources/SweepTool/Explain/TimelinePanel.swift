// One run's part of a picture: bars of requests, the active item's steps, the marks of loaders.

import Analysis
import Rendering

struct TimelinePanel {
  static let rateHeight = 62.0
  private static let pitch = 18.0, pagePitch = 12.0

  let run: RunTimeline
  private let axis: TimelineAxis
  /// The picture's name and the run's index, which make the ids of marks.
  private let chart: String, index: Int
  private let rows: TimelineRows
  /// The requests of pages, and the row of each.
  private var pages: [(request: RunTimeline.Request, row: Int)] = []
  let top: Double, rateTop: Double, bottom: Double
  private let pagesTop: Double, rowsTop: Double

  init(_ run: RunTimeline, axis: TimelineAxis, top: Double, chart: String, index: Int) {
    (self.run, self.axis, self.top, self.chart, self.index) = (run, axis, top, chart, index)
    let pixel = axis.millisecondsPerPixel
    rows = TimelineRows(run, from: axis.from, to: axis.to, room: 46 * pixel, loaderRoom: 70 * pixel)
    // The end of the last page in each row.
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

  /// The id of a loader's mark, by its stay.
  static func id(_ name: String, run: Int, stay: Int) -> String { "\(name)-loader-\(run + 1)-\(stay + 1)" }

  func draw(on drawing: inout SVGDrawing) {
    if !pages.isEmpty { drawing.text(16, pagesTop + 9, "pages", "axis") }
    drawing.text(16, rowsTop + 12, "items", "axis")
    waits(on: &drawing)
    stored(on: &drawing)
    requests(on: &drawing)
    stays(on: &drawing)
    labels(on: &drawing)
  }

  private func y(_ life: TimelineRows.Life) -> Double { rowsTop + Double(life.row) * Self.pitch }

  // MARK: Requests

  private func requests(on drawing: inout SVGDrawing) {
    var asked: [SVGDrawing.Box] = []
    var cuts: [(x: Double, y: Double)] = []
    func bar(_ request: RunTimeline.Request, y: Double, height: Double, _ style: String) {
      guard axis.shows(request.asked, max(request.ended, request.asked + 0.001)) else { return }
      let began = min(request.began ?? request.ended, request.ended)
      asked += axis.box(request.asked, began, y: y, height: height).map { [$0] } ?? []
      if request.began != nil, let box = axis.box(began, request.ended, y: y, height: height) {
        drawing.rectangle(box, request.end == .cancelled ? "lost" : style, tip: tip(request))
      }
      if request.end == .cancelled, axis.shows(request.ended - 0.001, request.ended) {
        cuts.append((axis.x(request.ended), y + height / 2))
      }
    }
    for page in pages { bar(page.request, y: pagesTop + Double(page.row) * Self.pagePitch + 2, height: 6, "page") }
    for life in rows.lives {
      for request in life.requests {
        let isRest = request.part == .rest
        bar(request, y: y(life) + (isRest ? 10.5 : 3), height: isRest ? 4 : 6.5, isRest ? "rest" : "on")
      }
    }
    drawing.boxes(asked, "asked")
    drawing.crosses(cuts, radius: 3.5, "cut")
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
      case .finished: "came at \(seconds(request.ended)) s, \(request.bytes) bytes"
      case .cancelled: "cut at \(seconds(request.ended)) s, after \(request.received) of \(request.bytes) bytes"
      case .unfinished: "on the way when the run ended, \(request.received) of \(request.bytes) bytes"
      }
    return "\(subject): asked at \(seconds(request.asked)) s\(active), first byte at \(request.began.map(seconds) ?? "-") s, \(end)"
  }

  // MARK: Stays

  private func stored(on drawing: inout SVGDrawing) {
    for life in rows.lives {
      guard let stay = life.stays.first?.stay, stay.loader == nil, let last = life.requests.map(\.ended).filter({ $0 <= stay.from }).max(),
        let box = axis.box(last, stay.from, y: y(life) + 6.3)
      else { continue }
      drawing.line(box.x, box.y, box.x + box.width, box.y, "kept")
    }
  }

  private func waits(on drawing: inout SVGDrawing) {
    let boxes = rows.lives.flatMap { life in
      life.stays.compactMap { _, stay in
        stay.loader.flatMap { axis.box(stay.from, stay.from + $0.wait, y: y(life), height: 16) }
      }
    }
    drawing.boxes(boxes, "wait")
  }

  private func stays(on drawing: inout SVGDrawing) {
    let shown = rows.lives.flatMap { life in
      life.stays.compactMap { place, stay in
        axis.box(stay.from, stay.to, y: y(life), height: 16).map { (place: place, stay: stay, box: $0) }
      }
    }
    drawing.boxes(shown.map(\.box), "stay")
    for (place, stay, box) in shown {
      guard let loader = stay.loader, stay.from >= axis.from else { continue }
      drawing.diamond(
        box.x, box.y + 8, radius: 6, "loader f\(ChartStyle.index(of: loader.reason))", tip: tip(stay, loader),
        id: Self.id(chart, run: index, stay: place))
      let waited = loader.isShown ? "\(DecimalText.trimmed(loader.wait / 1000, decimals: 2)) s" : "never came"
      drawing.text(box.x + box.width + 5, box.y + 12, "\(loader.reason.rawValue), \(waited)", "why")
    }
  }

  private func tip(_ stay: RunTimeline.Stay, _ loader: RunTimeline.Loader) -> String {
    let seconds = TimelineChart.seconds
    let asked = loader.asked.map { "asked for at \(seconds($0)) s" } ?? "not asked for before"
    let cut = loader.cut.map { ", cut at \(seconds($0)) s" } ?? ""
    return "item \(stay.item) (\(stay.kind)) is active at \(seconds(stay.from)) s and not ready: \(loader.reason.rawValue). "
      + "It was \(asked)\(cut), and alone on the link would have been ready at \(seconds(loader.readyAlone)) s; it "
      + (loader.isShown ? "was waited for \(seconds(loader.wait)) s." : "did not come while it was active.")
  }

  private func labels(on drawing: inout SVGDrawing) {
    for life in rows.lives {
      let text = life.kind == "image" ? "\(life.item)" : "\(life.item) \(life.kind)"
      drawing.text(axis.x(max(life.from, axis.from)) - 8, y(life) + 12, text, "tick", anchor: .end)
    }
    for (request, row) in pages {
      let y = pagesTop + Double(row) * Self.pagePitch + 8
      drawing.text(axis.x(max(request.asked, axis.from)) - 8, y, "page \(request.item + 1)", "tick", anchor: .end)
    }
  }
}

/// The row of the picture that each item has. A short stretch has a row an item; a long one uses its rows again from the top, so that a
/// thousand items are no higher than a few dozen.
struct TimelineRows {
  /// An item from its first request to the end of its stay.
  struct Life {
    let item: Int, kind: String
    var from: Double, to: Double
    var requests: [RunTimeline.Request] = [], stays: [(place: Int, stay: RunTimeline.Stay)] = []
    var row = 0

    /// The end of its stay, from which on nothing more belongs to it.
    var closed: Double { stays.last?.stay.to ?? .infinity }
  }

  /// Up to so many items have a row each.
  static let itemLimit = 40
  /// Rows before they are used again, at least.
  private static let rowsLeast = 24
  /// Beyond so many rows, an item's wait for its stay has no place in its row.
  private static let rowLimit = 64

  /// By rising time.
  private(set) var lives: [Life] = []
  private(set) var count = 0

  /// The lives that touch a stretch. `room` is what a life needs before and after it for its words, in milliseconds; `loaderRoom` what
  /// one with a loader needs after it besides.
  init(_ run: RunTimeline, from: Double, to: Double, room: Double, loaderRoom: Double) {
    for splits in [false, true] where !splits || count > Self.rowLimit {
      lives = Self.lives(run, from: from, to: to, splits: splits)
      place(room: room, loaderRoom: loaderRoom)
    }
  }

  /// Puts together what belongs to one life of an item; if it `splits`, what is fetched and waits for its stay begins another. O(n log n).
  private static func lives(_ run: RunTimeline, from: Double, to: Double, splits: Bool) -> [Life] {
    typealias Part = (from: Double, to: Double, item: Int, kind: String, request: RunTimeline.Request?, stay: Int?)
    var parts: [Part] = run.requests.filter { $0.part != .page }.map { ($0.asked, $0.ended, $0.item, $0.kind, $0, nil) }
    parts += run.stays.enumerated().map { ($1.from, $1.to, $1.item, $1.kind, nil, $0) }
    parts.sort { ($0.from, $0.item, $0.stay ?? -1) < ($1.from, $1.item, $1.stay ?? -1) }
    var lives: [Life] = []
    var open: [Int: Int] = [:]
    for part in parts {
      var place = open[part.item]
      if let known = place, part.from >= lives[known].closed || (splits && part.from > lives[known].to) { place = nil }
      let life = place ?? lives.count
      if place == nil { lives.append(Life(item: part.item, kind: part.kind, from: part.from, to: part.to)) }
      open[part.item] = life
      lives[life].to = max(lives[life].to, part.to)
      lives[life].requests += part.request.map { [$0] } ?? []
      lives[life].stays += part.stay.map { [($0, run.stays[$0])] } ?? []
    }
    return lives.filter { $0.to > from && $0.from < to }
  }

  private mutating func place(room: Double, loaderRoom: Double) {
    let items = Set(lives.map(\.item)).sorted()
    if items.count <= Self.itemLimit {
      let rows = Dictionary(uniqueKeysWithValues: zip(items, 0...))
      for place in lives.indices { lives[place].row = rows[lives[place].item] ?? 0 }
      count = items.count
      return
    }
    // The next free row after the last one used, so that items in order go down the picture and start at the top again.
    var free = [Double](repeating: -.infinity, count: Self.rowsLeast)
    var last = -1
    for place in lives.indices {
      let life = lives[place]
      let found = (1...free.count).map { (last + $0) % free.count }.first { free[$0] <= life.from - room }
      let row = found ?? free.count
      if found == nil { free.append(0) }
      free[row] = life.to + room + (life.stays.contains { $0.stay.loader != nil } ? loaderRoom : 0)
      lives[place].row = row
      last = row
    }
    count = free.count
  }
}
