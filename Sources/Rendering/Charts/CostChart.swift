// The headline against the cost: what each setting shows for what it takes, and which settings no other beats in both.

import Analysis

/// Loaders against bytes, or their like.
struct CostChart {
  let data: ChartData

  /// The chart; nil where fewer than two points have both.
  var drawing: SVGDrawing? {
    let shown = data.best(data.pointLimit).compactMap { point -> (point: PointSummary, x: Double, y: Double)? in
      guard let y = point.headlineMean, let x = point.mean(data.summary.schema.cost) else { return nil }
      return (point, x * data.words.costScale, y)
    }
    guard shown.count > 1 else { return nil }
    let front = shown.filter(\.point.isOnFront).sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    var chart = SVGDrawing(
      name: "cost", title: data.title("\(data.words.headline) against \(data.words.cost)"),
      description:
        "\(shown.count) points; \(front.count) of them \(front.count == 1 ? "is" : "are") on the front, where no other point shows fewer "
        + "\(data.words.counted) at the same cost or less: " + front.prefix(12).map { data.label($0.point) }.joined(separator: "; ") + ".",
      width: 760, height: 440)
    let across = ChartScale(shown.map(\.x), from: 70, to: 735)
    let up = ChartScale(shown.map(\.y), from: 360, to: 50)
    chart.text(16, 22, chart.title, "head")
    chart.verticalAxis(up, left: 70, right: 735, name: data.words.headline)
    chart.horizontalAxis(across, top: 50, bottom: 360, name: data.words.cost)
    drawFront(front.map { (across.place($0.x), up.place($0.y)) }, on: &chart)
    let leader = data.summary.provenWinner
    // The best are drawn last, over the others.
    for item in shown.reversed() {
      let (x, y) = (across.place(item.x), up.place(item.y))
      let cost = CostText.mean(item.point, confidence: data.summary.confidence)
      let tip = "\(data.label(item.point)): \(data.words.counted(data.loaders(item.point))), \(cost) \(data.words.costShort)"
      if item.point.isBaseline {
        chart.diamond(x, y, radius: 8, "base", tip: tip)
      } else if item.point.point == leader?.point, item.point.axisValues == leader?.axisValues ?? [] {
        chart.circle(x, y, radius: 7, "best", tip: tip)
      } else {
        chart.circle(x, y, radius: item.point.isOnFront ? 5 : 3.5, item.point.isOnFront ? "on" : "dot", tip: tip)
      }
    }
    legend(on: &chart, hasWinner: leader != nil, hasBaseline: data.summary.baseline != nil)
    return chart
  }

  /// Steps: to the right of a point of the front its own number still holds.
  private func drawFront(_ places: [(x: Double, y: Double)], on chart: inout SVGDrawing) {
    guard places.count > 1 else { return }
    var steps = [places[0]]
    for place in places.dropFirst() {
      steps.append((place.x, steps[steps.count - 1].y))
      steps.append(place)
    }
    chart.path(steps, "front")
  }

  private func legend(on chart: inout SVGDrawing, hasWinner: Bool, hasBaseline: Bool) {
    var x = 70.0
    chart.circle(x + 6, 418, radius: 5, "on")
    chart.text(x + 16, 422, "on the front")
    x += 110
    if hasBaseline {
      chart.diamond(x + 6, 418, radius: 7, "base")
      chart.text(x + 18, 422, "baseline")
      x += 95
    }
    if hasWinner {
      chart.circle(x + 6, 418, radius: 7, "best")
      chart.text(x + 18, 422, "winner")
      x += 85
    }
    chart.circle(x + 6, 418, radius: 3.5, "dot")
    chart.text(x + 16, 422, "other points")
  }
}
