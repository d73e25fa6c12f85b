// The sweep file and the command line of results, from which the commands about them are made.

import Base

package struct SweepSource: Codable, Hashable, Sendable {
  /// The path of the sweep file. A sweep from standard input has the name of its copy in the folder of results.
  package var file: String
  package var overrides: SweepOverrides
  /// The words that call the program, as a shell reads them.
  package var program: String

  package init(file: String, overrides: SweepOverrides = SweepOverrides(), program: String) {
    (self.file, self.overrides, self.program) = (file, overrides, program)
  }

  /// Returns a command of the program about the sweep as a shell reads it, in one line; `options` are ready for a shell.
  package func command(_ name: String, options: [String] = []) -> String {
    var words = [program, name, ShellText.quoted(file)]
    for setting in overrides.settings { words += ["--set", ShellText.quoted("\(setting.path)=\(setting.value)")] }
    if let seed = overrides.seed { words += ["--seed", "\(seed)"] }
    if let repeats = overrides.repeats { words += ["--repeats", "\(repeats)"] }
    return SafeText.line((words + options).joined(separator: " "))
  }
}

/// The settings of the command line that replace those of a sweep file.
package struct SweepOverrides: Codable, Hashable, Sendable {
  /// A value of `--set path=value`.
  package struct Setting: Codable, Hashable, Sendable {
    package var path: String, value: String

    package init(path: String, value: String) { (self.path, self.value) = (path, value) }
  }

  /// The values of `--set`, in order. The last value of a path counts.
  package var settings: [Setting] = []
  package var repeats: Int?
  package var seed: UInt64?

  package init() {}
}

extension SweepDescription {
  /// Returns the command that repeats one run, by default with placeholders; nil if the sweep file is unknown.
  package func repeatCommand(point: String = "{point}", repetition: String = "{repetition}") -> String? {
    source?.command("run", options: ["--point \(point) --repetition \(repetition)"])
  }

  /// Returns the command that draws one run beside the baseline's, by default with placeholders; nil if no run can be drawn.
  package func explainCommand(point: String = "{point}", repetition: String = "{repetition}") -> String? {
    // Only the emulator and the live client have event logs, of feeds.
    guard var source, scenario == nil, backend == nil || backend == "live" else { return nil }
    source.overrides.repeats = nil
    return source.command(
      "explain",
      options: (backend == nil ? [] : ["--live"])
        + ["--point \(point) --against baseline --repetition \(repetition) --format svg > explain.svg"])
  }
}
