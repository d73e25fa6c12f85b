// All charts of a report in the order of the page; a chart that has nothing to show is none.

import Analysis

/// Charts whose files are in one folder.
struct ChartSet {
  /// The folder within the results.
  let folder: String
  let drawings: [SVGDrawing]
  /// What the ids of their elements begin with, so that a page may hold several sets.
  let prefix: String

  /// The place of a chart's file within the results.
  func path(of drawing: SVGDrawing) -> String { Charts.path(drawing.name, in: folder) }

  /// The files.
  var files: [ReportFile] { drawings.map { ReportFile(name: path(of: $0), contents: $0.file) } }

  /// The elements as a page holds them.
  var figures: [String] { drawings.map { PageFrame.figure($0, prefix: prefix) } }
}

/// The charts of a report.
struct Charts {
  /// The folder of their files within the results; those of a stratum have one in it.
  private static let folder = "charts"
  /// What only a sweep with strata has.
  private static let ofStrata = "strata"
  private static let names = ["cost", "heat-map", "effects", "differences", "reasons", "waits"]

  /// Of all points, or of all strata together.
  let whole: ChartSet
  /// Of each of `StrataSummary.drawn`.
  let strata: [ChartSet]

  /// Those that the runs have something for.
  init(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) {
    let data = ChartData(summary, names: names, sweep: sweep)
    let drawn = summary.strata?.drawn ?? []
    let overview = summary.strata.flatMap { StrataChart(data: data, strata: $0).drawing }.map { [$0] } ?? []
    // Where there is no whole, the strata's own are all there is.
    let hasWhole = !summary.points.isEmpty || drawn.isEmpty
    whole = ChartSet(folder: Self.folder, drawings: overview + (hasWhole ? Self.drawings(data) : []), prefix: "")
    strata = drawn.enumerated().map { index, member in
      ChartSet(
        folder: Self.folder(ofStratum: index),
        drawings: Self.drawings(ChartData(member, among: drawn.count, names: names, sweep: sweep)), prefix: "stratum-\(index + 1)-")
    }
  }

  /// The files.
  var files: [ReportFile] { whole.files + strata.flatMap(\.files) }

  /// The places of all files that any report may have.
  static var allPaths: [String] {
    ([ofStrata] + names).map { path($0, in: folder) }
      + (0..<StrataSummary.shownLimit).flatMap { stratum in names.map { path($0, in: folder(ofStratum: stratum)) } }
  }

  static func path(_ name: String, in folder: String) -> String { "\(folder)/\(name).svg" }

  /// By its number, because its name may be anything.
  private static func folder(ofStratum index: Int) -> String { "\(folder)/stratum-\(index + 1)" }

  private static func drawings(_ data: ChartData) -> [SVGDrawing] {
    [
      CostChart(data: data).drawing, HeatMapChart(data: data).drawing, EffectsChart(data: data).drawing,
      DifferencesChart(data: data).drawing, ReasonsChart(data: data).drawing, WaitsChart(data: data).drawing,
    ].compactMap { $0 }
  }
}
