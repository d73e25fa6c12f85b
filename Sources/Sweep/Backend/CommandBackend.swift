// `backend: { command: [ … ], … }`: the program that makes a run, as the sweep file describes it.

import Import

/// A program that makes a run on a device: what it is given, what it may take, and where its numbers are found.
package struct CommandBackend: Sendable {
  struct Variable: Sendable {
    enum Value: Sendable {
      case text(CommandTemplate)
      /// Taken from a variable of our own environment, whose value is shown nowhere.
      case secret(String)
    }

    var name: String
    var value: Value
    var location: SourceLocation
  }

  let location: SourceLocation
  /// The folder of the sweep file, which relative paths start from; empty for the working folder.
  let base: String
  /// The program and its arguments; with `isShell` the first is a script for the shell and the rest are its $1, $2, ….
  var command: [CommandTemplate] = []
  var isShell = false
  var folder: CommandTemplate?
  var environment: [Variable] = []
  /// Hashes of the files whose contents decide its runs.
  var fileHashes: [String] = []
  /// One lane each; empty for a single lane without a name.
  var devices: [String] = []
  /// How long a run may take, in nanoseconds.
  var timeLimit: Int64 = 0
  /// How long it has to end itself when it is asked to, in nanoseconds.
  var grace: Int64 = 0
  /// How often a failed run is tried again at once.
  var retries = 0
  /// After so many failed runs in a row a device is given no more until the next start.
  var giveUpAfter = 1
  /// The wait before the first of these tries, in nanoseconds; it doubles with each.
  var backOff: Int64 = 0
  /// How long a device rests between two runs, in nanoseconds.
  var coolDown: Int64 = 0
  /// The most bytes that it may print.
  var outputLimit: Int64 = 0
  /// The file that it appends its result to; nil for standard output.
  var log: CommandTemplate?
  /// The text that marks the line of the result; nil for none.
  var line: String?
  var metrics: [MetricSource] = []

  var templates: [CommandTemplate] {
    let texts = environment.compactMap { if case .text(let text) = $0.value { text } else { nil } }
    return command + texts + [folder, log].compactMap { $0 }
  }

  /// The scenario's paths that reach the program.
  private var paths: [String] { templates.flatMap(\.names).filter { !CommandTemplate.runNames.contains($0) } }

  /// Whether what is set at a path of the scenario reaches the program, whole or in part.
  func isReached(by path: String) -> Bool {
    paths.contains { $0 == path || $0.hasPrefix(path + ".") || path.hasPrefix($0 + ".") }
  }
}

extension CommandBackend {
  var summary: String {
    let name = command.first.map { $0.filled { _ in nil } }?.split(separator: "/").last.map(String.init) ?? ""
    let program = isShell ? "a script of the shell" : name
    let where_ = devices.count > 1 ? " on \(devices.count) devices, each repetition whole on one of them" : ""
    return "\(program), a process for each run\(where_), points in an order of each repetition's own"
  }

  /// What decides rows besides the points' own values: a hash for each part, by the key that it stands under.
  var identity: [(key: String, hash: String)] {
    [
      ("command", ContentHash.of(lines: ["\(isShell)"] + command.map { jsonString($0.filled { _ in nil }) })),
      ("environment", ContentHash.of(lines: variableLines { $0.filled { _ in nil } })),
      ("files", ContentHash.of(lines: fileHashes)),
      ("metrics", ContentHash.of(lines: resultLines { $0.filled { _ in nil } })),
      // Who goes on with a repetition must be who began it.
      ("devices", ContentHash.of(lines: devices.map(jsonString))),
    ]
  }

  /// The lines that a point's id is made of: what the program is given, the contents of the files, and how its result is read. What
  /// differs from run to run stays a placeholder, and of a secret only the name counts.
  func pointLines(_ text: ScenarioText) -> [String] {
    let fill: (CommandTemplate) -> String = { $0.filled { CommandTemplate.runNames.contains($0) ? nil : text.value(at: $0) } }
    return ["backend=command", "shell=\(isShell)"] + command.map { "word=" + jsonString(fill($0)) } + variableLines(fill)
      + fileHashes.map { "file=\($0)" } + resultLines(fill)
  }

  private func variableLines(_ fill: (CommandTemplate) -> String) -> [String] {
    environment.map { setting in
      switch setting.value {
      case .text(let text): "variable=\(jsonString(setting.name)) \(jsonString(fill(text)))"
      case .secret(let name): "variable=\(jsonString(setting.name)) from \(jsonString(name))"
      }
    }
  }

  private func resultLines(_ fill: (CommandTemplate) -> String) -> [String] {
    [log.map { "log=" + jsonString(fill($0)) }, line.map { "line=" + jsonString($0) }].compactMap { $0 } + metrics.map(\.description)
  }
}
