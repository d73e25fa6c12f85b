// The result of a calibration: a report for people, a table for tools, and settings for sweeps.
// The same device results, sweep file and program give the same bytes.

import Analysis
import Base
import Rendering

/// The fitted settings, and device and emulator side by side.
package struct CalibrationResult {
  static let reportName = "calibration.md", tableName = "calibration.csv", settingsName = "calibrated.json5"

  /// A fitted setting with its interval.
  package struct Fitted {
    package let path: String
    let range: String
    /// The value as text, and as source text of a sweep file.
    package let value: String, source: String
    /// The ends of the profile interval; nil if it does not end within the range.
    package let low: String?, high: String?

    /// True if the interval ends on at least one side.
    package var isIdentified: Bool { low != nil || high != nil }

    fileprivate var interval: String {
      switch (low, high) {
      case (nil, nil): "not identified"
      case (let low?, let high?): "\(low) … \(high)"
      case (let low?, nil): "from \(low)"
      case (nil, let high?): "up to \(high)"
      }
    }
  }

  struct Point {
    let axisValues: [String], isHeldOut: Bool
    /// The means of the metrics: of the device, of the emulator before the fit, and after it.
    let sides: [[Double]]
    /// The standard errors of the differences by chance alone, by metric.
    let noise: [Double]
    /// The stratum in which the point is ranked; empty if all points are ranked together.
    let stratum: String

    fileprivate var part: String { isHeldOut ? "held out" : "fitted" }
  }

  /// The root mean square of the differences to the device, in one metric's unit; `noise` is its value by chance alone.
  package struct Miss { package let before: Double, after: Double, noise: Double }

  let calibration: Calibration
  package let fitted: [Fitted]
  let points: [Point]
  /// The mean square of the fitted residuals, per degree of freedom; 1 if only chance is left.
  let misfit: Double
  /// The number of emulator runs.
  let runs: Int
  let warnings: [String]
  /// True if the fit is not nearer to the device than the present settings, which therefore stay.
  package let keepsPresent: Bool

  private var metrics: [Metric] { calibration.metrics }

  /// Returns the miss of a metric, by index, over the fitted or the held-out points; nil if there are none.
  package func miss(_ metric: Int, heldOut: Bool) -> Miss? {
    let chosen = points.filter { $0.isHeldOut == heldOut }
    guard !chosen.isEmpty else { return nil }
    func root(_ difference: (Point) -> Double) -> Double {
      (chosen.reduce(0) { $0 + difference($1) * difference($1) } / Double(chosen.count)).squareRoot()
    }
    func distance(_ side: Int) -> Double { root { $0.sides[side][metric] - $0.sides[0][metric] } }
    return Miss(before: distance(1), after: distance(2), noise: root { $0.noise[metric] })
  }

  private func misses(_ metric: Int) -> [(part: String, count: Int, texts: [String])] {
    [false, true].compactMap { heldOut in
      guard let miss = miss(metric, heldOut: heldOut) else { return nil }
      let texts = [miss.before, miss.after, miss.noise].map { text($0, metrics[metric]) }
      return (heldOut ? "held out" : "fitted", points.count { $0.isHeldOut == heldOut }, texts)
    }
  }

  private static func unit(_ metric: Metric) -> (name: String, scale: Double, decimals: Int) {
    switch metric {
    case .bytesReceived: ("MB", 1e-6, 2)
    case .waitMsMean: ("mean wait, ms", 1, 1)
    default: ("loaders per 1000", 1, 1)
    }
  }

  private func text(_ value: Double, _ metric: Metric) -> String {
    let unit = Self.unit(metric)
    return DecimalText.fixed(value * unit.scale, decimals: unit.decimals)
  }

  /// The closing lines: each setting, and the error before and after.
  var closing: [String] { fitted.map { "\($0.path) = \($0.value) (95 % interval: \($0.interval))" } + errors }

  private var errors: [String] {
    misses(0).map { part, count, texts in
      "\(count) points \(part): off by \(texts[0]) loaders per 1000 before, \(texts[1]) after (root mean square; chance alone \(texts[2]))"
    }
  }

  var markdown: String {
    [
      "# Emulator and device\n", headTable.markdown,
      "## Fitted settings\n", settingsTable.markdown, warnings.map { "- \($0)\n" }.joined(),
      "## Error of the emulator\n", missTable.markdown,
      "Root mean square of the differences to the device. *Chance* is the difference between two samples of the same runs. "
        + "Over the fitted points, the remaining variance is \(DecimalText.fixed(misfit, decimals: 2)) times that of chance.\n",
      "## Agreement of the ranks\n", rankTable.markdown,
      "Rank correlations of the loaders per 1000, of device and emulator, with 95 % intervals (Fisher's z) from "
        + "\(RankCorrelation.fewestPairs) points on.\n",
      "## Point by point\n", pointTable.markdown,
    ].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var headTable: Table {
    let repeats = "\(calibration.options.repeats) repetitions, on the same seeds for all trials"
    return Table(
      columns: ["Calibration", ""],
      rows: [
        ["device", SystemFile.canonical(calibration.device.path)], ["sweep", calibration.sweep.canonicalPath],
        ["points", "\(points.count), of which \(points.count { $0.isHeldOut }) are held out of the fit"],
        ["emulator", "\(repeats); \(runs) runs in all"],
      ])
  }

  private var settingsTable: Table {
    Table(
      columns: ["setting", "range", .right("value"), .right("95 % interval")],
      rows: fitted.map { [$0.path, $0.range, $0.isIdentified ? $0.value : "", $0.interval] })
  }

  private var missTable: Table {
    Table(
      columns: [""] + ["points", "before", "after", "chance"].map { .right($0) },
      rows: metrics.indices.flatMap { metric in
        misses(metric).map { ["\(Self.unit(metrics[metric]).name), \($0.part)", "\($0.count)"] + $0.texts }
      })
  }

  private var rankTable: Table {
    let heads = ["points", "Kendall's τ before", "after", "Spearman's ρ before", "after"]
    var table = Table(columns: [""] + heads.map { .right($0) })
    for stratum in points.map(\.stratum).distinct {
      let all = points.filter { $0.stratum == stratum }
      for (name, points) in [("all", all), ("held out", all.filter(\.isHeldOut))] where points.count > 1 {
        let sides = (0..<3).map { side in points.map { $0.sides[side][0] } }
        let cells = sides[1...].map { RankCorrelation.kendall(sides[0], $0) } + sides[1...].map { RankCorrelation.spearman(sides[0], $0) }
        table.append([.text(stratum.isEmpty ? name : "\(stratum), \(name)"), .count(points.count)] + cells.map(Self.value))
      }
    }
    return table
  }

  private static func value(_ correlation: RankCorrelation) -> Table.Value {
    correlation.value.map { .number(ShownNumber($0, correlation.interval, decimals: 2)) } ?? "all level"
  }

  private var pointTable: Table {
    let heads = metrics.map { "\(Self.unit($0).name): device" } + ["rank: device"]
    let columns: [Table.Column] = heads.flatMap { [.right($0), .right("before"), .right("after")] }
    return Table(
      columns: calibration.device.axes.map { Table.Column($0) } + [""] + columns,
      rows: points.map { point in
        let cells = metrics.indices.flatMap { metric in point.sides.map { text($0[metric], metrics[metric]) } }
        return point.axisValues + [point.part] + cells + ranks(of: point)
      })
  }

  /// Returns the rank by loaders within its stratum: device, emulator before, emulator after. Ties share their mean rank.
  private func ranks(of point: Point) -> [String] {
    point.sides.indices.map { side in
      let rivals = points.filter { $0.stratum == point.stratum }.map { $0.sides[side][0] }
      let own = point.sides[side][0]
      return DecimalText.trimmed(Double(rivals.count { $0 < own }) + Double(rivals.count { $0 == own } + 1) / 2, decimals: 1)
    }
  }

  var csv: String {
    let columns = metrics.flatMap { metric in ["Device", "Before", "After", "Noise"].map { metric.rawValue + $0 } }
    return Table(
      columns: (calibration.device.axes + ["part"] + columns).map { Table.Column($0) },
      rows: points.map { point in
        let values = metrics.indices.flatMap { metric in (point.sides + [point.noise]).map { DecimalText.trimmed($0[metric], decimals: 6) }
        }
        return point.axisValues + [point.isHeldOut ? "heldOut" : "fitted"] + values
      }
    ).csv
  }

  /// The text of `calibrated.json5`: settings for sweep files, with their origin.
  var settings: String {
    func comment(_ text: String) -> String { "// \(SafeText.line(text))" }
    let head = [
      "Settings that fit the emulator to a device. Name this file in a sweep: settings: \"\(Self.settingsName)\".",
      "Made by `prefetch-sweep calibrate` from \(SystemFile.canonical(calibration.device.path)), by \(calibration.sweep.canonicalPath).",
    ]
    let lines = fitted.flatMap { fitted in
      [
        "  " + comment("95 % interval: \(fitted.interval); range: \(fitted.range)."),
        "  \(fitted.isIdentified ? "" : "// ")\(jsonString(fitted.path)): \(fitted.source),",
      ]
    }
    return ((head + errors).map(comment) + ["{"] + lines + ["}", ""]).joined(separator: "\n")
  }
}
