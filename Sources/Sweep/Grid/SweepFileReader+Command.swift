// Checks that everything that a sweep varies reaches the program that makes its runs, and that what the program asks for is there.

import Import

extension SweepFileReader {
  /// The program that makes the runs, if one does.
  private var command: CommandBackend? { if case .command(let command) = decoder.backend { command } else { nil } }

  /// Reports placeholders that stand for nothing, and what is varied without effect.
  func checkBackend(_ scenario: JSON5Value, _ dimensions: [Grid.Dimension]) {
    guard let command else { return }
    let tree = (try? Grid.overlay(dimensions.first, on: scenario)) ?? scenario
    let emulated = ScenarioDecoder(files: files, prefetchers: decoder.prefetchers)
    let lines = emulated.decode(tree, into: DiagnosticSink())?.lines
    checkNames(command, ScenarioText(tree: tree, lines: lines ?? []), isWhole: lines != nil)
    checkReached(dimensions)
    for setting in settings { checkReached(setting.path, setting.value.location, "is set") }
  }

  private func checkNames(_ command: CommandBackend, _ text: ScenarioText, isWhole: Bool) {
    let known = CommandTemplate.runNames + text.paths
    for template in command.templates {
      for name in template.names where name != "device" || command.devices.isEmpty {
        if name == "device" {
          sink.report(
            at: template.location, key: template.key, problem: "says {device}, and no device is named",
            remedy: "add devices: [\"…\"], or take it out")
        } else if !known.contains(name), isWhole, text.value(at: name) == nil {
          let meant = NearestName.suggestion(for: name, among: known).map { "did you mean {\($0)}? " } ?? ""
          sink.report(
            at: template.location, key: template.key, problem: "says {\(name)}, which is no path of the scenario",
            remedy: meant + "it is one of {point}, {repetition}, {seed}, {device}, or a path such as {\(text.paths.last ?? "feed.items")}")
        }
      }
    }
  }

  /// Reports axes whose values make no difference to the program.
  func checkReached(_ dimensions: [Grid.Dimension]) {
    for dimension in dimensions where dimension.count > 1 {
      for path in dimension.paths { checkReached(path, dimension.location, "varies") }
    }
  }

  /// Reports what a baseline sets beside the scenario and the program does not receive.
  func checkReached(baseline: [(String, JSON5Value)], _ scenario: JSON5Value) {
    for (path, value) in baseline where scenario.lookup(path)?.canonicalText != value.canonicalText {
      checkReached(path, value.location, "is set by the baseline")
    }
  }

  private func checkReached(_ path: String, _ location: SourceLocation, _ what: String) {
    guard let command, !command.isReached(by: path) else { return }
    sink.report(
      at: location, key: path, problem: "\(what), and the command says nowhere {\(path)}, so that no run would differ",
      remedy: "write {\(path)} into backend.command or backend.environment, or take it out")
  }
}
