// A calibration as files: a report for people, a table for tools, and settings that sweeps can use.

import Analysis
import Import
import Rendering

/// The files of a calibration: the same bytes for the same device results, sweep file and program.
struct CalibrationReport {
  static let reportName = "calibration.md", tableName = "calibration.csv", settingsName = "calibrated.json5"

  private let result: CalibrationResult

  init(_ result: CalibrationResult) { self.result = result }

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

  private func interval(_ fitted: CalibrationResult.Fitted) -> String {
    switch (fitted.low, fitted.high) {
    case (nil, nil): "not identified"
    case (let low?, let high?): "\(low) … \(high)"
    case (let low?, nil): "from \(low)"
    case (nil, let high?): "up to \(high)"
    }
  }

  /// What the program says at the end: a line for each setting, and the error before and after.
  var closing: [String] {
    var lines = result.fitted.map { "\($0.path) = \($0.value) (95 % interval: \(interval($0)))" }
    for (heldOut, name) in [(false, "fitted"), (true, "held out")] {
      guard let miss = result.miss(0, heldOut: heldOut) else { continue }
      let count = result.points.count { $0.isHeldOut == heldOut }
      lines.append(
        "\(count) points \(name): off by \(text(miss.before, .loadersPer1000)) loaders per 1000 before, "
          + "\(text(miss.after, .loadersPer1000)) after (root mean square; chance alone \(text(miss.noise, .loadersPer1000)))")
    }
    return lines
  }

  // MARK: The report

