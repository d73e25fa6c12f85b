// The chart of headline against cost, with the Pareto front.

import Analysis

extension ReportPart {
  /// The most points of the front that the chart names below; the marks of all have their ranks.
  private static let namedLimit = 12

  /// The headline of each point against its cost, e.g. loaders against bytes; nil if fewer than two points have both.
  var costChart: SVGDrawing? {
    let shown = best(drawnLimit).compactMap { point -> (point: PointSummary, x: Double, y: Double)? in
      guard let y = point.headlineMean, let x = point.mean(summary.schema.cost) else { return nil }
      return (point, x * words.costScale, y)
    }
    guard shown.count > 1 else { return nil }
    let front = shown.filter(\.point.isOnFront).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    let leader = summary.confirmedWinner
    let onFront = shown.map(\.point).filter(\.isOnFront)
    let named =
      Array(onFront.prefix(Self.namedLimit))
      + shown.map(\.point).filter { point in
        (point.isBaseline || point.isOracle || point.isSame(as: leader))
          && !onFront.prefix(Self.namedLimit).contains { $0.isSame(as: point) }
      }
    let names = ChartNames(named, of: self)
    var chart = SVGDrawing(
      title: title("\(Words.capitalized(words.headline)) against \(words.cost)"),
      description:
        "\(shown.count) points; \(front.count) of them \(front.count == 1 ? "is" : "are") on the Pareto front; no other point has fewer "
        + "\(words.counted) at the same or a lower cost: " + front.prefix(12).map { names.label($0.point) }.joined(separator: "; ") + ".")
    // One far point would press all others together: it is drawn at the end of the axis, unless it is the winner or the baseline.
    let central = shown.filter { $0.point.isBaseline || $0.point.isSame(as: leader) }
    func ends(_ values: [Double], with kept: [Double]) -> [Double] {
      let core = ChartScale.core(values)
      return [core.lowerBound, core.upperBound] + kept
    }
    let (xs, ys) = (ends(shown.map(\.x), with: central.map(\.x)), ends(shown.map(\.y), with: central.map(\.y)))
    let across = ChartScale(xs, from: 64, to: ChartRows.right)
    // The height above the axis, because the notes above it depend on the ranks that have room.
    let height = 254.0
    let heights = ChartScale(ys, from: height, to: 0)
    let marks = shown.filter { item in item.point.isOnFront || named.contains { $0.isSame(as: item.point) } }
    let (ranks, left) = Self.ranks(marks.map { (across.clamped($0.x), heights.clamped($0.y), rank($0.point)) })
    let beyond = shown.filter { across.isBeyond($0.x) || heights.isBeyond($0.y) }
    let notes = [
      "numbers are ranks, as in the table",
      onFront.count > Self.namedLimit ? "\(Self.namedLimit) of \(onFront.count) points of the front are named" : "",
      left > 0 ? "\(left) of \(marks.count) numbers have no room" : "",
    ]
    let farthest = Words.first(2, of: beyond.map { "\(names.label($0.point)) (\(numbers($0.point)))" })
    let far = beyond.isEmpty ? "" : "beyond an axis, drawn at its end: \(farthest)"
    let top = chart.heading(note: notes.filter { !$0.isEmpty }.joined(separator: "; "), far, names.note) + 24
    let bottom = top + height
    let up = ChartScale(ys, from: bottom, to: top)
    let layout = ChartRows(named.map { ($0, "\(rank($0))  \(names.label($0))", numbers($0)) }, top: bottom + 78, marks: -4)
    chart.height = layout.bottom + 8
    chart.verticalAxis(up, left: 64, right: ChartRows.right, name: words.headline)
    chart.horizontalAxis(across, top: top, bottom: bottom, name: words.cost)
    // The front is drawn in steps: to the right of a point its headline still holds.
    var steps: [(x: Double, y: Double)] = front.prefix(1).map { (across.clamped($0.x), up.clamped($0.y)) }
    for (last, next) in zip(front, front.dropFirst()) {
      steps += [(across.clamped(next.x), up.clamped(last.y)), (across.clamped(next.x), up.clamped(next.y))]
    }
    if steps.count > 1 { chart.path(steps, "front") }
    // The best are drawn last, over the others.
    for item in shown.reversed() {
      let (x, y, point) = (across.clamped(item.x), up.clamped(item.y), item.point)
      let tip = "\(rank(point)): \(names.label(point)): \(numbers(point))"
      if point.isBaseline {
        chart.diamond(x, y, radius: 8, "base", tip: tip)
      } else if point.isSame(as: leader) {
        chart.circle(x, y, radius: 7, "best", tip: tip)
      } else {
        chart.circle(x, y, radius: point.isOnFront ? 5 : 3.5, point.isOnFront ? "on" : "dot", tip: tip)
      }
    }
    for rank in ranks { chart.text(rank.x, top + rank.y, rank.text, "tick") }
    chart.costLegend(y: bottom + 54, hasWinner: leader != nil, hasBaseline: summary.baseline != nil)
    layout.drawTexts(winner: leader, on: &chart)
    return chart
  }

  /// Returns short texts at the first of four corners of their marks that is free, and the number of those without a free corner.
  private static func ranks(_ marks: [(x: Double, y: Double, text: String)]) -> (placed: [(x: Double, y: Double, text: String)], left: Int)
  {
    var taken = marks.map { (x: $0.x - 5, y: $0.y - 5, width: 10.0, height: 10.0) }
    var placed: [(x: Double, y: Double, text: String)] = []
    for (index, mark) in marks.enumerated() {
      let width = Double(mark.text.count) * 7 + 2
      let corners: [(x: Double, y: Double)] = [(8, -14), (-8 - width, -14), (8, 4), (-8 - width, 4)]
      let boxes = corners.map { (x: mark.x + $0.x, y: mark.y + $0.y, width: width, height: 12.0) }
      let free = boxes.first { box in
        !taken.enumerated().contains { other, it in
          other != index && it.x < box.x + box.width && box.x < it.x + it.width && it.y < box.y + box.height && box.y < it.y + it.height
        }
      }
      guard let free else { continue }
      taken.append(free)
      placed.append((free.x, free.y + 10, mark.text))
    }
    return (placed, marks.count - placed.count)
  }

  /// Returns a point's rank as the table shows it.
  func rank(_ point: PointSummary) -> String {
    point.isOracle ? "ref." : String((summary.ranking.firstIndex { summary.points[$0].isSame(as: point) } ?? 0) + 1)
  }
}

extension SVGDrawing {
  fileprivate mutating func costLegend(y: Double, hasWinner: Bool, hasBaseline: Bool) {
    var x = 64.0
    func entry(_ name: String, _ draw: (Double, inout SVGDrawing) -> Void) {
      draw(x + 6, &self)
      text(x + 18, y + 4, name)
      x += 34 + Double(name.count) * 7
    }
    entry("Pareto front") { $1.circle($0, y, radius: 5, "on") }
    if hasBaseline { entry("baseline") { $1.diamond($0, y, radius: 7, "base") } }
    if hasWinner { entry("winner") { $1.circle($0, y, radius: 7, "best") } }
    entry("other points") { $1.circle($0, y, radius: 3.5, "dot") }
  }
}
