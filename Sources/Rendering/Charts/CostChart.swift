// The chart of headline against cost, with the Pareto front.

import Analysis

extension ReportPart {
  /// The headline of each point against its cost, e.g. loaders against bytes; nil if fewer than two points have both.
  var costChart: SVGDrawing? {
    let shown = best(drawnLimit).compactMap { point -> (point: PointSummary, x: Double, y: Double)? in
      guard let y = point.headlineMean, let x = point.mean(summary.schema.cost) else { return nil }
      return (point, x * words.costScale, y)
    }
    guard shown.count > 1 else { return nil }
    let front = shown.filter(\.point.isOnFront).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    var chart = SVGDrawing(
      title: title("\(words.headline) against \(words.cost)"),
      description:
        "\(shown.count) points; \(front.count) of them \(front.count == 1 ? "is" : "are") on the Pareto front; no other point has fewer "
        + "\(words.counted) at the same or a lower cost: " + front.prefix(12).map { label($0.point) }.joined(separator: "; ") + ".",
      width: 760, height: 440)
    let across = ChartScale(shown.map(\.x), from: 70, to: 735)
    let up = ChartScale(shown.map(\.y), from: 360, to: 50)
    chart.heading()
    chart.verticalAxis(up, left: 70, right: 735, name: words.headline)
    chart.horizontalAxis(across, top: 50, bottom: 360, name: words.cost)
    // The front is drawn in steps: to the right of a point its headline still holds.
    var steps: [(x: Double, y: Double)] = front.prefix(1).map { (across.position($0.x), up.position($0.y)) }
    for (last, next) in zip(front, front.dropFirst()) {
      steps += [(across.position(next.x), up.position(last.y)), (across.position(next.x), up.position(next.y))]
    }
    if steps.count > 1 { chart.path(steps, "front") }
    let leader = summary.confirmedWinner
    // The best are drawn last, over the others.
    for item in shown.reversed() {
      let (x, y, point) = (across.position(item.x), up.position(item.y), item.point)
      let tip = "\(label(point)): \(words.counted(mean(point))), \(cost(point)) \(words.costShort)"
      if point.isBaseline {
        chart.diamond(x, y, radius: 8, "base", tip: tip)
      } else if point.point == leader?.point, point.axisValues == leader?.axisValues ?? [] {
        chart.circle(x, y, radius: 7, "best", tip: tip)
      } else {
        chart.circle(x, y, radius: point.isOnFront ? 5 : 3.5, point.isOnFront ? "on" : "dot", tip: tip)
      }
    }
    chart.costLegend(hasWinner: leader != nil, hasBaseline: summary.baseline != nil)
    return chart
  }
}

extension SVGDrawing {
  fileprivate mutating func costLegend(hasWinner: Bool, hasBaseline: Bool) {
    var x = 70.0
    circle(x + 6, 418, radius: 5, "on")
    text(x + 16, 422, "Pareto front")
    x += 110
    if hasBaseline {
      diamond(x + 6, 418, radius: 7, "base")
      text(x + 18, 422, "baseline")
      x += 95
    }
    if hasWinner {
      circle(x + 6, 418, radius: 7, "best")
      text(x + 18, 422, "winner")
      x += 85
    }
    circle(x + 6, 418, radius: 3.5, "dot")
    text(x + 16, 422, "other points")
  }
}
