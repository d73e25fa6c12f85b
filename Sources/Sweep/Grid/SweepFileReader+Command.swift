// Checks that a command receives everything that the sweep varies, and that its placeholders name something.

import Base

extension SweepFileReader {
  private var command: CommandBackend? { if case .command(let command) = decoder.backend { command } else { nil } }

  /// Reports unknown placeholders, and axes and settings without effect.
  func checkBackend(_ scenario: JSON5Value, _ dimensions: [Grid.Dimension]) {
    guard let command else { return }
    let tree = (try? Grid.overlay(dimensions.first, on: scenario)) ?? scenario
    let emulated = ScenarioDecoder(files: files, prefetchers: decoder.prefetchers)
    let read = emulated.decode(tree, into: DiagnosticSink())?.settings
    checkNames(command, ScenarioText(tree: tree, settings: read ?? []), isWhole: read != nil)
    checkReached(dimensions)
    for setting in settings { checkReached(setting.path, setting.value.location, "is set") }
  }

  private func checkNames(_ command: CommandBackend, _ text: ScenarioText, isWhole: Bool) {
    let known = CommandTemplate.runNames + text.paths
    for template in command.templates {
      for name in template.names where name != "device" || command.devices.isEmpty {
        if name == "device" {
          sink.report(
            at: template.location, key: template.key, problem: "contains {device}, but no device is named",
            remedy: "add devices: [\"…\"], or take it out")
        } else if !known.contains(name), isWhole, text.value(at: name) == nil {
          let meant = NearestName.suggestion(for: name, among: known).map { "did you mean {\($0)}? " } ?? ""
          sink.report(
            at: template.location, key: template.key, problem: "contains {\(name)}, which is no path of the scenario",
            remedy: meant + "it is one of {point}, {repetition}, {seed}, {device}, or a path such as {\(text.paths.last ?? "feed.items")}")
        }
      }
    }
  }

  /// Reports axes whose values do not reach the program.
  func checkReached(_ dimensions: [Grid.Dimension]) {
    for dimension in dimensions where dimension.count > 1 {
      for path in dimension.paths { checkReached(path, dimension.location, "varies") }
    }
  }

  /// Reports settings of a baseline that differ from the scenario and do not reach the program.
  func checkReached(baseline: [(String, JSON5Value)], _ scenario: JSON5Value) {
    for (path, value) in baseline where scenario.lookup(path)?.canonicalText != value.canonicalText {
      checkReached(path, value.location, "is set by the baseline")
    }
  }

  private func checkReached(_ path: String, _ location: SourceLocation, _ what: String) {
    command?.checkReached(path, location, what, sink)
  }
}

extension CommandBackend {
  /// Reports a path that does not reach the program, so that what is set or varies there has no effect.
  func checkReached(_ path: String, _ location: SourceLocation, _ what: String, _ sink: DiagnosticSink) {
    if isReached(by: path) { return }
    sink.report(
      at: location, key: path, problem: "\(what), but the command does not contain {\(path)}, so no run would differ",
      remedy: "write {\(path)} into backend.command or backend.environment, or take it out")
  }
}
