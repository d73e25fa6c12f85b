// The gate's runs in the format of Go's benchmark tools, for a second opinion by `benchstat -col settings`.

import Analysis
import Base

/// Runs in the Go benchmark data format (https://go.dev/design/14313-benchmark-format): configuration, unit metadata, a line per run.
package enum BenchmarkText {
  /// Returns the file: for each stratum (key `stratum`) the baseline's runs, then the candidate's, distinguished by the key `settings`.
  package static func text(_ result: GateResult) -> String {
    var lines = [
      configuration("program", result.program.name), configuration("model", result.program.modelVersion),
      configuration("sweep", result.sweep), configuration("seed", "\(result.seed)"),
    ]
    lines += result.head.map { configuration($0.label, $0.text) }
    lines.append("")
    let guarded = result.rule.furtherMetrics
    for metric in Metric.allCases where metric.direction != .neutral && (!metric.isFurther || guarded.contains(metric)) {
      lines.append("Unit \(metric.benchmarkUnit) better=\(metric.direction == .lowerIsBetter ? "lower" : "higher")")
    }
    let name = name(of: result.sweep)
    for stratum in result.strata where !stratum.isWhole {
      if let name = stratum.name { lines += ["", configuration("stratum", name)] + stratum.head.map { configuration($0.label, $0.text) } }
      for (side, runs) in [("baseline", stratum.pairs.map(\.baseline)), ("candidate", stratum.pairs.map(\.candidate))] {
        lines += ["", configuration("settings", side)]
        lines += runs.compactMap { line(name, $0) }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the line of one run: the name, one iteration, and value and unit of each metric; nil if the run has no metrics.
  private static func line(_ name: String, _ metrics: RunMetrics) -> String? {
    let values = Metric.allCases.compactMap { metric in metrics[metric].map { "\(DecimalText.exact($0)) \(metric.benchmarkUnit)" } }
    return values.isEmpty ? nil : ([name, "1"] + values).joined(separator: " ")
  }

  /// Returns a configuration line. Its key starts with a letter and contains neither spaces nor upper case.
  private static func configuration(_ key: String, _ value: String) -> String {
    let kept = key.lowercased().unicodeScalars.map { SafeText.isWord($0) ? String($0) : "-" }.joined()
    let safe = kept.first?.isLetter == true ? kept : "x" + kept
    let text = SafeText.line(value)
    return text.isEmpty ? "\(safe):" : "\(safe): \(text)"
  }

  /// Returns the benchmark's name, e.g. `BenchmarkFeatured3g` for `featured-3g`. It has letters and digits only: `benchstat` reads a hyphen
  /// with a number at the end as a number of processors, and a slash as a sub-benchmark.
  static func name(of sweep: String) -> String {
    let words = sweep.unicodeScalars.split { !SafeText.isWord($0) }.map(String.init)
    let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    // A digit after Benchmark is no name to `benchstat`.
    return "Benchmark" + (name.first?.isLetter ?? false ? "" : "Sweep") + name
  }
}
