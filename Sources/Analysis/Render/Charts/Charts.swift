// All charts of a report in the order of the page; a chart that has nothing to show is none.

/// The charts of a report.
enum Charts {
  /// The folder of their files within the results.
  static let folder = "charts"
  /// The names of all that there may be.
  static let names = ["strata", "cost", "heat-map", "effects", "differences", "reasons", "waits"]

  /// The place of a chart's file in the results folder.
  static func path(_ name: String) -> String { "\(folder)/\(name).svg" }

  /// Those that the runs have something for.
  static func all(_ data: ChartData, strata: StrataSummary?) -> [SVGDrawing] {
    [
      strata.flatMap { StrataChart(data: data, strata: $0).drawing }, CostChart(data: data).drawing, HeatMapChart(data: data).drawing,
      EffectsChart(data: data).drawing,
      DifferencesChart(data: data).drawing, ReasonsChart(data: data).drawing, WaitsChart(data: data).drawing,
    ].compactMap { $0 }
  }
}