  /// `calibration.md`.
  var markdown: String {
    var parts = ["# The emulator beside the device\n"]
    parts.append(headTable.markdown)
    parts += ["## What was fitted\n", settingsTable.markdown, result.warnings.map { "- \($0)\n" }.joined()]
    parts += ["## How far the emulator is off\n", missTable.markdown]
    parts.append(
      "The root of the mean square of the differences to the device. *Chance* is what two samples of the same runs would differ by. "
        + "Over the points fitted, what is left is \(DecimalText.fixed(result.misfit, decimals: 2)) times the variance that chance makes.\n"
    )
    parts += ["## Do they rank alike?\n", rankTable.markdown]
    parts.append(
      "Rank correlations of the loaders per 1000, of device and emulator, with 95 % intervals (Fisher's z) from "
        + "\(RankCorrelation.fewestPairs) points on.\n")
    parts += ["## Point by point\n", pointTable.markdown]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var headTable: Table {
    var table = Table(columns: ["Calibration", ""])
    let heldOut = result.points.count { $0.isHeldOut }
    table.append(["device", result.device])
    table.append(["sweep", result.sweep])
    table.append(["points", "\(result.points.count), of which \(heldOut) are held out of the fit"])
    table.append(["emulator", "\(result.repeats) repetitions, on the same seeds whatever is tried; \(result.runs) runs in all"])
    return table
  }

  private var settingsTable: Table {
    var table = Table(columns: ["setting", "looked for in", .right("value"), .right("95 % interval")])
    for fitted in result.fitted {
      table.append([fitted.path, fitted.range, fitted.isIdentified ? fitted.value : "", interval(fitted)])
    }
    return table
  }

  private var missTable: Table {
    var table = Table(columns: ["", .right("points"), .right("before"), .right("after"), .right("chance")])
    for (index, metric) in result.metrics.enumerated() {
      for (heldOut, name) in [(false, "fitted"), (true, "held out")] {
        guard let miss = result.miss(index, heldOut: heldOut) else { continue }
        let count = result.points.count { $0.isHeldOut == heldOut }
        let numbers = [miss.before, miss.after, miss.noise].map { text($0, metric) }
        table.append(["\(Self.unit(metric).name), \(name)", "\(count)"] + numbers)
      }
    }
    return table
  }

  private var rankTable: Table {
    let heads = ["points", "Kendall's τ before", "after", "Spearman's ρ before", "after"]
    var table = Table(columns: [""] + heads.map { .right($0) })
    var strata: [String] = []
    for point in result.points where !strata.contains(point.stratum) { strata.append(point.stratum) }
    for stratum in strata {
      let all = result.points.filter { $0.stratum == stratum }
      for (name, points) in [("all", all), ("held out", all.filter(\.isHeldOut))] where points.count > 1 {
        let device = points.map { $0.device[0] }
        let sides = [points.map { $0.before[0] }, points.map { $0.after[0] }]
        let cells = sides.map { RankCorrelation.kendall(device, $0) } + sides.map { RankCorrelation.spearman(device, $0) }
        table.append([stratum.isEmpty ? name : "\(stratum), \(name)", "\(points.count)"] + cells.map(Self.text))
      }
    }
    return table
  }

  private static func text(_ correlation: RankCorrelation) -> String {
    guard let value = correlation.value else { return "all level" }
    let ends = correlation.interval.map { " [\(DecimalText.fixed($0.low, decimals: 2)), \(DecimalText.fixed($0.high, decimals: 2))]" }
    return DecimalText.fixed(value, decimals: 2) + (ends ?? "")
  }

  private var pointTable: Table {
    let heads = result.metrics.map { "\(Self.unit($0).name): device" } + ["rank: device"]
    let columns: [Table.Column] = heads.flatMap { [.right($0), .right("before"), .right("after")] }
    var table = Table(columns: result.axes.map { Table.Column($0) } + [""] + columns)
    let ranks = ranks()
    for (place, point) in result.points.enumerated() {
      var cells = point.axisValues + [point.isHeldOut ? "held out" : "fitted"]
      for (index, metric) in result.metrics.enumerated() {
        cells += [point.device[index], point.before[index], point.after[index]].map { text($0, metric) }
      }
      table.append(cells + ranks[place])
    }
    return table
  }

  /// The rank of each point within its stratum by the loaders of the device, of the emulator before and after; level ones share a mean.
  private func ranks() -> [[String]] {
    let sides: [(CalibrationResult.Point) -> Double] = [{ $0.device[0] }, { $0.before[0] }, { $0.after[0] }]
    return result.points.map { point in
      sides.map { side in
        let rivals = result.points.filter { $0.stratum == point.stratum }.map(side)
        let (ahead, level) = (rivals.count { $0 < side(point) }, rivals.count { $0 == side(point) })
        return DecimalText.trimmed(Double(ahead) + Double(level + 1) / 2, decimals: 1)
      }
    }
  }

  // MARK: Files for tools

  /// `calibration.csv`: a row a point.
  var csv: String {
    let columns = result.metrics.flatMap { metric in ["Device", "Before", "After", "Noise"].map { metric.rawValue + $0 } }
    var table = Table(columns: (result.axes + ["part"] + columns).map { Table.Column($0) })
    for point in result.points {
      let values = result.metrics.indices.flatMap { index in
        [point.device[index], point.before[index], point.after[index], point.noise[index]].map { DecimalText.trimmed($0, decimals: 6) }
      }
      table.append(point.axisValues + [point.isHeldOut ? "heldOut" : "fitted"] + values)
    }
    return table.csv
  }

  /// `calibrated.json5`: settings that a sweep file names as `settings`, with where they come from.
  var settings: String {
    func comment(_ text: String) -> String { "// \(text.map { $0.isNewline ? " " : String($0) }.joined())" }
    var lines = [
      comment("Settings that bring the emulator to a device: a sweep names this file, settings: \"\(Self.settingsName)\"."),
      comment("Made by `prefetch-sweep calibrate` from \(result.device), by \(result.sweep)."),
    ]
    lines += closing.suffix(closing.count - result.fitted.count).map(comment)
    lines.append("{")
    for fitted in result.fitted {
      lines.append("  " + comment("95 % interval: \(interval(fitted)); looked for in \(fitted.range)."))
      lines.append("  \(fitted.isIdentified ? "" : "// ")\(jsonString(fitted.path)): \(fitted.source),")
    }
    return (lines + ["}", ""]).joined(separator: "\n")
  }
}
