// All charts of a report in the order of the page; a chart that has nothing to show is none.

import Analysis

/// Charts whose files are in one folder; a page that holds several sets lets the ids of their elements begin with `prefix`.
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
  /// What only a sweep with strata has.
  private static let ofStrata = "strata"
  /// The folder of the files within the results; those of a stratum have one in it.
  private static let folder = "charts"

  /// Of all points, or of all strata together.
  let whole: ChartSet
  /// Of each of `StrataSummary.drawn`.
  let strata: [ChartSet]

  init(_ summary: SweepSummary, sweep: SweepDescription) {
    let part = ReportPart(drawing: summary, sweep: sweep)
    let drawn = summary.strata?.drawn ?? []
    var drawings = summary.strata.flatMap { part.strataChart($0, name: Self.ofStrata) }.map { [$0] } ?? []
    // Where there is no whole, the strata's own are all there is.
    if !summary.points.isEmpty || drawn.isEmpty { drawings += Self.drawings(part) }
    whole = ChartSet(folder: Self.folder, prefix: "", drawings: drawings)
    strata = drawn.enumerated().map { index, member in
      var part = ReportPart(member.summary, sweep: sweep, place: member.name)
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

  /// By its number, because its name may be anything.
  private static func folder(ofStratum index: Int) -> String { "\(folder)/stratum-\(index + 1)" }

  private static func drawings(_ part: ReportPart) -> [SVGDrawing] {
    all.compactMap { name, draw in
      var drawing = draw(part)
      drawing?.name = name
      return drawing
    }
  }
}
