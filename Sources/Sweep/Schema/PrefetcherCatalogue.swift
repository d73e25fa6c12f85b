// The prefetchers that sweeps can name: the standard ones and those of an external package.

import Base
import Simulation

package struct PrefetcherCatalogue: Sendable {
  package let definitions: [PrefetcherDefinition]

  package static let standard = PrefetcherCatalogue(definitions: PrefetcherDefinition.standard + [CommandPolicy.definition])

  private init(definitions: [PrefetcherDefinition]) { self.definitions = definitions }

  /// Creates a catalogue of the standard prefetchers and more.
  /// - Throws: `InvalidInput` if a name is empty or occurs twice.
  package init(adding more: [PrefetcherDefinition]) throws(InvalidInput) {
    definitions = Self.standard.definitions + more
    for (index, name) in definitions.map(\.name).enumerated() {
      let isTaken = definitions[..<index].contains { $0.name == name }
      guard isTaken || name.isEmpty else { continue }
      throw InvalidInput(
        at: SourceLocation(file: Program.name), key: "prefetchers",
        problem: isTaken ? "two of them are named \"\(name)\"" : "one of them has no name",
        remedy: "give your prefetcher a name of its own")
    }
  }

  /// Reads `kind` and the settings of that kind; nil after a report. `words` describe the settings.
  func prefetcher(from reader: inout ObjectReader, files: InputFiles) -> (prefetcher: any Prefetcher, words: String)? {
    let problems = reader.context.sink.count
    if !reader.has("kind") {
      let keys = reader.givenKeys
      let fitting = definitions.first { definition in keys.allSatisfy { key in definition.settings.contains { $0.key == key } } }
      reader.reportMissing("kind", example: quoted(fitting?.name ?? "costBudget"))
      reader.finish(knowing: ["kind"] + definitions.flatMap { $0.settings.map(\.key) })
      return nil
    }
    let name = reader.choice("kind", of: definitions.map(\.name))
    // The settings of an unknown kind cannot be validated.
    guard reader.context.sink.count == problems, let definition = definitions.first(where: { $0.name == name }) else { return nil }
    if name == CommandPolicy.definition.name { return CommandPolicy(from: &reader, files: files).map { ($0, $0.words) } }
    var words = [name]
    let prefetcher = definition.make { setting in
      var usual: Parameter.Value?
      if case .value(let value) = setting.fallback { usual = value }
      if usual == nil, reader.value(setting.key)?.kind ?? .null == .null { return nil }
      let value = reader.read(setting, default: usual)
      words.append("\(setting.key) \(value.canonicalText)")
      return value
    }
    reader.finish { key in
      let others = definitions.filter { $0.settings.contains { $0.key == key } }.map(\.name)
      if others.isEmpty { return nil }
      return "\(others.prefix(3).joined(separator: ", ")) \(others.count == 1 ? "has" : "have") it; the keys of \(name): "
        + (["kind"] + definition.settings.map(\.key)).joined(separator: ", ")
    }
    return (prefetcher, words.joined(separator: ", "))
  }
}
