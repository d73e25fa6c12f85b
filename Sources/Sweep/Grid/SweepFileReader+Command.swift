// Whether everything that a sweep varies reaches the program that makes its runs, and whether what the program asks for is there.

import Import

extension SweepFileReader {
  /// Reports placeholders that stand for nothing, and what is varied without effect.
  package func check(_ backend: Backend, _ scenario: JSON5Value, _ dimensions: [Grid.Dimension], _ decoder: ScenarioDecoder) {
    guard case .command(let command) = backend else { return }
    let first = PointTrial.settings(of: dimensions) { _ in 0 }
    let tree = (try? Grid.overlay(first, on: scenario)) ?? scenario
    var plain = decoder
    plain.backend = .emulated
    let lines = plain.decode(tree, into: DiagnosticSink())?.lines
    checkNames(command, ScenarioText(tree: tree, lines: lines ?? []), isWhole: lines != nil)
    checkReached(dimensions, by: command)
    for setting in settings where !command.isReached(by: setting.path) {
      report(setting.value.location, setting.path, "is set")
    }
  }

  private func checkNames(_ command: CommandBackend, _ text: ScenarioText, isWhole: Bool) {
    let known = CommandTemplate.runNames + text.paths
    for template in command.templates {
      let (location, key) = (template.location, template.key)
      for name in template.names where name != "device" || command.devices.isEmpty {
        if name == "device" {
          sink.report(
            at: location, key: key, problem: "says {device}, and no device is named", remedy: "add devices: [\"…\"], or take it out")
        } else if !known.contains(name), isWhole, text.value(at: name) == nil {
          let meant = NearestName.suggestion(for: name, among: known).map { "did you mean {\($0)}? " } ?? ""
          sink.report(
            at: location, key: key, problem: "says {\(name)}, which is no path of the scenario",
            remedy: meant + "it is one of {point}, {repetition}, {seed}, {device}, or a path such as {\(text.paths.last ?? "feed.items")}")
        }
      }
    }
  }

  /// Reports axes whose values make no difference to the program.
  func checkReached(_ dimensions: [Grid.Dimension], by command: CommandBackend) {
    for dimension in dimensions where dimension.count > 1 {
      for path in dimension.paths where !command.isReached(by: path) { report(dimension.location, path, "varies") }
    }
  }

  /// Reports what a baseline sets beside the scenario and the program is not told.
  func checkReached(baseline: [(String, JSON5Value)], by backend: Backend, _ scenario: JSON5Value) {
    guard case .command(let command) = backend else { return }
    for (path, value) in baseline where !command.isReached(by: path) && scenario.lookup(path)?.canonicalText != value.canonicalText {
      report(value.location, path, "is set by the baseline")
    }
  }

  private func report(_ location: SourceLocation, _ path: String, _ what: String) {
    sink.report(
      at: location, key: path, problem: "\(what), and the command says nowhere {\(path)}, so that no run would differ",
      remedy: "write {\(path)} into backend.command or backend.environment, or take it out")
  }
}

extension SweepFile {
  /// Refuses a sweep whose runs are not the emulator's, for commands that know no others; `command` is the one that was given.
  /// - Throws: `InvalidInput` if the sweep has another backend.
  package func checkEmulated(for command: String) throws(InvalidInput) {
    guard !backend.isEmulated else { return }
    throw backend.refusal(
      "is \(backend.name), and \(command) asks the emulator alone", "take backend out of the file, or name a sweep without it")
  }
}
