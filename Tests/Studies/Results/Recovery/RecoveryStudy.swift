// Tests whether calibration recovers known parameters: emulated runs with set values stand for a device's runs.

import Analysis
import Base
import Foundation
import StudyParts
import Sweep
import SweepTool

package enum RecoveryStudy {
  private static let settings = ["user.overhead", "network.serverTime", "network.queue"]
  /// The values of `settings`: milliseconds, milliseconds, packets.
  private static let planted = [[0, 0, 50], [120, 40, 50], [250, 0, 30], [60, 150, 20], [380, 80, 100], [250, 120, 12]]
  /// Devices like the sweep file, and devices whose dwells differ from it.
  private static let kinds = [("quiet", []), ("noisy", ["--set", "user.dwell={distribution:'uniform',min:'700ms',max:'1300ms'}"])]
  private static let sweep = """
    {
      sweep: "phone",
      scenario: {
        feed: { items: 200, mix: { image: 0.8, video: 0.2 } },
        network: "3G",
        user: { dwell: "1s" },
        prefetcher: { kind: "costBudget" },
      },
      axes: { "prefetcher.maxCost": [2, 4, 6, 8, 10], "prefetcher.videoCost": [1, 2, 3], "downloads.connections": [2, 6] },
      where: ["prefetcher.maxCost >= prefetcher.videoCost"],
      repeats: 10,
      seed: 2019,
    }
    """

  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the sweeps and fits.
  package static func run(_ arguments: Arguments) throws {
    let devices = try arguments.integer("--devices", in: 1...50) ?? 2
    let rows = try withScratchFolder { scratch in
      let file = "\(scratch)/phone.json5"
      try Data(sweep.utf8).write(to: URL(fileURLWithPath: file))
      return try planted.indices.flatMap { combination in
        try kinds.indices.map { kind in
          try (1...devices).map { device in
            let seed = 1000 + combination * 100 + kind * 50 + device
            return try calibrated(file, planted[combination], seed: seed, kinds[kind].1, in: "\(scratch)/\(seed)")
          }
        }
      }
    }
    print(try report(rows, devices: devices))
  }

  /// Runs a device with planted unknowns and calibrates the emulator to it.
  /// - Throws: the errors of the sweep, its files and the fit.
  private static func calibrated(
    _ sweep: String, _ planted: [Int], seed: Int, _ noise: [String], in folder: String
  ) throws -> CalibrationResult {
    let values = ["\(planted[0])ms", "\(planted[1])ms", "\(planted[2])"]
    let known = zip(settings, values).flatMap { ["--set", "\($0)=\($1)"] }
    try runTool(["run", sweep, "--seed", "\(seed)", "--repeats", "10", "--quiet", "--output", folder] + known + noise)
    var options = Calibration.Options()
    options.jobs = ProcessInfo.processInfo.activeProcessorCount
    return try Calibration(device: DeviceResults(path: folder), sweep: ResolvedSweep(path: sweep), options: options).run()
  }

  /// - Throws: `StudyProblem` if the page cannot be read.
  private static func report(_ rows: [[CalibrationResult]], devices: Int) throws -> String {
    var found: [[String]] = []
    var misses: [[String]] = []
    var covered = 0
    for (index, results) in rows.enumerated() {
      let (combination, kind) = index.quotientAndRemainder(dividingBy: kinds.count)
      let device = ["\(combination + 1)", kinds[kind].0]
      for (setting, value) in zip(settings, planted[combination]) {
        let fitted = results.compactMap { $0.fitted.first { $0.path == setting } }
        let known = fitted.filter(\.isIdentified).map { number($0.value) }
        let intervals = fitted.map { (low: $0.low.map(number) ?? -.infinity, high: $0.high.map(number) ?? .infinity) }
        let within = intervals.count { $0.low - 1e-9 <= Double(value) && Double(value) <= $0.high + 1e-9 }
        covered += within
        let error = mean(known.map { ($0 - Double(value)) * ($0 - Double(value)) })?.squareRoot()
        let unit = setting.hasSuffix("queue") ? "" : " ms"
        let figures = [mean(known), error, mean(intervals.map { $0.high - $0.low }.filter(\.isFinite))].map { figure in
          figure.map { DecimalText.fixed($0, decimals: 0) + unit } ?? ""
        }
        let counts = [devices - known.count, within].map { "\($0) of \(devices)" }
        found.append(device + [setting, "\(value)\(unit)"] + figures + counts)
      }
      let held = results.compactMap { $0.miss(0, heldOut: true) }
      // The values are rounded as in each calibration's own report.
      let means = [held.map(\.before), held.map(\.after), held.map(\.noise)].map { values in
        mean(values.map { Double(DecimalText.fixed($0, decimals: 1)) ?? .nan }) ?? .nan
      }
      misses.append(device + means.map { DecimalText.fixed($0, decimals: 1) })
    }
    let intervals = rows.count * settings.count * devices
    let share = DecimalText.fixed(100 * Double(covered) / Double(intervals), decimals: 0)
    return try page(
      "recovery",
      [
        "devices": "\(devices)",
        "found": unpaddedTable(
          texts: ["planted", "device", "setting"], numbers: ["planted", "found", "off", "width", "not identified", "within"], found),
        "covered": "\(covered)", "intervals": "\(intervals)", "share": share,
        "misses": unpaddedTable(texts: ["planted", "device"], numbers: ["before", "after", "chance"], misses),
      ])
  }

  /// Returns a fitted value: a duration in milliseconds, or a plain number.
  private static func number(_ text: String) -> Double {
    if let nanoseconds = try? Quantity(text, dimension: .duration).baseValue() { return Double(nanoseconds) / 1e6 }
    return Double(text) ?? .nan
  }

  private static func mean(_ values: [Double]) -> Double? { values.isEmpty ? nil : values.reduce(0, +) / Double(values.count) }
}
