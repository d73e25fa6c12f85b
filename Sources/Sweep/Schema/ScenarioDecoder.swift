// Decodes the scenario of a sweep file with one loop over the parts of the schema.

import Base
import Simulation

package struct DecodedScenario {
  /// The scenario as a point to run. Its id hashes the decoded scenario and the model version, or the backend's inputs, but no grid.
  package let ready: PreparedPoint
  /// The scalars with defaults, and files as hashes of their contents.
  package let settings: [CanonicalSetting]
  package let description: ScenarioDescription
  /// The scenario's share of the lines that the point's id hashes.
  package let identity: [String]

  package var scenario: any Model { ready.scenario }
  package var point: String { PointID.text(ready.id) }
}

/// A scenario in words, a phrase for each part.
package struct ScenarioDescription {
  /// All parts, in the order of a report's head.
  package var parts: [(label: String, text: String)] = []
  /// The prefetcher or the strategy with its settings.
  package var prefetcher = ""
  package var ignored: [IgnoredSetting] = []

  fileprivate static let order = [
    "network", "user", "feed", "downloads", "prefetcher", "resources", "app", "daemon", "strategy", "energy", "mark",
  ]
}

/// The text of a point's id: 16 hexadecimal digits.
package enum PointID {
  package static func text(_ id: UInt64) -> String { ContentHash.hexadecimal(id) }
}

/// Decodes scenarios whose files are relative to one folder.
package struct ScenarioDecoder: Sendable {
  package let files: InputFiles
  let prefetchers: PrefetcherCatalogue
  let backend: Backend

  package init(files: InputFiles, prefetchers: PrefetcherCatalogue = .standard, backend: Backend = .emulated) {
    (self.files, self.prefetchers, self.backend) = (files, prefetchers, backend)
  }

  package static let itemLimit = 1_000_000

  var surroundings: Surroundings { Surroundings(files: files, prefetchers: prefetchers) }

  /// Decodes a scenario and reports problems to `sink`; nil if `sink` has any.
  package func decode(_ value: JSON5Value, into sink: DiagnosticSink) -> DecodedScenario? {
    var reader = ObjectReader(value, context: DecodingContext(sink: sink, names: ScenarioSchema.names))
    let kind = ScenarioKind(from: &reader)
    var surroundings = surroundings
    var parts: [(key: String, part: DecodedPart)] = []
    for part in kind.parts {
      guard let decoded = part.decode(&reader, surroundings) else { continue }
      // Stand-ins of a part with problems are no facts about it.
      if !reader.context.sink.hasProblem(at: part.key) { decoded.surround(&surroundings) }
      parts.append((part.key, decoded))
    }
    reader.finish { ScenarioSchema.remedy(forKey: $0) }
    let context = reader.context
    guard sink.isEmpty, parts.count == kind.parts.count else { return nil }
    var description = ScenarioDescription()
    for key in ScenarioDescription.order {
      guard let part = parts.first(where: { $0.key == key })?.part, case let text = part.text() else { continue }
      // The powers of a feed's radio have no line while they are the defaults.
      if key == "energy", text.isEmpty { continue }
      description.parts.append((key, text))
      if key == "prefetcher" || key == "strategy" { description.prefetcher = text }
      description.ignored += part.ignored
    }
    let text = ScenarioText(tree: value, settings: context.settings)
    let ready = PreparedPoint(
      scenario: kind.scenario(parts.lazy.map(\.part)), id: backend.pointNumber(context.identity, text), values: backend.values(of: text))
    return DecodedScenario(ready: ready, settings: context.settings, description: description, identity: context.identity)
  }

  /// Decodes a scenario and reports problems to a sink that may hold unrelated ones.
  package func decode(_ value: JSON5Value, reportingTo sink: DiagnosticSink) -> DecodedScenario? {
    let own = DiagnosticSink()
    let decoded = decode(value, into: own)
    sink.report(own.found)
    return decoded
  }

  /// Decodes a scenario.
  /// - Throws: `InvalidInput` with all problems found.
  package func decoded(_ value: JSON5Value) throws(InvalidInput) -> DecodedScenario {
    let sink = DiagnosticSink()
    if let decoded = decode(value, into: sink) { return decoded }
    throw sink.found
  }

  /// Decodes a network outside of a scenario, with its description and the settings without effect; nil after a report.
  package func network(
    _ reader: ObjectReader
  ) -> (network: NetworkConfiguration, startsAnywhere: Bool, text: String, ignored: [IgnoredSetting])? {
    var (reader, part) = (reader, NetworkPart())
    part.read(&reader, surroundings)
    return part.isComplete ? (part.network, part.startsAnywhere, part.text, part.ignored) : nil
  }
}
