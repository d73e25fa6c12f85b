// `backend: { command: [ … ], … }`: the settings of a program that executes runs.

import Base

package struct CommandBackend: Sendable {
  struct Variable: Sendable {
    enum Value: Sendable {
      case text(CommandTemplate)
      /// The name of a variable in the tool's environment, whose value never appears in output.
      case secret(String)
    }

    var name: String
    var value: Value
    var location: SourceLocation
  }

  let location: SourceLocation
  /// The folder of the sweep file, where relative paths start; an empty one is the working folder.
  let base: String
  /// The program and its arguments. With `isShell` the first is a shell script and the rest are $1, $2, ….
  var command: [CommandTemplate] = []
  var isShell = false
  var folder: CommandTemplate?
  var environment: [Variable] = []
  /// Hashes of the files whose contents affect runs.
  var fileHashes: [String] = []
  /// The devices, one lane each; an empty list is a single lane without a name.
  var devices: [String] = []
  /// The longest time of a run, in nanoseconds.
  var timeLimit: Int64 = 0
  /// The time between SIGTERM and SIGKILL, in nanoseconds.
  var grace: Int64 = 0
  /// The number of immediate retries of a failed run.
  var retries = 0
  /// The number of consecutive failures after which a device gets no more runs until the next start.
  var giveUpAfter = 1
  /// The wait before the first retry, in nanoseconds; it doubles with each.
  var backOff: Int64 = 0
  /// The rest of a device between two runs, in nanoseconds.
  var coolDown: Int64 = 0
  /// The most bytes that the program may print.
  var outputLimit: Int64 = 0
  /// The file with the program's result; nil for standard output.
  var log: CommandTemplate?
  /// The text that marks the line with the result; nil for none.
  var line: String?
  var metrics: [MetricSource] = []

  var templates: [CommandTemplate] {
    let texts = environment.compactMap { if case .text(let text) = $0.value { text } else { nil } }
    return command + texts + [folder, log].compactMap { $0 }
  }

  /// The scenario paths in the program's arguments, environment, folder and log.
  var paths: [String] { templates.flatMap(\.names).filter { !CommandTemplate.runNames.contains($0) } }

  /// True if the program receives a scenario path, whole or in part.
  func isReached(by path: String) -> Bool { paths.contains { $0.overlaps(path) } }

  var summary: String {
    let name = command.first.map { $0.filled { _ in nil } }?.split(separator: "/").last.map(String.init) ?? ""
    let program = isShell ? "a script of the shell" : name
    let where_ = devices.count > 1 ? " on \(devices.count) devices, each repetition on one of them" : ""
    return "\(program), a process for each run\(where_), points in random order within each repetition"
  }

  /// A hash for each part that decides rows besides the points' own values, by backend key.
  var identity: [(key: String, hash: String)] {
    [
      ("command", ContentHash.of(lines: ["\(isShell)"] + command.map { jsonString($0.filled { _ in nil }) })),
      ("environment", ContentHash.of(lines: variableLines { $0.filled { _ in nil } })),
      ("files", ContentHash.of(lines: fileHashes)),
      ("metrics", ContentHash.of(lines: resultLines { $0.filled { _ in nil } })),
      // A repetition resumes on the device that began it.
      ("devices", ContentHash.of(lines: devices.map(jsonString))),
    ]
  }

  /// Returns the lines that a point's id hashes: arguments, variables, file hashes and metric sources.
  /// Values that differ between runs stay placeholders; a secret counts by its name.
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
