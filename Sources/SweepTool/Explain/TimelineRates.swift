// The link under the items: what it offered, and how much of that was read.

import Rendering

/// The rates of some runs over one stretch, on one scale.
struct TimelineRates {
  /// A step of a curve is at least so wide, in pixels, and so long, in milliseconds: what comes in order is read in bursts, and shorter
  /// steps would show little else.
  private static let stepWidth = 6.0
  private static let stepLength = 250.0

  /// The instants at which steps begin, and the last one's end, in milliseconds.
  private let steps: [Double]
  /// For each run and step, bits a second.
  private let offered: [[Double]]
  private let read: [[Double]]
  private let isMegabits: Bool

  init(_ runs: [RunTimeline], axis: TimelineAxis, pixels: Double) {
    let (from, to) = (axis.from, axis.to)
    // A step is 1, 2.5 or 5 × 10^n milliseconds, so that it does not depend on where the stretch begins.
    var unit = 1.0
    let rough = max(Self.stepLength, (to - from) / pixels * Self.stepWidth)
    while unit * 10 <= rough { unit *= 10 }
    let step = ([1, 2.5, 5] as [Double]).map { $0 * unit }.first { $0 >= rough } ?? unit * 10
    let count = max(1, Int(((to - from) / step).rounded(.up)))
    let instants = (0...count).map { min(to, from + Double($0) * step) }
    let volumes = runs.map { run in instants.map(run.volumes) }
    func rates(_ amount: (RunTimeline.Volumes) -> Double) -> [[Double]] {
      volumes.map { row in
        zip(row, row.dropFirst()).map { ($1.at > $0.at ? (amount($1) - amount($0)) * 8000 / ($1.at - $0.at) : 0) }
      }
    }
    steps = instants
    offered = rates(\.offered)
    read = rates(\.read)
    isMegabits = offered.joined().max() ?? 0 >= 2_000_000
  }

  private var unit: Double { isMegabits ? 1_000_000 : 1000 }

  /// One run's curves.
  func draw(_ run: Int, from top: Double, height: Double, scale: ChartScale, on chart: inout SVGDrawing) {
    // The link's rate makes the scale; a burst that is read above it ends at the top.
    let up = ChartScale(offered.joined().map { $0 / unit }, from: top + height, to: top, includesZero: true, marks: 2)
    guard let first = scale.ticks.first, let last = scale.ticks.last else { return }
    area(offered[run], up, scale, "offer", "what the link offered", on: &chart)
    area(
      read[run], up, scale, "read",
      "what was read: in bursts where something had been lost, and so above the link's rate at times", on: &chart)
    for tick in up.ticks {
      chart.line(scale.place(first), up.place(tick), scale.place(last), up.place(tick), "grid")
      chart.text(scale.place(first) - 6, up.place(tick) + 4, up.label(tick), "tick", anchor: .end)
    }
    chart.text(16, top + 12, isMegabits ? "link, Mbit/s" : "link, kbit/s", "axis")
    chart.text(16, top + 28, "offered", "tick")
    chart.rectangle(62, top + 20, 10, 9, "offer")
    chart.text(16, top + 43, "read", "tick")
    chart.rectangle(62, top + 35, 10, 9, "read")
  }

  private func area(_ rates: [Double], _ up: ChartScale, _ scale: ChartScale, _ style: String, _ tip: String, on chart: inout SVGDrawing) {
    var places = [(x: scale.place(steps[0] / 1000), y: up.place(0))]
    var level: Double?
    for (index, rate) in rates.enumerated() {
      let rate = min(rate, (up.ticks.last ?? 0) * unit)
      let y = up.place(rate / unit)
      // A rate that stays makes no new corner.
      if level != rate {
        let x = scale.place(steps[index] / 1000)
        if let level { places.append((x, up.place(level / unit))) }
        places.append((x, y))
        level = rate
      }
    }
    let end = scale.place((steps.last ?? 0) / 1000)
    places += [(end, up.place((level ?? 0) / unit)), (end, up.place(0))]
    chart.path(places, isClosed: true, style, tip: tip)
  }
}
