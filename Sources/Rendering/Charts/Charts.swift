// All charts of a report in the order of the page; charts without contents are left out.

import Analysis

/// The charts of one folder; `prefix` keeps element ids distinct in a page with several sets.
struct ChartSet {
  let folder: String, prefix: String
  let drawings: [SVGDrawing]

  func path(of drawing: SVGDrawing) -> String { Charts.path(drawing.name, in: folder) }
}

struct Charts {
  private static var all: [(name: String, draw: (ReportPart) -> SVGDrawing?)] {
    [
      ("cost", \.costChart), ("heat-map", \.heatMap), ("effects", \.effectsChart), ("differences", \.differencesChart),
      ("reasons", \.reasonsChart), ("waits", \.waitsChart),
    ]
  }
  /// The name of the chart that only sweeps with strata have.
  private static let ofStrata = "strata"
  /// The folder of charts within the results; strata have subfolders.
  private static let folder = "charts"

  /// The charts of all points, or of the weighted whole.
  let whole: ChartSet
  /// The charts of each of `StrataSummary.drawn`.
  let strata: [ChartSet]

  init(_ summary: SweepSummary, sweep: SweepDescription) {
    let part = ReportPart(drawing: summary, sweep: sweep)
    let drawn = summary.strata?.drawn ?? []
    var drawings = summary.strata.flatMap { part.strataChart($0, name: Self.ofStrata) }.map { [$0] } ?? []
    // Without a weighted whole, the strata's charts are the only ones.
    if !summary.points.isEmpty || drawn.isEmpty { drawings += Self.drawings(part) }
    whole = ChartSet(folder: Self.folder, prefix: "", drawings: drawings)
    strata = drawn.enumerated().map { index, member in
      var part = ReportPart(member.summary, sweep: sweep, scope: member.name)
      part.drawnLimit /= drawn.count
      return ChartSet(folder: Self.folder(ofStratum: index), prefix: "stratum-\(index + 1)-", drawings: Self.drawings(part))
    }
  }

  var files: [(path: String, contents: String)] { ([whole] + strata).flatMap { set in set.drawings.map { (set.path(of: $0), $0.file) } } }

  static var allPaths: [String] {
    ([ofStrata] + all.map(\.name)).map { path($0, in: folder) }
      + (0..<StrataSummary.shownLimit).flatMap { stratum in all.map { path($0.name, in: folder(ofStratum: stratum)) } }
  }

  static func path(_ name: String, in folder: String) -> String { "\(folder)/\(name).svg" }

  /// Returns a stratum's folder, by its number because its name may contain anything.
  private static func folder(ofStratum index: Int) -> String { "\(folder)/stratum-\(index + 1)" }

  private static func drawings(_ part: ReportPart) -> [SVGDrawing] {
    all.compactMap { name, draw in
      var drawing = draw(part)
      drawing?.name = name
      return drawing
    }
  }
}
