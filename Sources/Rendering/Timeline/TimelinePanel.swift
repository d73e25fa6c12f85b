// The rows of one run's picture: bars of requests, the active item's steps, the marks of loaders.

import Analysis

/// Draws the rows of one run.
struct TimelinePanel {
  let chart: TimelineChart
  let panel: TimelineChart.Panel
  /// Which of the runs it is.
  let index: Int

  private var run: RunTimeline { panel.run }

  /// The id of a loader's mark, by its stay.
  static func id(_ name: String, run: Int, stay: Int) -> String { "\(name)-loader-\(run + 1)-\(stay + 1)" }

  func draw(on drawing: inout SVGDrawing) {
    if panel.pageRows > 0 { drawing.text(16, panel.pagesTop + 9, "pages", "axis") }
    drawing.text(16, panel.rowsTop + 12, "items", "axis")
    waits(on: &drawing)
    kept(on: &drawing)
    requests(on: &drawing)
    stays(on: &drawing)
    labels(on: &drawing)
  }

  private func isShown(_ from: Double, _ to: Double) -> Bool { to > chart.ends.from && from < chart.ends.to }

  private func y(_ life: TimelineRows.Life) -> Double { panel.rowsTop + Double(life.row) * TimelineChart.pitch }

  /// A stretch of time as far as the axis shows it.
  private func across(_ from: Double, _ to: Double) -> (x: Double, width: Double) {
    let (start, end) = (chart.x(max(from, chart.ends.from)), chart.x(min(to, chart.ends.to)))
    return (start, max(0.5, end - start))
  }

  // MARK: Requests

  private func requests(on drawing: inout SVGDrawing) {
    var asked: [SVGDrawing.Box] = []
    var cuts: [(x: Double, y: Double)] = []
    func bar(_ request: RunTimeline.Request, y: Double, height: Double, _ style: String) {
      guard isShown(request.asked, max(request.ended, request.asked + 0.001)) else { return }
      let began = min(request.began ?? request.ended, request.ended)
      if isShown(request.asked, began) {
        let place = across(request.asked, began)
        asked.append((place.x, y, place.width, height))
      }
      if request.began != nil, isShown(began, request.ended) {
        let place = across(began, request.ended)
        drawing.rectangle(place.x, y, place.width, height, request.end == .cut ? "lost" : style, tip: tip(request))
      }
      if request.end == .cut, isShown(request.ended - 0.001, request.ended) { cuts.append((chart.x(request.ended), y + height / 2)) }
    }
    for page in panel.pages {
      bar(run.requests[page.request], y: panel.pagesTop + Double(page.row) * TimelineChart.pagePitch + 2, height: 6, "page")
    }
    for life in panel.rows.lives {
      for place in life.requests {
        let request = run.requests[place]
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
      case .cut: "cut at \(seconds(request.ended)) s, after \(request.received) of \(request.bytes) bytes"
      case .unfinished: "on the way when the run ended, \(request.received) of \(request.bytes) bytes"
      }
    return "\(subject): asked at \(seconds(request.asked)) s\(active), first byte at \(request.began.map(seconds) ?? "-") s, \(end)"
  }

  // MARK: Stays

  /// What lies ready for its stay.
  private func kept(on drawing: inout SVGDrawing) {
    for life in panel.rows.lives {
      guard let stay = life.stays.first.map({ run.stays[$0] }), stay.loader == nil,
        let last = life.requests.map({ run.requests[$0].ended }).filter({ $0 <= stay.from }).max(), isShown(last, stay.from)
      else { continue }
      let place = across(last, stay.from)
      drawing.line(place.x, y(life) + 6.3, place.x + place.width, y(life) + 6.3, "kept")
    }
  }

  private func waits(on drawing: inout SVGDrawing) {
    var boxes: [SVGDrawing.Box] = []
    for life in panel.rows.lives {
      for stay in life.stays.map({ run.stays[$0] }) {
        guard let loader = stay.loader, isShown(stay.from, stay.from + loader.wait) else { continue }
        let place = across(stay.from, stay.from + loader.wait)
        boxes.append((place.x, y(life), place.width, 16))
      }
    }
    drawing.boxes(boxes, "wait")
  }

  private func stays(on drawing: inout SVGDrawing) {
    let shown = panel.rows.lives.flatMap { life in
      life.stays.filter { isShown(run.stays[$0].from, run.stays[$0].to) }.map { place in
        let across = across(run.stays[place].from, run.stays[place].to)
        return (place: place, box: SVGDrawing.Box(across.x, y(life), across.width, 16))
      }
    }
    drawing.boxes(shown.map(\.box), "stay")
    for (place, box) in shown {
      let stay = run.stays[place]
      guard let loader = stay.loader, stay.from >= chart.ends.from else { continue }
      drawing.diamond(
        box.x, box.y + 8, radius: 6, "loader f\(ReasonsChart.style(loader.reason))", tip: tip(stay, loader),
        id: Self.id(chart.name, run: index, stay: place))
      drawing.text(box.x + box.width + 5, box.y + 12, "\(loader.reason.rawValue), \(waited(loader))", "why")
    }
  }

  private func waited(_ loader: RunTimeline.Loader) -> String {
    loader.isShown ? "\(DecimalText.trimmed(loader.wait / 1000, decimals: 2)) s" : "never came"
  }

  private func tip(_ stay: RunTimeline.Stay, _ loader: RunTimeline.Loader) -> String {
    let seconds = TimelineChart.seconds
    let asked = loader.asked.map { "asked for at \(seconds($0)) s" } ?? "not asked for before"
    let cut = loader.cut.map { ", cut at \(seconds($0)) s" } ?? ""
    return "item \(stay.item) (\(stay.kind)) is active at \(seconds(stay.from)) s and not ready: \(loader.reason.rawValue). "
      + "It was \(asked)\(cut), and alone on the link would have been ready at \(seconds(loader.readyAlone)) s; it "
      + (loader.isShown ? "was waited for \(seconds(loader.wait)) s." : "did not come while it was active.")
  }

  /// Each item's number before its bars.
  private func labels(on drawing: inout SVGDrawing) {
    for life in panel.rows.lives {
      let text = life.kind == "image" ? "\(life.item)" : "\(life.item) \(life.kind)"
      drawing.text(chart.x(max(life.from, chart.ends.from)) - 8, y(life) + 12, text, "tick", anchor: .end)
    }
    for page in panel.pages {
      let request = run.requests[page.request]
      drawing.text(
        chart.x(max(request.asked, chart.ends.from)) - 8, panel.pagesTop + Double(page.row) * TimelineChart.pagePitch + 8,
        "page \(request.item + 1)", "tick", anchor: .end)
    }
  }
}
